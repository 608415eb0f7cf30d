/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `auto`, the default, for users who do not want to choose: seeded by cost where costs are
 * known, else cyclically; it steals in every iteration, from victims on the node first; between
 * iterations it moves tasks by their last durations and the workers' speeds, as persist does. In
 * dynamic pools it is lifeline. Where tasks keep data see measured_balance.h.
 *
 * A worker begins with its longest tasks, as predicted or measured, so that only
 * short ones are left when some workers run dry. Thieves get the tasks that a
 * victim would run last: the shortest. The order is by powers of two of the duration only:
 * within these, tasks keep their order, in which neighbours may share data. */
#include "sched/pool/balancing/measured_balance.h"

#include <stdio.h>

static int auto_seeding(const struct taskpool_problem *problem)
{
    return problem->cost ? TASKPOOL_SEEDING_COST : TASKPOOL_SEEDING_CYCLIC;
}

static int auto_init(void *state, const struct taskpool_mode_setup *setup,
                     struct taskpool_comm *comm)
{
    struct measured_balance *self = state;
    TRY(measured_balance_init(self, setup, comm, &balancer_by_default));
    stealing_prefer(&self->stealing, TERMINATION_WIDE, VICTIM_NODE);
    return STATUS_OK;
}

/* The tasks of the worker's seeding, the largest predicted cost first. */
static int auto_seed(void *state)
{
    struct measured_balance *self = state;
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    const struct taskpool_seeding *seeding = self->stealing.setup->seeding;
    int worker = self->stealing.comm->rank;
    if (!problem->cost)
        return taskpool_stealing_seed(&self->stealing);
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            TRY(duration_bins_add(&self->bins, task, problem->cost(task, problem->context)));
    }
    return measured_balance_begin(self, true, true);
}

static enum taskpool_mode_step auto_restore(void *state)
{
    struct measured_balance *self = state;
    if (!measured_balance_step(self, 1))
        return TASKPOOL_MODE_WAIT;
    taskpool_comm_report(self->stealing.comm, measured_balance_begin(self, true, true));
    return TASKPOOL_MODE_DONE;
}

static void auto_explain(const void *state, struct taskpool_choice *choice)
{
    const struct measured_balance *self = state;
    const struct balancer *balancer = &self->balancer;
    const char *steals = self->stealing.enabled ? "stealing" : "no stealing";
    if (self->stealing.comm->size == 1)
        return;
    if (balancer->n_phases == 0) {
        snprintf(choice->what, sizeof choice->what, "tasks %s, %s",
                 self->n_iterations > 0 ? "stay" : "as seeded", steals);
        if (self->n_iterations > 0)
            snprintf(choice->why, sizeof choice->why,
                     "the first iteration also made the data that tasks keep");
        else
            snprintf(choice->why, sizeof choice->why,
                     "nothing is measured yet, costs are %spredicted",
                     self->stealing.setup->problem->cost ? "" : "not ");
        return;
    }
    snprintf(choice->what, sizeof choice->what, "tasks %s, %s",
             balancer->may_move ? "balanced" : "stay", steals);
    snprintf(choice->why, sizeof choice->why, "largest load %.4g s, the least possible %.4g s",
             balancer->largest_s, balancer->best_s);
}

const struct taskpool_mode mode_auto = {
    .name = "auto",
    .help = "seeded by predicted cost, rebalanced by measured times, then work stealing",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, NULL},
    .state_size = sizeof(struct measured_balance),
    .seeded = true,
    .seeding = auto_seeding,
    .dynamic = "lifeline",
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .node_words = taskpool_stealing_node_words,
    .init = auto_init,
    .fini = measured_balance_fini,
    .seed = auto_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = auto_restore,
    .progress = taskpool_stealing_progress,
    .explain = auto_explain,
    .describe = taskpool_stealing_describe,
};
