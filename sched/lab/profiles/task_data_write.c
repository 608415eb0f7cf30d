/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/profile.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"
#include "support/io/file_open.h"
#include "support/io/output_buffer.h"
#include "support/mpi/gather.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct data_record {
    int64_t task;
    int64_t number; /* of the block */
    struct taskpool_data_block block;
    int32_t order; /* among the records of the task */
    bool writes;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

/* By block, reads first, then as they were added. */
static int compare_records_by_block(const void *left, const void *right)
{
    const struct data_record *a = left, *b = right;
    int order = compare_numbers(a->number, b->number);
    if (order == 0)
        order = (int)a->writes - (int)b->writes;
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

static int compare_records_by_task(const void *left, const void *right)
{
    const struct data_record *a = left, *b = right;
    int order = compare_numbers(a->task, b->task);
    return order != 0 ? order : compare_numbers(a->order, b->order);
}

/* Keeps the first of equal accesses of the task. */
static void remove_repeated(struct data_records *records)
{
    struct data_record *list = records->list + records->first_of_task;
    int64_t n = records->n - records->first_of_task, n_kept = 0;
    if (n < 2)
        return;
    qsort(list, (size_t)n, sizeof *list, compare_records_by_block);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || list[i].number != list[n_kept - 1].number ||
            list[i].writes != list[n_kept - 1].writes)
            list[n_kept++] = list[i];
    records->n = records->first_of_task + n_kept;
}

void data_records_begin_task(struct data_records *records)
{
    remove_repeated(records);
    records->first_of_task = records->n;
}

enum status data_records_add(struct data_records *records, int64_t task, bool writes,
                             int64_t number, struct taskpool_data_block block)
{
    if (records->n == DATA_RECORDS_MAX) {
        data_records_fini(records);
        records->too_many = true;
    }
    if (records->too_many)
        return STATUS_OK;
    TRY(array_reserve(&records->list, records->n + 1, &records->capacity, sizeof *records->list));
    int32_t order = (int32_t)(records->n - records->first_of_task);
    records->list[records->n++] = (struct data_record){
        .task = task, .number = number, .block = block, .order = order, .writes = writes};
    return STATUS_OK;
}

void data_records_fini(struct data_records *records)
{
    free(records->list);
    *records = (struct data_records){0};
}

static const char accesses_head[] = "task,access,block\n", sizes_head[] = "block,bytes,owner\n";

static void print_accesses(FILE *stream, struct data_record *list, int64_t n)
{
    qsort(list, (size_t)n, sizeof *list, compare_records_by_task);
    fputs(accesses_head, stream);
    for (int64_t i = 0; i < n; i++)
        fprintf(stream, "%lld,%c,%lld\n", (long long)list[i].task, list[i].writes ? 'w' : 'r',
                (long long)list[i].number);
}

static void print_sizes(FILE *stream, struct data_record *list, int64_t n)
{
    qsort(list, (size_t)n, sizeof *list, compare_records_by_block);
    fputs(sizes_head, stream);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || list[i].number != list[i - 1].number)
            fprintf(stream, "%lld,%lld,%lld\n", (long long)list[i].number,
                    (long long)list[i].block.bytes, (long long)list[i].block.owner);
}

static enum status write_data_table(const char *path, struct data_record *list, int64_t n,
                                    void (*print)(FILE *stream, struct data_record *list,
                                                  int64_t n))
{
    struct output_buffer file;
    TRY(output_buffer_init(&file, path));
    print(file.stream, list, n);
    enum status status = output_buffer_write(&file, path);
    output_buffer_fini(&file);
    return status;
}

static enum status write_data_tables(const struct task_data_paths *paths, struct data_record *list,
                                     int64_t n)
{
    TRY(write_data_table(paths->sizes, list, n, print_sizes));
    return write_data_table(paths->blocks, list, n, print_accesses);
}

static bool are_too_many(MPI_Comm comm, const struct data_records *records)
{
    int64_t n = records->too_many ? DATA_RECORDS_MAX + 1 : records->n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, comm);
    return n > DATA_RECORDS_MAX;
}

/* Removes a file that begins with the head of a table; what else has its name is somebody's. */
static void remove_table(const char *path, const char *head)
{
    char line[32];
    FILE *file;
    if (file_open_stream(path, &file) != STATUS_OK)
        return;
    bool is_table = fgets(line, sizeof line, file) && strcmp(line, head) == 0;
    fclose(file);
    if (is_table)
        unlink(path);
}

void task_data_remove(const char *profile)
{
    struct task_data_paths paths;
    if (!task_data_paths(profile, &paths))
        return;
    remove_table(paths.blocks, accesses_head);
    remove_table(paths.sizes, sizes_head);
}

static enum status leave_data_out(MPI_Comm comm, const char *profile)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    log_print("%s: without the blocks of its tasks: they are read and written more than %d times\n",
              profile, DATA_RECORDS_MAX);
    if (rank == 0)
        task_data_remove(profile);
    return STATUS_OK;
}

enum status task_data_write(MPI_Comm comm, struct data_records *records, const char *profile)
{
    struct task_data_paths paths;
    if (!task_data_paths(profile, &paths))
        return STATUS_OK;
    remove_repeated(records);
    if (are_too_many(comm, records))
        return leave_data_out(comm, profile);
    const struct gather_part part = {.items = records->list,
                                     .n_items = records->n,
                                     .item_size = sizeof *records->list,
                                     .what = "accesses of tasks to their data"};
    int rank;
    void *all;
    int64_t n;
    MPI_Comm_rank(comm, &rank);
    TRY(gather_to_first(comm, &part, &all, &n));
    enum status status =
        status_agree(comm, rank == 0 ? write_data_tables(&paths, all, n) : STATUS_OK);
    free(all);
    return status;
}

static enum status record_task_data(const struct taskpool_data *data, int64_t position,
                                    struct data_records *records)
{
    int64_t task = data->tasks ? data->tasks[position] : position;
    data_records_begin_task(records);
    for (int64_t i = data->first[position]; i < data->first[position + 1]; i++) {
        const struct taskpool_data_access *access = &data->accesses[i];
        TRY(data_records_add(records, task, access->writes, data->numbers[access->block],
                             data->blocks[access->block]));
    }
    return STATUS_OK;
}

enum status task_data_write_again(MPI_Comm comm, const struct taskpool_data *data,
                                  const char *profile)
{
    struct data_records records = {0};
    enum status status = STATUS_OK;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (!data) {
        if (rank == 0)
            task_data_remove(profile);
        return STATUS_OK;
    }
    for (int64_t i = 0; i < data->n_tasks && status == STATUS_OK; i++)
        status = record_task_data(data, i, &records);
    status = status_agree(comm, status);
    if (status == STATUS_OK)
        status = task_data_write(comm, &records, profile);
    data_records_fini(&records);
    return status;
}
