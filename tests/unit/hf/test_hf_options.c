/* SPDX-License-Identifier: BSD-3-Clause */
/* Without options, beryl-hf solves the SCF with the settings that the library has by default; Fock
 * builds of a converged density solve it first. */
#include "hf/cli/hf_options.h"
#include "tests/check.h"

/* The command with further words. */
static struct hf_settings parse_words(int n, char *const words[])
{
    char *argv[16] = {"beryl-hf", "water.xyz", "--basis", "sto-3g"};
    struct hf_options options;
    enum option_request request;
    for (int i = 0; i < n; i++)
        argv[4 + i] = words[i];
    check_ok(hf_options_parse(4 + n, argv, &options, &request));
    return options.settings;
}

#define PARSE(...)                                                                                 \
    parse_words((int)(sizeof((char *[]){__VA_ARGS__}) / sizeof(char *)), (char *[]){__VA_ARGS__})

TEST(defaults_of_the_options_are_those_of_the_settings)
{
    struct hf_settings defaults, settings = parse_words(0, NULL), *given = &settings;
    hf_settings_default(&defaults);
    defaults.scf.energy_alone = true; /* nothing takes the orbitals of this run */
    assert_int_equal(given->goal, defaults.goal);
    assert_int_equal(given->method, defaults.method);
    assert_int_equal(given->charge, defaults.charge);
    assert_int_equal(given->multiplicity, defaults.multiplicity);
    assert_int_equal(given->units, defaults.units);
    assert_int_equal(given->tile, defaults.tile);
    assert_true(given->screen == defaults.screen);
    assert_int_equal(given->engine, defaults.engine);
    assert_int_equal(given->memory_megabytes, defaults.memory_megabytes);
    assert_string_equal(given->guess, defaults.guess);
    assert_memory_equal(&given->fock, &defaults.fock, sizeof defaults.fock);
    assert_memory_equal(&given->scf, &defaults.scf, sizeof defaults.scf);
    assert_string_equal(given->pool.mode, defaults.pool.mode);
    assert_int_equal(given->modes.n, 1);
    assert_string_equal(given->modes.modes[0], defaults.modes.modes[0]);
}

TEST(a_converged_density_takes_an_scf)
{
    struct hf_settings settings = PARSE("--fock-only", "1");
    assert_int_equal(settings.goal, HF_GOAL_BUILDS);
    settings = PARSE("--fock-only", "1", "--density", "converged");
    assert_int_equal(settings.goal, HF_GOAL_SCF);
    assert_null(settings.density);
    settings = PARSE("--fock-only", "1", "--density", "water.h5");
    assert_int_equal(settings.goal, HF_GOAL_BUILDS);
    assert_string_equal(settings.density, "water.h5");
}

/* An option decides whether the energy ends the iterations, or the gradient. */
TEST(orbitals_that_serve_something_are_converged)
{
    static const struct {
        char *words[2];
        double gradient, energy_error;
    } cases[] = {{{"--max-iter", "50"}, 1e-8, 1e-9},
                 {{"--checkpoint", "water.h5"}, 1e-8, 1e-9},
                 {{"--restart", "water.h5"}, 1e-8, 1e-9},
                 {{"--converge", "1e-8"}, 1e-8, 0},
                 {{"--converge", "1e-3"}, 1e-3, 0},
                 {{"--fock-only", "1"}, 1e-8, 0},
                 {{"--keep-occupation", "--guess=water.h5"}, 1e-8, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct hf_settings settings = parse_words(2, cases[i].words);
        struct scf_criterion criterion = scf_criterion(&settings.scf, settings.screen);
        assert_true(criterion.gradient == cases[i].gradient &&
                    criterion.energy_error == cases[i].energy_error);
    }
}

TEST(a_kept_occupation_follows_no_saddle_point_unless_asked)
{
    struct hf_settings plain = PARSE("--guess", "a.h5");
    struct hf_settings kept = PARSE("--guess", "a.h5", "--keep-occupation", "--stability", "never");
    struct hf_settings asked = PARSE("--guess", "a.h5", "--keep-occupation", "--follow", "same");
    assert_int_equal(plain.scf.follow, SCF_FOLLOW_SAME);
    assert_int_equal(kept.scf.follow, SCF_FOLLOW_NONE);
    assert_int_equal(asked.scf.follow, SCF_FOLLOW_SAME);
}

TEST(a_swap_names_two_orbitals)
{
    struct scf_swap swap = PARSE("--method", "uhf", "--guess-swap", "3:7:beta").scf.swap;
    assert_true(swap.spin == 1 && swap.occupied == 3 && swap.virtual == 7);
}
