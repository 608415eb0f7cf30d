/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a calculation that the library returns. */
#include "basis/integrals/shell_pairs.h"
#include "basis/integrals/two_electron.h"
#include "hf/tiles/one_electron_matrices.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"
#include "tce/calculation/method_calculation.h"
#include "tce/library/beryl.h"
#include "tce/library/beryl_private.h"
#include "tce/methods/methods.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- sizes --- */

int beryl_n_spins(const struct beryl_calculation *calculation)
{
    return calculation ? calculation->hf.input.n_orbital_sets : 0;
}

int64_t beryl_n_electrons(const struct beryl_calculation *calculation, int spin)
{
    return !calculation || spin < 0 || spin >= 2 ? 0 : calculation->hf.input.n_occupied[spin];
}

int64_t beryl_n_functions(const struct beryl_calculation *calculation)
{
    return calculation ? calculation->hf.input.shells->n_functions : 0;
}

int64_t beryl_n_shells(const struct beryl_calculation *calculation)
{
    return calculation ? calculation->hf.input.shells->n_shells : 0;
}

/* NULL: there is none. */
static const struct shell *find_shell(const struct beryl_calculation *calculation, int64_t shell)
{
    bool exists = shell >= 0 && shell < beryl_n_shells(calculation);
    return exists ? &calculation->hf.input.shells->shells[shell] : NULL;
}

int64_t beryl_shell_first(const struct beryl_calculation *calculation, int64_t shell)
{
    const struct shell *found = find_shell(calculation, shell);
    return found ? found->first_function : -1;
}

int64_t beryl_shell_size(const struct beryl_calculation *calculation, int64_t shell)
{
    const struct shell *found = find_shell(calculation, shell);
    return found ? found->n_functions : 0;
}

/* --- integrals --- */

/* Shells, and the integrals of the groups that they belong to, as the engine leaves them. */
struct group_quartet {
    const struct shells *shells;
    const struct shell *shell[4];
    int64_t group[4];
    double *values;
    int64_t stride[4];
};

static int64_t find_shell_group(const struct shells *shells, int64_t shell)
{
    int64_t group = shells->n_groups - 1;
    while (shells->groups[group].first_shell > shell)
        group--;
    return group;
}

static enum status create_pair(const struct group_quartet *quartet, int side,
                               struct shell_pairs **pair)
{
    const int64_t *group = quartet->group + (ptrdiff_t)2 * side;
    struct shell_rectangle one = {.first = {group[0], group[1]},
                                  .last = {group[0] + 1, group[1] + 1}};
    return shell_pairs_create(quartet->shells, &one, NULL, 0, pair);
}

/* The engine takes as bra the side of lower angular momentum, and as first group of a pair the one
 * of higher type: sets the distance in memory of neighbours in each of the four indices. */
static void find_index_strides(const struct pair_class *const class[2], bool exchanged,
                               int64_t stride[4])
{
    const struct pair_class *ket = class[!exchanged];
    for (int side = 0; side < 2; side++) {
        bool is_bra = (side == 0) != exchanged;
        int64_t unit = QUARTET_LANES * (is_bra ? (int64_t)ket->n_first * ket->n_second : 1);
        bool swapped = class[side]->pairs[0].swapped;
        stride[2 * side + swapped] = unit * class[side]->n_second;
        stride[2 * side + !swapped] = unit;
    }
}

/* pair: of bra and ket; a pair without significant products has no class. */
static enum status compute_groups(struct group_quartet *quartet, struct two_electron *two_electron,
                                  struct shell_pairs *const pair[2])
{
    if (pair[0]->n_classes == 0 || pair[1]->n_classes == 0)
        return STATUS_OK;
    const struct pair_class *class[2] = {pair[0]->classes, pair[1]->classes};
    bool exchanged =
        class[0]->l_first + class[0]->l_second > class[1]->l_first + class[1]->l_second;
    struct quartet first = {0, 0};
    struct quartet_batch batch = {class[exchanged], class[!exchanged], 1, &first};
    size_t size = (size_t)batch_size(quartet_n_integrals(class[0], class[1]), 1);
    quartet->values = aligned_alloc(QUARTET_LANES * sizeof(double), size * sizeof(double));
    TRY(CHECK_MEMORY(quartet->values, "no memory for the integrals of a quartet of shells"));
    two_electron_compute(two_electron, &batch, quartet->values);
    find_index_strides(class, exchanged, quartet->stride);
    return STATUS_OK;
}

static void copy_shells(const struct group_quartet *quartet, double *integrals)
{
    const int64_t *stride = quartet->stride;
    const double *from = quartet->values;
    for (int i = 0; i < 4; i++)
        from += stride[i] * (quartet->shell[i]->first_function -
                             quartet->shells->groups[quartet->group[i]].first_function);
    for (int a = 0; a < quartet->shell[0]->n_functions; a++)
        for (int b = 0; b < quartet->shell[1]->n_functions; b++)
            for (int c = 0; c < quartet->shell[2]->n_functions; c++)
                for (int d = 0; d < quartet->shell[3]->n_functions; d++)
                    *integrals++ =
                        from[a * stride[0] + b * stride[1] + c * stride[2] + d * stride[3]];
}

/* integrals[a][b][c][d] = (ab|cd) over the functions of four shells. */
static enum status compute_shell_quartet(const struct shells *shells,
                                         struct two_electron *two_electron, const int64_t shell[4],
                                         double *integrals)
{
    struct group_quartet quartet = {.shells = shells};
    struct shell_pairs *pair[2] = {NULL, NULL};
    size_t n = 1;
    for (int i = 0; i < 4; i++) {
        quartet.shell[i] = &shells->shells[shell[i]];
        quartet.group[i] = find_shell_group(shells, shell[i]);
        n *= (size_t)quartet.shell[i]->n_functions;
    }
    enum status status = create_pair(&quartet, 0, &pair[0]);
    if (status != STATUS_OK)
        goto done;
    status = create_pair(&quartet, 1, &pair[1]);
    if (status != STATUS_OK)
        goto done;
    status = compute_groups(&quartet, two_electron, pair);
    if (quartet.values)
        copy_shells(&quartet, integrals);
    else
        memset(integrals, 0, n * sizeof *integrals);
done:
    free(quartet.values);
    shell_pairs_destroy(pair[0]);
    shell_pairs_destroy(pair[1]);
    return status;
}

static enum status compute_one_quartet(struct beryl_calculation *self, const int64_t shells[4],
                                       double *integrals)
{
    TRY(beryl_enter("beryl_quartet", self, shells && integrals));
    for (int i = 0; i < 4; i++)
        if (!find_shell(self, shells[i]))
            return FAIL(STATUS_USAGE, "beryl_quartet: shell %lld is not below %lld",
                        (long long)shells[i], (long long)beryl_n_shells(self));
    if (!self->two_electron)
        TRY(two_electron_create(self->hf.input.shells, 0, NULL, &self->two_electron));
    return compute_shell_quartet(self->hf.input.shells, self->two_electron, shells, integrals);
}

enum beryl_error beryl_quartet(struct beryl_calculation *calculation, const int64_t shells[4],
                               double *integrals)
{
    return beryl_leave(calculation, compute_one_quartet(calculation, shells, integrals));
}

/* --- matrices --- */

/* tile: n_I x n_J of the symmetric full matrix, n_functions x n_functions. */
static void copy_tile(const struct tiling *tiling, int64_t I, int64_t J, double *tile, double *full,
                      bool to_full)
{
    int64_t n = tiling->shells->n_functions;
    for (int64_t i = tiling->first_function[I]; i < tiling->first_function[I + 1]; i++)
        for (int64_t j = tiling->first_function[J]; j < tiling->first_function[J + 1]; j++, tile++)
            if (to_full)
                full[i * n + j] = full[j * n + i] = *tile;
            else
                *tile = i >= j ? full[i * n + j] : full[j * n + i];
}

static enum status allocate_tile(const struct tiling *tiling, double **tile)
{
    *tile = malloc((size_t)(tiling->max_functions * tiling->max_functions) * sizeof **tile);
    return status_agree(MPI_COMM_WORLD, CHECK_MEMORY(*tile, "no memory for a tile of a matrix"));
}

static enum status read_tiles(const struct tiling *tiling, const struct darray *tiles, double *full)
{
    double *tile;
    enum status status = allocate_tile(tiling, &tile);
    if (status != STATUS_OK)
        goto done;
    for (int64_t pair = 0; pair < tiling_n_pairs(tiling); pair++) {
        int64_t I, J;
        tile_pair_of_index(pair, &I, &J);
        darray_get(tiles, pair, tile);
        copy_tile(tiling, I, J, tile, full, true);
    }
done:
    free(tile);
    return status;
}

static enum status write_tiles(const struct tiling *tiling, double *full, struct darray *tiles)
{
    double *tile;
    enum status status = allocate_tile(tiling, &tile);
    if (status != STATUS_OK)
        goto done;
    for (struct own_tile own = {0}; own_tile_next(tiling, tiles, &own);) {
        copy_tile(tiling, own.I, own.J, tile, full, false);
        darray_put(tiles, own.pair, tile);
    }
    darray_sync();
done:
    free(tile);
    return status;
}

enum { WORK_MATRICES = 4 };

static void destroy_work(struct darray *work[WORK_MATRICES])
{
    for (int i = 0; i < WORK_MATRICES; i++)
        darray_destroy(work[i]);
}

static enum status create_work(const struct tiling *tiling, int n,
                               struct darray *work[WORK_MATRICES])
{
    for (int i = 0; i < n; i++)
        TRY(tile_matrix_create(tiling, "matrix", DARRAY_DOUBLE, &work[i]));
    return STATUS_OK;
}

static enum status compute_overlap_and_core(struct beryl_calculation *self, double *S, double *H,
                                            struct darray *work[WORK_MATRICES])
{
    TRY(beryl_enter("beryl_one_electron", self, S && H));
    const struct tiling *tiling = self->hf.tiling;
    TRY(create_work(tiling, 2, work));
    TRY(overlap_matrix(tiling, work[0]));
    TRY(core_hamiltonian_matrix(tiling, &self->hf.input.placed, work[1]));
    darray_sync();
    TRY(read_tiles(tiling, work[0], S));
    return read_tiles(tiling, work[1], H);
}

enum beryl_error beryl_one_electron(struct beryl_calculation *calculation, double *S, double *H)
{
    struct darray *work[WORK_MATRICES] = {NULL};
    enum status status = compute_overlap_and_core(calculation, S, H, work);
    destroy_work(work);
    return beryl_leave(calculation, status);
}

static enum status build_fock(struct beryl_calculation *self, const double *D, double *F,
                              struct darray *work[WORK_MATRICES])
{
    TRY(beryl_enter("beryl_fock", self, D && F));
    const struct tiling *tiling = self->hf.tiling;
    int n_densities = self->hf.input.n_densities;
    size_t size = (size_t)(tiling->shells->n_functions * tiling->shells->n_functions);
    struct darray *const *tiles_F = work + n_densities;
    TRY(create_work(tiling, 2 * n_densities, work));
    for (int spin = 0; spin < n_densities; spin++)
        TRY(write_tiles(tiling, (double *)D + (size_t)spin * size, work[spin]));
    TRY(fock_build(self->hf.fock, n_densities, (const struct darray *const *)work, tiles_F));
    for (int spin = 0; spin < n_densities; spin++)
        TRY(read_tiles(tiling, tiles_F[spin], F + (size_t)spin * size));
    return STATUS_OK;
}

enum beryl_error beryl_fock(struct beryl_calculation *calculation, const double *D, double *F)
{
    struct darray *work[WORK_MATRICES] = {NULL};
    enum status status = build_fock(calculation, D, F, work);
    destroy_work(work);
    return beryl_leave(calculation, status);
}

/* --- the SCF --- */

static enum status solve_scf(struct beryl_calculation *self)
{
    double seconds;
    TRY(beryl_enter("beryl_solve", self, true));
    if (self->solved)
        return FAIL(STATUS_USAGE, "beryl_solve has solved this calculation already");
    TRY(hf_calculation_find_density(&self->hf, true, &seconds));
    self->solved = true;
    return STATUS_OK;
}

enum beryl_error beryl_solve(struct beryl_calculation *calculation)
{
    return beryl_leave(calculation, solve_scf(calculation));
}

double beryl_energy(const struct beryl_calculation *calculation)
{
    return calculation && calculation->solved ? calculation->hf.result.energy : NAN;
}

int64_t beryl_n_orbitals(const struct beryl_calculation *calculation)
{
    return calculation && calculation->solved ? calculation->hf.result.n_orbitals : 0;
}

static enum status check_result(const char *function, const struct beryl_calculation *calculation,
                                int spin, bool given)
{
    TRY(beryl_enter(function, calculation, given));
    if (!calculation->solved)
        return FAIL(STATUS_USAGE, "the SCF is not solved: call beryl_solve before");
    if (spin < 0 || spin >= beryl_n_spins(calculation))
        return FAIL(STATUS_USAGE, "spin is %d, and n_spins %d", spin, beryl_n_spins(calculation));
    return STATUS_OK;
}

enum beryl_error beryl_orbital_energies(const struct beryl_calculation *calculation, int spin,
                                        double *energies)
{
    enum status status =
        check_result("beryl_orbital_energies", calculation, spin, energies != NULL);
    if (status != STATUS_OK)
        return (enum beryl_error)status;
    memcpy(energies, calculation->hf.result.orbital_energies[spin],
           (size_t)beryl_n_orbitals(calculation) * sizeof *energies);
    return BERYL_OK;
}

static enum status gather_orbitals(struct beryl_calculation *self, int spin, double *C)
{
    TRY(check_result("beryl_orbitals", self, spin, C != NULL));
    const struct dense *orbitals = self->hf.result.orbitals[spin];
    TRY(dense_gather(orbitals, C));
    for (int row = 0; row < orbitals->n_rows; row++)
        MPI_Bcast(C + (size_t)row * (size_t)orbitals->n_columns, orbitals->n_columns, MPI_DOUBLE, 0,
                  MPI_COMM_WORLD);
    return STATUS_OK;
}

enum beryl_error beryl_orbitals(struct beryl_calculation *calculation, int spin, double *C)
{
    return beryl_leave(calculation, gather_orbitals(calculation, spin, C));
}

static enum status gather_density(struct beryl_calculation *self, int spin, double *D)
{
    TRY(check_result("beryl_density", self, spin, D != NULL));
    return read_tiles(self->hf.tiling, self->hf.D[spin], D);
}

enum beryl_error beryl_density(struct beryl_calculation *calculation, int spin, double *D)
{
    return beryl_leave(calculation, gather_density(calculation, spin, D));
}

/* --- correlation --- */

static enum status solve_correlation(struct method_calculation *method,
                                     const struct method_settings *settings,
                                     struct hf_calculation *hf, double *energy)
{
    const struct taskpool_settings *pool = &hf->settings->pool;
    fock_forget_integrals(hf->fock); /* for the method's memory */
    TRY(method_calculation_plan(settings, hf, method));
    TRY(method_calculation_check_memory(method));
    TRY(method_calculation_prepare(method, pool));
    TRY(method_calculation_solve(method, pool));
    *energy = correlation_energy(&method->correlation);
    return STATUS_OK;
}

static enum status correlate(struct beryl_calculation *self, const char *name, double *energy)
{
    TRY(check_result("beryl_correlate", self, 0, name && energy));
    const struct tce_method *found = tce_method_find(name);
    if (!found)
        return FAIL(STATUS_USAGE, "'%.64s' is no method: give " TCE_METHOD_NAMES, name);
    const struct method_settings settings = {
        .method = found->name,
        .frozen_core = self->given.frozen_core,
        .freeze = self->given.frozen_core ? METHOD_NOT_GIVEN : self->given.freeze,
        .freeze_virtuals = self->given.freeze_virtuals,
        .converge = self->given.converge_amplitudes,
        .max_iterations = self->given.max_iter_amplitudes,
        .diis_size = METHOD_DEFAULT_DIIS_SIZE,
        .contraction = {.cache_bytes = self->settings.fock.cache_bytes, .prefetch = true}};
    struct method_calculation method = {0};
    enum status status = solve_correlation(&method, &settings, &self->hf, energy);
    method_calculation_fini(&method);
    return status;
}

enum beryl_error beryl_correlate(struct beryl_calculation *calculation, const char *method,
                                 double *energy)
{
    return beryl_leave(calculation, correlate(calculation, method, energy));
}
