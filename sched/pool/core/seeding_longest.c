/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/seeding.h"
#include "sched/pool/queues/speed_classes.h"
#include "taskpool/taskpool.h"

#include <math.h>
#include <stdlib.h>

struct timed_task {
    double time_s;
    int64_t task;
};

static int by_time(const void *a, const void *b)
{
    const struct timed_task *left = a, *right = b;
    if (left->time_s != right->time_s)
        return left->time_s > right->time_s ? -1 : 1;
    return left->task < right->task ? -1 : 1;
}

static int64_t threads_of_worker(const struct taskpool_machine *machine)
{
    return machine->n_threads > 0 ? machine->n_threads : 1;
}

static void list_threads(struct receiver *threads, int64_t n,
                         const struct taskpool_machine *machine)
{
    int64_t n_threads = threads_of_worker(machine);
    for (int64_t i = 0; i < n; i++)
        threads[i] = (struct receiver){
            .speed = machine->speeds ? machine->speeds[i / n_threads] : 1, .id = i};
}

/* Gives a task to the thread that ends it first, and returns the thread's worker. */
static int64_t give_task(struct speed_class *classes, int64_t n_classes, double time_s,
                         const struct taskpool_machine *machine)
{
    struct speed_class *first = speed_classes_find(classes, n_classes, time_s);
    const struct receiver *thread = first->heap;
    int64_t worker = thread->id / threads_of_worker(machine);
    speed_class_load(first, thread->free_s + time_s / thread->speed + machine->task_s);
    return worker;
}

static enum status give_all(struct taskpool_seeding *seeding, const struct timed_task *tasks,
                            struct speed_class *classes, int64_t n_classes,
                            const struct taskpool_machine *machine)
{
    for (int64_t i = 0; i < seeding->n_tasks; i++) {
        int64_t worker = give_task(classes, n_classes, tasks[i].time_s, machine);
        TRY(task_ranges_add(&seeding->owned[worker], tasks[i].task));
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
    size_t n_threads = (size_t)n_workers * (size_t)threads_of_worker(machine);
    *seeding = (struct taskpool_seeding){
        .rule = TASKPOOL_SEEDING_LONGEST, .n_tasks = n_tasks, .n_workers = n_workers};
    /* calloc, because it refuses sizes beyond all memory. */
    struct timed_task *tasks = calloc((size_t)n_tasks + 1, sizeof *tasks);
    struct receiver *threads = calloc(n_threads, sizeof *threads);
    struct speed_class *classes = calloc(n_threads, sizeof *classes);
    seeding->owned = calloc((size_t)n_workers, sizeof *seeding->owned);
    seeding->n_owned = seeding->owned ? n_workers : 0;
    enum status status =
        CHECK_MEMORY(tasks && threads && classes && seeding->owned,
                     "no memory to sort %lld tasks by their durations", (long long)n_tasks);
    if (status != STATUS_OK)
        goto done;
    status = ask_durations(tasks, n_tasks, machine);
    if (status != STATUS_OK)
        goto done;
    qsort(tasks, (size_t)n_tasks, sizeof *tasks, by_time);
    list_threads(threads, (int64_t)n_threads, machine);
    status = give_all(seeding, tasks, classes,
                      speed_classes_init(threads, (int64_t)n_threads, classes), machine);
done:
    free(tasks);
    free(threads);
    free(classes);
    if (status != STATUS_OK)
        seeding_fini(seeding);
    return status;
}
