/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a command line: full names, no outputs, words that a shell takes as they were. */
#include "support/io/options.h"
#include "tests/check.h"

#include <string.h>

struct settings {
    int64_t tile, threads;
    const char *basis, *json;
    bool quiet;
};

#define FIELD(name) offsetof(struct settings, name)

static const struct option_row rows[] = {
    INTEGER_OPTION("tile", FIELD(tile), 1, 1e6, .default_text = "40", .help = "size"),
    INTEGER_OPTION("threads", FIELD(threads), 1, 9, .default_text = "1", .help = "threads"),
    TEXT_OPTION("basis", FIELD(basis), .help = "basis set"),
    TEXT_OPTION("json", FIELD(json), .help = "result"),
    FLAG_OPTION("quiet", FIELD(quiet), .help = "print nothing"),
};

static void check_line(const char *expected, int argc, char *argv[])
{
    struct settings settings = {0};
    const struct option_table table = OPTION_TABLE("Options", rows, &settings);
    const struct options options = {.program = "p",
                                    .synopsis = "FILE",
                                    .purpose = "Tests.",
                                    .tables = &table,
                                    .n_tables = 1,
                                    .max_operands = 3,
                                    .operand_name = "FILE"};
    enum option_request request;
    int first;
    check_ok(options_parse(&options, argc, argv, &request, &first));
    json_t *line = command_line_to_json(&options, "p run", argc, argv, "json,report");
    assert_non_null(line);
    assert_string_equal(json_string_value(line), expected);
    json_decref(line);
}

TEST(names_are_full_and_outputs_left_out)
{
    check_line("p run --tile 8 --quiet --basis sto-3g a.xyz b", 10,
               (char *[]){"x", "a.xyz", "--ti=8", "--json", "out.json", "--qu", "--basis", "sto-3g",
                          "--json=o", "b", NULL});
    check_line("p run --quiet=false", 2, (char *[]){"x", "--quiet=false", NULL});
    check_line("p run", 1, (char *[]){"x", NULL});
}

TEST(words_are_quoted_for_a_shell)
{
    check_line("p run --basis 'it'\\''s $x' --basis=--odd 'a b'", 7,
               (char *[]){"x", "--basis", "it's $x", "--basis=--odd", "a b", "--json", "o", NULL});
}
