/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `retentive`: work stealing whose next iteration starts where the tasks
 * ran in the last one (Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6).
 * The paper's order is that of its set of executed tasks, which --retain order comes nearest to;
 * without it a worker begins with its longest tasks, see ran_tasks.h. Stealing notes the tasks that
 * a worker ran, and the durations of long ones.
 *
 * Stealing alone does not even out the last task of a worker that began with a long one: the
 * worker begins it before any other is without tasks, in every iteration. So pairs of workers
 * exchange long tasks before the next one (pairs.h), by their work and the workers' speeds
 * (learned_speeds.h), if the largest load is far enough above the least possible; short ones, which
 * are not timed, stay, and are left to thieves. As under auto an iteration is without stealing
 * where loads are to be even to less than the detection of its end takes. Where a task takes
 * longer elsewhere (taskpool_problem.move_cost) every task is timed, and few are stolen after the
 * first iteration (move_account.h).
 *
 * Nothing is exchanged with --refine=false and --as-published, nor with --retain order, which keeps
 * no durations, nor where the data of tasks are known (problem.data_costs), which tasks would leave; by predicted
 * costs speeds are learned all the same.
 * In a dynamic pool only the tasks that were added before the run are kept: when they run, they add
 * the others again. */
#include "sched/pool/balancing/measured_balance.h"

enum retentive_order { RETAIN_LONGEST, RETAIN_ORDER };

struct retentive_settings {
    int retain; /* enum retentive_order */
};

static const struct taskpool_option retentive_rows[] = {
    TASKPOOL_CHOICE_OPTION("retain", offsetof(struct retentive_settings, retain), "longest,order",
                           .default_text = "longest", .preset_text = "order", .value = "HOW",
                           .help =
                               "order in which a worker runs the tasks that it ran last time: the "
                               "longest first, or unchanged as published"),
};

static struct taskpool_mode_options retentive_options =
    TASKPOOL_MODE_OPTIONS(retentive_rows, sizeof(struct retentive_settings));

struct retentive_state {
    struct measured_balance measured; /* first */
    bool refines;                     /* tasks move between iterations */
    bool learns;                      /* else speeds, by predicted costs */
};

static int retentive_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct retentive_state *self = state;
    const struct retentive_settings *settings =
        taskpool_settings_of(setup->settings, &retentive_options);
    const struct measured_balance_settings *common =
        taskpool_settings_of(setup->settings, &measured_balance_options);
    const struct taskpool_problem *problem = setup->problem;
    bool keeps_order = settings->retain == RETAIN_ORDER;
    bool minds_moves = problem->move_cost > 0 && problem->record_size == 0;
    struct balancer_rules rules = balancer_by_pairs;
    rules.deal_below = 0;
    rules.ignores_data = true;
    TRY(measured_balance_init(&self->measured, setup, comm, &rules, !minds_moves));
    self->measured.stealing.minds_speeds = self->measured.speeds.has_evidence;
    self->measured.ran.keeps_order = keeps_order;
    self->refines =
        common->refine && !keeps_order && problem->record_size == 0 && !problem->data_costs;
    self->learns = !self->refines && problem->record_size == 0 && problem->cost;
    /* Little is stolen: the end is to cost little, too. */
    if (minds_moves)
        stealing_prefer_termination(&self->measured.stealing, TERMINATION_WIDE);
    return STATUS_OK;
}

static enum taskpool_mode_step retentive_restore(void *state)
{
    struct retentive_state *self = state;
    struct measured_balance *measured = &self->measured;
    if (self->refines && !measured_balance_balance(measured))
        return TASKPOOL_MODE_WAIT;
    if (self->learns && !measured_balance_keep(measured))
        return TASKPOOL_MODE_WAIT;
    bool steals = !self->refines || measured->balancer.steals;
    taskpool_comm_report(measured->stealing.comm,
                         measured_balance_begin(measured, steals, !measured->ran.keeps_order));
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_retentive = {
    .name = "retentive",
    .help = "stealing that starts where the tasks ran in the last iteration, evened out by pairs "
            "of workers",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, &measured_balance_options,
                                           &retentive_options, NULL},
    .state_size = sizeof(struct retentive_state),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .node_words = steal_window_n_words,
    .init = retentive_init,
    .fini = measured_balance_fini,
    .seed = measured_balance_seed,
    .next = measured_balance_next,
    .next_local = measured_balance_next_local,
    .add = taskpool_stealing_add,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .timed_if_moves_cost = true,
    .restore = retentive_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
