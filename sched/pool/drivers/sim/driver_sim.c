/* SPDX-License-Identifier: BSD-3-Clause */
/* Runs a mode on a simulated machine: a discrete-event simulation of
 * any number of workers in one process, with the tasks' bodies run for real if
 * the problem has some.
 *
 * A worker polls for messages as a process would: between tasks (--progress
 * poll), or at once, by a thread that costs nothing (--progress thread, or if its mode says so,
 * has_thread), and whenever it waits. The bulk of a message is read when it arrives, the latest
 * time that MPI allows. Errors of a protocol are detected: a message for a worker that is done,
 * or on its way when all are, and a deadlock of workers that wait, fail the run. */
#include "sched/pool/core/comm.h"
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "support/base/clock.h"
#include "support/base/memory.h"
#include "support/io/progress.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum {
    CACHE_LINE = 64,
    LARGE_PAGE = 2 * 1024 * 1024,
    PREFETCH_EVENTS = 2,
    PREFETCH_BYTES = 1024,  /* of a worker */
    EVENTS_SHOWN = 1 << 16, /* events between two displays of progress, some 0.1 s */
};

/* Smaller simulations need no check of the available memory. */
#define CHECKED_BYTES 1e9

/* Prefetches the workers of coming events: with 10^5 workers none is in a cache. */
static void prefetch(struct driver_sim *sim)
{
    for (int i = 0; i < PREFETCH_EVENTS; i++) {
        const struct event *event = event_queue_foresee(&sim->events);
        if (!event)
            return;
        const char *worker = (const char *)sim_worker(sim, event->worker);
        for (size_t j = 0; j < sim->worker_size && j < PREFETCH_BYTES; j += CACHE_LINE)
            __builtin_prefetch(worker + j, 1);
    }
}

static void begin_phase(struct driver_sim *sim, bool restoring)
{
    int n_threads = restoring ? 1 : sim->n_threads;
    double start_s = 0;
    for (int i = 0; i < sim->n_workers; i++)
        for (int j = 0; j < sim->n_threads; j++)
            start_s = fmax(start_s, sim_threads(sim_worker(sim, i))[j].clock_s);
    sim->restoring = restoring;
    sim->start_s = start_s;
    sim->n_active = sim->n_workers;
    sim->n_lost = 0;
    if (!restoring)
        recorder_begin(sim->driver.records.recorder, start_s);
    for (int i = 0; i < sim->n_workers; i++) {
        struct sim_worker *worker = sim_worker(sim, i);
        worker->n_active = worker->n_waiting = n_threads;
        worker->wake_s = -1;
        for (int j = 0; j < sim->n_threads; j++) {
            struct sim_thread *thread = &sim_threads(worker)[j];
            thread->clock_s = start_s;
            thread->doing = j < n_threads ? WAITING : ENDED;
            thread->searches = false;
        }
    }
}

/* The number of events to come, and the time that workers will search for tasks, are unknown. */
static void show_simulated(const struct driver_sim *sim, double time_s, int64_t n_events)
{
    char text[192], of[32] = "";
    if (sim->setup->problem->n_tasks > 0)
        snprintf(of, sizeof of, " of %lld", (long long)sim->setup->problem->n_tasks);
    snprintf(text, sizeof text,
             "Simulation of %d workers: %s %lld, %.6g s, %llu%s tasks run, %.2f million events/s",
             sim->n_workers, sim->restoring ? "balancing before iteration" : "iteration",
             (long long)sim->n_iterations, time_s - sim->start_s,
             (unsigned long long)sim->driver.ran.n, of,
             1e-6 * (double)n_events / (clock_now_s() - sim->begun_s));
    progress_text(text);
}

static enum status run_phase(struct driver_sim *sim, bool restoring)
{
    begin_phase(sim, restoring);
    sim->begun_s = clock_now_s();
    for (int i = 0; i < sim->n_workers; i++)
        sim_proceed_waiting(sim_worker(sim, i), sim->start_s);
    struct event event;
    for (int64_t n = 1;
         sim->n_active > 0 && sim->protocol == STATUS_OK && event_queue_next(&sim->events, &event);
         n++) {
        prefetch(sim);
        sim_handle_event(sim, &event);
        if (n % EVENTS_SHOWN == 0)
            show_simulated(sim, event.time_s, n);
    }
    progress_end();
    int n_stuck = sim->n_active;
    sim_drop_events(sim);
    if (sim->protocol != STATUS_OK)
        return sim->protocol;
    if (n_stuck > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: deadlock: %d of %d workers still waiting",
                    sim->mode->name, n_stuck, sim->n_workers);
    if (sim->n_lost > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: %lld messages for workers that had finished",
                    sim->mode->name, (long long)sim->n_lost);
    return STATUS_OK;
}

/* Moves the statistics of a worker's threads out. The worker's counts go to its first thread. */
static void take_sim_statistics(struct sim_worker *worker, struct statistics_worker *statistics)
{
    struct sim_thread *threads = sim_threads(worker);
    for (int i = 0; i < worker->sim->n_threads; i++) {
        statistics[i] = threads[i].statistics;
        threads[i].statistics = (struct statistics_worker){0};
    }
    statistics[0].steals_attempted = worker->comm.counts.steals_attempted;
    statistics[0].steals_successful = worker->comm.counts.steals_successful;
    statistics[0].tasks_moved = worker->comm.counts.tasks_moved;
    worker->comm.counts = (struct taskpool_comm_counts){0};
}

static enum status sim_run(struct driver *driver, struct statistics_worker *workers)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    sim->status = STATUS_OK;
    sim->driver.ran = (struct task_census){0};
    sim->counter = 0;
    if (sim->data)
        sim_data_begin(sim->data);
    for (int i = 0; i < sim->n_workers; i++)
        for (int j = 0; j < sim->n_threads; j++) {
            struct sim_thread *thread = &sim_threads(sim_worker(sim, i))[j];
            thread->interval = poll_interval_begin(sim->setup->settings->poll_every);
            thread->n_since_poll = 0;
            thread->since_poll_s = 0;
        }
    enum status status = run_phase(sim, false);
    for (int i = 0; i < sim->n_workers; i++)
        take_sim_statistics(sim_worker(sim, i), &workers[(int64_t)i * sim->n_threads]);
    sim->n_iterations++;
    return status != STATUS_OK ? status : sim->status;
}

static enum status sim_restore(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    sim->status = STATUS_OK; /* a task may have failed */
    TRY(run_phase(sim, true));
    TRY(sim->status);
    /* All time between iterations counts as balancing. */
    for (int i = 0; i < sim->n_workers; i++) {
        struct sim_worker *worker = sim_worker(sim, i);
        struct sim_thread *thread = sim_threads(worker);
        recorder_span(sim->driver.records.recorder, sim_lane(worker, thread),
                      &(struct trace_span){sim->start_s, thread->clock_s, .use = TRACE_BALANCE});
        thread->statistics.balance_s = thread->clock_s - sim->start_s;
        thread->statistics.idle_s = thread->statistics.search_s =
            thread->statistics.communication_s = 0;
    }
    return STATUS_OK;
}

static enum status sim_add(struct driver *driver, const void *record)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    bool initial = sim->current == NULL;
    struct sim_worker *worker = initial ? sim_worker(sim, 0) : sim->current;
    return sim->mode->add(worker->state, record, initial);
}

static double sim_progress(struct driver *driver)
{
    const struct driver_sim *sim = (const struct driver_sim *)driver;
    struct sim_worker *worker = sim_worker(sim, 0);
    int64_t n_run = 0;
    for (int i = 0; i < sim->n_threads; i++)
        n_run += sim_threads(worker)[i].statistics.tasks;
    return sim->mode->progress(worker->state, n_run);
}

static void sim_explain(struct driver *driver, struct taskpool_choice *choice)
{
    const struct driver_sim *sim = (const struct driver_sim *)driver;
    if (sim->mode->explain)
        sim->mode->explain(sim_worker(sim, 0)->state, choice);
}

static void sim_destroy(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    for (int i = 0; sim->workers && i < sim->n_workers; i++)
        if (sim_worker(sim, i)->state && sim->mode->fini)
            sim->mode->fini(sim_worker(sim, i)->state);
    if (sim->workers)
        sim_node_memory_destroy(sim);
    event_queue_fini(&sim->events);
    sim_data_destroy(sim->data);
    free(sim->workers);
    free(sim->servers);
    free(sim->ranks);
    free(sim->incoming);
    free(sim);
}

static const struct driver_functions driver_functions = {.run = sim_run,
                                                         .restore = sim_restore,
                                                         .add = sim_add,
                                                         .progress = sim_progress,
                                                         .explain = sim_explain,
                                                         .destroy = sim_destroy};

/* --- creation --- */

static size_t aligned(size_t size)
{
    return (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
}

/* Offset of the mode's state, which follows a worker and its threads. */
static size_t state_offset(const struct driver_sim *sim)
{
    return aligned(sizeof(struct sim_worker) + (size_t)sim->n_threads * sizeof(struct sim_thread));
}

/* On large pages where the system has them: the workers are visited in random order, and with
 * small pages each visit would cost a walk through the page tables. */
static char *allocate_on_large_pages(size_t size)
{
    char *workers = aligned_alloc(LARGE_PAGE, (size + LARGE_PAGE - 1) / LARGE_PAGE * LARGE_PAGE);
    if (!workers)
        return NULL;
#ifdef MADV_HUGEPAGE
    madvise(workers, size, MADV_HUGEPAGE);
#endif
    memset(workers, 0, size);
    return workers;
}

/* Refuses workers that do not fit into memory, without their tasks. */
static enum status check_sim_memory(const struct driver_sim *sim)
{
    struct memory_need need = {.own_bytes = (double)sim->n_workers * (double)sim->worker_size};
    if (need.own_bytes <= CHECKED_BYTES)
        return STATUS_OK;
    char subject[64];
    snprintf(subject, sizeof subject, "a simulation of %d workers", sim->n_workers);
    return memory_check_now(subject, &need, 1, "simulate fewer workers");
}

static enum status allocate_workers(struct driver_sim *sim)
{
    size_t n = (size_t)sim->n_workers;
    size_t n_nodes = (n - 1) / (size_t)sim->node_size + 1;
    sim->worker_size = state_offset(sim) + aligned(sim->mode->state_size) +
                       aligned(sim->setup->problem->record_size);
    TRY(check_sim_memory(sim));
    sim->workers = allocate_on_large_pages(n * sim->worker_size);
    sim->servers = sim->machine->node_server ? calloc(n_nodes, sizeof *sim->servers) : NULL;
    sim->ranks = malloc(n * sizeof *sim->ranks);
    if (!sim->workers || !sim->ranks || (sim->machine->node_server && !sim->servers)) {
        free(sim->workers);
        sim->workers = NULL;
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu simulated workers", n);
    }
    for (size_t i = 0; i < n; i++)
        sim->ranks[i] = (int)i;
    return STATUS_OK;
}

static void connect_worker(struct driver_sim *sim, int rank)
{
    struct sim_worker *worker = sim_worker(sim, rank);
    int size = sim->n_workers;
    int first = rank / sim->node_size * sim->node_size;
    worker->sim = sim;
    worker->caller = sim_threads(worker);
    worker->comm = (struct taskpool_comm){
        .functions = &sim_comm_functions,
        .rank = rank,
        .size = size,
        .node_ranks = sim->ranks + first,
        .n_node_ranks = first + sim->node_size < size ? sim->node_size : size - first,
    };
    comm_seed_random(&worker->comm, (uint64_t)sim->setup->settings->seed, (uint64_t)rank);
    if (sim->setup->problem->record_size > 0)
        worker->record = (char *)worker + state_offset(sim) + aligned(sim->mode->state_size);
    for (int i = 0; sim->machine->noise && i < sim->n_threads; i++)
        sim_threads(worker)[i].noise_phase_s =
            sim->machine->noise->period_s * random_unit(&sim->random);
}

static enum status init_data_and_workers(struct driver_sim *sim)
{
    TRY(sim_data_create(sim));
    TRY(allocate_workers(sim));
    for (int rank = 0; rank < sim->n_workers; rank++)
        connect_worker(sim, rank);
    TRY(sim_node_memory_create(sim));
    for (int rank = 0; rank < sim->n_workers; rank++) {
        struct sim_worker *worker = sim_worker(sim, rank);
        TRY(driver_init_mode(sim->mode, sim->setup, &worker->comm,
                             (char *)worker + state_offset(sim), &worker->state));
    }
    return STATUS_OK;
}

/* Whether the driver over MPI would: to receive messages, or to serve other nodes' accesses. */
static bool polls_between_tasks(const struct driver_sim *sim)
{
    return sim->mode->receive || sim->n_workers > sim->node_size;
}

enum status driver_sim_create(const struct taskpool_mode *mode,
                              const struct taskpool_machine *machine,
                              const struct taskpool_mode_setup *setup,
                              const struct driver_records *records, struct driver **out)
{
    int n_threads = machine->n_threads > 0 ? machine->n_threads : 1;
    if (n_threads > 1 && setup->problem->record_size > 0)
        return FAIL(STATUS_USAGE, "tasks that add tasks need workers of one thread, not of %d",
                    n_threads);
    if ((int64_t)machine->n_workers * n_threads > INT32_MAX)
        return FAIL(STATUS_LIMIT, "%d workers of %d threads are more than %d", machine->n_workers,
                    n_threads, INT32_MAX);
    struct driver_sim *sim = calloc(1, sizeof *sim);
    TRY(CHECK_MEMORY(sim, "no memory for a simulation"));
    sim->driver = (struct driver){.functions = &driver_functions,
                                  .records = *records,
                                  .n_workers = machine->n_workers * n_threads};
    sim->n_workers = machine->n_workers;
    sim->n_threads = n_threads;
    sim->node_size = machine->node_size > 0 ? machine->node_size : machine->n_workers;
    sim->mode = mode;
    sim->machine = machine;
    sim->setup = setup;
    sim->poll_s = polls_between_tasks(sim) ? machine->poll_s : 0;
    /* No worker has this stream. */
    random_stream_init(&sim->random, (uint64_t)setup->settings->seed, UINT64_MAX);
    enum status status = init_data_and_workers(sim);
    if (status != STATUS_OK) {
        sim_destroy(&sim->driver);
        return status;
    }
    *out = &sim->driver;
    return STATUS_OK;
}
