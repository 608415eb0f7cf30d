/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/vt_load.h"

#include "sched/lab/profiles/vt_data.h"
#include "sched/pool/core/task_data.h"
#include "support/base/agree.h"
#include "support/base/array.h"

#include <stdlib.h>

/* --- the files --- */

/* The number of ranks that have files, from 0 on without a gap; of a path without %p one. */
static enum status count_ranks(const char *path, int64_t *n_ranks)
{
    char name[VT_PATH], next[VT_PATH];
    int64_t *ranks, n, first = 0;
    *n_ranks = 1;
    if (!vt_has_rank(path))
        return STATUS_OK;
    TRY(vt_list_ranks(path, &ranks, &n));
    while (first < n && ranks[first] == first)
        first++;
    int64_t after = first < n ? ranks[first] : first;
    free(ranks);
    TRY(vt_file_name(path, (int)first, name));
    TRY(vt_file_name(path, (int)after, next));
    if (after > first)
        return FAIL(STATUS_INPUT,
                    "%s is missing, but there is %s: a load has a file of every rank from 0 on",
                    name, next);
    *n_ranks = first > 0 ? first : 1; /* whose file is then missed */
    return STATUS_OK;
}

static enum status read_files(const char *path, struct vt_load *load)
{
    int64_t n_ranks;
    char name[VT_PATH];
    TRY(count_ranks(path, &n_ranks));
    load->files = calloc((size_t)n_ranks, sizeof(json_t *));
    TRY(CHECK_MEMORY(load->files, "no memory for the files of %lld ranks", (long long)n_ranks));
    while (load->n_ranks < n_ranks) {
        TRY(vt_file_name(path, (int)load->n_ranks, name));
        TRY(vt_file_read(name, &load->files[load->n_ranks]));
        load->n_ranks++;
    }
    return STATUS_OK;
}

/* --- tasks and phases --- */

static int compare_int64(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_by_entity(const void *left, const void *right)
{
    const struct vt_record *a = left, *b = right;
    int order = compare_int64(a->id, b->id);
    return order != 0 ? order : compare_int64(a->phase, b->phase);
}

/* First records of tasks, in the order of the tasks. */
static int compare_by_place(const void *left, const void *right)
{
    const struct vt_record *a = *(struct vt_record *const *)left,
                           *b = *(struct vt_record *const *)right;
    int order = compare_int64(a->phase, b->phase);
    order = order != 0 ? order : compare_int64(a->rank, b->rank);
    return order != 0 ? order : compare_int64(a->position, b->position);
}

/* The IDs of the phases of all files, ascending, each once. */
static enum status collect_phases(struct vt_load *load)
{
    int64_t capacity = 0, n = 0;
    for (int64_t rank = 0; rank < load->n_ranks; rank++) {
        const json_t *phase;
        size_t i;
        json_array_foreach(vt_phases(load->files[rank]), i, phase)
        {
            TRY(array_reserve(&load->phase_ids, n + 1, &capacity, sizeof *load->phase_ids));
            load->phase_ids[n++] = vt_phase_id(phase);
        }
    }
    if (n > 0)
        qsort(load->phase_ids, (size_t)n, sizeof *load->phase_ids, array_ascending);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || load->phase_ids[i] != load->phase_ids[i - 1])
            load->phase_ids[load->n_phases++] = load->phase_ids[i];
    return STATUS_OK;
}

static enum status collect_phase_tasks(struct vt_load *load, int64_t rank, const json_t *phase,
                                       int64_t *capacity)
{
    const json_t *task;
    size_t i;
    int64_t place = array_find_last(load->phase_ids, load->n_phases, vt_phase_id(phase));
    json_array_foreach(vt_tasks(phase), i, task)
    {
        TRY(array_reserve(&load->records, load->n_records + 1, capacity, sizeof *load->records));
        load->records[load->n_records++] = (struct vt_record){.id = vt_task_id(task),
                                                              .phase = place,
                                                              .rank = rank,
                                                              .position = (int64_t)i,
                                                              .json = task};
    }
    return STATUS_OK;
}

static enum status collect_records(const char *path, struct vt_load *load)
{
    int64_t capacity = 0;
    for (int64_t rank = 0; rank < load->n_ranks; rank++) {
        const json_t *phase;
        size_t i;
        json_array_foreach(vt_phases(load->files[rank]), i, phase)
            TRY(collect_phase_tasks(load, rank, phase, &capacity));
    }
    if (load->n_records == 0)
        return FAIL(STATUS_INPUT, "%s: a load without tasks", path);
    qsort(load->records, (size_t)load->n_records, sizeof *load->records, compare_by_entity);
    for (int64_t i = 1; i < load->n_records; i++)
        if (compare_by_entity(&load->records[i - 1], &load->records[i]) == 0)
            return FAIL(STATUS_INPUT,
                        "%s: phase %lld has task %lld twice, in the files of ranks %lld and %lld",
                        path, (long long)load->phase_ids[load->records[i].phase],
                        (long long)load->records[i].id, (long long)load->records[i - 1].rank,
                        (long long)load->records[i].rank);
    return STATUS_OK;
}

/* Numbers the entities, whose first records `firsts` has room for. */
static void number_tasks(struct vt_load *load, struct vt_record **firsts)
{
    for (int64_t i = 0; i < load->n_records; i++)
        if (i == 0 || load->records[i].id != load->records[i - 1].id)
            firsts[load->n_tasks++] = &load->records[i];
    qsort(firsts, (size_t)load->n_tasks, sizeof *firsts, compare_by_place);
    for (int64_t task = 0; task < load->n_tasks; task++)
        for (struct vt_record *record = firsts[task];
             record < load->records + load->n_records && record->id == firsts[task]->id; record++)
            record->task = task;
}

static enum status reserve_tables(struct vt_load *load, const char *path)
{
    if (load->n_tasks > INT32_MAX / load->n_phases)
        return FAIL(STATUS_LIMIT, "%s: %lld tasks in %lld phases are more than 2^31 durations",
                    path, (long long)load->n_tasks, (long long)load->n_phases);
    load->seconds = calloc((size_t)(load->n_phases * load->n_tasks), sizeof *load->seconds);
    load->owners = malloc((size_t)load->n_tasks * sizeof *load->owners);
    return CHECK_MEMORY(load->seconds && load->owners, "no memory for %lld tasks",
                        (long long)load->n_tasks);
}

static enum status fill_load(struct vt_load *load, const char *path)
{
    struct vt_record **firsts = malloc((size_t)load->n_records * sizeof *firsts);
    TRY(CHECK_MEMORY(firsts, "no memory for %lld tasks", (long long)load->n_records));
    number_tasks(load, firsts);
    enum status status = reserve_tables(load, path);
    for (int64_t task = 0; task < load->n_tasks && status == STATUS_OK; task++)
        load->owners[task] = firsts[task]->rank;
    for (int64_t i = 0; i < load->n_records && status == STATUS_OK; i++) {
        const struct vt_record *record = &load->records[i];
        load->seconds[record->phase * load->n_tasks + record->task] = vt_task_seconds(record->json);
    }
    free(firsts);
    return status;
}

static enum status read_load(const char *path, struct vt_load *load)
{
    TRY(read_files(path, load));
    TRY(collect_phases(load));
    TRY(collect_records(path, load));
    TRY(fill_load(load, path));
    return vt_data_create(load, &load->data);
}

enum status vt_load_read(MPI_Comm comm, const char *path, struct vt_load *load)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *load = (struct vt_load){0};
    enum status status = status_agree(comm, rank == 0 ? read_load(path, load) : STATUS_OK);
    if (status == STATUS_OK) {
        int64_t sizes[] = {load->n_ranks, load->n_phases, load->n_tasks};
        MPI_Bcast(sizes, 3, MPI_INT64_T, 0, comm);
        load->n_ranks = sizes[0];
        load->n_phases = sizes[1];
        load->n_tasks = sizes[2];
        status = status_agree(comm, rank > 0 ? reserve_tables(load, path) : STATUS_OK);
    }
    if (status != STATUS_OK) {
        vt_load_fini(load);
        return status;
    }
    MPI_Bcast(load->seconds, (int)(load->n_phases * load->n_tasks), MPI_DOUBLE, 0, comm);
    MPI_Bcast(load->owners, (int)load->n_tasks, MPI_INT64_T, 0, comm);
    return STATUS_OK;
}

void vt_load_fini(struct vt_load *load)
{
    for (int64_t rank = 0; load->files && rank < load->n_ranks; rank++)
        json_decref(load->files[rank]);
    free(load->files);
    free(load->records);
    free(load->phase_ids);
    free(load->seconds);
    free(load->owners);
    task_data_destroy(load->data);
    *load = (struct vt_load){0};
}

double vt_load_seconds(const struct vt_load *load, int64_t iteration, int64_t task)
{
    int64_t phase = iteration < load->n_phases ? iteration : load->n_phases - 1;
    return load->seconds[phase * load->n_tasks + task];
}

const struct vt_record *vt_load_find(const struct vt_load *load, int64_t id, int64_t phase)
{
    const struct vt_record key = {.id = id, .phase = phase};
    return bsearch(&key, load->records, (size_t)load->n_records, sizeof key, compare_by_entity);
}
