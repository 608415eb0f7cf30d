/* Mode `auto`: Beryl's own, for who does not want to choose. It puts together what
 * each of the others is good at:
 *
 * - the first iteration starts from blocks of equal predicted cost, if the tasks'
 *   cost is predicted, as far as that goes; what the prediction gets wrong is
 *   stolen. A block keeps tasks together that are neighbours and may share data.
 * - Every task is timed. If the workers' loads differ by more than 1 %, the balancer
 *   of persist (the tree) evens them out for the next iteration; less is not worth
 *   the messages, nor data that follow the tasks, and is left to stealing.
 * - A worker begins with its longest tasks, as predicted or measured, so that when
 *   some workers are early the others have only short ones left. Thieves get what a
 *   victim would run last: the shortest. By powers of two of the duration only:
 *   within these, tasks keep their order, in which neighbours may share data.
 * - Stealing stays on in all iterations, for what differs from the last one: a task
 *   that takes longer now, a process that was held up. In balance it costs one
 *   refusal or two and the detection of the end.
 *
 * It is at worst stealing with a good start, and at best no message is sent
 * before the last tasks. It has no options of its own. */
#include "sched/protocols/measured_balance.h"
#include "support/base/agree.h"

static const struct balancer_rules rules = {
    .branching = 3, .donate_above = 1.003, .fill_to = 1.003, .balance_over = 0.01};

static enum status auto_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    return measured_balance_init(state, setup, comm, &rules);
}

/* The worker's seeding, in the order of what it is predicted to cost. */
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
};
