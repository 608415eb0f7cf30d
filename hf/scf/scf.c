/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf.h"

#include "hf/checkpoint/checkpoint.h"
#include "hf/scf/scf_basis.h"
#include "hf/scf/scf_report.h"
#include "hf/scf/scf_solver.h"
#include "hf/scf/scf_stability.h"
#include "hf/tiles/screening.h"
#include "hf/tiles/tile_matrix.h"
#include "support/base/agree.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *scf_space_name(enum scf_space space)
{
    static const char *const names[SCF_SPACES] = {"RHF", "UHF", "ROHF"};
    return names[space];
}

const char *scf_point_name(enum scf_point point)
{
    static const char *const names[] = {"local minimum", "saddle", "not settled", "not tested"};
    return names[point];
}

enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature)
{
    if (curvature->n_products == 0)
        return SCF_VERDICT_NOT_TESTED;
    if (curvature->eigenvalue < -curvature->noise)
        return SCF_VERDICT_UNSTABLE;
    return curvature->eigenvalue > curvature->error ? SCF_VERDICT_STABLE : SCF_VERDICT_NOT_SETTLED;
}

struct scf_settings scf_settings_default(void)
{
    return (struct scf_settings){.max_iterations = SCF_DEFAULT_MAX_ITERATIONS,
                                 .dependence = SCF_DEFAULT_DEPENDENCE,
                                 .follow = SCF_FOLLOW_SAME,
                                 .checkpoint_every = SCF_DEFAULT_CHECKPOINT};
}

struct scf_settings scf_settings_from_density(const struct scf_settings *settings)
{
    struct scf_settings made = *settings;
    made.mix = made.keep_occupation = false;
    made.swap = (struct scf_swap){0};
    made.restart = NULL;
    return made;
}

struct scf_criterion scf_criterion(const struct scf_settings *settings, double threshold)
{
    if (settings->converge > 0)
        return (struct scf_criterion){.gradient = settings->converge};
    bool by_energy = settings->energy_alone && !settings->keep_occupation;
    double error = fmax(SCF_ENERGY_ERROR, SCREENING_NOISE * threshold);
    return (struct scf_criterion){SCF_DEFAULT_CONVERGE, by_energy ? error : 0};
}

/* <S^2> = (Na - Nb)/2 ((Na - Nb)/2 + 1) + Nb - trace(P_a P_b); 0 for RHF. Collective.
 * Source: Szabo & Ostlund (1996), eq. 2.271. */
static double expected_s2(const struct scf_basis *basis, const struct scf_state *state)
{
    if (basis->problem->n_densities == 1)
        return 0;
    double n_alpha = basis->n_occupied[0], n_beta = basis->n_occupied[1];
    double s_z = (n_alpha - n_beta) / 2;
    struct dense *const *P = basis->work_mm;
    for (int s = 0; s < 2; s++)
        dense_multiply('N', 'T', 1, state->U_o[s], state->U_o[s], 0, P[s]);
    return s_z * (s_z + 1) + n_beta - dense_dot(P[0], P[1]);
}

/* --- the run --- */

/* D = the density of the last state; without orbitals, the density of its last Fock build. */
static enum status collect_density(struct scf_solver *solver, struct darray *const D[])
{
    const struct scf_basis *basis = solver->basis;
    const struct tiling *tiling = basis->problem->tiling;
    for (int s = 0; s < basis->problem->n_densities; s++) {
        if (solver->state->idempotent) {
            scf_state_density(basis, solver->state, s);
            TRY(tile_matrix_from_dense(tiling, basis->work_nn, D[s]));
        } else {
            tile_matrix_add(tiling, 1, solver->fock->D_last[s], 0, D[s]);
            darray_sync();
        }
    }
    return STATUS_OK;
}

/* A guess density that remains the last one gets the orbitals of its Fock matrix, which the next
 * iteration would begin with, and so would a restart. Their energy is not known. */
static enum status find_first_orbitals(struct scf_solver *solver)
{
    if (solver->state->idempotent)
        return STATUS_OK;
    TRY(scf_state_diagonalise(solver->basis, solver->state));
    solver->state->energy = NAN;
    return scf_restart_write(solver);
}

/* Orbitals in which F_oo and F_vv of a spin are diagonal. Overwrites U of the state. */
static enum status find_semicanonical_spin(struct scf_solver *solver, int spin)
{
    const struct scf_basis *basis = solver->basis;
    struct scf_result *result = solver->result;
    int64_t n = basis->n_functions, m = basis->n_orbitals, o = basis->n_occupied[spin];
    struct dense *U_v = NULL, *U = NULL;
    const struct dense_member members[] = {{&result->semicanonical[spin], n, m},
                                           {&result->fock_ov[spin], o, m - o},
                                           {&U_v, m, m - o},
                                           {&U, m, m}};
    double *energies = agree_calloc(basis->problem->comm, (size_t)m * sizeof *energies, "energies");
    if (!energies)
        return STATUS_NO_MEMORY;
    result->semicanonical_energies[spin] = energies;
    TRY(dense_create_members(basis->problem->grid, 4, members));
    enum status status = scf_state_semicanonicalise(basis, solver->state, spin, energies, U);
    if (status == STATUS_OK) {
        struct dense *U_o = solver->state->work_o[spin], *FU_o = solver->state->FU_o[spin];
        dense_copy_columns(U, 0, U_o);
        dense_copy_columns(U, (int)o, U_v);
        dense_multiply('N', 'N', 1, solver->state->F[spin], U_o, 0, FU_o);
        dense_multiply('T', 'N', 1, FU_o, U_v, 0, result->fock_ov[spin]);
        scf_basis_expand(basis, U, result->semicanonical[spin]);
    }
    dense_destroy(U_v);
    dense_destroy(U);
    return status;
}

static enum status find_semicanonical(struct scf_solver *solver)
{
    const struct scf_state *state = solver->state;
    const int m = solver->basis->n_orbitals;
    struct dense **fock = &solver->result->fock_alpha, *FU = solver->basis->work_mm[0];
    TRY(dense_create(solver->basis->problem->grid, m, m, fock));
    dense_multiply('N', 'N', 1, state->F[0], state->U[0], 0, FU);
    dense_multiply('T', 'N', 1, state->U[0], FU, 0, *fock);
    TRY(find_semicanonical_spin(solver, 0));
    return find_semicanonical_spin(solver, 1);
}

/* Fills the result from the last state; D: overwritten with its density. */
static enum status collect_result(struct scf_solver *solver, struct darray *const D[])
{
    const struct scf_basis *basis = solver->basis;
    struct scf_state *state = solver->state;
    struct scf_result *result = solver->result;
    result->fock_builds = solver->fock->n_builds;
    result->energy = state->energy;
    result->one_electron_energy = state->one_electron_energy;
    result->two_electron_energy = state->two_electron_energy;
    result->gradient = state->gradient;
    diis_destroy(solver->diis);
    solver->diis = NULL;
    TRY(collect_density(solver, D));
    TRY(find_first_orbitals(solver));
    TRY(scf_solver_expand_orbitals(solver));
    if (scf_is_rohf(basis->problem) && !solver->settings->energy_alone && result->converged)
        TRY(find_semicanonical(solver));
    result->s2 = expected_s2(basis, state);
    if (solver->occupation)
        TRY(scf_occupation_overlap(solver->occupation, state, &result->occupation_overlap));
    return properties_find(basis->problem, D, basis->S, result->properties);
}

static enum status result_init(const struct scf_basis *basis, struct scf_result *result)
{
    result->n_orbitals = basis->n_orbitals;
    result->is_rigid = !scf_rotation_exists(basis);
    result->nuclear_repulsion = basis->nuclear_repulsion;
    bool complete = true;
    for (int s = 0; s < basis->problem->n_orbital_sets; s++) {
        result->orbital_energies[s] = calloc((size_t)result->n_orbitals, sizeof(double));
        complete = complete && result->orbital_energies[s];
    }
    enum status status = CHECK_MEMORY(complete, "no memory for the result");
    return status_agree(basis->problem->comm, status);
}

/* Reports the size of checkpoints to come. */
static void report_checkpoints(const struct scf_basis *basis, const struct scf_settings *settings)
{
    if (!settings->checkpoint)
        return;
    int n_others = settings->keep_occupation ? 4 : 3;
    int64_t n_bytes = checkpoint_bytes(
        basis->problem, basis->n_orbitals,
        scf_restart_bytes(basis, scf_diis_size(settings, basis->problem), n_others));
    checkpoint_report_size(settings->checkpoint, "the SCF", settings->checkpoint_every, n_bytes,
                           "diis");
}

/* The result of a run that has not converged is collected, too. */
static enum status solve_and_collect(struct scf_solver *solver, struct darray *const D[])
{
    TRY(result_init(solver->basis, solver->result));
    TRY(scf_solver_init(solver, D));
    report_checkpoints(solver->basis, solver->settings);
    scf_report_start(solver->basis, solver->settings);
    enum status status = scf_solver_iterate(solver, D);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        return status;
    struct status_kept failure = status_keep();
    TRY(collect_result(solver, D));
    status_restore(&failure);
    return status;
}

enum status scf_run(const struct scf_basis *basis, const struct scf_settings *settings,
                    struct darray *const D[], struct scf_result *result)
{
    struct scf_solver solver = {.settings = settings, .basis = basis, .result = result};
    *result = (struct scf_result){.follow = (enum scf_follow)settings->follow,
                                  .space = scf_own_space(basis->problem),
                                  .n_starts = settings->n_starts,
                                  .keeps_occupation = settings->keep_occupation};
    enum status status = solve_and_collect(&solver, D);
    scf_solver_fini(&solver);
    if (status != STATUS_OK && status != STATUS_NOT_CONVERGED)
        scf_result_fini(result);
    return status;
}

void scf_result_fini(struct scf_result *result)
{
    for (int s = 0; s < 2; s++) {
        free(result->orbital_energies[s]);
        dense_destroy(result->orbitals[s]);
        free(result->semicanonical_energies[s]);
        dense_destroy(result->semicanonical[s]);
        dense_destroy(result->fock_ov[s]);
    }
    dense_destroy(result->fock_alpha);
    for (int p = 0; p < SCF_N_PROPERTIES; p++)
        free(result->properties[p]);
    *result = (struct scf_result){0};
}

void scf_result_add_run(const struct scf_result *earlier, struct scf_result *result)
{
    struct scf_saddle all[2 * SCF_MAX_SADDLES];
    int n = earlier->n_saddles + result->n_saddles;
    memcpy(all, earlier->saddles, sizeof earlier->saddles);
    memcpy(all + earlier->n_saddles, result->saddles, sizeof result->saddles);
    result->n_saddles = n < SCF_MAX_SADDLES ? n : SCF_MAX_SADDLES;
    memcpy(result->saddles, all + n - result->n_saddles, (size_t)result->n_saddles * sizeof *all);
    result->iterations += earlier->iterations;
    result->fock_builds += earlier->fock_builds;
}

enum scf_point scf_result_point(const struct scf_result *result, enum scf_space space)
{
    switch (scf_curvature_verdict(&result->curvature[space])) {
    case SCF_VERDICT_UNSTABLE:
        return SCF_POINT_SADDLE;
    case SCF_VERDICT_STABLE:
        return result->converged ? SCF_POINT_MINIMUM : SCF_POINT_NOT_SETTLED;
    case SCF_VERDICT_NOT_SETTLED:
        return SCF_POINT_NOT_SETTLED;
    default:
        return result->converged && result->is_rigid ? SCF_POINT_MINIMUM : SCF_POINT_NOT_TESTED;
    }
}

bool scf_tests_stability(const struct scf_settings *settings, const struct scf_problem *problem)
{
    return settings->stability == SCF_ALWAYS ||
           (settings->stability == SCF_AUTO &&
            (problem->n_densities == 2 || problem->shells->n_functions <= SCF_STABILITY_SMALL ||
             settings->follow == SCF_FOLLOW_UHF));
}

int64_t scf_diis_size(const struct scf_settings *settings, const struct scf_problem *problem)
{
    if (settings->diis_size > 0)
        return settings->diis_size;
    return problem->n_densities == 1 ? SCF_CLOSED_DIIS_SIZE : SCF_OPEN_DIIS_SIZE;
}

int scf_matrices_at_once(const struct scf_settings *settings, const struct scf_problem *problem)
{
    return scf_tests_stability(settings, problem) ? FOCK_MAX_MATRICES : problem->n_densities;
}

struct memory_need scf_bytes(const struct scf_problem *problem, const struct scf_settings *settings,
                             int n_processes)
{
    const struct scf_basis plan = scf_basis_plan(problem);
    const struct dense_grid *grid = problem->grid;
    bool tests = scf_tests_stability(settings, problem);
    struct memory_need need = scf_basis_bytes(&plan, n_processes);
    memory_need_add(&need, 1, scf_solver_bytes(&plan, settings, n_processes));
    need.own_bytes += (double)dense_eigen_bytes(grid, plan.n_functions);

    /* One of these at a time, and at the end a property. */
    double diis = (double)diis_bytes(grid, problem->n_densities, plan.n_functions,
                                     scf_diis_size(settings, problem));
    double second_order = 0;
    if (settings->second_order != SCF_NEVER || tests) /* a saddle point is left */
        second_order =
            (double)scf_second_order_bytes(&plan, scf_matrices_at_once(settings, problem));
    struct memory_need phase = {.own_bytes = fmax(diis, second_order)};
    if (tests) /* beside either */
        phase.own_bytes +=
            (double)(scf_hessian_bytes(&plan, FOCK_MAX_MATRICES / problem->n_densities) +
                     scf_stability_bytes(&plan));
    memory_need_add(&need, 1, memory_need_larger(phase, properties_bytes(problem, n_processes)));
    return need;
}
