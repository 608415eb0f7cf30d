/* A simulation from the inside: what its parts share. Only driver_sim.c and
 * sim_*.c include this. */
#ifndef BERYL_SCHED_DRIVER_SIM_PRIVATE_H
#define BERYL_SCHED_DRIVER_SIM_PRIVATE_H

#include "sched/core/driver.h"
#include "sched/core/history.h"
#include "sched/core/mode.h"
#include "sched/core/poll_interval.h"
#include "sched/drivers/sim/event_queue.h"
#include "sched/drivers/sim/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum event_kind {
    EVENT_MESSAGE, /* arrives: bytes if size > 0, else what, a sim_message */
    EVENT_SENT,    /* the bulk of a message has been read: value is its token */
    EVENT_RAN,     /* a thread's tasks end: from is its number */
    EVENT_WAKE,    /* value: the number of the call of comm_wake */
    EVENT_FETCH,   /* a request reaches the counter: value is the increment */
    EVENT_FETCHED, /* its answer, value, reaches the worker */
};

/* A message that is too long for an event. */
struct sim_message {
    struct sim_message *next; /* of the spare ones */
    int32_t head_size;
    int32_t capacity; /* of head */
    const void *bulk;
    size_t bulk_size;
    int64_t token;
    char head[];
};

/* What arrived while tasks ran. */
struct sim_letter {
    struct sim_letter *next;
    struct event event;
};

enum doing { RUNNING, WAITING, ENDED };

/* What runs tasks. */
struct sim_thread {
    double clock_s; /* up to which its time is accounted for */
    int32_t doing;
    bool searches; /* when waiting: for work */
    bool has_record;
    double began_s;          /* the tasks that run now */
    struct task_range range; /* of tasks that have not ended */
    int64_t n_running;       /* of these, that run now */
    struct poll_interval interval;
    double noise_phase_s;
    struct statistics_worker figures;
};

/* One worker. Its threads, the mode's state and the room for a record follow in memory,
 * because what happens to a worker touches them all. */
struct sim_worker {
    struct comm comm; /* first: what the mode sees */
    struct driver_sim *sim;
    void *state;               /* of the mode */
    struct sim_thread *caller; /* whose time it is */
    double serving_s;          /* the moment of an answer by the thread that serves */
    bool serving;
    double free_s;          /* of the thread that serves: up to which it is busy */
    int n_waiting;          /* threads */
    int n_active;           /* threads that are not done with this phase */
    struct task_range left; /* with several threads: tasks for whoever asks next */
    void *record;
    struct sim_letter *first, *last;
    int64_t n_wakes;
    double wake_s; /* of the last; -1: it is over */
};

struct driver_sim {
    struct driver driver; /* first */
    const struct mode *mode;
    const struct taskpool_machine *machine;
    const struct mode_setup *setup;
    struct history *history;
    int n_workers;
    int n_threads; /* of a worker */
    int node_size;
    char *workers;      /* n_workers x worker_size */
    size_t worker_size; /* with what follows it */
    double *servers;    /* of the nodes, up to when each is busy; or NULL */
    int *ranks;         /* 0, 1, ... */

    struct event_queue events;
    struct sim_message *spare_messages;
    struct sim_letter *spare_letters;
    struct random_stream random; /* of the network */
    double start_s;              /* of this phase */
    int64_t counter;
    double counter_free_s;
    bool restoring;
    int n_active; /* workers that are not done with this phase */
    int64_t n_lost;
    struct sim_worker *current; /* whose task's body runs now */
    void *incoming;             /* a message as its receiver sees it */
    size_t incoming_capacity;
    enum status status;   /* of the tasks of this iteration */
    enum status protocol; /* of the mode, for good */
};

static inline struct sim_worker *sim_worker(const struct driver_sim *sim, int rank)
{
    return (struct sim_worker *)(sim->workers + (size_t)rank * sim->worker_size);
}

static inline struct sim_thread *sim_threads(struct sim_worker *worker)
{
    return (struct sim_thread *)(worker + 1);
}

/* --- sim_network.c: messages and how long they take --- */

/* Seconds that a message of this size is under way. */
double sim_latency(struct driver_sim *sim, int from, int to, size_t size);

/* A message, of a pool; ends the program when out of memory. */
struct sim_message *sim_message_create(struct driver_sim *sim, size_t head_size);
void sim_message_destroy(struct driver_sim *sim, struct sim_message *message);

/* The letters of a worker that nobody has looked at: puts one there, takes the first,
 * which must exist. */
void sim_letter_put(struct sim_worker *worker, const struct event *event);
struct event sim_letter_take(struct sim_worker *worker);

/* Frees what is spare. */
void sim_network_fini(struct driver_sim *sim);

/* --- sim_comm.c: what a mode sees --- */

/* Of workers' connections. */
extern const struct comm_functions sim_comm_functions;

/* Spends what a message costs the thread that sends or gets it, or the one that serves;
 * the moment after. */
double sim_spend_overhead(struct sim_worker *worker);

/* --- sim_worker.c: what a worker does when something has happened --- */

/* The time of a thread that waits goes on to this one. */
void sim_stop_waiting(struct sim_thread *thread, double time_s);

/* The caller asks the mode, until tasks run or the thread waits or is done. */
void sim_proceed(struct sim_worker *worker);

/* The same by all threads that wait, from this time on. */
void sim_proceed_waiting(struct sim_worker *worker, double time_s);

/* The tasks that ran on the caller end at this time: their bodies run now. */
void sim_end_tasks(struct sim_worker *worker, double time_s);

/* --- sim_events.c --- */

/* An event takes place. */
void sim_happen(struct driver_sim *sim, const struct event *event);

/* Removes what is left when all workers are done, and counts what should not be. */
void sim_drop_events(struct driver_sim *sim);

#endif
