/* SPDX-License-Identifier: BSD-3-Clause */
/* An account of the wall time of a program's process by use, from the start of the process: every
 * moment belongs to one use, so that the seconds of all uses add up to the wall time.
 *
 *     enum wall_use before = wall_time_begin(WALL_INTEGRALS);
 *     ...
 *     wall_time_end(before);
 *
 * Uses are nested: an inner one takes its time from the outer one, except within WALL_STABILITY,
 * which takes all. A change of use reads the clock once. Without wall_time_start, as in programs
 * that use Beryl's libraries, nothing is measured. For the main thread alone. */
#pragma once

#include <mpi.h>

enum wall_use {
    WALL_START,         /* of the process, MPI and Global Arrays */
    WALL_INTEGRALS,     /* bounds, selection of quartets and integrals; rows of (ss|ss) with their
                         * digestion */
    WALL_DIGESTION,     /* of integrals into F */
    WALL_ALGEBRA,       /* matrices, tensors, and all that has no other use */
    WALL_COMMUNICATION, /* transfers, scheduling and waiting for other processes */
    WALL_STABILITY,     /* tests of stability, with their Fock builds */
    WALL_FILES,         /* reading the input, reading and writing checkpoints and integrals */
    WALL_USES
};

struct wall_time {
    double seconds[WALL_USES];
};

/* Starts the account: the time since the process began, to 0.01 s, is of WALL_START, and so is what
 * follows. */
void wall_time_start(void);

/* Counts the time from now on as of this use. Returns the use to be passed to wall_time_end. */
enum wall_use wall_time_begin(enum wall_use use);
void wall_time_end(enum wall_use before);

/* wall_time_end for a caller that needs the time, too. Returns clock_now_s(). */
double wall_time_end_now_s(enum wall_use before);

/* The mean over the processes of comm of their time until now. Collective. */
struct wall_time wall_time_of_all(MPI_Comm comm);

/* The sum over the uses. */
double wall_time_total(const struct wall_time *time);

/* "start", "integrals", ... */
const char *wall_use_name(int use);

/* Prints seconds and percentages of the uses on one line. */
void wall_time_print(const struct wall_time *time);
