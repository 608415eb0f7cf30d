/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/diagnostics.h"

#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "tce/methods/method_bindings.h"
#include "tce/tensor/odometer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the largest amplitudes --- */

/* Amplitudes that symmetry makes equal differ by rounding and by what convergence leaves; their
 * order must not depend on that. */
#define AMPLITUDE_QUANTUM 1e-7

/* An amplitude by its numbers in the tensor. */
struct candidate {
    double value;
    int64_t index[AMPLITUDE_MAX_INDICES];
};

/* The largest ones so far, in order. */
struct candidates {
    int64_t n; /* as wide as the others: the list is sent as bytes */
    struct candidate list[LARGEST_AMPLITUDES];
};

static bool precedes(const struct candidate *left, const struct candidate *right)
{
    double difference =
        rint(fabs(left->value) / AMPLITUDE_QUANTUM) - rint(fabs(right->value) / AMPLITUDE_QUANTUM);
    if (difference != 0)
        return difference > 0;
    for (int d = 0; d < AMPLITUDE_MAX_INDICES; d++)
        if (left->index[d] != right->index[d])
            return left->index[d] < right->index[d];
    return false;
}

static void insert_candidate(struct candidates *largest, const struct candidate *new)
{
    int64_t place = largest->n;
    while (place > 0 && precedes(new, &largest->list[place - 1]))
        place--;
    if (place == LARGEST_AMPLITUDES)
        return;
    if (largest->n < LARGEST_AMPLITUDES)
        largest->n++;
    memmove(&largest->list[place + 1], &largest->list[place],
            (size_t)(largest->n - 1 - place) * sizeof *new);
    largest->list[place] = *new;
}

/* Whether it is the one that is listed of those equal by permutation. */
static bool is_listed_of_equals(const int64_t index[], int rank, bool is_closed_shell)
{
    if (rank == 2)
        return true;
    if (is_closed_shell)
        return index[0] < index[1] || (index[0] == index[1] && index[2] <= index[3]);
    return index[0] < index[1] && index[2] < index[3];
}

static void search_block(const struct block_labels *labels, const int32_t tile[],
                         const double *elements, bool is_closed_shell, struct candidates *largest)
{
    struct candidate new = {0};
    int64_t first[MAX_RANK], end[MAX_RANK];
    for (int d = 0; d < labels->rank; d++) {
        new.index[d] = first[d] = labels->space[d]->first[tile[d]];
        end[d] = labels->space[d]->first[tile[d] + 1];
    }
    do {
        /* Most elements are far smaller than those listed: no more is asked of them. */
        double least = AMPLITUDE_QUANTUM;
        if (largest->n == LARGEST_AMPLITUDES)
            least = fmax(fabs(largest->list[LARGEST_AMPLITUDES - 1].value) - least, least);
        new.value = *elements++;
        if (fabs(new.value) >= least &&
            is_listed_of_equals(new.index, labels->rank, is_closed_shell))
            insert_candidate(largest, &new);
    } while (odometer_next(labels->rank, first, end, new.index));
}

/* Searches the blocks of this process. */
static void search_own_blocks(const struct tensor *t, bool is_closed_shell,
                              struct candidates *largest)
{
    *largest = (struct candidates){0};
    for (int64_t block = 0; block < block_index_n(t->blocks); block++) {
        const double *own = darray_local(t->data, block);
        int32_t tile[MAX_RANK];
        if (!own)
            continue;
        block_index_tuple(t->blocks, block, tile);
        search_block(block_index_labels(t->blocks), tile, own, is_closed_shell, largest);
    }
}

/* The largest ones of all processes. */
static void merge_processes(struct candidates *largest)
{
    const struct candidates own = *largest;
    int n_processes;
    MPI_Comm_size(darray_comm(), &n_processes);
    *largest = (struct candidates){0};
    for (int process = 0; process < n_processes; process++) {
        struct candidates others = own;
        MPI_Bcast(&others, sizeof others, MPI_BYTE, process, darray_comm());
        for (int64_t k = 0; k < others.n; k++)
            insert_candidate(largest, &others.list[k]);
    }
}

/* Lists the largest amplitudes of t[i,a] or t[i,j,a,b]. Collective over darray_comm(). */
static void find_largest_amplitudes(const struct tensor *t, const struct orbital_spaces *orbitals,
                                    struct largest_amplitudes *largest)
{
    struct candidates found;
    int rank = block_index_labels(t->blocks)->rank;
    search_own_blocks(t, orbitals->n_orbital_sets == 1, &found);
    merge_processes(&found);
    *largest = (struct largest_amplitudes){.n = (int)found.n, .rank = rank};
    for (int k = 0; k < largest->n; k++) {
        largest->list[k].value = found.list[k].value;
        for (int d = 0; d < rank; d++) {
            struct orbital_place place =
                orbital_spaces_find(orbitals, d >= rank / 2, found.list[k].index[d]);
            largest->list[k].is_beta[d] = place.spin == 1;
            largest->list[k].orbital[d] =
                orbital_space_number(&orbitals->spin[place.spin], place.orbital) + 1;
        }
    }
}

/* --- all diagnostics --- */

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

/* The unknown of this name, or NULL. */
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
    find_largest_amplitudes(t1, orbitals, &diagnostics->singles);
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
        find_largest_amplitudes(t2, correlation->problem.orbitals, &diagnostics->doubles);
    return STATUS_OK;
}
