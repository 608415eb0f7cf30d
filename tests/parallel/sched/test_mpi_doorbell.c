/* SPDX-License-Identifier: BSD-3-Clause */
/* Doorbells count messages, wake a process that sleeps, and stay with the duplicates of a
 * communicator; a task that polls while nothing arrives makes next to no calls of MPI, in which
 * Open MPI would give the core away. */
#include "sched/pool/drivers/mpi/mpi_doorbell.h"
#include "support/base/clock.h"
#include "taskpool/taskpool.h"
#include "tests/cases/pool_cases.h"

#include <time.h>

static struct mpi_doorbells *bells;
static int rank, size;
static int64_t n_probes;

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *found, MPI_Message *message,
                MPI_Status *status)
{
    n_probes++;
    return PMPI_Improbe(source, tag, comm, found, message, status);
}

TEST(messages_are_counted)
{
    assert_false(mpi_doorbell_rings(bells));
    MPI_Barrier(MPI_COMM_WORLD);
    mpi_doorbell_ring(bells, (rank + 1) % size);
    mpi_doorbell_ring(bells, (rank + 1) % size);
    MPI_Barrier(MPI_COMM_WORLD);
    assert_true(mpi_doorbell_rings(bells));
    mpi_doorbell_answer(bells);
    assert_true(mpi_doorbell_rings(bells));
    mpi_doorbell_answer(bells);
    assert_false(mpi_doorbell_rings(bells));
}

TEST(duplicates_have_the_same)
{
    MPI_Comm copy, other;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    assert_ptr_equal(mpi_doorbells_of(copy), bells);
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &other);
    assert_ptr_not_equal(mpi_doorbells_of(other), bells);
    MPI_Comm_free(&other);
    MPI_Comm_free(&copy);
    assert_ptr_equal(mpi_doorbells_of(MPI_COMM_WORLD), bells);
}

/* Where nobody sleeps, because there are cores enough, this returns at once. */
TEST(a_message_wakes_up)
{
    double start_s = clock_now_s();
    if (rank == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        for (int to = 1; to < size; to++)
            mpi_doorbell_ring(bells, to);
    } else {
        mpi_doorbell_await(bells, 60);
        while (!mpi_doorbell_rings(bells)) {
        }
        mpi_doorbell_answer(bells);
    }
    mpi_doorbell_await(bells, 1e-3); /* to the end of the time */
    assert_true(clock_now_s() - start_s < 30);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* With a core for each process this returns at once, too. */
TEST(all_wait_for_the_last_to_end)
{
    int n_here = 0;
    bool waits = mpi_doorbells_per_core(bells) > 1;
    MPI_Win window;
    int *n_ended;
    MPI_Win_allocate(sizeof *n_ended, sizeof *n_ended, MPI_INFO_NULL, MPI_COMM_WORLD, &n_ended,
                     &window);
    *n_ended = 0;
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_lock_all(0, window);
    for (int i = 0; i < 20; i++) {
        const int one = 1, zero = 0;
        if (rank == i % size)
            nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
        MPI_Fetch_and_op(&one, &n_here, MPI_INT, 0, 0, MPI_SUM, window);
        MPI_Win_flush(0, window);
        double start_s = clock_now_s();
        for (mpi_doorbell_end(bells); !mpi_doorbells_have_ended(bells);) {
            mpi_doorbell_await_end(bells, 60);
            assert_true(clock_now_s() - start_s < 30);
        }
        MPI_Fetch_and_op(&zero, &n_here, MPI_INT, 0, 0, MPI_NO_OP, window);
        MPI_Win_flush(0, window);
        assert_true(!waits || n_here >= (i + 1) * size);
    }
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
}

enum { N_POLLS = 5000, N_TASKS = 8 };

/* Stays below POLL_INTERVAL_S, so that only these polls count. */
static int poll_often(int64_t task, void *pool)
{
    (void)task;
    for (int i = 0; i < N_POLLS; i++)
        taskpool_poll(*(struct taskpool **)pool);
    return STATUS_OK;
}

TEST(polls_do_not_call_mpi)
{
    struct taskpool *pool;
    struct taskpool_settings settings = pool_case_settings("--sched=steal");
    const struct taskpool_problem problem = {
        .n_tasks = N_TASKS, .run = poll_often, .context = &pool};
    check_ok(taskpool_create(MPI_COMM_WORLD, &problem, &settings, &pool));
    n_probes = 0;
    for (int i = 0; i < N_TASKS; i++)
        poll_often(0, &pool);
    printf("%lld polls, %lld of them called MPI\n", (long long)N_POLLS * N_TASKS,
           (long long)n_probes);
    assert_true(n_probes < N_POLLS * N_TASKS / 10);
    check_ok(taskpool_run(pool));
    taskpool_destroy(pool);
}

static void start(void)
{
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    bells = mpi_doorbells_of(MPI_COMM_WORLD);
}

TEST_SETUP(start)
