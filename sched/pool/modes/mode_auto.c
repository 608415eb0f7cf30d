/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `auto`, the default: combines the strengths of the other modes, for users who do not
 * want to choose.
 *
 * - The first iteration starts from blocks of consecutive tasks; the largest block has the least
 *   predicted cost possible, if costs are predicted (--seeding cost); errors of the prediction are
 *   corrected by stealing. A block keeps neighbouring tasks together, which may share data. Of few tasks a
 *   worker the longest are dealt out first, with a short one for each if that is even (seeding_deal.c).
 * - Every task is timed, and how fast workers are is learned (learned_speeds.h). If the largest load
 *   exceeds what it is at best, the average or the longest task, by more than 1 %, pairs of workers
 *   exchange tasks before the next iteration (pairs.h), which makes no load larger than the largest;
 *   less is not worth the messages, nor the data that move with the tasks, and is left to stealing.
 * - Where costs are predicted, but speeds not known, a worker's first task is its shortest: one that
 *   is slow finds that out before it begins a long task, which it then leaves to others if they are
 *   expected to end it earlier (stealing_pace.h).
 * - A worker begins with its longest tasks, as predicted or measured, so that only
 *   short ones are left when some workers run dry. Thieves get the tasks that a
 *   victim would run last: the shortest. The order is by powers of two of the duration only:
 *   within these, tasks keep their order, in which neighbours may share data.
 * - Stealing stays on for changes since the last iteration, a task that takes longer, a process
 *   that was delayed, unless it has nothing to gain: it costs the detection of the end, up to 1 ms
 *   on a large machine though it is the quickest of termination.h, and where loads are to be even to
 *   less than that, and were so without stealing, an iteration is without it, and without messages.
 *   So it is where thefts made the last ones longer (theft_gain.h).
 *
 * Once speeds are known a thief gets what it ends as early as the victim does, so that a slow one takes no
 * last task, and a worker between two tasks keeps one: given away it would not end earlier.
 *
 * At worst it is stealing with a good start. A stolen task begins no later than where it was stolen
 * from, but for the messages, so that without interruptions no iteration takes longer than its start without
 * stealing.
 *
 * Where the data of tasks are known (problem.data_costs), it starts from their owners if that is expected
 * to end earlier (first_placement.h), and what a move costs is weighed against the load that it levels:
 * data_share.h for thieves, data_placement.h for pairs. Where no move makes an iteration shorter than the
 * first one, it begins like that again (best_makespan.h).
 *
 * In a dynamic pool it is retentive stealing: tasks that are added cannot be balanced before
 * they are there. It has no options of its own. */
#include "sched/pool/balancing/measured_balance.h"
#include "sched/pool/queues/deal.h"

#include <stdio.h>

static int auto_init(void *state, const struct taskpool_mode_setup *setup,
                     struct taskpool_comm *comm)
{
    struct measured_balance *self = state;
    bool dynamic = setup->problem->record_size > 0;
    TRY(measured_balance_init(self, setup, comm, &balancer_by_pairs, dynamic));
    stealing_prefer_termination(&self->stealing, TERMINATION_WIDE);
    return STATUS_OK;
}

/* Begins the first iteration on workers of unknown speed: after the shortest task each knows whether
 * it is slow (stealing_pace.h). */
static enum status begin_to_learn(struct measured_balance *self)
{
    int64_t entry;
    float cost;
    double load = self->ran.timed.load_s;
    struct task_ranges shortest = {0};
    enum status status = STATUS_OK;
    if (duration_bins_remove_smallest(&self->ran.timed, &entry, &cost))
        status = task_ranges_add(&shortest, duration_bins_removed_task(&self->ran.timed, entry));
    if (status == STATUS_OK)
        status = measured_balance_begin(self, true, true);
    for (int64_t i = 0; i < shortest.n; i++)
        measured_balance_note_begun(self, shortest.list[i].first);
    stealing_note_paces(&self->stealing, load);
    if (status == STATUS_OK)
        status = stealing_push(&self->stealing, &shortest);
    task_ranges_fini(&shortest);
    return status;
}

static void note_seeded(struct measured_balance *self)
{
    const struct taskpool_seeding *seeding = self->stealing.setup->seeding;
    int worker = self->stealing.comm->rank;
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last && theft_gain_notes(&self->thefts);
             task += range.step)
            measured_balance_note_begun(self, task);
    }
}

/* The tasks of the worker's seeding, those of the largest predicted cost first; where data are known in
 * the order in which they are, as the longest are those whose data are worth a move to a thief. */
static int auto_seed(void *state)
{
    struct measured_balance *self = state;
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    const struct taskpool_seeding *seeding = self->stealing.setup->seeding;
    int worker = self->stealing.comm->rank;
    if (!problem->cost || problem->data_costs) {
        note_seeded(self);
        return taskpool_stealing_seed(&self->stealing);
    }
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, worker); i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            TRY(duration_bins_add(&self->ran.timed, task, problem->cost(task, problem->context)));
    }
    return self->speeds.is_known ? measured_balance_begin(self, true, true) : begin_to_learn(self);
}

static enum taskpool_mode_step auto_restore(void *state)
{
    struct measured_balance *self = state;
    bool dynamic = self->stealing.setup->problem->record_size > 0;
    if (!dynamic && !measured_balance_balance(self))
        return TASKPOOL_MODE_WAIT;
    taskpool_comm_report(self->stealing.comm, measured_balance_begin(self, self->balancer.steals,
                                                                     !self->placement.weighs));
    return TASKPOOL_MODE_DONE;
}

/* The part of a choice that says where tasks begin. */
static const char *name_placement(const struct balancer *balancer)
{
    const struct balancer_outcome *outcome = &balancer->outcome;
    if (balancer->starts)
        return "tasks begin as in the first iteration";
    if (outcome->as_seeded)
        return "tasks begin as in the first iteration, and stay";
    if (outcome->deals)
        return "tasks dealt out anew";
    if (outcome->tries)
        return "tasks moved between pairs, the longest to be tried elsewhere";
    return outcome->moves ? "tasks moved between pairs" : "tasks stay";
}

/* The placement of the first iteration. */
static const char *name_beginning(const struct measured_balance *self)
{
    const struct taskpool_mode_setup *setup = self->stealing.setup;
    if (taskpool_seeding_rule_of(setup->seeding) == TASKPOOL_SEEDING_OWNER)
        return "tasks at the owners of their data";
    if (!setup->problem->cost)
        return "blocks of tasks";
    if (setup->problem->data_costs)
        return "blocks of tasks of even cost";
    if (taskpool_seeding_rule_of(setup->seeding) == TASKPOOL_SEEDING_DEAL)
        return self->stealing.comm->size > DEAL_GROUP
                   ? "tasks of uneven blocks dealt out by cost, the shortest, then the longest "
                     "first"
                   : "tasks dealt out by cost, the shortest, then the longest first";
    return self->speeds.is_known
               ? "blocks of tasks of even cost, the longest first"
               : "blocks of tasks of even cost, the shortest, then the longest first";
}

static void auto_explain(const void *state, struct taskpool_choice *choice)
{
    const struct measured_balance *self = state;
    const struct balancer_outcome *outcome = &self->balancer.outcome;
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    if (problem->record_size > 0 || self->stealing.comm->size == 1)
        return;
    if (outcome->best_s == 0) {
        snprintf(choice->what, sizeof choice->what, "%s, stealing", name_beginning(self));
        snprintf(choice->why, sizeof choice->why, "nothing is measured yet, costs are %spredicted",
                 problem->cost ? "" : "not ");
        return;
    }
    snprintf(choice->what, sizeof choice->what, "%s, %s", name_placement(&self->balancer),
             self->balancer.steals ? "stealing" : "no stealing");
    if (outcome->largest_s < outcome->best_s * (1 - BALANCER_LEAST_GAIN)) {
        snprintf(choice->why, sizeof choice->why,
                 "no load above %.4g s, the least possible, has lasted for three iterations so far",
                 outcome->best_s);
        return;
    }
    snprintf(choice->why, sizeof choice->why,
             "largest load %.4g s, the least possible %.4g s, now %.4g s, noise %.2f %%%s",
             outcome->largest_s, outcome->best_s, outcome->after_s, 100 * outcome->error,
             outcome->harms ? "; thefts made iterations longer" : "");
}

const struct taskpool_mode mode_auto = {
    .name = "auto",
    .help = "seeded by predicted cost, rebalanced by measured times, then work stealing",
    .state_size = sizeof(struct measured_balance),
    .seeded = true,
    .prefers_cost = true,
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .node_words = steal_window_n_words,
    .init = auto_init,
    .fini = measured_balance_fini,
    .seed = auto_seed,
    .next = measured_balance_next,
    .next_local = measured_balance_next_local,
    .add = taskpool_stealing_add,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = auto_restore,
    .progress = taskpool_stealing_progress,
    .explain = auto_explain,
    .describe = taskpool_stealing_describe,
};
