/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"

#include "support/io/text_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* --- the comment line --- */

/* The comment line of an XYZ file, which may give charge, multiplicity and units:
 *
 *   charge=-1 multiplicity=2 units=bohr   key=value, in any case, anywhere in the line: also
 *                                         chrg=, mult=, 2S+1=, uhf= (unpaired electrons, the
 *                                         multiplicity minus 1), unit=. Other keys are skipped
 *                                         with their values.
 *   Properties=species:S:1:pos:R:3        extended XYZ: the columns of a centre, each by name, type
 *                                         and count; pbc= and Lattice= say that it is periodic
 *   0 3                                   two small whole numbers alone: charge and multiplicity
 *
 * Keys and values may stand in quotes, and blanks around the =. Other text is a comment, where words
 * like charge, triplet or bohr are kept for a warning unless the line or the command line gives
 * what they are about. */

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
    bool given[N_QUANTITIES];   /* by the line */
    int values[N_QUANTITIES];
    struct word unread[N_QUANTITIES]; /* the first text that may be about it; empty: none */
    int n_words;
    int64_t numbers[2]; /* the first words, as long as they are whole numbers */
    int n_numbers;
    struct word all_numbers;
};

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
    take_characters(&rest, true, " \t\"'");
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
    bool is_typed = type.length == 1 && *type.begin && strchr("SIRLsirl", *type.begin);
    if (name.length == 0 || !is_typed || !word_to_integer(number, count) || *count < 0 ||
        *count > MAX_COLUMNS)
        *count = 0;
    return join_words(name, number);
}

/* Reads the value of Properties=. Errors: STATUS_INPUT with name and line. */
static enum status read_properties(const struct line_reader *reader, struct word value,
                                   struct columns *columns)
{
    static const char *const sought[] = {"pos:R:3", "species:S:1", "Z:I:1"};
    int64_t count, first[] = {-1, -1, -1};
    bool more = true;
    for (columns->n = 0; more; columns->n += count) {
        struct word property = take_property(&value, &count, &more);
        if (count == 0)
            return line_reader_fail(reader,
                                    "Properties= expects name:type:count for all columns, with "
                                    "types S, I, R and L, found '%s'",
                                    word_show(property).text);
        for (int i = 0; i < 3; i++) {
            bool is_it = word_equals(property, sought[i]);
            if (is_it && first[i] >= 0)
                return line_reader_fail(reader, "Properties= has %s twice", sought[i]);
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

/* Numbers at the start of the line: charge and multiplicity if they are alone. Text that may be
 * meant so, but is not taken, is kept for a warning: two numbers that are either alone or possible
 * values, and one negative number. */
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
    bool has_value = value.begin > word.begin + word.length;
    note_number(reading, word);
    reading->n_words++;
    if (has_value && word_equals(word, "properties") && reading->columns->n > 0)
        return line_reader_fail(reading->reader, "Properties= stands twice: leave one out");
    if (has_value && word_equals(word, "properties"))
        return read_properties(reading->reader, value, reading->columns);
    if (has_value && word_equals(word, "pbc"))
        reading->pbc = value;
    if (has_value && word_equals(word, "lattice"))
        reading->lattice = value;
    for (int i = 0; i < N_COMMENT_WORDS; i++) {
        const struct comment_word *known = &comment_words[i];
        if (has_value && known->use != HINT && word_equals(word, known->name))
            return read_key(reading, known, value);
        if (mentions(word, known->name))
            keep_unread(reading, known->quantity, has_value ? join_words(word, value) : word);
    }
    return STATUS_OK;
}

/* Reads the reader's current line. settings: the *_given fields alone, as what they settle is not
 * refused. Errors: STATUS_INPUT with name and line (a value that the key does not take, or that
 * differs from an earlier one). */
static enum status read_comment_line(const struct line_reader *reader,
                                     const struct molecule_settings *settings,
                                     struct molecule_comment *comment, struct columns *columns)
{
    static const char ends[] = " \t\r,;:|\"'#()[]{}<>=", value_ends[] = " \t\r,;|\"'#()[]{}<>";
    struct comment_reading reading = {
        .reader = reader,
        .columns = columns,
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
    comment->periodic = reading.pbc.length > 0 ? has_true(reading.pbc) : reading.lattice.length > 0;
    for (int q = N_QUANTITIES - 1; q >= 0; q--) /* the first quantity wins */
        if (!reading.given[q] && !reading.settled[q] && reading.unread[q].length > 0)
            comment->unread = word_show(reading.unread[q]);
    return STATUS_OK;
}

/* --- the file --- */

enum { MAX_ATOMS = 1000000 };

/* Beyond it, in either unit, squared distances lose all meaning. */
static const double max_coordinate = 1e9;

struct xyz {
    struct line_reader reader;
    const struct molecule_settings *settings;
    enum length_unit unit;
    struct columns columns;
    bool bare_numbers;
};

/* Reads line 1 and checks it against the lines that follow, before anything is
 * allocated for that many centres. */
static enum status read_count(struct xyz *xyz, int64_t *n_atoms)
{
    struct line_reader *reader = &xyz->reader;
    if (!line_reader_next(reader) || reader->n_words == 0)
        return FAIL(STATUS_INPUT, "%s:1: expected the number of centres, found nothing",
                    reader->name);
    int64_t n;
    if (reader->n_words != 1 || !word_to_integer(reader->words[0], &n))
        return line_reader_fail(reader, "expected the number of centres alone, found '%s'",
                                word_show(reader->all).text);
    if (n < 1 || n > MAX_ATOMS)
        return line_reader_fail(reader, "%" PRId64 " centres, but 1 to %d are possible", n,
                                MAX_ATOMS);

    struct line_reader ahead = *reader;
    int64_t found = -1;
    if (line_reader_next(&ahead))
        for (found = 0; line_reader_next_filled(&ahead);)
            if (++found > n)
                return line_reader_fail(&ahead,
                                        "line 1 announces %" PRId64 " centres, but more follow", n);
    if (found < n)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64 ": line 1 announces %" PRId64 " centres, but %" PRId64
                    " follow the comment in line 2",
                    reader->name, ahead.line, n, found < 0 ? 0 : found);
    *n_atoms = n;
    return STATUS_OK;
}

/* Takes from the comment line what the settings leave open. */
static enum status read_comment(struct xyz *xyz, struct molecule *molecule)
{
    const struct molecule_settings *settings = xyz->settings;
    struct molecule_comment *comment = &molecule->comment;
    line_reader_next(&xyz->reader);
    TRY(read_comment_line(&xyz->reader, settings, comment, &xyz->columns));
    if (comment->charge_given && !settings->charge_given)
        molecule->charge = comment->charge;
    if (comment->multiplicity_given && !settings->multiplicity_given)
        molecule->multiplicity = comment->multiplicity;
    if (comment->unit_given && !settings->unit_given)
        xyz->unit = comment->unit;
    return STATUS_OK;
}

/* The element behind a ghost's symbol, 0 for plain Bq, -1 without an element. */
static int ghost_element(struct word symbol)
{
    size_t prefix = 2;
    if (symbol.begin[0] == '@')
        prefix = 1;
    else if (symbol.length == 2)
        return 0;
    else if (symbol.begin[2] == '-')
        prefix = 3;
    int element = element_number(symbol.begin + prefix, symbol.length - prefix);
    return element > 0 ? element : -1;
}

static enum status read_symbol(struct xyz *xyz, struct word symbol, struct atom *atom)
{
    int64_t number;
    bool is_number = word_to_integer(symbol, &number);
    bool ghost =
        symbol.begin[0] == '@' || (symbol.length >= 2 && strncasecmp(symbol.begin, "Bq", 2) == 0);
    int element;
    if (ghost)
        element = ghost_element(symbol);
    else if (is_number)
        element = number >= 1 && number <= MAX_ATOMIC_NUMBER ? (int)number : -1;
    else
        element = element_number(symbol.begin, symbol.length);
    if (element < 0)
        return line_reader_fail(&xyz->reader,
                                "unknown element '%s' (expected a symbol such as O, an atomic "
                                "number from 1 to %d, Bq, BqO or @O)",
                                word_show(symbol).text, MAX_ATOMIC_NUMBER);
    *atom = atom_of_element(element, ghost);
    xyz->bare_numbers = xyz->bare_numbers && is_number;
    return STATUS_OK;
}

/* The words of the current line that stand for the element and x, y and z. */
static enum status find_words(const struct xyz *xyz, struct word found[4])
{
    const struct columns *columns = &xyz->columns;
    struct word rest = xyz->reader.all, word;
    int64_t n = 0;
    for (; take_word(&rest, &word); n++)
        if (n == columns->element)
            found[0] = word;
        else if (n >= columns->position && n < columns->position + 3)
            found[1 + n - columns->position] = word;
    if (columns->n > 0 && n != columns->n)
        return line_reader_fail(&xyz->reader,
                                "expected the %" PRId64 " columns that Properties= in line 2 "
                                "names, found %" PRId64 ": '%s'",
                                columns->n, n, word_show(xyz->reader.all).text);
    if (n < 4)
        return line_reader_fail(&xyz->reader, "expected a symbol and x y z, found '%s'",
                                word_show(xyz->reader.all).text);
    return STATUS_OK;
}

static enum status read_atom(struct xyz *xyz, struct atom *atom)
{
    struct line_reader *reader = &xyz->reader;
    struct word words[4];
    line_reader_next_filled(reader);
    TRY(find_words(xyz, words));
    TRY(read_symbol(xyz, words[0], atom));
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

static enum status read_all(struct xyz *xyz, struct molecule *molecule)
{
    int64_t n_atoms = 0;
    TRY(read_count(xyz, &n_atoms));
    TRY(read_comment(xyz, molecule));
    bool blank_comment = xyz->reader.n_words == 0;
    molecule->atoms = calloc((size_t)n_atoms, sizeof *molecule->atoms);
    TRY(CHECK_MEMORY(molecule->atoms, "%s: no memory for %" PRId64 " centres", xyz->reader.name,
                     n_atoms));
    molecule->n_atoms = n_atoms;
    xyz->bare_numbers = true;
    for (int64_t a = 0; a < n_atoms; a++)
        TRY(read_atom(xyz, &molecule->atoms[a]));
    molecule->bare_numbers = xyz->bare_numbers && blank_comment;
    return STATUS_OK;
}

enum status molecule_parse(const char *text, size_t length, const char *name,
                           const struct molecule_settings *settings, struct molecule *molecule)
{
    struct xyz xyz = {.settings = settings, .unit = settings->unit, .columns = {0, 1, 0}};
    line_reader_init(&xyz.reader, text, length, name, "");
    *molecule = (struct molecule){
        .charge = settings->charge_given ? settings->charge : 0,
        .multiplicity = settings->multiplicity_given ? settings->multiplicity : 1,
    };
    enum status status = read_all(&xyz, molecule);
    if (status != STATUS_OK)
        molecule_fini(molecule);
    return status;
}
