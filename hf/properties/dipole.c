/* SPDX-License-Identifier: BSD-3-Clause */
/* The dipole moment sum_A Z_A R_A - trace(D r), e Bohr, electrons and nuclei, about the origin. */
#include "basis/input/molecule.h"
#include "hf/properties/properties.h"
#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/log.h"

#include <math.h>

enum { N_AXES = 3 };

/* 1 e Bohr in Debye, CODATA 2018. */
#define E_BOHR_IN_DEBYE 2.541746473

static int64_t count_axes(const struct molecule *molecule)
{
    (void)molecule;
    return N_AXES;
}

static struct memory_need dipole_bytes(const struct scf_problem *problem, int n_processes)
{
    struct memory_need need = {0};
    memory_need_add(&need, N_AXES, tile_matrix_bytes(problem->tiling, n_processes));
    return need;
}

/* r: tile matrices of the three components, created here; the caller destroys them. */
static enum status add_electrons(const struct scf_problem *problem, struct darray *const D[],
                                 struct darray *r[N_AXES], double dipole[N_AXES])
{
    for (int k = 0; k < N_AXES; k++)
        TRY(tile_matrix_create(problem->tiling, "dipole", DARRAY_DOUBLE, &r[k]));
    TRY(dipole_matrices(problem->tiling, r));
    for (int k = 0; k < N_AXES; k++)
        for (int s = 0; s < problem->n_densities; s++)
            dipole[k] -= tile_matrix_dot(problem->tiling, D[s], r[k]);
    return STATUS_OK;
}

static enum status find_dipole(const struct scf_problem *problem, struct darray *const D[],
                               const struct darray *S, double dipole[])
{
    (void)S;
    struct darray *r[N_AXES] = {NULL};
    enum status status = add_electrons(problem, D, r, dipole);
    for (int k = 0; k < N_AXES; k++)
        darray_destroy(r[k]);
    TRY(status);
    for (int64_t i = 0; i < problem->molecule->n_atoms; i++) {
        const struct atom *atom = &problem->molecule->atoms[i];
        for (int k = 0; k < N_AXES; k++)
            dipole[k] += atom->charge * atom->position[k];
    }
    return STATUS_OK;
}

static void print_dipole(const struct molecule *molecule, const double d[])
{
    (void)molecule;
    double size = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    log_print("\nDipole about the origin  x %.6f  y %.6f  z %.6f  e Bohr, size %.6f = %.6f Debye\n",
              d[0], d[1], d[2], size, size * E_BOHR_IN_DEBYE);
}

const struct property property_dipole = {.key = "scf_dipole_moment",
                                         .is_of_qcschema = true,
                                         .count = count_axes,
                                         .find = find_dipole,
                                         .bytes = dipole_bytes,
                                         .print = print_dipole};
