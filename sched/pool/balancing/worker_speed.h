/* SPDX-License-Identifier: BSD-3-Clause */
/* The speed of a worker, relative to the median of all, as it is learned from iteration to iteration.
 *
 * Where costs are predicted, a worker has a rate: the cost of the tasks that ran here over their
 * seconds. Else it learns from tasks that the balancer moved. A task of t1 seconds on a worker of
 * speed s1 is work of t1 s1; if it takes t2 seconds here, it has shown a speed of t1 s1 / t2. The
 * giver of the task learns as much about itself, by a report of the receiver. The rate is then the
 * median of the last speeds that were shown, and 1 until LEAST have shown it clearly.
 *
 * The balancer's tree finds the typical rate of all workers: medians of medians (Rousseeuw and Bassett,
 * J. Am. Stat. Assoc. 85 (1990) 97). A speed is a rate over the typical one of the phase before, or of
 * this one if it is the first, and 1 if it differs by less than DEAD_BAND. */
#pragma once

#include "sched/pool/balancing/balancer_messages.h"
#include "sched/pool/queues/duration_bins.h"
#include "support/base/status.h"
#include "taskpool/mode.h"

enum { WORKER_SPEEDS_SHOWN = 16 };

/* A task that came here between two iterations. The number comes first, for array_ascending. */
struct moved_task {
    int64_t task;
    int64_t entry; /* of the bins that it was added to */
    float work;
    float time_s; /* here; below 0: it has not run */
    int32_t from; /* the worker that gave it and ran it; -1: another one */
};

struct worker_speed {
    const struct taskpool_problem *problem; /* borrowed, as comm */
    struct taskpool_comm *comm;
    double speed;
    double typical_rate; /* 0: not known */

    double cost,
        time_s; /* of the tasks that ran here; older iterations count half, a quarter ... */

    struct moved_task *moved; /* n_moved, by number while they run */
    int64_t n_moved, capacity;
    int64_t *givers; /* n_givers: one for each message with tasks that its sender ran */
    int64_t n_givers, givers_capacity;
    int64_t n_awaited; /* reports of workers that got tasks */
    float shown[WORKER_SPEEDS_SHOWN];
    int64_t n_shown; /* in all; the last are kept */
};

/* problem, comm  borrowed */
void worker_speed_init(struct worker_speed *speed, const struct taskpool_problem *problem,
                       struct taskpool_comm *comm);
void worker_speed_fini(struct worker_speed *speed);

/* A task has run here. */
void worker_speed_finished(struct worker_speed *speed, int64_t task, double time_s);

/* Begins a phase of the balancer: reports to the givers of tasks. */
void worker_speed_begin(struct worker_speed *speed);

/* Whether all reports to this worker are here. worker_speed_update then brings the speed up to date, and
 * returns the rate; 0: not known. */
bool worker_speed_is_known(const struct worker_speed *speed);
double worker_speed_update(struct worker_speed *speed);

/* The typical rate of all workers, for the next phase; 0: not known. */
void worker_speed_relate(struct worker_speed *speed, double typical_rate);

/* A message with tasks that ran here leaves, and will be answered by a report; or a message with tasks that ran
 * at its sender has come. */
void worker_speed_gave(struct worker_speed *speed);
void worker_speed_got(struct worker_speed *speed, int from);

/* A task came, and is this entry of the bins. Errors: STATUS_NO_MEMORY. */
enum status worker_speed_note(struct worker_speed *speed, int64_t task, int64_t entry, double work,
                              int from);

/* Ends the phase. bins: what is to run here next. */
void worker_speed_end(struct worker_speed *speed, const struct duration_bins *bins);

void worker_speed_receive(struct worker_speed *speed, const struct balancer_speed_report *report);
