/* SPDX-License-Identifier: BSD-3-Clause */
/* A simulated worker that waits learns of answers and completions at the time of their events: its
 * clock shows that time, and messages that it sends then leave at it. */
#include "taskpool/mode.h"
#include "taskpool/simulation.h"
#include "taskpool/taskpool.h"
#include "tests/check.h"

static const double latency_s = 1e-3;

/* Times by the clocks of the workers. */
static struct {
    double fetched_s, sent_s;   /* of worker 0 */
    double first_s, answered_s; /* of worker 1: when messages arrived */
} seen;

struct clock_state {
    struct taskpool_comm *comm;
    bool began, ends;
};

static int clock_init(void *state, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm)
{
    (void)setup;
    *(struct clock_state *)state = (struct clock_state){.comm = comm};
    return TASKPOOL_STATUS_OK;
}

/* Worker 0 requests the counter and sends a message with bulk. */
static enum taskpool_mode_step clock_next(void *state, struct taskpool_mode_work *work)
{
    struct clock_state *self = state;
    static const char bulk[100];
    const struct taskpool_comm_message message = {
        .head = "M", .head_size = 1, .bulk = bulk, .bulk_size = sizeof bulk};
    (void)work;
    if (self->comm->rank == 0 && !self->began) {
        taskpool_comm_fetch_add(self->comm, 1);
        taskpool_comm_send_bulk(self->comm, 1, &message);
    }
    self->began = true;
    return self->ends ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_SEARCH;
}

static void clock_fetched(void *state, int64_t value)
{
    struct clock_state *self = state;
    assert_int_equal(value, 0);
    seen.fetched_s = taskpool_comm_now(self->comm);
    self->ends = true;
}

static void clock_sent(void *state, int64_t token)
{
    struct clock_state *self = state;
    (void)token;
    seen.sent_s = taskpool_comm_now(self->comm);
    taskpool_comm_send(self->comm, 1, "A", 1);
}

static void clock_receive(void *state, int from, const void *message, size_t size)
{
    struct clock_state *self = state;
    (void)from;
    self->ends = size == 1;
    assert_int_equal(*(const char *)message, self->ends ? 'A' : 'M');
    *(self->ends ? &seen.answered_s : &seen.first_s) = taskpool_comm_now(self->comm);
}

static enum taskpool_mode_step clock_restore(void *state)
{
    (void)state;
    return TASKPOOL_MODE_DONE;
}

static double clock_progress(const void *state, int64_t n_run)
{
    (void)state, (void)n_run;
    return 1;
}

static const struct taskpool_mode mode_clock = {
    .name = "clock",
    .help = "notes the times of events",
    .state_size = sizeof(struct clock_state),
    .init = clock_init,
    .next = clock_next,
    .receive = clock_receive,
    .sent = clock_sent,
    .fetched = clock_fetched,
    .restore = clock_restore,
    .progress = clock_progress,
};

static double no_time(int64_t task, const void *record, const void *context)
{
    (void)task, (void)record, (void)context;
    return 0;
}

TEST(events_find_the_clock_at_their_time)
{
    const struct taskpool_machine machine = {
        .n_workers = 2, .latency_s = latency_s, .time = no_time};
    const struct taskpool_problem problem = {0};
    struct taskpool_settings settings;
    struct taskpool *pool;
    check_ok(taskpool_register_mode(&mode_clock));
    taskpool_settings_default(&settings);
    settings.mode = "clock";
    check_ok(taskpool_simulate(&problem, &settings, &machine, &pool));
    check_ok(taskpool_run(pool));
    check_close(seen.first_s, latency_s, 1e-12);
    check_close(seen.sent_s, latency_s, 1e-12);
    check_close(seen.answered_s, 2 * latency_s, 1e-12);
    check_close(seen.fetched_s, 2 * latency_s, 1e-12);
    check_close(taskpool_statistics(pool, 0)->makespan_s, 2 * latency_s, 1e-12);
    taskpool_destroy(pool);
}

TEST_SETUP(check_begin_mpi)

TEST_TEARDOWN(check_end_mpi)
