/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"

#include "support/base/array.h"
#include "support/io/text_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the comment line --- */

/* The comment line of a frame, which may give charge, multiplicity and units:
 *
 *   charge=-1 multiplicity=2 units=bohr   key=value, in any case, anywhere in the line: the names
 *                                         of comment_words that are READ. Other keys are skipped
 *                                         with their values.
 *   Properties=species:S:1:pos:R:3        extended XYZ: the columns of a centre, each by name, type
 *                                         and count; pbc= and Lattice= say that it is periodic
 *   0 3                                   two small whole numbers alone: charge and multiplicity
 *
 * Keys and values may stand in quotes, within which a backslash precedes further quotes, and blanks
 * around the =. Other text is a comment. Words that may be about a charge, multiplicity or unit are
 * kept for a warning unless the line or the command line gives it, or the number beside them is the
 * default: the names of comment_words, formulas of ions such as H3O+, and columns initial_charges
 * and initial_magmoms of extended XYZ. */

enum quantity { CHARGE, MULTIPLICITY, UNIT, N_QUANTITIES };

enum word_value {
    UNREAD,
    READ,     /* after an = */
    UNPAIRED, /* likewise; plus 1 it is the multiplicity */
};

/* Where a word without a value to be read is kept for a warning. */
enum word_hint {
    BESIDE, /* if a small number follows, or the name of a unit */
    INLINE, /* also if a small number stands elsewhere in the line */
    ALONE,
};

static const struct comment_word {
    const char *names;
    enum quantity quantity;
    enum word_value value;
    enum word_hint hint;
    int expected; /* the number beside it that changes nothing */
} comment_words[] = {
    {"charge", CHARGE, READ, INLINE, 0},
    {"chrg total_charge net_charge molecular_charge", CHARGE, READ, BESIDE, 0},
    {"q chg charges", CHARGE, UNREAD, BESIDE, 0},
    {"cation dication trication anion dianion trianion cationic anionic", CHARGE, UNREAD, ALONE, 0},
    {"multiplicity", MULTIPLICITY, READ, INLINE, 1},
    {"mult 2s+1 spin_multiplicity molecular_multiplicity", MULTIPLICITY, READ, BESIDE, 1},
    {"uhf", MULTIPLICITY, UNPAIRED, BESIDE, 0},
    {"s ms sz ms2 magmom nunpaired", MULTIPLICITY, UNREAD, BESIDE, 0},
    {"spinmult multi", MULTIPLICITY, UNREAD, BESIDE, 1},
    {"spin unpaired open-shell openshell radical diradical biradical", MULTIPLICITY, UNREAD, ALONE,
     0},
    {"doublet triplet quartet quintet sextet septet", MULTIPLICITY, UNREAD, ALONE, 0},
    {"units unit", UNIT, READ, BESIDE, LENGTH_ANGSTROM},
    {"bohr", UNIT, UNREAD, ALONE, LENGTH_ANGSTROM},
};

enum { N_COMMENT_WORDS = sizeof comment_words / sizeof comment_words[0] };

/* Columns of a centre's line, from 0. */
struct columns {
    int64_t element, position; /* the first of three positions */
    int64_t n;                 /* of the line; 0: further ones may follow */
};

enum { MAX_COLUMNS = 1000000 }; /* of one property */

struct comment_reading {
    const struct line_reader *reader;
    struct columns *columns;
    struct word pbc, lattice;   /* the values of these keys */
    bool settled[N_QUANTITIES]; /* by the command line */
    bool given[N_QUANTITIES];   /* by the frame */
    int values[N_QUANTITIES];
    struct word unread[N_QUANTITIES];   /* the first text that may be about it; empty: none */
    struct word unlikely[N_QUANTITIES]; /* likewise, if the line has a small number */
    bool has_number;                    /* a small one, not 0, as a word */
    int n_words;
    int64_t numbers[2]; /* the first words, as long as they are whole numbers */
    int n_numbers;
    struct word all_numbers;
};

static struct word skip_characters(struct word text, size_t n)
{
    return (struct word){text.begin + n, text.length - n};
}

/* Takes the characters from the start of the text that are, or are not, among these. */
static struct word take_characters(struct word *text, bool among, const char *characters)
{
    size_t n = 0;
    while (n < text->length && (text->begin[n] && strchr(characters, text->begin[n])) == among)
        n++;
    struct word taken = {text->begin, n};
    *text = skip_characters(*text, n);
    return taken;
}

/* What ends a word of the comment line, and a value, which may have a colon and an =. */
static const char word_ends[] = " \t\r,;:|\"'#()[]{}<>=";
static const char value_ends[] = " \t\r,;|\"'#()[]{}<>";

static struct word take_comment_word(struct word *text)
{
    take_characters(text, true, word_ends);
    return take_characters(text, false, word_ends);
}

/* The place of the quote that ends the text, which begins with one; 0: none does. */
static size_t find_quote(struct word text)
{
    for (size_t n = 1; n < text.length; n++)
        if (text.begin[n] == *text.begin && text.begin[n - 1] != '\\')
            return n;
    return 0;
}

/* Takes the value after an =, with or without quotes around it; its begin is NULL without =. It is empty
 * where a blank and another key with its = follow. */
static struct word take_comment_value(struct word *text)
{
    struct word rest = *text, next;
    take_characters(&rest, true, " \t\"'");
    if (rest.length == 0 || *rest.begin != '=')
        return (struct word){0};
    take_characters(&rest, true, "=");
    *text = next = rest;
    if (take_characters(&rest, true, " \t").length > 0 && take_comment_word(&next).length > 0 &&
        next.length > 0 && *next.begin == '=')
        return (struct word){text->begin, 0};
    *text = rest;
    bool quoted = rest.length > 0 && (*rest.begin == '"' || *rest.begin == '\'');
    size_t n = quoted ? find_quote(rest) : 0;
    if (n == 0) {
        *text = skip_characters(rest, quoted);
        return take_characters(text, false, value_ends);
    }
    *text = skip_characters(rest, n);
    return (struct word){rest.begin + 1, n - 1};
}

static struct word join_words(struct word first, struct word last)
{
    return (struct word){first.begin, (size_t)(last.begin + last.length - first.begin)};
}

/* Takes the text before the next colon, and the colon. */
static struct word take_property_part(struct word *text)
{
    struct word part = take_characters(text, false, ":");
    if (text->length > 0)
        *text = (struct word){text->begin + 1, text->length - 1};
    return part;
}

/* Takes "name:type:count" from the start of the text, and the colon after it, if there is *more.
 * count  0: malformed */
static struct word take_property(struct word *text, int64_t *count, bool *more)
{
    struct word name = take_property_part(text), type = take_property_part(text);
    struct word number = take_property_part(text);
    *more = text->begin > number.begin + number.length;
    if (name.length == 0 || type.length == 0 || !word_to_integer(number, count) || *count < 0 ||
        *count > MAX_COLUMNS)
        *count = 0;
    return join_words(name, number);
}

static void keep_text(struct word *place, struct word text)
{
    if (place->length == 0)
        *place = text;
}

/* Reads the value of Properties=. Errors: STATUS_INPUT with name and line. */
static enum status read_properties(struct comment_reading *reading, struct word value)
{
    static const char *const sought[] = {"pos:R:3", "species:S:1", "Z:I:1", "initial_charges:R:1",
                                         "initial_magmoms:R:1"};
    const struct line_reader *reader = reading->reader;
    struct columns *columns = reading->columns;
    int64_t count, first[] = {-1, -1, -1, -1, -1};
    bool more = true;
    for (columns->n = 0; more; columns->n += count) {
        struct word property = take_property(&value, &count, &more);
        if (count == 0)
            return line_reader_fail(reader,
                                    "Properties= expects name:type:count for all columns, found "
                                    "'%s'",
                                    word_show(property).text);
        for (int i = 0; i < 5; i++) {
            bool is_it = word_equals(property, sought[i]);
            if (is_it && first[i] >= 0)
                return line_reader_fail(reader, "Properties= has %s twice", sought[i]);
            if (is_it && i >= 3)
                keep_text(&reading->unread[i == 3 ? CHARGE : MULTIPLICITY], property);
            first[i] = is_it ? columns->n : first[i];
        }
    }
    if (first[0] < 0 || (first[1] < 0 && first[2] < 0))
        return line_reader_fail(reader, "Properties= lacks %s so",
                                first[0] < 0 ? "pos:R:3: name the columns of x, y and z"
                                             : "species:S:1 and Z:I:1: name the column of symbols "
                                               "or of atomic numbers");
    columns->position = first[0];
    columns->element = first[1] >= 0 ? first[1] : first[2];
    return STATUS_OK;
}

/* The name of a unit. */
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

/* Whether a value such as "T F T" or "true" has one that holds. */
static bool has_true(struct word values)
{
    take_characters(&values, false, "Tt1");
    return values.length > 0;
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
                            struct word word, struct word value)
{
    const struct word_text name = word_show(word);
    enum quantity q = key->quantity;
    int number, add = key->value == UNPAIRED;
    bool read = q == UNIT ? read_unit(value, &number) : read_whole_number(value, add, &number);
    if (!read && !reading->settled[q])
        return line_reader_fail(reading->reader, "%s= expects %s, found '%s'", name.text,
                                q == UNIT ? "bohr or angstrom" : "a whole number",
                                word_show(value).text);
    if (read && reading->given[q] && reading->values[q] != number && !reading->settled[q])
        return line_reader_fail(reading->reader,
                                "%s=%s differs from what the file says before: leave one out",
                                name.text, word_show(value).text);
    if (read) {
        reading->given[q] = true;
        reading->values[q] = number;
    }
    return STATUS_OK;
}

/* Whether the name stands in the word with no letter before or after it, or is_all of it. */
static bool mentions(struct word word, struct word name, bool is_all)
{
    if (is_all)
        return word.length == name.length && strncasecmp(word.begin, name.begin, name.length) == 0;
    for (size_t i = 0; i + name.length <= word.length; i++)
        if (strncasecmp(word.begin + i, name.begin, name.length) == 0 &&
            (i == 0 || !isalpha((unsigned char)word.begin[i - 1])) &&
            (i + name.length == word.length ||
             !isalpha((unsigned char)word.begin[i + name.length])))
            return true;
    return false;
}

static bool mentions_any(struct word word, const char *names, bool is_all)
{
    struct word rest = word_from_text(names), name;
    while (take_word(&rest, &name))
        if (mentions(word, name, is_all))
            return true;
    return false;
}

static bool is_sign(char c)
{
    return c == '+' || c == '-';
}

/* A multiple of 1/2 below 10, as people write charges and spins: -1, 1+, 1.0, 0.5, 3/2. */
static bool read_small_number(struct word word, double *number)
{
    bool is_half = word.length > 2 && strncmp(word.begin + word.length - 2, "/2", 2) == 0;
    word.length -= is_half ? 2 : 0;
    bool ends_with_sign = word.length > 1 && is_sign(word.begin[word.length - 1]);
    word.length -= ends_with_sign;
    if (!word_to_real(word, number) || fabs(*number) >= 10)
        return false;
    *number /= is_half ? 2 : 1;
    return fmod(2 * *number, 1) == 0;
}

/* Whether the word is the formula of an ion, such as H3O+, Cl--, Fe3+ or SO4^2-, or a charge such as 2+ or
 * +2, or the signs after a bracket, as in [H2O]+ or H2O(+); all: the line that it is in. */
static bool is_ion(struct word word, struct word all)
{
    size_t n = word.length;
    double charge;
    if (*word.begin == '+' && read_small_number(word, &charge))
        return true;
    while (n > 0 && word.begin[n - 1] == '-')
        n--;
    n -= n == word.length && word.begin[n - 1] == '+';
    if (n == 0)
        return word.begin > all.begin && strchr("])(", word.begin[-1]);
    if (n == word.length)
        return false;
    for (size_t i = 0, length; i < n; i += length) {
        const char *c = word.begin + i;
        length = i + 1 < n && islower((unsigned char)c[1]) ? 2 : 1;
        if (!isdigit((unsigned char)*c) && *c != '^' &&
            !(isupper((unsigned char)*c) && element_number(c, length) > 0))
            return false;
    }
    return true;
}

/* Keeps a word without a value to be read for a warning, with the number beside it.
 * beside  the value, or the next word of the line */
static void keep_hint(struct comment_reading *reading, const struct comment_word *known,
                      struct word word, struct word beside)
{
    double number;
    int unit;
    bool is_number = read_small_number(beside, &number);
    if (known->quantity == UNIT && (is_number = read_unit(beside, &unit)))
        number = unit;
    struct word text = is_number ? join_words(word, beside) : word;
    bool alone = known->hint == ALONE && !word_equals(beside, "multiplicity"); /* after spin */
    if (is_number ? number != known->expected : alone)
        keep_text(&reading->unread[known->quantity], text);
    else if (!is_number && known->hint == INLINE)
        keep_text(&reading->unlikely[known->quantity], text);
}

static void note_number(struct comment_reading *reading, struct word word)
{
    int n = reading->n_numbers;
    double number;
    if (read_small_number(word, &number) && number != 0)
        reading->has_number = true;
    if (n != reading->n_words++ || n == 2 || !word_to_integer(word, &reading->numbers[n]))
        return;
    reading->all_numbers = n == 0 ? word : join_words(reading->all_numbers, word);
    reading->n_numbers++;
}

/* Numbers at the start of the line: charge and multiplicity if they are alone. Text that may be
 * meant so, but is not taken, is kept for a warning: two numbers that are either alone or possible
 * values, but for 0 1, and one negative number. */
static void read_bare_numbers(struct comment_reading *reading)
{
    int64_t charge = reading->numbers[0], multiplicity = reading->numbers[1];
    bool two = reading->n_numbers == 2, alone = reading->n_words == 2;
    bool possible = charge >= -9 && charge <= 9 && multiplicity >= 1 && multiplicity <= 9;
    if (two && alone && possible) {
        reading->given[CHARGE] = reading->given[MULTIPLICITY] = true;
        reading->values[CHARGE] = (int)charge;
        reading->values[MULTIPLICITY] = (int)multiplicity;
    } else if (two ? (alone || possible) && (charge != 0 || multiplicity != 1)
                   : reading->n_numbers == 1 && charge < 0) {
        keep_text(&reading->unread[CHARGE], reading->all_numbers);
        keep_text(&reading->unread[MULTIPLICITY], reading->all_numbers);
    }
}

/* Reads a word with its value and the word that follows. */
static enum status read_word(struct comment_reading *reading, struct word word, struct word value,
                             struct word next)
{
    bool has_value = value.begin;
    if (word.length > 2 && strncmp(word.begin, "--", 2) == 0) /* an option */
        word = skip_characters(word, 2);
    note_number(reading, word);
    if (has_value && word_equals(word, "properties") && reading->columns->n > 0)
        return line_reader_fail(reading->reader, "Properties= stands twice: leave one out");
    if (has_value && word_equals(word, "properties"))
        return read_properties(reading, value);
    if (has_value && word_equals(word, "pbc"))
        reading->pbc = value;
    if (has_value && word_equals(word, "lattice"))
        reading->lattice = value;
    if (is_ion(word, reading->reader->all))
        keep_text(&reading->unread[CHARGE], word);
    for (int i = 0; has_value && i < N_COMMENT_WORDS; i++)
        if (comment_words[i].value != UNREAD && mentions_any(word, comment_words[i].names, true))
            return read_key(reading, &comment_words[i], word, value);
    for (int i = 0; i < N_COMMENT_WORDS; i++)
        if (mentions_any(word, comment_words[i].names, comment_words[i].hint == BESIDE))
            keep_hint(reading, &comment_words[i], word, has_value ? value : next);
        else if (has_value && comment_words[i].hint == ALONE &&
                 mentions_any(value, comment_words[i].names, true))
            keep_text(&reading->unread[comment_words[i].quantity], join_words(word, value));
    return STATUS_OK;
}

static enum status read_words(struct comment_reading *reading)
{
    struct word rest = reading->reader->all, word;
    while ((word = take_comment_word(&rest)).length > 0) {
        struct word value = take_comment_value(&rest), after = rest;
        TRY(read_word(reading, word, value, take_comment_word(&after)));
    }
    read_bare_numbers(reading);
    return STATUS_OK;
}

/* Reads the reader's current line. settings: the *_given fields alone, as what they settle is not
 * refused.
 * unit  that the line before gives, or -1
 * Errors: STATUS_INPUT with name and line (a value that the key does not take, or that
 * differs from an earlier one). */
static enum status read_comment_line(const struct line_reader *reader,
                                     const struct molecule_settings *settings, int unit,
                                     struct molecule_comment *comment, struct columns *columns)
{
    struct comment_reading reading = {
        .reader = reader,
        .columns = columns,
        .given = {[UNIT] = unit >= 0},
        .values = {[MULTIPLICITY] = 1, [UNIT] = unit >= 0 ? unit : 0},
        .settled = {settings->charge_given, settings->multiplicity_given, settings->unit_given}};
    TRY(read_words(&reading));
    *comment = (struct molecule_comment){
        .line = reader->line,
        .charge_given = reading.given[CHARGE],
        .charge = reading.values[CHARGE],
        .multiplicity_given = reading.given[MULTIPLICITY],
        .multiplicity = reading.values[MULTIPLICITY],
        .unit_given = reading.given[UNIT],
        .unit = (enum length_unit)reading.values[UNIT],
        .periodic = reading.pbc.length > 0 ? has_true(reading.pbc) : reading.lattice.length > 0,
    };
    for (int q = N_QUANTITIES - 1; q >= 0; q--) { /* the first quantity wins */
        if (reading.has_number)
            keep_text(&reading.unread[q], reading.unlikely[q]);
        if (!reading.given[q] && !reading.settled[q] && reading.unread[q].length > 0)
            comment->unread = word_show(reading.unread[q]);
    }
    return STATUS_OK;
}

/* --- labels of centres --- */

/* The element that a symbol names, perhaps with a label of a digit or _ and further letters, digits and _ after
 * it: O, O1, H_w. D and T are hydrogen. 0 for Bq with digits alone, -1 for others. */
static int labelled_element(struct word word, bool *isotope)
{
    size_t n = 0, end;
    while (n < word.length && isalpha((unsigned char)word.begin[n]))
        n++;
    int element = element_number(word.begin, n);
    if (n == 1 && strchr("DdTt", *word.begin)) {
        *isotope = true;
        element = 1;
    }
    for (end = n; end < word.length; end++) {
        unsigned char c = (unsigned char)word.begin[end];
        if (!isdigit(c) && (element == 0 || (c != '_' && !isalpha(c))))
            return -1;
    }
    return element;
}

/* The element of a ghost with its functions; 0 for dummy centres of ASE (X) and Open Babel (*, Xx), perhaps
 * numbered; -1 for others. */
static int ghost_element(struct word word, bool *isotope)
{
    static const char *const dummies[] = {"*", "Xx", "X"};
    struct word name = word;
    int element = ghost_mark_take(&name) ? labelled_element(name, isotope) : -1;
    if (element > 0)
        return element;
    while (word.length > 1 && isdigit((unsigned char)word.begin[word.length - 1]))
        word.length--;
    for (int i = 0; i < 3; i++)
        if (word_equals(word, dummies[i]))
            return 0;
    return -1;
}

/* Whether the word names a centre; if so, makes it, at the origin. */
static bool read_label(struct word word, struct atom *atom, bool *isotope)
{
    int64_t number;
    if (word_to_integer(word, &number)) {
        *atom = atom_of_element((int)number, false);
        return number >= 1 && number <= MAX_ATOMIC_NUMBER;
    }
    int element = labelled_element(word, isotope);
    bool ghost = element <= 0;
    if (element < 0)
        element = ghost_element(word, isotope);
    *atom = atom_of_element(element, ghost);
    return element >= 0;
}

/* --- frames --- */

enum { MAX_ATOMS = 1000000 };

/* Beyond it, in either unit, squared distances lose all meaning. */
static const double max_coordinate = 1e9;

struct xyz {
    struct line_reader reader;
    const struct molecule_settings *settings;
    enum length_unit unit;
    struct columns columns;
    bool bare_numbers;
    bool repeats_elements, has_flags, has_frozen; /* see note_second_column */
    int64_t first_line, n_announced;              /* of the frame */
};

/* Whether the line may begin a frame: a whole number alone, or with a unit, -1 without. */
static bool is_count(const struct line_reader *reader, int64_t *n, int *unit)
{
    *unit = -1;
    return reader->n_words > 0 && word_to_integer(reader->words[0], n) &&
           (reader->n_words == 1 || (reader->n_words == 2 && read_unit(reader->words[1], unit)));
}

static enum status read_count(struct xyz *xyz, int *unit)
{
    struct line_reader *reader = &xyz->reader;
    int64_t *n = &xyz->n_announced;
    if (!is_count(reader, n, unit))
        return line_reader_fail(reader, "expected the number of centres alone, found '%s'",
                                word_show(reader->all).text);
    if (*n < 1 || *n > MAX_ATOMS)
        return line_reader_fail(reader, "%" PRId64 " centres, but 1 to %d are possible", *n,
                                MAX_ATOMS);
    xyz->first_line = reader->line;
    return STATUS_OK;
}

static enum status fail_of_count(const struct xyz *xyz, const char *found)
{
    return line_reader_fail(&xyz->reader, "line %" PRId64 " announces %" PRId64 " centres, but %s",
                            xyz->first_line, xyz->n_announced, found);
}

/* Takes from the comment line what the settings leave open. */
static enum status read_comment(struct xyz *xyz, int unit, struct molecule *molecule)
{
    const struct molecule_settings *settings = xyz->settings;
    struct molecule_comment *comment = &molecule->comment;
    if (!line_reader_next(&xyz->reader))
        return fail_of_count(xyz, "0 follow");
    xyz->columns = (struct columns){0, 1, 0};
    TRY(read_comment_line(&xyz->reader, settings, unit, comment, &xyz->columns));
    molecule->charge = settings->charge_given ? settings->charge : comment->charge;
    molecule->multiplicity =
        settings->multiplicity_given ? settings->multiplicity : comment->multiplicity;
    xyz->unit = comment->unit_given && !settings->unit_given ? comment->unit : settings->unit;
    return STATUS_OK;
}

/* The words of the current line that stand for the element and x, y and z, empty where they are missing. Returns
 * the number of words. */
static int64_t find_words(const struct xyz *xyz, struct word found[4])
{
    const struct columns *columns = &xyz->columns;
    struct word rest = xyz->reader.all, word;
    int64_t n = 0;
    memset(found, 0, 4 * sizeof *found);
    for (; take_word(&rest, &word); n++)
        if (n == columns->element)
            found[0] = word;
        else if (n >= columns->position && n < columns->position + 3)
            found[1 + n - columns->position] = word;
    return n;
}

/* Of lines with a fifth column: whether the second one has atomic numbers throughout, or the 0 and -1 of
 * Gaussian, which freeze centres. Then x is the third one. */
static void note_second_column(struct xyz *xyz, int64_t n_words, struct word word, int element)
{
    int64_t number = 0;
    bool extra = xyz->columns.n == 0 && n_words > 4 && word_to_integer(word, &number);
    xyz->repeats_elements = xyz->repeats_elements && extra && number == element;
    xyz->has_flags = xyz->has_flags && extra && (number == 0 || number == -1);
    xyz->has_frozen = xyz->has_frozen || number == -1;
}

static enum status read_atom(struct xyz *xyz, struct molecule *molecule, struct atom *atom)
{
    struct line_reader *reader = &xyz->reader;
    struct word words[4];
    int64_t n_words = find_words(xyz, words), number;
    if (xyz->columns.n > 0 && n_words != xyz->columns.n)
        return line_reader_fail(reader,
                                "expected the %" PRId64 " columns that Properties= in line %" PRId64
                                " names, found %" PRId64 ": '%s'",
                                xyz->columns.n, molecule->comment.line, n_words,
                                word_show(reader->all).text);
    if (n_words < 4)
        return line_reader_fail(reader,
                                "expected a symbol and x y z, one of %" PRId64
                                " centres that line %" PRId64 " announces, found '%s'",
                                xyz->n_announced, xyz->first_line, word_show(reader->all).text);
    if (!read_label(words[0], atom, &molecule->has_isotopes))
        return line_reader_fail(reader,
                                "unknown element '%s' (expected a symbol such as O, O1 or H_w, an "
                                "atomic number from 1 to %d, or a ghost: Bq, BqO, @O, Gh(O), X or "
                                "XO)",
                                word_show(words[0]).text, MAX_ATOMIC_NUMBER);
    xyz->bare_numbers = xyz->bare_numbers && word_to_integer(words[0], &number);
    note_second_column(xyz, n_words, words[1], atom->element);
    double to_bohr = xyz->unit == LENGTH_BOHR ? 1.0 : 1.0 / BOHR_IN_ANGSTROM;
    for (int k = 0; k < 3; k++) {
        double coordinate;
        struct word word = words[1 + k];
        if (!word_to_real(word, &coordinate))
            return line_reader_fail(reader, "the %c coordinate '%s' is not a finite number",
                                    "xyz"[k], word_show(word).text);
        if (fabs(coordinate) > max_coordinate)
            return line_reader_fail(reader, "the %c coordinate %s is beyond %.0e", "xyz"[k],
                                    word_show(word).text, max_coordinate);
        atom->position[k] = coordinate * to_bohr;
    }
    return STATUS_OK;
}

static enum status read_centres(struct xyz *xyz, struct molecule *molecule)
{
    int64_t capacity = 0, *n = &molecule->n_atoms;
    bool blank_comment = xyz->reader.n_words == 0;
    xyz->bare_numbers = xyz->repeats_elements = xyz->has_flags = true;
    xyz->has_frozen = false;
    for (; *n < xyz->n_announced; ++*n) {
        if (!line_reader_next_filled(&xyz->reader)) {
            char found[64];
            snprintf(found, sizeof found, "%" PRId64 " follow the comment in line %" PRId64, *n,
                     molecule->comment.line);
            return fail_of_count(xyz, found);
        }
        TRY(array_reserve(&molecule->atoms, *n + 1, &capacity, sizeof *molecule->atoms));
        TRY(read_atom(xyz, molecule, &molecule->atoms[*n]));
    }
    if (*n > 1 && (xyz->repeats_elements || (xyz->has_flags && xyz->has_frozen)))
        return line_reader_fail(&xyz->reader,
                                "the second column of all centres has %s, where x should stand: "
                                "leave it out",
                                xyz->repeats_elements ? "atomic numbers" : "0 or -1");
    molecule->bare_numbers = xyz->bare_numbers && blank_comment;
    return STATUS_OK;
}

/* Goes to the line that begins another frame; there is one if *more. */
static enum status skip_to_frame(struct xyz *xyz, struct molecule *molecule, bool *more)
{
    struct line_reader *reader = &xyz->reader;
    while ((*more = line_reader_next_filled(reader))) {
        struct word words[4];
        struct atom atom;
        int64_t n;
        double x;
        int unit;
        bool isotope = false;
        if (is_count(reader, &n, &unit))
            break;
        find_words(xyz, words);
        if (words[0].length > 0 && read_label(words[0], &atom, &isotope) &&
            word_to_real(words[1], &x))
            return fail_of_count(xyz, "more follow");
        if (molecule->unread_line == 0)
            molecule->unread_line = reader->line;
    }
    return STATUS_OK;
}

/* Reads frames up to this one or to the end of the file. *molecule is the last of the *n frames. */
static enum status read_frames(struct xyz *xyz, int64_t last, int64_t *n, struct molecule *molecule)
{
    bool more = line_reader_next(&xyz->reader);
    if (!more || xyz->reader.n_words == 0)
        return FAIL(STATUS_INPUT, "%s:1: expected the number of centres, found nothing",
                    xyz->reader.name);
    for (*n = 0; more && *n < last; ++*n) {
        int unit;
        molecule_fini(molecule);
        TRY(read_count(xyz, &unit));
        TRY(read_comment(xyz, unit, molecule));
        TRY(read_centres(xyz, molecule));
        TRY(skip_to_frame(xyz, molecule, &more));
    }
    return STATUS_OK;
}

/* The number, from 1, of the frame that the settings choose. */
static enum status choose_frame(const struct molecule_settings *settings, const char *name,
                                int64_t n_frames, int64_t *frame)
{
    *frame = !settings->frame_given ? 1
             : settings->frame < 0  ? n_frames + 1 + settings->frame
                                    : settings->frame;
    if (!settings->frame_given && n_frames > 1)
        return FAIL(STATUS_INPUT,
                    "%s: %" PRId64 " frames: choose one by --frame N, from 1 to %" PRId64
                    ", or -1 for the last",
                    name, n_frames, n_frames);
    if (*frame < 1 || *frame > n_frames)
        return FAIL(STATUS_INPUT,
                    "%s: --frame %" PRId64 ", but there %s %" PRId64 " frame%s: give 1 to %" PRId64
                    ", or -1 to -%" PRId64 " from the last",
                    name, settings->frame, n_frames == 1 ? "is" : "are", n_frames,
                    n_frames == 1 ? "" : "s", n_frames, n_frames);
    return STATUS_OK;
}

/* All frames are read, so that an error in any of them is found. */
static enum status read_chosen_frame(struct xyz *xyz, struct molecule *molecule)
{
    const struct line_reader start = xyz->reader;
    int64_t n_frames, n, frame;
    TRY(read_frames(xyz, INT64_MAX, &n_frames, molecule));
    TRY(choose_frame(xyz->settings, start.name, n_frames, &frame));
    if (frame < n_frames) {
        xyz->reader = start;
        TRY(read_frames(xyz, frame, &n, molecule));
    }
    molecule->frame = frame;
    molecule->n_frames = n_frames;
    return STATUS_OK;
}

enum status molecule_parse(const char *text, size_t length, const char *name,
                           const struct molecule_settings *settings, struct molecule *molecule)
{
    struct xyz xyz = {.settings = settings};
    *molecule = (struct molecule){0};
    line_reader_init(&xyz.reader, text, length, name, "");
    enum status status = read_chosen_frame(&xyz, molecule);
    if (status != STATUS_OK)
        molecule_fini(molecule);
    return status;
}
