/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_calculation.h"

#include "hf/guess/guess.h"
#include "hf/guess/guess_atom.h"
#include "hf/tiles/orbital_density.h"
#include "sched/pool/core/speeds.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/mpi/wall_time.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Sets the problem from the parts that exist. */
static void set_problem(struct hf_calculation *calculation)
{
    calculation->problem = (struct scf_problem){
        .molecule = &calculation->input.placed,
        .given = &calculation->input.molecule,
        .shells = calculation->input.shells,
        .tiling = calculation->tiling,
        .fock = calculation->fock,
        .symmetry = calculation->symmetry,
        .grid = calculation->grid,
        .comm = calculation->comm,
        .n_densities = calculation->input.n_densities,
        .n_orbital_sets = calculation->input.n_orbital_sets,
        .electrons_per_orbital = 2 / calculation->input.n_densities,
        .n_occupied = {calculation->input.n_occupied[0], calculation->input.n_occupied[1]},
    };
}

/* A guess without spins at the centres where they are to be reversed is bad input, too. */
static enum status check_flip(const struct hf_calculation *calculation)
{
    const struct hf_settings *settings = calculation->settings;
    const struct molecule *molecule = &calculation->input.molecule;
    int64_t n_electrons[2];
    if (calculation->checkpoint)
        return checkpoint_reader_electrons(calculation->checkpoint, n_electrons);
    if (strcmp(settings->guess, "sad") != 0)
        return FAIL(STATUS_USAGE,
                    "--guess-flip reverses spins at centres, and --guess %s has none there: name "
                    "--guess sad or a checkpoint of UHF",
                    settings->guess);
    for (int64_t i = 0; i < molecule->n_atoms; i++)
        if (calculation->input.flipped[i] && !molecule->atoms[i].ghost &&
            guess_atom_all_unpaired(molecule->atoms[i].element, 0) > 0)
            return STATUS_OK;
    return FAIL(
        STATUS_USAGE,
        "--guess-flip '%.64s': no atom there has unpaired electrons by itself: name others, "
        "or with --guess a checkpoint of UHF",
        settings->guess_flip);
}

/* A file that does not fit is bad input: found out before anything is printed. */
static enum status check_guess(struct hf_calculation *calculation)
{
    const struct hf_settings *settings = calculation->settings;
    const char *file = hf_settings_density_file(settings);
    /* A density that a run resumes or builds from may not be of another geometry or basis. */
    enum checkpoint_fit fit = settings->density || settings->restart ? CHECKPOINT_FITS_FUNCTIONS
                                                                     : CHECKPOINT_FITS_ELEMENTS;
    if (!file && settings->scf.keep_occupation)
        return FAIL(STATUS_USAGE, "--keep-occupation needs the orbitals of a checkpoint: "
                                  "name one with --guess FILE or --restart FILE");
    if (file)
        TRY(checkpoint_reader_create(file, &calculation->problem, fit, &calculation->checkpoint));
    if (calculation->input.flipped)
        TRY(check_flip(calculation));
    if (settings->restart && scf_is_rohf(&calculation->problem) &&
        checkpoint_reader_orbital_sets(calculation->checkpoint) == 2)
        return FAIL(
            STATUS_INPUT,
            "%s: of UHF, whose iterations ROHF cannot continue: begin from its density with "
            "--guess %s",
            settings->restart, settings->restart);
    return settings->density
               ? checkpoint_reader_check_density(calculation->checkpoint, &calculation->problem)
               : STATUS_OK;
}

/* Creates the symmetry of the molecule, where Fock builds of an SCF can use it. */
static enum status create_symmetry(struct hf_calculation *calculation)
{
    const struct point_group *group = &calculation->input.group;
    if (!hf_settings_use_symmetry(calculation->settings) || group->order == 1)
        return STATUS_OK;
    return tile_symmetry_create(calculation->tiling, group, &calculation->symmetry);
}

enum status hf_calculation_read(const struct hf_settings *settings, MPI_Comm comm,
                                struct hf_calculation *calculation)
{
    *calculation = (struct hf_calculation){
        .settings = settings, .comm = comm, .engines.first = settings->engine};
    enum wall_use use = wall_time_begin(WALL_FILES);
    enum status status = hf_input_read(settings, comm, &calculation->input);
    wall_time_end(use);
    TRY(status);
    TRY(speeds_check(comm, settings->pool.speeds));
    TRY(status_agree(comm, tiling_create(calculation->input.shells, calculation->input.tile,
                                         &calculation->tiling)));
    TRY(status_agree(comm, create_symmetry(calculation)));
    TRY(dense_grid_create(comm, &calculation->grid));
    set_problem(calculation);
    return check_guess(calculation);
}

void hf_calculation_fini(struct hf_calculation *calculation)
{
    scf_basis_destroy(calculation->basis);
    checkpoint_reader_destroy(calculation->checkpoint);
    scf_result_fini(&calculation->result);
    free(calculation->iterations);
    free(calculation->starts);
    for (int spin = 0; spin < 2; spin++)
        darray_destroy(calculation->D[spin]);
    fock_destroy(calculation->fock);
    screening_destroy(calculation->screening);
    dense_grid_destroy(calculation->grid);
    tile_symmetry_destroy(calculation->symmetry);
    tiling_destroy(calculation->tiling);
    hf_input_fini(&calculation->input);
    *calculation = (struct hf_calculation){0};
}

enum status hf_calculation_prepare_screening(struct hf_calculation *calculation)
{
    const struct hf_settings *settings = calculation->settings;
    MPI_Comm comm = calculation->comm;
    TRY(hf_memory_check(settings, &calculation->problem, &calculation->kept_bytes));
    enum wall_use use = wall_time_begin(WALL_INTEGRALS);
    enum status status = screening_create(calculation->tiling, settings->screen,
                                          &calculation->engines, comm, &calculation->screening);
    wall_time_end(use);
    return status;
}

enum status hf_calculation_prepare_build(struct hf_calculation *calculation,
                                         const struct taskpool_settings *pool)
{
    struct fock_settings fock = calculation->settings->fock;
    fock.kept_bytes = calculation->kept_bytes;
    TRY(fock_create(calculation->screening, &fock, pool, calculation->comm, &calculation->fock));
    set_problem(calculation);
    for (int spin = 0; spin < calculation->input.n_densities; spin++)
        TRY(tile_matrix_create(calculation->tiling, "density", DARRAY_DOUBLE,
                               &calculation->D[spin]));
    return STATUS_OK;
}

/* Creates S, H and X for guess and SCF. */
static enum status need_basis(struct hf_calculation *calculation)
{
    return calculation->basis
               ? STATUS_OK
               : scf_basis_create(&calculation->problem, calculation->settings->scf.dependence,
                                  &calculation->basis);
}

static void release_basis(struct hf_calculation *calculation)
{
    scf_basis_destroy(calculation->basis);
    calculation->basis = NULL;
}

enum status hf_calculation_set_density(struct hf_calculation *calculation,
                                       const struct scf_problem *problem, struct dense *const C[])
{
    for (int s = 0; s < problem->n_densities; s++)
        TRY(orbital_density(calculation->tiling, problem->electrons_per_orbital,
                            C[s] ? C[s] : C[0], /* the same orbitals of both spins */
                            problem->n_occupied[s], calculation->D[s]));
    return STATUS_OK;
}

/* D of the file's orbitals. Those over other functions, or over the problem's at centres a little off, are
 * made orthonormal by projection.
 * C  the orbitals, created here, the caller's to destroy */
static enum status read_orbitals(struct hf_calculation *calculation,
                                 const struct scf_problem *problem, struct dense *C[2])
{
    const struct checkpoint_reader *file = calculation->checkpoint;
    const struct shells *foreign = checkpoint_reader_foreign_shells(file);
    for (int s = 0; s < problem->n_densities; s++)
        TRY(checkpoint_reader_occupied(file, problem, s, &C[s]));
    if (!foreign && checkpoint_reader_is_orthonormal(file))
        return hf_calculation_set_density(calculation, problem, C);
    TRY(need_basis(calculation));
    log_print("Guess      orbitals of %s, projected onto this geometry and basis\n",
              checkpoint_reader_path(file));
    return guess_projected(calculation->basis, foreign ? foreign : problem->shells, C,
                           calculation->D);
}

static enum status read_guess(struct hf_calculation *calculation, const struct scf_problem *problem)
{
    struct dense *C[2] = {NULL, NULL};
    enum status status = read_orbitals(calculation, problem, C);
    dense_destroy(C[0]);
    dense_destroy(C[1]);
    return status;
}

/* D of the guess for a problem. */
static enum status set_guess(struct hf_calculation *calculation, const struct scf_problem *problem)
{
    if (calculation->checkpoint)
        return read_guess(calculation, problem);
    if (strcmp(calculation->settings->guess, "core") != 0)
        return guess_sad(problem, calculation->input.flipped != NULL, calculation->D);
    TRY(need_basis(calculation));
    return guess_core(calculation->basis, calculation->D);
}

/* The guess with its own spins, from a file with the file's electrons, is reversed at centres. */
static enum status set_flipped_guess(struct hf_calculation *calculation)
{
    struct scf_problem problem = calculation->problem;
    if (calculation->checkpoint)
        TRY(checkpoint_reader_electrons(calculation->checkpoint, problem.n_occupied));
    TRY(set_guess(calculation, &problem));
    log_print("Guess      spins reversed at centres %s\n", calculation->settings->guess_flip);
    return guess_flip(&problem, calculation->input.flipped, calculation->D);
}

enum status hf_calculation_guess(struct hf_calculation *calculation)
{
    return calculation->input.flipped ? set_flipped_guess(calculation)
                                      : set_guess(calculation, &calculation->problem);
}

enum status hf_calculation_digest(const struct hf_calculation *calculation, const char *name,
                                  struct darray *const matrices[], char sha256[2][SHA256_HEX_SIZE])
{
    static const char *const spins[] = {" alpha", " beta"};
    int n_densities = calculation->input.n_densities;
    for (int spin = 0; spin < n_densities; spin++) {
        TRY(tile_matrix_sha256(calculation->tiling, matrices[spin], sha256[spin]));
        log_print("SHA-256 of %s%s  %s\n", name, n_densities == 1 ? "" : spins[spin], sha256[spin]);
    }
    return STATUS_OK;
}

struct engine_use hf_calculation_engines(const struct hf_calculation *calculation)
{
    struct engine_use engines = calculation->engines;
    MPI_Allreduce(MPI_IN_PLACE, engines.computed, sizeof engines.computed / (sizeof(int64_t)),
                  MPI_INT64_T, MPI_SUM, calculation->comm);
    return engines;
}

/* Keeps an iteration for the result, numbering several runs consecutively; without memory, the
 * record is shorter. */
static void record_scf_iteration(const struct scf_iteration *iteration, void *context)
{
    struct hf_calculation *calculation = context;
    if (array_reserve(&calculation->iterations, calculation->n_iterations + 1,
                      &calculation->iterations_capacity, sizeof *iteration) == STATUS_OK) {
        struct scf_iteration *kept = &calculation->iterations[calculation->n_iterations++];
        *kept = *iteration;
        kept->iteration = calculation->n_iterations;
    }
}

/* Splits the density of a closed shell between the spins: UHF from now on. */
static enum status become_unrestricted(struct hf_calculation *calculation)
{
    const struct tiling *tiling = calculation->tiling;
    struct darray **D = calculation->D;
    TRY(tile_matrix_create(tiling, "density", DARRAY_DOUBLE, &D[1]));
    tile_matrix_add(tiling, 0.5, D[0], 0, D[1]);
    tile_matrix_add(tiling, 1, D[1], 0, D[0]);
    darray_sync();
    hf_input_set_method(METHOD_UHF, &calculation->input);
    release_basis(calculation); /* it has the numbers of electrons */
    set_problem(calculation);
    return STATUS_OK;
}

/* A solution of RHF that is a saddle point of UHF is where UHF begins, and finds that. */
static bool leaves_restricted(const struct hf_calculation *calculation)
{
    return calculation->settings->scf.follow == SCF_FOLLOW_UHF &&
           calculation->input.method == METHOD_RHF &&
           scf_result_point(&calculation->result, SCF_REAL_UHF) == SCF_POINT_SADDLE;
}

static enum status follow_into_uhf(struct hf_calculation *calculation,
                                   const struct scf_settings *settings)
{
    log_print("\nUHF from here: the RHF energy %.10f hartree belongs to a saddle point\n",
              calculation->result.energy);
    TRY(become_unrestricted(calculation));
    TRY(need_basis(calculation));
    struct scf_settings of_uhf = scf_settings_from_density(settings);
    struct scf_result earlier = calculation->result;
    of_uhf.n_starts = !hf_search_is_wanted(calculation->settings, &calculation->problem);
    enum status status = scf_run(calculation->basis, &of_uhf, calculation->D, &calculation->result);
    if (status == STATUS_OK || status == STATUS_NOT_CONVERGED)
        scf_result_add_run(&earlier, &calculation->result);
    scf_result_fini(&earlier);
    return status;
}

static enum status solve_with_symmetry(struct hf_calculation *calculation)
{
    struct scf_settings settings = calculation->settings->scf;
    TRY(status_agree(calculation->comm,
                     array_reserve(&calculation->iterations, 1, &calculation->iterations_capacity,
                                   sizeof *calculation->iterations)));
    settings.restart = calculation->settings->restart ? calculation->checkpoint : NULL;
    settings.n_starts = !hf_search_is_wanted(calculation->settings, &calculation->problem);
    settings.observe = record_scf_iteration;
    settings.observe_context = calculation;
    enum status status =
        scf_run(calculation->basis, &settings, calculation->D, &calculation->result);
    if (status == STATUS_OK && leaves_restricted(calculation))
        status = follow_into_uhf(calculation, &settings);
    return status == STATUS_OK || status == STATUS_NOT_CONVERGED
               ? hf_search_run(calculation, &settings, status)
               : status;
}

/* Part of a density, outside the totally symmetric one, that matters: times what centres are moved by,
 * at most 2e-6 Bohr, it is an energy of 1e-9 hartree. */
#define BROKEN_SYMMETRY 5e-4

/* The gradient of a density without the symmetry of the molecule has parts along what centres were
 * moved by. */
static enum status warn_of_broken_symmetry(const struct hf_calculation *calculation)
{
    const struct hf_input *input = &calculation->input;
    double largest[2], rest = 0;
    enum status status = STATUS_OK;
    if (!calculation->symmetry || !(input->moved > 0))
        return STATUS_OK;
    for (int s = 0; s < input->n_densities && status == STATUS_OK; s++) {
        status = tile_symmetry_find_rest(calculation->symmetry, calculation->D[s], largest);
        rest = fmax(rest, largest[1]);
    }
    TRY(status_agree(calculation->comm, status));
    MPI_Allreduce(MPI_IN_PLACE, &rest, 1, MPI_DOUBLE, MPI_MAX, calculation->comm);
    if (rest > BROKEN_SYMMETRY)
        log_warn(
            "the density is less symmetric than the molecule, whose centres were moved by up to "
            "%.1e Bohr: the energy changes in proportion; --point-group c1 leaves them",
            input->moved);
    return STATUS_OK;
}

enum status hf_calculation_solve(struct hf_calculation *calculation)
{
    TRY(need_basis(calculation));
    TRY(fock_use_symmetry(calculation->fock, calculation->symmetry));
    TRY(fock_choose_store(calculation->fock));
    enum status status = solve_with_symmetry(calculation);
    release_basis(calculation);
    if (status == STATUS_OK)
        status = warn_of_broken_symmetry(calculation);
    enum status ended = fock_use_symmetry(calculation->fock, NULL);
    return status != STATUS_OK ? status : ended;
}

static enum status find_converged(struct hf_calculation *calculation)
{
    TRY(hf_calculation_solve(calculation));
    return hf_calculation_set_density(calculation, &calculation->problem,
                                      calculation->result.orbitals);
}

enum status hf_calculation_find_density(struct hf_calculation *calculation, bool converged,
                                        double *seconds)
{
    double start_s = clock_now_s();
    TRY(hf_calculation_guess(calculation));
    if (converged)
        TRY(find_converged(calculation));
    *seconds = clock_now_s() - start_s;
    return STATUS_OK;
}
