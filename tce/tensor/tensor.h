/* SPDX-License-Identifier: BSD-3-Clause */
/* Block-sparse tensors in distributed memory. Blocks exist where labels allow; of those that a symmetry
 * in the labels makes of one another, one is stored (block_index.h). Each is dense and row-major (the last
 * index fastest), block b of the tensor on process b mod P. A comm below has the processes of
 * darray_comm(), in the same order. */
#pragma once

#include "support/arrays/darray.h"
#include "support/base/sha256.h"
#include "support/base/status.h"
#include "tce/tensor/block_index.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct tensor {
    char *name;
    struct block_index *blocks;
    struct darray *data; /* a block of it for each block; the same numbers */
    int64_t n_elements;
    int64_t max_block; /* elements */
};

/* Elements of all blocks that exist and are stored, without allocating anything; as double because it
 * may be beyond 2^63. */
double tensor_count_elements(const struct block_labels *labels);

/* Upper bound, nearly, of the elements of the blocks of one process: an even share and a block. */
double tensor_longest_part(const struct block_labels *labels, int n_processes);

/* A tensor of zeros. Collective.
 * Errors: STATUS_NO_MEMORY (before anything is allocated; names the tensor, its size and
 * what is missing), STATUS_LIMIT; the same everywhere. */
enum status tensor_create(const char *name, const struct block_labels *labels, MPI_Comm comm,
                          struct tensor **tensor);

/* Creates several tensors with two collective operations in all. Arguments and errors: as
 * tensor_create; all tensors are NULL after a failure. */
struct tensor_shape {
    const char *name;
    const struct block_labels *labels;
};
enum status tensor_create_several(int n, const struct tensor_shape shapes[], MPI_Comm comm,
                                  struct tensor *tensors[]);

/* Bytes of each process, while it is created, for the index of a tensor of so many blocks. */
double tensor_index_bytes(int64_t n_blocks);

/* Collective; NULL is fine. */
void tensor_destroy(struct tensor *tensor);

/* An element for given values of all indices (rank of them, each in [0, size)): what a
 * tensor is filled with. */
typedef double tensor_element(const int64_t value[], void *context);

/* Sets every element of the blocks that exist. Collective; synchronises. */
void tensor_fill(struct tensor *tensor, tensor_element *element, void *context);

/* Whether all numbers of this process's blocks are finite. Not collective. */
bool tensor_is_finite_here(const struct tensor *tensor);

/* Adds a hash of this process's blocks to sums[]. Equal tensors have equal sums over all processes,
 * different tensors practically never. 64-bit sums wrap around. Not collective. Errors: as
 * sha256_create. */
enum { TENSOR_SUMS = 4 };
enum status tensor_add_sums(const struct tensor *tensor, uint64_t sums[TENSOR_SUMS]);

/* SHA-256, in hex, of all blocks in order. Collective; the same on every process. */
enum status tensor_sha256(const struct tensor *tensor, MPI_Comm comm, char text[SHA256_HEX_SIZE]);
