/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/tensor.h"

#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/base/node.h"
#include "support/base/sha256.h"
#include "tce/tensor/odometer.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N_SPINS = 2 * MAX_RANK + 1 };

/* Elements of all beginnings of tuples, by the labels that they bring together. */
struct element_counts {
    double n[N_IRREPS][N_SPINS];
};

/* Counts the elements of n places that always have one and the same tile. */
static void count_elements_of_places(const struct index_space *space, int sign, int n,
                                     struct element_counts *counts)
{
    struct element_counts next = {0};
    for (int32_t t = 0; t < space->n_tiles; t++) {
        double size = pow((double)index_space_tile_size(space, t), n);
        int step = n * sign * space->spin[t], turn = n % 2 == 1 ? space->irrep[t] : 0;
        for (int irrep = 0; irrep < N_IRREPS; irrep++)
            for (int spin = abs(step); spin < N_SPINS - abs(step); spin++)
                next.n[irrep ^ turn][spin + step] += size * counts->n[irrep][spin];
    }
    *counts = next;
}

/* Elements of the blocks that a permutation leaves where they are: places that it moves in a circle have one
 * tile. */
static double count_fixed_elements(const struct block_labels *labels,
                                   const struct signed_permutation *permutation)
{
    struct element_counts counts = {0};
    bool counted[MAX_RANK] = {false};
    counts.n[0][MAX_RANK] = 1;
    for (int d = 0; d < labels->rank; d++) {
        int n = 0;
        for (int e = d; !counted[e]; e = permutation->place[e], n++)
            counted[e] = true;
        if (n > 0)
            count_elements_of_places(labels->space[d], labels->sign[d], n, &counts);
    }
    return counts.n[labels->irrep][labels->spin + MAX_RANK];
}

/* Source: Burnside's lemma, for blocks that count as many times as they have elements. */
double tensor_count_elements(const struct block_labels *labels)
{
    const struct signed_permutation identity = symmetry_identity();
    double n = 0;
    if (abs(labels->spin) > MAX_RANK)
        return 0;
    if (!labels->symmetry)
        return count_fixed_elements(labels, &identity);
    for (int e = 0; e < labels->symmetry->n; e++)
        n += count_fixed_elements(labels, &labels->symmetry->elements[e]);
    return n / labels->symmetry->n;
}

double tensor_longest_part(const struct block_labels *labels, int n_processes)
{
    double elements = tensor_count_elements(labels), block = 1;
    for (int d = 0; d < labels->rank; d++)
        block *= (double)labels->space[d]->max_tile;
    return n_processes == 1 ? elements : fmin(elements, elements / n_processes + block);
}

/* The index of the array, and the list of sizes that it is made from. */
double tensor_index_bytes(int64_t n_blocks)
{
    return darray_bytes(n_blocks, 0).own_bytes + (double)(n_blocks + 1) * sizeof(int64_t);
}

/* Before anything of the tensor's size is allocated. An even share of it, with the
 * numbers that each process keeps of every block, must fit into what this process's node has. */
static enum status check_tensor_memory(const char *name, const struct block_labels *labels,
                                       int64_t n_blocks, MPI_Comm comm)
{
    int n_processes;
    MPI_Comm_size(comm, &n_processes);
    double bytes = sizeof(double) * tensor_count_elements(labels);
    double at_hand = (double)darray_unused_bytes();
    struct memory_need need = {.shared_bytes = fmax(0, bytes / n_processes - at_hand),
                               .own_bytes = tensor_index_bytes(n_blocks)};
    char subject[256];
    snprintf(subject, sizeof subject, "tensor %s of %.3f GB in %lld blocks", name, 1e-9 * bytes,
             (long long)n_blocks);
    return memory_check_now(subject, &need, node_count(comm), "use more processes on more nodes");
}

/* The sizes of all blocks, n_blocks entries; to be freed with free. */
static enum status list_sizes(struct tensor *tensor, int64_t **sizes)
{
    int64_t n = block_index_n(tensor->blocks);
    *sizes = calloc((size_t)n + 1, sizeof **sizes);
    TRY(CHECK_MEMORY(*sizes, "no memory for the sizes of %lld blocks of tensor %s", (long long)n,
                     tensor->name));
    for (int64_t block = 0; block < n; block++) {
        int32_t tile[MAX_RANK];
        block_index_tuple(tensor->blocks, block, tile);
        int64_t size = block_index_size(tensor->blocks, tile);
        (*sizes)[block] = size;
        tensor->n_elements += size;
        tensor->max_block = size > tensor->max_block ? size : tensor->max_block;
    }
    return STATUS_OK;
}

/* A tensor without data, and the shape of its data, whose sizes are to be freed. Not collective. */
static enum status create_blocks(const struct tensor_shape *shape, MPI_Comm comm,
                                 struct tensor **tensor, struct darray_shape *data)
{
    struct tensor *made = calloc(1, sizeof *made);
    if (made)
        made->name = strdup(shape->name);
    *tensor = made;
    TRY(CHECK_MEMORY(made && made->name, "no memory for tensor %s", shape->name));
    TRY(block_index_create(shape->labels, &made->blocks));
    int64_t n_blocks = block_index_n(made->blocks), *sizes;
    TRY(check_tensor_memory(made->name, shape->labels, n_blocks, comm));
    enum status status = list_sizes(made, &sizes);
    *data = (struct darray_shape){made->name, DARRAY_DOUBLE, n_blocks, sizes};
    return status;
}

enum status tensor_create_several(int n, const struct tensor_shape shapes[], MPI_Comm comm,
                                  struct tensor *tensors[])
{
    struct darray_shape *data = calloc((size_t)n + 1, sizeof *data);
    struct darray **arrays = calloc((size_t)n + 1, sizeof(struct darray *));
    enum status status = CHECK_MEMORY(data && arrays, "no memory for %d tensors", n);
    memset(tensors, 0, (size_t)n * sizeof *tensors);
    node_count(comm); /* collective the first time */
    for (int i = 0; i < n && status == STATUS_OK; i++)
        status = create_blocks(&shapes[i], comm, &tensors[i], &data[i]);
    status = status_agree(comm, status);
    if (status == STATUS_OK)
        status = darray_create_several(n, data, arrays);
    for (int i = 0; i < n; i++) {
        if (data)
            free((int64_t *)data[i].size);
        if (status == STATUS_OK) {
            tensors[i]->data = arrays[i];
        } else {
            tensor_destroy(tensors[i]);
            tensors[i] = NULL;
        }
    }
    free(data);
    free(arrays);
    return status;
}

enum status tensor_create(const char *name, const struct block_labels *labels, MPI_Comm comm,
                          struct tensor **tensor)
{
    const struct tensor_shape shape = {name, labels};
    return tensor_create_several(1, &shape, comm, tensor);
}

void tensor_destroy(struct tensor *tensor)
{
    if (!tensor)
        return;
    darray_destroy(tensor->data);
    block_index_destroy(tensor->blocks);
    free(tensor->name);
    free(tensor);
}

/* One block, from the values of its first element on, the last index fastest. */
static void fill_block(const struct block_labels *labels, const int32_t tile[],
                       tensor_element *element, void *context, double *block)
{
    int64_t first[MAX_RANK], end[MAX_RANK], value[MAX_RANK];
    for (int d = 0; d < labels->rank; d++) {
        value[d] = first[d] = labels->space[d]->first[tile[d]];
        end[d] = labels->space[d]->first[tile[d] + 1];
    }
    do
        *block++ = element(value, context);
    while (odometer_next(labels->rank, first, end, value));
}

void tensor_fill(struct tensor *tensor, tensor_element *element, void *context)
{
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        double *own = darray_local(tensor->data, block);
        int32_t tile[MAX_RANK];
        if (!own)
            continue;
        block_index_tuple(tensor->blocks, block, tile);
        fill_block(block_index_labels(tensor->blocks), tile, element, context, own);
    }
    darray_sync();
}

/* Without a branch, so that it is as fast as memory. */
static bool are_finite(const double *numbers, int64_t n)
{
    int64_t n_others = 0;
    for (int64_t i = 0; i < n; i++)
        n_others += !(fabs(numbers[i]) <= DBL_MAX);
    return n_others == 0;
}

bool tensor_is_finite_here(const struct tensor *tensor)
{
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        const double *own = darray_local(tensor->data, block);
        if (own && !are_finite(own, darray_block_size(tensor->data, block)))
            return false;
    }
    return true;
}

/* Adds the SHA-256 of a block and its number, in TENSOR_SUMS words. */
static enum status add_block_sums(const struct tensor *tensor, int64_t block, const double *own,
                                  uint64_t sums[TENSOR_SUMS])
{
    enum { DIGITS = 16 }; /* of a word */
    char hex[SHA256_HEX_SIZE], word[DIGITS + 1] = "";
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    sha256_add(sha256, &block, sizeof block);
    sha256_add(sha256, own, (size_t)darray_block_size(tensor->data, block) * sizeof *own);
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    for (int i = 0; i < TENSOR_SUMS; i++) {
        memcpy(word, hex + (size_t)i * DIGITS, DIGITS);
        sums[i] += strtoull(word, NULL, 16);
    }
    return STATUS_OK;
}

enum status tensor_add_sums(const struct tensor *tensor, uint64_t sums[TENSOR_SUMS])
{
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        const double *own = darray_local(tensor->data, block);
        if (own)
            TRY(add_block_sums(tensor, block, own, sums));
    }
    return STATUS_OK;
}

/* On the first process. */
static enum status digest_blocks(const struct tensor *tensor, char text[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    TRY(sha256_create(&sha256));
    double *buffer = malloc((size_t)(tensor->max_block + 1) * sizeof *buffer);
    enum status status = CHECK_MEMORY(buffer, "no memory for a block of tensor %s", tensor->name);
    if (status != STATUS_OK)
        goto done;
    for (int64_t block = 0; block < block_index_n(tensor->blocks); block++) {
        darray_get(tensor->data, block, buffer);
        sha256_add(sha256, buffer, (size_t)darray_block_size(tensor->data, block) * sizeof *buffer);
    }
    sha256_finish(sha256, text);
done:
    free(buffer);
    sha256_destroy(sha256);
    return status;
}

enum status tensor_sha256(const struct tensor *tensor, MPI_Comm comm, char text[SHA256_HEX_SIZE])
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    memset(text, 0, SHA256_HEX_SIZE);
    darray_sync();
    enum status status = status_agree(comm, rank == 0 ? digest_blocks(tensor, text) : STATUS_OK);
    MPI_Bcast(text, SHA256_HEX_SIZE, MPI_CHAR, 0, comm);
    return status;
}
