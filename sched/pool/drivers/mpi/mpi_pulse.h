/* SPDX-License-Identifier: BSD-3-Clause */
/* The pulse of a run: when a task finished last, on any process. Processes of a node write into
 * memory that they share; from node to node a process that polls sends the time to all others, once
 * in an interval. Watchdog threads read it without any call of MPI. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum pulse_activity {
    PULSE_OUTSIDE,   /* no iteration runs */
    PULSE_SCHEDULES, /* in the mode */
    PULSE_TASK,      /* runs the task slot->task */
    PULSE_RECORD,    /* runs a task of a dynamic pool */
    PULSE_MESSAGES,  /* polls or sends */
    PULSE_SEARCHES,  /* waits: TASKPOOL_MODE_SEARCH */
    PULSE_WAITS,     /* waits: TASKPOOL_MODE_WAIT */
    PULSE_ENDS,      /* has finished and waits for the other processes */
};

/* One process, as others see it. Written by the process alone, with relaxed stores, which cost what
 * plain ones do. */
struct pulse_slot {
    _Atomic int64_t task;
    _Atomic int64_t n_finished; /* tasks, in this iteration */
    atomic_int activity;        /* enum pulse_activity */
    _Atomic double looked_s;    /* time of its watchdog's last sample */
    _Atomic int64_t pid;
    atomic_bool reported; /* by another process, on its behalf */
    char padding[64];     /* no two processes write to the same cache line */
};

/* The processes of a node. Times are from clock_now_s, a clock that they share. */
struct pulse_node {
    _Atomic double finished_s; /* the last task here */
    _Atomic double heard_s;    /* and elsewhere */
    _Atomic double sent_s;     /* the last finished_s that was sent */
    _Atomic double sent_at_s;
    atomic_bool alarm; /* a watchdog of this node reports */
    struct pulse_slot slots[];
};

struct mpi_pulse {
    MPI_Comm mpi;            /* borrowed */
    struct pulse_node *node; /* shared */
    struct pulse_slot *own;
    int n_slots;
    int *others; /* n_others processes of other nodes */
    int n_others;
    double interval_s; /* of messages to them */
    bool open;         /* begun, and no message was refused yet */
    double *ages_s;    /* n_others messages, each under way if its request is not null */
    MPI_Request *requests;
    int64_t n_seen; /* by the watchdog thread: tasks finished on this node */
};

/* Collective over comm, which is borrowed.
 * node_ranks  of the processes that share memory with this one, itself included, ascending
 * Errors: STATUS_NO_MEMORY where a node has no memory to share; the same on every process. Ends the
 * program when out of other memory. */
enum status mpi_pulse_init(struct mpi_pulse *pulse, MPI_Comm comm, const int *node_ranks,
                           int n_node_ranks, double interval_s);
void mpi_pulse_fini(struct mpi_pulse *pulse); /* also after a failure of init */

/* An iteration begins, or is finished on this process; end is collective, returns when it is
 * finished on all, and takes part in messages until then. */
void mpi_pulse_begin(struct mpi_pulse *pulse);
void mpi_pulse_end(struct mpi_pulse *pulse);

/* Receives and, when it is time, sends. Does not wait; no call of MPI if there is one node. */
void mpi_pulse_poll(struct mpi_pulse *pulse);

/* Time at which a task finished last on this node, as far as is known here. For one thread, of any
 * process that takes part. Does not communicate. */
double mpi_pulse_last_s(struct mpi_pulse *pulse);

/* Records that the process's watchdog took a sample, i.e. that the process responds. */
static inline void pulse_set_look(struct pulse_slot *slot, double now_s)
{
    atomic_store_explicit(&slot->looked_s, now_s, memory_order_relaxed);
}

static inline void pulse_set(struct pulse_slot *slot, enum pulse_activity activity)
{
    atomic_store_explicit(&slot->activity, (int)activity, memory_order_relaxed);
}

static inline void pulse_set_task(struct pulse_slot *slot, int64_t task)
{
    atomic_store_explicit(&slot->task, task, memory_order_relaxed);
}

static inline void pulse_set_finished(struct pulse_slot *slot, int64_t n_finished)
{
    atomic_store_explicit(&slot->n_finished, n_finished, memory_order_relaxed);
}
