/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/seeding.h"
#include "taskpool/taskpool.h"

#include <math.h>
#include <stdlib.h>

struct timed_task {
    double time_s;
    int64_t task;
};

/* A thread of a worker. */
struct server {
    double speed;
    double free_s; /* it ends then what it was given */
    int64_t id;    /* worker x n_threads + thread */
};

/* Servers of one speed: a heap, the first free one on top. */
struct speed_class {
    struct server *heap;
    int64_t n;
};

static int by_time(const void *a, const void *b)
{
    const struct timed_task *left = a, *right = b;
    if (left->time_s != right->time_s)
        return left->time_s > right->time_s ? -1 : 1;
    return left->task < right->task ? -1 : 1;
}

static int by_speed(const void *a, const void *b)
{
    const struct server *left = a, *right = b;
    if (left->speed != right->speed)
        return left->speed > right->speed ? -1 : 1;
    return left->id < right->id ? -1 : 1;
}

static bool is_free_before(const struct server *a, const struct server *b)
{
    return a->free_s != b->free_s ? a->free_s < b->free_s : a->id < b->id;
}

/* The top of the heap is free later than it was: moves it down. */
static void sink_server(const struct speed_class *class)
{
    struct server *heap = class->heap;
    for (int64_t i = 0, child = 1; child < class->n; child = 2 * i + 1) {
        if (child + 1 < class->n && is_free_before(&heap[child + 1], &heap[child]))
            child++;
        if (!is_free_before(&heap[child], &heap[i]))
            return;
        struct server lower = heap[i];
        heap[i] = heap[child];
        heap[child] = lower;
        i = child;
    }
}

static int64_t threads_of_worker(const struct taskpool_machine *machine)
{
    return machine->n_threads > 0 ? machine->n_threads : 1;
}

static void list_servers(struct server *servers, int64_t n, const struct taskpool_machine *machine)
{
    int64_t n_threads = threads_of_worker(machine);
    for (int64_t i = 0; i < n; i++)
        servers[i] =
            (struct server){.speed = machine->speeds ? machine->speeds[i / n_threads] : 1, .id = i};
    qsort(servers, (size_t)n, sizeof *servers, by_speed);
}

/* Cuts servers sorted by speed into classes. Each class is a heap: all servers are free at 0, and
 * in the order of their ids. Returns the number of classes. */
static int64_t list_classes(struct server *servers, int64_t n, struct speed_class *classes)
{
    int64_t n_classes = 0;
    for (int64_t i = 0; i < n; i++) {
        if (i == 0 || servers[i].speed != servers[i - 1].speed)
            classes[n_classes++] = (struct speed_class){.heap = &servers[i]};
        classes[n_classes - 1].n++;
    }
    return n_classes;
}

/* Gives a task to the server that ends it first, and returns its id. */
static int64_t give_task(const struct speed_class *classes, int64_t n_classes, double time_s,
                         double task_s)
{
    const struct speed_class *best = NULL;
    double best_s = INFINITY;
    for (int64_t c = 0; c < n_classes; c++) {
        double end_s = classes[c].heap->free_s + time_s / classes[c].heap->speed + task_s;
        if (!best || end_s < best_s) {
            best = &classes[c];
            best_s = end_s;
        }
    }
    int64_t id = best->heap->id;
    best->heap->free_s = best_s;
    sink_server(best);
    return id;
}

static enum status give_all(struct taskpool_seeding *seeding, const struct timed_task *tasks,
                            const struct speed_class *classes, int64_t n_classes,
                            const struct taskpool_machine *machine)
{
    for (int64_t i = 0; i < seeding->n_tasks; i++) {
        int64_t id = give_task(classes, n_classes, tasks[i].time_s, machine->task_s);
        TRY(task_ranges_add(&seeding->owned[id / threads_of_worker(machine)], tasks[i].task));
    }
    return STATUS_OK;
}

static enum status ask_durations(struct timed_task *tasks, int64_t n_tasks,
                                 const struct taskpool_machine *machine)
{
    for (int64_t i = 0; i < n_tasks; i++) {
        tasks[i] = (struct timed_task){machine->time(i, NULL, machine->context), i};
        if (!(tasks[i].time_s >= 0))
            return FAIL(
                STATUS_USAGE,
                "the duration of simulated task %lld is %g s: durations must be 0 s or more",
                (long long)i, tasks[i].time_s);
    }
    return STATUS_OK;
}

enum status seeding_longest_init(struct taskpool_seeding *seeding, int64_t n_tasks,
                                 const struct taskpool_machine *machine)
{
    int n_workers = machine->n_workers;
    size_t n_servers = (size_t)n_workers * (size_t)threads_of_worker(machine);
    *seeding = (struct taskpool_seeding){
        .rule = TASKPOOL_SEEDING_LONGEST, .n_tasks = n_tasks, .n_workers = n_workers};
    /* calloc, because it refuses sizes beyond all memory. */
    struct timed_task *tasks = calloc((size_t)n_tasks + 1, sizeof *tasks);
    struct server *servers = calloc(n_servers, sizeof *servers);
    struct speed_class *classes = calloc(n_servers, sizeof *classes);
    seeding->owned = calloc((size_t)n_workers, sizeof *seeding->owned);
    seeding->n_owned = seeding->owned ? n_workers : 0;
    enum status status =
        CHECK_MEMORY(tasks && servers && classes && seeding->owned,
                     "no memory to sort %lld tasks by their durations", (long long)n_tasks);
    if (status != STATUS_OK)
        goto done;
    status = ask_durations(tasks, n_tasks, machine);
    if (status != STATUS_OK)
        goto done;
    qsort(tasks, (size_t)n_tasks, sizeof *tasks, by_time);
    list_servers(servers, (int64_t)n_servers, machine);
    status = give_all(seeding, tasks, classes, list_classes(servers, (int64_t)n_servers, classes),
                      machine);
done:
    free(tasks);
    free(servers);
    free(classes);
    if (status != STATUS_OK)
        seeding_fini(seeding);
    return status;
}
