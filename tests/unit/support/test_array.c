/* Arrays keep what they hold while they grow, and grow rarely. */
#include "support/base/array.h"
#include "tests/check.h"

#include <stdlib.h>

static void items_survive_growth(void **state)
{
    (void)state;
    int64_t *items = NULL, capacity = 0;
    int n_moves = 0;
    for (int64_t n = 0; n < 100000; n++) {
        int64_t before = capacity;
        check_ok(array_reserve(&items, n + 1, &capacity, sizeof *items));
        assert_true(capacity > n && capacity >= before);
        n_moves += capacity != before;
        items[n] = n;
    }
    for (int64_t n = 0; n < 100000; n++)
        assert_int_equal(items[n], n);
    assert_true(n_moves < 20);
    free(items);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    double *items = NULL;
    int64_t capacity = 0;
    check_ok(array_reserve(&items, 3, &capacity, sizeof *items));
    double *before = items;
    int64_t capacity_before = capacity;
    items[2] = 42;
    check_status(STATUS_NO_MEMORY, array_reserve(&items, INT64_MAX / 2, &capacity, sizeof *items));
    assert_ptr_equal(items, before);
    assert_int_equal(capacity, capacity_before);
    assert_true(items[2] == 42);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_survive_growth),
        cmocka_unit_test(a_failure_changes_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
