/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/program_trial.h"

#include "tce/methods/method_bindings.h"
#include "tce/tensor/tensor_functions.h"

#include <string.h>

/* Occupied and virtual orbitals of each spin: as many as antisymmetric triples need, in tiles of two and one. */
enum { TRIAL_VALUES = 3, TRIAL_ORBITALS = 2 * TRIAL_VALUES };

/* A trial of more, of long spaces of the program's own or of tensors of many indices, is left out. */
static const double MOST_TRIAL_FLOPS = 1e9, MOST_TRIAL_ELEMENTS = 1e7;

static const int64_t CACHE_BYTES = 1 << 20;

/* Below and above zero, so that denominators are finite. */
static const double trial_energies[2][TRIAL_ORBITALS] = {
    {-1.91, -1.37, -0.83, 0.59, 1.13, 1.78},
    {-1.73, -1.29, -0.71, 0.67, 1.21, 1.97},
};

/* --- random numbers --- */

static struct tensor_function random_function(int rank, double seed)
{
    struct tensor_function function;
    tensor_function_find("random", 1, &seed, rank, &function); /* there is one */
    return function;
}

/* A tensor with the symmetry that it declares. */
struct symmetric_random {
    const struct program_tensor *tensor;
    struct tensor_function function;
};

static double symmetric_element(const int64_t value[], void *context)
{
    struct symmetric_random *of = context;
    const struct symmetry *symmetry = &of->tensor->symmetry;
    double sum = symmetry->n > 0 ? 0 : of->function.element(value, &of->function);
    for (int e = 0; e < symmetry->n; e++) {
        int64_t permuted[MAX_RANK];
        for (int d = 0; d < of->tensor->rank; d++)
            permuted[d] = value[symmetry->elements[e].place[d]];
        sum += symmetry->elements[e].sign * of->function.element(permuted, &of->function);
    }
    return sum;
}

/* Two-electron integrals: (pq|rs), the same for all tensors. */
struct random_integrals {
    struct bound_tensor bound;
    enum integral_order order;
    struct tensor_function function;
};

static int64_t orbital_of_value(const struct bound_tensor *bound, int d, int64_t value)
{
    int64_t spin = value / TRIAL_VALUES, number = value % TRIAL_VALUES;
    return TRIAL_ORBITALS * spin + (bound->is_occupied[d] ? 0 : TRIAL_VALUES) + number;
}

/* A number of a pair, in whatever order. */
static int64_t number_pair(int64_t left, int64_t right)
{
    int64_t more = left > right ? left : right, less = left > right ? right : left;
    return more * (more + 1) / 2 + less;
}

static double integral_element(const int64_t value[], void *context)
{
    static const int places[][4] = {[CHEMISTS_ORDER] = {0, 1, 2, 3}, [DIRAC_ORDER] = {0, 2, 1, 3}};
    struct random_integrals *of = context;
    int64_t orbital[4];
    for (int d = 0; d < 4; d++) {
        int place = places[of->order][d];
        orbital[d] = orbital_of_value(&of->bound, place, value[place]);
    }
    int64_t pq = number_pair(orbital[0], orbital[1]), rs = number_pair(orbital[2], orbital[3]);
    int64_t pqrs = number_pair(pq, rs);
    return of->function.element(&pqrs, &of->function);
}

/* --- the trial --- */

static void fill_integrals(const struct correlation *trial)
{
    const struct program *program = &trial->instance.program;
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        const struct tensor_binding *binding = method_binding_find(tensor->fill);
        struct tensor *filled = executor_tensor(trial->instance.executor, t);
        if (!binding || binding->integrals == NO_INTEGRALS || !filled)
            continue;
        struct random_integrals integrals = {
            .bound = method_binding_describe(program, tensor, trial->problem.orbitals),
            .order = binding->integrals,
            .function = random_function(1, 1)};
        tensor_fill(filled, integral_element, &integrals);
    }
}

static void fill_unknowns(const struct correlation *trial)
{
    const struct program *program = &trial->instance.program;
    for (int u = 0; u < program->n_unknowns; u++) {
        int t = program->unknowns[u].tensor;
        struct symmetric_random random = {&program->tensors[t],
                                          random_function(program->tensors[t].rank, 2 + u)};
        tensor_fill(executor_tensor(trial->instance.executor, t), symmetric_element, &random);
    }
}

static enum status run_trial(struct correlation *trial)
{
    const struct plan *plan = trial->instance.plan;
    int first = trial->instance.program.n_unknowns > 0 ? plan->first_iterated_stage : 0;
    struct taskpool_settings pool;
    taskpool_settings_default(&pool);
    pool.mode = "static";
    TRY(program_instance_start(&trial->instance, &trial->problem.contraction));
    fill_integrals(trial);
    TRY(correlation_fill_elements(trial));
    TRY(executor_start(trial->instance.executor, &pool));
    TRY(executor_run(trial->instance.executor, 0, first, NULL));
    fill_unknowns(trial);
    return executor_run(trial->instance.executor, first, plan->n_stages, NULL);
}

static bool is_trial_needed(const struct program *program)
{
    for (int s = 0; s < program->n_statements; s++)
        if (program->statements[s].tries_symmetry)
            return true;
    for (int l = 0; l < program->n_loops; l++)
        if (program->loops[l].ordered)
            return true;
    return false;
}

static bool is_trial_short(const struct plan *plan)
{
    double flops = 0;
    for (int s = 0; s < plan->program->n_statements; s++)
        flops += plan->statement_flops[s];
    return flops <= MOST_TRIAL_FLOPS && plan->peak_elements <= MOST_TRIAL_ELEMENTS;
}

enum status program_trial(const struct correlation *planned)
{
    double energies[2][TRIAL_ORBITALS];
    struct orbital_spaces orbitals = {.n_spins = planned->problem.orbitals->n_spins};
    struct correlation_problem problem = planned->problem;
    struct correlation trial;
    if (!is_trial_needed(&planned->instance.program))
        return STATUS_OK;
    memcpy(energies, trial_energies, sizeof energies);
    for (int s = 0; s < 2; s++)
        orbitals.spin[s] = (struct orbital_space){.n_functions = TRIAL_ORBITALS,
                                                  .n_occupied = TRIAL_VALUES,
                                                  .n_virtual = TRIAL_VALUES,
                                                  .n_orbitals = TRIAL_ORBITALS,
                                                  .energies = energies[s]};
    problem.orbitals = &orbitals;
    problem.pairs = PLAN_PAIRS_NEVER; /* or some integrals were not stored whole */
    problem.contraction = (struct contraction_settings){.cache_bytes = CACHE_BYTES};
    problem.most_values = TRIAL_VALUES;
    enum status status = correlation_init(&problem, &trial);
    if (status == STATUS_OK && is_trial_short(trial.instance.plan))
        status = run_trial(&trial);
    correlation_fini(&trial);
    return status;
}
