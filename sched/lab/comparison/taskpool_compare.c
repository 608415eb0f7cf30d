/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/comparison/taskpool_compare.h"

#include "sched/lab/comparison/comparison.h"
#include "sched/pool/modes/mode_options.h"
#include "support/base/agree.h"
#include "support/base/die.h"
#include "support/base/node.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct pool_comparison {
    MPI_Comm comm; /* of this process alone where workers are simulated */
    const struct taskpool_problem *problem;
    const struct taskpool_settings *settings;
    const struct taskpool_comparison *plan;
    struct mode_list modes;
    struct comparison *comparison;
};

static enum status check_plan(struct pool_comparison *self)
{
    const struct taskpool_comparison *plan = self->plan;
    if (!self->problem || !plan->modes)
        return FAIL(STATUS_USAGE, "a comparison needs %s, which is NULL",
                    self->problem ? "the names of modes" : "a problem");
    if (plan->n_rounds < 2 || plan->n_rounds > COMPARISON_ROUNDS_MAX)
        return FAIL(STATUS_USAGE, "a comparison of %lld rounds: give 2 to %d",
                    (long long)plan->n_rounds, (int)COMPARISON_ROUNDS_MAX);
    if (plan->n_iterations < 1)
        return FAIL(STATUS_USAGE, "a comparison of %lld iterations: give 1 or more",
                    (long long)plan->n_iterations);
    TRY(mode_list_parse("compare", plan->modes, &self->modes));
    return mode_options_check_list(self->settings, &self->modes);
}

static enum status create_compared_pool(const struct pool_comparison *self, int mode, int64_t round,
                                        struct taskpool **pool)
{
    struct taskpool_settings settings;
    mode_options_select(self->settings, self->modes.modes[mode], &settings);
    settings.seed = comparison_run_seed(self->comparison, mode, round);
    return self->plan->machine
               ? taskpool_simulate(self->problem, &settings, self->plan->machine, pool)
               : taskpool_create(self->comm, self->problem, &settings, pool);
}

static enum status prepare_iteration(const struct pool_comparison *self, struct taskpool *pool,
                                     int mode, int64_t round, int64_t i)
{
    int64_t n_failures = status_n_failures();
    enum status status =
        (enum status)self->plan->prepare(pool, mode, round, i, self->problem->context);
    return status_agree(
        self->comm,
        status_explain(status, n_failures, "prepare returned %d without a text", (int)status));
}

static enum status run_compared_pool(const struct pool_comparison *self, struct taskpool *pool,
                                     int mode, int64_t round)
{
    const struct taskpool_comparison *plan = self->plan;
    for (int64_t i = 0; i < plan->n_iterations; i++) {
        if (i > 0)
            TRY(taskpool_restore(pool));
        if (plan->prepare)
            TRY(prepare_iteration(self, pool, mode, round, i));
        TRY(taskpool_run(pool));
        const struct taskpool_iteration *last =
            taskpool_statistics(pool, taskpool_n_iterations(pool) - 1);
        comparison_note(self->comparison, mode, last->makespan_s + last->balance_s);
    }
    return STATUS_OK;
}

static enum status run_pool_of_mode(const struct pool_comparison *self, int mode, int64_t round)
{
    struct taskpool *pool;
    TRY(create_compared_pool(self, mode, round, &pool));
    comparison_begin(self->comparison, mode);
    enum status status = run_compared_pool(self, pool, mode, round);
    taskpool_destroy(pool);
    TRY(status);
    return status_agree(self->comm, comparison_end(self->comparison, mode));
}

static enum status run_pools_of_round(const struct pool_comparison *self, int64_t round)
{
    int order[COMPARISON_MODES_MAX];
    comparison_draw_order(self->comparison, round, order);
    for (int m = 0; m < self->modes.n; m++)
        TRY(run_pool_of_mode(self, order[m], round));
    return STATUS_OK;
}

enum status comparison_of_pools(MPI_Comm comm, const struct taskpool_problem *problem,
                                const struct taskpool_settings *settings,
                                const struct taskpool_comparison *plan,
                                struct comparison *comparison)
{
    struct pool_comparison self = {.comm = plan->machine ? MPI_COMM_SELF : comm,
                                   .problem = problem,
                                   .settings = settings,
                                   .plan = plan,
                                   .comparison = comparison};
    *comparison = (struct comparison){.seed = settings->seed, .simulated = plan->machine != NULL};
    TRY(check_plan(&self));
    comparison->oversubscribed = !plan->machine && is_oversubscribed(comm);
    for (int m = 0; m < self.modes.n; m++)
        comparison_add(comparison, self.modes.modes[m]);
    for (int64_t round = 0; round < plan->n_rounds; round++)
        TRY(run_pools_of_round(&self, round));
    return status_agree(self.comm, comparison_analyse(comparison));
}

/* --- for programs from outside --- */

struct taskpool_compared {
    struct comparison comparison;
    struct taskpool_compared_mode modes[COMPARISON_MODES_MAX];
};

static struct taskpool_estimate estimate_of(struct interval interval)
{
    return (struct taskpool_estimate){interval.value, interval.low, interval.high};
}

static void fill_compared_modes(struct taskpool_compared *compared)
{
    for (int i = 0; i < compared->comparison.n; i++) {
        const struct comparison_mode *mode = &compared->comparison.modes[i];
        struct taskpool_compared_mode *out = &compared->modes[i];
        static_assert(sizeof out->name == sizeof mode->name, "names of equal length");
        memcpy(out->name, mode->name, sizeof out->name);
        out->median_s = estimate_of(mode->median_s);
        out->ratio = estimate_of(mode->ratio);
        out->p = mode->adjusted_p;
        out->verdict = (mode->verdict == COMPARISON_SLOWER) - (mode->verdict == COMPARISON_FASTER);
    }
}

int taskpool_compare(MPI_Comm comm, const struct taskpool_problem *problem,
                     const struct taskpool_settings *settings,
                     const struct taskpool_comparison *plan, struct taskpool_compared **compared)
{
    if (compared)
        *compared = NULL;
    if (!settings || !plan || !compared)
        return FAIL(STATUS_USAGE, "taskpool_compare: the settings, the plan or the address for the "
                                  "outcome are NULL");
    if (!plan->machine && comm == MPI_COMM_NULL)
        return FAIL(STATUS_USAGE, "taskpool_compare: the communicator is MPI_COMM_NULL");
    struct taskpool_compared *new = calloc(1, sizeof *new);
    if (!new)
        die_no_memory("no memory for a comparison");
    enum status status = comparison_of_pools(comm, problem, settings, plan, &new->comparison);
    if (status != STATUS_OK) {
        taskpool_compared_destroy(new);
        return status;
    }
    fill_compared_modes(new);
    *compared = new;
    return STATUS_OK;
}

int taskpool_compared_n(const struct taskpool_compared *compared)
{
    return compared ? compared->comparison.n : 0;
}

const struct taskpool_compared_mode *taskpool_compared_at(const struct taskpool_compared *compared,
                                                          int i)
{
    return i >= 0 && i < taskpool_compared_n(compared) ? &compared->modes[i] : NULL;
}

void taskpool_compared_destroy(struct taskpool_compared *compared)
{
    if (compared)
        comparison_fini(&compared->comparison);
    free(compared);
}

static void print_compared_line(const char *line, void *stream)
{
    fprintf(stream, "%s\n", line);
}

void taskpool_compared_print(const struct taskpool_compared *compared, FILE *stream)
{
    if (!compared || !stream)
        return;
    const struct comparison *comparison = &compared->comparison;
    comparison_print(comparison, print_compared_line, stream);
    print_compared_line("", stream);
    comparison_print_rounds(comparison, comparison->modes[0].n_rounds, print_compared_line, stream);
}
