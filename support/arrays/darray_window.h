/* SPDX-License-Identifier: BSD-3-Clause */
/* Windows: the memory of distributed arrays, in elements of 8 bytes.
 *
 * A window has a part of equal length on every process. A distributed array
 * takes the same range of every part, so that each process knows without communication where it
 * lies. There are few windows, made once and used again, because making
 * one takes several synchronisations, and completing the operations of a process takes a flush
 * per window: over a network each of them is a round trip.
 *
 * Where all processes are on one node, a window is shared memory of MPI, in which each loads and stores the parts
 * of all. Across nodes, and where MPI's transport has no such memory, it is a global array of Global Arrays; so it
 * is with BERYL_NEAR_MEMORY=never in the environment: for tests of transfers on one host.
 *
 * Parts and places begin at a line of the cache, where a vector is read from one line instead of two. */
#pragma once

#include "support/arrays/darray.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

enum { ELEMENT_BYTES = 8, LINE_BYTES = 64, LINE_ELEMENTS = LINE_BYTES / ELEMENT_BYTES };

/* Where the part of a process begins. */
struct window_part {
    char *near;    /* for loads and stores of this process; NULL: it has none */
    char *address; /* of a global array: on that process, as ARMCI takes it */
    int64_t
        first; /* element of the global array, or of the process's memory in the shared window */
};

struct darray_window {
    int64_t n;      /* elements of each process's part, a multiple of LINE_ELEMENTS */
    MPI_Win shared; /* locked for all; MPI_WIN_NULL: a global array */
    int handle;     /* Global Arrays': of doubles, though arrays of either type lie in it */
    struct window_part *parts; /* of all processes; owned */
};

/* Chooses the kind of windows, before the first: true: shared memory, for which Global Arrays is not needed.
 * Collective. */
bool darray_window_start(void);

/* Elements [first, first + n) of every part of a window; first is a multiple of LINE_ELEMENTS. */
struct darray_place {
    const struct darray_window *window;
    int64_t first, n;
};

/* A free place, in a new window where no other has room. Collective, with the same arguments.
 * name  of the array, for messages
 * n     >= 1
 * Errors: STATUS_NO_MEMORY, before anything is allocated; the same on every process. */
enum status darray_window_take(const char *name, int64_t n, struct darray_place *place);

/* Adds a window, unless n elements are unused already or memory is short, with less than twice as
 * much left: pieces of their own then fit better. Collective, with the same arguments. */
void darray_window_reserve(int64_t n);

/* Gives a place back; every process, in the same order. It is taken again only after the next
 * synchronisation, as other processes may still access it. */
void darray_window_release(const struct darray_place *place);

/* After a synchronisation of all processes: what was released before it is free. */
void darray_window_settle(void);

/* Elements of every part that no array has. */
int64_t darray_window_unused(void);

/* Destroys all windows. Collective. */
void darray_window_fini(void);
