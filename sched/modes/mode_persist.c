/* Mode `persist`: what tasks took in one iteration balances the next (Lifflander,
 * Krishnamoorthy, Kale, HPDC 2012, section 5). As in that paper's runs the first
 * iteration steals; the second runs what each worker ran in the first, without
 * stealing; before every later one the balancer (balancer.h) moves tasks.
 *
 * A worker runs its tasks in the order in which it ran them, because neighbours in
 * that order may share data, and then those it received. */
#include "sched/protocols/persistence.h"
#include "support/base/agree.h"

struct persist_state {
    struct persistence persistence; /* first */
    int64_t n_iterations;           /* that are over */
};

static enum status persist_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    struct persist_state *self = state;
    const struct taskpool_settings *settings = setup->settings;
    struct balancer_rules rules = {
        .branching = settings->balancer == BALANCER_CENTRAL ? INT64_MAX : settings->branching,
        .donate_above = settings->donate_above,
        .fill_to = settings->fill_to,
        .balance_over = settings->balance_over,
    };
    return persistence_init(&self->persistence, setup, comm, &rules);
}

static enum mode_step persist_restore(void *state)
{
    struct persist_state *self = state;
    if (!self->persistence.balancing)
        self->n_iterations++;
    if (self->n_iterations > 1 && !persistence_balance(&self->persistence))
        return MODE_WAIT;
    if (persistence_begin(&self->persistence, false, false) != STATUS_OK)
        die("%s", status_text());
    return MODE_DONE;
}

const struct mode mode_persist = {
    .name = "persist",
    .state_size = sizeof(struct persist_state),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry),
    .init = persist_init,
    .fini = persistence_fini,
    .seed = persistence_seed,
    .next = stealing_next,
    .next_local = stealing_next_local,
    .receive = persistence_receive,
    .sent = persistence_sent,
    .finished = persistence_finished,
    .restore = persist_restore,
    .progress = stealing_progress,
};
