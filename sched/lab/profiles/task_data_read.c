/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "support/base/array.h"
#include "support/io/text_file.h"

#include <stdlib.h>
#include <unistd.h>

/* Beyond any table that fits into memory. */
#define MAX_DATA_BYTES (1LL << 40)

/* So that millions of them can be added up. */
#define MAX_BLOCK_BYTES (1LL << 40)

enum { N_COLUMNS = 3 };

/* A table of three columns that is being read into task data. */
struct data_table {
    const char *head; /* names of the columns */
    enum status (*take)(const struct line_reader *reader, const struct word *fields,
                        struct data_table *table);
    struct taskpool_data *data;
    const struct profile *profile;
    int64_t position; /* in the profile, of the last row's task */
    int64_t n_accesses;
    int64_t numbers_capacity, blocks_capacity, accesses_capacity;
};

static enum status read_data_table(const char *path, struct data_table *table)
{
    struct line_reader reader;
    struct word fields[N_COLUMNS];
    TRY(line_reader_open(&reader, path, MAX_DATA_BYTES, ""));
    enum status status = line_reader_take_head(&reader, "the table", table->head);
    while (status == STATUS_OK && line_reader_next_filled(&reader))
        status = split_fields(reader.all, N_COLUMNS, fields)
                     ? table->take(&reader, fields, table)
                     : line_reader_fail(&reader, "a row is %s, not '%s'", table->head,
                                        word_show(reader.all).text);
    line_reader_close(&reader);
    return status;
}

/* --- sizes --- */

static enum status take_size(const struct line_reader *reader, const struct word *fields,
                             struct data_table *table)
{
    struct taskpool_data *data = table->data;
    struct taskpool_data_block block;
    int64_t number, n = data->n_blocks;
    if (!word_to_integer(fields[0], &number) || !word_to_integer(fields[1], &block.bytes) ||
        !word_to_integer(fields[2], &block.owner) || number < 0 || block.bytes < 0 ||
        block.owner < 0 || block.bytes > MAX_BLOCK_BYTES)
        return line_reader_fail(reader,
                                "block, bytes and owner are whole numbers, 0 or more, and bytes at "
                                "most 2^40: '%s'",
                                word_show(reader->all).text);
    if (n > 0 && number <= data->numbers[n - 1])
        return line_reader_fail(reader, "block %lld: numbers ascend", (long long)number);
    TRY(array_reserve(&data->numbers, n + 1, &table->numbers_capacity, sizeof number));
    TRY(array_reserve(&data->blocks, n + 1, &table->blocks_capacity, sizeof block));
    data->numbers[n] = number;
    data->blocks[n] = block;
    data->n_blocks++;
    return STATUS_OK;
}

enum status task_data_read_sizes(const char *path, struct taskpool_data **out)
{
    struct taskpool_data *data = calloc(1, sizeof *data);
    *out = NULL;
    TRY(CHECK_MEMORY(data, "no memory for the blocks of %s", path));
    struct data_table table = {.head = "block,bytes,owner", .take = take_size, .data = data};
    enum status status = read_data_table(path, &table);
    if (status == STATUS_OK)
        *out = data;
    else
        task_data_destroy(data);
    return status;
}

/* --- accesses --- */

static enum status take_access(const struct line_reader *reader, const struct word *fields,
                               struct data_table *table)
{
    struct taskpool_data *data = table->data;
    int64_t task, number;
    bool writes = word_equals(fields[1], "w");
    if (!word_to_integer(fields[0], &task) || !word_to_integer(fields[2], &number) ||
        !(writes || word_equals(fields[1], "r")))
        return line_reader_fail(reader,
                                "a row is a task's number, r or w, and a block's number: '%s'",
                                word_show(reader->all).text);
    int64_t block = array_find_last(data->numbers, data->n_blocks, number);
    if (block < 0 || data->numbers[block] != number)
        return line_reader_fail(reader,
                                "block %lld has no size in the file of sizes beside this one",
                                (long long)number);
    int64_t position = array_find_last(table->profile->tasks, table->profile->n, task);
    if (position < table->position || table->profile->tasks[position] != task)
        return line_reader_fail(reader, "task %lld: give tasks of the profile, in ascending order",
                                (long long)task);
    table->position = position;
    data->first[position + 1]++; /* a sum once all are counted */
    TRY(array_reserve(&data->accesses, table->n_accesses + 1, &table->accesses_capacity,
                      sizeof *data->accesses));
    data->accesses[table->n_accesses++] =
        (struct taskpool_data_access){.block = block, .writes = writes};
    return STATUS_OK;
}

enum status task_data_read_accesses(const char *path, const struct profile *profile,
                                    struct taskpool_data *data)
{
    struct data_table table = {
        .head = "task,access,block", .take = take_access, .data = data, .profile = profile};
    data->first = calloc((size_t)profile->n + 1, sizeof *data->first);
    TRY(CHECK_MEMORY(data->first, "no memory for the data of %lld tasks", (long long)profile->n));
    enum status status = read_data_table(path, &table);
    for (int64_t i = 0; i < profile->n; i++)
        data->first[i + 1] += data->first[i];
    data->n_tasks = profile->n;
    return status;
}

/* --- both --- */

bool task_data_is_beside(const char *path)
{
    struct task_data_paths paths;
    return task_data_paths(path, &paths) && access(paths.blocks, F_OK) == 0;
}

enum status task_data_read(const char *path, const struct profile *profile,
                           struct taskpool_data **out)
{
    struct task_data_paths paths;
    struct taskpool_data *data;
    *out = NULL;
    if (!task_data_paths(path, &paths))
        return FAIL(STATUS_USAGE, "%s: only profiles named *.csv can come with data", path);
    if (access(paths.sizes, F_OK) != 0)
        return FAIL(STATUS_IO,
                    "%s is missing: %s names blocks whose sizes it has; move both or "
                    "neither with the profile",
                    paths.sizes, paths.blocks);
    TRY(task_data_read_sizes(paths.sizes, &data));
    enum status status = task_data_read_accesses(paths.blocks, profile, data);
    if (status == STATUS_OK)
        *out = data;
    else
        task_data_destroy(data);
    return status;
}
