/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_counter.h"

#include "support/mpi/window.h"

#include <stddef.h>

enum status mpi_counter_init(struct mpi_counter *counter, MPI_Comm comm)
{
    *counter = (struct mpi_counter){.mpi = comm, .request = MPI_REQUEST_NULL};
    int rank;
    MPI_Comm_rank(comm, &rank);
    void *base;
    TRY(window_allocate(comm, rank == 0 ? sizeof counter->value : 0, &base, &counter->window));
    MPI_Win_lock_all(MPI_MODE_NOCHECK, counter->window);
    return STATUS_OK;
}

void mpi_counter_fini(struct mpi_counter *counter)
{
    if (counter->window == MPI_WIN_NULL)
        return;
    MPI_Win_unlock_all(counter->window);
    MPI_Win_free(&counter->window);
}

void mpi_counter_reset(struct mpi_counter *counter)
{
    int rank;
    MPI_Comm_rank(counter->mpi, &rank);
    if (rank == 0) {
        const int64_t zero = 0;
        MPI_Accumulate(&zero, 1, MPI_INT64_T, 0, 0, 1, MPI_INT64_T, MPI_REPLACE, counter->window);
        MPI_Win_flush(0, counter->window);
    }
}

void mpi_counter_start(struct mpi_counter *counter, int64_t increment)
{
    /* Not MPI_Fetch_and_op, which has no request: to complete it would mean to
     * wait for a target that may be in the middle of a long task. */
    counter->increment = increment;
    MPI_Rget_accumulate(&counter->increment, 1, MPI_INT64_T, &counter->value, 1, MPI_INT64_T, 0, 0,
                        1, MPI_INT64_T, MPI_SUM, counter->window, &counter->request);
}

bool mpi_counter_test(struct mpi_counter *counter, int64_t *value)
{
    int done;
    MPI_Test(&counter->request, &done, MPI_STATUS_IGNORE);
    if (done)
        *value = counter->value;
    return done;
}
