#include "sched/sim.h"

static double task_time(const struct sim_worker *worker, int64_t task)
{
    const struct taskpool_machine *machine = worker->sim->machine;
    double speed = machine->speeds ? machine->speeds[worker->comm.rank] : 1;
    return machine->time(task, worker->record, machine->context) / speed;
}

/* Begins the next of the worker's tasks: all that it runs before it looks for
 * messages. */
static void begin_tasks(struct sim_worker *worker)
{
    double time_s = 0;
    int64_t left = worker->has_record ? 1 : task_range_count(&worker->range);
    worker->n_running = left < worker->pace.n ? left : worker->pace.n;
    for (int64_t i = 0; i < worker->n_running; i++)
        time_s += task_time(worker, worker->range.first + i * worker->range.step);
    worker->doing = RUNNING;
    event_queue_add(&worker->sim->events, (struct event){.kind = EVENT_RAN,
                                                         .time_s = worker->clock_s + time_s,
                                                         .worker = worker->comm.rank});
}

static void run_body(struct sim_worker *worker, int64_t task)
{
    struct driver_sim *sim = worker->sim;
    const struct taskpool_problem *problem = sim->setup->problem;
    if (sim->status != STATUS_OK)
        return;
    if (worker->has_record)
        sim->status = problem->run_record(worker->record, problem->context);
    else if (problem->run)
        sim->status = problem->run(task, problem->context);
}

static void end_task(struct sim_worker *worker, int64_t task)
{
    struct driver_sim *sim = worker->sim;
    double time_s = task_time(worker, task);
    sim->current = worker;
    run_body(worker, task);
    sim->current = NULL;
    worker->figures.tasks++;
    worker->figures.task_s += time_s;
    if (sim->history && sim->status == STATUS_OK)
        sim->status = history_add(sim->history, task, time_s, worker->comm.rank);
    if (sim->mode->finished)
        sim->mode->finished(worker->state, task, time_s);
}

void sim_end_tasks(struct sim_worker *worker, double time_s)
{
    double ran_s = time_s - worker->clock_s;
    worker->clock_s = time_s;
    pace_next(&worker->pace, worker->n_running, ran_s);
    for (; worker->n_running > 0; worker->n_running--) {
        end_task(worker, worker->range.first);
        worker->range.first += worker->range.step;
    }
    worker->has_record = false;
}

static void end_phase(struct sim_worker *worker)
{
    worker->doing = ENDED;
    worker->sim->n_active--;
}

static void await(struct sim_worker *worker, enum mode_step step)
{
    worker->doing = WAITING;
    worker->waiting_s = step == MODE_SEARCH ? &worker->figures.search_s : &worker->figures.idle_s;
}

static void proceed_restoring(struct sim_worker *worker)
{
    enum mode_step step = worker->sim->mode->restore(worker->state);
    if (step == MODE_DONE)
        end_phase(worker);
    else
        await(worker, step);
}

static void proceed_running(struct sim_worker *worker)
{
    const struct mode *mode = worker->sim->mode;
    while (!worker->has_record && task_range_count(&worker->range) == 0) {
        struct mode_work work = {.n_wanted = worker->pace.n, .record = worker->record};
        enum mode_step step = mode->next(worker->state, &work);
        if (step == MODE_DONE) {
            worker->figures.elapsed_s = worker->clock_s - worker->sim->start_s;
            end_phase(worker);
            return;
        }
        if (step != MODE_RUN) {
            await(worker, step);
            return;
        }
        worker->has_record = worker->record != NULL;
        worker->range = work.range;
    }
    begin_tasks(worker);
}

void sim_proceed(struct sim_worker *worker)
{
    if (worker->sim->restoring)
        proceed_restoring(worker);
    else
        proceed_running(worker);
}
