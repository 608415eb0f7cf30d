/* SPDX-License-Identifier: BSD-3-Clause */
/* A notice to standard error when a signal (SIGTERM, SIGINT) ends the process, which is what
 * mpirun sends to all when one process was killed, or when it is interrupted itself: it says what
 * can be saved of the run. */
#pragma once

#include <mpi.h>

/* The notice from now on, a line after the program's name; the last call counts. The first process
 * of a node that is ended writes it; a signal that the program ignores or handles itself is left
 * alone. The exit status is that of the signal. Collective over comm, which has the same processes
 * in every call. */
void signal_notice_set(MPI_Comm comm, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Writes it now, if there is one and no process of the node has. Async-signal-safe. */
void signal_notice_write(void);
