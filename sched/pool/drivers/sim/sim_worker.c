/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/sim/driver_sim_private.h"
#include "sched/pool/drivers/sim/noise.h"

#include <math.h>

/* --- records --- */

int64_t sim_lane(struct sim_worker *worker, const struct sim_thread *thread)
{
    return (int64_t)worker->comm.rank * worker->sim->n_threads + (thread - sim_threads(worker));
}

int64_t sim_message_lane(struct sim_worker *worker)
{
    return sim_lane(worker, worker->serving ? sim_threads(worker) : worker->caller);
}

void sim_record(struct sim_worker *worker, const struct sim_thread *thread, enum trace_use use,
                double begin_s, double end_s)
{
    struct recorder *recorder = worker->sim->driver.records.recorder;
    const struct trace_span span = {begin_s, end_s, .use = (int32_t)use};
    if (recorder && !worker->sim->restoring && end_s > begin_s)
        recorder_span(recorder, sim_lane(worker, thread), &span);
}

/* A task that ran on the caller, and the driver's time for it. */
static void record_sim_task(struct sim_worker *worker, int64_t task, double begin_s, double end_s)
{
    struct recorder *recorder = worker->sim->driver.records.recorder;
    const struct trace_span span = {.begin_s = begin_s,
                                    .end_s = end_s,
                                    .number = worker->record ? TRACE_UNNUMBERED : task,
                                    .n = 1,
                                    .use = TRACE_TASK};
    recorder_span(recorder, sim_lane(worker, worker->caller), &span);
    sim_record(worker, worker->caller, TRACE_SCHEDULER, end_s,
               end_s + worker->sim->machine->task_s);
}

/* --- tasks --- */

/* Duration of a task on this worker, without interruptions. */
static double task_work(const struct sim_worker *worker, int64_t task)
{
    const struct taskpool_machine *machine = worker->sim->machine;
    double speed = machine->speeds ? machine->speeds[worker->comm.rank] : 1;
    double work_s = machine->time(task, worker->record, machine->context) / speed;
    if (work_s >= 0)
        return work_s;
    worker->sim->protocol = FAIL(
        STATUS_USAGE, "the duration of simulated task %lld is %g s: durations must be 0 s or more",
        (long long)task, work_s);
    return 0;
}

/* The end of work that begins on the caller at this time. */
static double work_end(const struct sim_worker *worker, double start_s, double work_s)
{
    const struct taskpool_noise *noise = worker->sim->machine->noise;
    return noise ? noise_end_s(noise, worker->caller->noise_phase_s, start_s, work_s)
                 : start_s + work_s;
}

/* Latest time: beyond it a double does not resolve microseconds well enough. */
#define MAX_TIME_S 1e9

bool sim_check_time(struct driver_sim *sim, double time_s)
{
    bool fits = time_s <= MAX_TIME_S;
    if (!fits)
        sim->protocol =
            FAIL(STATUS_LIMIT, "simulated tasks end after %g s, later than %g", time_s, MAX_TIME_S);
    return fits;
}

static void call_back_at(struct sim_worker *worker, double time_s)
{
    int32_t thread = (int32_t)(worker->caller - sim_threads(worker));
    if (!sim_check_time(worker->sim, time_s))
        return;
    worker->caller->doing = RUNNING;
    event_queue_add(&worker->sim->events, (struct event){.kind = EVENT_RAN,
                                                         .time_s = time_s,
                                                         .worker = worker->comm.rank,
                                                         .from = thread});
}

/* Begins the caller's next tasks, up to the next poll; where they need data, one. */
static void begin_next_tasks(struct sim_worker *worker)
{
    struct sim_thread *thread = worker->caller;
    int64_t left = thread->has_record ? 1 : taskpool_range_count(&thread->range);
    int64_t to_poll = worker->sim->data ? 1 : thread->interval.n - thread->n_since_poll;
    thread->n_running = left < to_poll ? left : to_poll;
    if (!worker->sim->data || !sim_move(worker, SIM_MOVES_READ, thread->range.first))
        sim_compute(worker);
}

void sim_compute(struct sim_worker *worker)
{
    struct sim_thread *thread = worker->caller;
    thread->began_s = thread->clock_s;
    double time_s = thread->clock_s;
    for (int64_t i = 0; i < thread->n_running; i++) {
        double work_s = task_work(worker, thread->range.first + i * thread->range.step);
        time_s = work_end(worker, time_s, work_s) + worker->sim->machine->task_s;
    }
    call_back_at(worker, time_s);
}

static void run_body(struct sim_worker *worker, int64_t task)
{
    struct driver_sim *sim = worker->sim;
    const struct taskpool_problem *problem = sim->setup->problem;
    if (sim->status != STATUS_OK)
        return;
    sim->current = worker;
    if (worker->record)
        sim->status = problem->run_record(worker->record, problem->context);
    else if (problem->run)
        sim->status = problem->run(task, problem->context);
    sim->current = NULL;
}

static void end_task(struct sim_worker *worker, int64_t task, double time_s)
{
    struct driver_sim *sim = worker->sim;
    struct statistics_worker *statistics = &worker->caller->statistics;
    struct taskpool_history *history = sim->driver.records.history;
    /* The body may change its record. */
    if (worker->record)
        task_census_add_record(&sim->driver.ran, worker->record, sim->setup->problem->record_size);
    else
        task_census_add(&sim->driver.ran, (uint64_t)task);
    run_body(worker, task);
    statistics->tasks++;
    statistics->task_s += time_s;
    statistics->scheduler_s += sim->machine->task_s;
    if (history && sim->status == STATUS_OK)
        sim->status = history_add(history, task, time_s, worker->comm.rank);
    if (!driver_reports_tasks(sim->mode, sim->setup->problem))
        return;
    sim->mode->finished(worker->state, task,
                        sim->status == STATUS_OK ? time_s + sim_read_s(worker) : -1);
}

void sim_end_tasks(struct sim_worker *worker, double time_s)
{
    struct sim_thread *thread = worker->caller;
    thread->n_since_poll += thread->n_running;
    thread->since_poll_s += thread->n_running > 0 ? time_s - thread->began_s : 0;
    double start_s = thread->began_s;
    thread->clock_s = time_s;
    for (; thread->n_running > 0; thread->n_running--) {
        int64_t task = thread->range.first;
        double end_s = work_end(worker, start_s, task_work(worker, task));
        end_task(worker, task, end_s - start_s);
        record_sim_task(worker, task, start_s, end_s);
        start_s = end_s + worker->sim->machine->task_s;
        thread->range.first += thread->range.step;
    }
    thread->has_record = false;
}

static void forget_time_since_poll(struct sim_thread *thread)
{
    thread->n_since_poll = 0;
    thread->since_poll_s = 0;
}

bool sim_polls_now(struct sim_worker *worker, bool ran)
{
    struct sim_thread *thread = worker->caller;
    bool pays = worker->sim->poll_s > 0 && !sim_has_progress_thread(worker);
    double poll_s = pays ? worker->sim->poll_s : 0;
    if (poll_s > 0 && ran && thread->n_since_poll < thread->interval.n)
        return false;
    if (thread->n_since_poll > 0)
        poll_interval_next(&thread->interval, thread->n_since_poll, thread->since_poll_s);
    forget_time_since_poll(thread);
    sim_record(worker, thread, TRACE_COMMUNICATION, thread->clock_s, thread->clock_s + poll_s);
    thread->clock_s += poll_s;
    thread->statistics.communication_s += poll_s;
    return true;
}

static bool is_null(const struct sim_worker *worker, const struct taskpool_range *range)
{
    const struct taskpool_machine *machine = worker->sim->machine;
    return machine->are_null && machine->are_null(range->first, range->last, machine->context);
}

/* Null tasks run at once, without events: they end before the next poll. */
static void run_null_tasks(struct sim_worker *worker)
{
    struct sim_thread *thread = worker->caller;
    double work_s = task_work(worker, thread->range.first);
    for (; thread->range.first < thread->range.last; thread->range.first += thread->range.step) {
        double end_s = work_end(worker, thread->clock_s, work_s);
        end_task(worker, thread->range.first, end_s - thread->clock_s);
        record_sim_task(worker, thread->range.first, thread->clock_s, end_s);
        thread->clock_s = end_s + worker->sim->machine->task_s;
    }
}

/* --- threads --- */

static void end_sim_phase(struct sim_worker *worker)
{
    worker->caller->doing = ENDED;
    if (--worker->n_active == 0)
        worker->sim->n_active--;
}

void sim_end_thread(struct sim_worker *worker)
{
    struct sim_thread *thread = worker->caller;
    thread->statistics.elapsed_s = thread->clock_s - worker->sim->start_s;
    end_sim_phase(worker);
}

static void begin_waiting(struct sim_worker *worker, enum taskpool_mode_step step)
{
    forget_time_since_poll(worker->caller);
    worker->caller->doing = WAITING;
    worker->caller->searches = step == TASKPOOL_MODE_SEARCH;
    worker->n_waiting++;
}

static void proceed_restoring(struct sim_worker *worker)
{
    enum taskpool_mode_step step = worker->sim->mode->restore(worker->state);
    if (step == TASKPOOL_MODE_DONE)
        end_sim_phase(worker);
    else
        begin_waiting(worker, step);
}

static enum taskpool_mode_step call_sim_mode(struct sim_worker *worker,
                                             struct taskpool_mode_work *work)
{
    if (taskpool_range_count(&worker->left) > 0) {
        work->range = worker->left;
        return TASKPOOL_MODE_RUN;
    }
    const struct taskpool_comm_counts before = worker->comm.counts;
    enum taskpool_mode_step step = worker->sim->mode->next(worker->state, work);
    recorder_arrived(worker->sim->driver.records.recorder, sim_message_lane(worker), &worker->comm,
                     (struct trace_message){.kind = TRACE_MEMORY_STEAL}, &before);
    return step;
}

/* Leaves the tasks that exceed n_wanted to the other threads. */
static void leave_to_others(struct sim_worker *worker, struct taskpool_mode_work *work)
{
    int64_t n = taskpool_range_count(&work->range);
    worker->left = work->range;
    work->range = task_range_cut_front(&worker->left, n < work->n_wanted ? n : work->n_wanted);
}

/* Whether the caller gets tasks; if not, it waits or is done. */
static bool get_tasks(struct sim_worker *worker)
{
    struct driver_sim *sim = worker->sim;
    struct sim_thread *thread = worker->caller;
    /* A long task may follow a null task; in the same range no thief could take it. */
    bool one = sim->machine->are_null;
    struct taskpool_mode_work work = {.n_wanted =
                                          one ? 1 : thread->interval.n - thread->n_since_poll,
                                      .tasks_are_long = one || thread->interval.n == 1,
                                      .record = worker->record};
    enum taskpool_mode_step step = call_sim_mode(worker, &work);
    if (step == TASKPOOL_MODE_DONE) {
        if (!sim->data || !sim_move(worker, SIM_MOVES_REST, 0))
            sim_end_thread(worker);
    } else if (step != TASKPOOL_MODE_RUN) {
        begin_waiting(worker, step);
    } else if (sim->n_threads > 1) {
        leave_to_others(worker, &work);
    }
    thread->has_record = step == TASKPOOL_MODE_RUN && worker->record;
    thread->range = step == TASKPOOL_MODE_RUN ? work.range : (struct taskpool_range){0};
    return step == TASKPOOL_MODE_RUN;
}

static void proceed_running(struct sim_worker *worker)
{
    struct sim_thread *thread = worker->caller;
    double polled_s = thread->clock_s;
    while (!thread->has_record && taskpool_range_count(&thread->range) == 0) {
        if (thread->clock_s - polled_s > POLL_INTERVAL_S) {
            call_back_at(worker, thread->clock_s);
            return;
        }
        if (!get_tasks(worker))
            return;
        if (!thread->has_record && is_null(worker, &thread->range))
            run_null_tasks(worker);
    }
    begin_next_tasks(worker);
    if (worker->n_waiting > 0 && taskpool_range_count(&worker->left) > 0)
        sim_proceed_waiting(worker, thread->clock_s);
}

void sim_proceed(struct sim_worker *worker)
{
    if (worker->sim->restoring)
        proceed_restoring(worker);
    else
        proceed_running(worker);
}

void sim_stop_waiting(struct sim_worker *worker, struct sim_thread *thread, double time_s)
{
    double start_s = thread->clock_s;
    double waited_s = fmax(time_s, start_s) - start_s;
    if (thread->searches)
        thread->statistics.search_s += waited_s;
    else
        thread->statistics.idle_s += waited_s;
    thread->clock_s += waited_s;
    sim_record(worker, thread, thread->searches ? TRACE_SEARCH : TRACE_IDLE, start_s,
               thread->clock_s);
}

void sim_proceed_waiting(struct sim_worker *worker, double time_s)
{
    struct sim_thread *threads = sim_threads(worker);
    for (int i = 0; i < worker->sim->n_threads; i++) {
        if (threads[i].doing != WAITING)
            continue;
        worker->n_waiting--;
        worker->caller = &threads[i];
        sim_stop_waiting(worker, &threads[i], time_s);
        sim_proceed(worker);
    }
}
