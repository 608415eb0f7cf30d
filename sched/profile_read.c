#include "sched/profile_read.h"

#include "support/agree.h"
#include "support/array.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct seconds_list {
    double *list; /* n */
    int64_t n, capacity;
};

static enum status add(struct seconds_list *seconds, double number)
{
    if (seconds->n == INT32_MAX)
        return FAIL(STATUS_LIMIT, "a profile of more than %d tasks", INT32_MAX);
    TRY(array_reserve(&seconds->list, seconds->n + 1, &seconds->capacity, sizeof number));
    seconds->list[seconds->n++] = number;
    return STATUS_OK;
}

static bool is_duration(double number)
{
    return isfinite(number) && number >= 0;
}

/* --- CSV --- */

/* `task,seconds`, and nothing else. */
static bool parse_row(const char *row, double *number)
{
    char *end;
    strtoll(row, &end, 10);
    if (end == row || *end != ',')
        return false;
    const char *text = end + 1;
    *number = strtod(text, &end);
    return end != text && end[strspn(end, " \t\r\n")] == '\0' && is_duration(*number);
}

static enum status read_rows(FILE *file, const char *path, struct seconds_list *seconds)
{
    char row[256];
    int64_t line = 1;
    if (!fgets(row, sizeof row, file) || strncmp(row, "task,seconds", 12) != 0 ||
        row[12 + strspn(row + 12, " \t\r\n")] != '\0')
        return FAIL(STATUS_INPUT, "%s:1: a profile begins with the line 'task,seconds'", path);
    while (fgets(row, sizeof row, file)) {
        double number;
        line++;
        if (!parse_row(row, &number))
            return FAIL(STATUS_INPUT,
                        "%s:%lld: a row is a task's number, a comma and its seconds, 0 or more: "
                        "'%.*s'",
                        path, (long long)line, (int)strcspn(row, "\r\n"), row);
        TRY(add(seconds, number));
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

/* The length of the one dimension; -1 if the array is another kind. */
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

static enum status read_array(FILE *file, const char *path, struct seconds_list *seconds)
{
    char header[MAX_HEADER + 1];
    long long n = read_header(file, header) ? parse_header(header) : -1;
    if (n < 0)
        return FAIL(STATUS_INPUT, "%s: not a one-dimensional NumPy array of doubles ('<f8')", path);
    double number;
    while (fread(&number, sizeof number, 1, file) == 1) {
        if (!is_duration(number))
            return FAIL(STATUS_INPUT, "%s: number %lld is %g: seconds are 0 or more", path,
                        (long long)seconds->n, number);
        TRY(add(seconds, number));
    }
    if (seconds->n != n)
        return FAIL(STATUS_INPUT, "%s: the header tells of %lld numbers, %lld follow", path, n,
                    (long long)seconds->n);
    return STATUS_OK;
}

/* --- both --- */

static enum status read_file(const char *path, struct seconds_list *seconds)
{
    size_t length = strlen(path);
    bool is_array = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    FILE *file = fopen(path, "rb");
    if (!file)
        return FAIL(STATUS_IO, "%s: cannot be opened: %s", path, strerror(errno));
    enum status status =
        is_array ? read_array(file, path, seconds) : read_rows(file, path, seconds);
    /* A folder can be opened, but not read. */
    if (ferror(file))
        status = FAIL(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    else if (status == STATUS_OK && seconds->n == 0)
        status = FAIL(STATUS_INPUT, "%s: a profile without tasks", path);
    fclose(file);
    return status;
}

enum status profile_read(MPI_Comm comm, const char *path, double **seconds, int64_t *n_tasks)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    struct seconds_list read = {0};
    enum status status = status_agree(comm, rank == 0 ? read_file(path, &read) : STATUS_OK);
    if (status == STATUS_OK) {
        MPI_Bcast(&read.n, 1, MPI_INT64_T, 0, comm);
        if (rank > 0)
            status = array_reserve(&read.list, read.n, &read.capacity, sizeof *read.list);
        status = status_agree(comm, status);
    }
    if (status != STATUS_OK) {
        free(read.list);
        return status;
    }
    MPI_Bcast(read.list, (int)read.n, MPI_DOUBLE, 0, comm);
    *seconds = read.list;
    *n_tasks = read.n;
    return STATUS_OK;
}
