/* A simulation from the inside: what its parts share. Only driver_sim.c and
 * sim_*.c include this. */
#ifndef BERYL_SCHED_SIM_H
#define BERYL_SCHED_SIM_H

#include "sched/driver.h"
#include "sched/event_queue.h"
#include "sched/history.h"
#include "sched/machine.h"
#include "sched/mode.h"
#include "sched/pace.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* --- sim_comm.c: what a mode sees, and the network --- */

/* Of workers' connections. */
extern const struct comm_functions sim_comm_functions;

/* Spends what a message costs the worker that sends or gets it, or its serving
 * thread; the moment after. */
double sim_spend_overhead(struct sim_worker *worker);

/* Seconds that a message of this size is under way. */
double sim_latency(struct driver_sim *sim, size_t size);

/* --- sim_worker.c: what a worker does when something has happened --- */

/* Asks the mode, until tasks run or the worker waits or is done. */
void sim_proceed(struct sim_worker *worker);

/* The tasks that ran end at this time: their bodies run now. */
void sim_end_tasks(struct sim_worker *worker, double time_s);

/* --- sim_events.c --- */

/* An event takes place. */
void sim_happen(struct driver_sim *sim, const struct event *event);

/* Removes what is left when all workers are done, and counts what should not be. */
void sim_drop_events(struct driver_sim *sim);

#endif
