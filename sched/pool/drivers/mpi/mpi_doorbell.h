/* SPDX-License-Identifier: BSD-3-Clause */
/* Doorbells: the processes of a node count in shared memory the messages that they have sent to
 * each other.
 *
 * A poll then needs no call of MPI to find that nothing has arrived, and a process without work can
 * sleep until something has. Both matter where Open MPI gives the core away in every call that
 * finds nothing (mpi_yield_when_idle, set by mpirun --oversubscribe): a task that polls every 0.1
 * ms would lose a time slice of some milliseconds in every poll to any other program that computes.
 */
#pragma once

#include <mpi.h>
#include <stdbool.h>

struct mpi_doorbells;

/* The doorbells that a communicator and its duplicates share; they live as long as these. Each
 * process has one if all are on one node and can share memory, otherwise none has. Never NULL.
 * Collective over comm at the first call for it and its duplicates, local afterwards. Ends the
 * program when out of memory, as the others wait. */
struct mpi_doorbells *mpi_doorbells_of(MPI_Comm comm);

/* Processes of the communicator for each core of their node; 0: there are no doorbells. */
double mpi_doorbells_per_core(const struct mpi_doorbells *bells);

/* After a message to that rank was given to MPI. */
void mpi_doorbell_ring(struct mpi_doorbells *bells, int to);

/* After a message was received. */
void mpi_doorbell_answer(struct mpi_doorbells *bells);

/* Whether a message may be on its way to this process: one was sent that it has not received, or
 * there are no doorbells. */
bool mpi_doorbell_rings(const struct mpi_doorbells *bells);

/* Sleeps until mpi_doorbell_rings, at most for time_s. Returns at once where there are no
 * doorbells, or a core for each process. For one thread of a process; another may receive messages
 * meanwhile. */
void mpi_doorbell_await(struct mpi_doorbells *bells, double time_s);

/* With more processes than cores: this one has ended its tasks of an iteration. The last one wakes
 * the others. Each process calls it once in every iteration. */
void mpi_doorbell_end(struct mpi_doorbells *bells);

/* Whether all processes have ended as many iterations as this one; true with a core for each. */
bool mpi_doorbells_have_ended(const struct mpi_doorbells *bells);

/* After mpi_doorbell_end: sleeps until they have, at most for time_s. */
void mpi_doorbell_await_end(struct mpi_doorbells *bells, double time_s);
