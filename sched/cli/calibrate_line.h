/* A connection over which --calibrate measures: mpi_comm.h as the MPI driver uses it, with a
 * mode that does nothing else. Only calibrate_*.c include this. */
#ifndef BERYL_SCHED_CALIBRATE_LINE_H
#define BERYL_SCHED_CALIBRATE_LINE_H

#include "sched/drivers/mpi/mpi_comm.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { LINE_BATCH = 16 }; /* of what is too short for the clock */

/* PING is answered by PONG, REQUEST_BATCH by LINE_BATCH of DATA, the others by nothing. */
enum line_kind { PING, PONG, REQUEST_BATCH, DATA, END };

/* This process's end of it: the state of a mode. */
struct line {
    struct mpi_comm comm;    /* first: what the mode sees */
    int64_t n_pongs, n_data; /* received */
    bool over;               /* END was received */
    bool fetched;
};

/* Collective. */
void line_init(struct line *line, MPI_Comm comm);
void line_fini(struct line *line);

/* Records a message, as a mode does. */
void line_send(struct line *line, int to, enum line_kind kind);

/* Sends a PING, with size bytes of bulk unless that is NULL, and waits for the answer. */
void line_ask(struct line *line, int other, const void *bulk, size_t size);

/* Adds to the shared counter and waits for the answer. */
void line_add_to_counter(struct line *line);

#endif
