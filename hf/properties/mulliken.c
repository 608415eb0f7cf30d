/* SPDX-License-Identifier: BSD-3-Clause */
/* Mulliken's charges Z_A - sum over functions m of A of (D S)_mm, e, per centre of the molecule. */
#include "basis/input/molecule.h"
#include "hf/properties/properties.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "support/base/log.h"

#include <stdlib.h>

static int64_t count_centres(const struct molecule *molecule)
{
    return molecule->n_atoms;
}

/* population[m] += sum_n D_mn S_mn of the tiles on this process. */
static void add_own_populations(const struct tiling *tiling, const struct darray *D,
                                const struct darray *S, double *population)
{
    struct own_tile tile = {0};
    while (own_tile_next(tiling, D, &tile)) {
        const double *d = darray_local(D, tile.pair), *s = darray_local(S, tile.pair);
        double *row = population + tiling->first_function[tile.I];
        double *column = population + tiling->first_function[tile.J];
        int64_t n_I = tile_n_functions(tiling, tile.I), n_J = tile_n_functions(tiling, tile.J);
        for (int64_t i = 0; i < n_I; i++) {
            for (int64_t j = 0; j < n_J; j++) {
                double product = d[i * n_J + j] * s[i * n_J + j];
                row[i] += product;
                if (tile.I != tile.J)
                    column[j] += product;
            }
        }
    }
}

static enum status find_charges(const struct scf_problem *problem, struct darray *const D[],
                                const struct darray *S, double charges[])
{
    int n = (int)problem->shells->n_functions;
    double *population = agree_calloc(problem->comm, (size_t)n * sizeof *population, "populations");
    if (!population)
        return STATUS_NO_MEMORY;
    for (int s = 0; s < problem->n_densities; s++)
        add_own_populations(problem->tiling, D[s], S, population);
    MPI_Allreduce(MPI_IN_PLACE, population, n, MPI_DOUBLE, MPI_SUM, problem->comm);
    for (int64_t i = 0; i < problem->molecule->n_atoms; i++)
        charges[i] = problem->molecule->atoms[i].charge;
    for (int64_t i = 0; i < problem->shells->n_shells; i++) {
        const struct shell *shell = &problem->shells->shells[i];
        for (int f = 0; f < shell->n_functions; f++)
            charges[shell->atom] -= population[shell->first_function + f];
    }
    free(population);
    return STATUS_OK;
}

static void print_charges(const struct molecule *molecule, const double charges[])
{
    log_print("\nMulliken charges, e\n");
    for (int64_t i = 0; i < molecule->n_atoms; i++) {
        const struct atom *atom = &molecule->atoms[i];
        log_print("  %5lld  %s%-3s %12.6f\n", (long long)i + 1, atom->ghost ? "@" : " ",
                  element_symbol(atom->element), charges[i]);
    }
}

const struct property property_mulliken = {.key = "mulliken_charges",
                                           .count = count_centres,
                                           .find = find_charges,
                                           .print = print_charges};
