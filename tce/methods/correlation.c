#include "tce/methods/correlation.h"

#include "support/base/clock.h"
#include "tce/methods/correlation_integrals.h"
#include "tce/methods/methods.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of this many orbitals fill DGEMM, and still make many tasks; the same for any
 * number of processes, on which results may not depend. */
enum { FEW_ORBITALS = 128, SMALL_TILE = 20, LARGE_TILE = 24 };

static int64_t tile_of(const struct correlation_problem *problem)
{
    if (problem->tile > 0)
        return problem->tile;
    return problem->orbitals->spin[0].n_orbitals <= FEW_ORBITALS ? SMALL_TILE : LARGE_TILE;
}

/* --- binding --- */

bool correlation_is_bound(const struct program_tensor *tensor, const char *name)
{
    return tensor->fill && strcmp(tensor->fill, name) == 0;
}

bool correlation_is_occupied(const struct correlation *self, const struct program_tensor *tensor,
                             int d)
{
    const char *binding = self->instance.program.spaces[tensor->space[d]].binding;
    return binding && strcmp(binding, CORRELATION_OCCUPIED) == 0;
}

static int find_energy(const struct program *program)
{
    if (program->energy >= 0)
        return program->energy;
    for (int i = 0; i < program->n_tensors; i++)
        if (program->tensors[i].rank == 0 && strcmp(program->tensors[i].name, "E") == 0)
            return i;
    return -1;
}

/* The blocks of a space with sizes[] values of each spin; empty ones are left out. */
static int64_t list_blocks(int n_spins, const int64_t sizes[], struct index_block blocks[2])
{
    static const int labels[] = {1, -1};
    int64_t n = 0;
    for (int s = 0; s < n_spins; s++)
        if (sizes[s] > 0)
            blocks[n++] =
                (struct index_block){.size = sizes[s], .spin = n_spins == 1 ? 0 : labels[s]};
    return n;
}

enum status correlation_init(const struct correlation_problem *problem,
                             struct correlation *correlation)
{
    size_t length;
    const struct orbital_spaces *orbitals = problem->orbitals;
    const struct orbital_space *alpha = &orbitals->spin[0], *beta = &orbitals->spin[1];
    const char *text = tce_method_text(problem->method, orbitals->n_spins, &length);
    struct index_block occupied[2], virtual[2];
    const struct space_binding bindings[] = {
        {CORRELATION_OCCUPIED,
         list_blocks(orbitals->n_spins, (int64_t[]){alpha->n_occupied, beta->n_occupied}, occupied),
         occupied, tile_of(problem)},
        {CORRELATION_VIRTUAL,
         list_blocks(orbitals->n_spins, (int64_t[]){alpha->n_virtual, beta->n_virtual}, virtual),
         virtual, tile_of(problem)}};
    *correlation = (struct correlation){.problem = *problem};
    TRY(program_instance_init(text, length, problem->method, 2, bindings, problem->comm,
                              &correlation->instance));
    correlation->energy = find_energy(&correlation->instance.program);
    assert(correlation->energy >= 0);
    assert(correlation->instance.program.n_unknowns <= CORRELATION_MAX_UNKNOWNS);
    return STATUS_OK;
}

void correlation_fini(struct correlation *correlation)
{
    program_instance_fini(&correlation->instance);
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

/* --- denominators --- */

/* What each index stands for. */
struct denominators {
    const struct orbital_spaces *orbitals;
    int rank;
    bool is_occupied[MAX_RANK];
};

/* Of a value of one of the spaces, alpha orbitals first. */
static double orbital_energy(const struct orbital_spaces *orbitals, bool is_occupied, int64_t value)
{
    const struct orbital_space *alpha = &orbitals->spin[0], *beta = &orbitals->spin[1];
    int64_t n_alpha = is_occupied ? alpha->n_occupied : alpha->n_virtual;
    const struct orbital_space *space = value < n_alpha ? alpha : beta;
    int64_t number = value < n_alpha ? value : value - n_alpha;
    return space->energies[is_occupied ? number : space->n_occupied + number];
}

static double denominator(const int64_t value[], void *context)
{
    const struct denominators *denominators = context;
    double sum = 0;
    for (int d = 0; d < denominators->rank; d++) {
        bool is_occupied = denominators->is_occupied[d];
        double energy = orbital_energy(denominators->orbitals, is_occupied, value[d]);
        sum += is_occupied ? energy : -energy;
    }
    return 1 / sum;
}

static enum status fill_denominators(struct correlation *self, int number)
{
    const struct program_tensor *tensor = &self->instance.program.tensors[number];
    struct denominators denominators = {.orbitals = self->problem.orbitals, .rank = tensor->rank};
    for (int d = 0; d < tensor->rank; d++)
        denominators.is_occupied[d] = correlation_is_occupied(self, tensor, d);
    return tensor_fill(executor_tensor(self->instance.executor, number), denominator,
                       &denominators);
}

enum status correlation_prepare(struct correlation *self, const struct taskpool_settings *pool)
{
    const struct program *program = &self->instance.program;
    double start_s = clock_now_s();
    TRY(program_instance_start(&self->instance, &self->problem.contraction));
    TRY(correlation_integrals_fill(self, pool));
    for (int i = 0; i < program->n_tensors; i++)
        if (correlation_is_bound(&program->tensors[i], "denominators"))
            TRY(fill_denominators(self, i));
    self->integral_seconds = clock_now_s() - start_s;
    if (program->n_unknowns == 0)
        return STATUS_OK;
    TRY(executor_start(self->instance.executor, pool));
    return executor_run(self->instance.executor, 0, self->instance.plan->first_iterated_stage,
                        NULL);
}
