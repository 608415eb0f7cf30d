/* SPDX-License-Identifier: BSD-3-Clause */
/* The state from which the iterations of an SCF resume as if not interrupted, but for the directions that
 * Newton steps keep, in addition to the orbitals: groups of the checkpoint (checkpoint.h), with a data set
 * for each spin, _alpha and, of two densities, _beta.
 *
 *     /beryl/scf          attributes: numbers of the solver and its history
 *         basis           m x n, rows: the columns of X of scf_basis.h, which the run that resumes takes:
 *                         its own differs where eigenvalues of S are equal
 *         diis_0_, ...    m x m, oldest first: F with the diagonal in one triangle and the error,
 *                         antisymmetric, in the other, over X's columns
 *         best_           n_occupied x m, where they are needed: columns of U_best
 *         damped_         m x m, where they are needed: F_damped
 *     /beryl/occupation   of a run that keeps the occupation; attributes: the numbers of electrons
 *         reference_      n_occupied x n, rows: the reference's orbitals over the functions */
#include "hf/scf/scf_solver.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_reader.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "support/base/log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A transformation between two bases of one space is orthogonal to within this. */
#define SAME_SPACE 1e-8

/* The numbers of the group beside the history's. */
struct kept_numbers {
    int64_t n_densities, n_orbitals, n_steps, has_best, has_damped, n_saddles, n_starts;
    double radius; /* of Newton steps; 0: DIIS */
    struct scf_saddle saddles[SCF_MAX_SADDLES];
    /* eigenvalue, noise, error, n_products of RHF and of UHF or ROHF */
    double curvatures[2][4];
};

/* The place of a space among them. */
static int place_of(enum scf_space space)
{
    return space != SCF_REAL_RHF;
}

/* The history without the numbers that evaluating the state again finds. */
static enum status move_numbers(const struct checkpoint_stream *stream, struct kept_numbers *kept,
                                struct scf_history *history, bool *found)
{
    const struct checkpoint_number numbers[] = {
        {"n_spins", .integer = &kept->n_densities},
        {"n_orbitals", .integer = &kept->n_orbitals},
        {"n_steps", .integer = &kept->n_steps},
        {"has_best", .integer = &kept->has_best},
        {"has_damped", .integer = &kept->has_damped},
        {"n_saddles", .integer = &kept->n_saddles},
        {"n_starts", .integer = &kept->n_starts},
        {"radius", .real = &kept->radius},
        {"saddles", .real = &kept->saddles[0].energy, .n = 2 * SCF_MAX_SADDLES},
        {"curvatures", .real = kept->curvatures[0], .n = 2 * 4},
        {"iteration", .integer = &history->iteration},
        {"n_without_progress", .integer = &history->n_without_progress},
        {"change", .real = &history->change},
        {"last_norm", .real = &history->last_norm},
        {"best_energy", .real = &history->best_energy},
        {"least_gradient", .real = &history->least_gradient},
    };
    return checkpoint_stream_numbers(stream, CHECKPOINT_SCF, sizeof numbers / sizeof numbers[0],
                                     numbers, found);
}

int64_t scf_restart_bytes(const struct scf_basis *basis, int64_t n_steps, int n_others)
{
    int64_t n = basis->n_functions, m = basis->n_orbitals;
    return (n * m + (n_steps + n_others) * basis->problem->n_densities * m * m) *
           (int64_t)sizeof(double);
}

/* --- matrices --- */

/* Moves a matrix of a spin, unless it is empty. */
static enum status move_of_spin(const struct checkpoint_stream *stream, const char *name, int spin,
                                bool of_functions, struct dense *A)
{
    char set[64];
    const struct checkpoint_matrix place = {
        .set = set, .n_rows = A->n_columns, .of_functions = of_functions};
    snprintf(set, sizeof set, "%s_%s", name, spin == 0 ? "alpha" : "beta");
    return A->n_columns > 0 ? checkpoint_stream_matrix(stream, &place, A) : STATUS_OK;
}

static enum status move_basis(const struct checkpoint_stream *stream, struct dense *X)
{
    const struct checkpoint_matrix place = {
        .set = CHECKPOINT_SCF "/basis", .n_rows = X->n_columns, .of_functions = true};
    return checkpoint_stream_matrix(stream, &place, X);
}

static enum status move_step(const struct checkpoint_stream *stream, int64_t step, int spin,
                             struct dense *packed)
{
    char name[48];
    snprintf(name, sizeof name, CHECKPOINT_SCF "/diis_%lld", (long long)step);
    return move_of_spin(stream, name, spin, false, packed);
}

/* The matrices of the group but X and the steps. */
static enum status move_others(const struct checkpoint_stream *stream, struct scf_solver *solver,
                               const struct kept_numbers *kept)
{
    for (int s = 0; s < solver->basis->problem->n_densities; s++) {
        if (kept->has_best)
            TRY(move_of_spin(stream, CHECKPOINT_SCF "/best", s, false, solver->U_best[s]));
        if (kept->has_damped && solver->F_damped[s])
            TRY(move_of_spin(stream, CHECKPOINT_SCF "/damped", s, false, solver->F_damped[s]));
    }
    return STATUS_OK;
}

/* --- the reference of a kept occupation --- */

/* Moves the electrons of each spin, the beta ones of RHF being 0. */
static enum status move_n_electrons(const struct checkpoint_stream *stream, int64_t n[2],
                                    bool *found)
{
    const struct checkpoint_number numbers[] = {{"n_alpha", .integer = &n[0]},
                                                {"n_beta", .integer = &n[1]}};
    return checkpoint_stream_numbers(stream, CHECKPOINT_OCCUPATION, 2, numbers, found);
}

static enum status add_reference(const struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {basis->n_occupied[0], basis->n_occupied[1]};
    bool found;
    TRY(move_n_electrons(stream, n, &found));
    for (int s = 0; s < basis->problem->n_densities; s++) {
        scf_basis_expand(basis, solver->occupation->R[s], solver->state->C_o[s]);
        TRY(move_of_spin(stream, CHECKPOINT_OCCUPATION "/reference", s, true,
                         solver->state->C_o[s]));
    }
    return STATUS_OK;
}

/* Sets the reference of the occupation to the file's, R = X^T S C, if it has one for as many
 * electrons. */
static enum status take_reference(const struct checkpoint_stream *stream, struct scf_solver *solver)
{
    const struct scf_basis *basis = solver->basis;
    int64_t n[2] = {0, 0};
    bool found;
    TRY(move_n_electrons(stream, n, &found));
    if (!found || n[0] != basis->n_occupied[0] || n[1] != basis->n_occupied[1])
        return STATUS_OK;
    TRY(scf_basis_load(basis, basis->S));
    dense_multiply('N', 'N', 1, basis->work_nn, basis->X, 0, basis->work_nm);
    for (int s = 0; s < basis->problem->n_densities; s++) {
        struct dense *C = solver->state->C_o[s];
        TRY(move_of_spin(stream, CHECKPOINT_OCCUPATION "/reference", s, true, C));
        if (C->n_columns > 0)
            dense_multiply('T', 'N', 1, basis->work_nm, C, 0, solver->occupation->R[s]);
    }
    solver->occupation->is_set = true;
    return STATUS_OK;
}

/* --- writing --- */

/* Steps of DIIS are of no use to Newton steps. */
static struct kept_numbers numbers_of(const struct scf_solver *solver)
{
    const struct scf_problem *problem = solver->basis->problem;
    const struct scf_second_order *second_order = solver->second_order;
    struct kept_numbers kept = {
        .n_densities = problem->n_densities,
        .n_orbitals = solver->basis->n_orbitals,
        .n_steps = second_order ? 0 : diis_n_steps(solver->diis),
        .has_best = !second_order && solver->state->energy > solver->history.best_energy,
        .has_damped = solver->has_damped,
        .n_saddles = solver->result->n_saddles,
        .n_starts = solver->result->n_starts,
        .radius = second_order ? second_order->radius : 0,
    };
    memcpy(kept.saddles, solver->result->saddles, sizeof kept.saddles);
    enum scf_space own = solver->result->space;
    for (enum scf_space space = own; space <= scf_widest_space(own); space++) {
        const struct scf_curvature *curvature = &solver->result->curvature[space];
        const double numbers[] = {curvature->eigenvalue, curvature->noise, curvature->error,
                                  curvature->n_products};
        memcpy(kept.curvatures[place_of(space)], numbers, sizeof numbers);
    }
    return kept;
}

/* The group, as checkpoint_orbitals.add; context: the solver. */
static enum status add_iterations(const struct checkpoint_stream *stream, void *context)
{
    struct scf_solver *solver = context;
    struct kept_numbers kept = numbers_of(solver);
    bool found;
    TRY(move_numbers(stream, &kept, &solver->history, &found));
    TRY(move_basis(stream, solver->basis->X));
    for (int step = 0; step < kept.n_steps; step++)
        for (int s = 0; s < solver->basis->problem->n_densities; s++)
            TRY(move_step(stream, step, s, diis_get_step(solver->diis, step, s)));
    TRY(move_others(stream, solver, &kept));
    return solver->occupation ? add_reference(stream, solver) : STATUS_OK;
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
        .orbital_energies = {solver->result->orbital_energies[0],
                             solver->result->orbital_energies[1]},
        .energy = solver->state->energy,
        .converged = solver->result->converged,
        .add = add_iterations,
        .add_context = solver,
        .add_bytes = scf_restart_bytes(solver->basis, diis_n_steps(solver->diis), 0),
    };
    checkpoint_write_or_warn(solver->settings->checkpoint, solver->basis->problem, &orbitals);
    return STATUS_OK;
}

/* --- reading --- */

/* Takes X of the file, if both span the same space: then T = X^T S X_file is orthogonal. */
static enum status take_basis(const struct checkpoint_stream *stream, const struct scf_basis *basis,
                              bool *same)
{
    struct dense *T = basis->work_mm[0], *TT = basis->work_mm[1], *X_file;
    TRY(scf_basis_load(basis, basis->S));
    TRY(dense_create(basis->problem->grid, basis->n_functions, basis->n_orbitals, &X_file));
    enum status status = move_basis(stream, X_file);
    if (status == STATUS_OK) {
        dense_multiply('N', 'N', 1, basis->work_nn, X_file, 0, basis->work_nm);
        dense_multiply('T', 'N', 1, basis->X, basis->work_nm, 0, T);
        dense_set_identity(TT);
        dense_multiply('T', 'N', 1, T, T, -1, TT);
        *same = dense_max_abs(TT) < SAME_SPACE;
    }
    if (*same)
        dense_copy(X_file, basis->X);
    dense_destroy(X_file);
    return status;
}

/* The last steps, as many as are kept. The matrices of the state, which are not set yet, are
 * scratch. */
static enum status read_steps(const struct checkpoint_stream *stream, struct scf_solver *solver,
                              int64_t n_steps)
{
    const struct scf_state *state = solver->state;
    struct dense *const *work = solver->basis->work_mm;
    int64_t most = scf_diis_size(solver->settings, solver->basis->problem);
    for (int64_t step = n_steps > most ? n_steps - most : 0; step < n_steps; step++) {
        for (int s = 0; s < solver->basis->problem->n_densities; s++) {
            TRY(move_step(stream, step, s, work[0]));
            diis_unpack_step(work[0], work[1], state->F[s], state->U[s]);
        }
        diis_push(solver->diis, state->F, state->U);
    }
    return STATUS_OK;
}

/* Sets the result's curvatures to the tested ones of the file. A saddle point that is to be left is
 * tested again, for the direction. */
static void take_curvatures(struct scf_solver *solver, const struct kept_numbers *kept)
{
    enum scf_space own = solver->result->space;
    struct scf_curvature *curvature = solver->result->curvature;
    for (enum scf_space space = own; space <= scf_widest_space(own); space++) {
        const double *numbers = kept->curvatures[place_of(space)];
        curvature[space] =
            (struct scf_curvature){numbers[0], numbers[1], numbers[2], (int)numbers[3]};
    }
    bool leaves = scf_curvature_verdict(&curvature[own]) == SCF_VERDICT_UNSTABLE &&
                  solver->settings->follow != SCF_FOLLOW_NONE;
    if (curvature[own].n_products > 0 && !leaves)
        scf_history_take_test(&solver->history, &curvature[own]);
    else
        memset(curvature, 0, SCF_SPACES * sizeof *curvature);
}

/* The state, which is evaluated again, sets the rest of the history. */
static enum status take_numbers(struct scf_solver *solver, const struct kept_numbers *kept,
                                const struct scf_history *history)
{
    solver->history = *history;
    solver->history.iteration--; /* the last one is evaluated again */
    solver->result->n_saddles = (int)kept->n_saddles;
    memcpy(solver->result->saddles, kept->saddles, sizeof kept->saddles);
    solver->is_resumed = true;
    solver->has_damped = kept->has_damped && solver->settings->damping > 0;
    if (!kept->has_best)
        solver->history.best_energy = INFINITY;
    if (kept->radius > 0 && !solver->occupation) {
        TRY(scf_solver_need_second_order(solver));
        solver->history.method = SCF_BY_NEWTON;
        solver->second_order->radius = kept->radius;
    }
    log_print("Restart    after iteration %lld, with %d DIIS vectors\n",
              (long long)history->iteration, diis_n_steps(solver->diis));
    take_curvatures(solver, kept);
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

/* Takes the iterations of the file, where its orbitals span the same space. */
static enum status resume_iterations(const struct checkpoint_stream *stream,
                                     struct scf_solver *solver, const struct kept_numbers *kept,
                                     const struct scf_history *history)
{
    bool same = false;
    if (kept->n_saddles < 0 || kept->n_saddles > SCF_MAX_SADDLES)
        return FAIL(STATUS_INPUT, "%s: damaged: %lld saddle points", stream->path,
                    (long long)kept->n_saddles);
    solver->result->n_starts = kept->n_starts;
    if (kept->n_densities == solver->basis->problem->n_densities &&
        checkpoint_reader_orbital_sets(solver->settings->restart) ==
            solver->basis->problem->n_orbital_sets &&
        kept->n_orbitals == solver->basis->n_orbitals)
        TRY(take_basis(stream, solver->basis, &same));
    if (!same) {
        report_other_orbitals(solver, kept);
        return STATUS_OK;
    }
    TRY(read_steps(stream, solver, kept->n_steps));
    TRY(move_others(stream, solver, kept));
    return take_numbers(solver, kept, history);
}

enum status scf_restart_read(struct scf_solver *solver)
{
    const struct checkpoint_stream *stream = checkpoint_reader_stream(solver->settings->restart);
    struct kept_numbers kept = {0};
    struct scf_history history = solver->history;
    bool found;
    TRY(move_numbers(stream, &kept, &history, &found));
    if (found)
        TRY(resume_iterations(stream, solver, &kept, &history));
    else if (!checkpoint_reader_is_solution(solver->settings->restart))
        log_print("Restart    %s has no iterations that this version continues: DIIS begins anew\n",
                  stream->path);
    return solver->occupation ? take_reference(stream, solver) : STATUS_OK;
}
