/* Windows of MPI, which not every transport between hosts offers. */
#ifndef BERYL_SUPPORT_WINDOW_H
#define BERYL_SUPPORT_WINDOW_H

#include "support/base/status.h"

#include <mpi.h>

/* MPI_Win_allocate, whose failure ends no process. Collective over comm.
 * size_bytes  of this process's memory
 * base        where it is
 * window      MPI_WIN_NULL after a failure
 * Errors: STATUS_USAGE where MPI has no windows over comm; the message says which transport to
 * choose. The same on every process, also if one alone is refused. */
enum status window_allocate(MPI_Comm comm, MPI_Aint size_bytes, void **base, MPI_Win *window);

/* Fails likewise if comm spans hosts and MPI has no windows over it: for libraries that would
 * end the process. Collective over comm. Errors: those of window_allocate. */
enum status window_check(MPI_Comm comm);

#endif
