/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/learned_speeds.h"

#include "sched/pool/protocols/diffusing.h"

#include <math.h>
#include <stdlib.h>

/* Own tasks that are watched, and tasks whose costs are predicted; rounds between two sums, and how
 * often sums go up; tasks that a speed is the mean of at most, so that a change is followed. */
enum { MAX_OWN = 64, MAX_PREDICTED = 256, N_ROUNDS = 8, MAX_PASSES = 8, MAX_TASKS = 64 };

/* Resolution of the logarithms of speeds. */
#define STEP 0.01

/* The variance by which speeds are judged, at least. */
#define LEAST_NOISE 1e-6

/* Standard deviations of two durations' difference by which a task that moved is expected to differ from what it took
 * before, at most. */
#define MOST_SHRUNK 2

/* Tasks that ran on another worker, too, from which a speed is known, noise or not. */
#define TRIED_TASKS 3

/* Costs leave a worker's speed unknown that could differ by so much unnoticed. */
#define DOUBT 0.25

enum speeds_kind {
    SPEEDS_REPORT = SPEEDS_FIRST_KIND, /* receiver to donor */
    SPEEDS_SUMS,                       /* to the parent */
    SPEEDS_CENTRE,                     /* to a child */
    SPEEDS_GAIN,                       /* to a partner */
};

struct speeds_message {
    int32_t kind; /* enum speeds_kind */
    int32_t round;
    double change, n;       /* report: as of struct speed_partner, of the receiver of the report */
    double gain, step;      /* gain */
    struct speed_sums sums; /* sums; centre */
};

/* --- life --- */

static void round_speed(struct learned_speeds *self)
{
    self->speed = exp(STEP * round(self->logarithm / STEP));
}

void learned_speeds_init(struct learned_speeds *self, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm)
{
    *self = (struct learned_speeds){
        .problem = setup->problem,
        .comm = comm,
        .finished = true,
        .idle.patience = 1,
        .prediction = {.stays = 1, .moves = 1, .powers = deviation_powers_none}};
    expected_work_init(&self->expected, setup->problem);
    const int64_t *sums = setup->speed_sums;
    self->is_known = self->has_evidence = sums != NULL;
    self->costs.least_error = self->costs.doubt = INFINITY;
    if (sums)
        self->logarithm = log((double)(sums[comm->rank + 1] - sums[comm->rank]) * 0x1p-30);
    round_speed(self);
}

void learned_speeds_fini(struct learned_speeds *self)
{
    watched_tasks_fini(&self->watched);
    speed_partners_fini(&self->partners);
}

bool learned_speeds_are_finished(const struct learned_speeds *self)
{
    return self->finished;
}

/* --- tasks --- */

void learned_speeds_gave(struct learned_speeds *self, int to)
{
    speed_partners_add(&self->partners, to)->gave = true;
}

void learned_speeds_got(struct learned_speeds *self, int from)
{
    speed_partners_add(&self->partners, from)->got = true;
}

enum status learned_speeds_watch_own(struct learned_speeds *self, const struct duration_bins *bins)
{
    return watched_tasks_add_own(&self->watched, bins, MAX_OWN, self->comm->rank);
}

/* --- evidence --- */

/* Sums up what tasks took that ran twice, and the noise of those that stayed. */
static void sum_repeats(struct learned_speeds *self)
{
    double speed = exp(self->logarithm);
    for (int64_t i = 0; i < self->watched.n; i++) {
        const struct watched_task *watched = &self->watched.list[i];
        struct speed_partner *partner = speed_partners_find(&self->partners, watched->from);
        double x = watched->work, y = watched->time_s * speed;
        if (watched->from < 0 || !(x > 0 && y > 0))
            continue;
        repeat_sums_add(partner ? &partner->repeats : &self->stayed, x, y);
        double cost = expected_work_cost(&self->expected, watched->task);
        if (cost > 0)
            deviation_sums_add(partner ? &partner->deviations : &self->stayed_deviations, x,
                               expected_work_deviation(&self->expected, x, cost), log(y / cost));
        if (partner)
            continue;
        self->sums.noise += x * log(x / y) * log(x / y);
        self->sums.noise_weight += x;
    }
}

/* The work to be expected of a task that moves: of a long one less, by the regression of tasks that ran twice, but not by
 * more than noise can have added, as tasks of a slow worker are long for another reason (limited translation: Efron,
 * Morris, J. Am. Stat. Assoc. 66 (1971) 807). */
static double expect_again(const struct learned_speeds *self, double work)
{
    double slope = self->prediction.stays, mean = self->prediction.mean;
    double most = MOST_SHRUNK * sqrt(self->noise * mean * work);
    return fmin(fmax(slope * work + (1 - slope) * mean, work - most), work + most);
}

/* Sums up the evidence of moved tasks: what they take, relative to what they should have taken where
 * they came from. As mostly long tasks move, that is less than they took where durations are noise.
 * Where a move costs something they take longer for that reason, too, and are no evidence. */
static void sum_evidence(struct learned_speeds *self)
{
    if (self->problem->move_cost > 0)
        return;
    double speed = exp(self->logarithm - self->last_step);
    for (int64_t i = 0; i < self->watched.n; i++) {
        const struct watched_task *watched = &self->watched.list[i];
        struct speed_partner *partner = speed_partners_find(&self->partners, watched->from);
        double x = watched->work, y = watched->time_s * speed;
        if (!partner || !(x > 0 && y > 0))
            continue;
        speed_partner_add_task(partner, x, log(expect_again(self, x) / y));
    }
}

/* Costs do not tell what a task takes where it finds data. */
static bool costs_show_speeds(const struct learned_speeds *self)
{
    return self->problem->cost && !self->is_known && !(self->problem->move_cost > 0);
}

/* Notes what watched tasks took, and compares some durations with predicted costs. */
static void compare_tasks(struct learned_speeds *self, const struct duration_bins *bins)
{
    int64_t every = bins->n_tasks / MAX_PREDICTED + 1, seen = 0;
    const struct taskpool_problem *problem = self->problem;
    bool has_costs = costs_show_speeds(self);
    for (int64_t i = 0; i < bins->n_bins; i++) {
        const struct duration_bin *bin = &bins->bins[i];
        double time_s = bin->n_tasks > 0 ? bin->sum_s / bin->n_tasks : 0;
        for (int64_t entry = bin->first; entry >= 0; entry = bins->entries[entry].next) {
            int64_t task = bins->entries[entry].task;
            struct watched_task *watched = watched_tasks_find(&self->watched, task);
            if (watched)
                watched->time_s = time_s;
            if (has_costs && seen++ % every == 0)
                cost_evidence_add(&self->costs, problem->cost(task, problem->context), time_s);
        }
    }
}

/* The square of the number of standard errors that a deviation has to exceed. */
static double significance(const struct learned_speeds *self)
{
    return 2 * log(100.0 * self->comm->size);
}

static void send_speeds(struct learned_speeds *self, int to, const struct speeds_message *message)
{
    taskpool_comm_send(self->comm, to, message, sizeof *message);
}

/* --- rounds --- */

/* Averages the evidence of the phase with that of the phases before and, if many workers differ,
 * with the fact that most do not differ by much (James, Stein, 1961). Partners divide
 * among them what they differ by. */
static void average_evidence(struct learned_speeds *self, const struct speed_sums *all)
{
    double n, change, variance = speed_sums_variance(all);
    speed_partners_gain(&self->partners, &n, &change);
    double n_partners = (double)speed_partners_count(&self->partners);
    if (n == 0 || (self->n_tasks == 0 && variance == 0))
        return;
    double prior = variance > 0 ? 1 / variance : 0;
    self->logarithm += change * n / (prior + self->n_tasks + n) * n_partners / (n_partners + 1);
    self->n_tasks = fmin(self->n_tasks + n, MAX_TASKS);
}

bool learned_speeds_are_untried(const struct learned_speeds *self)
{
    return !self->is_known && self->costs.doubt > DOUBT * DOUBT && self->n_compared < TRIED_TASKS;
}

static void end_speeds_phase(struct learned_speeds *self, const struct speed_sums *all)
{
    double n, change;
    speed_partners_gain(&self->partners, &n, &change);
    self->n_compared += n;
    if (speed_sums_explain(all, self->squares, self->n_stayed)) {
        average_evidence(self, all);
    } else {
        self->logarithm = self->settled;
        self->n_tasks = self->n_settled;
    }
    double step =
        idle_worker_reconsider(&self->idle, n, change, self->logarithm, self->prediction.mean);
    if (step > 0)
        self->costs.change = self->logarithm += step;
    prediction_remember(&self->prediction, all);
    round_speed(self);
    self->partners.n = self->watched.n = 0;
    self->finished = true;
}

/* Sends the partners this worker's gain, and by how much its speed has just changed. */
static void send_gains(struct learned_speeds *self, double step)
{
    double n, change;
    self->phase_step += step;
    for (int64_t i = 0; i < self->partners.n; i++)
        self->partners.list[i].change -= step;
    self->gain = speed_partners_gain(&self->partners, &n, &change);
    const struct speeds_message message = {
        .kind = SPEEDS_GAIN, .round = self->round, .gain = self->gain, .step = step};
    for (int64_t i = 0; i < self->partners.n; i++)
        send_speeds(self, self->partners.list[i].worker, &message);
}

/* Ends a round, for which the gains of all partners are here. Returns this worker's step. */
static double end_speed_round(struct learned_speeds *self)
{
    double n, change;
    for (int64_t i = 0; i < self->partners.n; i++) {
        struct speed_partner *partner = &self->partners.list[i];
        partner->change += partner->step[self->round % 2];
        partner->step_sum += partner->step[self->round % 2];
        partner->has_gain[self->round % 2] = false;
    }
    bool steps =
        speed_partners_gain(&self->partners, &n, &change) > significance(self) * self->noise &&
        speed_partners_exceeds(&self->partners, self->round, self->gain, change);
    if (!steps)
        return 0;
    self->logarithm += change;
    self->n_tasks = fmin(n, MAX_TASKS);
    return change;
}

/* --- the phase --- */

static void take_centre(struct learned_speeds *self, const struct speed_sums *all);
static void collect_evidence(struct learned_speeds *self);

static void send_up(struct learned_speeds *self)
{
    struct speeds_message message = {.kind = SPEEDS_SUMS, .sums = self->sums};
    self->sums = (struct speed_sums){0};
    self->n_sums = 0;
    self->has_own_sums = false;
    if (self->comm->rank > 0)
        send_speeds(self, rank_tree_parent(self->comm), &message);
    else
        take_centre(self, &message.sums);
}

/* Adds what this worker's tasks took that ran twice, by speeds as they are now. */
static void add_own_repeats(struct learned_speeds *self)
{
    double step = self->phase_step;
    const struct deviation_sums *stayed = &self->stayed_deviations;
    repeat_sums_merge(&self->sums.stayed, &self->stayed, exp(step), exp(step));
    deviation_sums_merge(&self->sums.stayed_deviations, stayed, step, step);
    if (stayed->weight > 0)
        deviation_sums_add(&self->sums.workers, 1, stayed->x / stayed->weight + step,
                           stayed->y / stayed->weight + step);
    for (int64_t i = 0; i < self->partners.n; i++) {
        const struct speed_partner *partner = &self->partners.list[i];
        repeat_sums_merge(&self->sums.moved, &partner->repeats, exp(partner->step_sum), exp(step));
        deviation_sums_merge(&self->sums.moved_deviations, &partner->deviations, partner->step_sum,
                             step);
    }
}

/* Adds this worker's sums when it is ready, and passes them on when those of the subtree are here. */
static void pass_sums_on(struct learned_speeds *self, bool is_ready)
{
    if (is_ready) {
        double n, change;
        self->has_own_sums = true;
        self->sums.gain = fmax(self->sums.gain, speed_partners_gain(&self->partners, &n, &change));
        if (self->pass > 0 && n > 0) {
            speed_sums_add_evidence(&self->sums, n, change * change, self->noise);
            self->sums.squares += speed_partners_squares(&self->partners);
            self->sums.n_changed += self->logarithm != self->settled;
        }
        add_own_repeats(self);
    }
    if (self->has_own_sums && self->n_sums == rank_tree_n_children(self->comm))
        send_up(self);
}

/* Takes the steps that need no more messages. */
static void play_speed_rounds(struct learned_speeds *self)
{
    while (self->knows_centre && self->round < self->n_rounds &&
           speed_partners_have_gains(&self->partners, self->round)) {
        double step = end_speed_round(self);
        self->round++;
        if (self->round < self->n_rounds)
            send_gains(self, step);
        else
            self->last_step = step;
    }
    if (self->knows_centre && self->round == self->n_rounds) {
        self->knows_centre = false;
        pass_sums_on(self, true);
    }
}

/* This worker's speed by predicted costs, unless there is something better. */
static void settle_by_costs(struct learned_speeds *self, const struct speed_sums *all)
{
    if (self->n_tasks > 0 || !costs_show_speeds(self))
        return;
    double before = self->logarithm;
    self->logarithm =
        cost_evidence_speed(&self->costs, all, self->prediction.noise, significance(self));
    self->last_step = self->logarithm - before;
}

/* Results of the last iteration before there is evidence of moved tasks. */
static void take_first_centre(struct learned_speeds *self, const struct speed_sums *all)
{
    double mean_s = all->load_s / self->comm->size;
    self->prediction.imbalance = mean_s > 0 ? all->most_s / mean_s - 1 : 0;
    prediction_update(&self->prediction, all);
    if (all->noise_weight > 0)
        self->prediction.noise = all->noise / all->noise_weight;
    self->noise = speed_sums_noise(all, self->prediction.mean) + LEAST_NOISE;
    settle_by_costs(self, all);
    self->idle.usual_s = self->is_known ? 0 : mean_s;
    self->lags = all->lags;
    self->n_stayed = all->stayed.n;
    self->settled = self->logarithm;
    self->n_settled = self->n_tasks;
}

/* The results of all sums: the phase ends, or there are rounds. */
static void take_centre(struct learned_speeds *self, const struct speed_sums *all)
{
    struct speeds_message message = {.kind = SPEEDS_CENTRE, .sums = *all};
    for (int i = 0; i < rank_tree_n_children(self->comm); i++)
        send_speeds(self, rank_tree_child(self->comm, i), &message);
    bool is_first = self->pass++ == 0;
    if (is_first)
        take_first_centre(self, all);
    else
        prediction_update(&self->prediction, all);
    if (self->pass == 2)
        self->squares = all->squares;
    self->has_evidence |= all->moved.n > 0 || all->n_ratios > 0;
    if (is_first && all->moved.n > 0) {
        collect_evidence(self);
        return;
    }
    bool is_significant = all->gain > significance(self) * self->noise;
    if (is_first || self->pass == MAX_PASSES || !is_significant) {
        end_speeds_phase(self, all);
        return;
    }
    self->knows_centre = true;
    self->n_rounds += N_ROUNDS;
    double step = self->last_step;
    self->last_step = 0;
    send_gains(self, step);
    play_speed_rounds(self);
}

/* Reports what the tasks of each donor took here; sums go up again when all reports are here. */
static void collect_evidence(struct learned_speeds *self)
{
    sum_evidence(self);
    for (int64_t i = 0; i < self->partners.n; i++) {
        struct speed_partner *partner = &self->partners.list[i];
        struct speeds_message report = {.kind = SPEEDS_REPORT};
        if (partner->weight > 0) {
            report.n = speed_partner_n_equivalent(partner, self->prediction.mean);
            report.change = -partner->sum / partner->weight;
            speed_partner_add_evidence(partner, -report.change, report.n);
        }
        if (partner->got)
            send_speeds(self, partner->worker, &report);
    }
    if (self->n_awaited == 0)
        pass_sums_on(self, true);
}

static void take_report(struct learned_speeds *self, struct speed_partner *partner,
                        const struct speeds_message *report)
{
    if (report->n > 0)
        speed_partner_add_evidence(partner, report->change, report->n);
    if (--self->n_awaited == 0 && self->pass > 0)
        pass_sums_on(self, true);
}

void learned_speeds_begin(struct learned_speeds *self, const struct duration_bins *bins,
                          const struct lag_sums *lags)
{
    if (self->comm->size == 1)
        return;
    self->idle.load_s = bins->load_s;
    self->sums = (struct speed_sums){.load_s = bins->load_s,
                                     .most_s = bins->load_s,
                                     .lags = lags ? *lags : (struct lag_sums){0}};
    self->stayed = (struct repeat_sums){0};
    self->stayed_deviations = (struct deviation_sums){0};
    cost_evidence_begin(&self->costs);
    self->phase_step = self->last_step = 0;
    self->n_sums = self->pass = self->round = self->n_rounds = 0;
    self->n_awaited = speed_partners_count_receivers(&self->partners);
    self->has_own_sums = self->knows_centre = self->finished = false;
    compare_tasks(self, bins);
    sum_repeats(self);
    cost_evidence_sum(&self->costs, &self->sums, self->logarithm == 0);
    pass_sums_on(self, true);
}

void learned_speeds_receive(struct learned_speeds *self, int from, const void *bytes)
{
    const struct speeds_message *message = bytes;
    struct speed_partner *partner = speed_partners_find(&self->partners, from);
    switch ((enum speeds_kind)message->kind) {
    case SPEEDS_REPORT:
        take_report(self, partner, message);
        break;
    case SPEEDS_SUMS:
        self->n_sums++;
        speed_sums_merge(&self->sums, &message->sums);
        pass_sums_on(self, false);
        break;
    case SPEEDS_CENTRE:
        take_centre(self, &message->sums);
        break;
    case SPEEDS_GAIN:
        partner->gain[message->round % 2] = message->gain;
        partner->step[message->round % 2] = message->step;
        partner->has_gain[message->round % 2] = true;
        play_speed_rounds(self);
        break;
    }
}
