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

struct model {
    struct event *events; /* n */
    int64_t n;
    uint64_t n_added;
};

static void model_add(struct model *model, struct event event)
{
    event.order = model->n_added++;
    model->events[model->n++] = event;
}

static struct event model_next(struct model *model)
{
    int64_t first = 0;
    for (int64_t i = 1; i < model->n; i++) {
        const struct event *a = &model->events[i], *b = &model->events[first];
        if (a->time_s < b->time_s || (a->time_s == b->time_s && a->order < b->order))
            first = i;
    }
    struct event event = model->events[first];
    model->events[first] = model->events[--model->n];
    return event;
}

static void run(int pattern, int64_t n_initial, int64_t n_steps)
{
    struct event_queue queue = {0};
    struct model model = {.events =
                              calloc((size_t)(n_initial + 2 * n_steps), sizeof(struct event))};
    struct random_stream random;
    random_stream_init(&random, 7, (uint64_t)(pattern + 10 * n_initial));
    for (int64_t i = 0; i < n_initial; i++) {
        struct event event = {.time_s = delay(pattern, &random), .value = i};
        event_queue_add(&queue, event);
        model_add(&model, event);
    }
    struct event event;
    int64_t step = 0;
    while (event_queue_next(&queue, &event)) {
        struct event expected = model_next(&model);
        assert_true(event.time_s == expected.time_s);
        assert_int_equal(event.value, expected.value);
        event_queue_foresee(&queue);
        /* Twice as many for a while, then none. */
        int64_t n_new = step >= n_steps ? 0 : (int64_t)random_below(&random, 3);
        for (int64_t i = 0; i < n_new; i++) {
            struct event new = {.time_s = event.time_s + delay(pattern, &random),
                                .value = 1000000 + 3 * step + i};
            event_queue_add(&queue, new);
            model_add(&model, new);
        }
        step++;
    }
    assert_int_equal(model.n, 0);
    for (int i = 0; i < 5000; i++) /* freed, though not taken */
        event_queue_add(&queue, (struct event){.time_s = i % 97 + 1e-3 * i});
    event_queue_fini(&queue);
    assert_false(event_queue_next(&queue, &event));
    free(model.events);
}

TEST(events_come_by_time_and_then_in_the_order_of_adding)
{
    static const int64_t n_initial[] = {1, 2, 63, 65, 700, 3000};
    for (int pattern = 0; pattern < N_PATTERNS; pattern++)
        for (size_t i = 0; i < sizeof n_initial / sizeof n_initial[0]; i++)
            run(pattern, n_initial[i], 4000);
}
