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

/* A row for each access, or for each block. */
static enum status write_data_table(const char *path, struct data_record *list, int64_t n,
                                    bool of_blocks)
{
    struct output_buffer file;
    TRY(output_buffer_init(&file, path));
    qsort(list, (size_t)n, sizeof *list,
          of_blocks ? compare_records_by_block : compare_records_by_task);
    fputs(of_blocks ? sizes_head : accesses_head, file.stream);
    for (int64_t i = 0; i < n; i++) {
        const struct data_record *record = &list[i];
        if (!of_blocks)
            fprintf(file.stream, "%lld,%c,%lld\n", (long long)record->task,
                    record->writes ? 'w' : 'r', (long long)record->number);
        else if (i == 0 || record->number != record[-1].number)
            fprintf(file.stream, "%lld,%lld,%lld\n", (long long)record->number,
                    (long long)record->block.bytes, (long long)record->block.owner);
    }
    enum status status = output_buffer_write(&file, path);
    output_buffer_fini(&file);
    return status;
}

static enum status write_data_tables(const struct task_data_paths *paths, struct data_record *list,
                                     int64_t n)
{
    TRY(write_data_table(paths->sizes, list, n, true));
    return write_data_table(paths->blocks, list, n, false);
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

enum status task_data_write(MPI_Comm comm, struct data_records *records, const char *profile)
{
    struct task_data_paths paths;
    int rank;
    void *all;
    if (!task_data_paths(profile, &paths))
        return STATUS_OK;
    MPI_Comm_rank(comm, &rank);
    remove_repeated(records);
    int64_t n = records->too_many ? DATA_RECORDS_MAX + 1 : records->n;
    MPI_Allreduce(MPI_IN_PLACE, &n, 1, MPI_INT64_T, MPI_SUM, comm);
    if (n > DATA_RECORDS_MAX) {
        log_print("%s: without the blocks of its tasks: they are read and written more than %d "
                  "times\n",
                  profile, DATA_RECORDS_MAX);
        if (rank == 0)
            task_data_remove(profile);
        return STATUS_OK;
    }
    const struct gather_part part = {.items = records->list,
                                     .n_items = records->n,
                                     .item_size = sizeof *records->list,
                                     .what = "accesses of tasks to their data"};
    TRY(gather_to_first(comm, &part, &all, &n));
    enum status status =
        status_agree(comm, rank == 0 ? write_data_tables(&paths, all, n) : STATUS_OK);
    free(all);
    return status;
}
