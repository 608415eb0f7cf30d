#include "sched/core/profile_read.h"

#include "support/base/agree.h"
#include "support/base/array.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A profile that grows. */
struct growing {
    struct profile profile;
    bool numbered;
    int64_t seconds_capacity, tasks_capacity;
};

static enum status add_row(struct growing *growing, int64_t task, double number)
{
    struct profile *profile = &growing->profile;
    int64_t n = profile->n;
    if (n == INT32_MAX)
        return FAIL(STATUS_LIMIT, "a profile of more than %d tasks", INT32_MAX);
    TRY(array_reserve(&profile->seconds, n + 1, &growing->seconds_capacity, sizeof number));
    profile->seconds[n] = number;
    if (growing->numbered) {
        TRY(array_reserve(&profile->tasks, n + 1, &growing->tasks_capacity, sizeof task));
        profile->tasks[n] = task;
    }
    profile->n++;
    return STATUS_OK;
}

static bool is_duration(double number)
{
    return isfinite(number) && number >= 0;
}

/* --- CSV --- */

/* Parses `task,seconds`; false if anything else is there. */
static bool parse_profile_row(const char *row, int64_t *task, double *number)
{
    char *end;
    *task = strtoll(row, &end, 10);
    if (end == row || *end != ',')
        return false;
    const char *text = end + 1;
    *number = strtod(text, &end);
    return end != text && end[strspn(end, " \t\r\n")] == '\0' && is_duration(*number);
}

static bool follows(const struct growing *growing, int64_t task)
{
    int64_t n = growing->profile.n;
    return task >= 0 && (n == 0 || task > growing->profile.tasks[n - 1]);
}

static enum status read_rows(FILE *file, const char *path, struct growing *growing)
{
    char row[256];
    int64_t line = 1;
    if (!fgets(row, sizeof row, file) || strncmp(row, "task,seconds", 12) != 0 ||
        row[12 + strspn(row + 12, " \t\r\n")] != '\0')
        return FAIL(STATUS_INPUT, "%s:1: a profile begins with the line 'task,seconds'", path);
    while (fgets(row, sizeof row, file)) {
        int64_t task;
        double number;
        line++;
        if (!parse_profile_row(row, &task, &number))
            return FAIL(STATUS_INPUT,
                        "%s:%lld: a row is a task's number, a comma and its seconds, 0 or more: "
                        "'%.*s'",
                        path, (long long)line, (int)strcspn(row, "\r\n"), row);
        if (growing->numbered && !follows(growing, task))
            return FAIL(STATUS_INPUT, "%s:%lld: task %lld: numbers ascend from 0 on", path,
                        (long long)line, (long long)task);
        TRY(add_row(growing, task, number));
    }
    return STATUS_OK;
}

/* --- NumPy --- */

enum { MAX_HEADER = 4096 };

/* Reads up to the data. Format: see profile.c; from version 2 on the header's
 * length has four bytes. */
static bool read_header(FILE *file, char header[MAX_HEADER + 1])
{
    unsigned char start[8], length_bytes[4] = {0};
    if (fread(start, 1, sizeof start, file) != sizeof start || memcmp(start, "\x93NUMPY", 6) != 0 ||
        start[6] < 1)
        return false;
    size_t n = start[6] == 1 ? 2 : 4;
    if (fread(length_bytes, 1, n, file) != n)
        return false;
    size_t length = 0;
    for (size_t i = n; i-- > 0;)
        length = length << 8 | length_bytes[i];
    if (length > MAX_HEADER || fread(header, 1, length, file) != length)
        return false;
    header[length] = '\0';
    return true;
}

/* The length of the one dimension; -1 if the array is of another type or shape. */
static long long parse_header(const char *header)
{
    const char *shape = strstr(header, "'shape': (");
    long long n;
    char after;
    if (!strstr(header, "'descr': '<f8'") || !shape ||
        sscanf(shape, "'shape': (%lld%c", &n, &after) != 2 || n < 0)
        return -1;
    const char *end = strchr(shape, ')');
    const char *comma = strchr(shape, ',');
    if (!end || !comma || comma > end || comma[1 + strspn(comma + 1, " ")] != ')')
        return -1;
    return n;
}

static enum status read_array(FILE *file, const char *path, struct growing *growing)
{
    char header[MAX_HEADER + 1];
    long long n = read_header(file, header) ? parse_header(header) : -1;
    if (n < 0)
        return FAIL(STATUS_INPUT, "%s: not a one-dimensional NumPy array of doubles ('<f8')", path);
    double number;
    while (fread(&number, sizeof number, 1, file) == 1) {
        if (!is_duration(number))
            return FAIL(STATUS_INPUT, "%s: number %lld is %g: seconds are 0 or more", path,
                        (long long)growing->profile.n, number);
        TRY(add_row(growing, growing->profile.n, number));
    }
    if (growing->profile.n != n)
        return FAIL(STATUS_INPUT, "%s: the header announces %lld numbers, the file has %lld", path,
                    n, (long long)growing->profile.n);
    return STATUS_OK;
}

/* --- both --- */

static enum status read_file(const char *path, struct growing *growing)
{
    size_t length = strlen(path);
    bool is_array = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return FAIL(STATUS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    enum status status =
        is_array ? read_array(file, path, growing) : read_rows(file, path, growing);
    /* A folder can be opened, but not read. */
    if (ferror(file))
        status = FAIL(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    else if (status == STATUS_OK && growing->profile.n == 0)
        status = FAIL(STATUS_INPUT, "%s: a profile without tasks", path);
    fclose(file);
    return status;
}

static enum status reserve_rows(struct growing *growing)
{
    struct profile *profile = &growing->profile;
    TRY(array_reserve(&profile->seconds, profile->n, &growing->seconds_capacity, sizeof(double)));
    if (!growing->numbered)
        return STATUS_OK;
    return array_reserve(&profile->tasks, profile->n, &growing->tasks_capacity, sizeof(int64_t));
}

enum status profile_read(MPI_Comm comm, const char *path, bool numbered, struct profile *profile)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct growing read = {.numbered = numbered};
    enum status status = status_agree(comm, rank == 0 ? read_file(path, &read) : STATUS_OK);
    if (status == STATUS_OK) {
        MPI_Bcast(&read.profile.n, 1, MPI_INT64_T, 0, comm);
        status = status_agree(comm, rank > 0 ? reserve_rows(&read) : STATUS_OK);
    }
    if (status != STATUS_OK) {
        profile_fini(&read.profile);
        return status;
    }
    int n = (int)read.profile.n;
    MPI_Bcast(read.profile.seconds, n, MPI_DOUBLE, 0, comm);
    if (numbered)
        MPI_Bcast(read.profile.tasks, n, MPI_INT64_T, 0, comm);
    *profile = read.profile;
    return STATUS_OK;
}

void profile_fini(struct profile *profile)
{
    free(profile->seconds);
    free(profile->tasks);
    *profile = (struct profile){0};
}
