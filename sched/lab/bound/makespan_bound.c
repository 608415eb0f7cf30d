/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/bound/makespan_bound.h"

#include "sched/pool/core/task_data.h"
#include "support/base/log.h"

#include <math.h>
#include <stdlib.h>

/* Work that leaves its home together, and what that costs at least. */
struct leaving {
    int64_t home; /* worker, or node */
    double work;
    double seconds; /* of threads; 0: the tasks need no data */
    double card_s;  /* of the home's card */
};

struct bounded_load {
    const struct taskpool_machine *machine;
    int64_t n_tasks;
    int n_threads, node_size;
    double work, longest;
    double speed, fastest, slowest; /* of all threads, of one */

    struct leaving *items; /* n_items, in the order of homes, and of seconds for work */
    int64_t n_items;
    double must_s;
    struct leaving *of_nodes; /* n_items, in the order of nodes, and of card seconds for work */
};

/* Seconds of one read or write of a block by a worker that is not its owner; near: the owner is on
 * its node. */
static double move_s(const struct taskpool_machine *machine, int64_t bytes, bool near)
{
    bool by_node = near && machine->has_levels;
    double latency_s = by_node ? machine->node_latency_s : machine->latency_s;
    double bandwidth = by_node ? machine->node_bandwidth : machine->bandwidth;
    return 2 * (machine->overhead_s + latency_s) + (bandwidth > 0 ? (double)bytes / bandwidth : 0);
}

/* Whether a block is read once for all tasks of a worker that read it. */
static bool is_kept(const struct taskpool_machine *machine, int64_t block)
{
    return machine->data->blocks[block].bytes <= machine->cache_bytes;
}

static double speed_of(const struct bounded_load *self, int64_t worker)
{
    return self->machine->speeds ? self->machine->speeds[worker] : 1;
}

static double time_of(const struct bounded_load *self, int64_t task)
{
    return self->machine->time(task, NULL, self->machine->context);
}

/* The number of tasks from this one on that are known to take as long as it: null tasks do. */
static int64_t n_like(const struct bounded_load *self, int64_t task)
{
    enum { AT_ONCE = 4096 };
    const struct taskpool_machine *machine = self->machine;
    bool are_null = machine->are_null && task + AT_ONCE <= self->n_tasks &&
                    machine->are_null(task, task + AT_ONCE, machine->context);
    return are_null ? AT_ONCE : 1;
}

static void sum_work(struct bounded_load *self)
{
    self->slowest = INFINITY;
    for (int worker = 0; worker < self->machine->n_workers; worker++) {
        double speed = speed_of(self, worker);
        self->speed += speed * self->n_threads;
        self->fastest = fmax(self->fastest, speed);
        self->slowest = fmin(self->slowest, speed);
    }
    for (int64_t task = 0, n; task < self->n_tasks; task += n) {
        double time_s = time_of(self, task);
        n = n_like(self, task);
        self->work += (double)n * time_s;
        self->longest = fmax(self->longest, time_s);
    }
}

/* --- what a move takes at least --- */

static double least_move_s(const struct bounded_load *self, int64_t block)
{
    int64_t bytes = self->machine->data->blocks[block].bytes;
    double far_s = move_s(self->machine, bytes, false);
    double near_s = move_s(self->machine, bytes, true);
    if (self->node_size >= self->machine->n_workers)
        return near_s;
    return self->node_size == 1 ? far_s : fmin(near_s, far_s);
}

static double card_s(const struct bounded_load *self, int64_t block)
{
    double bandwidth = self->machine->bandwidth;
    return bandwidth > 0 ? (double)self->machine->data->blocks[block].bytes / bandwidth : 0;
}

static int owner_of(const struct bounded_load *self, int64_t block)
{
    return data_block_owner(&self->machine->data->blocks[block], self->machine->n_workers);
}

/* Null tasks run without their data. */
static const struct taskpool_data_access *moved_accesses(const struct bounded_load *self,
                                                         int64_t task, int64_t *n)
{
    const struct taskpool_machine *machine = self->machine;
    *n = 0;
    if (machine->are_null && machine->are_null(task, task + 1, machine->context))
        return NULL;
    return task_data_of(self->machine->data, task, n);
}

/* --- blocks that move wherever a task runs --- */

struct must_scratch {
    double *of_owner; /* n_workers, 0 between tasks: seconds of the task's blocks */
    int64_t *counted; /* n_blocks: 1 + the task that the block counts for; 0: it has not counted */
};

/* Whether no kept block of the task has counted for another. */
static bool is_apart(const struct bounded_load *self, const struct must_scratch *scratch,
                     const struct taskpool_data_access *accesses, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (is_kept(self->machine, accesses[i].block) && scratch->counted[accesses[i].block] != 0)
            return false;
    return true;
}

/* Seconds of the task's moves wherever it runs. */
static double must_move_s(const struct bounded_load *self, struct must_scratch *scratch,
                          int64_t task)
{
    int64_t n;
    const struct taskpool_data_access *accesses = moved_accesses(self, task, &n);
    bool apart = is_apart(self, scratch, accesses, n);
    double sum_s = 0, at_home_s = 0;
    for (int64_t i = 0; i < n; i++) {
        bool kept = is_kept(self->machine, accesses[i].block);
        int64_t *counted = &scratch->counted[accesses[i].block];
        if (kept && (!apart || *counted != 0))
            continue;
        *counted = kept ? task + 1 : 0;
        double *of_owner = &scratch->of_owner[owner_of(self, accesses[i].block)];
        double seconds = least_move_s(self, accesses[i].block);
        sum_s += seconds;
        *of_owner += seconds;
        at_home_s = fmax(at_home_s, *of_owner);
    }
    for (int64_t i = 0; i < n; i++)
        scratch->of_owner[owner_of(self, accesses[i].block)] = 0;
    return sum_s - at_home_s;
}

static enum status sum_must_moves(struct bounded_load *self)
{
    struct must_scratch scratch = {
        .of_owner = calloc((size_t)self->machine->n_workers, sizeof *scratch.of_owner),
        .counted = calloc((size_t)self->machine->data->n_blocks + 1, sizeof *scratch.counted)};
    enum status status =
        CHECK_MEMORY(scratch.of_owner && scratch.counted, "no memory for a lower bound");
    for (int64_t task = 0; status == STATUS_OK && task < self->n_tasks; task++)
        self->must_s += must_move_s(self, &scratch, task);
    free(scratch.of_owner);
    free(scratch.counted);
    return status;
}

/* --- what leaves its home --- */

/* The access whose owner is the task's home, by task_data_owner; NULL: the task needs no data. */
static const struct taskpool_data_access *home_access(const struct bounded_load *self, int64_t task)
{
    int64_t n, i = 0;
    const struct taskpool_data_access *accesses = moved_accesses(self, task, &n);
    while (i < n && !accesses[i].writes)
        i++;
    return n > 0 ? &accesses[i < n ? i : 0] : NULL;
}

/* A task whose home block is not kept: all such blocks of its home move if it leaves. */
static struct leaving leaving_task(const struct bounded_load *self, int64_t task, int home)
{
    struct leaving item = {.home = home, .work = time_of(self, task)};
    int64_t n;
    const struct taskpool_data_access *accesses = moved_accesses(self, task, &n);
    for (int64_t i = 0; i < n; i++) {
        int64_t block = accesses[i].block;
        if (is_kept(self->machine, block) || owner_of(self, block) != home)
            continue;
        item.seconds += least_move_s(self, block);
        item.card_s += card_s(self, block);
    }
    return item;
}

/* One item for each kept block comes first: once a task of the node has written a block, other
 * tasks there read it without a move. Tasks without data leave at no cost and are not listed. */
static void list_items(struct bounded_load *self)
{
    int64_t n_blocks = self->machine->data->n_blocks;
    for (int64_t i = 0; i < n_blocks; i++)
        self->items[i] = (struct leaving){
            .home = owner_of(self, i), .seconds = least_move_s(self, i), .card_s = card_s(self, i)};
    self->n_items = n_blocks;
    for (int64_t task = 0; task < self->n_tasks; task++) {
        const struct taskpool_data_access *home = home_access(self, task);
        if (home && is_kept(self->machine, home->block))
            self->items[home->block].work += time_of(self, task);
        else if (home)
            self->items[self->n_items++] = leaving_task(self, task, owner_of(self, home->block));
    }
}

/* Compares a / b with c / d, all >= 0. Items without work (b or d is 0) come last. */
static int compare_ratios(double a, double b, double c, double d)
{
    return (a * d > c * b) - (a * d < c * b);
}

static int compare_items(const void *left, const void *right)
{
    const struct leaving *a = left, *b = right;
    if (a->home != b->home)
        return a->home < b->home ? -1 : 1;
    if ((a->work == 0) != (b->work == 0))
        return a->work == 0 ? 1 : -1;
    return compare_ratios(a->seconds, a->work, b->seconds, b->work);
}

static enum status find_items(struct bounded_load *self)
{
    int64_t n_most = self->machine->data->n_blocks + self->n_tasks;
    self->items = malloc(((size_t)n_most + 1) * sizeof *self->items);
    self->of_nodes = malloc(((size_t)n_most + 1) * sizeof *self->of_nodes);
    TRY(CHECK_MEMORY(self->items && self->of_nodes, "no memory for a lower bound"));
    list_items(self);
    for (int64_t i = 0; i < self->n_items; i++) {
        self->of_nodes[i] = self->items[i];
        self->of_nodes[i].home /= self->node_size;
        self->of_nodes[i].seconds = self->items[i].card_s;
    }
    if (self->n_items > 1) {
        qsort(self->items, (size_t)self->n_items, sizeof *self->items, compare_items);
        qsort(self->of_nodes, (size_t)self->n_items, sizeof *self->of_nodes, compare_items);
    }
    return STATUS_OK;
}

/* The seconds of the items [first, end), of one home, at least `room` of whose work stays. */
static double knapsack_s(const struct leaving *items, int64_t first, int64_t end, double room)
{
    double leaves = -room, seconds = 0;
    for (int64_t i = first; i < end; i++)
        leaves += items[i].work;
    for (int64_t i = first; i < end && leaves > 0; i++) {
        double fraction = items[i].work > leaves ? leaves / items[i].work : 1;
        seconds += fraction * items[i].seconds;
        leaves -= items[i].work;
    }
    return seconds;
}

static int64_t end_of_home(const struct leaving *items, int64_t first, int64_t n)
{
    int64_t end = first;
    while (end < n && items[end].home == items[first].home)
        end++;
    return end;
}

/* D(M), by the second of its bounds. */
static double leaving_s(const struct bounded_load *self, double makespan_s)
{
    double seconds = 0;
    for (int64_t first = 0, end; first < self->n_items; first = end) {
        end = end_of_home(self->items, first, self->n_items);
        double room = makespan_s * self->n_threads * speed_of(self, self->items[first].home);
        seconds += knapsack_s(self->items, first, end, room);
    }
    return seconds;
}

static double room_of_node(const struct bounded_load *self, int64_t node, double makespan_s)
{
    double speed = 0;
    int64_t first = node * self->node_size;
    for (int64_t w = first; w < first + self->node_size && w < self->machine->n_workers; w++)
        speed += speed_of(self, w);
    return makespan_s * self->n_threads * speed;
}

/* The largest C(M). */
static double busiest_card_s(const struct bounded_load *self, double makespan_s)
{
    double busiest_s = 0;
    for (int64_t first = 0, end; first < self->n_items; first = end) {
        end = end_of_home(self->of_nodes, first, self->n_items);
        double room = room_of_node(self, self->of_nodes[first].home, makespan_s);
        busiest_s = fmax(busiest_s, knapsack_s(self->of_nodes, first, end, room));
    }
    return busiest_s;
}

/* --- the bound --- */

/* A time that (3) and (4) would have as the least, if what leaves is what leaves at M. */
static double needed_s(const struct bounded_load *self, double makespan_s)
{
    double moves_s = fmax(self->must_s, leaving_s(self, makespan_s));
    double needed_s = (self->work + self->slowest * moves_s) / self->speed;
    if (self->node_size < self->machine->n_workers)
        needed_s = fmax(needed_s, busiest_card_s(self, makespan_s));
    return needed_s;
}

/* The least M with needed_s(M) <= M, from below. */
static double bisect(const struct bounded_load *self, double low_s)
{
    enum { HALVINGS = 40 };
    double high_s = needed_s(self, low_s);
    for (int i = 0; i < HALVINGS && low_s < high_s; i++) {
        double middle_s = (low_s + high_s) / 2;
        if (needed_s(self, middle_s) > middle_s)
            low_s = middle_s;
        else
            high_s = middle_s;
    }
    return low_s;
}

static enum status add_data(struct bounded_load *self, double low_s, double *bound_s)
{
    enum status status = sum_must_moves(self);
    if (status == STATUS_OK)
        status = find_items(self);
    if (status == STATUS_OK)
        *bound_s = bisect(self, low_s);
    free(self->items);
    free(self->of_nodes);
    return status;
}

enum status makespan_bound_find(const struct taskpool_machine *machine, int64_t n_tasks,
                                struct makespan_bound *bound)
{
    struct bounded_load load = {.machine = machine,
                                .n_tasks = n_tasks,
                                .n_threads = machine->n_threads > 0 ? machine->n_threads : 1,
                                .node_size = machine->node_size > 0 ? machine->node_size
                                                                    : machine->n_workers};
    sum_work(&load);
    bound->work_s = load.work / load.speed;
    bound->longest_s = load.longest / load.fastest;
    bound->seconds = fmax(bound->work_s, bound->longest_s);
    return machine->data ? add_data(&load, bound->seconds, &bound->seconds) : STATUS_OK;
}

void makespan_bound_print(double bound_s)
{
    if (bound_s > 0 && isfinite(bound_s))
        log_print("\nLower bound  %.6g s: no schedule of any iteration ends earlier\n", bound_s);
}
