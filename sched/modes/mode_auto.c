/* Mode `auto`, the default: combines the strengths of the other modes, for users who do not
 * want to choose.
 *
 * - The first iteration starts from blocks of equal predicted cost, if costs are
 *   predicted; errors of the prediction are corrected by stealing. A block keeps
 *   neighbouring tasks together, which may share data.
 * - Every task is timed. If the largest load exceeds the average by more than 1 %, the balancer
 *   of persist (the tree) evens the loads out for the next iteration; less is not worth
 *   the messages, nor the data that move with the tasks, and is left to stealing.
 * - A worker begins with its longest tasks, as predicted or measured, so that only
 *   short ones are left when some workers run dry. Thieves get the tasks that a
 *   victim would run last: the shortest. The order is by powers of two of the duration only:
 *   within these, tasks keep their order, in which neighbours may share data.
 * - Stealing stays on in all iterations, for changes since the last one: a task
 *   that takes longer, a process that was delayed. When loads are even it costs one
 *   or two refusals and the detection of the end.
 *
 * At worst it is stealing with a good start; at best no message is sent
 * before the last tasks. It has no options of its own. */
#include "sched/protocols/measured_balance.h"
#include "support/base/die.h"

static const struct balancer_rules rules = {
    .branching = 3, .donate_above = 1.003, .fill_to = 1.003, .balance_over = 0.01};

static enum status auto_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    return measured_balance_init(state, setup, comm, &rules);
}

/* The tasks of the worker's seeding, those of the largest predicted cost first. */
static enum status auto_seed(void *state)
{
    struct measured_balance *self = state;
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    const struct seeding *seeding = self->stealing.setup->seeding;
    int worker = self->stealing.comm->rank;
    if (!problem->cost)
        return stealing_seed(&self->stealing);
    for (int64_t i = 0; i < seeding_n_ranges(seeding, worker); i++) {
        struct task_range range = seeding_range(seeding, worker, i);
        for (int64_t task = range.first; task < range.last; task += range.step)
            TRY(duration_bins_add(&self->bins, task, problem->cost(task, problem->context)));
    }
    return measured_balance_begin(self, true, true);
}

static enum mode_step auto_restore(void *state)
{
    if (!measured_balance_balance(state))
        return MODE_WAIT;
    if (measured_balance_begin(state, true, true) != STATUS_OK)
        die("%s", status_text());
    return MODE_DONE;
}

const struct mode mode_auto = {
    .name = "auto",
    .help = "seeded by predicted cost, corrected by measurement, the rest stolen",
    .state_size = sizeof(struct measured_balance),
    .seeded = true,
    .prefers_cost = true,
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .init = auto_init,
    .fini = measured_balance_fini,
    .seed = auto_seed,
    .next = stealing_next,
    .next_local = stealing_next_local,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = auto_restore,
    .progress = stealing_progress,
    .describe = stealing_describe,
};
