/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_node.h"

#include "sched/pool/queues/speed_classes.h"
#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Rounding is no reason to move tasks. */
#define LEAST_EXCESS 1e-3

void balancer_node_init(struct balancer_node *self, struct balancer_link *link,
                        const struct balancer_tree *tree, const struct balancer_rules *rules)
{
    *self = (struct balancer_node){.link = link, .tree = tree, .rules = rules};
    self->finished = !balancer_tree_hosted(tree, link->comm->rank, &self->place);
    if (self->finished)
        return;
    self->is_root = !balancer_tree_parent(tree, self->place, &self->parent, &self->own_child);
    self->n_children = balancer_tree_n_children(tree, self->place);
    self->children = balancer_allocate(self->n_children, sizeof *self->children);
    for (int32_t child = 0; child < self->n_children; child++)
        self->children[child].size = (double)balancer_tree_child_size(tree, self->place, child);
}

void balancer_node_fini(struct balancer_node *self)
{
    free(self->children);
    free(self->donated.tasks);
    free(self->donated.child);
    free(self->granted.tasks);
    free(self->granted.child);
    free(self->grants);
}

/* --- down --- */

/* message  begins with its head, whose to_node is set here */
static void send_to_child(struct balancer_node *self, int32_t child, struct balancer_head *message,
                          size_t size, const struct balancer_task *tasks, int64_t n)
{
    struct balancer_place place = balancer_tree_child(self->tree, self->place, child);
    message->to_node = place.width > 0;
    balancer_send(self->link, balancer_tree_host(place), message, size, tasks,
                  (size_t)n * sizeof *tasks);
}

static void send_to_children(struct balancer_node *self, struct balancer_head *message, size_t size)
{
    for (int32_t child = 0; child < self->n_children; child++)
        send_to_child(self, child, message, size, NULL, 0);
}

static void announce_average(struct balancer_node *self, struct balancer_average message)
{
    self->average_s = message.average_s;
    self->finished = !message.may_move && !message.repeats;
    if (message.repeats) {
        self->n_loads = 0;
        self->max_s = self->speed = self->fastest = self->longest = 0;
    }
    send_to_children(self, &message.head, sizeof message);
}

static void announce_verdict(struct balancer_node *self, struct balancer_verdict message)
{
    self->finished = true;
    send_to_children(self, &message.head, sizeof message);
}

static void count_assigned(const struct balancer_pool *pool, int64_t *end)
{
    for (int64_t i = 0; i < pool->n_assigned; i++)
        end[pool->child[i] + 1]++;
}

static void place_assigned(const struct balancer_pool *pool, int64_t *end,
                           struct balancer_task *grants)
{
    for (int64_t i = 0; i < pool->n_assigned; i++)
        grants[end[pool->child[i]]++] = pool->tasks[i];
}

/* Sends the children the tasks assigned to them on the way up and the way down. */
static void send_grants(struct balancer_node *self)
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
        struct balancer_tasks message = {.head.kind = BALANCER_GRANT, .n = end[child] - begin};
        send_to_child(self, child, &message.head, sizeof message, self->grants + begin, message.n);
    }
    free(end);
    self->finished = self->rules->as_published; /* else outcomes follow */
}

/* --- the greedy assignment --- */

/* The average load of a child's workers, seconds. */
static double average_load(const struct balancer_child *child)
{
    return child->work / child->speed;
}

/* Longest first. */
static int compare_donated(const void *left, const void *right)
{
    const struct balancer_task *a = left, *b = right;
    if (a->work != b->work)
        return a->work > b->work ? -1 : 1;
    if (a->donor != b->donor)
        return a->donor < b->donor ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

static bool has_room_for(const struct balancer_node *self, const struct receiver *worker,
                         double work, double limit_s)
{
    if (self->rules->as_published)
        return worker->free_s < limit_s;
    return worker->free_s <= 0 || worker->free_s + work / worker->speed <= limit_s;
}

/* Gives a task to the child that ends it first; false if that has no room. */
static bool assign_task(struct balancer_node *self, struct speed_class *classes, int64_t n_classes,
                        const struct balancer_task *task, double limit_s, int32_t *chosen)
{
    struct speed_class *first = speed_classes_find(classes, n_classes, task->work);
    if (!has_room_for(self, first->heap, task->work, limit_s))
        return false;
    *chosen = (int32_t)first->heap->id;
    struct balancer_child *child = &self->children[*chosen];
    child->work += task->work;
    speed_class_load(first, average_load(child));
    return true;
}

void balancer_node_assign(struct balancer_node *self, struct balancer_pool *pool, double limit_s)
{
    struct receiver *receivers = balancer_allocate(self->n_children, sizeof *receivers);
    struct speed_class *classes = balancer_allocate(self->n_children, sizeof *classes);
    struct balancer_task *left = balancer_allocate(pool->n, sizeof *left);
    int64_t n_left = 0;
    for (int32_t i = 0; i < self->n_children; i++) {
        const struct balancer_child *child = &self->children[i];
        receivers[i] = (struct receiver){
            .speed = child->speed / child->size, .free_s = average_load(child), .id = i};
    }
    int64_t n_classes = speed_classes_init(receivers, self->n_children, classes);
    if (pool->n > 1)
        qsort(pool->tasks, (size_t)pool->n, sizeof *pool->tasks, compare_donated);
    pool->child = balancer_allocate(pool->n, sizeof *pool->child);
    for (int64_t i = 0; i < pool->n; i++) {
        struct balancer_task task = pool->tasks[i];
        int64_t n = pool->n_assigned;
        if (!assign_task(self, classes, n_classes, &task, limit_s, &pool->child[n]))
            left[n_left++] = task;
        else
            pool->tasks[pool->n_assigned++] = task;
    }
    if (n_left > 0)
        memcpy(pool->tasks + pool->n_assigned, left, (size_t)n_left * sizeof *left);
    free(left);
    free(classes);
    free(receivers);
}

/* --- up --- */

static double sum_of_work(const struct balancer_node *self)
{
    double work = 0;
    for (int32_t child = 0; child < self->n_children; child++)
        work += self->children[child].work;
    return work;
}

/* The median of the children's rates that are known; 0: none is. */
static double median_rate(const struct balancer_node *self)
{
    double *rates = balancer_allocate(self->n_children, sizeof *rates);
    int64_t n = 0;
    for (int32_t child = 0; child < self->n_children; child++)
        if (self->children[child].rate > 0)
            rates[n++] = self->children[child].rate;
    numbers_sort(rates, n);
    double median = n > 0 ? numbers_quantile(rates, n, 0.5) : 0;
    free(rates);
    return median;
}

static void begin_at_root(struct balancer_node *self, double work)
{
    struct balancer_average message = {.head.kind = BALANCER_AVERAGE,
                                       .average_s = work / self->speed,
                                       .max_s = self->max_s,
                                       .typical_rate = median_rate(self)};
    message.best_s = fmax(message.average_s, self->longest / self->fastest);
    const struct worker_speed *own_speed = self->link->own_speed;
    message.repeats = own_speed && own_speed->typical_rate == 0 && message.typical_rate > 0;
    message.may_move = !message.repeats && self->max_s * (1 - LEAST_EXCESS) >
                                               message.best_s * (1 + self->rules->least_excess);
    announce_average(self, message);
}

static void add_load(struct balancer_node *self, const struct balancer_load *message)
{
    struct balancer_child *child = &self->children[message->head.child];
    child->work = message->work;
    child->speed = message->speed;
    child->rate = message->rate;
    self->speed += message->speed;
    self->fastest = fmax(self->fastest, message->fastest);
    self->longest = fmax(self->longest, message->longest);
    self->max_s = fmax(self->max_s, message->max_s);
    if (++self->n_loads < self->n_children)
        return;
    if (self->is_root) {
        begin_at_root(self, sum_of_work(self));
        return;
    }
    const struct balancer_load own = {.head = {BALANCER_LOAD, .child = self->own_child},
                                      .work = sum_of_work(self),
                                      .speed = self->speed,
                                      .max_s = self->max_s,
                                      .longest = self->longest,
                                      .fastest = self->fastest,
                                      .rate = median_rate(self)};
    balancer_send(self->link, balancer_tree_host(self->parent), &own, sizeof own, NULL, 0);
}

static void append_tasks(struct balancer_pool *pool, const struct balancer_tasks *message)
{
    int64_t n = pool->n + message->n;
    if (array_reserve(&pool->tasks, n, &pool->capacity, sizeof *pool->tasks) != STATUS_OK)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    if (message->n > 0)
        memcpy(pool->tasks + pool->n, message + 1, (size_t)message->n * sizeof *pool->tasks);
    pool->n = n;
}

static void add_donation(struct balancer_node *self, const struct balancer_tasks *message)
{
    struct balancer_pool *pool = &self->donated;
    append_tasks(pool, message);
    self->children[message->head.child].work = message->work;
    if (++self->n_donations < self->n_children)
        return;
    balancer_node_assign(self, pool,
                         self->is_root ? INFINITY : self->rules->fill_to * self->average_s);
    if (self->is_root) {
        send_grants(self);
        return;
    }
    const struct balancer_tasks own = {.head = {BALANCER_DONATION, .child = self->own_child},
                                       .n = pool->n - pool->n_assigned,
                                       .work = sum_of_work(self)};
    balancer_send(self->link, balancer_tree_host(self->parent), &own, sizeof own,
                  pool->tasks + pool->n_assigned, (size_t)own.n * sizeof *pool->tasks);
}

static void add_outcome(struct balancer_node *self, const struct balancer_outcome_message *message)
{
    self->max_after_s = fmax(self->max_after_s, message->max_s);
    if (++self->n_outcomes < self->n_children)
        return;
    if (self->is_root) {
        announce_verdict(self,
                         (struct balancer_verdict){.head.kind = BALANCER_VERDICT,
                                                   .accepted = self->max_after_s < self->max_s});
        return;
    }
    const struct balancer_outcome_message own = {
        .head = {BALANCER_OUTCOME, .child = self->own_child}, .max_s = self->max_after_s};
    balancer_send(self->link, balancer_tree_host(self->parent), &own, sizeof own, NULL, 0);
}

void balancer_node_receive(struct balancer_node *self, const void *message)
{
    switch ((enum balancer_kind)((const struct balancer_head *)message)->kind) {
    case BALANCER_LOAD:
        add_load(self, message);
        break;
    case BALANCER_AVERAGE:
        announce_average(self, *(const struct balancer_average *)message);
        break;
    case BALANCER_DONATION:
        add_donation(self, message);
        break;
    case BALANCER_GRANT:
        append_tasks(&self->granted, message);
        balancer_node_assign(self, &self->granted, INFINITY);
        send_grants(self);
        break;
    case BALANCER_OUTCOME:
        add_outcome(self, message);
        break;
    case BALANCER_VERDICT:
        announce_verdict(self, *(const struct balancer_verdict *)message);
        break;
    case BALANCER_SPEED_REPORT:
    case BALANCER_TAKE:
    case BALANCER_GIVE:
    case BALANCER_PAIR_LOAD:
    case BALANCER_PAIR_OFFER:
    case BALANCER_PAIR_MOVE:
        break;
    }
}
