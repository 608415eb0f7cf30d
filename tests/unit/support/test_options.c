/* SPDX-License-Identifier: BSD-3-Clause */
/* Command lines: what is accepted, and that every refusal names the option, the
 * text and what would have been right. The text of a command line in a result. */
#include "support/io/options.h"
#include "tests/check.h"
#include "tests/unit/support/captured.h"

#include <string.h>

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

/* All values, as JSON without quotes. */
static void check_values(const char *expected)
{
    json_t *object = options_to_json(&options);
    char *text = json_dumps(object, JSON_COMPACT | JSON_REAL_PRECISION(6)), *end = text;
    for (const char *c = text; *c != '\0'; c++)
        if (*c != '"')
            *end++ = *c;
    *end = '\0';
    assert_string_equal(text, expected);
    free(text);
    json_decref(object);
}

TEST(accepted_lines_and_their_values)
{
    static const struct {
        const char *line;
        int n_operands;
        const char *values;
    } rows[] = {
        {"a.xyz", 1,
         "{tile:40,charge:0,seed:1,screen:1e-10,shift:0.0,basis:null,output:null,"
         "sched:counter,engine:s,guess:core,quiet:false,polite:true,shake:0.0}"},
        {"--tile 7 a --charge=-2 --screen=1d-6 --quiet b --sched steal -o p.html", 2,
         "{tile:7,charge:-2,seed:1,screen:1e-6,shift:0.0,basis:null,output:p.html,"
         "sched:steal,engine:s,guess:core,quiet:true,polite:true,shake:0.0}"},
        {"a --charge -1 --basis=--odd --tile 1 --ti 2e0 --shift -.5 --screen 1", 1,
         "{tile:2,charge:-1,seed:1,screen:1.0,shift:-0.5,basis:--odd,output:null,"
         "sched:counter,engine:s,guess:core,quiet:false,polite:true,shake:0.0}"},
        {"a --basis caf\xe9 --engine libint --guess atoms --polite=false --quiet=true", 1,
         "{tile:40,charge:0,seed:1,screen:1e-10,shift:0.0,basis:caf?,output:null,"
         "sched:counter,engine:libint,guess:atoms,quiet:true,polite:false,shake:0.0}"},
        {"a --quiet --polite=false --quiet=false --polite", 1,
         "{tile:40,charge:0,seed:1,screen:1e-10,shift:0.0,basis:null,output:null,"
         "sched:counter,engine:s,guess:core,quiet:false,polite:true,shake:0.0}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_ok(parse(rows[i].line));
        assert_int_equal(request, OPTION_REQUEST_RUN);
        assert_int_equal(n_arguments - first_operand, rows[i].n_operands);
        check_values(rows[i].values);
    }
    check_ok(parse("b --tile 3 -- --tile"));
    assert_string_equal(arguments[first_operand], "b");
    assert_string_equal(arguments[first_operand + 1], "--tile");
}

/* The message has both parts. */
TEST(refused_lines_and_their_messages)
{
    static const struct {
        const char *line, *part1, *part2;
    } rows[] = {
        {"a --tile=x", "--tile: 'x'", "whole number from 1 to 1000000"},
        {"a --tile=1.5", "--tile", "'1.5'"},
        {"a --tile 0", "--tile", "from 1 to 1000000"},
        {"a --tile 1000001", "--tile", "1000001"},
        {"a --seed -1", "--seed", "at least 0"},
        {"a --screen=nan", "--screen: 'nan'", "finite number"},
        {"a --screen 0", "--screen", "larger than 0 and at most 1"},
        {"a --screen 1.1", "--screen", "1.1"},
        {"a --sched stat", "'stat'", "static, counter, steal"},
        {"a --engine any", "'any'", "s, libint"},
        {"a --guess atom", "--guess", "'atom' is not one of core, atoms (see --help-all)"},
        {"a --shake 2", "--shake", "from 0 to 1 (see --help-all)"},
        {"a --shake", "missing", "(see --help-all)"},
        {"a --tiel=5", "'--tiel=5'", "lists all): did you mean --tile?"},
        {"a --versoin", "'--versoin'", ": did you mean --version?"},
        {"a --sched Stael", "'Stael'", "(see --help): did you mean steal?"},
        {"a -x", "unknown option '-x'", "--help"},
        {"a -o", "--output", "missing"},
        {"a --engine", "--engine", "missing, WORD"},
        {"a --basis --tile 3", "--basis", "missing"},
        {"a --basis=", "--basis", "missing"},
        {"a --quiet=yes", "--quiet", "not one of true, false"},
        {"a --help=me", "--help", "no value"},
        {"a --hel", "--help", "--help-all"},
        {"a --s 5", "--seed", "--screen"},
        {"--tile 3", "FILE", "missing (usage: beryl-test FILE [options]; see --help)"},
        {"a b c", "'c'", "too many (usage: beryl-test FILE [options]; see --help)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_status(STATUS_USAGE, parse(rows[i].line));
        if (!strstr(status_text(), rows[i].part1) || !strstr(status_text(), rows[i].part2))
            fail_msg("'%s': %s", rows[i].line, status_text());
    }
    char *empty[] = {"beryl-test", "a", "", NULL};
    check_status(STATUS_USAGE, options_parse(&options, 3, empty, &request, &first_operand));
}

TEST(help_and_version_are_requests_whatever_is_missing)
{
    static const struct {
        const char *line;
        enum option_request request;
    } rows[] = {{"--help", OPTION_REQUEST_HELP},
                {"-h --nonsense", OPTION_REQUEST_HELP},
                {"--help-all --nonsense", OPTION_REQUEST_HELP_ALL},
                {"--help-modes", OPTION_REQUEST_HELP_MODES},
                {"--version", OPTION_REQUEST_VERSION}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_ok(parse(rows[i].line));
        assert_int_equal(request, rows[i].request);
    }
}

/* Its value is in place of the operand; it is no option of a run. */
TEST(an_option_that_answers_takes_the_place_of_a_run)
{
    static const struct option_row rows[] = {
        TEXT_OPTION("list", FIELD(output), .bare = "", .answers = true, .value = "WORD",
                    .help = "list words"),
        INTEGER_OPTION("tile", FIELD(tile), 1, 1e6, .default_text = "40", .help = "a size"),
    };
    static const struct {
        const char *arguments[3], *value; /* NULL: refused */
    } cases[] = {
        {{"--list"}, ""},
        {{"--list", "a"}, "a"},
        {{"--list=a"}, "a"},
        {{"a", "--list"}, "a"},
        {{"--list", "--tile=3"}, ""},
        {{"--list", "--tile=0"}, NULL},
        {{"--list", "a", "b"}, NULL},
        {{"b", "--list=a"}, NULL},
    };
    struct option_table table = OPTION_TABLE("Options", rows, &settings);
    const struct options answering = {.program = "beryl-test",
                                      .synopsis = "FILE",
                                      .tables = &table,
                                      .n_tables = 1,
                                      .min_operands = 1,
                                      .max_operands = 1,
                                      .operand_name = "FILE"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *argv[] = {"beryl-test", (char *)cases[i].arguments[0], (char *)cases[i].arguments[1],
                        (char *)cases[i].arguments[2], NULL};
        int argc = 1, first;
        while (argv[argc])
            argc++;
        enum option_request what;
        enum status status = options_parse(&answering, argc, argv, &what, &first);
        assert_int_equal(status, cases[i].value ? STATUS_OK : STATUS_USAGE);
        if (!cases[i].value)
            continue;
        assert_int_equal(what, OPTION_REQUEST_ANSWER);
        assert_string_equal(settings.output, cases[i].value);
    }
    json_t *json = options_to_json(&answering);
    assert_null(json_object_get(json, "list"));
    assert_non_null(json_object_get(json, "tile"));
    json_decref(json);
}

static enum option_request asked;

static void answer(void)
{
    options_answer(&options, asked);
}

static char *ask(enum option_request what)
{
    asked = what;
    return (char *)captured(STDOUT_FILENO, answer);
}

TEST(help_shows_every_option_with_what_it_takes)
{
    static const char *const wanted[] = {"Usage: beryl-test FILE [options]\n",
                                         "Tests the options.",
                                         "\nNumbers:\n",
                                         "--tile N",
                                         "(from 1 to 1000000; default: 40)",
                                         "molecule (default: 0)",
                                         "(at least 0; default: 1)",
                                         "(larger than 0 and at most 1; default:",
                                         "\nOther things:\n",
                                         "--basis NAME or FILE",
                                         "-o, --output FILE",
                                         "(one of s, libint)",
                                         "(one of static, counter, steal; default: counter)",
                                         "--guess WHICH",
                                         "  --quiet                 counter, steal: say nothing\n",
                                         "\nExpert things:\n",
                                         "--shake X",
                                         "--help-modes",
                                         "--version"};
    char *text = ask(OPTION_REQUEST_HELP_ALL);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!strstr(text, wanted[i]))
            fail_msg("--help-all lacks \"%s\":\n%s", wanted[i], text);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        assert_true(strlen(line) <= 90);
    assert_memory_equal(ask(OPTION_REQUEST_VERSION), "beryl-test 0.", 13);
}

TEST(help_hides_other_rows_and_ends_with_pointers_to_them)
{
    const char *text = ask(OPTION_REQUEST_HELP);
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
    const char *text = ask(OPTION_REQUEST_HELP_MODES);
    const char *lists = strstr(text, "\nstatic: others\n\n"
                                     "counter: the next ones\n"
                                     "  --quiet                 say nothing\n\n"
                                     "steal: others\n"
                                     "  also: --quiet\n");
    if (!lists || !strstr(text, "Options of every mode:\n  --basis"))
        fail_msg("%s", text);
    assert_null(strstr(text, "--tile"));
}

/* Refused ones leave the values as they are. */
TEST(options_are_set_by_name)
{
    static const struct {
        const char *name, *value, *refusal;
    } rows[] = {
        {"sched", "steal", NULL},
        {"sched", "fast", "--sched: 'fast' is not one of static, counter, steal"},
        {"guess", "atoms", NULL},
        {"guess", "none", "--guess: 'none' is not one of core, atoms"},
        {"quiet", "false", NULL},
        {"quiet", NULL, NULL},
        {"quiet", "yes", "--quiet: 'yes' is not one of true, false"},
        {"polite", "false", NULL},
        {"basis", "sto-3g", NULL},
        {"basis", "", "--basis: a value is missing"},
        {"basis", NULL, "--basis: a value is missing"},
        {"bas", "x", "unknown option '--bas'"},
        {"bassi", "x", "unknown option '--bassi': did you mean --basis?"},
        {"tile", "8", "unknown option '--tile'"},
    };
    settings = (struct settings){0};
    check_ok(options_set_defaults(&tables[1]));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        check_status(rows[i].refusal ? STATUS_USAGE : STATUS_OK,
                     option_set(&tables[1], rows[i].name, rows[i].value));
        if (rows[i].refusal && !strstr(status_text(), rows[i].refusal))
            fail_msg("'%s' lacks \"%s\"", status_text(), rows[i].refusal);
    }
    check_values("{tile:0,charge:0,seed:0,screen:0.0,shift:0.0,basis:sto-3g,output:null,"
                 "sched:steal,engine:s,guess:atoms,quiet:true,polite:false,shake:0.0}");
}

TEST(choices_are_found_by_whole_words)
{
    static const char *const words[] = {"a", "bc", "def", ""};
    for (int i = 0; i < 4; i++) {
        char word[8];
        option_choice_word("a,bc,def", i, word, sizeof word);
        assert_string_equal(word, words[i]);
        assert_int_equal(option_choice_index("a,bc,def", words[i]), i < 3 ? i : -1);
    }
    assert_int_equal(option_choice_index("a,bc,def", "de"), -1);
    assert_int_equal(option_choice_index("a,bc,def", "a,bc"), -1);
}

/* Full names, no outputs, and words that a shell takes as they were. */
TEST(the_text_of_a_command_line)
{
    static const struct {
        const char *text;
        char *words[10];
    } rows[] = {
        {"p run", {"x"}},
        {"p run --quiet=false", {"x", "--quiet=false"}},
        {"p run --tile 8 --quiet --basis sto-3g a b",
         {"x", "a", "--ti=8", "--output", "o.html", "--qu", "--basis", "sto-3g", "--output=o",
          "b"}},
        {"p run --basis 'it'\\''s $x' --basis=--odd 'a b'",
         {"x", "--basis", "it's $x", "--basis=--odd", "a b", "--output", "o"}},
    };
    struct options command = options;
    command.min_operands = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *words[11] = {NULL};
        int n = 0;
        for (; n < 10 && rows[i].words[n]; n++)
            words[n] = rows[i].words[n];
        check_ok(options_parse(&command, n, words, &request, &first_operand));
        json_t *line = command_line_to_json(&command, "p run", n, words, "output,report");
        assert_string_equal(json_string_value(line), rows[i].text);
        json_decref(line);
    }
}

/* Values of a file stand between the defaults and the command line. */
TEST(options_of_a_file)
{
    static const struct {
        const char *path, *text, *message;
    } refused[] = {{"keywords.tlie", "8", "in.json: keywords.tlie: no such option"},
                   {"keywords.help", "true", "in.json: keywords.help: no such option"},
                   {"keywords.tile", "x", "in.json: keywords.tile: --tile: 'x' is not"},
                   {"keywords.quiet", "1", "in.json: keywords.quiet: --quiet: '1' is not"},
                   {"model.basis", "", "in.json: model.basis: --basis: a value is missing"}};
    struct options command = options;
    char *words[] = {"x", "--tile=8", "a", NULL};
    command.giver = "in.json";
    command.given = json_pack("{s:s, s:s, s:s, s:s}", "keywords.tile", "9", "keywords.quiet",
                              "true", "model.basis", "sto-3g", "keywords.screen", "1e-3");
    settings = (struct settings){0};
    check_ok(options_parse(&command, 3, words, &request, &first_operand));
    assert_int_equal(settings.tile, 8);
    assert_true(settings.quiet && settings.screen == 1e-3 && settings.polite);
    assert_string_equal(settings.basis, "sto-3g");
    json_decref(command.given);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        command.given = json_pack("{s:s}", refused[i].path, refused[i].text);
        check_status(STATUS_USAGE, options_parse(&command, 3, words, &request, &first_operand));
        assert_memory_equal(status_text(), refused[i].message, strlen(refused[i].message));
        json_decref(command.given);
    }
}
