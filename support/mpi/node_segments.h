/* SPDX-License-Identifier: BSD-3-Clause */
/* A segment of address space of each process, which the other processes of its node map, too: what a
 * process writes into its own, they read. Its memory belongs to no file system
 * (memfd_create(2)), so that /dev/shm need not have room for it.
 *
 * Where the system does not let all processes see each other's memory, or address space is limited (ulimit -v:
 * what others map is in nobody's budget), or with BERYL_NEAR_MEMORY=never, and on nodes with one
 * process of the communicator, each has its own segment alone. That one is in huge pages where these are sooner
 * filled and found. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct node_segment {
    char *start; /* NULL: there is none */
    int64_t bytes;
};

struct node_segments {
    struct node_segment own;
    int64_t most_bytes, least_bytes; /* of own */
    int64_t writable_bytes;          /* of own, from the start; those of others are writable */
    int file;                        /* behind own; -1: none */
    int n_others;
    struct node_segment *others; /* of the processes of the node, from the next rank on; owned */
};

/* most_bytes: of own; less if the system does not grant the address space. With less than least_bytes
 * there is none, and that is no failure. It is there after the first node_segments_take, or at once where
 * others see it. All bytes are 0. Collective. On failure node_segments_fini still
 * has to be called. Errors: STATUS_NO_MEMORY, on all processes. */
enum status node_segments_init(MPI_Comm comm, int64_t most_bytes, int64_t least_bytes,
                               struct node_segments *segments);

/* Not collective; others must no longer use this process's segment, but may have it mapped. */
void node_segments_fini(struct node_segments *segments);

/* Takes memory for bytes of own from a place on; false: the system has none. Bytes before the place have
 * been taken. Not collective. */
bool node_segments_take(struct node_segments *segments, int64_t place, int64_t bytes);

/* Returns the memory of own to the system, and its address space unless others see it: all bytes are 0
 * again. Not collective. */
void node_segments_clear(struct node_segments *segments);
