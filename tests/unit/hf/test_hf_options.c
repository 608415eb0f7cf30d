/* Without options, beryl-hf solves the SCF with the settings that the library has by default. */
#include "hf/cli/hf_options.h"
#include "tests/check.h"

static void test_defaults_of_the_options_are_those_of_the_scf(void **state)
{
    (void)state;
    char *argv[] = {"beryl-hf", "water.xyz", "--basis", "sto-3g", NULL};
    const struct scf_settings defaults = scf_settings_default();
    struct hf_options options;
    enum option_request request;
    check_ok(hf_options_parse(4, argv, &options, &request));
    assert_memory_equal(&options.scf, &defaults, sizeof defaults);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults_of_the_options_are_those_of_the_scf),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
