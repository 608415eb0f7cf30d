/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set_parser.h"
#include "basis/input/molecule.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>

/* A block is "Sym 0", its shells and "****"; or "Sym 0" and an effective core
 * potential, which has no closing line. Stars may also open the file or a block.
 * Titles may stand between blocks. */

static const char suffix[] = "-ECP";
enum { SUFFIX_LENGTH = sizeof suffix - 1, MAX_ECP_L = 10, MAX_ECP_TERMS = 1000 };
#define MIN_SCALE 0.01
#define MAX_SCALE 100.0

static bool is_stars(const struct line_reader *reader)
{
    return reader->n_words == 1 && word_equals(reader->words[0], "****");
}

int basis_gaussian94_element(const struct line_reader *reader)
{
    if (reader->n_words != 2 || !word_equals(reader->words[1], "0"))
        return -1;
    struct word symbol = reader->words[0];
    if (symbol.begin[0] == '-') {
        symbol.begin++;
        symbol.length--;
    }
    return element_number(symbol.begin, symbol.length);
}

static bool is_ecp(const struct line_reader *reader)
{
    struct word first = reader->words[0];
    if (first.length <= SUFFIX_LENGTH)
        return false;
    struct word end = {first.begin + first.length - SUFFIX_LENGTH, SUFFIX_LENGTH};
    return word_equals(end, suffix);
}

static bool line_integer(const struct line_reader *reader, int word, int64_t min, int64_t max,
                         int64_t *value)
{
    return reader->n_words > word && word_to_integer(reader->words[word], value) && *value >= min &&
           *value <= max;
}

/* Skips the core potential whose first line, "Sym-ECP lmax ncore", is current. */
static enum status skip_ecp(struct line_reader *reader)
{
    int64_t max_l, n_core, n_terms;
    if (reader->n_words != 3 || !line_integer(reader, 1, 0, MAX_ECP_L, &max_l) ||
        !line_integer(reader, 2, 0, MAX_ATOMIC_NUMBER, &n_core))
        return line_reader_fail_at(reader, 0,
                                   "expected '%s', the largest l and the number of core "
                                   "electrons of the potential",
                                   word_show(reader->words[0]).text);
    for (int64_t l = 0; l <= max_l; l++) {
        bool complete = line_reader_next_filled(reader) && line_reader_next_filled(reader) &&
                        line_integer(reader, 0, 0, MAX_ECP_TERMS, &n_terms);
        if (!complete)
            return line_reader_fail_at(reader, 0,
                                       "expected a title and the number of terms of part "
                                       "%" PRId64 " of the core potential",
                                       l + 1);
        for (int64_t t = 0; t < n_terms; t++) {
            double power, exponent, coefficient;
            complete = line_reader_next_filled(reader) && reader->n_words >= 3 &&
                       word_to_real(reader->words[0], &power) &&
                       word_to_real(reader->words[1], &exponent) &&
                       word_to_real(reader->words[2], &coefficient);
            if (!complete)
                return line_reader_fail_at(reader, 0,
                                           "expected power, exponent and coefficient of a "
                                           "term of the core potential");
        }
    }
    return STATUS_OK;
}

/* Reads the n lines of a shell whose first line is current. */
static enum status read_gaussian94_shell(struct line_reader *reader, struct basis_element *entry)
{
    int l[BASIS_MAX_L + 1], n_contractions;
    TRY(basis_parse_shell_type(reader, 0, entry->element, l, &n_contractions));
    int64_t n_primitives;
    double scale = 1, zero = 0;
    bool well_formed = line_integer(reader, 1, 1, BASIS_MAX_PRIMITIVES, &n_primitives) &&
                       reader->n_words <= 4 &&
                       (reader->n_words < 3 || word_to_real(reader->words[2], &scale)) &&
                       scale >= MIN_SCALE && scale <= MAX_SCALE &&
                       (reader->n_words < 4 || word_to_real(reader->words[3], &zero)) && zero == 0;
    if (!well_formed)
        return line_reader_fail_at(reader, 1,
                                   "expected a shell type, the number of its primitives (1 to %d) "
                                   "and a scale factor (%g to %g), found '%s'",
                                   BASIS_MAX_PRIMITIVES, MIN_SCALE, MAX_SCALE,
                                   word_show(reader->all).text);
    struct basis_contractions *group;
    TRY(basis_element_add_group(entry, n_contractions, l, &group));
    struct line_reader shell_line = *reader;
    for (int64_t p = 0; p < n_primitives; p++) {
        if (!line_reader_next_filled(reader))
            return line_reader_fail_at(reader, reader->n_words,
                                       "the file ends within the shell of line %" PRId64
                                       " (%" PRId64 " primitives announced, %" PRId64 " found)",
                                       shell_line.line, n_primitives, p);
        TRY(basis_group_add_primitive(reader, group));
        group->exponents[p] *= scale * scale;
    }
    return basis_group_finish(&shell_line, group);
}

/* Reads shells until the stars; the first line after "Sym 0" is current. */
static enum status read_shells(struct line_reader *reader, struct basis_element *entry)
{
    int64_t first_line = reader->line;
    const char *symbol = element_symbol(entry->element);
    while (!is_stars(reader)) {
        if (basis_gaussian94_element(reader) >= 0)
            return line_reader_fail_at(reader, 0,
                                       "expected **** after the last shell of %s, before '%s'",
                                       symbol, word_show(reader->all).text);
        TRY(read_gaussian94_shell(reader, entry));
        if (!line_reader_next_filled(reader))
            return line_reader_fail_at(
                reader, reader->n_words,
                "the file ends without **** after the shells of %s that begin "
                "in line %" PRId64,
                symbol, first_line);
    }
    if (entry->n_groups == 0)
        return line_reader_fail_at(reader, 0, "no shells for %s", symbol);
    return STATUS_OK;
}

/* Reads the block whose line "Sym 0" is current. */
static enum status read_block(struct line_reader *reader, int element, struct basis_set *set)
{
    struct basis_element *entry;
    TRY(basis_set_add_element(set, element, &entry));
    if (!line_reader_next_filled(reader))
        return line_reader_fail_at(reader, reader->n_words,
                                   "the file ends where the shells of %s should begin",
                                   element_symbol(element));
    if (is_ecp(reader)) {
        entry->needs_ecp = true;
        return skip_ecp(reader);
    }
    if (entry->n_groups > 0)
        return line_reader_fail_at(reader, 0, "a second block for %s", element_symbol(element));
    return read_shells(reader, entry);
}

/* A line `spherical` or `cartesian`: the form, else BASIS_FORM_UNSTATED. */
static enum basis_form form_of_line(const struct line_reader *reader)
{
    if (reader->n_words == 1 && word_equals(reader->words[0], "spherical"))
        return BASIS_FORM_SPHERICAL;
    if (reader->n_words == 1 && word_equals(reader->words[0], "cartesian"))
        return BASIS_FORM_CARTESIAN;
    return BASIS_FORM_UNSTATED;
}

/* A line of one word that may be meant to say the form. */
static bool is_misspelt_form(const struct line_reader *reader)
{
    struct word word = reader->words[0];
    return reader->n_words == 1 && word.length >= 4 &&
           (strncasecmp(word.begin, "sphe", 4) == 0 || strncasecmp(word.begin, "cart", 4) == 0);
}

static enum status set_form(const struct line_reader *reader, enum basis_form form,
                            struct basis_set *set)
{
    if (set->form_stated && set->form != form)
        return line_reader_fail_at(reader, 0,
                                   "an earlier line says the opposite of '%s': leave one out",
                                   word_show(reader->words[0]).text);
    set->form = form;
    set->form_stated = true;
    return STATUS_OK;
}

/* Whether a line that begins no block has the form of a shell's first line or of a primitive. */
static bool is_data(const struct line_reader *reader)
{
    int64_t count;
    if (reader->n_words >= 2 && basis_is_shell_type(reader->words[0]) &&
        word_to_integer(reader->words[1], &count))
        return true;
    double number;
    for (int w = 0; w < reader->n_words; w++)
        if (!word_to_real(reader->words[w], &number))
            return false;
    return true;
}

/* Between blocks. */
struct outer_lines {
    int last; /* element of the last block; -1 before the first, and after one of an unknown element */
    int named;                  /* element that the last line names without its 0; -1: none */
    struct status_kept failure; /* of that line */
};

/* The element of a line that may begin its block but for a missing or misspelt 0, "O" or "O o"; -1 for
 * another line. */
static int element_without_0(const struct line_reader *reader)
{
    bool is_short = reader->n_words == 1 || (reader->n_words == 2 && reader->words[1].length == 1);
    return is_short ? element_number(reader->words[0].begin, reader->words[0].length) : -1;
}

/* Makes data outside of the blocks a defect: of the element that the line before names, or else of the
 * element whose block came last and may have ended too early. */
static enum status refuse_outer_data(struct outer_lines *lines, struct basis_set *set,
                                     enum status status)
{
    if (lines->named >= 0) {
        lines->last = lines->named;
        status_restore(&lines->failure);
    }
    lines->named = -1;
    return lines->last >= 0 ? basis_set_add_defect(set, lines->last, status) : basis_set_skip(set);
}

/* Skips a line outside of the blocks: a title or data. */
static enum status skip_outer_line(const struct line_reader *reader, struct basis_set *set,
                                   struct outer_lines *lines)
{
    if (is_misspelt_form(reader))
        return line_reader_fail_at(reader, 0, "expected 'spherical' or 'cartesian', found '%s'",
                                   word_show(reader->words[0]).text);
    enum status status =
        line_reader_fail_at(reader, 0,
                            "expected an element and 0, such as 'O 0', to begin a block of a "
                            "Gaussian94 basis set, found '%s'",
                            word_show(reader->all).text);
    if (reader->n_words == 2 && word_equals(reader->words[1], "0"))
        lines->last = -1;
    if (is_data(reader))
        return refuse_outer_data(lines, set, status);
    lines->named = element_without_0(reader);
    if (lines->named >= 0)
        lines->failure = status_keep();
    return basis_set_skip(set);
}

enum status basis_set_parse_gaussian94(struct line_reader *reader, struct basis_set *set)
{
    struct outer_lines lines = {.last = -1, .named = -1};
    bool more = line_reader_next_filled(reader);
    while (more) {
        int64_t line = reader->line;
        int element = basis_gaussian94_element(reader);
        enum basis_form form = form_of_line(reader);
        if (element >= 0) {
            lines = (struct outer_lines){.last = element, .named = -1};
            TRY(basis_set_add_defect(set, element, read_block(reader, element, set)));
        } else if (form != BASIS_FORM_UNSTATED) {
            TRY(set_form(reader, form, set));
        } else if (is_stars(reader)) {
            lines.named = -1;
        } else {
            TRY(skip_outer_line(reader, set, &lines));
        }
        /* A block without an end leaves the first line of the next one to be read. */
        if (reader->line == line || basis_gaussian94_element(reader) < 0)
            more = line_reader_next_filled(reader);
    }
    return STATUS_OK;
}
