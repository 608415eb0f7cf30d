/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule_comment.h"

#include <string.h>
#include <strings.h>

enum quantity { CHARGE, MULTIPLICITY, UNIT, N_QUANTITIES };

enum word_use {
    KEY,          /* its value is read */
    UNPAIRED_KEY, /* its value plus 1 is read */
    HINT,         /* it has no value to be read */
};

static const struct comment_word {
    const char *name;
    enum quantity quantity;
    enum word_use use;
} comment_words[] = {
    {"charge", CHARGE, KEY},
    {"chrg", CHARGE, KEY},
    {"q", CHARGE, HINT},
    {"multiplicity", MULTIPLICITY, KEY},
    {"mult", MULTIPLICITY, KEY},
    {"2s+1", MULTIPLICITY, KEY},
    {"uhf", MULTIPLICITY, UNPAIRED_KEY},
    {"unpaired", MULTIPLICITY, HINT},
    {"spin", MULTIPLICITY, HINT},
    {"doublet", MULTIPLICITY, HINT},
    {"triplet", MULTIPLICITY, HINT},
    {"quartet", MULTIPLICITY, HINT},
    {"quintet", MULTIPLICITY, HINT},
    {"sextet", MULTIPLICITY, HINT},
    {"septet", MULTIPLICITY, HINT},
    {"units", UNIT, KEY},
    {"unit", UNIT, KEY},
    {"bohr", UNIT, HINT},
};

enum { N_COMMENT_WORDS = sizeof comment_words / sizeof comment_words[0] };

struct comment_reading {
    const struct line_reader *reader;
    bool settled[N_QUANTITIES]; /* by the command line */
    bool given[N_QUANTITIES];   /* by the line */
    int values[N_QUANTITIES];
    struct word unread[N_QUANTITIES]; /* the first text that may be about it; empty: none */
    int n_words;
    int64_t numbers[2]; /* the first words, as long as they are whole numbers */
    int n_numbers;
    struct word all_numbers;
};

/* --- words of a line --- */

/* Takes the characters from the start of the text that are, or are not, among these. */
static struct word take_characters(struct word *text, bool among, const char *characters)
{
    struct word taken = {text->begin, 0};
    while (text->length > 0 && (*text->begin && strchr(characters, *text->begin)) == among) {
        text->begin++;
        text->length--;
        taken.length++;
    }
    return taken;
}

/* Takes the value after an =, with or without quotes around it; an empty one without =. */
static struct word take_comment_value(struct word *text, const char *ends)
{
    struct word rest = *text;
    take_characters(&rest, true, " \t");
    if (rest.length == 0 || *rest.begin != '=')
        return (struct word){text->begin, 0};
    take_characters(&rest, true, "=");
    take_characters(&rest, true, " \t");
    const char quote[] = {rest.length > 0 ? *rest.begin : '\0', '\0'};
    bool quoted = *quote == '"' || *quote == '\'';
    if (quoted)
        rest = (struct word){rest.begin + 1, rest.length - 1};
    struct word value = take_characters(&rest, false, quoted ? quote : ends);
    *text = rest;
    return value;
}

static struct word join_words(struct word first, struct word last)
{
    return (struct word){first.begin, (size_t)(last.begin + last.length - first.begin)};
}

/* --- values --- */

static bool read_unit(struct word value, int *unit)
{
    static const char *const names[] = {"bohr", "au", "a.u.", "angstrom", "angstroms", "ang", "a"};
    for (int i = 0; i < (int)(sizeof names / sizeof names[0]); i++)
        if (word_equals(value, names[i])) {
            *unit = i < 3 ? LENGTH_BOHR : LENGTH_ANGSTROM;
            return true;
        }
    return false;
}

static bool read_whole_number(struct word value, int add, int *number)
{
    int64_t whole;
    if (!word_to_whole(value, &whole) || whole < -1000000 || whole > 1000000)
        return false;
    *number = (int)whole + add;
    return true;
}

static enum status read_key(struct comment_reading *reading, const struct comment_word *key,
                            struct word value)
{
    enum quantity q = key->quantity;
    int number, add = key->use == UNPAIRED_KEY;
    bool read = q == UNIT ? read_unit(value, &number) : read_whole_number(value, add, &number);
    if (!read && !reading->settled[q])
        return line_reader_fail(reading->reader, "%s= expects %s, found '%s'", key->name,
                                q == UNIT ? "bohr or angstrom" : "a whole number",
                                word_show(value).text);
    if (read && reading->given[q] && reading->values[q] != number && !reading->settled[q])
        return line_reader_fail(reading->reader,
                                "%s=%s differs from what the comment line says before: leave one "
                                "out",
                                key->name, word_show(value).text);
    if (read) {
        reading->given[q] = true;
        reading->values[q] = number;
    }
    return STATUS_OK;
}

/* --- other text --- */

/* Whether the word is the name or, unless that is short, contains it. */
static bool mentions(struct word word, const char *name)
{
    size_t length = strlen(name);
    if (length < 5)
        return word_equals(word, name);
    for (size_t i = 0; i + length <= word.length; i++)
        if (strncasecmp(word.begin + i, name, length) == 0)
            return true;
    return false;
}

static void keep_unread(struct comment_reading *reading, enum quantity quantity, struct word text)
{
    if (reading->unread[quantity].length == 0)
        reading->unread[quantity] = text;
}

static void note_number(struct comment_reading *reading, struct word word)
{
    int n = reading->n_numbers;
    if (n != reading->n_words || n == 2 || !word_to_integer(word, &reading->numbers[n]))
        return;
    reading->all_numbers = n == 0 ? word : join_words(reading->all_numbers, word);
    reading->n_numbers++;
}

/* Numbers at the start of the line: charge and multiplicity if they are alone. */
static void read_bare_numbers(struct comment_reading *reading)
{
    int64_t charge = reading->numbers[0], multiplicity = reading->numbers[1];
    bool two = reading->n_numbers == 2, alone = reading->n_words == 2;
    bool possible = charge >= -9 && charge <= 9 && multiplicity >= 1 && multiplicity <= 9;
    if (two && alone && possible) {
        reading->given[CHARGE] = reading->given[MULTIPLICITY] = true;
        reading->values[CHARGE] = (int)charge;
        reading->values[MULTIPLICITY] = (int)multiplicity;
    } else if (two ? alone || possible : reading->n_numbers == 1 && charge < 0) {
        keep_unread(reading, CHARGE, reading->all_numbers);
        keep_unread(reading, MULTIPLICITY, reading->all_numbers);
    }
}

static enum status read_word(struct comment_reading *reading, struct word word, struct word value)
{
    note_number(reading, word);
    reading->n_words++;
    for (int i = 0; i < N_COMMENT_WORDS; i++) {
        const struct comment_word *known = &comment_words[i];
        bool has_value = value.begin > word.begin + word.length;
        if (has_value && known->use != HINT && word_equals(word, known->name))
            return read_key(reading, known, value);
        if (mentions(word, known->name))
            keep_unread(reading, known->quantity, has_value ? join_words(word, value) : word);
    }
    return STATUS_OK;
}

enum status molecule_comment_read(const struct line_reader *reader,
                                  const struct molecule_settings *settings,
                                  struct molecule_comment *comment)
{
    static const char ends[] = " \t\r,;:|\"'#()[]{}<>=", value_ends[] = " \t\r,;|\"'#()[]{}<>";
    struct comment_reading reading = {
        .reader = reader,
        .settled = {settings->charge_given, settings->multiplicity_given, settings->unit_given}};
    *comment = (struct molecule_comment){0};
    struct word rest = reader->all;
    for (;;) {
        take_characters(&rest, true, ends);
        if (rest.length == 0)
            break;
        struct word word = take_characters(&rest, false, ends);
        TRY(read_word(&reading, word, take_comment_value(&rest, value_ends)));
    }
    read_bare_numbers(&reading);
    comment->charge_given = reading.given[CHARGE];
    comment->charge = reading.values[CHARGE];
    comment->multiplicity_given = reading.given[MULTIPLICITY];
    comment->multiplicity = reading.values[MULTIPLICITY];
    comment->unit_given = reading.given[UNIT];
    comment->unit = (enum length_unit)reading.values[UNIT];
    for (int q = N_QUANTITIES - 1; q >= 0; q--)
        if (!reading.given[q] && !reading.settled[q] && reading.unread[q].length > 0)
            comment->unread = word_show(reading.unread[q]);
    return STATUS_OK;
}
