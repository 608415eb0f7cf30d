#include "sched/driver_sim.h"

#include "sched/event_queue.h"
#include "sched/pace.h"
#include "support/agree.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum event_kind {
    EVENT_MESSAGE, /* arrives: what */
    EVENT_SENT,    /* the bulk of a message has been read: value is its token */
    EVENT_RAN,     /* a worker's tasks end */
    EVENT_WAKE,    /* value: the number of the call of comm_wake */
    EVENT_FETCH,   /* a request reaches the counter: value is the increment */
    EVENT_FETCHED, /* its answer, value, reaches the worker */
};

enum doing { RUNNING, WAITING, ENDED };

struct sim_message {
    struct sim_message *next; /* in an inbox */
    int from;
    size_t head_size;
    const void *bulk;
    size_t bulk_size;
    int64_t token;
    char head[];
};

struct sim_worker {
    struct comm comm; /* first: what the mode sees */
    struct driver_sim *sim;
    void *state; /* of the mode */

    enum doing doing;
    double *waiting_s; /* the figure that waiting counts for */
    double clock_s;    /* up to which the worker's time is accounted for */
    double serving_s;  /* the moment of an answer while a task runs */
    bool serving;
    struct pace pace;
    struct task_range range; /* of tasks that have not ended */
    int64_t n_running;       /* of these, that run now */
    bool has_record;
    void *record;
    struct sim_message *first, *last; /* messages that arrived while tasks ran */
    int64_t n_wakes;
    struct statistics_worker figures;
};

struct driver_sim {
    struct driver driver; /* first */
    const struct mode *mode;
    const struct taskpool_machine *machine;
    const struct mode_setup *setup;
    struct history *history;
    struct sim_worker *workers;
    char *states;
    char *records;
    int *ranks; /* 0, 1, ... */

    struct event_queue events;
    struct random_stream random; /* of the network */
    double start_s;              /* of this phase */
    int64_t counter;
    bool restoring;
    int n_active; /* workers that are not done with this phase */
    int64_t n_lost;
    struct sim_worker *current; /* whose task's body runs now */
    void *incoming;             /* a message as its receiver sees it */
    size_t incoming_capacity;
    enum status status;   /* of the tasks of this iteration */
    enum status protocol; /* of the mode, for good */
};

static double max(double a, double b)
{
    return a > b ? a : b;
}

/* --- comm.h --- */

static double now(struct comm *comm)
{
    const struct sim_worker *worker = (struct sim_worker *)comm;
    return worker->serving ? worker->serving_s : worker->clock_s;
}

/* A message costs the worker some time; a serving thread costs it none. */
static double spend_overhead(struct sim_worker *worker)
{
    double overhead_s = worker->sim->machine->overhead_s;
    if (worker->serving)
        return worker->serving_s += overhead_s;
    worker->figures.communication_s += overhead_s;
    return worker->clock_s += overhead_s;
}

static double latency(struct driver_sim *sim, size_t size)
{
    const struct taskpool_machine *machine = sim->machine;
    double time_s = machine->latency_s;
    if (machine->latency_spread_s > 0) {
        double power = machine->latency_power > 0 ? machine->latency_power : 1;
        time_s += machine->latency_spread_s * pow(-log(1 - random_unit(&sim->random)), power);
    }
    if (machine->bandwidth > 0)
        time_s += (double)size / machine->bandwidth;
    return time_s;
}

static void send(struct comm *comm, int to, const struct comm_message *message)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    assert(to >= 0 && to < comm->size);
    struct sim_message *copy = malloc(sizeof *copy + message->head_size);
    if (!copy)
        die("no memory for the messages of a simulation");
    *copy = (struct sim_message){.from = comm->rank,
                                 .head_size = message->head_size,
                                 .bulk = message->bulk,
                                 .bulk_size = message->bulk ? message->bulk_size : 0,
                                 .token = message->token};
    memcpy(copy->head, message->head, message->head_size);
    if (sim->machine->observe)
        sim->machine->observe(comm->rank, to, copy->head, copy->head_size, sim->machine->observer);
    size_t size = copy->head_size + copy->bulk_size;
    worker->figures.messages++;
    worker->figures.bytes += (int64_t)size;
    double sent_s = spend_overhead(worker);
    event_queue_add(&sim->events, (struct event){.kind = EVENT_MESSAGE,
                                                 .time_s = sent_s + latency(sim, size),
                                                 .worker = to,
                                                 .what = copy});
}

static void fetch_add(struct comm *comm, int64_t increment)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    struct driver_sim *sim = worker->sim;
    worker->figures.messages++;
    worker->figures.bytes += (int64_t)sizeof increment;
    double sent_s = spend_overhead(worker);
    event_queue_add(&sim->events, (struct event){.kind = EVENT_FETCH,
                                                 .time_s = sent_s + latency(sim, sizeof increment),
                                                 .worker = comm->rank,
                                                 .value = increment});
}

static void wake(struct comm *comm, double delay_s)
{
    struct sim_worker *worker = (struct sim_worker *)comm;
    event_queue_add(&worker->sim->events, (struct event){.kind = EVENT_WAKE,
                                                         .time_s = now(comm) + delay_s,
                                                         .worker = comm->rank,
                                                         .value = ++worker->n_wakes});
}

static void fail(struct comm *comm, const char *why)
{
    struct driver_sim *sim = ((struct sim_worker *)comm)->sim;
    sim->protocol =
        FAIL(STATUS_PROTOCOL, "worker %d, mode %s: %s", comm->rank, sim->mode->name, why);
}

static const struct comm_functions functions = {
    .now = now, .send = send, .fetch_add = fetch_add, .wake = wake, .fail = fail};

/* --- tasks --- */

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

static void end_tasks(struct sim_worker *worker, double time_s)
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

/* --- the worker --- */

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

static void proceed(struct sim_worker *worker)
{
    if (worker->sim->restoring)
        proceed_restoring(worker);
    else
        proceed_running(worker);
}

/* --- events --- */

/* The message as its receiver sees it: what is sent in bulk is read only now. */
static void assemble(struct driver_sim *sim, const struct sim_message *message)
{
    size_t size = message->head_size + message->bulk_size;
    if (size > sim->incoming_capacity) {
        free(sim->incoming);
        sim->incoming_capacity = 2 * size;
        sim->incoming = malloc(sim->incoming_capacity);
        if (!sim->incoming)
            die("no memory for a message of %zu bytes", size);
    }
    memcpy(sim->incoming, message->head, message->head_size);
    if (message->bulk)
        memcpy((char *)sim->incoming + message->head_size, message->bulk, message->bulk_size);
}

static void hand_over(struct sim_worker *worker, struct sim_message *message, double time_s)
{
    struct driver_sim *sim = worker->sim;
    assemble(sim, message);
    worker->serving_s = time_s;
    spend_overhead(worker);
    sim->mode->receive(worker->state, message->from, sim->incoming,
                       message->head_size + message->bulk_size);
    if (message->bulk)
        event_queue_add(&sim->events, (struct event){.kind = EVENT_SENT,
                                                     .time_s = now(&worker->comm),
                                                     .worker = message->from,
                                                     .value = message->token});
    free(message);
}

static void put_into_inbox(struct sim_worker *worker, struct sim_message *message)
{
    message->next = NULL;
    if (worker->last)
        worker->last->next = message;
    else
        worker->first = message;
    worker->last = message;
}

static void hand_over_inbox(struct sim_worker *worker)
{
    while (worker->first) {
        struct sim_message *message = worker->first;
        worker->first = message->next;
        if (!worker->first)
            worker->last = NULL;
        hand_over(worker, message, worker->clock_s);
    }
}

/* Something happens to a worker that may be waiting. */
static void stop_waiting(struct sim_worker *worker, double time_s)
{
    if (worker->doing != WAITING)
        return;
    double end_s = max(time_s, worker->clock_s);
    *worker->waiting_s += end_s - worker->clock_s;
    worker->clock_s = end_s;
}

static void arrive(struct sim_worker *worker, struct sim_message *message, double time_s)
{
    bool by_thread = worker->sim->setup->settings->progress == PROGRESS_THREAD;
    if (worker->doing == ENDED) {
        worker->sim->n_lost++;
        free(message);
    } else if (worker->doing == RUNNING && !by_thread) {
        put_into_inbox(worker, message);
    } else if (worker->doing == RUNNING) {
        worker->serving = true;
        hand_over(worker, message, time_s);
        worker->serving = false;
    } else {
        stop_waiting(worker, time_s);
        hand_over(worker, message, worker->clock_s);
        proceed(worker);
    }
}

static void answer_fetch(struct driver_sim *sim, const struct event *event)
{
    event_queue_add(&sim->events,
                    (struct event){.kind = EVENT_FETCHED,
                                   .time_s = event->time_s + latency(sim, sizeof sim->counter),
                                   .worker = event->worker,
                                   .value = sim->counter});
    sim->counter += event->value;
}

static void happen(struct driver_sim *sim, const struct event *event)
{
    struct sim_worker *worker = &sim->workers[event->worker];
    switch ((enum event_kind)event->kind) {
    case EVENT_MESSAGE:
        arrive(worker, event->what, event->time_s);
        return;
    case EVENT_SENT:
        sim->mode->sent(worker->state, event->value);
        return;
    case EVENT_FETCH:
        answer_fetch(sim, event);
        return;
    case EVENT_RAN:
        end_tasks(worker, event->time_s);
        hand_over_inbox(worker);
        break;
    case EVENT_WAKE:
        if (event->value != worker->n_wakes || worker->doing != WAITING)
            return;
        stop_waiting(worker, event->time_s);
        break;
    case EVENT_FETCHED:
        stop_waiting(worker, event->time_s);
        sim->mode->fetched(worker->state, event->value);
        if (worker->doing != WAITING)
            return;
        break;
    }
    proceed(worker);
}

/* --- phases --- */

/* What is left when all are done: nobody may still have to be told something. */
static void drop_events(struct driver_sim *sim)
{
    struct event event;
    while (event_queue_next(&sim->events, &event)) {
        if (event.kind == EVENT_SENT)
            sim->mode->sent(sim->workers[event.worker].state, event.value);
        else if (event.kind != EVENT_WAKE)
            sim->n_lost++;
        free(event.what);
    }
}

static enum status run_phase(struct driver_sim *sim, bool restoring)
{
    int n_workers = sim->driver.n_workers;
    double start_s = 0;
    for (int i = 0; i < n_workers; i++)
        start_s = max(start_s, sim->workers[i].clock_s);
    sim->restoring = restoring;
    sim->start_s = start_s;
    sim->n_active = n_workers;
    sim->n_lost = 0;
    for (int i = 0; i < n_workers; i++) {
        sim->workers[i].clock_s = start_s;
        sim->workers[i].doing = WAITING;
        sim->workers[i].waiting_s = &sim->workers[i].figures.idle_s;
    }
    for (int i = 0; i < n_workers; i++)
        proceed(&sim->workers[i]);
    struct event event;
    while (sim->n_active > 0 && sim->protocol == STATUS_OK && event_queue_next(&sim->events, &event))
        happen(sim, &event);
    int n_stuck = sim->n_active;
    drop_events(sim);
    if (sim->protocol != STATUS_OK)
        return sim->protocol;
    if (n_stuck > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: %d of %d workers wait for ever", sim->mode->name,
                    n_stuck, n_workers);
    if (sim->n_lost > 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: %lld messages came too late", sim->mode->name,
                    (long long)sim->n_lost);
    return STATUS_OK;
}

static enum status sim_run(struct driver *driver, struct statistics_worker *workers)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    sim->status = STATUS_OK;
    sim->counter = 0;
    for (int i = 0; i < driver->n_workers; i++)
        sim->workers[i].pace = pace_begin(sim->setup->settings->poll_every);
    enum status status = run_phase(sim, false);
    for (int i = 0; i < driver->n_workers; i++) {
        struct sim_worker *worker = &sim->workers[i];
        workers[i] = worker->figures;
        workers[i].steals_attempted = worker->comm.counts.steals_attempted;
        workers[i].steals_successful = worker->comm.counts.steals_successful;
        workers[i].tasks_moved = worker->comm.counts.tasks_moved;
        worker->figures = (struct statistics_worker){0};
        worker->comm.counts = (struct comm_counts){0};
    }
    return status != STATUS_OK ? status : sim->status;
}

static enum status sim_restore(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    TRY(run_phase(sim, true));
    /* What is told apart while tasks run is one thing here: balancing. */
    for (int i = 0; i < driver->n_workers; i++) {
        struct sim_worker *worker = &sim->workers[i];
        worker->figures.balance_s = worker->clock_s - sim->start_s;
        worker->figures.idle_s = worker->figures.search_s = worker->figures.communication_s = 0;
    }
    return STATUS_OK;
}

static enum status sim_add(struct driver *driver, const void *record)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    bool initial = sim->current == NULL;
    struct sim_worker *worker = initial ? &sim->workers[0] : sim->current;
    return sim->mode->add(worker->state, record, initial);
}

static void sim_poll(struct driver *driver)
{
    (void)driver; /* a body takes no simulated time of its own */
}

static double sim_progress(const struct driver *driver)
{
    const struct driver_sim *sim = (const struct driver_sim *)driver;
    return sim->mode->progress(sim->workers[0].state, sim->workers[0].figures.tasks);
}

static void sim_destroy(struct driver *driver)
{
    struct driver_sim *sim = (struct driver_sim *)driver;
    for (int i = 0; i < driver->n_workers; i++)
        if (sim->workers[i].state && sim->mode->fini)
            sim->mode->fini(sim->workers[i].state);
    event_queue_fini(&sim->events);
    free(sim->workers);
    free(sim->states);
    free(sim->records);
    free(sim->ranks);
    free(sim->incoming);
    free(sim);
}

static const struct driver_functions driver_functions = {.run = sim_run,
                                                         .restore = sim_restore,
                                                         .add = sim_add,
                                                         .poll = sim_poll,
                                                         .progress = sim_progress,
                                                         .destroy = sim_destroy};

/* --- creation --- */

static size_t aligned(size_t size)
{
    return (size + 15) / 16 * 16;
}

static enum status allocate(struct driver_sim *sim)
{
    size_t n = (size_t)sim->driver.n_workers;
    size_t record_size = sim->setup->problem->record_size;
    sim->workers = calloc(n, sizeof *sim->workers);
    sim->states = calloc(n, aligned(sim->mode->state_size));
    sim->records = record_size > 0 ? calloc(n, aligned(record_size)) : NULL;
    sim->ranks = malloc(n * sizeof *sim->ranks);
    if (!sim->workers || !sim->states || !sim->ranks || (record_size > 0 && !sim->records))
        return FAIL(STATUS_NO_MEMORY, "no memory for %zu simulated workers", n);
    for (size_t i = 0; i < n; i++)
        sim->ranks[i] = (int)i;
    return STATUS_OK;
}

static void connect_worker(struct driver_sim *sim, int rank)
{
    struct sim_worker *worker = &sim->workers[rank];
    int size = sim->driver.n_workers;
    int node_size = sim->machine->node_size > 0 ? sim->machine->node_size : size;
    int first = rank / node_size * node_size;
    worker->sim = sim;
    worker->comm = (struct comm){
        .functions = &functions,
        .rank = rank,
        .size = size,
        .node_ranks = sim->ranks + first,
        .n_node_ranks = first + node_size < size ? node_size : size - first,
    };
    random_stream_init(&worker->comm.random, (uint64_t)sim->setup->settings->seed, (uint64_t)rank);
    if (sim->records)
        worker->record = sim->records + (size_t)rank * aligned(sim->setup->problem->record_size);
}

static enum status init_workers(struct driver_sim *sim)
{
    TRY(allocate(sim));
    for (int rank = 0; rank < sim->driver.n_workers; rank++) {
        connect_worker(sim, rank);
        void *state = sim->states + (size_t)rank * aligned(sim->mode->state_size);
        TRY(sim->mode->init(state, sim->setup, &sim->workers[rank].comm));
        sim->workers[rank].state = state;
        if (sim->mode->seed && sim->setup->problem->record_size == 0)
            TRY(sim->mode->seed(state));
    }
    return STATUS_OK;
}

enum status driver_sim_create(const struct mode *mode, const struct taskpool_machine *machine,
                              const struct mode_setup *setup, struct history *history,
                              struct driver **out)
{
    struct driver_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return FAIL(STATUS_NO_MEMORY, "no memory for a simulation");
    sim->driver = (struct driver){.functions = &driver_functions, .n_workers = machine->n_workers};
    sim->mode = mode;
    sim->machine = machine;
    sim->setup = setup;
    sim->history = history;
    /* A stream that no worker has. */
    random_stream_init(&sim->random, (uint64_t)setup->settings->seed, UINT64_MAX);
    enum status status = init_workers(sim);
    if (status != STATUS_OK) {
        sim_destroy(&sim->driver);
        return status;
    }
    *out = &sim->driver;
    return STATUS_OK;
}
