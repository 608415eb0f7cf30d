/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/diagnostics.h"

#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "tce/methods/method_bindings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether the first half of the indices is over occupied and the other over virtual orbitals. */
static bool has_amplitude_form(const struct program *program, const struct program_tensor *tensor,
                               int rank)
{
    if (tensor->rank != rank)
        return false;
    for (int d = 0; d < rank; d++)
        if (!method_space_is(program, tensor->space[d],
                             d < rank / 2 ? BINDING_OCCUPIED : BINDING_VIRTUAL))
            return false;
    return true;
}

/* The unknown of this name; NULL: there is none. */
static const struct tensor *find_amplitudes_named(const struct correlation *correlation,
                                                  const char *name, int rank)
{
    const struct program *program = &correlation->instance.program;
    for (int u = 0; u < program->n_unknowns; u++) {
        int number = program->unknowns[u].tensor;
        const struct program_tensor *tensor = &program->tensors[number];
        if (strcmp(tensor->name, name) == 0 && has_amplitude_form(program, tensor, rank))
            return executor_tensor(correlation->instance.executor, number);
    }
    return NULL;
}

/* full: all elements, row-major, zeros where there is no block. Not collective. */
static void gather_matrix(const struct tensor *t1, double *block, double *full)
{
    const struct block_labels *labels = block_index_labels(t1->blocks);
    const struct index_space *rows = labels->space[0], *columns = labels->space[1];
    for (int64_t b = 0; b < block_index_n(t1->blocks); b++) {
        int32_t tile[MAX_RANK];
        block_index_tuple(t1->blocks, b, tile);
        darray_get(t1->data, b, block);
        int64_t width = index_space_tile_size(columns, tile[1]);
        for (int64_t i = 0; i < index_space_tile_size(rows, tile[0]); i++)
            memcpy(full + (rows->first[tile[0]] + i) * columns->size + columns->first[tile[1]],
                   block + i * width, (size_t)width * sizeof *full);
    }
}

/* S = A A^T, lower triangle; A has n rows. */
static void multiply_by_transpose(const double *A, int64_t n, int64_t n_columns, double *S)
{
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j <= i; j++) {
            double sum = 0;
            for (int64_t a = 0; a < n_columns; a++)
                sum += A[i * n_columns + a] * A[j * n_columns + a];
            S[i * n + j] = sum;
        }
}

/* Norm and largest singular value. On the first process. */
static enum status measure_matrix(const struct tensor *t1, double *norm, double *singular)
{
    const struct block_labels *labels = block_index_labels(t1->blocks);
    int64_t n = labels->space[0]->size, n_columns = labels->space[1]->size;
    double *full = calloc((size_t)(n * n_columns), sizeof *full);
    double *block = malloc((size_t)(t1->max_block + 1) * sizeof *block);
    double *S = malloc((size_t)(n * n) * sizeof *S), *values = malloc((size_t)n * sizeof *values);
    enum status status = CHECK_MEMORY(full && block && S && values, "no memory for the amplitudes "
                                                                    "t1");
    if (status != STATUS_OK)
        goto done;
    gather_matrix(t1, block, full);
    multiply_by_transpose(full, n, n_columns, S);
    double trace = 0;
    for (int64_t i = 0; i < n; i++)
        trace += S[i * n + i];
    status = symmetric_eigen((int)n, S, values);
    *norm = sqrt(trace);
    *singular = sqrt(fmax(values[n - 1], 0));
done:
    free(full);
    free(block);
    free(S);
    free(values);
    return status;
}

static enum status measure_singles(const struct correlation *correlation, const struct tensor *t1,
                                   struct diagnostics *diagnostics)
{
    MPI_Comm comm = correlation->problem.comm;
    const struct orbital_spaces *orbitals = correlation->problem.orbitals;
    int64_t n_electrons = electrons_per_orbital(orbitals) * orbital_spaces_n_occupied(orbitals);
    double measures[2] = {0, 0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    TRY(status_agree(comm, rank == 0 ? measure_matrix(t1, &measures[0], &measures[1]) : STATUS_OK));
    MPI_Bcast(measures, 2, MPI_DOUBLE, 0, comm);
    diagnostics->has_singles = true;
    diagnostics->T1 = measures[0] / sqrt((double)n_electrons);
    diagnostics->D1 = measures[1];
    largest_amplitudes_find(t1, orbitals, &diagnostics->singles);
    return STATUS_OK;
}

enum status diagnostics_find(const struct correlation *correlation, struct diagnostics *diagnostics)
{
    const struct tensor *t1 = find_amplitudes_named(correlation, "t1", 2);
    const struct tensor *t2 = find_amplitudes_named(correlation, "t2", 4);
    *diagnostics = (struct diagnostics){0};
    darray_sync();
    if (t1)
        TRY(measure_singles(correlation, t1, diagnostics));
    if (t2)
        largest_amplitudes_find(t2, correlation->problem.orbitals, &diagnostics->doubles);
    return STATUS_OK;
}
