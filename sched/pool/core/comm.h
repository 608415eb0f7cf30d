/* The communication of a mode, over MPI or simulated. Nothing here waits: a request is only
 * recorded; the driver starts it after the mode's function has returned, and delivers the answer
 * by calling a function of the mode's table. sched/README.md lists the stages of a message. */
#ifndef BERYL_SCHED_COMM_H
#define BERYL_SCHED_COMM_H

#include "support/base/random.h"
#include "support/base/status.h"

#include <stddef.h>
#include <stdint.h>

struct taskpool_comm;

/* A message: a head, which is copied, followed by bulk, which is not: it must stay unchanged
 * until sent() of the sender's mode is called with the token. The receiver gets
 * both as one contiguous stretch of bytes. */
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
    void (*wake)(struct taskpool_comm *comm, double delay_s);
    void (*failed)(struct taskpool_comm *comm, enum status status);
    void (*protocol_broken)(struct taskpool_comm *comm, const char *why);
};

/* Counts of one iteration that only a mode can make; for the statistics. */
struct taskpool_comm_counts {
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t tasks_moved; /* received from another worker */
};

/* One worker's connection to the others. */
struct taskpool_comm {
    const struct taskpool_comm_functions *functions;
    int rank;              /* this worker, in [0, size) */
    int size;              /* workers */
    const int *node_ranks; /* n_node_ranks: workers of this node, itself included, ascending */
    int n_node_ranks;
    struct random_stream random;
    struct taskpool_comm_counts counts; /* incremented by the mode, cleared by the driver */
};

/* Seconds since an arbitrary time. */
static inline double taskpool_comm_now(struct taskpool_comm *comm)
{
    return comm->functions->now(comm);
}

/* Sends size >= 1 bytes, copied before return. Messages may overtake each
 * other. A worker may send to itself. */
static inline void taskpool_comm_send(struct taskpool_comm *comm, int to, const void *bytes,
                                      size_t size)
{
    comm->functions->send(comm, to,
                          &(struct taskpool_comm_message){.head = bytes, .head_size = size});
}

/* taskpool_comm_send with bulk, which is not copied. */
static inline void taskpool_comm_send_bulk(struct taskpool_comm *comm, int to,
                                           const struct taskpool_comm_message *message)
{
    comm->functions->send(comm, to, message);
}

/* Adds increment to the pool's one shared counter, which is 0 when an iteration
 * begins; the mode's fetched() is called with the value before. At most one
 * such request of a worker may be under way. */
static inline void taskpool_comm_fetch_add(struct taskpool_comm *comm, int64_t increment)
{
    comm->functions->fetch_add(comm, increment);
}

/* Sets a timer: next() or restore(), if it returned TASKPOOL_MODE_SEARCH or TASKPOOL_MODE_WAIT, is
 * called again after delay_s seconds at the latest. A later call replaces an earlier one. */
static inline void taskpool_comm_wake(struct taskpool_comm *comm, double delay_s)
{
    comm->functions->wake(comm, delay_s);
}

/* Reports that this worker could not keep tasks that it was sent or is to run next: memory was
 * refused, or a limit is reached. The status, with the text of its FAIL, ends the iteration, or
 * the one that is being prepared, on all workers; this one runs no more tasks. The mode continues
 * its protocol as if it had kept them, so that all workers come to their end. STATUS_OK: no
 * effect. */
static inline void taskpool_comm_report(struct taskpool_comm *comm, enum status status)
{
    if (status != STATUS_OK)
        comm->functions->failed(comm, status);
}

/* Why a driver reports an error in a mode that lacks the functions that its calls lead to. */
#define COMM_NO_FETCHED "it calls taskpool_comm_fetch_add, but its function fetched is NULL"
#define COMM_NO_RECEIVE "it sends messages, but its function receive, or sent for bulk, is NULL"

/* Reports an error in the mode's own protocol: the run cannot be right. May
 * return; the run then ends with STATUS_PROTOCOL. */
static inline void taskpool_comm_fail(struct taskpool_comm *comm, const char *why)
{
    comm->functions->protocol_broken(comm, why);
}

#endif
