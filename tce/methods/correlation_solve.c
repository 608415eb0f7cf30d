#include "tce/methods/correlation.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "tce/methods/amplitude_file.h"
#include "tce/methods/amplitude_solver.h"
#include "tce/methods/correlation_checkpoint.h"

#include <math.h>

/* The energy has converged when it changes by less than this share of what an amplitude may
 * change by, hartree, or by what rounding may do. */
#define ENERGY_SHARE 0.1
#define ENERGY_NOISE 1e-12

double correlation_energy(const struct correlation *self)
{
    return self->n_iterations > 0 ? self->iterations[self->n_iterations - 1].energy : 0;
}

static double read_energy(const struct correlation *self)
{
    double energy;
    darray_get(executor_tensor(self->instance.executor, self->energy)->data, 0, &energy);
    return energy;
}

/* Runs the stages from the first iterated one on, and keeps what they cost. */
static enum status evaluate(struct correlation *self, struct correlation_iteration *iteration)
{
    const struct plan *plan = self->instance.plan;
    int first = self->instance.program.n_unknowns > 0 ? plan->first_iterated_stage : 0;
    *iteration = (struct correlation_iteration){0};
    TRY(executor_run(self->instance.executor, first, plan->n_stages, &iteration->record));
    iteration->record.statistics.iteration = self->n_iterations;
    iteration->energy = read_energy(self);
    return STATUS_OK;
}

static enum status keep(struct correlation *self, const struct correlation_iteration *iteration)
{
    double before = correlation_energy(self);
    TRY(status_agree(self->problem.comm, array_reserve(&self->iterations, self->n_iterations + 1,
                                                       &self->capacity, sizeof *self->iterations)));
    self->iterations[self->n_iterations++] = *iteration;
    log_print("%4lld %20.10f %13.3e %12.3e %10.3f %9.2f\n", (long long)self->n_iterations,
              iteration->energy, self->n_iterations > 1 ? iteration->energy - before : 0,
              iteration->change, iteration->record.seconds,
              1e-9 * iteration->record.flops / iteration->record.seconds);
    return STATUS_OK;
}

/* To ask the system takes milliseconds, more than many an iteration. */
static void note_memory(struct correlation *self)
{
    int64_t memory = memory_part_bytes();
    self->memory_bytes = memory > self->memory_bytes ? memory : self->memory_bytes;
}

/* The energy is linear in the amplitudes, of which there are many. */
static bool is_converged(const struct correlation *self, double energy_before, double threshold)
{
    const struct correlation_iteration *last = &self->iterations[self->n_iterations - 1];
    return last->change < threshold &&
           fabs(last->energy - energy_before) < fmax(ENERGY_SHARE * threshold, ENERGY_NOISE);
}

static enum status iterate(struct correlation *self, struct amplitude_solver *solver,
                           const struct correlation_settings *settings)
{
    for (int64_t i = 0; i < settings->max_iterations; i++) {
        struct correlation_iteration iteration;
        double energy_before = correlation_energy(self);
        TRY(evaluate(self, &iteration));
        TRY(amplitude_solver_step(solver, &iteration.change));
        TRY(keep(self, &iteration));
        if (settings->checkpoint)
            TRY(correlation_checkpoint_write(settings->checkpoint, self));
        if (is_converged(self, energy_before, settings->converge))
            return STATUS_OK;
    }
    return FAIL(STATUS_NOT_CONVERGED,
                "the amplitudes of %s still change by %.1e after %lld iteration%s: allow more with "
                "--max-iter-amplitudes",
                self->problem.method, self->iterations[self->n_iterations - 1].change,
                (long long)settings->max_iterations, settings->max_iterations == 1 ? "" : "s");
}

/* The first amplitudes. */
static enum status begin(struct correlation *self, const struct correlation_settings *settings)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    int n = correlation_unknowns(self, x, f);
    if (settings->restart)
        return amplitude_file_read(settings->restart, n, x, self->problem.comm);
    for (int i = 0; i < n; i++)
        darray_zero(x[i]->data);
    return STATUS_OK;
}

static enum status solve_iteratively(struct correlation *self,
                                     const struct correlation_settings *settings)
{
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct amplitude_solver *solver;
    int n = correlation_unknowns(self, x, f);
    TRY(begin(self, settings));
    TRY(amplitude_solver_create(n, x, f, settings->diis_size, self->problem.comm, &solver));
    enum status status = iterate(self, solver, settings);
    note_memory(self);
    amplitude_solver_destroy(solver);
    return status;
}

enum status correlation_solve(struct correlation *self, const struct taskpool_settings *pool,
                              const struct correlation_settings *settings)
{
    struct correlation_iteration iteration;
    self->n_iterations = 0;
    TRY(executor_start(self->instance.executor, pool));
    log_print("iter   correlation energy        change   amplitudes    seconds   GFLOP/s\n");
    if (self->instance.program.n_unknowns > 0)
        return solve_iteratively(self, settings);
    TRY(evaluate(self, &iteration));
    note_memory(self);
    return keep(self, &iteration);
}
