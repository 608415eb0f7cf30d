/* What a mode may do to the world. Nothing here waits: what a mode asks for is
 * done by the driver after the mode's function has returned, and an answer
 * comes as a call of a function of the mode's table. */
#ifndef BERYL_SCHED_COMM_H
#define BERYL_SCHED_COMM_H

#include "support/base/random.h"

#include <stddef.h>
#include <stdint.h>

struct comm;

/* What is sent: head, copied, followed by bulk, which stays the sender's and
 * unchanged until its mode's sent() is called with the token. The receiver gets
 * both as one stretch of bytes. */
struct comm_message {
    const void *head;
    size_t head_size; /* at least 1 */
    const void *bulk; /* NULL for none: sent() is then not called */
    size_t bulk_size;
    int64_t token;
};

/* Filled by a driver. */
struct comm_functions {
    double (*now)(struct comm *comm);
    void (*send)(struct comm *comm, int to, const struct comm_message *message);
    void (*fetch_add)(struct comm *comm, int64_t increment);
    void (*wake)(struct comm *comm, double delay_s);
    void (*protocol_broken)(struct comm *comm, const char *why);
};

/* What only a mode can count, in one iteration; for the statistics. */
struct comm_counts {
    int64_t steals_attempted;
    int64_t steals_successful;
    int64_t tasks_moved; /* received from another worker */
};

/* One worker's connection to the others. */
struct comm {
    const struct comm_functions *functions;
    int rank;              /* this worker, in [0, size) */
    int size;              /* workers */
    const int *node_ranks; /* n_node_ranks: the workers of this one's node, itself too, ascending */
    int n_node_ranks;
    struct random_stream random;
    struct comm_counts counts; /* incremented by the mode, cleared by the driver */
};

/* Seconds since an arbitrary moment. */
static inline double comm_now(struct comm *comm)
{
    return comm->functions->now(comm);
}

/* Sends size >= 1 bytes, copied before return. Messages may overtake each
 * other. A worker may send to itself. */
static inline void comm_send(struct comm *comm, int to, const void *bytes, size_t size)
{
    comm->functions->send(comm, to, &(struct comm_message){.head = bytes, .head_size = size});
}

/* The same with a part that is not copied. */
static inline void comm_send_bulk(struct comm *comm, int to, const struct comm_message *message)
{
    comm->functions->send(comm, to, message);
}

/* Adds increment to the pool's one shared counter, which is 0 when an iteration
 * begins; the mode's fetched() is called with the value before. At most one
 * such request of a worker may be under way. */
static inline void comm_fetch_add(struct comm *comm, int64_t increment)
{
    comm->functions->fetch_add(comm, increment);
}

/* Has next() or restore() called again after delay_s seconds if it returned
 * MODE_SEARCH or MODE_WAIT and nothing else happened before. The last call counts. */
static inline void comm_wake(struct comm *comm, double delay_s)
{
    comm->functions->wake(comm, delay_s);
}

/* A mode found that its own protocol is broken: the run cannot be right. May
 * return; the run then ends with STATUS_PROTOCOL. */
static inline void comm_fail(struct comm *comm, const char *why)
{
    comm->functions->protocol_broken(comm, why);
}

#endif
