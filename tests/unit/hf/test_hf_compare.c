/* Modes whose Fock matrices differ are named; nothing else fails a comparison. */
#include "hf/cli/hf_compare.h"
#include "tests/check.h"

#include <string.h>

static void init(struct hf_comparison *comparison)
{
    *comparison = (struct hf_comparison){.n_builds = 1, .n_spins = 2, .n = 3};
    for (int i = 0; i < comparison->n; i++) {
        comparison->modes[i].mode = i; /* static, counter, share */
        strcpy(comparison->modes[i].sha256[0], "alpha");
        strcpy(comparison->modes[i].sha256[1], "beta");
    }
}

static void test_equal_matrices_pass(void **state)
{
    (void)state;
    struct hf_comparison comparison;
    init(&comparison);
    check_ok(hf_comparison_check(&comparison));
    comparison.n = 0;
    check_ok(hf_comparison_check(&comparison));
}

static void test_a_mode_of_another_matrix_is_named(void **state)
{
    (void)state;
    for (int spin = 0; spin < 2; spin++) {
        struct hf_comparison comparison;
        init(&comparison);
        strcpy(comparison.modes[2].sha256[spin], "other");
        check_status(STATUS_PROTOCOL, hf_comparison_check(&comparison));
        assert_int_equal(status_exit_code(STATUS_PROTOCOL), 1);
        assert_non_null(strstr(status_text(), "of share differs from that of static"));
        strcpy(comparison.modes[1].sha256[spin], "third");
        check_status(STATUS_PROTOCOL, hf_comparison_check(&comparison));
        assert_non_null(strstr(status_text(), "of counter, share differs from that of static"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal_matrices_pass),
        cmocka_unit_test(test_a_mode_of_another_matrix_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
