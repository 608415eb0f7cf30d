#include "tce/orbital_space.h"

#include "support/agree.h"
#include "support/dense.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the largest element another one is smaller beyond doubt. */
#define EQUALLY_LARGE (1 - 1e-6)

enum status orbital_space_count(int64_t n_functions, int64_t n_orbitals, int64_t n_occupied,
                                int64_t n_core, struct orbital_space *space)
{
    if (n_core >= n_occupied)
        return FAIL(STATUS_INPUT,
                    "no electrons are left to correlate: %lld orbitals are occupied, and %lld are "
                    "frozen core",
                    (long long)n_occupied, (long long)n_core);
    if (n_orbitals <= n_occupied)
        return FAIL(STATUS_INPUT,
                    "no virtual orbitals: all %lld orbitals of the basis are occupied, take a "
                    "larger one",
                    (long long)n_orbitals);
    *space = (struct orbital_space){.n_functions = n_functions,
                                    .n_core = n_core,
                                    .n_occupied = n_occupied - n_core,
                                    .n_virtual = n_orbitals - n_occupied,
                                    .n_orbitals = n_orbitals - n_core};
    return STATUS_OK;
}

/* Element i is at column[i * stride]. */
static double sign_of(const double *column, int64_t n, int64_t stride)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(column[i * stride]));
    for (int64_t i = 0; i < n; i++)
        if (fabs(column[i * stride]) >= EQUALLY_LARGE * largest)
            return column[i * stride] < 0 ? -1 : 1;
    return 1;
}

/* C from the orbitals [n_core, all) of the full matrix, which has n_all columns. */
static void take_orbitals(struct orbital_space *space, const double *full, int64_t n_all)
{
    for (int64_t p = 0; p < space->n_orbitals; p++) {
        const double *column = full + space->n_core + p;
        double sign = sign_of(column, space->n_functions, n_all);
        for (int64_t mu = 0; mu < space->n_functions; mu++)
            space->C[mu * space->n_orbitals + p] = sign * column[mu * n_all];
    }
}

/* By rows, whose number fits into the counts of MPI. */
static void broadcast(struct orbital_space *space, MPI_Comm comm)
{
    for (int64_t mu = 0; mu < space->n_functions; mu++)
        MPI_Bcast(space->C + mu * space->n_orbitals, (int)space->n_orbitals, MPI_DOUBLE, 0, comm);
}

static enum status fill(struct orbital_space *space, const struct scf_result *result, MPI_Comm comm)
{
    int rank;
    int64_t n_all = result->n_orbitals, n = space->n_functions, m = space->n_orbitals;
    MPI_Comm_rank(comm, &rank);
    double *full = rank == 0 ? malloc((size_t)(n * n_all) * sizeof *full) : NULL;
    space->C = malloc((size_t)(n * m) * sizeof *space->C);
    space->energies = malloc((size_t)m * sizeof *space->energies);
    bool complete = space->C && space->energies && (full || rank != 0);
    enum status status = status_agree(
        comm, complete ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the orbitals"));
    if (status == STATUS_OK)
        status = dense_gather(result->orbitals[0], full);
    if (status == STATUS_OK) {
        if (rank == 0)
            take_orbitals(space, full, n_all);
        broadcast(space, comm);
        memcpy(space->energies, result->orbital_energies[0] + space->n_core,
               (size_t)m * sizeof *space->energies);
        /* Bit for bit the same on every process. */
        MPI_Bcast(space->energies, (int)m, MPI_DOUBLE, 0, comm);
    }
    free(full);
    return status;
}

enum status orbital_space_create(const struct scf_result *result, int64_t n_occupied,
                                 int64_t n_core, MPI_Comm comm, struct orbital_space **space)
{
    struct orbital_space counts;
    *space = NULL;
    TRY(orbital_space_count(result->orbitals[0]->n_rows, result->n_orbitals, n_occupied, n_core,
                            &counts));
    struct orbital_space *made = calloc(1, sizeof *made);
    enum status status = made ? STATUS_OK : FAIL(STATUS_NO_MEMORY, "no memory for the orbitals");
    status = status_agree(comm, status);
    if (status == STATUS_OK) {
        *made = counts;
        status = fill(made, result, comm);
    }
    if (status != STATUS_OK) {
        orbital_space_destroy(made);
        return status;
    }
    *space = made;
    return STATUS_OK;
}

void orbital_space_destroy(struct orbital_space *space)
{
    if (!space)
        return;
    free(space->C);
    free(space->energies);
    free(space);
}
