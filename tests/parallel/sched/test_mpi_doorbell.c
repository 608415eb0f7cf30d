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

/* Each counts. Where nobody sleeps, because there are cores enough, this returns at once. */
TEST(a_message_wakes_up)
{
    double start_s = clock_now_s();
    if (rank == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 30000000}, NULL);
        for (int to = 1; to < 2 * size; to++)
            mpi_doorbell_ring(bells, to % size);
    } else {
        mpi_doorbell_await(bells, 60);
        while (!mpi_doorbell_rings(bells)) {
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    for (int n = rank == 0 ? 1 : 2; n > 0; n--) {
        assert_true(mpi_doorbell_rings(bells));
        mpi_doorbell_answer(bells);
    }
    assert_false(mpi_doorbell_rings(bells));
    mpi_doorbell_await(bells, 1e-3); /* to the end of the time */
    assert_true(clock_now_s() - start_s < 30);
    MPI_Barrier(MPI_COMM_WORLD);
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
