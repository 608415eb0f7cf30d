/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `persist`: the durations measured in one iteration balance the next (Lifflander,
 * Krishnamoorthy, Kale, HPDC 2012, section 5). As in that paper's runs the first
 * iteration steals; in the second each worker runs the tasks that it ran in the first, without
 * stealing; before every later one the balancer (balancer.h) moves tasks, by their work and the
 * workers' speeds (learned_speeds.h), and pairs of workers even out what it leaves, which
 * --refine=false and --as-published undo.
 *
 * Where tasks find data and moves are cheap (0 < problem.move_cost < 1) the first four iterations steal, in place of the
 * first: that one makes the data, the second is the first that reads them, and a move by what either of them took makes
 * the third longer. Workers then begin with their longest tasks, which leaves short ones to thieves at the end, unless
 * --deque bounds the ranges of tasks. Not where workers of a node share cores, on which the kernel evens out
 * short loads and a search for tasks takes turns from others; nor with --as-published, nor where the data of tasks
 * are known.
 *
 * Where the data of tasks are known (problem.data_costs) and not negligible, pairs that weigh them take the
 * place of the tree (data_placement.h), unless --never-worse=false; and where no placement is as good as the
 * first iteration, iterations steal again (best_makespan.h).
 *
 * In all other cases a worker runs its tasks in the order in which it ran them, because neighbours in
 * that order may share data, and then those it received. */
#include "sched/pool/balancing/measured_balance.h"

enum persist_balancer { BALANCER_CENTRAL, BALANCER_TREE, BALANCER_PAIRS };

struct persist_settings {
    int balancer;        /* enum persist_balancer; pairs: those of auto */
    int64_t branching;   /* of the balancer's tree */
    double donate_above; /* C: times the average load */
    double fill_to;      /* D */
    double balance_over; /* imbalance that triggers balancing */
    bool pass_up;        /* tasks that would fill a child of the tree too high */
    bool never_worse;    /* only what makes the largest load smaller */
};

#define FIELD(name) offsetof(struct persist_settings, name)

static const struct taskpool_option persist_rows[] = {
    TASKPOOL_CHOICE_OPTION("balancer", FIELD(balancer), "central,tree,pairs",
                           .default_text = "tree", .value = "RULE",
                           .help = "algorithm that moves tasks between iterations"),
    TASKPOOL_INTEGER_OPTION("branching", FIELD(branching), 2, 1e6, .default_text = "3",
                            .value = "N", .help = "children of a node of the balancer's tree"),
    TASKPOOL_REAL_OPTION("donate-above", FIELD(donate_above), 1, 1e6, .default_text = "1.003",
                         .value = "C",
                         .help = "workers above C times the average load donate tasks"),
    TASKPOOL_REAL_OPTION("fill-to", FIELD(fill_to), 1, 1e6, .default_text = "1.003", .value = "D",
                         .help = "subtrees below D times the average load receive tasks"),
    TASKPOOL_REAL_OPTION(
        "balance-over", FIELD(balance_over), 0, 1e6, .default_text = "0", .value = "X",
        .help = "balance only if the largest load exceeds the best possible by this fraction"),
    TASKPOOL_FLAG_OPTION(
        "pass-up", FIELD(pass_up), .default_text = "true", .preset_text = "false",
        .help = "the balancer's tree passes up a task that would raise a worker above D; "
                "=false: a subtree below D takes any task, as published"),
    TASKPOOL_FLAG_OPTION(
        "never-worse", FIELD(never_worse), .default_text = "true", .preset_text = "false",
        .help = "the balancer moves tasks only if the largest load, as measured, becomes "
                "smaller; =false: always, as published"),
};

#undef FIELD

static struct taskpool_mode_options persist_options =
    TASKPOOL_MODE_OPTIONS(persist_rows, sizeof(struct persist_settings));

struct persist_state {
    struct measured_balance measured; /* first */
    int64_t n_iterations;             /* finished */
};

/* Iterations that steal, from the first on, where moves are cheap: after it three that find data. */
enum { N_STEALING_IF_CHEAP = 4 };

static int persist_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    struct persist_state *self = state;
    const struct persist_settings *settings =
        taskpool_settings_of(setup->settings, &persist_options);
    const struct measured_balance_settings *common =
        taskpool_settings_of(setup->settings, &measured_balance_options);
    struct balancer_rules rules = {
        .branching = settings->balancer == BALANCER_CENTRAL ? INT64_MAX : settings->branching,
        .donate_above = settings->donate_above,
        .fill_to = settings->fill_to,
        .balance_over = settings->balance_over,
        .fills_over = !settings->pass_up,
        .takes_worse = !settings->never_worse,
        .refines = common->refine,
    };
    if (settings->balancer == BALANCER_PAIRS) {
        rules = balancer_by_pairs;
        rules.donate_above = settings->donate_above;
        rules.balance_over = settings->balance_over;
    }
    return measured_balance_init(&self->measured, setup, comm, &rules, false);
}

static bool moves_are_cheap(const struct persist_state *self)
{
    const struct stealing *stealing = &self->measured.stealing;
    const struct taskpool_problem *problem = stealing->setup->problem;
    const struct persist_settings *settings =
        taskpool_settings_of(stealing->setup->settings, &persist_options);
    return problem->move_cost > 0 && problem->move_cost < BALANCER_CHEAP_MOVE &&
           !problem->data_costs && stealing->comm->per_core <= 1 && settings->never_worse;
}

static enum taskpool_mode_step persist_restore(void *state)
{
    struct persist_state *self = state;
    struct measured_balance *measured = &self->measured;
    bool is_cheap = moves_are_cheap(self);
    int64_t n_stealing = is_cheap ? N_STEALING_IF_CHEAP : 1;
    if (!measured->balancing)
        self->n_iterations++;
    bool keeps = self->n_iterations <= n_stealing;
    if (!(keeps ? measured_balance_keep : measured_balance_balance)(measured))
        return TASKPOOL_MODE_WAIT;
    bool steals = self->n_iterations < n_stealing || measured->balancer.starts;
    bool longest_first = is_cheap && measured->stealing.deque.bound == 0;
    taskpool_comm_report(measured->stealing.comm,
                         measured_balance_begin(measured, steals, longest_first));
    return TASKPOOL_MODE_DONE;
}

const struct taskpool_mode mode_persist = {
    .name = "persist",
    .help = "measured durations balance the tasks between iterations, by a tree or centrally",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, &measured_balance_options,
                                           &persist_options, NULL},
    .state_size = sizeof(struct persist_state),
    .seeded = true,
    /* Without DURATION_BINS_ORDER_BYTES: only tasks that find data are sorted, and these are much larger. */
    .task_bytes = sizeof(struct duration_entry),
    .node_words = steal_window_n_words,
    .init = persist_init,
    .fini = measured_balance_fini,
    .seed = measured_balance_seed,
    .next = measured_balance_next,
    .next_local = measured_balance_next_local,
    .receive = measured_balance_receive,
    .sent = measured_balance_sent,
    .finished = measured_balance_finished,
    .restore = persist_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
