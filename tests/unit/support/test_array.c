/* SPDX-License-Identifier: BSD-3-Clause */
/* Arrays keep what they hold while they grow, and grow rarely; numbers in ascending order are
 * found; items are sorted by the number that they begin with. */
#include "support/base/array.h"
#include "tests/check.h"

TEST(items_survive_growth_and_its_failure)
{
    int64_t *items = NULL, capacity = 0;
    int n_moves = 0;
    for (int64_t n = 0; n < 100000; n++) {
        int64_t before = capacity;
        check_ok(array_reserve(&items, n + 1, &capacity, sizeof *items));
        assert_true(capacity > n && capacity >= before);
        n_moves += capacity != before;
        items[n] = n;
    }
    assert_true(n_moves < 20);
    int64_t *before = items, capacity_before = capacity;
    check_status(STATUS_NO_MEMORY, array_reserve(&items, INT64_MAX / 2, &capacity, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, capacity_before);
    for (int64_t n = 0; n < 100000; n++)
        assert_int_equal(items[n], n);
    free(items);
}

TEST(the_last_number_that_is_not_larger_is_found)
{
    const int64_t numbers[] = {-5, 0, 0, 3, 3, 3, INT64_MAX};
    const int64_t n = sizeof numbers / sizeof numbers[0];
    for (int64_t part = 0; part <= n; part++)
        for (int64_t at_most = -7; at_most < 6; at_most++) {
            int64_t last = -1;
            for (int64_t i = 0; i < part; i++)
                last = numbers[i] <= at_most ? i : last;
            assert_int_equal(array_find_last(numbers, part, at_most), last);
        }
    assert_int_equal(array_find_last(numbers, n, INT64_MAX), n - 1);
}

TEST(items_are_ordered_by_what_they_begin_with)
{
    const struct {
        int64_t number;
        double other;
    } numbered[] = {{INT64_MIN, 1}, {-1, 0}, {-1, 7}, {INT64_MAX, -1}};
    const struct {
        double size;
        int64_t other;
    } sized[] = {{1e300, 1}, {0, 0}, {0, 7}, {-0.5, -1}};
    const int rank[] = {0, 1, 1, 2};
    for (int i = 0; i < 4; i++)
        for (int k = 0; k < 4; k++) {
            int expected = (rank[i] > rank[k]) - (rank[i] < rank[k]);
            assert_int_equal(array_ascending(&numbered[i], &numbered[k]), expected);
            assert_int_equal(array_descending(&sized[i], &sized[k]), expected);
            assert_int_equal(array_ascending_reals(&sized[k], &sized[i]), expected);
        }
}
