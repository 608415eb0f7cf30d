/* What calibrate.c puts together from its parts. Only calibrat*.c include this. */
#ifndef BERYL_SCHED_CALIBRATION_H
#define BERYL_SCHED_CALIBRATION_H

#include "sched/core/sample_statistics.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Messages to one other process. Seconds; of none, where n is 0, there is no such process. */
struct calibration_link {
    struct figure latency_s;  /* one way, between the ends of sending and the begin of receiving */
    struct figure overhead_s; /* of a processor, to send a message or to receive it */
    struct figure bandwidth;  /* bytes per second */
};

struct calibration {
    int n_processes;
    int node_size;                /* processes on the node of process 0 */
    struct calibration_link near; /* on a node */
    struct calibration_link far;  /* from node to node */
    struct figure fetch_add_s;    /* from a request to its answer, nobody else asking */
    struct figure counter_s;      /* between two answers to anybody, all asking */
    struct figure task_s;         /* between two tasks of a pool */
    struct figure crowded_speed;  /* of all processes at once, relative to one alone */
};

/* --- calibrate_messages.c: near, far, fetch_add_s, counter_s, node_size --- */

/* Collective; what process 0 gets counts. */
void calibrate_messages(MPI_Comm comm, struct calibration *calibration);

/* --- calibrate_work.c --- */

/* Collective; what process 0 gets counts. Errors: STATUS_NO_MEMORY, the same everywhere. */
enum status calibrate_crowded_speed(MPI_Comm comm, struct figure *speed);

/* Not collective. Errors: STATUS_NO_MEMORY. */
enum status calibrate_tasks(struct figure *task_s);

#endif
