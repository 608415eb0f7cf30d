/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/correlation.h"

#include "hf/checkpoint/checkpoint_reader.h"
#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/io/progress.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/methods/correlation_checkpoint.h"
#include "tce/methods/method_bindings.h"
#include "tce/methods/methods.h"
#include "tce/tensor/tensor_algebra.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The tensor's number; -1 without a scalar of this name. */
static int find_scalar(const struct program *program, const char *name)
{
    for (int i = 0; i < program->n_tensors; i++)
        if (program->tensors[i].rank == 0 && strcmp(program->tensors[i].name, name) == 0)
            return i;
    return -1;
}

/* Checks a user's program, and gives it its name in checkpoints. */
static enum status check_program_text(struct correlation *self)
{
    const struct correlation_problem *problem = &self->problem;
    if (!problem->settings->text) {
        snprintf(self->amplitudes_name, sizeof self->amplitudes_name, "%s",
                 tce_method_find(problem->settings->method)->iterated);
        return STATUS_OK;
    }
    TRY(user_program_check(&self->instance.program, problem->orbitals->n_orbital_sets));
    return status_agree(problem->comm,
                        user_program_name(&self->instance.program, problem->settings->text,
                                          problem->settings->length, self->amplitudes_name));
}

enum status correlation_init(const struct correlation_problem *problem,
                             struct correlation *correlation)
{
    const struct orbital_spaces *orbitals = problem->orbitals;
    struct index_block occupied[2], virtual[2];
    const struct space_binding spaces[] = {
        {BINDING_OCCUPIED, orbital_spaces_blocks(orbitals, false, occupied), occupied,
         problem->settings->orbital_tile},
        {BINDING_VIRTUAL, orbital_spaces_blocks(orbitals, true, virtual), virtual,
         problem->settings->orbital_tile}};
    struct program_source source = {.file = problem->settings->method,
                                    .n_spaces = 2,
                                    .spaces = spaces,
                                    .n_fills = METHOD_N_FILLS,
                                    .fills = method_fill_symmetries,
                                    .pairs = problem->settings->pairs};
    source.text = problem->settings->text;
    source.length = problem->settings->length;
    if (!source.text)
        source.text =
            tce_method_text(problem->settings->method, orbitals->n_orbital_sets, &source.length);
    *correlation = (struct correlation){.problem = *problem};
    TRY(program_instance_init(&source, problem->comm, &correlation->instance));
    TRY(method_bindings_check(&correlation->instance.program));
    TRY(check_program_text(correlation));
    const struct program *program = &correlation->instance.program;
    correlation->energy = program->energy >= 0 ? program->energy : find_scalar(program, "E");
    correlation->second_order = find_scalar(program, "E2");
    assert(correlation->energy >= 0 || problem->settings->text);
    assert(program->n_unknowns <= CORRELATION_MAX_UNKNOWNS);
    return STATUS_OK;
}

void correlation_fini(struct correlation *correlation)
{
    program_instance_fini(&correlation->instance);
    free(correlation->bound);
    free(correlation->iterations);
    *correlation = (struct correlation){0};
}

int correlation_unknowns(const struct correlation *self, struct tensor *x[CORRELATION_MAX_UNKNOWNS],
                         struct tensor *f[CORRELATION_MAX_UNKNOWNS])
{
    const struct program *program = &self->instance.program;
    for (int i = 0; i < program->n_unknowns; i++) {
        x[i] = executor_tensor(self->instance.executor, program->unknowns[i].tensor);
        f[i] = executor_tensor(self->instance.executor, program->unknowns[i].residual);
    }
    return program->n_unknowns;
}

/* Fills all tensors but integrals; sets the fills of loops' local tensors. */
static enum status fill_elements(struct correlation *self)
{
    const struct program *program = &self->instance.program;
    size_t n = (size_t)program->n_tensors;
    self->bound = calloc(n + 1, sizeof *self->bound);
    TRY(status_agree(self->problem.comm,
                     CHECK_MEMORY(self->bound, "no memory for %zu tensors", n)));
    for (int i = 0; i < program->n_tensors; i++) {
        const struct program_tensor *tensor = &program->tensors[i];
        const struct tensor_binding *binding = method_binding_find(tensor->fill);
        struct bound_tensor *bound = &self->bound[i];
        *bound = method_binding_describe(program, tensor, self->problem.orbitals);
        if (binding && tensor->loop >= 0)
            executor_set_fill(self->instance.executor, i,
                              &(struct tile_fill){binding->fill, bound});
        else if (binding && binding->element)
            tensor_fill(executor_tensor(self->instance.executor, i), binding->element, bound);
        if (tensor->fill && !binding)
            TRY(program_instance_fill(&self->instance, i));
    }
    return STATUS_OK;
}

enum status correlation_prepare(struct correlation *self, const struct taskpool_settings *pool)
{
    double start_s = clock_now_s();
    self->instance.more_bytes = correlation_diis_bytes(self);
    TRY(program_instance_start(&self->instance, &self->problem.settings->contraction));
    TRY(correlation_integrals_fill(self, pool));
    TRY(fill_elements(self));
    self->integral_seconds = clock_now_s() - start_s;
    return STATUS_OK;
}

/* The energy has converged when it changes by less than this share of what an amplitude may
 * change by, hartree, or by what rounding may do. */
#define ENERGY_SHARE 0.1
#define ENERGY_NOISE 1e-12

/* --- converged amplitudes in the place of iterations: what these would have left --- */

/* Whether a solution has it: the energy, or what an unknown becomes. */
static bool is_of_solution(const struct program *program, int tensor)
{
    for (int i = 0; i < program->n_unknowns; i++)
        if (program->unknowns[i].residual == tensor)
            return true;
    return tensor == program->energy;
}

static bool statement_reads(const struct program_statement *statement, int tensor)
{
    if (statement->add && statement->target.tensor == tensor)
        return true;
    for (int t = 0; t < statement->n_terms; t++)
        for (int f = 0; f < statement->terms[t].n_factors; f++)
            if (statement->terms[t].factors[f].tensor == tensor)
                return true;
    return false;
}

/* Whether a tensor that the iterations make is needed after them; scalars belong to the result. */
static bool is_needed(const struct program *program, int tensor)
{
    if (program->tensors[tensor].loop >= 0 || is_of_solution(program, tensor))
        return false;
    for (int s = program->first_final; s < program->n_statements; s++)
        if (statement_reads(&program->statements[s], tensor))
            return true;
    return program->tensors[tensor].rank == 0;
}

/* Whether a step reads an intermediate that the iterations made. */
static bool reads_iterated(const struct plan *plan, const struct plan_step *step)
{
    const int operands[] = {step->A.tensor, step->B.tensor};
    for (int i = 0; i < 2; i++) {
        int tensor = operands[i];
        if (tensor < plan->n_program_tensors || plan->tensors[tensor].loop >= 0)
            continue;
        int made = plan->tensors[tensor].first_step;
        if (made >= plan->first_iterated && made < plan->first_final)
            return true;
    }
    return false;
}

/* Whether amplitudes and their energy are all that the result, and what follows the iterations, need of
 * them: no other scalar, tensor or intermediate. */
static bool is_solution_enough(const struct correlation *self)
{
    const struct program *program = &self->instance.program;
    const struct plan *plan = self->instance.plan;
    for (int s = program->first_iterated; s < program->first_final; s++)
        if (is_needed(program, program->statements[s].target.tensor))
            return false;
    for (int s = plan->first_final; s < plan->n_steps; s++)
        if (reads_iterated(plan, &plan->steps[s]))
            return false;
    for (int l = 0; l < program->n_loops; l++)
        for (int s = 0; s < plan->loops[l].n_steps; s++)
            if (program->loops[l].first_statement >= program->first_final &&
                reads_iterated(plan, &plan->loops[l].steps[s]))
                return false;
    return true;
}

/* Copies the updated unknowns f to the unknowns x, or x to f. In a solution both are equal: the
 * energy belongs to exactly the amplitudes that later statements read. */
static void copy_unknowns(const struct correlation *self, bool into_x)
{
    const double one = 1;
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    int n = correlation_unknowns(self, x, f);
    darray_sync();
    for (int i = 0; i < n; i++)
        tensor_combine(1, &one, (const struct tensor *const[]){into_x ? f[i] : x[i]},
                       into_x ? x[i] : f[i]);
    darray_sync();
}

/* --- solution --- */

double correlation_energy(const struct correlation *self)
{
    if (self->has_final)
        return self->final.energy;
    return self->n_iterations > 0 ? self->iterations[self->n_iterations - 1].energy
                                  : self->energy_before;
}

double correlation_scalar(const struct correlation *self, int tensor)
{
    double value = 0;
    if (tensor >= 0)
        darray_get(executor_tensor(self->instance.executor, tensor)->data, 0, &value);
    return value;
}

/* Runs a section of the program, its stages [first, last), as one piece of work with this name, and records its
 * cost and the value of the scalar `energy` after it. */
static enum status run_section(const struct correlation *self, const char *name, int first,
                               int last, int energy, struct correlation_iteration *done)
{
    *done = (struct correlation_iteration){0};
    progress_begin(name);
    enum status status = executor_run(self->instance.executor, first, last, &done->record);
    progress_end();
    TRY(status);
    done->energy = correlation_scalar(self, energy);
    if (!isfinite(done->energy))
        return FAIL(
            STATUS_NUMERIC,
            "%s: the correlation energy of %s is %g: the amplitudes diverge, or an occupied and a "
            "virtual orbital have the same energy",
            name, self->problem.settings->method, done->energy);
    return STATUS_OK;
}

/* Runs the stages from the first iterated one on. */
static enum status run_iteration(struct correlation *self, struct correlation_iteration *iteration)
{
    const struct plan *plan = self->instance.plan;
    int first = self->instance.program.n_unknowns > 0 ? plan->first_iterated_stage : 0;
    char name[32];
    snprintf(name, sizeof name, "Iteration %lld",
             (long long)(self->n_before + self->n_iterations + 1));
    TRY(run_section(self, name, first, plan->first_final_stage, self->energy, iteration));
    iteration->record.statistics.iteration = self->n_iterations;
    return STATUS_OK;
}

static enum status keep_iteration(struct correlation *self,
                                  const struct correlation_iteration *iteration)
{
    double before = correlation_energy(self);
    bool is_first = self->n_iterations == 0 && self->energy_before == 0;
    if (self->n_iterations == self->capacity) /* on all processes at the same iteration */
        TRY(status_agree(self->problem.comm,
                         array_reserve(&self->iterations, self->n_iterations + 1, &self->capacity,
                                       sizeof *self->iterations)));
    self->iterations[self->n_iterations++] = *iteration;
    char energy[32] = "none", change[32] = "";
    if (self->energy >= 0) {
        snprintf(energy, sizeof energy, "%.10f", iteration->energy);
        snprintf(change, sizeof change, "%.3e", is_first ? 0 : iteration->energy - before);
    }
    log_print("%4lld %20s %13s %12.3e %10.3f %9.2f\n", (long long)self->n_iterations, energy,
              change, iteration->change, iteration->record.seconds,
              1e-9 * iteration->record.flops / iteration->record.seconds);
    return STATUS_OK;
}

/* Reading the memory in use takes milliseconds, longer than a short iteration. */
static void note_memory(struct correlation *self)
{
    int64_t memory = memory_part_bytes();
    self->memory_bytes = memory > self->memory_bytes ? memory : self->memory_bytes;
}

/* The energy is linear in the amplitudes: many small changes add up, so it is tested, too. */
static bool amplitudes_are_converged(double change, double energy_change, double threshold)
{
    return change < threshold && fabs(energy_change) < fmax(ENERGY_SHARE * threshold, ENERGY_NOISE);
}

/* Marks the amplitudes as the solution, or not, before they are written. */
static void note_convergence(struct correlation *self, double energy_before, double threshold)
{
    const struct correlation_iteration *last = &self->iterations[self->n_iterations - 1];
    self->change = last->change;
    self->energy_change = last->energy - energy_before;
    self->is_solution = amplitudes_are_converged(self->change, self->energy_change, threshold);
    if (self->is_solution)
        copy_unknowns(self, true);
}

static enum status iterate_amplitudes(struct correlation *self, struct amplitude_solver *solver,
                                      const struct correlation_files *files)
{
    const struct method_settings *settings = self->problem.settings;
    for (int64_t i = 0; i < settings->max_iterations; i++) {
        struct correlation_iteration iteration;
        double energy_before = correlation_energy(self);
        TRY(run_iteration(self, &iteration));
        TRY(amplitude_solver_step(solver, &iteration.change, &iteration.norm));
        TRY(keep_iteration(self, &iteration));
        note_convergence(self, energy_before, settings->converge);
        bool last = self->is_solution || i == settings->max_iterations - 1;
        if (settings->checkpoint &&
            (last || (self->n_before + i + 1) % settings->checkpoint_every == 0))
            correlation_checkpoint_write(files, self, solver);
        if (self->is_solution)
            return STATUS_OK;
    }
    return FAIL(STATUS_NOT_CONVERGED,
                "the amplitudes of %s still change by %.1e after %lld iteration%s: allow more with "
                "--max-iter-amplitudes",
                self->problem.settings->method, self->iterations[self->n_iterations - 1].change,
                (long long)settings->max_iterations, log_plural(settings->max_iterations));
}

/* Runs the statements before `iterate`, which may set unknowns; the others begin at zero. */
static enum status run_first_part(struct correlation *self, int n, struct tensor *const x[])
{
    struct correlation_iteration first;
    for (int i = 0; i < n; i++)
        darray_zero(x[i]->data);
    darray_sync();
    TRY(run_section(self, "Constant intermediates", 0, self->instance.plan->first_iterated_stage,
                    self->second_order, &first));
    self->energy_before = self->second_order_energy = first.energy;
    return STATUS_OK;
}

/* Whether the amplitudes that were read need no iteration. Damaged ones, which only a seal would show, do. */
static bool is_read_solution_enough(const struct correlation *self,
                                    const struct correlation_files *files,
                                    const struct amplitude_progress *progress)
{
    const struct method_settings *settings = self->problem.settings;
    const struct plan *plan = self->instance.plan;
    bool something_follows = plan->first_final_stage < plan->n_stages;
    return progress->is_solution && checkpoint_reader_is_solution(files->restart) &&
           amplitudes_are_converged(progress->change, progress->energy_change,
                                    settings->converge) &&
           is_solution_enough(self) && (something_follows || !settings->is_timed);
}

/* Takes converged amplitudes as they are. They are written again only into another file. */
static void resume_solution(struct correlation *self, const struct correlation_files *files,
                            const struct amplitude_progress *progress,
                            const struct amplitude_solver *solver)
{
    const char *checkpoint = self->problem.settings->checkpoint;
    const char *path = checkpoint_reader_path(files->restart);
    int rank;
    self->is_solution = true;
    self->change = progress->change;
    self->energy_change = progress->energy_change;
    MPI_Comm_rank(self->problem.comm, &rank);
    if (rank == 0)
        darray_put(executor_tensor(self->instance.executor, self->energy)->data, 0,
                   &progress->energy);
    copy_unknowns(self, false);
    log_print("%4lld %20.10f   converged amplitudes of %s: no iteration\n",
              (long long)progress->iteration, progress->energy, path);
    if (checkpoint && strcmp(path, checkpoint) != 0)
        correlation_checkpoint_write(files, self, solver);
}

/* The first amplitudes, and the solver's first steps. */
static enum status set_first_amplitudes(struct correlation *self,
                                        const struct correlation_files *files,
                                        struct amplitude_solver *solver)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    int n = correlation_unknowns(self, x, f);
    TRY(run_first_part(self, n, x));
    if (files->restart) {
        struct amplitude_progress progress;
        TRY(correlation_checkpoint_read(files->restart, n, x,
                                        (int)self->problem.settings->diis_size, solver, &progress));
        self->n_before = progress.iteration;
        self->energy_before = progress.energy;
        if (is_read_solution_enough(self, files, &progress))
            resume_solution(self, files, &progress, solver);
    }
    return STATUS_OK;
}

static enum status solve_iteratively(struct correlation *self,
                                     const struct correlation_files *files)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct amplitude_solver *solver;
    int n = correlation_unknowns(self, x, f);
    enum status status = amplitude_solver_create(n, x, f, (int)self->problem.settings->diis_size,
                                                 self->problem.comm, &solver);
    if (status != STATUS_OK)
        goto done;
    status = set_first_amplitudes(self, files, solver);
    if (status != STATUS_OK)
        goto done;
    if (!self->is_solution)
        status = iterate_amplitudes(self, solver, files);
done:
    note_memory(self);
    amplitude_solver_destroy(solver);
    return status;
}

/* Runs the statements after `finally`, if the program has them. */
static enum status run_final_part(struct correlation *self)
{
    const struct program *program = &self->instance.program;
    const struct plan *plan = self->instance.plan;
    if (plan->first_final_stage == plan->n_stages)
        return STATUS_OK;
    int energy = program->final_energy >= 0 ? program->final_energy : self->energy;
    TRY(run_section(self, "After the iterations", plan->first_final_stage, plan->n_stages, energy,
                    &self->final));
    log_print("final %18.10f %39.3f %9.2f\n", self->final.energy, self->final.record.seconds,
              1e-9 * self->final.record.flops / self->final.record.seconds);
    self->has_final = true;
    note_memory(self);
    return STATUS_OK;
}

static enum status solve_program(struct correlation *self, const struct correlation_files *files)
{
    struct correlation_iteration iteration;
    log_print("iter   correlation energy        change   amplitudes    seconds   GFLOP/s\n");
    if (self->instance.program.n_unknowns > 0) {
        TRY(solve_iteratively(self, files));
        return run_final_part(self);
    }
    if (self->problem.settings->text)
        TRY(user_program_reset(&self->instance));
    TRY(run_iteration(self, &iteration));
    note_memory(self);
    return keep_iteration(self, &iteration);
}

enum status correlation_solve(struct correlation *self, const struct taskpool_settings *pool,
                              const struct correlation_files *files)
{
    static const struct correlation_files no_files = {0};
    const struct method_settings *settings = self->problem.settings;
    struct tuple_files *tuples = NULL;
    files = files ? files : &no_files;
    self->n_iterations = 0;
    self->n_before = 0;
    self->energy_before = 0;
    self->is_solution = false;
    self->has_final = false;
    TRY(executor_start(self->instance.executor, pool));
    if ((settings->checkpoint || files->restart_path) && !settings->is_timed)
        TRY(tuple_files_create(self, files->restart_path, settings->checkpoint, &tuples));
    enum status status = solve_program(self, files);
    tuple_files_destroy(tuples);
    return status;
}
