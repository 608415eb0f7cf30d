/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/contraction_reference.h"

#include "support/base/agree.h"

#include <stdbool.h>
#include <stdlib.h>

/* A tensor with all its elements; 0 in blocks that do not exist. */
struct dense_operand {
    int rank;
    int64_t size[MAX_RANK];
    int index[MAX_RANK];
    double *element; /* row-major */
};

/* Values of all index numbers, and which of them a loop steps through. */
struct index_loop {
    int n;
    int index[MAX_INDICES];
    int64_t size[MAX_INDICES]; /* by index number */
};

static int64_t position_of(const struct dense_operand *operand, const int64_t value[MAX_INDICES])
{
    int64_t position = 0;
    for (int d = 0; d < operand->rank; d++)
        position = position * operand->size[d] + value[operand->index[d]];
    return position;
}

/* Steps to the next values, the last index of the loop fastest; false after the last ones,
 * when all are 0 again. */
static bool step(const struct index_loop *loop, int64_t value[MAX_INDICES])
{
    for (int d = loop->n - 1; d >= 0; d--) {
        int index = loop->index[d];
        if (++value[index] < loop->size[index])
            return true;
        value[index] = 0;
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
    int64_t n = 1;
    dense->rank = operand->labels->rank;
    for (int d = 0; d < dense->rank; d++) {
        dense->index[d] = operand->index[d];
        dense->size[d] = operand->labels->space[d]->size;
        n *= dense->size[d];
    }
    dense->element = calloc((size_t)n + 1, sizeof(double));
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

static void add_indices(const struct dense_operand *operand, bool seen[MAX_INDICES],
                        struct index_loop *loop)
{
    for (int d = 0; d < operand->rank; d++) {
        int index = operand->index[d];
        if (!seen[index])
            loop->index[loop->n++] = index;
        seen[index] = true;
        loop->size[index] = operand->size[d];
    }
}

static void contract(const struct contraction_problem *problem, struct dense_operand *C,
                     const struct dense_operand *A, const struct dense_operand *B)
{
    bool seen[MAX_INDICES] = {false};
    struct index_loop outer = {0}, inner = {0};
    add_indices(C, seen, &outer);
    add_indices(A, seen, &inner);
    if (problem->has_B)
        add_indices(B, seen, &inner);
    for (int d = 0; d < outer.n; d++)
        if (outer.size[outer.index[d]] == 0)
            return;
    bool empty = false;
    for (int d = 0; d < inner.n; d++)
        empty = empty || inner.size[inner.index[d]] == 0;
    int64_t value[MAX_INDICES] = {0};
    do {
        double sum = 0, *element = &C->element[position_of(C, value)];
        while (!empty) {
            double a = A->element[position_of(A, value)];
            sum += problem->has_B ? a * B->element[position_of(B, value)] : a;
            if (!step(&inner, value))
                break;
        }
        *element = (problem->add ? *element : 0) + problem->factor * sum;
    } while (step(&outer, value));
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
