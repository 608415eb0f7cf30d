/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set_parser.h"
#include "basis/input/molecule.h"

#include <inttypes.h>
#include <string.h>

/* An NWChem file: sections "basis ... end" and "ecp ... end" and lines 'ASSOCIATED_ECP "name"', in
 * any number and order. */

/* The state of the parser. */
struct nwchem_file {
    struct line_reader *reader;
    struct basis_set *set;
    bool more;           /* the reader has a line; else the text has ended */
    int last;            /* element of the last shell of a section; -1 before the first */
    int first_potential; /* this element and heavier ones have a potential elsewhere */
};

/* A section "basis". */
struct section {
    int64_t line;
    enum basis_form form;
    bool closed[MAX_ATOMIC_NUMBER + 1]; /* elements of earlier sections */
    bool seen[MAX_ATOMIC_NUMBER + 1];   /* elements of this one */
    bool line_failed;                   /* the first line, and with it all elements */
    bool next_failed;                   /* a line that may belong to the next element */
    struct status_kept failure;         /* of either */
};

static void next_line(struct nwchem_file *file)
{
    file->more = line_reader_next_filled(file->reader);
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
            return line_reader_fail_at(
                reader, w,
                "unknown word '%s' (expected spherical or cartesian; a name is "
                "put in quotation marks)",
                word_show(word).text);
    }
    return STATUS_OK;
}

/* The form of the functions from the line "basis ..."; Cartesian, as in NWChem, if it
 * names none. */
static enum status read_form(const struct line_reader *reader, struct basis_set *set,
                             enum basis_form *form)
{
    bool spherical = false, cartesian = false;
    *form = BASIS_FORM_CARTESIAN;
    TRY(read_form_words(reader, &spherical, &cartesian));
    if (spherical && cartesian)
        return line_reader_fail_at(reader, 1, "spherical and cartesian exclude each other");
    *form = spherical ? BASIS_FORM_SPHERICAL : BASIS_FORM_CARTESIAN;
    set->form_stated = set->form_stated || spherical || cartesian;
    if (set->form == BASIS_FORM_UNSTATED)
        set->form = *form;
    return STATUS_OK;
}

/* A row of numbers, as opposed to the first line of a shell or "end". */
static bool is_row(const struct line_reader *reader)
{
    return reader->words[0].begin[0] && strchr("+-.0123456789", reader->words[0].begin[0]);
}

/* The element that the line begins with, or -1. */
static int first_element(const struct line_reader *reader)
{
    return element_number(reader->words[0].begin, reader->words[0].length);
}

/* The element of a shell's first line, "Sym S"; -1 for another line. */
static int shell_element(const struct line_reader *reader)
{
    bool is_shell = reader->n_words == 2 && basis_is_shell_type(reader->words[1]);
    return is_shell ? first_element(reader) : -1;
}

/* The element of a line of the form of a shell's first line, which may be wrong, as "O Z" or "O S S": rows
 * that follow are its own. -1 for another line, such as a title. */
static int take_headed_element(struct nwchem_file *file)
{
    const struct line_reader *reader = file->reader;
    bool is_headed = reader->n_words > 1;
    for (int w = 1; w < reader->n_words; w++)
        is_headed &= reader->words[w].length == 1 || basis_is_shell_type(reader->words[w]);
    int element = is_headed ? first_element(reader) : -1;
    if (element >= 0)
        file->last = element;
    return element;
}

static bool begins_section(const struct line_reader *reader)
{
    static const char *const words[] = {"basis", "ecp", "ASSOCIATED_ECP"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (word_equals(reader->words[0], words[i]))
            return true;
    return false;
}

/* Starts the group: how many contractions there are shows in the first row. */
static enum status add_group(const struct line_reader *reader, struct basis_element *entry, int *l,
                             int n_types, struct basis_contractions **group)
{
    int n_columns = reader->n_words - 1;
    if (n_columns < 1 || (n_types > 1 && n_columns != n_types))
        return line_reader_fail_at(reader, n_columns > n_types ? 1 + n_types : reader->n_words,
                                   "expected an exponent and %d coefficient%s, found %d words",
                                   n_types, n_types == 1 ? "" : "s", reader->n_words);
    if (n_columns == LINE_MAX_WORDS - 1)
        return line_reader_fail_at(reader, n_columns, "more than %d contractions in a shell",
                                   n_columns - 1);
    for (int k = n_types; k < n_columns; k++)
        l[k] = l[0];
    return basis_element_add_group(entry, n_columns, l, group);
}

/* Reads the shell whose first line is current, up to the first line that does
 * not belong to it. */
static enum status read_nwchem_shell(struct nwchem_file *file, int element,
                                     const struct section *section)
{
    struct line_reader *reader = file->reader;
    struct line_reader shell_line = *reader;
    int l[LINE_MAX_WORDS], n_types;
    TRY(basis_parse_shell_type(reader, 1, element, l, &n_types));
    if (section->closed[element])
        return line_reader_fail_at(reader, 0, "a second section for %s", element_symbol(element));
    struct basis_element *entry;
    TRY(basis_set_add_element(file->set, element, &entry));
    entry->form = section->form;

    struct basis_contractions *group = NULL;
    for (next_line(file); file->more && is_row(reader); next_line(file)) {
        if (!group)
            TRY(add_group(reader, entry, l, n_types, &group));
        TRY(basis_group_add_primitive(reader, group));
    }
    if (!group)
        return line_reader_fail_at(reader, 0, "expected an exponent and coefficients, found '%s'",
                                   word_show(reader->all).text);
    return basis_group_finish(&shell_line, group);
}

/* Makes the kept failure of a section a defect of an element that it may concern. */
static enum status add_kept_defect(struct nwchem_file *file, int element, struct section *section)
{
    if (!section->line_failed && !section->next_failed)
        return STATUS_OK;
    section->next_failed = false;
    status_restore(&section->failure);
    return basis_set_add_defect(file->set, element, STATUS_INPUT);
}

/* Skips a line of a section that is no shell's: a defect of the element that it names or, for a
 * row, that it follows; else it may belong to the elements before and after it. */
static enum status skip_section_line(struct nwchem_file *file, struct section *section)
{
    const struct line_reader *reader = file->reader;
    bool is_library = reader->n_words == 3 && word_equals(reader->words[1], "library");
    enum status status =
        is_library
            ? line_reader_fail_at(reader, 1, "'library' is not supported; give the set's numbers")
            : line_reader_fail_at(reader, 0,
                                  "expected an element and a shell type, such as 'O SP', or "
                                  "'end', found '%s'",
                                  word_show(reader->all).text);
    take_headed_element(file);
    int element = is_row(reader) ? file->last : first_element(reader);
    if (element >= 0)
        return basis_set_add_defect(file->set, element, status);
    if (!section->line_failed) {
        section->next_failed = true;
        section->failure = status_keep();
    }
    if (file->last >= 0)
        return basis_set_add_defect(file->set, file->last, status);
    return basis_set_skip(file->set);
}

/* Reads a shell or skips a line of a section. */
static enum status read_section_line(struct nwchem_file *file, struct section *section)
{
    int64_t line = file->reader->line;
    int element = shell_element(file->reader);
    if (element >= 0) {
        file->last = element;
        section->seen[element] = true;
        TRY(add_kept_defect(file, element, section));
        TRY(basis_set_add_defect(file->set, element, read_nwchem_shell(file, element, section)));
    } else {
        TRY(skip_section_line(file, section));
    }
    if (file->more && file->reader->line == line)
        next_line(file);
    return STATUS_OK;
}

/* A section that does not end: any of its elements may lack shells. */
static enum status add_defect_of_end(struct nwchem_file *file, const struct section *section)
{
    enum status status =
        line_reader_fail_at(file->reader, file->more ? 0 : file->reader->n_words,
                            "%s without 'end' for the section of line %" PRId64,
                            file->more ? "another section" : "the file ends", section->line);
    for (int element = 0; element <= MAX_ATOMIC_NUMBER; element++)
        if (section->seen[element])
            TRY(basis_set_add_defect(file->set, element, status));
    return basis_set_skip(file->set);
}

static enum status read_basis(struct nwchem_file *file)
{
    struct section section = {.line = file->reader->line};
    const struct basis_set *set = file->set;
    for (int64_t e = 0; e < set->n_elements; e++)
        section.closed[set->elements[e].element] = set->elements[e].n_groups > 0;
    enum status status = read_form(file->reader, file->set, &section.form);
    if (status != STATUS_OK) {
        section.line_failed = true;
        section.failure = status_keep();
    }
    file->last = -1;
    next_line(file);
    while (file->more && !is_end(file->reader) && !begins_section(file->reader))
        TRY(read_section_line(file, &section));
    if (!file->more || !is_end(file->reader))
        return add_defect_of_end(file, &section);
    next_line(file);
    return STATUS_OK;
}

/* Marks the element of a line that says more than its potential's numbers. */
static enum status read_ecp_line(const struct line_reader *reader, struct basis_set *set)
{
    int element = first_element(reader);
    enum status status = STATUS_OK;
    if (element < 0 || reader->n_words < 2)
        status = line_reader_fail_at(reader, 0,
                                     "expected an element and a part of its core potential, "
                                     "found '%s'",
                                     word_show(reader->all).text);
    if (element < 0)
        return basis_set_skip(set);
    struct basis_element *entry;
    TRY(basis_set_add_element(set, element, &entry));
    entry->needs_ecp = true;
    return basis_set_add_defect(set, element, status);
}

/* Marks the elements that have a core potential; its terms are not kept. */
static enum status read_ecp(struct nwchem_file *file)
{
    for (next_line(file); file->more && !begins_section(file->reader); next_line(file)) {
        if (is_end(file->reader)) {
            next_line(file);
            break;
        }
        if (!is_row(file->reader))
            TRY(read_ecp_line(file->reader, file->set));
    }
    return STATUS_OK;
}

static void read_associated(struct nwchem_file *file)
{
    struct word name = file->reader->n_words > 1 ? file->reader->words[1] : (struct word){"", 0};
    int first = basis_first_potential(name);
    if (first < file->first_potential)
        file->first_potential = first;
    next_line(file);
}

/* Skips a line outside of the sections: a defect of an element if it looks like a part of one. */
static enum status skip_line_between(struct nwchem_file *file)
{
    const struct line_reader *reader = file->reader;
    enum status status = line_reader_fail_at(
        reader, 0, "expected a section 'basis' or 'ecp', found '%s'", word_show(reader->all).text);
    int headed = take_headed_element(file), element = is_row(reader) ? file->last : headed;
    TRY(element >= 0 ? basis_set_add_defect(file->set, element, status)
                     : basis_set_skip(file->set));
    next_line(file);
    return STATUS_OK;
}

enum status basis_set_parse_nwchem(struct line_reader *reader, struct basis_set *set)
{
    struct nwchem_file file = {
        .reader = reader, .set = set, .last = -1, .first_potential = MAX_ATOMIC_NUMBER + 1};
    next_line(&file);
    while (file.more) {
        if (word_equals(reader->words[0], "basis"))
            TRY(read_basis(&file));
        else if (word_equals(reader->words[0], "ecp"))
            TRY(read_ecp(&file));
        else if (begins_section(reader))
            read_associated(&file);
        else
            TRY(skip_line_between(&file));
    }
    for (int64_t e = 0; e < set->n_elements; e++)
        if (set->elements[e].element >= file.first_potential)
            set->elements[e].needs_ecp = true;
    return STATUS_OK;
}
