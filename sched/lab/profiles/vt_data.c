/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/profiles/vt_data.h"

#include "sched/pool/core/task_data.h"
#include "support/base/array.h"

#include <stdlib.h>

/* A task needs a block. */
struct vt_need {
    int64_t task;
    bool is_shared;
    int64_t shared_id; /* or, of a communication, its number: no other task needs it */
    int64_t bytes;
    int64_t owner; /* rank */
};

struct vt_needs {
    struct vt_need *list; /* n */
    int64_t n, capacity;
};

static enum status add_need(struct vt_needs *needs, struct vt_need need)
{
    TRY(array_reserve(&needs->list, needs->n + 1, &needs->capacity, sizeof need));
    needs->list[needs->n++] = need;
    return STATUS_OK;
}

/* Whether a record is of the first phase of its task. */
static bool is_first(const struct vt_load *load, const struct vt_record *record)
{
    return record == load->records || record->id != record[-1].id;
}

static enum status collect_shared(const struct vt_load *load, struct vt_needs *needs)
{
    for (int64_t i = 0; i < load->n_records; i++) {
        const struct vt_record *record = &load->records[i];
        struct vt_need need = {.task = record->task, .is_shared = true, .owner = record->rank};
        if (is_first(load, record) && vt_task_block(record->json, &need.shared_id, &need.bytes))
            TRY(add_need(needs, need));
    }
    return STATUS_OK;
}

static enum status collect_message(const struct vt_load *load, int64_t phase,
                                   const json_t *communication, struct vt_needs *needs)
{
    int64_t from, to;
    struct vt_need need = {.shared_id = needs->n};
    if (!vt_communication(communication, &from, &to, &need.bytes))
        return STATUS_OK;
    const struct vt_record *sender = vt_load_find(load, from, phase),
                           *receiver = vt_load_find(load, to, phase);
    if (!sender || !receiver || !is_first(load, receiver))
        return STATUS_OK;
    need.task = receiver->task;
    need.owner = sender->rank;
    return add_need(needs, need);
}

static enum status collect_messages(const struct vt_load *load, struct vt_needs *needs)
{
    for (int64_t rank = 0; rank < load->n_ranks; rank++) {
        const json_t *phase, *communication;
        size_t i, c;
        json_array_foreach(vt_phases(load->files[rank]), i, phase)
        {
            int64_t place = array_find_last(load->phase_ids, load->n_phases, vt_phase_id(phase));
            json_array_foreach(vt_communications(phase), c, communication)
                TRY(collect_message(load, place, communication, needs));
        }
    }
    return STATUS_OK;
}

/* Needs of one block follow each other, that of the lowest rank first. */
static int compare_needs(const void *left, const void *right)
{
    const struct vt_need *a = left, *b = right;
    if (a->is_shared != b->is_shared)
        return a->is_shared ? -1 : 1;
    if (a->shared_id != b->shared_id)
        return a->shared_id < b->shared_id ? -1 : 1;
    if (a->owner != b->owner)
        return a->owner < b->owner ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

static bool is_same_block(const struct vt_need *a, const struct vt_need *b)
{
    return a->is_shared == b->is_shared && a->shared_id == b->shared_id;
}

static enum status reserve_data(struct taskpool_data *data, int64_t n_tasks, int64_t n_needs)
{
    data->numbers = malloc((size_t)n_needs * sizeof *data->numbers);
    data->blocks = malloc((size_t)n_needs * sizeof *data->blocks);
    data->first = calloc((size_t)n_tasks + 1, sizeof *data->first);
    data->accesses = malloc((size_t)n_needs * sizeof *data->accesses);
    data->n_tasks = n_tasks;
    return CHECK_MEMORY(data->numbers && data->blocks && data->first && data->accesses,
                        "no memory for the data of %lld tasks", (long long)n_tasks);
}

/* Fills accesses and blocks from needs in the order of compare_needs. */
static void fill_data(const struct vt_needs *needs, struct taskpool_data *data)
{
    for (int64_t i = 0; i < needs->n; i++)
        data->first[needs->list[i].task + 1]++;
    for (int64_t task = 0; task < data->n_tasks; task++)
        data->first[task + 1] += data->first[task];
    for (int64_t i = 0; i < needs->n; i++) {
        const struct vt_need *need = &needs->list[i];
        if (i == 0 || !is_same_block(need, need - 1)) {
            data->numbers[data->n_blocks] = data->n_blocks;
            data->blocks[data->n_blocks++] =
                (struct taskpool_data_block){.bytes = need->bytes, .owner = need->owner};
        }
        /* first[task] moves on to first[task + 1] meanwhile. */
        data->accesses[data->first[need->task]++] =
            (struct taskpool_data_access){.block = data->n_blocks - 1};
    }
    for (int64_t task = data->n_tasks; task > 0; task--)
        data->first[task] = data->first[task - 1];
    data->first[0] = 0;
}

enum status vt_data_create(const struct vt_load *load, struct taskpool_data **out)
{
    struct vt_needs needs = {0};
    struct taskpool_data *data = NULL;
    *out = NULL;
    enum status status = collect_shared(load, &needs);
    if (status == STATUS_OK)
        status = collect_messages(load, &needs);
    if (status != STATUS_OK || needs.n == 0)
        goto done;
    qsort(needs.list, (size_t)needs.n, sizeof *needs.list, compare_needs);
    data = calloc(1, sizeof *data);
    status = CHECK_MEMORY(data, "no memory for the data of a load");
    if (status == STATUS_OK)
        status = reserve_data(data, load->n_tasks, needs.n);
    if (status != STATUS_OK) {
        task_data_destroy(data);
        goto done;
    }
    fill_data(&needs, data);
    *out = data;
done:
    free(needs.list);
    return status;
}
