/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile_read.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/file_open.h"
#include "support/io/line_reader.h"

#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Beyond the rows of 2^31 tasks. */
#define MAX_TABLE_BYTES (64LL << 31)

/* A profile that grows. */
struct growing {
    struct profile profile;
    bool numbered;     /* the caller wants the tasks' numbers */
    bool keeps_tasks;  /* while it is read */
    bool is_ascending; /* so far */
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
    if (growing->keeps_tasks) {
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

static bool follows(const struct growing *growing, int64_t task)
{
    int64_t n = growing->profile.n;
    return task >= 0 && (n == 0 || task > growing->profile.tasks[n - 1]);
}

static enum status read_row(const struct line_reader *reader, struct growing *growing)
{
    struct word fields[2];
    int64_t task;
    double number;
    if (!split_fields(reader->all, 2, fields) || !word_to_integer(fields[0], &task) ||
        !word_to_real(fields[1], &number) || !is_duration(number))
        return line_reader_fail(reader,
                                "a row is a task's number, a comma and its seconds, 0 or more: "
                                "'%s'",
                                word_show(reader->all).text);
    growing->is_ascending = growing->is_ascending && follows(growing, task);
    if (growing->numbered && !growing->is_ascending)
        return line_reader_fail(reader, "task %lld: numbers ascend from 0 on", (long long)task);
    return add_row(growing, task, number);
}

struct numbered_row {
    int64_t task, row;
};

static int compare_numbered_rows(const void *left, const void *right)
{
    const struct numbered_row *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

/* Names the line of a row, from 0. */
static enum status fail_repeated_row(const struct line_reader *reader,
                                     const struct numbered_row *row)
{
    struct line_reader again;
    line_reader_init(&again, reader->file.bytes, reader->file.length, reader->name, "");
    for (int64_t i = -1; i <= row->row; i++) /* the head is the first */
        line_reader_next_filled(&again);
    return line_reader_fail(&again, "task %lld has two rows", (long long)row->task);
}

/* Rows in any order. */
static enum status check_rows_differ(const struct line_reader *reader,
                                     const struct growing *growing)
{
    int64_t n = growing->profile.n;
    struct numbered_row *rows = malloc((size_t)(n + 1) * sizeof *rows);
    TRY(CHECK_MEMORY(rows, "%s: no memory for %lld rows", reader->name, (long long)n));
    for (int64_t i = 0; i < n; i++)
        rows[i] = (struct numbered_row){growing->profile.tasks[i], i};
    qsort(rows, (size_t)n, sizeof *rows, compare_numbered_rows);
    enum status status = STATUS_OK;
    for (int64_t i = 1; i < n && status == STATUS_OK; i++)
        if (rows[i].task == rows[i - 1].task)
            status = fail_repeated_row(reader, &rows[i]);
    free(rows);
    return status;
}

static enum status read_rows(struct line_reader *reader, struct growing *growing)
{
    TRY(line_reader_take_head(reader, "a profile", "task,seconds"));
    growing->keeps_tasks = growing->is_ascending = true;
    while (line_reader_next_filled(reader))
        TRY(read_row(reader, growing));
    return growing->is_ascending ? STATUS_OK : check_rows_differ(reader, growing);
}

static void drop_tasks(struct growing *growing)
{
    free(growing->profile.tasks);
    growing->profile.tasks = NULL;
}

static enum status read_table(const char *path, struct growing *growing)
{
    struct line_reader reader;
    TRY(line_reader_open(&reader, path, MAX_TABLE_BYTES, ""));
    enum status status = read_rows(&reader, growing);
    line_reader_close(&reader);
    if (!growing->numbered)
        drop_tasks(growing);
    return status;
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

static enum status read_numbers(FILE *file, const char *path, struct growing *growing)
{
    char header[MAX_HEADER + 1];
    long long n = read_header(file, header) ? parse_header(header) : -1;
    if (n < 0)
        return FAIL(STATUS_INPUT, "%s: not a one-dimensional NumPy array of doubles ('<f8')", path);
    double number;
    size_t n_bytes;
    while ((n_bytes = fread(&number, 1, sizeof number, file)) == sizeof number) {
        if (!is_duration(number))
            return FAIL(STATUS_INPUT, "%s: number %lld is %g: seconds are 0 or more", path,
                        (long long)growing->profile.n, number);
        TRY(add_row(growing, growing->profile.n, number));
    }
    if (growing->profile.n != n)
        return FAIL(STATUS_INPUT, "%s: the header announces %lld numbers, the file has %lld", path,
                    n, (long long)growing->profile.n);
    if (n_bytes > 0)
        return FAIL(STATUS_INPUT, "%s: %zu bytes after the last of its %lld numbers", path, n_bytes,
                    n);
    return STATUS_OK;
}

static enum status read_array(const char *path, struct growing *growing)
{
    FILE *file;
    TRY(file_open_stream(path, &file));
    growing->keeps_tasks = growing->numbered;
    enum status status = read_numbers(file, path, growing);
    /* A folder can be opened, but not read. */
    if (ferror(file))
        status = FAIL(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

/* --- both --- */

static enum status read_file(const char *path, struct growing *growing)
{
    size_t length = strlen(path);
    bool is_array = length >= 4 && strcmp(path + length - 4, ".npy") == 0;
    TRY(is_array ? read_array(path, growing) : read_table(path, growing));
    if (growing->profile.n == 0)
        return FAIL(STATUS_INPUT, "%s: a profile without tasks", path);
    return STATUS_OK;
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

enum { BLOCK = 64, WORD = 64 };

static bool block_is_null(const struct sparse_profile *sparse, int64_t block)
{
    return (sparse->blocks[block / WORD] >> (block % WORD) & 1) == 0;
}

static enum status mark_blocks(struct sparse_profile *sparse, const char *path)
{
    const struct profile *profile = &sparse->profile;
    int64_t last = profile->tasks[profile->n - 1];
    if (last >= sparse->n_tasks)
        return FAIL(STATUS_INPUT, "%s: task %lld is not one of the first %lld, --tasks", path,
                    (long long)last, (long long)sparse->n_tasks);
    sparse->blocks = calloc((size_t)(sparse->n_tasks / BLOCK / WORD + 1), sizeof(uint64_t));
    TRY(CHECK_MEMORY(sparse->blocks, "no memory for a pool of %lld tasks",
                     (long long)sparse->n_tasks));
    for (int64_t i = 0; i < profile->n; i++) {
        int64_t block = profile->tasks[i] / BLOCK;
        sparse->blocks[block / WORD] |= UINT64_C(1) << (block % WORD);
    }
    return STATUS_OK;
}

enum status sparse_profile_init(struct sparse_profile *sparse, MPI_Comm comm, const char *path,
                                int64_t n_tasks, double null_s)
{
    *sparse = (struct sparse_profile){.n_tasks = n_tasks, .null_s = null_s};
    TRY(profile_read(comm, path, true, &sparse->profile));
    enum status status = status_agree(comm, mark_blocks(sparse, path));
    if (status != STATUS_OK)
        sparse_profile_fini(sparse);
    return status;
}

void sparse_profile_fini(struct sparse_profile *sparse)
{
    profile_fini(&sparse->profile);
    free(sparse->blocks);
    *sparse = (struct sparse_profile){0};
}

double sparse_profile_seconds(const struct sparse_profile *sparse, int64_t task)
{
    const struct profile *profile = &sparse->profile;
    if (block_is_null(sparse, task / BLOCK))
        return sparse->null_s;
    int64_t i = array_find_last(profile->tasks, profile->n, task);
    return i >= 0 && profile->tasks[i] == task ? profile->seconds[i] : sparse->null_s;
}

bool sparse_profile_are_null(const struct sparse_profile *sparse, int64_t first, int64_t last)
{
    const struct profile *profile = &sparse->profile;
    if (last <= first)
        return true;
    if (first / BLOCK == (last - 1) / BLOCK && block_is_null(sparse, first / BLOCK))
        return true;
    int64_t i = array_find_last(profile->tasks, profile->n, last - 1);
    return i < 0 || profile->tasks[i] < first;
}
