/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set_parser.h"
#include "basis/input/molecule.h"

#include <inttypes.h>
#include <string.h>

/* An NWChem file: sections "basis ... end" and "ecp ... end", in any number and order. */

/* Goes to the next line of a section; a text that ends here is a failure. */
static enum status next_line(struct line_reader *reader, int64_t section_line)
{
    if (line_reader_next_filled(reader))
        return STATUS_OK;
    return line_reader_fail(reader, "the file ends without 'end' for the section of line %" PRId64,
                            section_line);
}

static bool is_end(const struct line_reader *reader)
{
    return reader->n_words == 1 && word_equals(reader->words[0], "end");
}

static bool begins_quote(struct word word)
{
    return word.begin[0] == '"';
}

static bool ends_quote(struct word word, bool begun_before)
{
    return (begun_before || word.length > 1) && word.begin[word.length - 1] == '"';
}

/* Words of a "basis" line that say nothing about its numbers. */
static bool is_basis_directive(struct word word)
{
    static const char *const directives[] = {"print",     "noprint", "segment",
                                             "nosegment", "rel",     "bse"};
    for (size_t i = 0; i < sizeof directives / sizeof directives[0]; i++)
        if (word_equals(word, directives[i]))
            return true;
    return false;
}

/* The forms that the line "basis ..." names. */
static enum status read_form_words(const struct line_reader *reader, bool *spherical,
                                   bool *cartesian)
{
    bool quoted = false;
    for (int w = 1; w < reader->n_words; w++) {
        struct word word = reader->words[w];
        if (quoted || begins_quote(word))
            quoted = !ends_quote(word, quoted);
        else if (word_equals(word, "spherical"))
            *spherical = true;
        else if (word_equals(word, "cartesian"))
            *cartesian = true;
        else if (!is_basis_directive(word))
            return line_reader_fail(reader,
                                    "unknown word '%s' (expected spherical or cartesian; a name is "
                                    "put in quotation marks)",
                                    word_show(word).text);
    }
    return STATUS_OK;
}

/* The form of the functions from the line "basis ..."; Cartesian, as in NWChem, if it
 * names none. */
static enum status read_form(const struct line_reader *reader, struct basis_set *set)
{
    bool spherical = false, cartesian = false;
    TRY(read_form_words(reader, &spherical, &cartesian));
    if (spherical && cartesian)
        return line_reader_fail(reader, "spherical and cartesian exclude each other");
    enum basis_form form = spherical ? BASIS_FORM_SPHERICAL : BASIS_FORM_CARTESIAN;
    set->form_stated = set->form_stated || spherical || cartesian;
    if (set->form != BASIS_FORM_UNSTATED && form != set->form)
        return line_reader_fail(reader,
                                "this section and an earlier one differ in spherical or cartesian");
    set->form = form;
    return STATUS_OK;
}

/* A row of numbers, as opposed to the first line of a shell or "end". */
static bool is_row(const struct line_reader *reader)
{
    return reader->words[0].begin[0] && strchr("+-.0123456789", reader->words[0].begin[0]);
}

/* The element and the shell type of the current line, "Sym S". */
static enum status read_shell_line(const struct line_reader *reader, int *element,
                                   struct word *type)
{
    if (reader->n_words == 3 && word_equals(reader->words[1], "library"))
        return line_reader_fail(reader, "'library' is not supported; give the set's numbers");
    *element = element_number(reader->words[0].begin, reader->words[0].length);
    if (reader->n_words != 2 || *element < 0 || !basis_is_shell_type(reader->words[1]))
        return line_reader_fail(reader,
                                "expected an element and a shell type, such as 'O SP', or 'end', "
                                "found '%s'",
                                word_show(reader->all).text);
    *type = reader->words[1];
    return STATUS_OK;
}

/* Starts the group: how many contractions there are shows in the first row. */
static enum status add_group(const struct line_reader *reader, struct basis_element *entry, int *l,
                             int n_types, struct basis_contractions **group)
{
    int n_columns = reader->n_words - 1;
    if (n_columns < 1 || (n_types > 1 && n_columns != n_types))
        return line_reader_fail(reader, "expected an exponent and %d coefficient%s, found %d words",
                                n_types, n_types == 1 ? "" : "s", reader->n_words);
    if (n_columns == LINE_MAX_WORDS - 1)
        return line_reader_fail(reader, "more than %d contractions in a shell", n_columns - 1);
    for (int k = n_types; k < n_columns; k++)
        l[k] = l[0];
    return basis_element_add_group(entry, n_columns, l, group);
}

/* Reads the shell whose first line is current, up to the first line that does
 * not belong to it. closed: per element, whether an earlier section has it. */
static enum status read_nwchem_shell(struct line_reader *reader, struct basis_set *set,
                                     int64_t section_line, const bool *closed)
{
    int element = 0, l[LINE_MAX_WORDS], n_types;
    struct word type;
    TRY(read_shell_line(reader, &element, &type));
    TRY(basis_parse_shell_type(reader, type, element, l, &n_types));
    if (closed[element])
        return line_reader_fail(reader, "a second section for %s", element_symbol(element));
    struct basis_element *entry;
    TRY(basis_set_add_element(set, element, &entry));

    struct basis_contractions *group = NULL;
    TRY(next_line(reader, section_line));
    while (is_row(reader)) {
        if (!group)
            TRY(add_group(reader, entry, l, n_types, &group));
        TRY(basis_group_add_primitive(reader, group));
        TRY(next_line(reader, section_line));
    }
    if (!group)
        return line_reader_fail(reader, "expected an exponent and coefficients, found '%s'",
                                word_show(reader->all).text);
    return basis_group_finish(reader, group);
}

static enum status read_basis(struct line_reader *reader, struct basis_set *set)
{
    int64_t section_line = reader->line;
    bool closed[MAX_ATOMIC_NUMBER + 1] = {false};
    for (int64_t e = 0; e < set->n_elements; e++)
        closed[set->elements[e].element] = set->elements[e].n_groups > 0;
    TRY(read_form(reader, set));
    TRY(next_line(reader, section_line));
    while (!is_end(reader))
        TRY(read_nwchem_shell(reader, set, section_line, closed));
    return STATUS_OK;
}

/* Marks the elements that have a core potential; its terms are not kept. */
static enum status read_ecp(struct line_reader *reader, struct basis_set *set)
{
    int64_t section_line = reader->line;
    while (true) {
        TRY(next_line(reader, section_line));
        if (is_end(reader))
            return STATUS_OK;
        if (is_row(reader))
            continue;
        int element = element_number(reader->words[0].begin, reader->words[0].length);
        if (element < 0 || reader->n_words < 2)
            return line_reader_fail(reader,
                                    "expected an element and a part of its core potential, "
                                    "found '%s'",
                                    word_show(reader->all).text);
        struct basis_element *entry;
        TRY(basis_set_add_element(set, element, &entry));
        entry->needs_ecp = true;
    }
}

enum status basis_set_parse_nwchem(struct line_reader *reader, struct basis_set *set)
{
    while (line_reader_next_filled(reader)) {
        if (word_equals(reader->words[0], "basis"))
            TRY(read_basis(reader, set));
        else if (word_equals(reader->words[0], "ecp"))
            TRY(read_ecp(reader, set));
        else
            return line_reader_fail(reader, "expected a section 'basis' or 'ecp', found '%s'",
                                    word_show(reader->all).text);
    }
    return STATUS_OK;
}
