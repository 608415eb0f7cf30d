/* SPDX-License-Identifier: BSD-3-Clause */
/* The time left of a piece of work, from a clock of the test's own. */
#include "support/io/progress.h"
#include "tests/check.h"

/* The time left of work at an even pace, with samples every 0.2 s up to now_s. */
static double left_of_even_work_s(double duration_s, double now_s)
{
    struct progress_estimate estimate;
    progress_estimate_begin(&estimate, 100);
    for (int i = 1; 0.2 * i < now_s; i++)
        progress_estimate_advance(&estimate, 0.2 * i / duration_s, 100 + 0.2 * i);
    progress_estimate_advance(&estimate, now_s / duration_s, 100 + now_s);
    return progress_estimate_left_s(&estimate, 100 + now_s);
}

TEST(even_work_ends_when_predicted)
{
    for (double now_s = 2; now_s <= 50; now_s += 4)
        check_close(left_of_even_work_s(50, now_s), 50 - now_s, 1e-9);
}

TEST(nothing_is_predicted_at_the_start)
{
    struct progress_estimate estimate;
    assert_true(left_of_even_work_s(10, 1.9) == -1);
    assert_true(left_of_even_work_s(1000, 19) == -1);
    check_close(left_of_even_work_s(1000, 20.1), 979.9, 1e-9);
    progress_estimate_begin(&estimate, 0);
    progress_estimate_advance(&estimate, 0, 10);
    progress_estimate_advance(&estimate, NAN, 10);
    assert_true(progress_estimate_left_s(&estimate, 10) == -1);
}

TEST(the_fraction_never_goes_back)
{
    static const double fractions[] = {0.1, 0.3, 0.2, 1.0 / 3, 0, -1, 0.4, 2, 0.5};
    static const double shown[] = {0.1, 0.3, 0.3, 1.0 / 3, 1.0 / 3, 1.0 / 3, 0.4, 1, 1};
    struct progress_estimate estimate;
    progress_estimate_begin(&estimate, 0);
    for (int i = 0; i < 9; i++) {
        progress_estimate_advance(&estimate, fractions[i], 1 + i);
        assert_true(estimate.fraction == shown[i]);
    }
    assert_true(progress_estimate_left_s(&estimate, 1000) == 0);
}

/* Tasks of 8 s in turn with four of 0.5 s. */
TEST(uneven_tasks_move_the_end_little)
{
    struct progress_estimate estimate;
    double now_s = 0;
    progress_estimate_begin(&estimate, 0);
    for (int task = 0; task < 100; task++) {
        now_s += task % 5 == 0 ? 8 : 0.5;
        progress_estimate_advance(&estimate, (task + 1) / 100.0, now_s);
        if (task >= 30)
            check_close(now_s + progress_estimate_left_s(&estimate, now_s), 200, 40);
        if (task >= 80)
            check_close(now_s + progress_estimate_left_s(&estimate, now_s), 200, 10);
    }
}

/* Half of the work at a pace, half at a third of it. */
TEST(a_slower_pace_is_noticed)
{
    struct progress_estimate estimate;
    progress_estimate_begin(&estimate, 0);
    double before_s = 0;
    for (double now_s = 0.2; now_s <= 40; now_s += 0.2) {
        progress_estimate_advance(&estimate, now_s < 20 ? now_s / 40 : 0.5 + (now_s - 20) / 120,
                                  now_s);
        double end_s = now_s + fmax(progress_estimate_left_s(&estimate, now_s), 0);
        assert_true(now_s < 21 || end_s >= before_s);
        before_s = end_s;
    }
    assert_true(before_s > 50 && before_s < 60); /* of 40 s for two thirds, in the end 60 */
}

/* An earlier run did 60 of 100 s of work. */
TEST(what_is_skipped_takes_no_time)
{
    struct progress_estimate estimate;
    progress_estimate_begin(&estimate, 0);
    progress_estimate_skip(&estimate, 0.6);
    for (int s = 0; s <= 40; s++) {
        progress_estimate_advance(&estimate, 0.6 + s / 100.0, s);
        if (s > 3)
            check_close(progress_estimate_left_s(&estimate, s), 40 - s, 1e-9);
    }
}

TEST(texts)
{
    static const struct {
        double left_s;
        const char *text;
    } cases[] = {{-1, ""},
                 {0, ", 1 s left"},
                 {11.2, ", 12 s left"},
                 {99, ", 99 s left"},
                 {99.1, ", 2 min left"},
                 {3601, ", 61 min left"},
                 {7200, ", 2 h left"},
                 {1e9, ", 277778 h left"}};
    for (int i = 0; i < 8; i++) {
        char text[PROGRESS_LEFT_SIZE];
        progress_left_text(cases[i].left_s, text);
        assert_string_equal(text, cases[i].text);
    }
}
