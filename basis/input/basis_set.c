/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set.h"

#include "basis/input/basis_set_parser.h"
#include "basis/input/molecule.h"
#include "support/base/array.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static void clear_groups(struct basis_element *entry)
{
    for (int64_t g = 0; g < entry->n_groups; g++) {
        free(entry->groups[g].l);
        free(entry->groups[g].exponents);
        free(entry->groups[g].coefficients);
    }
    free(entry->groups);
    entry->groups = NULL;
    entry->n_groups = entry->capacity = 0;
}

void basis_set_fini(struct basis_set *set)
{
    for (int64_t e = 0; e < set->n_elements; e++) {
        clear_groups(&set->elements[e]);
        free(set->elements[e].defect);
    }
    free(set->elements);
    free(set->skipped);
    free(set->name);
    *set = (struct basis_set){0};
}

static struct basis_element *find_element(const struct basis_set *set, int element)
{
    for (int64_t e = 0; e < set->n_elements; e++)
        if (set->elements[e].element == element)
            return &set->elements[e];
    return NULL;
}

const struct basis_element *basis_set_find(const struct basis_set *set, int element)
{
    return find_element(set, element);
}

enum status basis_set_add_element(struct basis_set *set, int element, struct basis_element **entry)
{
    *entry = find_element(set, element);
    if (*entry)
        return STATUS_OK;
    TRY(array_reserve(&set->elements, set->n_elements + 1, &set->capacity, sizeof *set->elements));
    *entry = &set->elements[set->n_elements++];
    **entry = (struct basis_element){.element = element};
    return STATUS_OK;
}

/* --- errors that matter to one element, or to none --- */

enum status basis_set_add_defect(struct basis_set *set, int element, enum status status)
{
    if (status != STATUS_INPUT)
        return status;
    struct basis_element *entry;
    TRY(basis_set_add_element(set, element, &entry));
    if (!entry->defect)
        entry->defect = strdup(status_text());
    return CHECK_MEMORY(entry->defect, "no memory for the basis set");
}

enum status basis_set_skip(struct basis_set *set)
{
    if (!set->skipped)
        set->skipped = strdup(status_text());
    return CHECK_MEMORY(set->skipped, "no memory for the basis set");
}

/* --- groups of contractions, for both parsers --- */

enum status basis_element_add_group(struct basis_element *entry, int n_contractions, const int *l,
                                    struct basis_contractions **group)
{
    TRY(array_reserve(&entry->groups, entry->n_groups + 1, &entry->capacity,
                      sizeof *entry->groups));
    int *l_copy = malloc((size_t)n_contractions * sizeof *l_copy);
    TRY(CHECK_MEMORY(l_copy, "no memory for the basis set"));
    memcpy(l_copy, l, (size_t)n_contractions * sizeof *l_copy);
    *group = &entry->groups[entry->n_groups++];
    **group = (struct basis_contractions){.n_contractions = n_contractions, .l = l_copy};
    return STATUS_OK;
}

/* Room for one more primitive. */
static enum status reserve_primitive(struct basis_contractions *group)
{
    /* The arrays grow together, so one capacity serves both. */
    int64_t n = group->n_primitives + 1, capacity = group->capacity;
    size_t row = (size_t)group->n_contractions * sizeof *group->coefficients;
    TRY(array_reserve(&group->exponents, n, &capacity, sizeof *group->exponents));
    return array_reserve(&group->coefficients, n, &group->capacity, row);
}

enum status basis_group_add_primitive(const struct line_reader *reader,
                                      struct basis_contractions *group)
{
    int n = group->n_contractions;
    if (reader->n_words != 1 + n)
        return line_reader_fail_at(reader, reader->n_words < 1 + n ? reader->n_words : 1 + n,
                                   "expected an exponent and %d coefficient%s, found %d word%s", n,
                                   n == 1 ? "" : "s", reader->n_words,
                                   reader->n_words == 1 ? "" : "s");
    if (group->n_primitives == BASIS_MAX_PRIMITIVES)
        return line_reader_fail_at(reader, 0, "more than %d primitives in a shell",
                                   BASIS_MAX_PRIMITIVES);
    TRY(reserve_primitive(group));
    size_t p = (size_t)group->n_primitives;
    double *exponent = &group->exponents[p];
    if (!word_to_real(reader->words[0], exponent))
        return line_reader_fail_at(reader, 0, "expected an exponent, found '%s'",
                                   word_show(reader->words[0]).text);
    if (*exponent < BASIS_MIN_EXPONENT || *exponent > BASIS_MAX_EXPONENT)
        return line_reader_fail_at(reader, 0, "the exponent %s is not between %g and %g",
                                   word_show(reader->words[0]).text, BASIS_MIN_EXPONENT,
                                   BASIS_MAX_EXPONENT);
    for (int k = 0; k < n; k++)
        if (!word_to_real(reader->words[1 + k], &group->coefficients[p * (size_t)n + (size_t)k]))
            return line_reader_fail_at(reader, 1 + k, "expected a coefficient, found '%s'",
                                       word_show(reader->words[1 + k]).text);
    group->n_primitives++;
    return STATUS_OK;
}

enum status basis_group_finish(const struct line_reader *shell_line,
                               struct basis_contractions *group)
{
    size_t n = (size_t)group->n_contractions;
    size_t n_primitives = (size_t)group->n_primitives;
    double *turned = malloc(n * n_primitives * sizeof *turned);
    TRY(CHECK_MEMORY(turned, "no memory for the basis set"));
    for (size_t k = 0; k < n; k++)
        for (size_t p = 0; p < n_primitives; p++)
            turned[k * n_primitives + p] = group->coefficients[p * n + k];
    free(group->coefficients);
    group->coefficients = turned;
    group->capacity = group->n_primitives;

    for (size_t k = 0; k < n; k++) {
        bool zero = true;
        for (size_t p = 0; p < n_primitives; p++)
            zero = zero && turned[k * n_primitives + p] == 0;
        if (zero)
            return line_reader_fail_at(
                shell_line, 0, "all coefficients of contraction %zu of this shell are zero", k + 1);
    }
    return STATUS_OK;
}

/* Angular momenta by letter; J is skipped by tradition. */
static const char l_letters[] = "SPDFGHIKLMNOQRTUV";

static int letter_to_l(char c)
{
    const char *found = c ? strchr(l_letters, toupper((unsigned char)c)) : NULL;
    return found ? (int)(found - l_letters) : -1;
}

static bool is_numeric_type(struct word type)
{
    return type.length >= 3 && strncasecmp(type.begin, "l=", 2) == 0;
}

bool basis_is_shell_type(struct word type)
{
    if (is_numeric_type(type) || word_equals(type, "SP") || word_equals(type, "SPD"))
        return true;
    return type.length == 1 && letter_to_l(type.begin[0]) >= 0;
}

enum status basis_parse_shell_type(const struct line_reader *reader, int word, int element, int *l,
                                   int *n)
{
    struct word type = reader->words[word];
    int64_t number = -1;
    *n = 1;
    if (word_equals(type, "SP") || word_equals(type, "L") || word_equals(type, "SPD")) {
        *n = type.length == 3 ? 3 : 2;
        for (int k = 0; k < *n; k++)
            l[k] = k;
        return STATUS_OK;
    }
    if (type.length == 1)
        number = letter_to_l(type.begin[0]);
    else if (is_numeric_type(type) &&
             !word_to_integer((struct word){type.begin + 2, type.length - 2}, &number))
        number = -1;
    if (number < 0)
        return line_reader_fail_at(
            reader, word, "expected a shell type (S, P, SP, D, F, G, H or l=4), found '%s'",
            word_show(type).text);
    if (number > BASIS_MAX_L)
        return line_reader_fail_at(reader, word, "the shell %s of %s is beyond the limit l = %d",
                                   word_show(type).text, element_symbol(element), BASIS_MAX_L);
    l[0] = (int)number;
    return STATUS_OK;
}

/* --- the formats --- */

/* A section of an NWChem file begins with `basis` or `ecp`; but so may a title in a
 * Gaussian94 file, which is recognised by the first line of a block: NWChem has no such line. */
static bool is_nwchem(struct line_reader reader)
{
    bool has_section = false;
    while (line_reader_next_filled(&reader)) {
        if (basis_gaussian94_element(&reader) >= 0)
            return false;
        has_section = has_section || word_equals(reader.words[0], "basis") ||
                      word_equals(reader.words[0], "ecp");
    }
    return has_section;
}

static enum status fail_without_elements(const struct basis_set *set)
{
    if (set->skipped)
        return FAIL(STATUS_INPUT, "%s", set->skipped);
    return FAIL(STATUS_INPUT,
                "%s: no basis functions found (expected a basis set in Gaussian94 or NWChem "
                "format)",
                set->name);
}

static enum status parse_either_format(struct line_reader *reader, struct basis_set *set)
{
    TRY(is_nwchem(*reader) ? basis_set_parse_nwchem(reader, set)
                           : basis_set_parse_gaussian94(reader, set));
    for (int64_t e = 0; e < set->n_elements; e++)
        if (set->elements[e].defect)
            clear_groups(&set->elements[e]);
    return set->n_elements > 0 ? STATUS_OK : fail_without_elements(set);
}

enum status basis_set_parse(const char *text, size_t length, const char *name,
                            struct basis_set *set)
{
    *set = (struct basis_set){.name = strdup(name)};
    TRY(CHECK_MEMORY(set->name, "%s: no memory for the basis set", name));
    struct line_reader reader;
    line_reader_init(&reader, text, length, name, "!#");
    enum status status = parse_either_format(&reader, set);
    if (status != STATUS_OK)
        basis_set_fini(set);
    return status;
}
