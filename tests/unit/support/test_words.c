/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and fields of a text and their numbers; lines and the messages about them. */
#include "support/io/text_file.h"
#include "tests/check.h"

#include <string.h>

static void check_word(const char *expected, struct word word)
{
    assert_int_equal(strlen(expected), word.length);
    assert_memory_equal(expected, word.begin, word.length);
}

/* Words by take_word or fields by take_field, to the last. */
static void check_words(bool (*take)(struct word *rest, struct word *word), const char *text,
                        const char *const expected[])
{
    struct word rest = word_from_text(text), word;
    for (; *expected; expected++) {
        assert_true(take(&rest, &word));
        check_word(*expected, word);
    }
    assert_false(take(&rest, &word) || take(&rest, &word));
}

#define TEXTS(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

TEST(words_are_ended_by_white_space_and_fields_by_commas)
{
    struct word fields[2];
    check_words(take_word, " one\ttwo\r\n three", TEXTS("one", "two", "three"));
    check_words(take_word, " \n", TEXTS(NULL));
    check_words(take_field, " a b ,\"c\",,\" d \"\r", TEXTS("a b", "c", "", " d "));
    check_words(take_field, "", TEXTS(""));
    assert_true(split_fields(word_from_text("task, seconds"), 2, fields));
    assert_true(word_equals(fields[0], "TASK") && word_equals(fields[1], "seconds"));
    assert_false(word_equals(fields[0], "tas") || word_equals(fields[0], "tasks"));
    assert_true(words_match(fields[0], word_from_text("task")));
    assert_false(words_match(fields[0], word_from_text("Task")));
    assert_false(split_fields(word_from_text("1"), 2, fields));
    assert_false(split_fields(word_from_text("1,2,"), 2, fields));
}

/* A real, an integer, and a whole number that may have an exponent. A refusal keeps the value. */
TEST(words_spell_numbers)
{
    static const struct {
        const char *text;
        bool is_integer, is_whole;
        double real;
        int64_t whole;
    } rows[] = {
        {"-1.25D-2", false, false, -0.0125, 7},
        {"6.2198*^-6", false, false, 6.2198e-6, 7},
        {"9223372036854775807", true, true, 9223372036854775807.0, INT64_MAX},
        {"-9223372036854775808", true, true, -9223372036854775808.0, INT64_MIN},
        {"9007199254740993", true, true, 9007199254740992.0, 9007199254740993},
        {"9.007199254740993e15", false, true, 9007199254740992.0, 9007199254740993},
        {"-2.50E3", false, true, -2500, -2500},
        {"1200e-2", false, true, 12, 12},
        {"0e999", false, true, 0, 0},
        {"9e18", false, true, 9e18, 9000000000000000000},
        {"9223372036854775808", false, false, 9223372036854775808.0, 7},
        {"-9223372036854775809", false, false, -9223372036854775808.0, 7},
        {"25e-2", false, false, 0.25, 7},
        {"1e19", false, false, 1e19, 7},
        {"0.0e-9223372036854775808", false, false, 0, 7},
    };
    static const char *const others[] = {"",     "nan", "inf",    "0x1p3", "0x10", "1e999", "1,5",
                                         "1.5s", "1 ",  " 1",     "--1",   "+-1",  "e5",    ".",
                                         "1e",   "-",   "1e5e",   "1e2.0", "\xb2", "1_0",   "1*^",
                                         "*^3",  "1^3", "1*^3e2", "1*3",   "1*^^3"};
    double real = 7;
    int64_t integer = 7;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        struct word word = word_from_text(others[i]);
        if (word_to_real(word, &real) || word_to_integer(word, &integer) ||
            word_to_whole(word, &integer))
            fail_msg("'%s' is no number", others[i]);
    }
    assert_true(real == 7 && integer == 7);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct word word = word_from_text(rows[i].text);
        int64_t whole = integer = 7;
        assert_true(word_to_real(word, &real));
        assert_int_equal(word_to_integer(word, &integer), rows[i].is_integer);
        assert_int_equal(word_to_whole(word, &whole), rows[i].is_whole);
        assert_true(real == rows[i].real);
        assert_int_equal(integer, rows[i].is_integer ? rows[i].whole : 7);
        assert_int_equal(whole, rows[i].whole);
    }
}

TEST(texts_are_lists_of_numbers)
{
    double values[2];
    assert_int_equal(text_to_reals("0.5, 1e-3", 2, values), 0);
    assert_true(values[0] == 0.5 && values[1] == 1e-3);
    static const struct {
        const char *text;
        int n, wrong;
    } rows[] = {{"0.5", 2, 2}, {"0.5,1,2", 2, 3}, {"0.5,x", 2, 2}, {"x,nan", 2, 1}, {"", 1, 1}};
    for (int i = 0; i < 5; i++)
        assert_int_equal(text_to_reals(rows[i].text, rows[i].n, values), rows[i].wrong);
}

TEST(messages_show_words_safely)
{
    char longer[100];
    memset(longer, 'x', sizeof longer);
    assert_string_equal("a?[31m", word_show(word_from_text("a\x1b[31m")).text);
    struct word_text shown = word_show((struct word){longer, sizeof longer});
    assert_int_equal(strlen(shown.text), 40);
    assert_string_equal("...", shown.text + 37);
}

TEST(lines_are_counted_and_named)
{
    static const char text[] = "\xEF\xBB\xBF\n# nothing\n one two # three\r\n\nlast";
    struct line_reader reader;
    line_reader_init(&reader, text, sizeof text - 1, "file", "#");
    assert_true(line_reader_next_filled(&reader));
    assert_int_equal(reader.n_words, 2);
    check_word("two", reader.words[1]);
    check_status(STATUS_INPUT, line_reader_fail(&reader, "a flaw of %d", 1));
    assert_string_equal("file:3: a flaw of 1", status_text());
    assert_true(line_reader_next(&reader) && reader.n_words == 0);
    assert_true(line_reader_next_filled(&reader));
    check_word("last", reader.all);
    assert_false(line_reader_next(&reader));
    assert_int_equal(reader.line, 5);
    line_reader_init(&reader, "a\rb c\r", 6, "file", "");
    assert_true(line_reader_next(&reader) && line_reader_next(&reader));
    check_word("b c", reader.all);
    assert_false(line_reader_next(&reader));
}

TEST(head_of_a_table)
{
    static const char *const right[] = {"task,seconds\n", "\n Task , \"SECONDS\"\r\n"};
    static const char *const wrong[] = {"", "task\n", "task,second\n", "task,seconds,\n",
                                        "x,task,seconds"};
    struct line_reader reader;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        line_reader_init(&reader, right[i], strlen(right[i]), "file", "");
        check_ok(line_reader_take_head(&reader, "a profile", "task,seconds"));
        assert_false(line_reader_next(&reader));
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        line_reader_init(&reader, wrong[i], strlen(wrong[i]), "file", "");
        check_status(STATUS_INPUT, line_reader_take_head(&reader, "a profile", "task,seconds"));
        assert_string_equal("file:1: a profile begins with the line 'task,seconds'", status_text());
    }
}

TEST(words_beyond_the_limit_are_not_lost)
{
    char text[2 * (LINE_MAX_WORDS + 3)];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 2 ? ' ' : 'x';
    struct line_reader reader;
    line_reader_init(&reader, text, sizeof text, "file", "");
    assert_true(line_reader_next(&reader));
    assert_int_equal(reader.n_words, LINE_MAX_WORDS);
    struct word rest = reader.all, word;
    int n = 0;
    while (take_word(&rest, &word))
        n++;
    assert_int_equal(n, LINE_MAX_WORDS + 3);
}

/* The nearest of several names is offered, the first of equally near ones, and none that is far. */
TEST(mistyped_words_bring_a_suggestion)
{
    static const struct {
        const char *typed, *names, *dashes, *text;
    } cases[] = {
        {"freeze-core", "freeze,frozen-core,freeze-virtuals", "--",
         ": did you mean --frozen-core?"},
        {"frozencore", "freeze,frozen-core", "--", ": did you mean --frozen-core?"},
        {"max_iter", "max-iter,max-iter-amplitudes", "--", ": did you mean --max-iter?"},
        {"stael", "static|share|steal", NULL, ": did you mean steal?"},
        {"UHF", "rhf,uhf", NULL, ": did you mean uhf?"},
        {"xhf", "rhf,uhf", NULL, ": did you mean rhf?"},
        {"ccsd-t", "ccsd, ccsd_t, ccsdt", NULL, ": did you mean ccsd_t?"},
        {"cc-pvdzz", "aug-cc-pvdz, cc-pvdz, cc-pvtz", NULL, ": did you mean cc-pvdz?"},
        {"lpt", "static,af,wf", NULL, ""},
        {"nonsense", "static,counter,persist", NULL, ""},
        {"abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz", "abcdefghijklmnopqrstuvwxyz",
         NULL, ""},
        {"abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-"
         "abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz-abcdefghijklmnopqrstuvwxyz",
         "rhf,uhf", NULL, ""},
        {"", "rhf,uhf", NULL, ""},
        {"steal", "", NULL, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct suggestion suggestion = {.typed = word_from_text(cases[i].typed),
                                        .dashes = cases[i].dashes};
        suggestion_add(&suggestion, cases[i].names);
        assert_string_equal(suggestion.text, cases[i].text);
    }
    /* From list to list, a nearer name replaces one before. */
    struct suggestion suggestion = {.typed = {"tile=3", 4}};
    suggestion_add(&suggestion, "title");
    suggestion_add(&suggestion, "tile");
    suggestion_add(&suggestion, "file");
    assert_string_equal(suggestion.text, ": did you mean tile?");
}
