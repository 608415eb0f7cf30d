/* How much memory is left: some, and no more than the machine has. */
#include "support/base/memory.h"
#include "tests/check.h"

#include <unistd.h>

static void test_what_is_available_is_within_what_there_is(void **state)
{
    (void)state;
    int64_t all = (int64_t)sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
    int64_t available = memory_available_bytes();
    assert_true(available > 0 && available <= all);
    assert_true(memory_shared_available_bytes() <= all);
}

static void test_what_a_process_holds_is_within_its_peak(void **state)
{
    (void)state;
    assert_true(memory_part_bytes() > 0);
    assert_true(memory_part_bytes() <= memory_peak_bytes());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_what_is_available_is_within_what_there_is),
        cmocka_unit_test(test_what_a_process_holds_is_within_its_peak),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
