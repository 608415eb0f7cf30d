/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: what is accepted, and that every refusal names the option, the
 * text and what would have been right. */
#include "support/io/options.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct settings {
    int64_t tile, charge, seed;
    double screen, shift, shake;
    const char *basis, *output;
    const char *guess;
    int mode, engine;
    bool quiet, polite;
};

static struct settings settings;

#define FIELD(name) offsetof(struct settings, name)

static const char *list_engines(void)
{
    return "s,libint";
}

static const char *describe_mode(const char *mode)
{
    return strcmp(mode, "counter") == 0 ? "the next ones" : "others";
}

static const struct option_row number_rows[] = {
    INTEGER_OPTION("tile", FIELD(tile), 1, 1e6, .default_text = "40", .value = "N",
                   .help = "basis functions in a tile"),
    INTEGER_OPTION("charge", FIELD(charge), 0, 0, .default_text = "0", .value = "N",
                   .help = "charge of the molecule"),
    INTEGER_OPTION("seed", FIELD(seed), 0, INFINITY, .default_text = "1", .value = "N",
                   .help = "start of all random numbers"),
    REAL_OPTION("screen", FIELD(screen), 0, 1, .min_excluded = true, .default_text = "1e-10",
                .value = "X", .help = "screening threshold"),
    REAL_OPTION("shift", FIELD(shift), -INFINITY, INFINITY, .default_text = "0", .value = "X",
                .help = "level shift in hartree"),
};

static const struct option_row other_rows[] = {
    TEXT_OPTION("basis", FIELD(basis), .value = "NAME or FILE", .help = "basis set"),
    TEXT_OPTION("output", FIELD(output), .letter = 'o', .value = "FILE",
                .help = "where the page goes"),
    CHOICE_OPTION("sched", FIELD(mode), "static,counter,steal", .default_text = "counter",
                  .value = "MODE", .describe_choice = describe_mode, .help = "scheduler mode"),
    CHOICE_OPTION("engine", FIELD(engine), NULL, .list_choices = list_engines,
                  .help = "integral engine"),
    OPTION_OF_KIND(OPTION_WORD, "guess", FIELD(guess), .default_text = "core",
                   .choices = "core,atoms", .value = "WHICH", .expert = true,
                   .help = "density to begin with"),
    FLAG_OPTION("quiet", FIELD(quiet), .modes = "counter,steal", .help = "say nothing"),
    FLAG_OPTION("polite", FIELD(polite), .default_text = "true", .help = "say please"),
};

static const struct option_row expert_rows[] = {
    REAL_OPTION("shake", FIELD(shake), 0, 1, .default_text = "0", .value = "X", .expert = true,
                .help = "noise"),
};

static const struct option_table tables[] = {
    {"Numbers", number_rows, sizeof number_rows / sizeof number_rows[0], &settings},
    {"Other things", other_rows, sizeof other_rows / sizeof other_rows[0], &settings},
    {"Expert things", expert_rows, 1, &settings},
};

static const struct options options = {
    .program = "beryl-test",
    .synopsis = "FILE [options]\n       beryl-test OTHER",
    .purpose = "Tests the options.",
    .tables = tables,
    .n_tables = 3,
    .min_operands = 1,
    .max_operands = 2,
    .operand_name = "FILE",
};

static enum option_request request;
static int first_operand;
static char *arguments[16];
static int n_arguments;

/* Parses "beryl-test" and the words of the line, which may hold no quotes. */
static enum status parse(const char *line)
{
    static char words[512];
    snprintf(words, sizeof words, "beryl-test %s", line);
    n_arguments = 0;
    for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
        arguments[n_arguments++] = word;
    arguments[n_arguments] = NULL;
    settings = (struct settings){.quiet = true};
    return options_parse(&options, n_arguments, arguments, &request, &first_operand);
}

static void check_refused(const char *line, const char *part1, const char *part2)
{
    check_status(STATUS_USAGE, parse(line));
    if (!strstr(status_text(), part1) || !strstr(status_text(), part2))
        fail_msg("'%s': the message \"%s\" lacks '%s' or '%s'", line, status_text(), part1, part2);
}

TEST(defaults_hold_when_nothing_is_given)
{
    check_ok(parse("water.xyz"));
    assert_int_equal(request, OPTION_REQUEST_RUN);
    assert_int_equal(settings.tile, 40);
    assert_int_equal(settings.seed, 1);
    assert_true(settings.screen == 1e-10);
    assert_null(settings.basis);
    assert_int_equal(settings.mode, 1);
    assert_string_equal(settings.guess, "core");
    assert_false(settings.quiet);
    assert_int_equal(first_operand, 1);
}

TEST(both_ways_of_giving_a_value_and_any_order)
{
    check_ok(
        parse("--tile 7 a.xyz --charge=-2 --screen=1d-6 --quiet b.xyz --sched steal -o p.html"));
    assert_int_equal(settings.tile, 7);
    assert_int_equal(settings.charge, -2);
    assert_true(settings.screen == 1e-6);
    assert_true(settings.quiet);
    assert_int_equal(settings.mode, 2);
    assert_string_equal(settings.output, "p.html");
    assert_int_equal(n_arguments - first_operand, 2);
    assert_string_equal(arguments[first_operand], "a.xyz");
    assert_string_equal(arguments[first_operand + 1], "b.xyz");

    check_ok(parse("a.xyz --charge -1 --basis=--odd --tile 1 --tile 2 --shift -.5"));
    assert_int_equal(settings.charge, -1);
    assert_string_equal(settings.basis, "--odd");
    assert_int_equal(settings.tile, 2);
    assert_true(settings.shift == -0.5);
    check_ok(parse("-- --tile"));
    assert_string_equal(arguments[first_operand], "--tile");
}

TEST(flags_take_true_and_false)
{
    check_ok(parse("a"));
    assert_true(settings.polite);
    check_ok(parse("a --polite=false --quiet=true"));
    assert_false(settings.polite);
    assert_true(settings.quiet);
    check_ok(parse("a --quiet --polite=false --quiet=false --polite"));
    assert_true(settings.polite);
    assert_false(settings.quiet);
}

TEST(numbers_use_all_64_bits)
{
    check_ok(parse("a --charge 9223372036854775807"));
    assert_true(settings.charge == INT64_MAX);
    check_ok(parse("a --charge -9223372036854775808 --seed 9223372036854775807"));
    assert_true(settings.charge == INT64_MIN);
    check_refused("a --charge 9223372036854775808", "--charge", "9223372036854775808");
}

/* The form that a message about the range has, among others. */
TEST(whole_numbers_may_have_exponents)
{
    check_ok(parse("a --tile 1e+06 --charge -1e15 --seed 2.5e1"));
    assert_int_equal(settings.tile, 1000000);
    assert_true(settings.charge == -1000000000000000);
    assert_int_equal(settings.seed, 25);
    check_refused("a --tile 1e7", "'1e7' is not a whole number", "from 1 to 1000000");
}

TEST(text_that_is_no_number_is_refused)
{
    const char *integers[] = {"x", "1x", "1.5", "1e-3", "0x10", "--", "1-", "+-1"};
    for (size_t i = 0; i < sizeof integers / sizeof integers[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "a --tile=%s", integers[i]);
        check_refused(line, "--tile", integers[i]);
        assert_non_null(strstr(status_text(), "from 1 to 1000000"));
    }
    const char *reals[] = {"x", "1e", "nan", "inf", "1e999", "0x1p-3", "1,5", "1f-8"};
    for (size_t i = 0; i < sizeof reals / sizeof reals[0]; i++) {
        char line[64];
        snprintf(line, sizeof line, "a --screen=%s", reals[i]);
        check_refused(line, "--screen", reals[i]);
    }
    char *blank[] = {"beryl-test", "a", "--tile", " 7", NULL};
    check_status(STATUS_USAGE, options_parse(&options, 4, blank, &request, &first_operand));
}

TEST(numbers_out_of_range_are_refused)
{
    check_refused("a --tile 0", "--tile", "from 1 to 1000000");
    check_refused("a --tile -5", "--tile", "-5");
    check_refused("a --tile 1000001", "--tile", "1000001");
    check_refused("a --seed -1", "--seed", "at least 0");
    check_refused("a --screen 0", "--screen", "larger than 0 and at most 1");
    check_refused("a --screen 1e-400", "--screen", "larger than 0");
    check_refused("a --screen -1e-6", "--screen", "-1e-6");
    check_ok(parse("a --screen 1"));
}

TEST(other_mistakes_are_named)
{
    check_refused("a --sched fast", "'fast'", "static, counter, steal");
    check_refused("a --sched stat", "'stat'", "static, counter, steal");
    check_refused("a --engine any", "'any'", "s, libint");
    check_refused("a --guess atom", "--guess", "'atom' is not one of core, atoms (see --help-all)");
    check_refused("a --shake 2", "--shake", "from 0 to 1 (see --help-all)");
    check_refused("a --shake", "missing", "(see --help-all)");
    check_refused("a --tiel 5", "--tiel", "--help");
    check_refused("a --tiel=5", "'--tiel=5'", "lists all): did you mean --tile?");
    check_refused("a --Quiet", "'--Quiet'", ": did you mean --quiet?");
    check_refused("a --versoin", "'--versoin'", ": did you mean --version?");
    check_refused("a --sched Stael", "'Stael'", "(see --help): did you mean steal?");
    check_refused("a -x", "-x", "--help");
    check_refused("a --tile", "--tile", "missing");
    check_refused("a -o", "--output", "missing");
    check_refused("a --engine", "--engine", "missing, WORD");
    check_refused("a --basis --tile 3", "--basis", "missing");
    check_refused("a --basis=", "--basis", "missing");
    check_refused("a --quiet=yes", "--quiet", "not one of true, false");
    check_refused("a --help=me", "--help", "no value");
    check_refused("a --help-all=me", "--help-all", "no value");
    check_refused("a --hel", "--help", "--help-all");
    check_refused("a --s 5", "--seed", "--screen");
    check_refused("--tile 3", "FILE", "missing (usage: beryl-test FILE [options]; see --help)");
    check_refused("a b c", "'c'", "too many (usage: beryl-test FILE [options]; see --help)");
    check_ok(parse("a --ti 3"));
    assert_int_equal(settings.tile, 3);
}

TEST(help_and_version_are_requests_whatever_is_missing)
{
    check_ok(parse("--help"));
    assert_int_equal(request, OPTION_REQUEST_HELP);
    check_ok(parse("-h --nonsense"));
    assert_int_equal(request, OPTION_REQUEST_HELP);
    check_ok(parse("--help-all --nonsense"));
    assert_int_equal(request, OPTION_REQUEST_HELP_ALL);
    check_ok(parse("--version"));
    assert_int_equal(request, OPTION_REQUEST_VERSION);
}

/* Captures the answer to a request, standard output. */
static void capture(enum option_request asked, char *text, size_t size)
{
    FILE *file = tmpfile();
    fflush(stdout);
    int terminal = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    options_answer(&options, asked);
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    close(terminal);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(help_shows_every_option_with_what_it_takes)
{
    char text[4096];
    capture(OPTION_REQUEST_HELP_ALL, text, sizeof text);
    const char *wanted[] = {
        "Usage: beryl-test FILE [options]\n",
        "Tests the options.",
        "\nNumbers:\n",
        "--tile N",
        "(from 1 to 1000000; default: 40)",
        "--charge N",
        "(default: 0)",
        "at least 0",
        "(larger than 0 and at most 1; default:",
        "\nOther things:\n",
        "--basis NAME or FILE",
        "-o, --output FILE",
        "--sched MODE",
        "one of s, libint",
        "(one of static, counter, steal;",
        "--guess WHICH",
        "(one of core, atoms; default: core)",
        "--quiet",
        "\nExpert things:\n",
        "--shake X",
        "--help",
        "--help-modes",
        "--help-all",
        "--version",
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("--help-all lacks \"%s\":\n%s", wanted[i], text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 90);
    capture(OPTION_REQUEST_VERSION, text, sizeof text);
    assert_memory_equal(text, "beryl-test ", 11);
    assert_true(text[11] >= '0' && text[11] <= '9');
}

TEST(help_hides_other_rows_and_ends_with_pointers_to_them)
{
    char text[4096];
    capture(OPTION_REQUEST_HELP, text, sizeof text);
    assert_non_null(strstr(text, "--sched MODE"));
    assert_null(strstr(text, "--guess"));
    assert_null(strstr(text, "--quiet"));
    assert_null(strstr(text, "Expert things"));
    const char *modes = strstr(text, "\n  --help-modes "), *all = strstr(text, "\n  --help-all ");
    assert_true(modes && all && all > modes);
    assert_string_equal(strchr(all + 1, '\n'), "\n");
}

/* Options in the first mode that reads them, their names in the others. */
TEST(help_of_modes_has_each_mode_with_its_options)
{
    char text[4096];
    capture(OPTION_REQUEST_HELP_MODES, text, sizeof text);
    const char *lists = strstr(text, "\nstatic: others\n\n"
                                     "counter: the next ones\n"
                                     "  --quiet                 say nothing\n\n"
                                     "steal: others\n"
                                     "  also: --quiet\n");
    if (!lists || !strstr(text, "Options of every mode:\n  --basis"))
        fail_msg("%s", text);
    assert_null(strstr(text, "--tile"));
    capture(OPTION_REQUEST_HELP_ALL, text, sizeof text);
    assert_non_null(strstr(text, "counter, steal: say nothing"));
}

TEST(options_are_set_by_name)
{
    settings = (struct settings){.tile = 5, .screen = 1, .quiet = true, .basis = "kept"};
    check_ok(options_set_defaults(&tables[0]));
    assert_int_equal(settings.tile, 40);
    assert_true(settings.screen == 1e-10);
    assert_true(settings.quiet);
    check_ok(options_set_defaults(&tables[1]));
    assert_false(settings.quiet);
    assert_string_equal(settings.basis, "kept");

    check_ok(option_set(&tables[0], "tile", "7"));
    check_ok(option_set(&tables[1], "sched", "steal"));
    check_ok(option_set(&tables[1], "guess", "atoms"));
    check_ok(option_set(&tables[1], "quiet", NULL));
    assert_int_equal(settings.tile, 7);
    assert_int_equal(settings.mode, 2);
    assert_string_equal(settings.guess, "atoms");
    assert_true(settings.quiet);
    check_ok(option_set(&tables[1], "quiet", "false"));
    assert_false(settings.quiet);
    check_ok(option_set(&tables[1], "quiet", "true"));
    assert_true(settings.quiet);
    check_ok(option_set(&tables[1], "polite", "false"));
    assert_false(settings.polite);
    check_ok(option_set(&tables[1], "polite", NULL));
    assert_true(settings.polite);
}

TEST(wrong_names_and_values_set_by_name_are_refused)
{
    const struct {
        const char *name, *value, *part;
    } wrong[] = {
        {"sched", "fast", "--sched: 'fast' is not one of static, counter, steal"},
        {"guess", "none", "--guess: 'none' is not one of core, atoms"},
        {"quiet", "yes", "--quiet: 'yes' is not one of true, false"},
        {"basis", "", "--basis: a value is missing"},
        {"basis", NULL, "--basis: a value is missing"},
        {"bas", "sto-3g", "unknown option '--bas'"},
        {"bassi", "sto-3g", "unknown option '--bassi': did you mean --basis?"},
        {"tile", "8", "unknown option '--tile'"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        settings = (struct settings){.mode = 1, .guess = "atoms", .basis = "kept"};
        check_status(STATUS_USAGE, option_set(&tables[1], wrong[i].name, wrong[i].value));
        if (!strstr(status_text(), wrong[i].part))
            fail_msg("'%s' lacks \"%s\"", status_text(), wrong[i].part);
        assert_int_equal(settings.mode, 1);
        assert_string_equal(settings.guess, "atoms");
        assert_string_equal(settings.basis, "kept");
    }
}

TEST(json_holds_the_value_in_force_of_every_option)
{
    check_ok(
        parse("a --tile 8 --basis caf\xe9 --sched steal --engine libint --guess atoms --quiet"));
    json_t *object = options_to_json(&options);
    assert_int_equal(json_object_size(object), 13);
    assert_string_equal(json_string_value(json_object_get(object, "guess")), "atoms");
    assert_int_equal(json_integer_value(json_object_get(object, "tile")), 8);
    assert_true(json_real_value(json_object_get(object, "screen")) == 1e-10);
    assert_string_equal(json_string_value(json_object_get(object, "basis")), "caf?");
    assert_true(json_is_null(json_object_get(object, "output")));
    assert_string_equal(json_string_value(json_object_get(object, "sched")), "steal");
    assert_string_equal(json_string_value(json_object_get(object, "engine")), "libint");
    assert_true(json_is_true(json_object_get(object, "quiet")));
    json_decref(object);
}

TEST(choices_are_found_by_whole_words)
{
    assert_int_equal(option_choice_index("a,bc,def", "a"), 0);
    assert_int_equal(option_choice_index("a,bc,def", "def"), 2);
    assert_int_equal(option_choice_index("a,bc,def", "de"), -1);
    assert_int_equal(option_choice_index("a,bc,def", "a,bc"), -1);
    assert_int_equal(option_choice_index("a,bc,def", ""), -1);
    char word[8];
    option_choice_word("a,bc,def", 1, word, sizeof word);
    assert_string_equal(word, "bc");
    option_choice_word("a,bc,def", 2, word, sizeof word);
    assert_string_equal(word, "def");
    option_choice_word("a,bc,def", 3, word, sizeof word);
    assert_string_equal(word, "");
}
