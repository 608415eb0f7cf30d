/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/core_potential.h"

#include "basis/input/molecule.h"
#include "support/base/array.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Limits that no sensible potential reaches; beyond them a number is a slip. */
enum { MAX_TERMS = 1000, MAX_POWER = 3 };
#define MIN_ZETA 1e-4
#define MAX_ZETA 1e6

void core_potential_fini(struct core_potential *potential)
{
    free(potential->terms);
    *potential = (struct core_potential){0};
}

int core_potential_max_l(const struct core_potential *potential)
{
    int max_l = -1;
    for (int64_t t = 0; t < potential->n_terms; t++)
        if (potential->terms[t].l > max_l)
            max_l = potential->terms[t].l;
    return max_l;
}

static enum status fail_at_line(const struct line_reader *reader, bool more, const char *expected)
{
    return line_reader_fail(reader, "expected %s, found %s%s%s", expected, more ? "'" : "",
                            more ? word_show(reader->all).text : "the end of the file",
                            more ? "'" : "");
}

/* Adds the term of the current line. */
static enum status read_term(const struct line_reader *reader, bool more, int l,
                             struct core_potential *potential)
{
    int64_t power;
    struct core_potential_term term = {.l = l};
    if (!more || reader->n_words != 3 || !word_to_integer(reader->words[0], &power) || power < 0 ||
        power > MAX_POWER || !word_to_real(reader->words[1], &term.exponent) ||
        !(term.exponent >= MIN_ZETA && term.exponent <= MAX_ZETA) ||
        !word_to_real(reader->words[2], &term.coefficient))
        return fail_at_line(reader, more,
                            "a term of a core potential: the power of r (0 to 3), an exponent "
                            "(0.0001 to 1e+06) and a coefficient");
    if (potential->n_terms == MAX_TERMS)
        return line_reader_fail(reader, "more than %d terms in a core potential", MAX_TERMS);
    TRY(array_reserve(&potential->terms, potential->n_terms + 1, &potential->capacity,
                      sizeof *potential->terms));
    term.power = (int)power;
    potential->terms[potential->n_terms++] = term;
    return STATUS_OK;
}

/* The number of core electrons in a word of the current line. */
static enum status read_core(const struct line_reader *reader, struct word word,
                             struct core_potential *potential)
{
    int64_t n;
    if (!word_to_integer(word, &n) || n < 0 || n > MAX_ATOMIC_NUMBER)
        return fail_at_line(reader, true, "a number of core electrons, from 0 to 118");
    potential->n_core = (int)n;
    potential->n_core_line = reader->line;
    return STATUS_OK;
}

/* A title, the number of terms, and the terms of one part. */
static enum status read_part(struct line_reader *reader, int l, struct core_potential *potential)
{
    int64_t n;
    bool more = line_reader_next_filled(reader) && line_reader_next_filled(reader);
    if (!more || reader->n_words != 1 || !word_to_integer(reader->words[0], &n) || n < 0)
        return fail_at_line(reader, more,
                            "a part of a core potential: a title, then the number of its terms");
    for (; n > 0; n--)
        TRY(read_term(reader, line_reader_next_filled(reader), l, potential));
    return STATUS_OK;
}

enum status core_potential_read_gaussian94(struct line_reader *reader, bool *more,
                                           struct core_potential *potential)
{
    int64_t max_l = -1;
    *more = true;
    potential->line = reader->line;
    if (reader->n_words != 3 || !word_to_integer(reader->words[1], &max_l) || max_l < 0 ||
        max_l > CORE_POTENTIAL_MAX_L + 1)
        return fail_at_line(reader, true,
                            "a core potential such as 'Rb-ECP 3 28' (l of the local part, core "
                            "electrons)");
    TRY(read_core(reader, reader->words[2], potential));
    for (int l = -1; l < max_l; l++)
        TRY(read_part(reader, l, potential));
    *more = line_reader_next_filled(reader);
    return STATUS_OK;
}

/* The l of a head such as "ul" or "S"; INT_MIN: none. */
static int find_part(struct word word)
{
    static const char letters[] = "SPDFGHIKLM";
    const char *letter =
        word.length == 1 ? strchr(letters, toupper((unsigned char)*word.begin)) : NULL;
    return word_equals(word, "ul") ? -1 : letter && *letter ? (int)(letter - letters) : INT_MIN;
}

static bool is_core_line(const struct line_reader *reader)
{
    return reader->n_words == 3 && word_equals(reader->words[1], "nelec");
}

bool core_potential_is_head(const struct line_reader *reader)
{
    return is_core_line(reader) || (reader->n_words == 2 && find_part(reader->words[1]) != INT_MIN);
}

enum status core_potential_read_nwchem(const struct line_reader *reader, int *l,
                                       struct core_potential *potential)
{
    double number;
    if (word_to_real(reader->words[0], &number)) {
        if (*l == INT_MIN)
            return fail_at_line(reader, true, "'ul' or a shell type before the rows of numbers");
        return read_term(reader, true, *l, potential);
    }
    if (potential->line == 0)
        potential->line = reader->line;
    if (is_core_line(reader)) {
        *l = INT_MIN;
        if (potential->n_core_line > 0)
            return line_reader_fail(reader,
                                    "expected one core potential for each element, found a second "
                                    "after that of line %" PRId64 ": leave one out",
                                    potential->n_core_line);
        return read_core(reader, reader->words[2], potential);
    }
    *l = find_part(reader->words[1]);
    for (int64_t t = 0; t < potential->n_terms; t++)
        if (potential->terms[t].l == *l)
            return line_reader_fail(reader, "this part of the core potential is there twice: leave "
                                            "one out");
    return STATUS_OK;
}

enum status core_potential_check(const char *file, const char *symbol,
                                 const struct core_potential *potential)
{
    if (potential->n_core_line == 0 || potential->n_terms == 0)
        return FAIL(STATUS_INPUT, "%s:%" PRId64 ": the core potential of %s has no %s", file,
                    potential->line, symbol,
                    potential->n_terms == 0 ? "terms"
                                            : "line 'nelec' with its number of electrons");
    return STATUS_OK;
}
