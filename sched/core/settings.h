/* How the tasks of a pool are scheduled. */
#ifndef BERYL_SCHED_SETTINGS_H
#define BERYL_SCHED_SETTINGS_H

#include <stdbool.h>
#include <stdint.h>

/* What each worker starts with: blocks of equal numbers of tasks; tasks rank,
 * rank + size, ...; the tasks whose data it owns; blocks of equal predicted cost. */
enum taskpool_seeding { SEEDING_BLOCK, SEEDING_CYCLIC, SEEDING_OWNER, SEEDING_COST };

/* Messages are looked for between tasks, or by a thread of their own, which
 * takes MPI_THREAD_MULTIPLE. */
enum taskpool_progress_rule { PROGRESS_POLL, PROGRESS_THREAD };

enum taskpool_victim { VICTIM_RANDOM, VICTIM_NODE };

enum taskpool_balancer { BALANCER_CENTRAL, BALANCER_TREE };

/* How it is to be done: filled from the command line by the rows below, or by
 * taskpool_settings_default. */
struct taskpool_settings {
    int mode;           /* index into taskpool_mode_names */
    int seeding;        /* enum taskpool_seeding */
    int progress;       /* enum taskpool_progress_rule */
    int64_t poll_every; /* tasks between looks for messages, at most */
    int64_t seed;       /* every random choice derives from it */
    const char *speeds; /* file of relative speeds, one per worker; NULL or "": all 1 */

    int64_t chunk;         /* tasks handed out together; 0: the mode's default */
    bool guided;           /* counter: chunks shrink as the pool empties */
    int64_t managers;      /* share */
    int64_t release_every; /* share: tasks between two releases of surplus */

    const char *steal; /* "half" or a number: of the shared tasks, per steal */
    int victim;        /* enum taskpool_victim */
    int termination;   /* enum termination_rule */
    int64_t deque;     /* most entries that a deque may hold; 0: no bound */

    int balancer;        /* enum taskpool_balancer */
    int64_t branching;   /* of the balancer's tree */
    double donate_above; /* C: times the average load */
    double fill_to;      /* D */
    double balance_over; /* imbalance that balancing takes */

    int64_t fan_out;    /* dtree: children of a node, at most */
    double first_share; /* d_f */
    double drain;       /* d_r */
    int64_t min_grant;  /* t_min */

    double static_fraction; /* hybrid: of a worker's tasks */
    int64_t tasklets;       /* of a worker */
    int64_t group;          /* workers that share a queue; 0: those of a node */
    bool skew;              /* larger tasklets first */
    bool no_locality;       /* do not prefer what ran here last */

    bool keep_history; /* set by the program: time every task, see taskpool_history */
};

#endif
