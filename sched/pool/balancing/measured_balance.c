/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/measured_balance.h"

#include <math.h>

static const struct taskpool_option measured_balance_rows[] = {
    TASKPOOL_FLAG_OPTION(
        "refine", offsetof(struct measured_balance_settings, refine), .default_text = "true",
        .preset_text = "false",
        .help = "between iterations pairs of workers even out their loads, with persist what its "
                "tree leaves; =false: no pairs, as published"),
};

struct taskpool_mode_options measured_balance_options =
    TASKPOOL_MODE_OPTIONS(measured_balance_rows, sizeof(struct measured_balance_settings));

/* Rules that move few tasks, and those only beyond an imbalance: pairs exchange the longest. */
static struct balancer_rules rules_of_few_moves(const struct balancer_rules *rules,
                                                const struct taskpool_problem *problem)
{
    struct balancer_rules few = balancer_by_pairs;
    few.balance_over = fmax(rules->balance_over, problem->even_within);
    few.donate_above = problem->move_cost > 0 ? fmax(rules->donate_above, 1 + few.balance_over)
                                              : rules->donate_above;
    few.deal_below = 0;
    few.finds_data = true;
    few.move_cost = problem->move_cost;
    return few;
}

enum status measured_balance_init(struct measured_balance *self,
                                  const struct taskpool_mode_setup *setup,
                                  struct taskpool_comm *comm, const struct balancer_rules *rules,
                                  bool notes_tasks)
{
    const struct taskpool_problem *problem = setup->problem;
    /* As published nothing is compared with what was before. */
    bool minds_data = problem->record_size == 0 && !rules->takes_worse && !rules->ignores_data;
    const struct taskpool_data_costs *costs = minds_data ? problem->data_costs : NULL;
    bool finds_data = problem->even_within > 0 || problem->move_cost > 0;
    struct balancer_rules own = finds_data ? rules_of_few_moves(rules, problem) : *rules;
    own.seed = setup->settings->seed;
    self->minds_costs = problem->cost && !finds_data && !rules->takes_worse;
    learned_speeds_init(&self->speeds, setup, comm);
    double speed = self->speeds.speed;
    balancer_init(&self->balancer, comm, &self->ran.timed, &self->speeds, &own);
    data_placement_init(&self->placement, setup, comm, costs, &self->stealing.share);
    if (costs)
        self->balancer.placement = &self->placement;
    self->ran.records.record_size = problem->record_size;
    TRY(stealing_init(&self->stealing, setup, comm, notes_tasks ? &self->ran : NULL));
    self->stealing.speed = speed;
    return rules->ignores_data ? STATUS_OK : stealing_mind_data(&self->stealing);
}

void measured_balance_fini(void *state)
{
    struct measured_balance *self = state;
    balancer_fini(&self->balancer);
    learned_speeds_fini(&self->speeds);
    data_placement_fini(&self->placement);
    ran_tasks_fini(&self->ran);
    taskpool_stealing_fini(&self->stealing);
}

int measured_balance_seed(void *state)
{
    struct measured_balance *self = state;
    return taskpool_stealing_seed(&self->stealing);
}

/* As thefts are judged by; 1 where it is not predicted. */
static double cost_of(const struct measured_balance *self, int64_t task)
{
    const struct taskpool_problem *problem = self->stealing.setup->problem;
    return problem->cost ? problem->cost(task, problem->context) : 1;
}

void measured_balance_finished(void *state, int64_t task, double time_s)
{
    struct measured_balance *self = state;
    stealing_finished(&self->stealing, task, time_s);
    if (theft_gain_notes(&self->thefts))
        theft_gain_add(&self->thefts, time_s, self->stealing.speed, cost_of(self, task),
                       !self->stealing.ran_dry);
    if (data_placement_is_known(&self->placement))
        data_placement_finished(&self->placement, time_s);
    taskpool_comm_report(self->stealing.comm, duration_bins_add(&self->ran.timed, task, time_s));
}

void measured_balance_receive(void *state, int from, const void *message, size_t size)
{
    struct measured_balance *self = state;
    int32_t kind = *(const int32_t *)message;
    if (kind < BALANCER_FIRST_KIND)
        taskpool_stealing_receive(state, from, message, size);
    else if (kind >= SPEEDS_FIRST_KIND)
        learned_speeds_receive(&self->speeds, from, message);
    else
        balancer_receive(&self->balancer, from, message);
}

void measured_balance_sent(void *state, int64_t token)
{
    struct measured_balance *self = state;
    if (token == BALANCER_TOKEN)
        balancer_sent(&self->balancer);
    else
        taskpool_stealing_sent(state, token);
}

/* No task will run here any more in this iteration. */
static void note_end(struct measured_balance *self)
{
    const struct stealing *stealing = &self->stealing;
    double now_s = taskpool_comm_now(stealing->comm);
    double ended_s = stealing->enabled && stealing->searching ? stealing->searched_from_s : now_s;
    self->thefts.took_s = ended_s - self->thefts.began_s;
    if (stealing->enabled)
        self->end_s = now_s - ended_s;
}

enum taskpool_mode_step measured_balance_next(void *state, struct taskpool_mode_work *work)
{
    struct measured_balance *self = state;
    const struct stealing *stealing = &self->stealing;
    bool searched = stealing->searching;
    if (!self->thefts.runs)
        self->thefts.began_s = taskpool_comm_now(stealing->comm);
    self->thefts.runs = true;
    if (data_placement_is_known(&self->placement) && !self->placement.is_running)
        data_placement_begin_iteration(&self->placement);
    enum taskpool_mode_step step = taskpool_stealing_next(&self->stealing, work);
    if (data_placement_is_known(&self->placement) && searched && step == TASKPOOL_MODE_RUN)
        data_placement_found_tasks(&self->placement);
    if (step == TASKPOOL_MODE_DONE)
        note_end(self);
    return step;
}

/* Next is to see the first tasks. */
bool measured_balance_next_local(void *state, struct taskpool_mode_work *work)
{
    const struct measured_balance *self = state;
    return self->thefts.runs && taskpool_stealing_next_local(state, work);
}

static void begin_learning(struct measured_balance *self)
{
    self->balancing = true;
    data_placement_end_iteration(&self->placement);
    learned_speeds_begin(&self->speeds, &self->ran.timed, &self->thefts.sums);
}

/* From here on durations are work. */
static void end_learning(struct measured_balance *self)
{
    self->stealing.speed = self->speeds.speed;
    self->stealing.minds_speeds = self->speeds.has_evidence;
    duration_bins_scale(&self->ran.timed, self->speeds.speed);
}

static void end_balancing(struct measured_balance *self)
{
    self->balancing = self->moving = false;
    taskpool_comm_report(self->stealing.comm,
                         learned_speeds_watch_own(&self->speeds, &self->ran.timed));
}

/* Time in tasks that are noted without their durations. */
static double untimed_seconds(const struct measured_balance *self)
{
    const struct stealing *stealing = &self->stealing;
    return stealing->ran ? fmax(0, stealing->comm->task_s - self->ran.timed.load_s) : 0;
}

static void begin_moving(struct measured_balance *self)
{
    self->moving = true;
    self->balancer.rest_s = untimed_seconds(self);
    end_learning(self);
    if (self->minds_costs)
        taskpool_comm_report(self->stealing.comm,
                             expected_work_predict(&self->speeds.expected,
                                                   &self->speeds.prediction.powers,
                                                   &self->ran.timed));
    self->balancer.took_s = self->thefts.took_s;
    self->balancer.alone_s =
        theft_gain_alone(&self->thefts, &self->speeds.lags, self->speeds.speed);
    balancer_begin(&self->balancer, self->end_s);
}

bool measured_balance_balance(struct measured_balance *self)
{
    if (!self->balancing) {
        self->balancer.rules.move_cost = self->stealing.setup->problem->move_cost;
        balancer_prepare(&self->balancer);
        begin_learning(self);
    }
    if (!self->moving && learned_speeds_are_finished(&self->speeds))
        begin_moving(self);
    if (!self->moving || !balancer_is_finished(&self->balancer))
        return false;
    end_balancing(self);
    return true;
}

bool measured_balance_keep(struct measured_balance *self)
{
    if (!self->balancing)
        begin_learning(self);
    if (!learned_speeds_are_finished(&self->speeds))
        return false;
    expected_work_keep(&self->speeds.expected);
    end_learning(self);
    end_balancing(self);
    return true;
}

void measured_balance_note_begun(struct measured_balance *self, int64_t task)
{
    theft_gain_note_begun(&self->thefts, cost_of(self, task));
}

static void note_begun(struct measured_balance *self)
{
    const struct duration_bins *bins = &self->ran.timed;
    for (int64_t i = 0; i < bins->n_bins; i++)
        for (int64_t entry = bins->bins[i].n_tasks > 0 ? bins->bins[i].first : -1;
             entry >= 0 && theft_gain_notes(&self->thefts); entry = bins->entries[entry].next)
            measured_balance_note_begun(self, bins->entries[entry].task);
}

enum status measured_balance_begin(struct measured_balance *self, bool steals, bool longest_first)
{
    struct task_ranges tasks = {0};
    bool is_first = !self->thefts.runs;
    stealing_begin(&self->stealing, steals);
    if (!is_first)
        stealing_mind_moves(&self->stealing);
    self->thefts = (struct theft_gain){0};
    if (!self->stealing.ran)
        note_begun(self);
    enum status status = ran_tasks_list(&self->ran, longest_first, &tasks);
    if (status != STATUS_OK)
        goto done;
    status = stealing_push(&self->stealing, &tasks);
    if (status != STATUS_OK)
        goto done;
    status = stealing_push_records(&self->stealing, &self->ran.records);
done:
    task_ranges_fini(&tasks);
    ran_tasks_clear(&self->ran);
    return status;
}
