/* Records the messages of this process's worker for --trace. */
#ifndef BERYL_SCHED_MPI_TRACE_H
#define BERYL_SCHED_MPI_TRACE_H

#include "sched/core/comm.h"
#include "sched/trace/trace_log.h"

#include <stddef.h>
#include <stdint.h>

struct trace;

struct mpi_trace {
    struct trace_log *log; /* of this process's worker */
    const struct comm *comm;
    int pool;                      /* its number */
    uint64_t *n_sent, *n_received; /* to and from each worker: MPI keeps their order */
    struct trace_message received; /* the message that the mode receives now */
    struct comm_counts before;     /* as they were when it arrived */
};

/* For the last pool that joined the trace; NULL for NULL. Both are borrowed. Ends the program when
 * out of memory. */
struct mpi_trace *mpi_trace_create(struct trace *trace, const struct comm *comm);
void mpi_trace_destroy(struct mpi_trace *trace);

/* A message was sent; a request to the shared counter was. With --progress thread under the
 * lock, as all that follow. */
void mpi_trace_sent(struct mpi_trace *trace, int to, size_t size);
void mpi_trace_counter_request(struct mpi_trace *trace, size_t size);

/* Before and after the mode receives a message: its counts tell whether tasks came with it. */
void mpi_trace_receive(struct mpi_trace *trace, int from, size_t size);
void mpi_trace_received(struct mpi_trace *trace);

#endif
