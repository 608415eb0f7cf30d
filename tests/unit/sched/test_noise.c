/* SPDX-License-Identifier: BSD-3-Clause */
/* Interruptions: when work ends, against walking through them one by one. */
#include "sched/pool/drivers/sim/noise.h"

#include "support/base/random.h"
#include "tests/cases/file_bytes.h"

#include <string.h>
#include <unistd.h>

/* n interruptions of a period. */
struct pattern {
    int n;
    double start_s[4], length_s[4];
    double period_s;
};

/* Free stretches, one after another, until the work is done. */
static double walk(const struct pattern *pattern, double phase_s, double time_s, double work_s)
{
    double begin_s = phase_s;
    while (begin_s > time_s)
        begin_s -= pattern->period_s;
    for (;; begin_s += pattern->period_s)
        for (int i = 0; i <= pattern->n; i++) {
            double from_s =
                begin_s + (i > 0 ? pattern->start_s[i - 1] + pattern->length_s[i - 1] : 0);
            double to_s = begin_s + (i < pattern->n ? pattern->start_s[i] : pattern->period_s);
            from_s = fmax(from_s, time_s);
            if (to_s <= from_s)
                continue;
            if (work_s <= to_s - from_s)
                return from_s + work_s;
            work_s -= to_s - from_s;
        }
}

static void compare(const struct taskpool_noise *noise, const struct pattern *pattern)
{
    struct random_stream random;
    random_stream_init(&random, 3, 0);
    for (int i = 0; i < 20000; i++) {
        double phase_s = pattern->period_s * random_unit(&random);
        double start_s = 20 * pattern->period_s * random_unit(&random);
        double work_s = pattern->period_s * pow(10, 3 * random_unit(&random) - 2);
        double expected_s = walk(pattern, phase_s, start_s, work_s);
        double end_s = noise_end_s(noise, phase_s, start_s, work_s);
        assert_true(fabs(end_s - expected_s) < 1e-9 * pattern->period_s);
    }
}

TEST(periodic_noise_delays_what_it_interrupts)
{
    struct pattern pattern = {.n = 1, .length_s = {0.002}, .period_s = 0.01};
    struct taskpool_noise noise;
    assert_int_equal(taskpool_noise_init_periodic(&noise, 0.01, 0.002), STATUS_OK);
    compare(&noise, &pattern);
    assert_true(fabs(noise_end_s(&noise, 0, 0.002, 0.008) - 0.010) < 1e-12); /* all of a period */
    assert_true(noise_end_s(&noise, 0, 0.001, 0) == 0.001);
    taskpool_noise_fini(&noise);
}

static const char path[] = "test_noise.csv";

static enum status read_noise(struct taskpool_noise *noise, const char *text)
{
    file_bytes_write(path, text, strlen(text));
    enum status status = (enum status)taskpool_noise_read(noise, path);
    unlink(path);
    return status;
}

TEST(recorded_noise_is_repeated)
{
    struct pattern pattern = {
        .n = 3, .start_s = {0.5, 1.25, 3}, .length_s = {0.25, 0.5, 0.125}, .period_s = 3.125};
    struct taskpool_noise noise;
    check_ok(read_noise(&noise, "start,seconds\n0.5,0.25\n1.25,0.5\n3,0.125\n"));
    assert_true(noise.period_s == pattern.period_s);
    compare(&noise, &pattern);
    taskpool_noise_fini(&noise);
    /* 0.496 + 0.45 - 0.45 < 0.496 in doubles: the free time must not decrease. */
    check_ok(read_noise(&noise, "start,seconds\n0.496,0.45\n"));
    assert_true(noise.free_s[1] >= noise.free_s[0]);
    taskpool_noise_fini(&noise);
}

TEST(bad_traces_are_refused_with_their_line)
{
    static const char *const bad[][2] = {
        {"", "empty"},
        {"start,seconds\n", "without a row"},
        {"time,seconds\n1,1\n", ":1:"},
        {"start,seconds\n1,0.5\n1.2,0.5\n", ":3:"},
        {"start,seconds\n1,0\n", ":2:"},
        {"start,seconds\n1,-1\n", ":2:"},
        {"start,seconds\n-1,1\n", ":2:"},
        {"start,seconds\n1,x\n", ":2:"},
        {"start,seconds\n1,1 2\n", ":2:"},
        {"start,seconds\n1,inf\n", ":2:"},
        {"start,seconds\n0,5\n", "no time for work"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct taskpool_noise noise;
        assert_int_not_equal(read_noise(&noise, bad[i][0]), STATUS_OK);
        assert_non_null(strstr(status_text(), bad[i][1]));
    }
}
