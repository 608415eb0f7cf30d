/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"

#include "basis/input/molecule_comment.h"
#include "support/io/line_reader.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { MAX_ATOMS = 1000000 };

/* Beyond it, in either unit, squared distances lose all meaning. */
static const double max_coordinate = 1e9;

struct xyz {
    struct line_reader reader;
    const struct molecule_settings *settings;
    enum length_unit unit;
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
    TRY(molecule_comment_read(&xyz->reader, settings, comment));
    if (comment->charge_given && !settings->charge_given)
        molecule->charge = comment->charge;
    if (comment->multiplicity_given && !settings->multiplicity_given)
        molecule->multiplicity = comment->multiplicity;
    if (comment->unit_given && !settings->unit_given)
        xyz->unit = comment->unit;
    return STATUS_OK;
}

/* The element behind a ghost's symbol, 0 for plain Bq, -1 if there is none. */
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
    atom->ghost =
        symbol.begin[0] == '@' || (symbol.length >= 2 && strncasecmp(symbol.begin, "Bq", 2) == 0);
    if (atom->ghost)
        atom->element = ghost_element(symbol);
    else if (is_number)
        atom->element = number >= 1 && number <= MAX_ATOMIC_NUMBER ? (int)number : -1;
    else
        atom->element = element_number(symbol.begin, symbol.length);
    if (atom->element < 0)
        return line_reader_fail(&xyz->reader,
                                "unknown element '%s' (expected a symbol such as O, an atomic "
                                "number from 1 to %d, Bq, BqO or @O)",
                                word_show(symbol).text, MAX_ATOMIC_NUMBER);
    xyz->bare_numbers = xyz->bare_numbers && is_number;
    return STATUS_OK;
}

static enum status read_atom(struct xyz *xyz, struct atom *atom)
{
    struct line_reader *reader = &xyz->reader;
    line_reader_next_filled(reader);
    if (reader->n_words < 4)
        return line_reader_fail(reader, "expected a symbol and x y z, found '%s'",
                                word_show(reader->all).text);
    TRY(read_symbol(xyz, reader->words[0], atom));
    double to_bohr = xyz->unit == LENGTH_BOHR ? 1.0 : 1.0 / BOHR_IN_ANGSTROM;
    for (int k = 0; k < 3; k++) {
        double coordinate;
        struct word word = reader->words[1 + k];
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
    struct xyz xyz = {.settings = settings, .unit = settings->unit};
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
