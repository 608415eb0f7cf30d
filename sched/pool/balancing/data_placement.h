/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's tasks with the data that they need, and the placement to return to: what balancing knows
 * where problem.data_costs are given.
 *
 * Durations are then those of tasks without their data. What the data took is what is left of the time
 * between the end of one task and that of the next; what they should have taken is their price, by
 * data_load.h. The ratio of the two, over all workers, is what contention and copies of others make of
 * it; a task that moves is expected to change the loads of two workers by its price times that ratio.
 *
 * A placement that takes longer than the best one before is given up: all workers return to the tasks
 * that they had in that (best_makespan.h). That takes no messages but the decision, as each
 * remembers its own. */
#pragma once

#include "sched/pool/data/data_load.h"
#include "sched/pool/protocols/data_share.h"
#include "sched/pool/queues/duration_bins.h"
#include "taskpool/mode.h"

#include <stdbool.h>
#include <stdint.h>

struct placed_task {
    int64_t task;
    double work; /* seconds at speed 1 */
    bool is_gone;
};

struct placed_tasks {
    struct placed_task *list; /* n */
    int64_t n, capacity;
};

struct data_placement {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and share */
    struct taskpool_comm *comm;
    const struct data_share *share; /* knows what tasks take that have not run here */
    struct data_load load;          /* of tasks */
    struct placed_tasks tasks;      /* of this worker, from the beginning of a phase to its end */
    struct placed_tasks best;       /* in the best placement so far */
    double work;                    /* of the tasks that are not gone */
    int64_t n_tasks;                /* that are not */
    double listed_s;                /* of data, price of the tasks with which the phase began */
    double away_s;                  /* and if none of these were where its data are */
    double ratio;                   /* of what data took to their price, agreed in this phase */

    double begun_s; /* the iteration began */
    double since_s; /* the end of the last task, or of a search for one */
    double moved_s; /* that data took in this iteration */
    double took_s;  /* the last iteration, as seen here */
    double first_s; /* the first one */
    bool is_running;
    bool weighs; /* tasks are ordered by their data: they are not negligible */
};

/* Zero-initialised has none, which costs == NULL leaves it.
 * all  borrowed */
void data_placement_init(struct data_placement *placement, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm, const struct taskpool_data_costs *costs,
                         const struct data_share *share);
void data_placement_fini(struct data_placement *placement);

static inline bool data_placement_is_known(const struct data_placement *placement)
{
    return placement->load.costs != NULL;
}

/* --- while tasks run --- */

/* An iteration begins; a search for tasks has ended, which is no fault of data; a task has ended. */
void data_placement_begin_iteration(struct data_placement *placement);
void data_placement_found_tasks(struct data_placement *placement);
void data_placement_finished(struct data_placement *placement, double time_s);

/* All tasks have run. */
void data_placement_end_iteration(struct data_placement *placement);

/* --- a phase of balancing --- */

/* Lists the tasks in bins, by their work. */
void data_placement_list(struct data_placement *placement, const struct duration_bins *bins);

/* Seconds that the data of the tasks are expected to take. */
double data_placement_seconds(const struct data_placement *placement);

/* By how much that may be exceeded: each move may wait for about as long as it takes, and the worker that
 * waits most is the last to end. */
double data_placement_risk(const struct data_placement *placement);

/* A task comes; the task at a position of the list goes. */
void data_placement_take(struct data_placement *placement, int64_t task, double work);
void data_placement_give(struct data_placement *placement, int64_t position);

/* The listed tasks are those of the best placement so far; or this worker returns to these. */
void data_placement_remember(struct data_placement *placement);
void data_placement_return(struct data_placement *placement);

/* Lists the tasks with which this worker began the first iteration in place of those that ran, each with
 * the work that it was here, or that such tasks were. What their data take is their price: by how much the
 * transfers of other placements were longer does not say what these are, which are fewer.
 * speed  of this worker */
void data_placement_seed(struct data_placement *placement, double speed);

/* Fills bins with the listed tasks, in their order, those that came at the end. Errors:
 * STATUS_NO_MEMORY. */
enum status data_placement_fill(const struct data_placement *placement, struct duration_bins *bins);
