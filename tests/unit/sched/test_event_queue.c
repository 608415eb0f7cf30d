/* SPDX-License-Identifier: BSD-3-Clause */
/* The queue of a simulation's events against a plain search for the earliest. */
#include "sched/pool/drivers/sim/event_queue.h"

#include "support/base/random.h"
#include "tests/check.h"

#include <math.h>
#include <stdlib.h>

/* Simulations: what the handling of an event adds. */
enum pattern {
    PATTERN_SAME_TIME, /* events at the very time of their cause, in a burst */
    PATTERN_LATENCY,   /* most after one and the same delay */
    PATTERN_SCALES,    /* delays from 1e-9 to 1 */
    PATTERN_FAR_BUNCH, /* some far, very near each other */
    N_PATTERNS
};

static double delay(int pattern, struct random_stream *random)
{
    double x = random_unit(random);
    const double delays_s[] = {x < 0.7 ? 0 : 1e-3 * x, x < 0.9 ? 5e-5 : x, pow(10, -9 * x),
                               x < 0.5 ? 10 + 1e-14 * x : 1e-2 * x};
    return delays_s[pattern];
}

/* Those that wait. */
static struct event model[20000];
static int64_t n_waiting, n_added;

static void add(struct event_queue *queue, double time_s)
{
    struct event event = {.time_s = time_s, .value = n_added++};
    event_queue_add(queue, event);
    model[n_waiting++] = event;
}

static void check_next(struct event event)
{
    int64_t first = 0;
    for (int64_t i = 1; i < n_waiting; i++)
        if (model[i].time_s < model[first].time_s ||
            (model[i].time_s == model[first].time_s && model[i].value < model[first].value))
            first = i;
    assert_true(event.time_s == model[first].time_s && event.value == model[first].value);
    model[first] = model[--n_waiting];
}

static void run(int pattern, int64_t n_initial, int64_t n_steps)
{
    struct event_queue queue = {0};
    struct random_stream random;
    struct event event;
    random_stream_init(&random, 7, (uint64_t)(pattern + 10 * n_initial));
    n_waiting = n_added = 0;
    for (int64_t i = 0; i < n_initial; i++)
        add(&queue, delay(pattern, &random));
    for (int64_t step = 0; event_queue_next(&queue, &event); step++) {
        check_next(event);
        event_queue_foresee(&queue);
        /* Twice as many for a while, then none. */
        for (uint64_t n = step >= n_steps ? 0 : random_below(&random, 3); n > 0; n--)
            add(&queue, event.time_s + delay(pattern, &random));
    }
    assert_int_equal(n_waiting, 0);
    for (int i = 0; i < 5000; i++) /* freed, though not taken */
        event_queue_add(&queue, (struct event){.time_s = i % 97 + 1e-3 * i});
    event_queue_fini(&queue);
    assert_false(event_queue_next(&queue, &event));
}

TEST(events_come_by_time_and_then_in_the_order_of_adding)
{
    static const int64_t n_initial[] = {1, 2, 63, 65, 700, 3000};
    for (int pattern = 0; pattern < N_PATTERNS; pattern++)
        for (size_t i = 0; i < sizeof n_initial / sizeof n_initial[0]; i++)
            run(pattern, n_initial[i], 4000);
}
