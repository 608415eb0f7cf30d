/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/file_open.h"
#include "support/io/line_reader.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Beyond the rows of 2^31 tasks. */
#define MAX_TABLE_BYTES (64LL << 31)

struct profile_row {
    int64_t task, line;
    double seconds;
    int32_t iteration, worker;
};

struct profile_rows {
    struct profile_row *list; /* n */
    int64_t n, capacity, n_iterations;
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

enum status profile_check_input(const char *path)
{
    if (path && (profile_has_ending(path, ".json") || profile_has_ending(path, ".json.br")))
        return FAIL(STATUS_USAGE,
                    "--profile %s: JSON of vt is translated first: beryl-vt '%s' load.csv, then "
                    "--profile load.csv",
                    path, path);
    return STATUS_OK;
}

/* --- CSV --- */

enum { N_SHORT = 2, N_LONG = 4 };
static const char *const profile_heads[] = {
    [N_SHORT] = "task,seconds", [N_LONG] = "task,seconds,iteration,worker"};

/* Iterations appear one after the other, so that a wrong number cannot ask for a large table. */
static enum status read_profile_row(const struct line_reader *reader, struct profile_rows *rows)
{
    struct word fields[N_LONG];
    int n_fields = rows->has_workers ? N_LONG : N_SHORT;
    struct profile_row row = {.line = reader->line};
    int64_t iteration = 0, worker = 0;
    if (!split_fields(reader->all, n_fields, fields) || !word_to_integer(fields[0], &row.task) ||
        !word_to_real(fields[1], &row.seconds) || row.task < 0 || !(row.seconds >= 0))
        return line_reader_fail(reader,
                                "a row is %s, the number of a task and its seconds 0 or more: '%s'",
                                profile_heads[n_fields], word_show(reader->all).text);
    if (rows->has_workers &&
        (!word_to_integer(fields[2], &iteration) || !word_to_integer(fields[3], &worker) ||
         iteration < 0 || iteration > rows->n_iterations || worker < 0 || worker > INT32_MAX))
        return line_reader_fail(reader,
                                "a row is %s, iterations from 0 on one after the other, a worker's "
                                "number 0 or more: '%s'",
                                profile_heads[n_fields], word_show(reader->all).text);
    row.iteration = (int32_t)iteration;
    row.worker = (int32_t)worker;
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
    TRY(line_reader_take_head(reader, "a profile",
                              profile_heads[rows->has_workers ? N_LONG : N_SHORT]));
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

static enum status read_numbers(FILE *file, const char *path, struct profile_rows *rows)
{
    char header[MAX_HEADER + 1];
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
    if (rows->n != n)
        return FAIL(STATUS_INPUT, "%s: the header announces %lld numbers, the file has %lld", path,
                    n, (long long)rows->n);
    if (n_bytes > 0)
        return FAIL(STATUS_INPUT, "%s: %zu bytes after the last of its %lld numbers", path, n_bytes,
                    n);
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

/* The rows in the order of their tasks, those of a task in the order of iterations. */
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
    *profile = (struct profile){0};
}

double profile_seconds(const struct profile *profile, int64_t iteration, int64_t position)
{
    int64_t last = profile->n_iterations - 1;
    return profile->seconds[(iteration < last ? iteration : last) * profile->n + position];
}

/* --- with null tasks --- */

enum { BLOCK = 64, WORD = 64 };

static bool block_is_null(const struct sparse_profile *sparse, int64_t block)
{
    return (sparse->blocks[block / WORD] >> (block % WORD) & 1) == 0;
}

static enum status mark_blocks(struct sparse_profile *sparse, const char *path)
{
    const struct profile *profile = &sparse->profile;
    int64_t last = profile->tasks[profile->n - 1];
    if (profile->workers)
        return FAIL(STATUS_INPUT,
                    "%s: --null-time takes profiles of the columns task,seconds: leave it out",
                    path);
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
    TRY(profile_read(comm, path, &sparse->profile));
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
