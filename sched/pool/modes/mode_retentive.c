/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `retentive`: work stealing whose next iteration starts where the tasks
 * ran in the last one (Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6).
 * The paper's order is that of its set of executed tasks, which --retain order comes nearest to;
 * without it a worker begins with its longest tasks, see ran_tasks.h. Stealing notes the tasks that
 * a worker ran, and their durations, in `ran`. Where a task takes longer elsewhere
 * (taskpool_problem.move_cost) every task is timed and few are stolen after the first iteration
 * (move_account.h), and none after one whose loads were even. Where costs are predicted, long tasks
 * show how fast workers are (learned_speeds.h): slow ones steal less. In a dynamic pool only the
 * tasks that were added before the run are kept: when they run, they add the others again. */
#include "sched/pool/balancing/learned_speeds.h"
#include "sched/pool/protocols/stealing.h"

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
    struct stealing stealing; /* first: most functions of the table are stealing's own */
    struct ran_tasks ran;     /* in this iteration */
    struct learned_speeds speeds;
    bool learns; /* speeds, by predicted costs, and how uneven loads are */
    bool learning;
};

static void mind_speeds(struct retentive_state *self)
{
    self->stealing.speed = self->speeds.speed;
    self->stealing.minds_speeds = self->speeds.has_evidence;
}

static int retentive_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct retentive_state *self = state;
    const struct retentive_settings *settings =
        taskpool_settings_of(setup->settings, &retentive_options);
    self->ran.keeps_order = settings->retain == RETAIN_ORDER;
    self->ran.records.record_size = setup->problem->record_size;
    TRY(stealing_init(&self->stealing, setup, comm, &self->ran));
    learned_speeds_init(&self->speeds, setup, comm);
    mind_speeds(self);
    self->learns =
        self->stealing.minds_moves || (setup->problem->cost && setup->problem->record_size == 0);
    if (!self->stealing.minds_moves)
        return STATUS_OK;
    self->stealing.ran = NULL; /* retentive_finished notes */
    /* Little is stolen: the end is to cost little, too. */
    stealing_prefer_termination(&self->stealing, TERMINATION_WIDE);
    return STATUS_OK;
}

static void retentive_fini(void *state)
{
    struct retentive_state *self = state;
    taskpool_stealing_fini(&self->stealing);
    learned_speeds_fini(&self->speeds);
    ran_tasks_fini(&self->ran);
}

static void retentive_finished(void *state, int64_t task, double time_s)
{
    struct retentive_state *self = state;
    stealing_finished(&self->stealing, task, time_s);
    taskpool_comm_report(self->stealing.comm,
                         duration_bins_add(&self->ran.long_tasks, task, time_s));
}

static enum status seed_with(struct stealing *stealing, const struct ran_tasks *ran)
{
    struct task_ranges tasks = {0};
    enum status status = ran_tasks_list(ran, &tasks);
    if (status != STATUS_OK)
        goto done;
    status = stealing_push(stealing, &tasks);
    if (status != STATUS_OK)
        goto done;
    status = stealing_push_records(stealing, &ran->records);
done:
    task_ranges_fini(&tasks);
    return status;
}

/* Whether loads differed by enough for a victim to give a task where moves cost something: a search takes
 * time, too. */
static bool has_reason_to_steal(const struct retentive_state *self)
{
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    double tasks_per_worker = (double)problem->n_tasks / self->stealing.comm->size;
    double least = move_account_least_lead(problem->move_cost) / tasks_per_worker;
    return !self->stealing.minds_moves || self->speeds.prediction.imbalance > least;
}

static enum taskpool_mode_step retentive_restore(void *state)
{
    struct retentive_state *self = state;
    if (self->learns && !self->learning)
        learned_speeds_begin(&self->speeds, &self->ran.long_tasks, NULL);
    self->learning = !learned_speeds_are_finished(&self->speeds);
    if (self->learning)
        return TASKPOOL_MODE_WAIT;
    mind_speeds(self);
    stealing_begin(&self->stealing, has_reason_to_steal(self));
    stealing_mind_moves(&self->stealing);
    taskpool_comm_report(self->stealing.comm, seed_with(&self->stealing, &self->ran));
    ran_tasks_clear(&self->ran);
    return TASKPOOL_MODE_DONE;
}

static void retentive_receive(void *state, int from, const void *message, size_t size)
{
    struct retentive_state *self = state;
    if (*(const int32_t *)message >= SPEEDS_FIRST_KIND)
        learned_speeds_receive(&self->speeds, from, message);
    else
        taskpool_stealing_receive(state, from, message, size);
}

const struct taskpool_mode mode_retentive = {
    .name = "retentive",
    .help = "stealing that starts where the tasks ran in the last iteration",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &taskpool_chunk_options,
                                           &taskpool_stealing_options, &retentive_options, NULL},
    .state_size = sizeof(struct retentive_state),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry) + DURATION_BINS_ORDER_BYTES,
    .node_words = steal_window_n_words,
    .init = retentive_init,
    .fini = retentive_fini,
    .seed = taskpool_stealing_seed,
    .next = taskpool_stealing_next,
    .next_local = taskpool_stealing_next_local,
    .add = taskpool_stealing_add,
    .receive = retentive_receive,
    .sent = taskpool_stealing_sent,
    .finished = retentive_finished,
    .timed_if_moves_cost = true,
    .restore = retentive_restore,
    .progress = taskpool_stealing_progress,
    .describe = taskpool_stealing_describe,
};
