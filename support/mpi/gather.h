/* SPDX-License-Identifier: BSD-3-Clause */
/* Lists that every process has a part of, put together. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stddef.h>
#include <stdint.h>

/* One process's part of a list. The size is the same on every process. */
struct gather_part {
    const void *items; /* n_items, of item_size bytes each; may be NULL for none */
    int64_t n_items;
    size_t item_size;
    const char *what; /* the items in messages, such as "task ids" */
};

/* Puts the parts together in the order of the ranks, on process 0 or on every
 * process. Collective over comm.
 * items    out, where the list is: never NULL, also for an empty list; to be
 *          freed with free. NULL elsewhere
 * n_items  out, the length of the list; 0 where the list is not
 * Errors: STATUS_LIMIT (2^31 items or more), STATUS_NO_MEMORY; the same on every
 * process, *items is then NULL and *n_items 0. */
enum status gather_to_first(MPI_Comm comm, const struct gather_part *part, void **items,
                            int64_t *n_items);
enum status gather_to_all(MPI_Comm comm, const struct gather_part *part, void **items,
                          int64_t *n_items);
