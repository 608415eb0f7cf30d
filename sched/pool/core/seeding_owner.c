/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/seeding.h"

#include "support/base/agree.h"
#include "support/base/array.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>

/* lists[w]: the tasks of the block that worker w owns. */
static enum status sort_by_owner(const struct taskpool_problem *problem,
                                 struct taskpool_range block, int n_workers,
                                 struct task_ranges *lists)
{
    for (int64_t task = block.first; task < block.last; task++) {
        int owner = problem->owner(task, n_workers, problem->context);
        if (owner < 0 || owner >= n_workers)
            return FAIL(STATUS_USAGE, "--seeding owner: the owner of task %lld is worker %d of %d",
                        (long long)task, owner, n_workers);
        TRY(task_ranges_add(&lists[owner], task));
    }
    return STATUS_OK;
}

/* Room for the ranges from other processes. Every message is part of some process's total: if
 * all totals fit into MPI's counts, so does every message. */
static enum status reserve_ranges(struct task_ranges *ranges, int64_t total)
{
    if (total > INT_MAX)
        return FAIL(STATUS_LIMIT,
                    "--seeding owner: %lld ranges of tasks of one worker; at most %d"
                    " are possible",
                    (long long)total, INT_MAX);
    return array_reserve(&ranges->list, total + 1, &ranges->capacity, sizeof *ranges->list);
}

/* Sends lists[p] to process p and appends the n[p] ranges that come from it to own, which
 * has room. */
static void exchange_ranges(MPI_Comm comm, const struct task_ranges *lists, const int64_t *n,
                            struct task_ranges *own)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Datatype range;
    MPI_Type_contiguous((int)sizeof(struct taskpool_range), MPI_BYTE, &range);
    MPI_Type_commit(&range);
    for (int shift = 0; shift < size; shift++) {
        int to = (rank + size - shift) % size;
        int from = (rank + shift) % size;
        MPI_Sendrecv(lists[to].list, (int)lists[to].n, range, to, 0, own->list + own->n,
                     (int)n[from], range, from, 0, comm, MPI_STATUS_IGNORE);
        own->n += n[from];
    }
    MPI_Type_free(&range);
}

/* One worker per process: hands every list to its worker. */
static enum status hand_lists_over(MPI_Comm comm, const struct task_ranges *lists, int size,
                                   struct task_ranges *own)
{
    int64_t *n = malloc(2 * (size_t)size * sizeof *n);
    enum status status =
        status_agree(comm, CHECK_MEMORY(n, "no memory to exchange the owners of tasks"));
    if (status != STATUS_OK)
        goto done;
    int64_t *n_sent = n + size;
    for (int process = 0; process < size; process++)
        n_sent[process] = lists[process].n;
    MPI_Alltoall(n_sent, 1, MPI_INT64_T, n, 1, MPI_INT64_T, comm);

    int64_t total = 0;
    for (int process = 0; process < size; process++)
        total += n[process];
    status = status_agree(comm, reserve_ranges(own, total));
    if (status != STATUS_OK)
        goto done;
    exchange_ranges(comm, lists, n, own);
done:
    free(n);
    return status;
}

static void free_lists(struct task_ranges *lists, int n)
{
    for (int i = 0; lists && i < n; i++)
        task_ranges_fini(&lists[i]);
    free(lists);
}

enum status seeding_owner_init(struct taskpool_seeding *seeding, MPI_Comm comm,
                               const struct taskpool_problem *problem)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    int n_workers = seeding->n_workers;
    assert(size == 1 || size == n_workers);

    struct task_ranges *lists = calloc((size_t)n_workers, sizeof *lists);
    enum status status = CHECK_MEMORY(lists, "no memory for the seeding of %d workers", n_workers);
    if (status == STATUS_OK)
        status = sort_by_owner(problem, taskpool_range_block(problem->n_tasks, size, rank),
                               n_workers, lists);
    status = status_agree(comm, status);
    if (status != STATUS_OK || size == 1) {
        seeding->owned = lists;
        seeding->n_owned = lists ? n_workers : 0;
        return status;
    }

    struct task_ranges *own = calloc(1, sizeof *own);
    status = status_agree(comm, CHECK_MEMORY(own, "no memory for the seeding"));
    if (status == STATUS_OK)
        status = hand_lists_over(comm, lists, size, own);
    free_lists(lists, n_workers);
    seeding->owned = own;
    seeding->n_owned = own ? 1 : 0;
    seeding->first_owned = rank;
    return status;
}
