/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/contraction_reference.h"

#include "support/base/agree.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A tensor with all its elements; 0 in blocks that do not exist. */
struct dense_operand {
    int rank;
    int64_t size[MAX_RANK];
    int index[MAX_RANK];
    int64_t n;
    double *element; /* row-major, n */
};

/* Loops over all indices of the operands, by index number. */
struct index_loop {
    int n;
    int index[MAX_INDICES];
    int64_t size[MAX_INDICES], value[MAX_INDICES];
    bool seen[MAX_INDICES], empty;
};

static double *element_at(const struct dense_operand *operand, const struct index_loop *loop)
{
    int64_t position = 0;
    for (int d = 0; d < operand->rank; d++)
        position = position * operand->size[d] + loop->value[operand->index[d]];
    return &operand->element[position];
}

/* Steps to the next values; false after the last ones, when all are 0 again. */
static bool step(struct index_loop *loop)
{
    for (int d = loop->n - 1; d >= 0; d--) {
        int index = loop->index[d];
        if (++loop->value[index] < loop->size[index])
            return true;
        loop->value[index] = 0;
    }
    return false;
}

/* Copies an existing block out of the whole, or into it. */
static void move_block(const struct tensor *tensor, int64_t number, bool in,
                       struct dense_operand *operand, double *block)
{
    const struct block_labels *labels = block_index_labels(tensor->blocks);
    int32_t tile[MAX_RANK];
    block_index_tuple(tensor->blocks, number, tile);
    int64_t n = block_index_size(tensor->blocks, tile);
    for (int64_t i = 0; i < n; i++) {
        int64_t rest = i, position = 0, stride = 1;
        for (int d = labels->rank - 1; d >= 0; d--) {
            int64_t size = index_space_tile_size(labels->space[d], tile[d]);
            position += (labels->space[d]->first[tile[d]] + rest % size) * stride;
            rest /= size;
            stride *= labels->space[d]->size;
        }
        if (in)
            operand->element[position] = block[i];
        else
            block[i] = operand->element[position];
    }
}

static enum status read_tensor(const struct contraction_operand *operand,
                               struct dense_operand *dense)
{
    const struct tensor *tensor = operand->tensor;
    dense->n = 1;
    dense->rank = operand->labels->rank;
    for (int d = 0; d < dense->rank; d++) {
        dense->index[d] = operand->index[d];
        dense->size[d] = operand->labels->space[d]->size;
        dense->n *= dense->size[d];
    }
    dense->element = calloc((size_t)dense->n + 1, sizeof(double));
    double *block = malloc((size_t)(tensor->max_block + 1) * sizeof(double));
    bool complete = dense->element && block;
    for (int64_t number = 0; complete && number < block_index_n(tensor->blocks); number++) {
        darray_get(tensor->data, number, block);
        move_block(tensor, number, true, dense, block);
    }
    free(block);
    return CHECK_MEMORY(complete, "no memory for a dense tensor");
}

static enum status write_tensor(struct dense_operand *dense, struct tensor *tensor)
{
    double *block = malloc((size_t)(tensor->max_block + 1) * sizeof(double));
    TRY(CHECK_MEMORY(block, "no memory for a block"));
    for (int64_t number = 0; number < block_index_n(tensor->blocks); number++) {
        move_block(tensor, number, false, dense, block);
        darray_put(tensor->data, number, block);
    }
    free(block);
    return STATUS_OK;
}

static void add_indices(const struct dense_operand *operand, struct index_loop *loop)
{
    for (int d = 0; d < operand->rank; d++) {
        int index = operand->index[d];
        if (!loop->seen[index])
            loop->index[loop->n++] = index;
        loop->seen[index] = true;
        loop->size[index] = operand->size[d];
        loop->empty |= operand->size[d] == 0;
    }
}

/* C = [C +] factor A B, B = 1 without one. */
static void contract(const struct contraction_problem *problem, struct dense_operand *C,
                     const struct dense_operand *A, const struct dense_operand *B)
{
    struct index_loop loop = {0};
    add_indices(C, &loop);
    add_indices(A, &loop);
    add_indices(B, &loop);
    if (!problem->add)
        memset(C->element, 0, (size_t)C->n * sizeof *C->element);
    if (loop.empty)
        return;
    do
        *element_at(C, &loop) +=
            problem->factor * *element_at(A, &loop) * (problem->has_B ? *element_at(B, &loop) : 1);
    while (step(&loop));
}

enum status contraction_reference(const struct contraction_problem *problem, MPI_Comm comm)
{
    struct dense_operand C = {0}, A = {0}, B = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    darray_sync();
    enum status status = read_tensor(&problem->C, &C);
    if (status == STATUS_OK)
        status = read_tensor(&problem->A, &A);
    if (status == STATUS_OK && problem->has_B)
        status = read_tensor(&problem->B, &B);
    darray_sync();
    if (status == STATUS_OK) {
        contract(problem, &C, &A, &B);
        if (rank == 0)
            status = write_tensor(&C, problem->C.tensor);
    }
    status = status_agree(comm, status);
    darray_sync();
    free(C.element);
    free(A.element);
    free(B.element);
    return status;
}
