/* SPDX-License-Identifier: BSD-3-Clause */
/* Without options, beryl-hf solves the SCF with the settings that the library has by default; Fock
 * builds of a converged density solve it first. */
#include "hf/cli/hf_options.h"
#include "tests/check.h"

static void parse_words(int n, char **words, struct hf_options *options)
{
    enum option_request request;
    check_ok(hf_options_parse(n, words, options, &request));
}

TEST(defaults_of_the_options_are_those_of_the_settings)
{
    char *argv[] = {"beryl-hf", "water.xyz", "--basis", "sto-3g", NULL};
    struct hf_settings defaults;
    struct hf_options options;
    hf_settings_default(&defaults);
    defaults.scf.energy_alone = true; /* nothing takes the orbitals of this run */
    parse_words(4, argv, &options);
    const struct hf_settings *given = &options.settings;
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
    char *argv[] = {"beryl-hf", "water.xyz", "--basis",   "sto-3g", "--fock-only",
                    "1",        "--density", "converged", NULL};
    struct hf_options options;
    parse_words(6, argv, &options);
    assert_int_equal(options.settings.goal, HF_GOAL_BUILDS);
    parse_words(8, argv, &options);
    assert_int_equal(options.settings.goal, HF_GOAL_SCF);
    assert_null(options.settings.density);
    /* An array of its own: parsing moves operands to the end. */
    char *from_file[] = {"beryl-hf", "water.xyz", "--basis",  "sto-3g", "--fock-only",
                         "1",        "--density", "water.h5", NULL};
    parse_words(8, from_file, &options);
    assert_int_equal(options.settings.goal, HF_GOAL_BUILDS);
    assert_string_equal(options.settings.density, "water.h5");
}

/* The last words decide whether the energy ends the iterations, or the gradient. */
static void check_criterion(char *option, char *value, double gradient, double energy_error)
{
    char *argv[] = {"beryl-hf", "water.xyz", "--basis", "sto-3g", option, value, NULL};
    struct hf_options options;
    parse_words(6, argv, &options);
    struct scf_criterion criterion = scf_criterion(&options.settings.scf, options.settings.screen);
    assert_true(criterion.gradient == gradient && criterion.energy_error == energy_error);
}

TEST(orbitals_that_serve_something_are_converged)
{
    check_criterion("--max-iter", "50", 1e-8, 1e-9);
    check_criterion("--checkpoint", "water.h5", 1e-8, 1e-9);
    check_criterion("--restart", "water.h5", 1e-8, 1e-9);
    check_criterion("--converge", "1e-8", 1e-8, 0);
    check_criterion("--converge", "1e-3", 1e-3, 0);
    check_criterion("--fock-only", "1", 1e-8, 0);
    check_criterion("--keep-occupation", "--guess=water.h5", 1e-8, 0);
}

/* Where an option that is given decides on saddle points, or on a kept occupation. */
static void check_follow(int n, char **words, int expected)
{
    struct hf_options options;
    parse_words(n, words, &options);
    assert_int_equal(options.settings.scf.follow, expected);
}

TEST(a_kept_occupation_follows_no_saddle_point_unless_asked)
{
    char *kept[] = {"beryl-hf", "water.xyz",         "--basis",     "sto-3g", "--guess",
                    "a.h5",     "--keep-occupation", "--stability", "never",  NULL};
    char *asked[] = {"beryl-hf", "water.xyz",         "--basis",  "sto-3g", "--guess",
                     "a.h5",     "--keep-occupation", "--follow", "same",   NULL};
    char *plain[] = {"beryl-hf", "water.xyz", "--basis", "sto-3g", "--guess", "a.h5", NULL};
    check_follow(9, kept, SCF_FOLLOW_NONE);
    check_follow(9, asked, SCF_FOLLOW_SAME);
    check_follow(6, plain, SCF_FOLLOW_SAME);
}

TEST(a_swap_names_two_orbitals)
{
    char *argv[] = {"beryl-hf", "water.xyz",    "--basis",  "sto-3g", "--method",
                    "uhf",      "--guess-swap", "3:7:beta", NULL};
    struct hf_options options;
    parse_words(8, argv, &options);
    const struct scf_swap *swap = &options.settings.scf.swap;
    assert_int_equal(swap->spin, 1);
    assert_int_equal(swap->occupied, 3);
    assert_int_equal(swap->virtual, 7);
}
