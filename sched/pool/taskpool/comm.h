/* SPDX-License-Identifier: BSD-3-Clause */
/* A worker's connection to the others, for modes: messages, the shared counter, the memory of a node,
 * timers, and reports of failures. C and C++. Included by mode.h, whose table has the functions that
 * answers are delivered to. */
#ifndef TASKPOOL_COMM_H
#define TASKPOOL_COMM_H

#include "taskpool/taskpool.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default)

struct taskpool_comm;

/* A message: a head, which is copied, followed by bulk, which is not: it must stay unchanged
 * until sent() of the sender's mode is called with the token. The receiver gets
 * both as one contiguous stretch of bytes. Over MPI they are INT_MAX bytes at most, together; more
 * ends the program. */
struct taskpool_comm_message {
    const void *head;
    size_t head_size; /* at least 1 */
    const void *bulk; /* NULL for none: sent() is then not called */
    size_t bulk_size;
    int64_t token;
};

/* Filled by a driver. */
struct taskpool_comm_functions {
    double (*now)(struct taskpool_comm *comm);
    void (*send)(struct taskpool_comm *comm, int to, const struct taskpool_comm_message *message);
    void (*fetch_add)(struct taskpool_comm *comm, int64_t increment);
    bool (*word_swap)(struct taskpool_comm *comm, int64_t position, int64_t expected,
                      int64_t desired);
    void (*wake)(struct taskpool_comm *comm, double delay_s);
    void (*failed)(struct taskpool_comm *comm, int status);
    void (*protocol_broken)(struct taskpool_comm *comm, const char *why);
};

/* Counts of one iteration that only a mode can make; for the statistics. */
struct taskpool_comm_counts {
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t tasks_moved; /* received from another worker */
};

/* One worker's connection to the others. Nothing here waits: a request is only recorded; the driver
 * starts it after the mode's function has returned, and delivers the answer by calling a function
 * of the mode's table. */
struct taskpool_comm {
    const struct taskpool_comm_functions *functions;
    int rank;              /* this worker, in [0, size) */
    int size;              /* workers */
    const int *node_ranks; /* n_node_ranks: workers of this node, itself included, ascending */
    int n_node_ranks;
    int64_t *node_words;       /* the memory of this node; NULL: it has none */
    const int64_t *node_first; /* n_node_ranks + 1: positions there of each worker's first word, in
                                * the order of node_ranks, and of the end */
    uint64_t random;           /* state of taskpool_comm_random_below */
    struct taskpool_comm_counts counts; /* incremented by the mode, cleared by the driver */
};

/* Random numbers of this worker's own stream, which settings.seed determines: an integer in
 * [0, bound), bound > 0, each equally probable; a real in [0, 1). */
uint64_t taskpool_comm_random_below(struct taskpool_comm *comm, uint64_t bound);
double taskpool_comm_random_unit(struct taskpool_comm *comm);

/* Seconds since an arbitrary time. */
static inline double taskpool_comm_now(struct taskpool_comm *comm)
{
    return comm->functions->now(comm);
}

/* Sends head, and bulk if there is some. */
static inline void taskpool_comm_send_bulk(struct taskpool_comm *comm, int to,
                                           const struct taskpool_comm_message *message)
{
    comm->functions->send(comm, to, message);
}

/* Sends size >= 1 bytes, copied before return. Messages may overtake each
 * other. A worker may send to itself. */
static inline void taskpool_comm_send(struct taskpool_comm *comm, int to, const void *bytes,
                                      size_t size)
{
    const struct taskpool_comm_message message = {bytes, size, NULL, 0, 0};
    comm->functions->send(comm, to, &message);
}

/* Adds increment to the pool's one shared counter, which is 0 when an iteration
 * begins; the mode's fetched() is called with the value before. At most one
 * such request of a worker may be under way. */
static inline void taskpool_comm_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    comm->functions->fetch_add(comm, increment);
}

/* The memory of a node: words of 64 bits that all its workers read and write without waiting for
 * each other, so that a worker in the middle of a long task keeps nobody waiting. They are 0 when a
 * state is prepared, and last as long as it. Each worker has as many as the mode's node_words says,
 * by convention those that it writes between iterations; words written in seed and restore are seen
 * by all in the iteration that follows. comm->node_words is NULL if the mode wants none, or where
 * processes cannot share memory.
 *
 * The word at a position in [0, node_first[n_node_ranks]); what was written before it was stored, or
 * swapped in, is visible after it was loaded. */
static inline int64_t taskpool_comm_word(const struct taskpool_comm *comm, int64_t position)
{
    return __atomic_load_n(&comm->node_words[position], __ATOMIC_ACQUIRE);
}

static inline void taskpool_comm_store_word(struct taskpool_comm *comm, int64_t position,
                                            int64_t value)
{
    __atomic_store_n(&comm->node_words[position], value, __ATOMIC_RELEASE);
}

/* Replaces the word if it has the expected value; whether it had. Simulated, this is what takes
 * time: swaps of the words of one worker are served one after another. */
static inline bool taskpool_comm_swap_word(struct taskpool_comm *comm, int64_t position,
                                           int64_t expected, int64_t desired)
{
    return comm->functions->word_swap(comm, position, expected, desired);
}

/* Sets a timer: next() or restore(), if it returned TASKPOOL_MODE_SEARCH or TASKPOOL_MODE_WAIT, is
 * called again after delay_s seconds at the latest. A later call replaces an earlier one. */
static inline void taskpool_comm_wake(struct taskpool_comm *comm, double delay_s)
{
    comm->functions->wake(comm, delay_s);
}

/* Reports that this worker could not store tasks, received or its own, for lack of memory or
 * because a limit is reached. The status, with the text of its taskpool_fail, ends the
 * iteration, or the one that is being prepared, on all workers; this one runs no more tasks. The
 * mode continues its protocol as if it had stored them, so that all workers come to their end.
 * TASKPOOL_STATUS_OK: no effect. */
static inline void taskpool_comm_report(struct taskpool_comm *comm, int status)
{
    if (status != TASKPOOL_STATUS_OK)
        comm->functions->failed(comm, status);
}

/* Reports an error in the mode's own protocol, so that the run cannot be right. Over MPI it ends
 * the program; simulated it returns, and taskpool_run fails with TASKPOOL_STATUS_PROTOCOL. A
 * message sent by a mode without `receive` is such an error. */
static inline void taskpool_comm_fail(struct taskpool_comm *comm, const char *why)
{
    comm->functions->protocol_broken(comm, why);
}

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif

#endif
