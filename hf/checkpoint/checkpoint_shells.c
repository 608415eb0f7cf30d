/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_shells.h"

#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static enum status init_elsewhere(int rank, struct checkpoint_basis *basis)
{
    return rank == 0 ? STATUS_OK : checkpoint_basis_init_empty(basis);
}

enum status checkpoint_basis_share(MPI_Comm comm, struct checkpoint_basis *basis)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    int64_t counts[] = {basis->n_centers, basis->n_shells, basis->n_primitives, basis->n_functions,
                        basis->cartesian};
    MPI_Bcast(counts, 5, MPI_INT64_T, 0, comm);
    basis->n_centers = counts[0];
    basis->n_shells = counts[1];
    basis->n_primitives = counts[2];
    basis->n_functions = counts[3];
    basis->cartesian = counts[4] != 0;
    TRY(status_agree(comm, init_elsewhere(rank, basis)));
    int n = (int)basis->n_centers, m = (int)basis->n_shells;
    int p = (int)basis->n_primitives;
    MPI_Bcast(basis->coordinates, 3 * n, MPI_DOUBLE, 0, comm);
    MPI_Bcast(basis->shell_center, m, MPI_INT64_T, 0, comm);
    MPI_Bcast(basis->shell_l, m, MPI_INT64_T, 0, comm);
    MPI_Bcast(basis->shell_factor, m, MPI_DOUBLE, 0, comm);
    MPI_Bcast(basis->primitive_shell, p, MPI_INT64_T, 0, comm);
    MPI_Bcast(basis->exponent, p, MPI_DOUBLE, 0, comm);
    MPI_Bcast(basis->coefficient, p, MPI_DOUBLE, 0, comm);
    MPI_Bcast(basis->primitive_factor, p, MPI_DOUBLE, 0, comm);
    return STATUS_OK;
}

/* --- shells --- */

static enum status fail_shell(const char *path, int64_t shell, const char *what)
{
    return FAIL(STATUS_INPUT,
                "%s: shell %lld of its basis %s: its orbitals cannot be projected: "
                "start without them",
                path, (long long)shell + 1, what);
}

/* One shell, its primitives being those from *primitive on; sets *primitive behind them. */
static enum status set_shell(const char *path, const struct checkpoint_basis *basis, int64_t at,
                             int64_t *primitive, struct shells *shells)
{
    int64_t center = basis->shell_center[at], l = basis->shell_l[at], first = *primitive;
    double *exponents = shells->numbers, *coefficients = exponents + basis->n_primitives;
    int64_t end = first;
    if (l < 0 || l > BASIS_MAX_L)
        return fail_shell(path, at, "has an angular momentum beyond those of this program");
    if (center < 0 || center >= basis->n_centers)
        return fail_shell(path, at, "is on no centre");
    for (; end < basis->n_primitives && basis->primitive_shell[end] == at; end++) {
        exponents[end] = basis->exponent[end];
        coefficients[end] =
            basis->coefficient[end] * basis->primitive_factor[end] * basis->shell_factor[at];
        if (!(exponents[end] > 0))
            return fail_shell(path, at, "has an exponent that is not positive");
    }
    if (end == first)
        return fail_shell(path, at, "has no primitives of its own in the order of the shells");
    bool spherical = !basis->cartesian && l > 1;
    struct shell *shell = &shells->shells[at];
    *shell = (struct shell){.l = (int)l,
                            .spherical = spherical,
                            .n_functions = spherical ? 2 * (int)l + 1 : n_cartesians((int)l),
                            .n_primitives = (int)(end - first),
                            .atom = center,
                            .first_function = shells->n_functions,
                            .exponents = exponents + first,
                            .coefficients = coefficients + first};
    memcpy(shell->center, basis->coordinates + 3 * center, sizeof shell->center);
    *primitive = end;
    return STATUS_OK;
}

static enum status set_shells(const char *path, const struct checkpoint_basis *basis,
                              struct shells *shells)
{
    int64_t primitive = 0;
    shells->shells = calloc((size_t)basis->n_shells, sizeof *shells->shells);
    shells->numbers = calloc(2 * (size_t)basis->n_primitives, sizeof *shells->numbers);
    TRY(CHECK_MEMORY(shells->shells && shells->numbers, "no memory for the basis of %s", path));
    for (int64_t i = 0; i < basis->n_shells; i++) {
        TRY(set_shell(path, basis, i, &primitive, shells));
        const struct shell *shell = &shells->shells[i];
        shells->n_shells++;
        shells->n_functions += shell->n_functions;
        if (shell->l > shells->max_l)
            shells->max_l = shell->l;
        if (shell->n_primitives > shells->max_primitives)
            shells->max_primitives = shell->n_primitives;
    }
    if (shells->n_functions != basis->n_functions)
        return FAIL(STATUS_INPUT, "%s: damaged: its shells have %lld functions, but it counts %lld",
                    path, (long long)shells->n_functions, (long long)basis->n_functions);
    return STATUS_OK;
}

enum status checkpoint_shells_create(const char *path, const struct checkpoint_basis *basis,
                                     struct shells **shells)
{
    struct shells *made = calloc(1, sizeof *made);
    *shells = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the basis of %s", path));
    made->spherical = !basis->cartesian;
    enum status status = set_shells(path, basis, made);
    if (status != STATUS_OK)
        shells_destroy(made);
    else
        *shells = made;
    return status;
}

bool checkpoint_shells_move(const struct molecule *molecule, struct shells *shells)
{
    bool moved = false;
    for (int64_t i = 0; i < shells->n_shells; i++) {
        struct shell *shell = &shells->shells[i];
        const double *position = molecule->atoms[shell->atom].position;
        for (int k = 0; k < 3; k++)
            moved = moved || !(fabs(shell->center[k] - position[k]) < CHECKPOINT_SAME_PLACE);
        memcpy(shell->center, position, sizeof shell->center);
    }
    return moved;
}
