/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/gather.h"

#include "support/base/agree.h"

#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>

/* The parts have been counted and the list has room. counts and starts: one
 * entry for each process, scratch. */
static void exchange_parts(MPI_Comm comm, const struct gather_part *part, bool everywhere,
                           void *list, int *counts, int *starts)
{
    int size, n = (int)part->n_items;
    MPI_Comm_size(comm, &size);
    MPI_Allgather(&n, 1, MPI_INT, counts, 1, MPI_INT, comm);
    starts[0] = 0;
    for (int process = 1; process < size; process++)
        starts[process] = starts[process - 1] + counts[process - 1];

    /* Counted in items, so that the limit is 2^31 of them and not of bytes. */
    MPI_Datatype item;
    MPI_Type_contiguous((int)part->item_size, MPI_BYTE, &item);
    MPI_Type_commit(&item);
    if (everywhere)
        MPI_Allgatherv(part->items, n, item, list, counts, starts, item, comm);
    else
        MPI_Gatherv(part->items, n, item, list, counts, starts, item, 0, comm);
    MPI_Type_free(&item);
}

static enum status gather(MPI_Comm comm, const struct gather_part *part, bool everywhere,
                          void **items, int64_t *n_items)
{
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    *items = NULL;
    *n_items = 0;
    int64_t total = 0;
    MPI_Allreduce(&part->n_items, &total, 1, MPI_INT64_T, MPI_SUM, comm);
    if (total > INT_MAX)
        return FAIL(STATUS_LIMIT, "%lld %s; at most %d can be gathered", (long long)total,
                    part->what, INT_MAX);

    bool here = everywhere || rank == 0;
    int *counts = malloc(2 * (size_t)size * sizeof *counts);
    char *list = here ? malloc((size_t)total * part->item_size + 1) : NULL;
    enum status status =
        status_agree(comm, CHECK_MEMORY(counts && (list || !here), "no memory for %lld %s",
                                        (long long)total, part->what));
    if (status != STATUS_OK)
        goto done;
    exchange_parts(comm, part, everywhere, list, counts, counts + size);
    *items = list;
    *n_items = here ? total : 0;
    list = NULL;
done:
    free(list);
    free(counts);
    return status;
}

enum status gather_to_first(MPI_Comm comm, const struct gather_part *part, void **items,
                            int64_t *n_items)
{
    return gather(comm, part, false, items, n_items);
}

enum status gather_to_all(MPI_Comm comm, const struct gather_part *part, void **items,
                          int64_t *n_items)
{
    return gather(comm, part, true, items, n_items);
}
