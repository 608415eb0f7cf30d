/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_restart.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "hf/checkpoint/checkpoint_trial.h"
#include "support/base/log.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* A transformation between two bases of one space is orthogonal to within this. */
#define SAME_SPACE 1e-8

/* The numbers of the group beside the history's. */
struct kept_numbers {
    int64_t n_densities, n_orbitals, n_steps, has_best, has_damped, n_saddles, n_starts;
    double radius; /* of Newton steps; 0: DIIS */
};

enum { N_SCALARS = 14, N_NUMBERS = N_SCALARS + 2 * SCF_MAX_SADDLES };

static const char *const saddle_names[SCF_MAX_SADDLES][2] = {
    {"saddle_1_energy", "saddle_1_curvature"},
    {"saddle_2_energy", "saddle_2_curvature"},
    {"saddle_3_energy", "saddle_3_curvature"},
    {"saddle_4_energy", "saddle_4_curvature"},
    {"saddle_5_energy", "saddle_5_curvature"}};

/* The history without the numbers that evaluating the state again finds. */
static void list_numbers(struct kept_numbers *kept, struct scf_history *history,
                         struct scf_saddle saddles[], struct checkpoint_number numbers[N_NUMBERS])
{
    const struct checkpoint_number scalars[N_SCALARS] = {
        {"n_spins", &kept->n_densities, NULL},
        {"n_orbitals", &kept->n_orbitals, NULL},
        {"n_steps", &kept->n_steps, NULL},
        {"has_best", &kept->has_best, NULL},
        {"has_damped", &kept->has_damped, NULL},
        {"n_saddles", &kept->n_saddles, NULL},
        {"n_starts", &kept->n_starts, NULL},
        {"radius", NULL, &kept->radius},
        {"iteration", &history->iteration, NULL},
        {"n_without_progress", &history->n_without_progress, NULL},
        {"change", NULL, &history->change},
        {"last_norm", NULL, &history->last_norm},
        {"best_energy", NULL, &history->best_energy},
        {"least_gradient", NULL, &history->least_gradient},
    };
    for (int i = 0; i < N_SCALARS; i++)
        numbers[i] = scalars[i];
    for (int i = 0; i < SCF_MAX_SADDLES; i++) {
        struct checkpoint_number *number = &numbers[N_SCALARS + 2 * i];
        number[0] = (struct checkpoint_number){saddle_names[i][0], NULL, &saddles[i].energy};
        number[1] = (struct checkpoint_number){saddle_names[i][1], NULL, &saddles[i].curvature};
    }
}

/* Curvatures by enum scf_space as numbers of the file. */
struct kept_curvature {
    double eigenvalue, noise, error;
    int64_t n_products;
};

enum { N_CURVATURE_NUMBERS = 4 };

/* Writes or reads a curvature, which stays zero where the file has none. */
static enum status move_curvature(struct checkpoint_stream *stream, enum scf_space space,
                                  struct kept_curvature *kept)
{
    static const char *const groups[SCF_SPACES] = {CHECKPOINT_SCF "_stability_rhf",
                                                   CHECKPOINT_SCF "_stability_uhf"};
    const struct checkpoint_number numbers[N_CURVATURE_NUMBERS] = {
        {"eigenvalue", NULL, &kept->eigenvalue},
        {"noise", NULL, &kept->noise},
        {"error", NULL, &kept->error},
        {"n_products", &kept->n_products, NULL},
    };
    bool found;
    return checkpoint_stream_numbers(stream, groups[space], N_CURVATURE_NUMBERS, numbers, &found);
}

/* The result's curvatures. */
static enum status add_curvatures(struct checkpoint_stream *stream, const struct scf_result *result)
{
    for (int space = 0; space < SCF_SPACES; space++) {
        const struct scf_curvature *curvature = &result->curvature[space];
        struct kept_curvature kept = {curvature->eigenvalue, curvature->noise, curvature->error,
                                      curvature->n_products};
        if (curvature->n_products > 0)
            TRY(move_curvature(stream, (enum scf_space)space, &kept));
    }
    return STATUS_OK;
}

/* Sets the result's curvatures to those of a solution that was tested. A saddle point that is to be
 * left is tested again, for the way. */
static enum status read_curvatures(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    enum scf_space own = solver->result->space;
    struct scf_curvature *curvature = solver->result->curvature;
    for (int space = own; space < SCF_SPACES; space++) {
        struct kept_curvature kept = {0};
        TRY(move_curvature(stream, (enum scf_space)space, &kept));
        curvature[space] =
            (struct scf_curvature){kept.eigenvalue, kept.noise, kept.error, (int)kept.n_products};
    }
    bool leaves = scf_curvature_verdict(&curvature[own]) == SCF_VERDICT_UNSTABLE &&
                  solver->settings->follow != SCF_FOLLOW_NONE;
    if (curvature[own].n_products > 0 && !leaves)
        scf_history_take_test(&solver->history, &curvature[own]);
    else
        memset(curvature, 0, SCF_SPACES * sizeof *curvature);
    return STATUS_OK;
}

int64_t scf_restart_bytes(const struct scf_basis *basis, int64_t n_steps, int n_others)
{
    int64_t n = basis->n_functions, m = basis->n_orbitals;
    return (n * m + (n_steps + n_others) * basis->problem->n_densities * m * m) *
           (int64_t)sizeof(double);
}

/* --- the reference of a kept occupation --- */

/* The place of the orbitals of a spin. */
static struct checkpoint_matrix reference_place(const struct dense *C, int spin)
{
    static const char *const sets[] = {CHECKPOINT_OCCUPATION "/alpha",
                                       CHECKPOINT_OCCUPATION "/beta"};
    return (struct checkpoint_matrix){
        .set = sets[spin], .n_rows = C->n_columns, .of_functions = true};
}

/* Moves the electrons of each spin, the beta ones of RHF being 0. */
static enum status move_n_electrons(struct checkpoint_stream *stream, int64_t n[2], bool *found)
{
    const struct checkpoint_number numbers[] = {{"n_alpha", &n[0], NULL}, {"n_beta", &n[1], NULL}};
    return checkpoint_stream_numbers(stream, CHECKPOINT_OCCUPATION, 2, numbers, found);
}

/* Writes the reference of the occupation, or compares it. */
static enum status add_reference(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {basis->n_occupied[0], basis->n_occupied[1]};
    bool found;
    TRY(move_n_electrons(stream, n, &found));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        struct dense *C = solver->state->C_o[s];
        const struct checkpoint_matrix place = reference_place(C, s);
        scf_basis_expand(basis, solver->occupation->R[s], C);
        if (C->n_columns > 0)
            TRY(checkpoint_stream_matrix(stream, &place, C));
    }
    return STATUS_OK;
}

/* R = X^T S C of a spin. */
static enum status read_reference(struct checkpoint_stream *stream, struct scf_solver *solver,
                                  int spin)
{
    const struct scf_basis *basis = solver->basis;
    struct dense *C = solver->state->C_o[spin], *SC;
    const struct checkpoint_matrix place = reference_place(C, spin);
    if (C->n_columns == 0)
        return STATUS_OK;
    TRY(checkpoint_stream_matrix(stream, &place, C));
    TRY(dense_create(basis->problem->grid, C->n_rows, C->n_columns, &SC));
    dense_multiply('N', 'N', 1, basis->work_nn, C, 0, SC);
    dense_multiply('T', 'N', 1, basis->X, SC, 0, solver->occupation->R[spin]);
    dense_destroy(SC);
    return STATUS_OK;
}

/* Sets the reference of the occupation to the file's, if it has one for as many electrons. */
static enum status take_reference(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {0, 0};
    bool found;
    TRY(move_n_electrons(stream, n, &found));
    if (!found || n[0] != basis->n_occupied[0] || n[1] != basis->n_occupied[1])
        return STATUS_OK;
    TRY(scf_basis_load(basis, basis->S));
    for (int s = 0; s < basis->problem->n_densities; s++)
        TRY(read_reference(stream, solver, s));
    solver->occupation->is_set = true;
    return STATUS_OK;
}

/* --- writing --- */

/* Steps of DIIS are of no use to Newton steps. */
static struct kept_numbers numbers_of(const struct scf_solver *solver)
{
    const struct scf_problem *problem = solver->basis->problem;
    const struct scf_second_order *second_order = solver->second_order;
    return (struct kept_numbers){
        .n_densities = problem->n_densities,
        .n_orbitals = solver->basis->n_orbitals,
        .n_steps = second_order ? 0 : diis_n_steps(solver->diis),
        .has_best = !second_order && solver->state->energy > solver->history.best_energy,
        .has_damped = solver->has_damped,
        .n_saddles = solver->result->n_saddles,
        .n_starts = solver->result->n_starts,
        .radius = second_order ? second_order->radius : 0,
    };
}

/* Matrix number `at` of a data set of n. */
static struct checkpoint_matrix square_place(const char *set, int64_t n, int64_t at, int64_t m)
{
    return (struct checkpoint_matrix){.set = set, .n_rows = n * m, .first_row = at * m};
}

static enum status add_steps(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    int n_densities = solver->basis->problem->n_densities,
        n = diis_n_steps(solver->diis) * n_densities;
    for (int i = 0; i < n; i++) {
        struct dense *step = diis_get_step(solver->diis, i / n_densities, i % n_densities);
        const struct checkpoint_matrix place =
            square_place(CHECKPOINT_SCF "/diis", n, i, step->n_rows);
        TRY(checkpoint_stream_matrix(stream, &place, step));
    }
    return STATUS_OK;
}

static enum status move_of_spins(struct checkpoint_stream *stream, const char *set, int n_densities,
                                 struct dense *const matrices[])
{
    for (int s = 0; s < n_densities; s++) {
        const struct checkpoint_matrix place =
            square_place(set, n_densities, s, matrices[s]->n_rows);
        TRY(checkpoint_stream_matrix(stream, &place, matrices[s]));
    }
    return STATUS_OK;
}

static enum status move_basis(struct checkpoint_stream *stream, struct dense *X)
{
    const struct checkpoint_matrix place = {
        .set = CHECKPOINT_SCF "/basis", .n_rows = X->n_columns, .of_functions = true};
    return checkpoint_stream_matrix(stream, &place, X);
}

/* The projectors, which need no choice of orbitals. */
static enum status add_best(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    int n_densities = solver->basis->problem->n_densities;
    struct dense *P = solver->basis->work_mm[0];
    for (int s = 0; s < n_densities; s++) {
        const struct checkpoint_matrix place =
            square_place(CHECKPOINT_SCF "/best", n_densities, s, P->n_rows);
        dense_multiply('N', 'T', 1, solver->U_best[s], solver->U_best[s], 0, P);
        TRY(checkpoint_stream_matrix(stream, &place, P));
    }
    return STATUS_OK;
}

/* The group, as checkpoint_orbitals.add; context: the solver. */
static enum status add_iterations(struct checkpoint_stream *stream, void *context)
{
    struct scf_solver *solver = context;
    struct kept_numbers kept = numbers_of(solver);
    struct checkpoint_number numbers[N_NUMBERS];
    bool found;
    int n_densities = solver->basis->problem->n_densities;
    list_numbers(&kept, &solver->history, solver->result->saddles, numbers);
    TRY(checkpoint_stream_numbers(stream, CHECKPOINT_SCF, N_NUMBERS, numbers, &found));
    TRY(move_basis(stream, solver->basis->X));
    if (kept.n_steps > 0)
        TRY(add_steps(stream, solver));
    if (kept.has_best)
        TRY(add_best(stream, solver));
    if (kept.has_damped)
        TRY(move_of_spins(stream, CHECKPOINT_SCF "/damped", n_densities, solver->F_damped));
    if (solver->occupation)
        TRY(add_reference(stream, solver));
    return add_curvatures(stream, solver->result);
}

enum status scf_restart_write(struct scf_solver *solver)
{
    /* A guess density has no orbitals yet. */
    if (!solver->settings->checkpoint || !solver->state->idempotent)
        return STATUS_OK;
    TRY(scf_solver_expand_orbitals(solver));
    struct checkpoint_orbitals orbitals = {
        .n_orbitals = solver->basis->n_orbitals,
        .orbitals = {solver->result->orbitals[0], solver->result->orbitals[1]},
        .orbital_energies = {solver->state->orbital_energies[0],
                             solver->state->orbital_energies[1]},
        .energy = solver->state->energy,
        .converged = solver->result->converged,
        .solver = "SCF",
        .iteration = solver->history.iteration,
        .add = add_iterations,
        .add_context = solver,
        .add_bytes = scf_restart_bytes(solver->basis, diis_n_steps(solver->diis), 0),
    };
    solver->is_written = true;
    checkpoint_write_or_warn(solver->settings->checkpoint, solver->basis->problem, &orbitals);
    return STATUS_OK;
}

/* --- reading --- */

/* From the columns of the file's X to those of this run. */
struct transformation {
    struct dense *T; /* X^T S X_file */
    struct dense *packed, *work;
};

static void transformation_fini(struct transformation *transformation)
{
    dense_destroy(transformation->T);
    dense_destroy(transformation->packed);
    dense_destroy(transformation->work);
}

static enum status transformation_init(const struct scf_basis *basis,
                                       struct transformation *transformation)
{
    const struct dense_grid *grid = basis->problem->grid;
    int64_t m = basis->n_orbitals;
    *transformation = (struct transformation){0};
    TRY(dense_create(grid, m, m, &transformation->T));
    TRY(dense_create(grid, m, m, &transformation->packed));
    return dense_create(grid, m, m, &transformation->work);
}

/* T; *same: whether both X span the same space. X: room for the file's. */
static enum status find_transformation(struct checkpoint_stream *stream,
                                       const struct scf_basis *basis, struct dense *X,
                                       struct transformation *transformation, bool *same)
{
    struct dense *T = transformation->T, *TT = transformation->work;
    TRY(scf_basis_load(basis, basis->S));
    TRY(move_basis(stream, X));
    dense_multiply('N', 'N', 1, basis->work_nn, X, 0, basis->work_nm);
    dense_multiply('T', 'N', 1, basis->X, basis->work_nm, 0, T);
    dense_set_identity(TT);
    dense_multiply('T', 'N', 1, T, T, -1, TT);
    *same = dense_max_abs(TT) < SAME_SPACE;
    return STATUS_OK;
}

static enum status set_transformation(struct checkpoint_stream *stream,
                                      const struct scf_solver *solver,
                                      struct transformation *transformation, bool *same)
{
    const struct scf_basis *basis = solver->basis;
    struct dense *X;
    TRY(dense_create(transformation->T->grid, basis->n_functions, basis->n_orbitals, &X));
    enum status status = find_transformation(stream, basis, X, transformation, same);
    dense_destroy(X);
    return status;
}

/* A = T A T^T. */
static void transform(const struct transformation *transformation, struct dense *A)
{
    dense_multiply('N', 'N', 1, transformation->T, A, 0, transformation->work);
    dense_multiply('N', 'T', 1, transformation->work, transformation->T, 0, A);
}

/* The matrices of the state, which are not set yet, are scratch. */
static enum status read_step(struct checkpoint_stream *stream, struct scf_solver *solver,
                             const struct transformation *transformation, int step, int64_t n_steps)
{
    int n_densities = solver->basis->problem->n_densities;
    const struct scf_state *state = solver->state;
    struct dense *packed = transformation->packed;
    for (int s = 0; s < n_densities; s++) {
        const struct checkpoint_matrix place =
            square_place(CHECKPOINT_SCF "/diis", n_steps * n_densities,
                         (int64_t)step * n_densities + s, packed->n_rows);
        TRY(checkpoint_stream_matrix(stream, &place, packed));
        diis_unpack_step(packed, transformation->work, state->F[s], state->U[s]);
        transform(transformation, state->F[s]);
        transform(transformation, state->U[s]);
    }
    diis_push(solver->diis, state->F, state->U);
    return STATUS_OK;
}

static enum status read_of_spins(struct checkpoint_stream *stream, const char *set,
                                 const struct transformation *transformation, int n_densities,
                                 struct dense *const matrices[])
{
    TRY(move_of_spins(stream, set, n_densities, matrices));
    for (int s = 0; s < n_densities; s++)
        transform(transformation, matrices[s]);
    return STATUS_OK;
}

/* The orbitals of a projector are its eigenvectors of eigenvalue 1. The state's matrices are
 * scratch. */
static enum status read_best(struct checkpoint_stream *stream, struct scf_solver *solver,
                             const struct transformation *transformation)
{
    const struct scf_state *state = solver->state;
    TRY(read_of_spins(stream, CHECKPOINT_SCF "/best", transformation,
                      solver->basis->problem->n_densities, state->F));
    for (int s = 0; s < solver->basis->problem->n_densities; s++) {
        dense_add(0, state->F[s], -1, state->F[s]);
        TRY(dense_eigen(state->F[s], state->orbital_energies[s], state->U[s]));
        dense_copy_columns(state->U[s], 0, solver->U_best[s]);
    }
    return STATUS_OK;
}

static enum status read_matrices(struct checkpoint_stream *stream, struct scf_solver *solver,
                                 const struct kept_numbers *kept,
                                 const struct transformation *transformation)
{
    int n_densities = solver->basis->problem->n_densities;
    int64_t most = scf_diis_size(solver->settings, solver->basis->problem), n = kept->n_steps;
    for (int64_t step = n > most ? n - most : 0; step < n; step++)
        TRY(read_step(stream, solver, transformation, (int)step, n));
    if (kept->has_best)
        TRY(read_best(stream, solver, transformation));
    solver->has_damped = kept->has_damped && solver->settings->damping > 0;
    if (solver->has_damped)
        TRY(read_of_spins(stream, CHECKPOINT_SCF "/damped", transformation, n_densities,
                          solver->F_damped));
    return STATUS_OK;
}

/* The state, which is evaluated again, sets the rest of the history. */
static enum status take_numbers(struct scf_solver *solver, const struct kept_numbers *kept,
                                const struct scf_history *history)
{
    solver->history = *history;
    solver->history.iteration--; /* the last one is evaluated again */
    solver->result->n_saddles = (int)kept->n_saddles;
    solver->is_resumed = true;
    if (!kept->has_best)
        solver->history.best_energy = INFINITY;
    if (kept->radius > 0 && !solver->occupation) {
        TRY(scf_solver_need_second_order(solver));
        solver->history.method = SCF_BY_NEWTON;
        solver->second_order->radius = kept->radius;
    }
    log_print("Restart    after iteration %lld, with %d DIIS vectors\n",
              (long long)history->iteration, diis_n_steps(solver->diis));
    return STATUS_OK;
}

static void report_other_orbitals(const struct scf_solver *solver, const struct kept_numbers *kept)
{
    const char *path = checkpoint_reader_path(solver->settings->restart);
    if (kept->n_densities > solver->basis->problem->n_densities)
        log_print(
            "Restart    %s is of UHF, this calculation is RHF and begins with the mean of both "
            "spins: only UHF continues it\n",
            path);
    else
        log_print("Restart    the iterations of %s were over other orbitals: DIIS begins anew\n",
                  path);
}

/* Takes the iterations of the file, where its orbitals span the same space. Errors: on failure
 * transformation_fini still has to be called. */
static enum status resume_iterations(struct checkpoint_stream *stream, struct scf_solver *solver,
                                     const struct kept_numbers *kept,
                                     const struct scf_history *history,
                                     struct transformation *transformation)
{
    bool same = false;
    TRY(transformation_init(solver->basis, transformation));
    if (kept->n_densities == solver->basis->problem->n_densities &&
        kept->n_orbitals == solver->basis->n_orbitals)
        TRY(set_transformation(stream, solver, transformation, &same));
    if (!same) {
        report_other_orbitals(solver, kept);
        return STATUS_OK;
    }
    TRY(read_matrices(stream, solver, kept, transformation));
    TRY(take_numbers(solver, kept, history));
    return read_curvatures(stream, solver);
}

static enum status resume(struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const char *path = checkpoint_reader_path(solver->settings->restart);
    struct kept_numbers kept = {0};
    struct scf_history history = solver->history;
    struct checkpoint_number numbers[N_NUMBERS];
    struct transformation transformation;
    bool found;
    list_numbers(&kept, &history, solver->result->saddles, numbers);
    if (solver->occupation)
        TRY(take_reference(stream, solver));
    TRY(checkpoint_stream_numbers(stream, CHECKPOINT_SCF, N_NUMBERS, numbers, &found));
    if (!found) {
        log_print("Restart    %s has no iterations that this version continues: DIIS begins anew\n",
                  path);
        return STATUS_OK;
    }
    if (kept.n_saddles < 0 || kept.n_saddles > SCF_MAX_SADDLES)
        return FAIL(STATUS_INPUT, "%s: damaged: %lld saddle points", path,
                    (long long)kept.n_saddles);
    solver->result->n_starts = kept.n_starts;
    enum status status = resume_iterations(stream, solver, &kept, &history, &transformation);
    transformation_fini(&transformation);
    return status;
}

enum status scf_restart_read(struct scf_solver *solver)
{
    struct checkpoint_stream stream;
    TRY(checkpoint_reader_open(solver->settings->restart, &stream));
    return checkpoint_stream_close(&stream, resume(&stream, solver));
}
