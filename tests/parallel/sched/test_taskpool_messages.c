/* SPDX-License-Identifier: BSD-3-Clause */
/* The MPI driver has all that message-passing modes need: messages of all sizes to
 * all workers while tasks run, bulk that is not copied, waking by time, and messages between
 * iterations.
 *
 * The mode of this test: every worker sends n_rounds messages to every worker, itself included, and runs its
 * block of the tasks in small ranges meanwhile. It is done when as much has come as was sent to it and all its
 * bulk has been read. restore passes a token once round the ring. */
#include "sched/pool/core/driver.h"
#include "tests/cases/pool_cases.h"

enum { n_rounds = 24, n_tasks = 700, largest_bulk = 300000, n_iterations = 3 };

struct chatter_head {
    int64_t size; /* of the bulk */
    int64_t seed; /* of its bytes */
};

/* Results of an iteration, for the checks; the problem's context. */
struct chatter_results {
    int64_t token_sum; /* of completed bulk */
    struct driver *driver;
};

struct chatter_state {
    struct chatter_results *results;
    struct taskpool_comm *comm;
    struct taskpool_range tasks; /* not yet given out */
    unsigned char *bulk;
    bool sent_all;
    int64_t n_received, n_bulk_under_way;
    bool token_sent, token_received;
    double nap_end_s; /* 0: before the nap */
};

static unsigned char bulk_byte(int64_t seed, int64_t i)
{
    return (unsigned char)(seed + i * 7);
}

static int chatter_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    struct chatter_state *self = state;
    self->results = setup->problem->context;
    self->comm = comm;
    self->tasks = taskpool_range_block(setup->problem->n_tasks, comm->size, comm->rank);
    self->bulk = malloc(largest_bulk);
    assert_non_null(self->bulk);
    for (int64_t i = 0; i < largest_bulk; i++)
        self->bulk[i] = bulk_byte(0, i);
    return STATUS_OK;
}

static void chatter_fini(void *state)
{
    free(((struct chatter_state *)state)->bulk);
}

/* Small and large, with bulk and without, in a random order. */
static void send_all(struct chatter_state *self)
{
    const int64_t sizes[] = {0, 1, 100, 5000, 70000, largest_bulk - 16};
    for (int64_t round = 0; round < n_rounds; round++) {
        int first = (int)taskpool_comm_random_below(self->comm, (uint64_t)self->comm->size);
        for (int i = 0; i < self->comm->size; i++) {
            int to = (first + i) % self->comm->size;
            int64_t seed = (int64_t)taskpool_comm_random_below(self->comm, 16);
            struct chatter_head head = {.size = sizes[round % 6], .seed = 7 * seed};
            if (head.size == 0) {
                taskpool_comm_send(self->comm, to, &head, sizeof head);
                continue;
            }
            struct taskpool_comm_message message = {.head = &head,
                                                    .head_size = sizeof head,
                                                    .bulk = self->bulk + seed,
                                                    .bulk_size = (size_t)head.size,
                                                    .token = round};
            taskpool_comm_send_bulk(self->comm, to, &message);
            self->n_bulk_under_way++;
        }
    }
    self->sent_all = true;
}

static enum taskpool_mode_step chatter_next(void *state, struct taskpool_mode_work *work)
{
    struct chatter_state *self = state;
    if (!self->sent_all)
        send_all(self);
    if (self->tasks.first < self->tasks.last) {
        work->range = self->tasks;
        work->range.last =
            work->range.last < work->range.first + 10 ? work->range.last : work->range.first + 10;
        self->tasks.first = work->range.last;
        return TASKPOOL_MODE_RUN;
    }
    if (self->n_received < (int64_t)n_rounds * self->comm->size || self->n_bulk_under_way > 0)
        return TASKPOOL_MODE_WAIT;

    /* Nothing will come any more: what ends the wait is the alarm. */
    double now_s = taskpool_comm_now(self->comm);
    if (self->nap_end_s > 0 && now_s >= self->nap_end_s)
        return TASKPOOL_MODE_DONE;
    self->nap_end_s = now_s + 1e-3;
    taskpool_comm_wake(self->comm, 1e-3);
    return TASKPOOL_MODE_WAIT;
}

static void chatter_receive(void *state, int from, const void *message, size_t size)
{
    struct chatter_state *self = state;
    if (size == 1) {
        assert_int_equal(from, (self->comm->rank + self->comm->size - 1) % self->comm->size);
        self->token_received = true;
        return;
    }
    const struct chatter_head *head = message;
    const unsigned char *bulk = (const unsigned char *)(head + 1);
    assert_int_equal(size, sizeof *head + (size_t)head->size);
    for (int64_t i = 0; i < head->size; i++)
        assert_true(bulk[i] == bulk_byte(head->seed, i));
    self->n_received++;
    self->comm->counts.tasks_moved++;
}

static void chatter_sent(void *state, int64_t token)
{
    struct chatter_state *self = state;
    self->n_bulk_under_way--;
    self->results->token_sum += token;
}

/* Rank 0 sends the token first and gets it last. */
static enum taskpool_mode_step chatter_restore(void *state)
{
    struct chatter_state *self = state;
    struct taskpool_comm *comm = self->comm;
    if (!self->token_sent && (comm->rank == 0 || self->token_received)) {
        taskpool_comm_send(comm, (comm->rank + 1) % comm->size, "T", 1);
        self->token_sent = true;
    }
    if (!self->token_sent || !self->token_received)
        return TASKPOOL_MODE_WAIT;
    *self = (struct chatter_state){.results = self->results, .comm = comm, .bulk = self->bulk};
    self->tasks = taskpool_range_block(n_tasks, comm->size, comm->rank);
    return TASKPOOL_MODE_DONE;
}

static double chatter_progress(const void *state, int64_t n_run)
{
    (void)state;
    return (double)n_run / n_tasks;
}

static const struct taskpool_mode mode_chatter = {
    .name = "chatter",
    .state_size = sizeof(struct chatter_state),
    .init = chatter_init,
    .fini = chatter_fini,
    .next = chatter_next,
    .receive = chatter_receive,
    .sent = chatter_sent,
    .restore = chatter_restore,
    .progress = chatter_progress,
};

/* Some tasks poll for messages themselves. */
static int poll_sometimes(int64_t task, void *context)
{
    struct chatter_results *results = context;
    for (int64_t i = 0; i < task % 3; i++)
        results->driver->functions->poll(results->driver);
    return STATUS_OK;
}

static void check_figures(const struct statistics_worker *worker, int iteration, int size)
{
    int64_t n_messages = (int64_t)n_rounds * size + (iteration > 0);
    assert_int_equal(worker->messages, n_messages);
    assert_int_equal(worker->tasks_moved, (int64_t)n_rounds * size);
    /* The nap; a process that loses its processor meanwhile counts the loss elsewhere. */
    assert_true(worker->idle_s > 0 && worker->elapsed_s - worker->task_s >= 1e-3);
    check_close(worker->task_s + worker->idle_s + worker->search_s + worker->scheduler_s +
                    worker->communication_s,
                worker->elapsed_s, 1e-9);
    int64_t tasks = worker->tasks;
    MPI_Allreduce(MPI_IN_PLACE, &tasks, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    assert_int_equal(tasks, n_tasks);
}

/* Each bulk was reported once. */
static void check_results(struct chatter_results sum, int size)
{
    MPI_Allreduce(MPI_IN_PLACE, &sum.token_sum, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    int64_t rounds_with_bulk = 0;
    for (int round = 0; round < n_rounds; round++)
        rounds_with_bulk += round % 6 ? round : 0;
    assert_int_equal(sum.token_sum, rounds_with_bulk * size * size);
}

TEST(messages_of_all_kinds)
{
    int size;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm comm;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    struct chatter_results results;
    struct taskpool_problem problem = {
        .n_tasks = n_tasks, .run = poll_sometimes, .context = &results};
    struct taskpool_settings settings = {.poll_every = 8, .seed = 1};
    struct taskpool_mode_setup setup = {.problem = &problem, .settings = &settings};
    struct driver *driver;
    check_ok(driver_mpi_create(comm, &mode_chatter, &setup, &(struct driver_records){0}, &driver));
    for (int i = 0; i < n_iterations; i++) {
        struct statistics_worker worker;
        results = (struct chatter_results){.driver = driver};
        check_ok(driver->functions->run(driver, &worker));
        check_figures(&worker, i, size);
        check_results(results, size);
        check_ok(driver->functions->restore(driver));
    }
    driver->functions->destroy(driver);

    /* Nothing is left that a receive for anything would find. */
    int found;
    MPI_Barrier(comm);
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &found, MPI_STATUS_IGNORE);
    assert_false(found);
    MPI_Comm_free(&comm);
}
