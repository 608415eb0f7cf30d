/* SPDX-License-Identifier: BSD-3-Clause */
/* Distributed arrays of blocks, over Global Arrays.
 *
 * An array is n_blocks blocks of given sizes, block b on process b mod P, each
 * contiguous there, so that a one-sided access is one contiguous transfer.
 * The meaning of a block (a matrix tile, a tensor block) is up to the caller.
 *
 * One-sided operations (get, put, acc) may be called by any process at any time
 * between creation and destruction; they are ordered only by darray_sync.
 * Concurrent accumulates into the same elements are allowed. A put concurrent
 * with a get or an acc of the same elements may be lost or seen in part. One
 * thread per process. */
#pragma once

#include "support/base/memory.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct darray;

enum darray_type { DARRAY_DOUBLE, DARRAY_INT64 };

/* Blocks of at least this many elements are aligned to cache lines of 64 bytes; in front of smaller ones the
 * gaps would count. */
enum { DARRAY_LEAST_IN_LINES = 1024 };

/* Starts and ends distributed arrays, and Global Arrays where they need it and the program has not
 * started it; collective over all processes of MPI_COMM_WORLD, after MPI_Init (any thread level will do) and
 * before MPI_Finalize. */
enum status darray_start(void);
void darray_stop(void);

/* The processes that share every array: Global Arrays' world group. A function that is
 * collective over an array is so over these, and needs no communicator of its own. */
static inline MPI_Comm darray_comm(void)
{
    return MPI_COMM_WORLD;
}

/* Creates an array, every element zero. Collective; a synchronisation.
 * name    shown in messages
 * size    n_blocks entries >= 0, elements of each block, the same on every
 *         process; copied
 * Errors: STATUS_NO_MEMORY (before anything is allocated: beyond the
 * budget of support/base/memory.h); the same on every process.
 * The memory is taken from few windows and used again: darray_window.h. */
enum status darray_create(const char *name, enum darray_type type, int64_t n_blocks,
                          const int64_t *size, struct darray **array);

/* Several at once, which takes one synchronisation. Arguments and errors as for darray_create; all
 * arrays are NULL after a failure. */
struct darray_shape {
    const char *name;
    enum darray_type type;
    int64_t n_blocks;
    const int64_t *size;
};
enum status darray_create_several(int n, const struct darray_shape shapes[],
                                  struct darray *arrays[]);

/* Memory that an array takes of a process: its part, with at most n_elements on any process, and
 * the index of all blocks, which every process has. Not collective. */
struct memory_need darray_bytes(int64_t n_blocks, double n_elements);

/* Every process, in the same order; NULL is fine. Does not synchronise. */
void darray_destroy(struct darray *array);

/* Sets every element to zero. Every process: each does its part, without synchronising. There must
 * be a synchronisation between this and any access before or after. */
void darray_zero(struct darray *array);

/* Waits until all processes are here and all their one-sided operations on all
 * arrays are complete. Collective. */
void darray_sync(void);

/* Completes the operations of this process on all arrays. With a reduction of all processes after
 * it, it is a synchronisation too. Not collective. */
void darray_complete(void);

/* darray_sync and status_agree on the outcomes of all processes, in one collective operation. */
enum status darray_sync_and_agree(enum status own);

int64_t darray_block_size(const struct darray *array, int64_t block);

/* Makes room for arrays to come of so many bytes in all, in one window instead of one per array,
 * if memory allows: otherwise each will ask for its own. Collective. */
void darray_reserve(double bytes);

/* Bytes of each process that are allocated for arrays and not in use: room for new ones. */
int64_t darray_unused_bytes(void);

/* Bytes of /dev/shm per process that so many arrays take in addition to their elements where memory
 * is short, so that each has a window of its own: for estimates, windows of Global Arrays and of a
 * pool included. Collective like node_count (support/base/node.h). */
double darray_overhead_bytes(int64_t n_arrays);

/* The process that holds the block. */
int darray_owner(const struct darray *array, int64_t block);

/* Where the block lies if this process holds it, else NULL: to be read or written without a
 * copy, between two synchronisations between which no other process writes it or, if this
 * one does, reads it. */
void *darray_local(const struct darray *array, int64_t block);

/* Address at which this process can load and store the block: of its own ones and, where MPI maps
 * them here, as a rule, of other processes on the node; NULL for all others. Between two
 * synchronisations only one process may store to a block, and then no other accesses it, nor does
 * darray_acc. */
void *darray_near(const struct darray *array, int64_t block);

/* Copies a block out, in, or adds to it element by element (atomic for each
 * element; 64-bit integers wrap around). The buffer holds the block's elements
 * of the array's type and may be reused on return. */
void darray_get(const struct darray *array, int64_t block, void *buffer);
void darray_put(struct darray *array, int64_t block, const void *buffer);
void darray_acc(struct darray *array, int64_t block, const void *buffer);

/* A get in two parts, between which the caller computes. */
struct darray_request {
    const struct darray *array;
    int64_t block;
    char *buffer;
    bool arrived;   /* at once, of a block that this process sees */
    int64_t handle; /* Global Arrays' */
};

/* The buffer must stay and is undefined until darray_get_end, which must follow for every
 * request that was begun. */
void darray_get_begin(const struct darray *array, int64_t block, void *buffer,
                      struct darray_request *request);
void darray_get_end(struct darray_request *request);
