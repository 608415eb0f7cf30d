/* SPDX-License-Identifier: BSD-3-Clause */
/* Results of a calculation that the library returns. */
#include "basis/integrals/shell_pairs.h"
#include "basis/quartets/quartet_batches.h"
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
    return calculation ? calculation->hf.input.n_densities : 0;
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

/* NULL if out of range. */
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

/* Four shells, the groups that they belong to, and the integrals wanted. */
struct shell_quartet {
    const struct shells *shells;
    const struct shell *shell[4];
    int64_t group[4];
    double *integrals;
};

static int64_t find_shell_group(const struct shells *shells, int64_t shell)
{
    int64_t group = shells->n_groups - 1;
    while (shells->groups[group].first_shell > shell)
        group--;
    return group;
}

static enum status create_pair(const struct shell_quartet *quartet, int side,
                               struct shell_pairs **pair)
{
    const int64_t *group = quartet->group + (ptrdiff_t)2 * side;
    struct shell_rectangle one = {.first = {group[0], group[1]},
                                  .last = {group[0] + 1, group[1] + 1}};
    return shell_pairs_create(quartet->shells, &one, NULL, 0, pair);
}

/* Sets the distance in memory of neighbours in each of the four indices: the engine may exchange the two sides, and
 * takes as first group of a pair the one of higher type. */
static void find_index_strides(const struct computed_batch *batch, int64_t stride[4])
{
    const struct pair_class *bra = batch->quartets.bra, *ket = batch->quartets.ket;
    for (int side = 0; side < 2; side++) {
        bool is_bra = (side == 0) != batch->exchanged;
        const struct pair_class *class = is_bra ? bra : ket;
        int64_t unit = QUARTET_LANES * (is_bra ? (int64_t)ket->n_first * ket->n_second : 1);
        bool swapped = class->pairs[0].swapped;
        stride[2 * side + swapped] = unit * class->n_second;
        stride[2 * side + !swapped] = unit;
    }
}

static void copy_shells(const struct computed_batch *batch, void *context)
{
    const struct shell_quartet *quartet = context;
    const double *from = batch->integrals;
    double *integrals = quartet->integrals;
    int64_t stride[4];
    find_index_strides(batch, stride);
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
                                         struct quartet_batches *batches, const int64_t shell[4],
                                         double *integrals)
{
    struct shell_quartet quartet = {.shells = shells, .integrals = integrals};
    struct shell_pairs *pair[2] = {NULL, NULL};
    size_t n = 1;
    for (int i = 0; i < 4; i++) {
        quartet.shell[i] = &shells->shells[shell[i]];
        quartet.group[i] = find_shell_group(shells, shell[i]);
        n *= (size_t)quartet.shell[i]->n_functions;
    }
    memset(integrals, 0, n * sizeof *integrals); /* of pairs without significant products */
    enum status status = create_pair(&quartet, 0, &pair[0]);
    if (status == STATUS_OK)
        status = create_pair(&quartet, 1, &pair[1]);
    if (status == STATUS_OK)
        quartet_batches_compute(
            batches, &(struct quartet_source){
                         .bra = pair[0], .ket = pair[1], .use = copy_shells, .context = &quartet});
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
    if (!self->batches)
        TRY(quartet_batches_create(self->hf.input.shells, 0, NULL, &self->batches));
    return compute_shell_quartet(self->hf.input.shells, self->batches, shells, integrals);
}

enum beryl_error beryl_quartet(struct beryl_calculation *calculation, const int64_t shells[4],
                               double *integrals)
{
    return beryl_leave(calculation, compute_one_quartet(calculation, shells, integrals));
}

/* --- matrices --- */

/* Has every process hold the whole matrix, row-major. */
static enum status gather_dense(const struct dense *matrix, double *full)
{
    TRY(dense_gather(matrix, full));
    for (int row = 0; row < matrix->n_rows; row++)
        MPI_Bcast(full + (size_t)row * (size_t)matrix->n_columns, matrix->n_columns, MPI_DOUBLE, 0,
                  MPI_COMM_WORLD);
    return STATUS_OK;
}

/* Between the tiles of a symmetric matrix and the whole matrix, row-major, of every process. */
static enum status move_matrix(const struct hf_calculation *hf, struct darray *tiles, double *full,
                               bool to_full)
{
    struct dense *dense;
    int64_t n = hf->input.shells->n_functions;
    TRY(dense_create(hf->grid, n, n, &dense));
    enum status status =
        to_full ? tile_matrix_to_dense(hf->tiling, tiles, dense) : dense_scatter(full, dense);
    if (status == STATUS_OK)
        status =
            to_full ? gather_dense(dense, full) : tile_matrix_from_dense(hf->tiling, dense, tiles);
    dense_destroy(dense);
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
    TRY(move_matrix(&self->hf, work[0], S, true));
    return move_matrix(&self->hf, work[1], H, true);
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
        TRY(move_matrix(&self->hf, work[spin], (double *)D + (size_t)spin * size, false));
    TRY(fock_build(self->hf.fock, n_densities, (const struct darray *const *)work, tiles_F));
    for (int spin = 0; spin < n_densities; spin++)
        TRY(move_matrix(&self->hf, tiles_F[spin], F + (size_t)spin * size, true));
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

/* The orbitals of a spin among those of the result: of ROHF both have the same. */
static int find_set(const struct beryl_calculation *calculation, int spin)
{
    return calculation->hf.input.n_orbital_sets == 2 ? spin : 0;
}

enum beryl_error beryl_orbital_energies(const struct beryl_calculation *calculation, int spin,
                                        double *energies)
{
    enum status status =
        check_result("beryl_orbital_energies", calculation, spin, energies != NULL);
    if (status != STATUS_OK)
        return (enum beryl_error)status;
    memcpy(energies, calculation->hf.result.orbital_energies[find_set(calculation, spin)],
           (size_t)beryl_n_orbitals(calculation) * sizeof *energies);
    return BERYL_OK;
}

static enum status gather_orbitals(struct beryl_calculation *self, int spin, double *C)
{
    TRY(check_result("beryl_orbitals", self, spin, C != NULL));
    return gather_dense(self->hf.result.orbitals[find_set(self, spin)], C);
}

enum beryl_error beryl_orbitals(struct beryl_calculation *calculation, int spin, double *C)
{
    return beryl_leave(calculation, gather_orbitals(calculation, spin, C));
}

static enum status gather_density(struct beryl_calculation *self, int spin, double *D)
{
    TRY(check_result("beryl_density", self, spin, D != NULL));
    return move_matrix(&self->hf, self->hf.D[spin], D, true);
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
