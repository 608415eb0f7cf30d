/* SPDX-License-Identifier: BSD-3-Clause */
/* The pulse of a run crosses nodes: processes of one, taken for nodes of their own, hear of the
 * tasks of others while they poll, and no message is left at the end. */
#include "sched/pool/drivers/mpi/mpi_pulse.h"
#include "support/base/clock.h"
#include "tests/check.h"

#include <stdbool.h>
#include <time.h>

static const double interval_s = 0.01;

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
}

/* Process 0 finishes tasks until all others have heard of some. */
static void beat(struct mpi_pulse *pulse, MPI_Request *all_heard)
{
    int64_t n = 0;
    for (int finished = 0; !finished;) {
        pulse_set_finished(pulse->own, ++n);
        mpi_pulse_last_s(pulse); /* the watchdog's look */
        mpi_pulse_poll(pulse);
        MPI_Test(all_heard, &finished, MPI_STATUS_IGNORE);
        nap();
    }
}

static void listen(struct mpi_pulse *pulse)
{
    double last_s = mpi_pulse_last_s(pulse);
    for (int n_heard = 0; n_heard < 5; nap()) {
        mpi_pulse_poll(pulse);
        double now_s = mpi_pulse_last_s(pulse);
        n_heard += now_s > last_s;
        last_s = now_s;
    }
}

/* n_of_node  processes of a node */
static void check_pulse(int n_of_node)
{
    int rank, size, node[64], n = 0;
    struct mpi_pulse pulse;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int other = 0; other < size; other++)
        if (other / n_of_node == rank / n_of_node)
            node[n++] = other;
    check_ok(mpi_pulse_init(&pulse, MPI_COMM_WORLD, node, n, interval_s));
    assert_int_equal(pulse.n_others, size - n);
    for (int iteration = 0; iteration < 3; iteration++) {
        MPI_Request all_heard;
        MPI_Comm copy;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        mpi_pulse_begin(&pulse);
        if (rank > 0)
            listen(&pulse);
        MPI_Ibarrier(copy, &all_heard);
        if (rank == 0)
            beat(&pulse, &all_heard);
        double last_s = mpi_pulse_last_s(&pulse);
        assert_true(last_s > 0 && last_s <= clock_now_s());
        mpi_pulse_end(&pulse);
        MPI_Wait(&all_heard, MPI_STATUS_IGNORE);
        int left;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &left, MPI_STATUS_IGNORE);
        assert_false(left);
        MPI_Comm_free(&copy);
    }
    mpi_pulse_fini(&pulse);
}

TEST(pulse_within_a_node)
{
    check_pulse(64);
}

TEST(pulse_from_node_to_node)
{
    check_pulse(1);
    check_pulse(2);
}
