/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/file_open.h"
#include "support/io/text_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond the rows of 2^31 tasks. */
#define MAX_TABLE_BYTES (64LL << 31)

struct profile_row {
    int64_t task, iteration, worker, line;
    double seconds;
};

struct profile_rows {
    struct profile_row *list; /* n */
    int64_t n, capacity, n_iterations;
    const char *head;
    bool has_workers; /* the columns iteration and worker */
};

static enum status add_profile_row(struct profile_rows *rows, struct profile_row row)
{
    if (rows->n == INT32_MAX)
        return FAIL(STATUS_LIMIT, "a profile of more than %d rows", INT32_MAX);
    TRY(array_reserve(&rows->list, rows->n + 1, &rows->capacity, sizeof row));
    rows->list[rows->n++] = row;
    if (rows->n_iterations <= row.iteration)
        rows->n_iterations = row.iteration + 1;
    return STATUS_OK;
}

/* --- CSV --- */

enum { N_LONG = 4 };

/* Iterations appear one after the other, so that a wrong number cannot ask for a large table. */
static enum status read_profile_row(const struct line_reader *reader, struct profile_rows *rows)
{
    struct word fields[N_LONG];
    struct profile_row row = {.line = reader->line};
    bool is_row = split_fields(reader->all, rows->has_workers ? N_LONG : 2, fields) &&
                  word_to_integer(fields[0], &row.task) && row.task >= 0 &&
                  word_to_real(fields[1], &row.seconds) && row.seconds >= 0;
    if (is_row && rows->has_workers)
        is_row = word_to_integer(fields[2], &row.iteration) && row.iteration >= 0 &&
                 row.iteration <= rows->n_iterations && word_to_integer(fields[3], &row.worker) &&
                 row.worker >= 0;
    if (!is_row)
        return line_reader_fail(reader, "a row is %s, all 0 or more%s: '%s'", rows->head,
                                rows->has_workers ? ", iterations one after the other" : "",
                                word_show(reader->all).text);
    return add_profile_row(rows, row);
}

static int compare_profile_rows(const void *left, const void *right)
{
    const struct profile_row *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->iteration != b->iteration)
        return a->iteration < b->iteration ? -1 : 1;
    return (a->line > b->line) - (a->line < b->line);
}

static enum status read_profile_rows(struct line_reader *reader, struct profile_rows *rows)
{
    struct line_reader ahead = *reader;
    struct word fields[N_LONG];
    rows->has_workers = line_reader_next_filled(&ahead) && split_fields(ahead.all, N_LONG, fields);
    rows->head = rows->has_workers ? "task,seconds,iteration,worker" : "task,seconds";
    TRY(line_reader_take_head(reader, "a profile", rows->head));
    while (line_reader_next_filled(reader))
        TRY(read_profile_row(reader, rows));
    if (rows->n > 0)
        qsort(rows->list, (size_t)rows->n, sizeof *rows->list, compare_profile_rows);
    for (int64_t i = 1; i < rows->n; i++)
        if (rows->list[i].task == rows->list[i - 1].task &&
            rows->list[i].iteration == rows->list[i - 1].iteration)
            return FAIL(STATUS_INPUT, "%s:%lld: task %lld has two rows%s", reader->name,
                        (long long)rows->list[i].line, (long long)rows->list[i].task,
                        rows->has_workers ? " in this iteration" : "");
    return STATUS_OK;
}

static enum status read_profile_table(const char *path, struct profile_rows *rows)
{
    struct line_reader reader;
    TRY(line_reader_open(&reader, path, MAX_TABLE_BYTES, ""));
    enum status status = read_profile_rows(&reader, rows);
    line_reader_close(&reader);
    return status;
}

/* --- NumPy --- */

enum { MAX_HEADER = 4096 };

/* Reads up to the data. Format: see profile_write.c; from version 2 on the header's
 * length has four bytes. It ends with its line. */
static bool read_header(FILE *file, char header[MAX_HEADER])
{
    unsigned char start[8], length[4];
    return fread(start, 1, sizeof start, file) == sizeof start &&
           memcmp(start, "\x93NUMPY", 6) == 0 && start[6] > 0 &&
           fread(length, start[6] == 1 ? 2 : 4, 1, file) == 1 && fgets(header, MAX_HEADER, file);
}

/* The length of the one dimension; -1 if the array is of another type or shape. */
static long long parse_header(const char *header)
{
    const char *shape = strstr(header, "'shape': (");
    long long n;
    int end = 0;
    bool is_list = strstr(header, "'descr': '<f8'") && shape &&
                   sscanf(shape, "'shape': (%lld, )%n", &n, &end) == 1 && end > 0;
    return is_list ? n : -1;
}

static enum status read_numbers(FILE *file, const char *path, struct profile_rows *rows)
{
    char header[MAX_HEADER];
    long long n = read_header(file, header) ? parse_header(header) : -1;
    if (n < 0)
        return FAIL(STATUS_INPUT, "%s: not a one-dimensional NumPy array of doubles ('<f8')", path);
    double number;
    size_t n_bytes;
    while ((n_bytes = fread(&number, 1, sizeof number, file)) == sizeof number) {
        if (!isfinite(number) || number < 0)
            return FAIL(STATUS_INPUT, "%s: number %lld is %g: seconds are 0 or more", path,
                        (long long)rows->n, number);
        TRY(add_profile_row(rows, (struct profile_row){.task = rows->n, .seconds = number}));
    }
    if (rows->n != n || n_bytes > 0)
        return FAIL(STATUS_INPUT,
                    "%s: the header announces %lld numbers, the file has %lld and %zu bytes", path,
                    n, (long long)rows->n, n_bytes);
    return STATUS_OK;
}

static enum status read_array(const char *path, struct profile_rows *rows)
{
    FILE *file;
    TRY(file_open_stream(path, &file));
    enum status status = read_numbers(file, path, rows);
    /* A folder can be opened, but not read. */
    if (ferror(file))
        status = FAIL(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
    fclose(file);
    return status;
}

/* --- both --- */

static enum status reserve_profile(struct profile *profile, bool has_workers, const char *path)
{
    if (profile->n > INT32_MAX / profile->n_iterations)
        return FAIL(STATUS_LIMIT, "%s: %lld tasks in %lld iterations are more than 2^31 durations",
                    path, (long long)profile->n, (long long)profile->n_iterations);
    size_t n = (size_t)profile->n;
    profile->seconds = calloc(n * (size_t)profile->n_iterations, sizeof *profile->seconds);
    profile->tasks = malloc(n * sizeof *profile->tasks);
    profile->workers = has_workers ? malloc(n * sizeof *profile->workers) : NULL;
    return CHECK_MEMORY(profile->seconds && profile->tasks && (profile->workers || !has_workers),
                        "no memory for %lld tasks", (long long)profile->n);
}

/* Sorts the rows by task, then by iteration. */
static enum status fill_profile(const struct profile_rows *rows, const char *path,
                                struct profile *profile)
{
    const struct profile_row *list = rows->list;
    profile->n_iterations = rows->n_iterations;
    for (int64_t i = 0; i < rows->n; i++)
        profile->n += i == 0 || list[i].task != list[i - 1].task;
    if (profile->n == 0)
        return FAIL(STATUS_INPUT, "%s: a profile without tasks", path);
    TRY(reserve_profile(profile, rows->has_workers, path));
    int64_t position = -1;
    for (int64_t i = 0; i < rows->n; i++) {
        if (i == 0 || list[i].task != list[i - 1].task) {
            profile->tasks[++position] = list[i].task;
            if (rows->has_workers)
                profile->workers[position] = list[i].worker;
        }
        profile->seconds[list[i].iteration * profile->n + position] = list[i].seconds;
    }
    return STATUS_OK;
}

static enum status read_profile_file(const char *path, struct profile *profile)
{
    struct profile_rows rows = {0};
    TRY(profile_check_input(path));
    enum status status = profile_has_ending(path, ".npy") ? read_array(path, &rows)
                                                          : read_profile_table(path, &rows);
    if (status == STATUS_OK)
        status = fill_profile(&rows, path, profile);
    free(rows.list);
    return status;
}

enum status profile_read(MPI_Comm comm, const char *path, struct profile *profile)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *profile = (struct profile){0};
    enum status status =
        status_agree(comm, rank == 0 ? read_profile_file(path, profile) : STATUS_OK);
    if (status == STATUS_OK) {
        int64_t sizes[] = {profile->n, profile->n_iterations, profile->workers != NULL};
        MPI_Bcast(sizes, 3, MPI_INT64_T, 0, comm);
        profile->n = sizes[0];
        profile->n_iterations = sizes[1];
        status = status_agree(comm,
                              rank > 0 ? reserve_profile(profile, sizes[2] != 0, path) : STATUS_OK);
    }
    if (status != STATUS_OK) {
        profile_fini(profile);
        return status;
    }
    int n = (int)profile->n;
    MPI_Bcast(profile->seconds, (int)(profile->n_iterations * n), MPI_DOUBLE, 0, comm);
    MPI_Bcast(profile->tasks, n, MPI_INT64_T, 0, comm);
    if (profile->workers)
        MPI_Bcast(profile->workers, n, MPI_INT64_T, 0, comm);
    return STATUS_OK;
}

void profile_fini(struct profile *profile)
{
    free(profile->seconds);
    free(profile->tasks);
    free(profile->workers);
    free(profile->blocks);
    *profile = (struct profile){0};
}

/* --- null tasks --- */

enum { BLOCK = 64, WORD = 64 };

enum status profile_add_null_tasks(struct profile *profile, const char *path, int64_t n_all,
                                   double null_s)
{
    int64_t last = profile->tasks[profile->n - 1];
    if (profile->workers)
        return FAIL(STATUS_INPUT,
                    "%s: --null-time takes profiles of the columns task,seconds: leave it out",
                    path);
    if (last >= n_all)
        return FAIL(STATUS_INPUT, "%s: task %lld is not one of the first %lld, --tasks", path,
                    (long long)last, (long long)n_all);
    profile->null_s = null_s;
    profile->blocks = calloc((size_t)(n_all / BLOCK / WORD + 1), sizeof(uint64_t));
    TRY(CHECK_MEMORY(profile->blocks, "no memory for a pool of %lld tasks", (long long)n_all));
    for (int64_t i = 0; i < profile->n; i++) {
        int64_t block = profile->tasks[i] / BLOCK;
        profile->blocks[block / WORD] |= UINT64_C(1) << (block % WORD);
    }
    return STATUS_OK;
}

/* Spares most searches for null tasks, which stand together. */
static bool block_is_null(const struct profile *profile, int64_t block)
{
    return (profile->blocks[block / WORD] >> (block % WORD) & 1) == 0;
}

bool profile_are_null(const struct profile *profile, int64_t first, int64_t last)
{
    if (!profile->blocks)
        return false;
    if (last <= first ||
        (first / BLOCK == (last - 1) / BLOCK && block_is_null(profile, first / BLOCK)))
        return true;
    int64_t i = array_find_last(profile->tasks, profile->n, last - 1);
    return i < 0 || profile->tasks[i] < first;
}

double profile_seconds(const struct profile *profile, int64_t iteration, int64_t task)
{
    int64_t last = profile->n_iterations - 1, position = task;
    if (profile->blocks) {
        if (block_is_null(profile, task / BLOCK))
            return profile->null_s;
        position = array_find_last(profile->tasks, profile->n, task);
        if (position < 0 || profile->tasks[position] != task)
            return profile->null_s;
    }
    return profile->seconds[(iteration < last ? iteration : last) * profile->n + position];
}
