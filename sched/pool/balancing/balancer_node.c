/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_node.h"

#include "sched/pool/protocols/move_account.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The slope of durations on those before (learned_speeds.h) above which all tasks may be dealt out. */
#define LEAST_SLOPE 0.5

/* The fraction of all work below which the data of all tasks, if none were where they are, are not
 * weighed: loads become as even as without data. */
#define NEGLIGIBLE 0.03

/* The fraction above which an iteration that knows where its tasks are to run does not steal any more:
 * how long a thief waits for its data is not known well enough. */
#define DEAR 0.1

void balancer_node_begin(struct balancer_node *self, struct balancer_link *link,
                         const struct balancer_tree *tree, const struct balancer_rules *rules,
                         struct balancer_forecast *forecast)
{
    *self = (struct balancer_node){.link = link,
                                   .tree = tree,
                                   .rules = rules,
                                   .forecast = forecast,
                                   .end_s = INFINITY,
                                   .slowest = INFINITY};
    self->minds_data = link->placement != NULL;
    self->finished = !balancer_tree_hosted(tree, link->comm->rank, &self->place);
    if (self->finished)
        return;
    self->is_root = !balancer_tree_parent(tree, self->place, &self->parent, &self->own_child);
    self->n_children = balancer_tree_n_children(tree, self->place);
    self->children = balancer_allocate(self->n_children, sizeof *self->children);
    for (int32_t child = 0; child < self->n_children; child++)
        self->children[child].size = (double)balancer_tree_child_size(tree, self->place, child);
}

void balancer_node_finish(struct balancer_node *self)
{
    free(self->children);
    free(self->donated.tasks);
    free(self->donated.child);
    free(self->granted.tasks);
    free(self->granted.child);
    free(self->grants);
    *self = (struct balancer_node){.finished = true};
}

/* --- down --- */

static void send_to_child(struct balancer_node *self, int32_t child, struct balancer_message *head,
                          const struct balancer_task *tasks)
{
    struct balancer_place place = balancer_tree_child(self->tree, self->place, child);
    head->to_node = place.width > 0;
    balancer_send(self->link, balancer_tree_host(place), head, tasks, sizeof *tasks);
}

static void send_to_children(struct balancer_node *self, struct balancer_message *head)
{
    for (int32_t child = 0; child < self->n_children; child++)
        send_to_child(self, child, head, NULL);
}

/* Passes the average down, with the longest task; 0 ends the phase. */
static void announce_average(struct balancer_node *self, struct balancer_message head)
{
    self->average_s = head.load_s;
    self->finished = head.load_s == 0;
    self->deals = head.deals;
    self->limit_s = (head.best_s + head.max_s) / 2;
    for (int32_t child = 0; self->deals && child < self->n_children; child++)
        self->children[child].size = 1;
    send_to_children(self, &head);
}

/* Passes down whether tasks move. */
static void announce_verdict(struct balancer_node *self, struct balancer_message head)
{
    self->finished = head.last;
    send_to_children(self, &head);
}

static void count_assigned(const struct balancer_pool *pool, int64_t *begin)
{
    for (int64_t i = 0; i < pool->n_assigned; i++)
        begin[pool->child[i] + 1]++;
}

static void place_assigned(const struct balancer_pool *pool, int64_t *end,
                           struct balancer_task *grants)
{
    for (int64_t i = 0; i < pool->n_assigned; i++)
        grants[end[pool->child[i]]++] = pool->tasks[i];
}

/* Sends the children the tasks assigned to them on the way up and the way down. */
static void grant_donations(struct balancer_node *self)
{
    int64_t *end = balancer_allocate(self->n_children + 1, sizeof *end);
    count_assigned(&self->donated, end);
    count_assigned(&self->granted, end);
    for (int32_t child = 0; child < self->n_children; child++)
        end[child + 1] += end[child];
    self->grants = balancer_allocate(end[self->n_children], sizeof *self->grants);
    place_assigned(&self->donated, end, self->grants);
    place_assigned(&self->granted, end, self->grants);
    for (int32_t child = 0; child < self->n_children; child++) {
        int64_t begin = child > 0 ? end[child - 1] : 0;
        struct balancer_message head = {.kind = BALANCER_GRANT, .n = end[child] - begin};
        send_to_child(self, child, &head, self->grants + begin);
    }
    free(end);
}

/* --- up --- */

static double sum_of_work(const struct balancer_node *self)
{
    double work = 0;
    for (int32_t child = 0; child < self->n_children; child++)
        work += self->children[child].work;
    return work;
}

/* Notes how the last iteration went. Where workers share cores its seconds include turns of others, which durations
 * do not. */
static void update_forecast(struct balancer_node *self)
{
    struct balancer_forecast *forecast = self->forecast;
    bool may_judge = !self->minds_data && !(self->rules->move_cost > 0) && self->best_s > 0 &&
                     self->link->comm->per_core <= 1;
    if (may_judge)
        theft_forecast_update(&forecast->thefts, forecast->steals, self->took_s, self->alone_s,
                              self->best_s);
    if (forecast->steals) {
        forecast->end_s = self->end_s;
        forecast->error_s /= 2;
    } else if (forecast->max_s > 0) { /* 0: it is not known yet which load lasts */
        forecast->error_s = fmax(0, self->max_s - forecast->max_s);
    }
}

/* The least difference of two loads that has a thief get a task, where moving costs something: see
 * move_account.h. */
static double least_difference(const struct balancer_node *self)
{
    double move_cost = self->rules->move_cost;
    return move_cost > 0 ? move_account_least_lead(move_cost) * self->mean_s : 0;
}

/* The fraction by which the largest load is expected to exceed what it should be for the noise of
 * durations: as the largest of as many normally distributed numbers as there are workers. */
static double relative_error(const struct balancer_node *self)
{
    double n_workers = self->link->comm->size;
    return sqrt(2 * log(n_workers)) * balancer_load_error(self->link, self->n_tasks);
}

/* Where workers take turns, the part of a core's share that a load is to exceed in order to move: of two such loads on
 * one core it ends a third late. */
#define LARGE_LOAD (2 / 3.0)

/* Whether workers that share cores end an iteration hardly earlier if the largest load becomes smaller, as it is below
 * this part of what a core has to run on average: a core runs one after another, until it has run the loads of all that
 * share it. max_s may be less than the average, of loads that have not lasted yet. */
static bool cores_even_out(const struct balancer_node *self, double max_s, double part)
{
    double average_s = self->work / self->speed;
    return balancer_in_turns(self->link, fmax(max_s, average_s)) &&
           max_s < part * self->link->comm->per_core * average_s;
}

/* Whether the next iteration should steal if its largest load is to be this one: at best stealing
 * makes loads even, and then its end has to be found. After the first iteration nothing is known yet
 * of how well durations predict others. */
static bool expect_gain(struct balancer_node *self, double max_s)
{
    struct balancer_forecast *forecast = self->forecast;
    double end_s = fmax(forecast->end_s, least_difference(self));
    double error_s = fmax(forecast->error_s, relative_error(self) * self->best_s);
    forecast->max_s = max_s;
    forecast->steals = forecast->n++ == 0 || self->tries || max_s + error_s > self->best_s + end_s;
    if (theft_forecast_harms(&forecast->thefts, max_s, self->best_s) && !self->tries)
        forecast->steals = false;
    if (self->minds_data && self->away_s > DEAR * self->work)
        forecast->steals = false;
    if (cores_even_out(self, max_s, 1) && !self->tries)
        forecast->steals = false;
    return forecast->steals;
}

static bool minds_costs(const struct balancer_link *link)
{
    return link->speeds && expected_work_minds_costs(&link->speeds->expected);
}

/* Whether durations say more of what moved tasks take than their mean does. */
static bool predicts_moved(const struct balancer_link *link)
{
    return !link->speeds || minds_costs(link) || link->speeds->prediction.moves > LEAST_SLOPE;
}

/* The ratio of what data took to their price. What a placement that was given up has shown is not
 * forgotten: tasks moved, and all waited for the same network card. */
static double data_ratio(struct balancer_node *self, enum best_step step)
{
    const double least = 0.25; /* copies of others, which are there for nothing */
    struct balancer_forecast *forecast = self->forecast;
    double ratio = self->price_s > 0 ? self->moved_s / self->price_s : 1;
    if (step == BEST_RETURN)
        forecast->ratio = fmax(forecast->ratio, ratio);
    return fmax(fmax(ratio, forecast->ratio), least);
}

/* Decides what becomes of the placement that ran; whether tasks may move. */
static bool begin_with_data(struct balancer_node *self, struct balancer_message *head)
{
    if (!self->minds_data)
        return true;
    struct best_makespan *best = &self->forecast->best;
    head->weighs = self->away_s > NEGLIGIBLE * self->work;
    if (head->weighs && best->start_s == 0)
        best->start_s = self->first_s;
    head->step = best_makespan_next(best, self->took_s, relative_error(self));
    head->remembers = head->step == BEST_MOVE || head->step == BEST_KEEP;
    head->price_s = data_ratio(self, head->step);
    return head->step == BEST_MOVE || head->step == BEST_TRY;
}

/* Few workers are slow if the mean speed is above MOST_ARE_FAST of the largest, and the least below IS_SLOW of the mean. */
#define MOST_ARE_FAST 0.9
#define IS_SLOW       0.5

/* The standard deviation of loads, a fraction of them, above which durations are noise. */
#define NOISY 0.05

static bool few_are_slow(const struct balancer_node *self)
{
    double mean = self->speed / (double)self->tree->n_leaves;
    return mean > MOST_ARE_FAST * self->fastest && self->slowest < IS_SLOW * mean;
}

/* Whether all tasks are dealt out anew, if loads are uneven. Not for a few slow workers where durations are noise: a deal
 * moves tasks of all workers, and what they take elsewhere is uncertain; pairs move only what slow workers have too
 * much. Pairs do not while it is still to be tried which workers are slow. */
static bool may_deal(const struct balancer_node *self)
{
    bool leaves_others = few_are_slow(self) && !self->tries &&
                         balancer_load_error(self->link, self->n_tasks) > NOISY;
    return !leaves_others && predicts_moved(self->link) &&
           self->n_tasks < self->rules->deal_below * self->tree->n_leaves;
}

static void begin_at_root(struct balancer_node *self, double work)
{
    double average_s = work / self->speed;
    self->work = work;
    struct balancer_message head = {.kind = BALANCER_AVERAGE,
                                    .longest_s = self->longest_s / self->fastest,
                                    .n_tasks = self->n_tasks};
    head.best_s = self->best_s = fmax(average_s, head.longest_s);
    self->mean_s = self->n_tasks > 0 ? work / (double)self->n_tasks : 0;
    update_forecast(self);
    head.max_s = self->max_s * (1 - BALANCER_LEAST_GAIN);
    bool may_move = begin_with_data(self, &head) && self->n_tasks > 0 &&
                    !(self->rules->finds_data && cores_even_out(self, self->max_s, LARGE_LOAD));
    /* Where moves cost something, more than a task's worth has to be uneven. */
    double excess_s = self->rules->move_cost > 0 ? self->mean_s : 0;
    double over = self->rules->balance_over + balancer_tolerance(self->link, self->n_tasks);
    bool is_uneven = may_move && self->max_s > self->best_s * (1 + over) + excess_s;
    /* A trial round is for workers whose speed is unknown and counts as 1, unless it costs more than moves
     * of which it is known that they pay. */
    bool may_try = may_move && !head.weighs && !(self->rules->move_cost > 0);
    head.tries = self->tries =
        may_try && self->rules->by_pairs && self->untried_s > average_s * (1 + over);
    head.deals = is_uneven && !head.weighs && may_deal(self);
    self->pairs_follow = head.deals || (self->rules->refines && !head.weighs);
    if (is_uneven || head.tries) {
        head.load_s = average_s;
        head.as_seeded = head.weighs && !self->forecast->asked_as_seeded;
        self->as_seeded = head.as_seeded;
        self->forecast->asked_as_seeded |= head.weighs;
    } else {
        head.step = best_makespan_stay(&self->forecast->best, head.step);
        head.steals = expect_gain(self, self->max_s) || head.step == BEST_START;
        self->forecast->steals = head.steals;
        head.harms = self->forecast->thefts.harms && !head.steals;
    }
    announce_average(self, head);
}

static void add_load(struct balancer_node *self, const struct balancer_message *message)
{
    struct balancer_child *child = &self->children[message->child];
    child->work = message->load_s;
    child->speed = message->speed;
    self->speed += message->speed;
    self->fastest = fmax(self->fastest, message->fastest);
    self->slowest = fmin(self->slowest, message->slowest);
    self->max_s = fmax(self->max_s, message->max_s);
    self->longest_s = fmax(self->longest_s, message->longest_s);
    self->untried_s = fmax(self->untried_s, message->untried_s);
    self->end_s = fmin(self->end_s, message->end_s);
    self->n_tasks += message->n_tasks;
    self->took_s = fmax(self->took_s, message->took_s);
    self->alone_s = fmax(self->alone_s, message->alone_s);
    self->first_s = fmax(self->first_s, message->first_s);
    self->moved_s += message->moved_s;
    self->price_s += message->price_s;
    self->away_s += message->away_s;
    if (++self->n_loads < self->n_children)
        return;
    double work = sum_of_work(self);
    if (self->is_root) {
        begin_at_root(self, work);
        return;
    }
    struct balancer_message head = {.kind = BALANCER_LOAD,
                                    .child = self->own_child,
                                    .load_s = work,
                                    .speed = self->speed,
                                    .fastest = self->fastest,
                                    .slowest = self->slowest,
                                    .max_s = self->max_s,
                                    .longest_s = self->longest_s,
                                    .untried_s = self->untried_s,
                                    .end_s = self->end_s,
                                    .n_tasks = self->n_tasks,
                                    .took_s = self->took_s,
                                    .alone_s = self->alone_s,
                                    .first_s = self->first_s,
                                    .moved_s = self->moved_s,
                                    .price_s = self->price_s,
                                    .away_s = self->away_s};
    balancer_send(self->link, balancer_tree_host(self->parent), &head, NULL, 0);
}

/* The worker with the least load, and how many have about as little: nearer to it than to the limit. */
static struct balancer_child least_loaded(const struct balancer_node *self)
{
    struct balancer_child least = self->children[0];
    for (int32_t child = 1; child < self->n_children; child++)
        if (balancer_child_average(&self->children[child]) < balancer_child_average(&least))
            least = self->children[child];
    double least_s = balancer_child_average(&least);
    double free_s = fmax(least_s, (least_s + self->limit_s) / 2);
    least.n_free = 0;
    for (int32_t child = 0; child < self->n_children; child++)
        if (balancer_child_average(&self->children[child]) <= free_s)
            least.n_free += self->children[child].n_free;
    return least;
}

static void append_message(struct balancer_pool *pool, const struct balancer_message *message)
{
    int64_t n = pool->n + message->n;
    if (array_reserve(&pool->tasks, n, &pool->capacity, sizeof *pool->tasks) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    if (message->n > 0)
        memcpy(pool->tasks + pool->n, message + 1, (size_t)message->n * sizeof *pool->tasks);
    pool->n = n;
}

static void add_donation(struct balancer_node *self, const struct balancer_message *message)
{
    struct balancer_pool *pool = &self->donated;
    append_message(pool, message);
    struct balancer_child *child = &self->children[message->child];
    child->work = message->load_s;
    if (self->deals) {
        child->speed = message->speed;
        child->n_free = message->n_free;
    }
    if (++self->n_donations < self->n_children)
        return;
    if (self->is_root) {
        balancer_node_assign(self, pool, INFINITY);
        grant_donations(self);
        return;
    }
    double limit_s = self->deals ? self->limit_s : self->rules->fill_to * self->average_s;
    balancer_node_assign(self, pool, limit_s);
    struct balancer_child own = {.work = sum_of_work(self)};
    if (self->deals)
        own = least_loaded(self);
    struct balancer_message head = {.kind = BALANCER_DONATION,
                                    .child = self->own_child,
                                    .n = pool->n - pool->n_assigned,
                                    .load_s = own.work,
                                    .speed = own.speed,
                                    .n_free = own.n_free};
    balancer_send(self->link, balancer_tree_host(self->parent), &head,
                  pool->tasks + pool->n_assigned, sizeof *pool->tasks);
}

/* The root's verdict on tasks as they were seeded: where they are not expected to take less than they did,
 * pairs exchange what ran. */
static struct balancer_message judge_as_seeded(struct balancer_node *self, double max_s)
{
    struct balancer_message verdict = {.kind = BALANCER_VERDICT, .max_s = max_s};
    self->as_seeded = false;
    verdict.accepted = verdict.last = best_makespan_accepts(&self->forecast->best, max_s);
    if (verdict.last)
        verdict.steals = expect_gain(self, max_s);
    return verdict;
}

/* The fraction of a load that pairs leave as it is, being within its error. What is expected of tasks by their costs,
 * too, has less error than their durations; but a deal has moved most of them. */
static double tolerance_of_pairs(const struct balancer_node *self)
{
    return self->deals || !minds_costs(self->link) ? balancer_tolerance(self->link, self->n_tasks)
                                                   : 0;
}

/* The root's verdict. There are pairs if the largest load is still worth it: after a deal all loads
 * in the upper three quarters of the excess are to become smaller, after the tree all. Where data are known, loads
 * after the pairs include what transfers may wait; if the largest is not below the one before with that, it is judged
 * as that one, which pairs never exceed: to refuse such trials made more iterations longer than it made shorter. */
static struct balancer_message judge_outcome(struct balancer_node *self, double max_after_s)
{
    struct balancer_message verdict = {.kind = BALANCER_VERDICT};
    verdict.accepted = max_after_s < self->max_s || self->rules->takes_worse;
    double max_s = verdict.accepted ? max_after_s : self->max_s;
    verdict.last = !self->pairs_follow || max_s <= self->best_s * (1 + self->rules->balance_over);
    double kept_s = self->deals ? (max_s - self->best_s) / 4 : 0;
    double above = self->rules->donate_above + tolerance_of_pairs(self);
    verdict.load_s = fmax(self->best_s + kept_s, self->best_s * above);
    verdict.max_s = max_s;
    if (verdict.last)
        verdict.steals = expect_gain(self, max_s);
    verdict.harms = verdict.last && self->forecast->thefts.harms && !verdict.steals;
    if (verdict.last && self->minds_data) {
        verdict.accepted = best_makespan_accepts(&self->forecast->best, max_s);
        verdict.starts = !verdict.accepted && self->forecast->best.is_start;
        verdict.steals = verdict.steals || verdict.starts;
        self->forecast->steals = verdict.steals;
    }
    self->pairs_follow = false;
    return verdict;
}

static void add_outcome(struct balancer_node *self, const struct balancer_message *message)
{
    self->max_after_s = fmax(self->max_after_s, message->max_s);
    if (++self->n_outcomes < self->n_children)
        return;
    double max_after_s = self->max_after_s;
    self->n_outcomes = 0; /* of a deal; those of the pairs follow */
    self->max_after_s = 0;
    if (!self->is_root) {
        struct balancer_message head = {
            .kind = BALANCER_OUTCOME, .child = self->own_child, .max_s = max_after_s};
        balancer_send(self->link, balancer_tree_host(self->parent), &head, NULL, 0);
        return;
    }
    announce_verdict(self, self->as_seeded ? judge_as_seeded(self, max_after_s)
                                           : judge_outcome(self, max_after_s));
}

void balancer_node_receive(struct balancer_node *self, const struct balancer_message *message)
{
    switch ((enum balancer_kind)message->kind) {
    case BALANCER_LOAD:
        add_load(self, message);
        break;
    case BALANCER_AVERAGE:
        announce_average(self, *message);
        break;
    case BALANCER_DONATION:
        add_donation(self, message);
        break;
    case BALANCER_GRANT:
        append_message(&self->granted, message);
        balancer_node_assign(self, &self->granted, INFINITY);
        grant_donations(self);
        break;
    case BALANCER_OUTCOME:
        add_outcome(self, message);
        break;
    case BALANCER_VERDICT:
        announce_verdict(self, *message);
        break;
    case BALANCER_TAKE:
    case BALANCER_GIVE:
    case BALANCER_PAIR_LOAD:
    case BALANCER_PAIR_OFFER:
    case BALANCER_PAIR_MOVE:
        break;
    }
}
