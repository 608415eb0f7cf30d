/* SPDX-License-Identifier: BSD-3-Clause */
/* The simulated workers and network, private to driver_sim.c and sim_*.c. */
#pragma once

#include "sched/pool/core/driver.h"
#include "sched/pool/core/history.h"
#include "sched/pool/core/poll_interval.h"
#include "sched/pool/drivers/sim/event_queue.h"
#include "sched/pool/trace/recorder.h"
#include "support/base/random.h"
#include "taskpool/mode.h"
#include "taskpool/simulation.h"

enum event_kind {
    EVENT_MESSAGE, /* a message arrives: bytes if size > 0, else what, a sim_message */
    EVENT_SENT,    /* a message with bulk is completed: value is its token */
    EVENT_RAN,     /* a thread's tasks end: from is its number */
    EVENT_WAKE,    /* value: the number of the call of taskpool_comm_wake */
    EVENT_FETCH,   /* a request reaches the counter: value is the increment */
    EVENT_FETCHED, /* its answer, value, reaches the worker */
    EVENT_DEPARTS, /* a block that a thread moves, from being its number, may leave its sender */
    EVENT_ARRIVES, /* it reaches its receiver's card */
    EVENT_MOVED,   /* it is there */
};

/* A message that is too long for an event. */
struct sim_message {
    size_t head_size;
    const void *bulk;
    size_t bulk_size;
    int64_t token;
    char head[];
};

/* A queued message: it arrived while tasks ran, and waits for the next poll. */
struct sim_queued {
    struct sim_queued *next;
    struct event event;
};

enum doing { RUNNING, WAITING, ENDED };

/* A thread of a worker: runs tasks. */
struct sim_thread {
    double clock_s; /* its time is accounted for up to here */
    int32_t doing;
    bool searches; /* the wait counts as search: TASKPOOL_MODE_SEARCH */
    bool has_record;
    double began_s;              /* begin of the tasks that run now */
    struct taskpool_range range; /* tasks that have not ended */
    int64_t n_running;           /* of these, the first that run now */
    struct poll_interval interval;
    int64_t n_since_poll; /* tasks */
    double since_poll_s;  /* their time */
    double noise_phase_s;
    struct statistics_worker statistics;
};

/* One worker. Its threads, the mode's state and the room for a record follow in memory,
 * because what happens to a worker touches them all. */
struct sim_worker {
    struct taskpool_comm comm; /* first: what the mode sees */
    struct driver_sim *sim;
    void *state;               /* of the mode */
    struct sim_thread *caller; /* the thread that calls the mode now */
    double serving_s;          /* clock of the progress thread while it serves */
    bool serving;              /* the progress thread calls the mode now */
    double free_s;             /* the progress thread is busy until then */
    int n_waiting;             /* threads */
    int n_active;              /* threads that are not done with this phase */
    struct taskpool_range
        left; /* with several threads: tasks for the next thread that needs some */
    void *record;
    struct sim_queued *first, *last; /* queued messages */
    int64_t n_wakes;                 /* calls of taskpool_comm_wake */
    double wake_s;                   /* time of the last; -1: it has passed */
    double words_free_s;             /* its words in the memory of its node are busy until then */
};

struct sim_data;

struct driver_sim {
    struct driver driver; /* first */
    const struct taskpool_mode *mode;
    const struct taskpool_machine *machine;
    const struct taskpool_mode_setup *setup;
    int n_workers;
    int n_threads; /* of a worker */
    int node_size;
    char *workers;         /* n_workers x worker_size */
    size_t worker_size;    /* with threads, state and record */
    double *servers;       /* node_server: the progress thread of each node is busy until then */
    int *ranks;            /* 0, 1, ... */
    double poll_s;         /* of a worker's time, for each poll between tasks */
    struct sim_data *data; /* NULL: tasks need none */

    struct event_queue events;
    struct random_stream random; /* of the network */
    double start_s;              /* of this phase */
    double begun_s;              /* this phase, by the clock of this process */
    int64_t n_iterations;        /* run so far */
    int64_t counter;
    double counter_free_s; /* the shared counter is busy until then */
    bool restoring;
    int n_active;               /* workers that are not done with this phase */
    int64_t n_lost;             /* messages for workers that are done */
    struct sim_worker *current; /* the worker whose task's body runs now */
    void *incoming;             /* a message as its receiver sees it */
    int64_t incoming_capacity;
    enum status status;   /* of the tasks of this iteration */
    enum status protocol; /* of the mode; never reset */
};

static inline struct sim_worker *sim_worker(const struct driver_sim *sim, int rank)
{
    return (struct sim_worker *)(sim->workers + (size_t)rank * sim->worker_size);
}

static inline struct sim_thread *sim_threads(struct sim_worker *worker)
{
    return (struct sim_thread *)(worker + 1);
}

/* --- sim_comm.c: comm.h, simulated --- */

extern const struct taskpool_comm_functions sim_comm_functions;

/* Seconds that a message of this size is on its way. */
double sim_latency(struct driver_sim *sim, int from, int to, size_t size);

/* The queued messages of a worker: appends one; takes the first, which must exist. */
void sim_queue_message(struct sim_worker *worker, const struct event *event);
struct event sim_take_queued(struct sim_worker *worker);

/* Adds time of communication to the clock of the thread that calls the mode; returns that clock. */
double sim_spend(struct sim_worker *worker, double time_s);

/* sim_spend for the overhead of sending or receiving a message. */
double sim_spend_overhead(struct sim_worker *worker);

/* --- sim_node_memory.c --- */

/* Gives each worker, which is connected, the words in the memory of its node that the mode wants.
 * Errors: STATUS_NO_MEMORY; sim_node_memory_destroy then follows, too. */
enum status sim_node_memory_create(struct driver_sim *sim);
void sim_node_memory_destroy(struct driver_sim *sim);

bool sim_comm_word_swap(struct taskpool_comm *comm, int64_t position, int64_t expected,
                        int64_t desired);

/* Messages that a worker sends, and blocks that it moves, count for its first thread. */
void sim_count_message(struct sim_worker *worker, size_t size);

/* --- sim_data.c: blocks of data that tasks read and write --- */

/* The blocks that a thread brings where they are needed. */
enum sim_moves {
    SIM_MOVES_READ,    /* by the task that it is about to run, to its node */
    SIM_MOVES_WRITTEN, /* by the task that it has run: into the memory of its node or, where they
                        * have no room, to their owners */
    SIM_MOVES_REST,    /* from the memory of its node to their owners, at the end of an iteration */
};

/* For driver_sim.c. Errors of create: STATUS_NO_MEMORY; sim_data_destroy then follows, too. */
enum status sim_data_create(struct driver_sim *sim);
void sim_data_destroy(struct sim_data *data);

/* Begins an iteration. */
void sim_data_begin(struct sim_data *data);

/* The caller moves blocks; false: there was nothing to move. Otherwise it is busy until
 * sim_go_on_moving returns false, which takes the events of that. */
bool sim_move(struct sim_worker *worker, enum sim_moves why, int64_t task);
bool sim_go_on_moving(struct sim_worker *worker, const struct event *event, enum sim_moves *why);

/* The time that the caller's task waited for its data. */
double sim_read_s(struct sim_worker *worker);

/* --- sim_worker.c: the worker's reaction to events --- */

/* Moves the clock of a waiting thread of the worker to this time. */
void sim_stop_waiting(struct sim_worker *worker, struct sim_thread *thread, double time_s);

/* The caller calls the mode until tasks run, or the thread waits or is done. */
void sim_proceed(struct sim_worker *worker);

/* sim_proceed for all threads that wait, from this time on. */
void sim_proceed_waiting(struct sim_worker *worker, double time_s);

/* The caller runs its next tasks, whose data are there. */
void sim_compute(struct sim_worker *worker);

/* The tasks that ran on the caller end at this time: their bodies run now. */
void sim_end_tasks(struct sim_worker *worker, double time_s);

/* Whether the caller polls for messages now, and pays for it: where polls cost nothing after any
 * task, else after as many as it has to.
 * ran  false: after null tasks that took the time between two polls */
bool sim_polls_now(struct sim_worker *worker, bool ran);

/* The caller is done with this phase. */
void sim_end_thread(struct sim_worker *worker);

/* Whether a time is not too late; if it is, the run fails. */
bool sim_check_time(struct driver_sim *sim, double time_s);

/* Records a use of a thread's time, while tasks run: between iterations all of it is balancing. */
void sim_record(struct sim_worker *worker, const struct sim_thread *thread, enum trace_use use,
                double begin_s, double end_s);

/* The lane, for the recorder, of a thread; and of messages: of the thread that calls the mode. What
 * the progress thread does counts for the first. */
int64_t sim_lane(struct sim_worker *worker, const struct sim_thread *thread);
int64_t sim_message_lane(struct sim_worker *worker);

/* --- sim_events.c --- */

/* Whether a thread receives the worker's messages while tasks run. */
bool sim_has_progress_thread(const struct sim_worker *worker);

/* Handles an event. */
void sim_handle_event(struct driver_sim *sim, const struct event *event);

/* Drains the event queue after all workers finished, and counts lost messages. */
void sim_drop_events(struct driver_sim *sim);
