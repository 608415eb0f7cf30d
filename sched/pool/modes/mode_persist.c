/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `persist`: the durations measured in one iteration balance the next (Lifflander,
 * Krishnamoorthy, Kale, HPDC 2012, section 5). As in that paper's runs the first
 * iteration steals; in the second each worker runs the tasks that it ran in the first, without
 * stealing; before every later one the balancer (balancer.h) moves tasks, by their work and the
 * workers' speeds (worker_speed.h).
 *
 * A worker runs its tasks in the order in which it ran them, because neighbours in
 * that order may share data, and then those it received. */
#include "sched/pool/balancing/measured_balance.h"

enum persist_balancer { BALANCER_CENTRAL, BALANCER_TREE };

struct persist_settings {
    int balancer;        /* enum persist_balancer */
    int64_t branching;   /* of the balancer's tree */
    double donate_above; /* C: times the average load */
    double fill_to;      /* D */
};

#define FIELD(name) offsetof(struct persist_settings, name)

static const struct taskpool_option persist_rows[] = {
    TASKPOOL_CHOICE_OPTION("balancer", FIELD(balancer), "central,tree", .default_text = "tree",
                           .value = "RULE",
                           .help = "algorithm that moves tasks between iterations"),
    TASKPOOL_INTEGER_OPTION("branching", FIELD(branching), 2, 1e6, .default_text = "3",
                            .value = "N", .help = "children of a node of the balancer's tree"),
    TASKPOOL_REAL_OPTION("donate-above", FIELD(donate_above), 1, 1e6, .default_text = "1.003",
                         .value = "C",
                         .help = "workers above C times the average load donate tasks"),
    TASKPOOL_REAL_OPTION("fill-to", FIELD(fill_to), 1, 1e6, .default_text = "1.003", .value = "D",
                         .help = "subtrees below D times the average load receive tasks"),
};

#undef FIELD

enum { DEFAULT_BRANCHING = 3 };

static int check_persist(const struct taskpool_settings *settings);

static struct taskpool_mode_options persist_options = {.rows = persist_rows,
                                                       .n_rows = sizeof persist_rows /
                                                                 sizeof persist_rows[0],
                                                       .size = sizeof(struct persist_settings),
                                                       .check = check_persist};

static int check_persist(const struct taskpool_settings *settings)
{
    const struct persist_settings *own = taskpool_settings_of(settings, &persist_options);
    if (own->balancer == BALANCER_CENTRAL && own->branching != DEFAULT_BRANCHING)
        return FAIL(STATUS_USAGE, "--branching has no effect with --balancer central");
    return STATUS_OK;
}

static int persist_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    const struct persist_settings *settings =
        taskpool_settings_of(setup->settings, &persist_options);
    const struct balancer_rules rules = {
        .branching = settings->balancer == BALANCER_CENTRAL ? INT64_MAX : settings->branching,
        .donate_above = settings->donate_above,
        .fill_to = settings->fill_to,
    };
    return measured_balance_init(state, setup, comm, &rules);
}

static enum taskpool_mode_step persist_restore(void *state)
{
    struct measured_balance *self = state;
    if (!measured_balance_step(self, 2))
        return TASKPOOL_MODE_WAIT;
    taskpool_comm_report(self->stealing.comm, measured_balance_begin(self, false, false));
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_persist = {
    .name = "persist",
    .help = "measured durations balance the tasks between iterations, by a tree or centrally",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, &persist_options, NULL},
    .state_size = sizeof(struct measured_balance),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry),
    .node_words = taskpool_stealing_node_words,
    .init = persist_init,
    .fini = measured_balance_fini,
    .seed = taskpool_stealing_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = persist_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
