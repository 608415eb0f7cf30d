/* SPDX-License-Identifier: BSD-3-Clause */
/* Free rotations. The orbitals of an atom can be turned together about any axis through it, the
 * orbitals of a linear molecule about its axis, at the same energy. If they are not symmetric about
 * the axis, as with a hole in a pi shell, this is a rotation between occupied and virtual orbitals,
 *   kappa = C_v^T S A C_o,   (u x r) . grad f = sum_g A_gf g,
 * along which the energy is constant: the Hessian has the eigenvalue zero, exactly, where
 * arithmetic finds a small number of either sign. */
#include "hf/scf/scf_hessian.h"

#include "basis/input/molecule.h"
#include "basis/integrals/shells.h"

#include <math.h>

/* Centres this far off an axis, in Bohr, are on it: more than the digits of a file leave. */
#define ON_AXIS 1e-6

/* Rotations smaller than this turn orbitals that are symmetric but for rounding. */
#define LEAST_NORM 1e-4

static double length_of(const double r[3])
{
    return sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
}

static void cross(const double a[3], const double b[3], double c[3])
{
    for (int x = 0; x < 3; x++)
        c[x] = a[(x + 1) % 3] * b[(x + 2) % 3] - a[(x + 2) % 3] * b[(x + 1) % 3];
}

/* From the first atom to another one. */
static void atom_distance(const struct molecule *molecule, int64_t atom, double r[3])
{
    for (int x = 0; x < 3; x++)
        r[x] = molecule->atoms[atom].position[x] - molecule->atoms[0].position[x];
}

/* The atom that is farthest from the first one, ghosts included. */
static int64_t find_farthest(const struct molecule *molecule)
{
    int64_t farthest = 0;
    double largest = 0, r[3];
    for (int64_t i = 1; i < molecule->n_atoms; i++) {
        atom_distance(molecule, i, r);
        if (length_of(r) > largest) {
            largest = length_of(r);
            farthest = i;
        }
    }
    return farthest;
}

/* Axes of free rotations: three about a single place, one along a line, else none; their number. */
static int list_free_axes(const struct molecule *molecule, double axes[3][3])
{
    double line[3], r[3], off[3];
    atom_distance(molecule, find_farthest(molecule), line);
    double length = length_of(line);
    for (int k = 0; k < 3; k++)
        for (int x = 0; x < 3; x++)
            axes[k][x] = length < ON_AXIS ? k == x : line[x] / length;
    if (length < ON_AXIS)
        return 3;
    for (int64_t i = 1; i < molecule->n_atoms; i++) {
        atom_distance(molecule, i, r);
        cross(axes[0], r, off);
        if (length_of(off) > ON_AXIS)
            return 0;
    }
    return 1;
}

/* Sets the local elements of A in the columns of a shell. */
static void set_shell_columns(const struct shell *shell, const double *block, struct dense *A)
{
    for (int c = 0; c < A->local_columns; c++) {
        int64_t f = dense_global_column(A, c) - shell->first_function;
        if (f < 0 || f >= shell->n_functions)
            continue;
        for (int r = 0; r < A->local_rows; r++) {
            int64_t g = dense_global_row(A, r) - shell->first_function;
            if (g >= 0 && g < shell->n_functions)
                A->local[(size_t)c * (size_t)A->local_rows + (size_t)r] =
                    block[g * shell->n_functions + f];
        }
    }
}

/* A of an axis. */
static void set_generator(const struct shells *shells, const double axis[3], struct dense *A)
{
    double block[ANGULAR_MAX_FUNCTIONS * ANGULAR_MAX_FUNCTIONS];
    dense_add(0, A, 0, A);
    for (int64_t s = 0; s < shells->n_shells; s++) {
        const struct shell *shell = &shells->shells[s];
        angular_rotation(shell->l, shell->spherical, axis, block);
        set_shell_columns(shell, block, A);
    }
}

/* kappa of an axis. */
static enum status set_free_rotation(struct scf_hessian *hessian, const double axis[3],
                                     struct scf_rotation *kappa)
{
    const struct scf_basis *basis = hessian->basis;
    struct dense *A = hessian->d[0], *SA = hessian->G[0];
    set_generator(basis->problem->shells, axis, A);
    TRY(scf_basis_load(basis, basis->S));
    dense_multiply('N', 'N', 1, basis->work_nn, A, 0, SA);
    scf_hessian_project(hessian, SA, kappa);
    return STATUS_OK;
}

/* Makes kappa[n] orthonormal to those before it; whether anything is left. */
static bool add_to_orthonormal(int n, struct scf_rotation kappa[])
{
    for (int i = 0; i < n; i++)
        scf_rotation_add(-scf_rotation_dot(&kappa[i], &kappa[n]), &kappa[i], 1, &kappa[n]);
    double norm = sqrt(scf_rotation_dot(&kappa[n], &kappa[n]));
    if (!(norm > LEAST_NORM))
        return false;
    scf_rotation_add(0, &kappa[n], 1 / norm, &kappa[n]);
    return true;
}

enum status scf_find_free_rotations(struct scf_hessian *hessian, struct scf_rotation kappa[],
                                    int *n)
{
    double axes[SCF_MAX_FREE_ROTATIONS][3];
    int n_axes = list_free_axes(hessian->basis->problem->molecule, axes);
    *n = 0;
    for (int k = 0; k < n_axes; k++) {
        TRY(set_free_rotation(hessian, axes[k], &kappa[*n]));
        *n += add_to_orthonormal(*n, kappa);
    }
    return STATUS_OK;
}
