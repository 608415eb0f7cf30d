/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set.h"

#include "basis/input/molecule.h"
#include "support/base/array.h"
#include "support/io/text_file.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* Limits that no sensible set reaches; beyond them a number is a slip. */
enum { MAX_PRIMITIVES = 1000 };
#define MIN_EXPONENT 1e-15
#define MAX_EXPONENT 1e15
#define MIN_SCALE    0.01
#define MAX_SCALE    100.0

/* --- the set --- */

void basis_set_fini(struct basis_set *set)
{
    for (int64_t e = 0; e < set->n_elements; e++) {
        struct basis_element *entry = &set->elements[e];
        for (int64_t g = 0; g < entry->n_groups; g++) {
            free(entry->groups[g].exponents);
            free(entry->groups[g].coefficients);
        }
        free(entry->groups);
        free(entry->defect);
        core_potential_fini(&entry->potential);
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

/* Finds or adds an entry. The pointer is valid until the next addition. */
static enum status add_element(struct basis_set *set, int element, struct basis_element **entry)
{
    *entry = find_element(set, element);
    if (*entry)
        return STATUS_OK;
    TRY(array_reserve(&set->elements, set->n_elements + 1, &set->capacity, sizeof *set->elements));
    *entry = &set->elements[set->n_elements++];
    **entry = (struct basis_element){.element = element};
    return STATUS_OK;
}

/* --- parts of both formats --- */

struct parser {
    struct line_reader *reader;
    struct basis_set *set;
    bool more;            /* the reader has a line; else the text has ended */
    int element;          /* to which lines belong; -1: none, or an unknown one */
    int64_t section;      /* the first line of the block or section */
    enum basis_form form; /* of the section */
    int first_potential;  /* this element and heavier ones have a core potential elsewhere */
    bool spin_orbit;      /* the section is "so" */
    struct status_kept odd_potential; /* at a line of one for an unknown element; empty: none */
};

static void next_line(struct parser *parser)
{
    parser->more = line_reader_next_filled(parser->reader);
}

/* Fails at the current line or at the end of the text. */
static enum status fail_expected(const struct parser *parser, const char *expected)
{
    const struct line_reader *reader = parser->reader;
    if (!parser->more)
        return line_reader_fail(reader, "expected %s, found the end of the file", expected);
    const char *begin = reader->words[0].begin, *end = reader->all.begin + reader->all.length;
    return line_reader_fail(reader, "expected %s, found '%s'", expected,
                            word_show((struct word){begin, (size_t)(end - begin)}).text);
}

/* Keeps the text of a failure with STATUS_INPUT: as the first defect of the current element, or,
 * without an element, as the first skipped line. Other failures are passed on. */
static enum status keep_defect(struct parser *parser, enum status status)
{
    struct basis_element *entry;
    char **text = &parser->set->skipped;
    if (status != STATUS_INPUT)
        return status;
    if (parser->element >= 0) {
        TRY(add_element(parser->set, parser->element, &entry));
        text = &entry->defect;
    }
    if (!*text)
        *text = strdup(status_text());
    return CHECK_MEMORY(*text, "no memory for the basis set");
}

/* No lighter element needs a core potential. */
enum { LITHIUM = 3 };

/* Keeps the failure at a line that may be meant for the core potential of any element. */
static enum status keep_odd_potential(struct parser *parser)
{
    if (!*parser->odd_potential.text)
        parser->odd_potential = status_keep();
    parser->element = -1;
    return keep_defect(parser, STATUS_INPUT);
}

/* Begins or continues the functions of the current element in this block or section. */
static enum status begin_functions(struct parser *parser, struct basis_element **entry)
{
    TRY(add_element(parser->set, parser->element, entry));
    if ((*entry)->section != 0 && (*entry)->section != parser->section)
        return line_reader_fail(
            parser->reader,
            "expected one block or section for %s, found a second after that of "
            "line %" PRId64 ": leave one out",
            element_symbol(parser->element), (*entry)->section);
    (*entry)->section = parser->section;
    (*entry)->form = parser->form;
    return STATUS_OK;
}

/* The element that the line begins with, also as "-O", which asks programs to ignore the block if
 * the molecule lacks the element; -1: none. */
static int first_element(const struct line_reader *reader)
{
    struct word first = reader->words[0];
    bool dash = first.begin[0] == '-';
    return element_number(first.begin + dash, first.length - dash);
}

static bool is_row(const struct line_reader *reader)
{
    double number;
    return word_to_real(reader->words[0], &number);
}

/* Refuses a line outside of blocks and sections. One that begins with an element belongs to it, and
 * data without a block belong to the last one; another is a title and skipped. */
static enum status refuse_outside(struct parser *parser, bool is_data, const char *expected)
{
    int last = parser->element, named = first_element(parser->reader);
    if (!is_data)
        parser->element = named;
    TRY(keep_defect(parser, fail_expected(parser, expected)));
    if (named < 0)
        parser->element = last;
    return STATUS_OK;
}

/* The number of angular momenta of a shell type, and the first of them; 0: no shell type. */
static int find_shell_type(struct word type, int64_t *l)
{
    static const char letters[] = "SPDFGHIKLMNOQRTUV"; /* without J by tradition */
    *l = 0;
    if (word_equals(type, "SP") || word_equals(type, "L"))
        return 2;
    if (word_equals(type, "SPD"))
        return 3;
    if (type.length > 2 && strncasecmp(type.begin, "l=", 2) == 0)
        return word_to_integer((struct word){type.begin + 2, type.length - 2}, l) && *l >= 0;
    const char *letter =
        type.length == 1 ? strchr(letters, toupper((unsigned char)*type.begin)) : NULL;
    *l = letter ? letter - letters : 0;
    return letter != NULL;
}

/* Adds a group of contractions with the angular momenta of the type in turn or, if it has but one, all
 * with that. */
static enum status add_group(const struct parser *parser, struct basis_element *entry,
                             struct word type, int n_contractions,
                             struct basis_contractions **group)
{
    int64_t l;
    int n_types = find_shell_type(type, &l);
    if (l > BASIS_MAX_L + 1 - n_types)
        return line_reader_fail(parser->reader,
                                "the shell %s of %s is beyond the limit l = %d: choose a smaller "
                                "set",
                                word_show(type).text, element_symbol(entry->element), BASIS_MAX_L);
    TRY(array_reserve(&entry->groups, entry->n_groups + 1, &entry->capacity,
                      sizeof *entry->groups));
    *group = &entry->groups[entry->n_groups++];
    **group =
        (struct basis_contractions){.n_contractions = n_contractions, .line = parser->reader->line};
    for (int k = 0; k < n_contractions; k++)
        (*group)->l[k] = (int)l + (n_types > 1 ? k : 0);
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

/* Adds the primitive of the current line: an exponent and a coefficient for each contraction. */
static enum status read_primitive(const struct parser *parser, struct basis_contractions *group)
{
    const struct line_reader *reader = parser->reader;
    int n = group->n_contractions;
    if (group->n_primitives == MAX_PRIMITIVES)
        return line_reader_fail(reader, "more than %d primitives in a shell", MAX_PRIMITIVES);
    TRY(reserve_primitive(group));
    double *exponent = &group->exponents[group->n_primitives];
    double *coefficients = &group->coefficients[(size_t)group->n_primitives * (size_t)n];
    bool read = parser->more && reader->n_words == 1 + n &&
                word_to_real(reader->words[0], exponent) && *exponent >= MIN_EXPONENT &&
                *exponent <= MAX_EXPONENT;
    for (int k = 0; k < n && read; k++)
        read = word_to_real(reader->words[1 + k], &coefficients[k]);
    if (!read) {
        char expected[80];
        snprintf(expected, sizeof expected, "an exponent (%g to %g) and %d coefficient%s",
                 MIN_EXPONENT, MAX_EXPONENT, n, n == 1 ? "" : "s");
        return fail_expected(parser, expected);
    }
    group->n_primitives++;
    return STATUS_OK;
}

/* --- Gaussian94 --- */

/* A block is "O 0", its shells and "****"; or "O 0" and an effective core potential, "O-ECP lmax
 * ncore", which the next block or stars end. */

static bool is_stars(const struct line_reader *reader)
{
    return reader->n_words == 1 && word_equals(reader->words[0], "****");
}

/* Whether the line has the form "O 0", O being any element. */
static bool begins_block(const struct line_reader *reader)
{
    return reader->n_words == 2 && word_equals(reader->words[1], "0") && !is_row(reader);
}

static bool begins_potential(const struct line_reader *reader)
{
    static const char suffix[] = "-ECP";
    size_t n = sizeof suffix - 1;
    struct word first = reader->words[0];
    return first.length > n && strncasecmp(first.begin + first.length - n, suffix, n) == 0;
}

/* Whether the line has the form "S 3 ...", the first of a shell. */
static bool begins_shell(const struct line_reader *reader)
{
    int64_t l, n;
    return reader->n_words >= 2 && find_shell_type(reader->words[0], &l) > 0 &&
           word_to_integer(reader->words[1], &n) && n > 0;
}

/* Reads "S n scale 0" and n lines of primitives. */
static enum status read_gaussian94_shell(struct parser *parser, struct basis_element *entry)
{
    const struct line_reader *reader = parser->reader;
    int64_t l, n_primitives = 0;
    double scale = 1, zero = 0;
    bool read = parser->more && begins_shell(reader) && reader->n_words <= 4 &&
                word_to_integer(reader->words[1], &n_primitives) &&
                n_primitives <= MAX_PRIMITIVES &&
                (reader->n_words < 3 || word_to_real(reader->words[2], &scale)) &&
                scale >= MIN_SCALE && scale <= MAX_SCALE &&
                (reader->n_words < 4 || word_to_real(reader->words[3], &zero)) && zero == 0;
    if (!read)
        return fail_expected(parser,
                             "a shell such as 'SP 3 1.0' (type, number of primitives, scale "
                             "factor from 0.01 to 100), and **** after the last one");
    struct basis_contractions *group;
    TRY(add_group(parser, entry, reader->words[0], find_shell_type(reader->words[0], &l), &group));
    next_line(parser);
    for (int64_t p = 0; p < n_primitives; p++, next_line(parser)) {
        TRY(read_primitive(parser, group));
        group->exponents[p] *= scale * scale;
    }
    return STATUS_OK;
}

/* Reads a potential, which the line "O-ECP lmax ncore" begins. */
static enum status read_block_potential(struct parser *parser)
{
    struct line_reader *reader = parser->reader;
    struct word symbol = reader->words[0];
    struct basis_element *entry;
    TRY(add_element(parser->set, parser->element, &entry));
    entry->needs_ecp = true;
    if (element_number(symbol.begin, symbol.length - strlen("-ECP")) != parser->element) {
        fail_expected(parser, "the core potential of the block's element");
        return keep_odd_potential(parser);
    }
    if (entry->potential.line > 0)
        return line_reader_fail(reader,
                                "expected one core potential for %s, found a second after that of "
                                "line %" PRId64 ": leave one out",
                                element_symbol(parser->element), entry->potential.line);
    TRY(core_potential_read_gaussian94(reader, &parser->more, &entry->potential));
    if (parser->more && !is_stars(reader) && !begins_block(reader))
        return fail_expected(parser, "**** or the next block after the core potential");
    return STATUS_OK;
}

/* Reads what follows the line "O 0". */
static enum status read_block(struct parser *parser)
{
    struct basis_element *entry;
    parser->section = parser->reader->line;
    next_line(parser);
    if (parser->more && begins_potential(parser->reader))
        return read_block_potential(parser);
    TRY(begin_functions(parser, &entry));
    do
        TRY(read_gaussian94_shell(parser, entry));
    while (!parser->more || !is_stars(parser->reader));
    return STATUS_OK;
}

/* Takes a line `spherical` or `cartesian`, or one of a word that begins so. */
static enum status read_form_line(const struct parser *parser, bool *is_form)
{
    static const char *const names[] = {"spherical", "cartesian"};
    const struct line_reader *reader = parser->reader;
    struct basis_set *set = parser->set;
    *is_form = false;
    for (int f = 0; f < 2; f++) {
        enum basis_form form = f == 0 ? BASIS_FORM_SPHERICAL : BASIS_FORM_CARTESIAN;
        if (reader->n_words != 1 || strncasecmp(reader->words[0].begin, names[f], 4) != 0)
            continue;
        if (!word_equals(reader->words[0], names[f]))
            return fail_expected(parser, "'spherical' or 'cartesian'");
        if (set->form_stated && set->form != form)
            return line_reader_fail(
                reader, "an earlier line says the opposite of '%s': leave one out", names[f]);
        set->form = form;
        set->form_stated = *is_form = true;
    }
    return STATUS_OK;
}

static enum status read_outer_line(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    bool is_form;
    int64_t l;
    TRY(read_form_line(parser, &is_form));
    if (is_form || is_stars(reader))
        return STATUS_OK;
    if (begins_potential(reader) && reader->n_words == 3 && word_to_integer(reader->words[1], &l)) {
        fail_expected(parser, "an element and 0, such as 'O 0', before a core potential");
        return keep_odd_potential(parser);
    }
    TRY(refuse_outside(
        parser, is_row(reader) || begins_shell(reader),
        "an element and 0, such as 'O 0', to begin a block of a Gaussian94 basis set"));
    if (begins_block(reader))
        parser->element = -1;
    return STATUS_OK;
}

static enum status parse_gaussian94(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    while (parser->more) {
        if (!begins_block(reader) || first_element(reader) < 0) {
            TRY(read_outer_line(parser));
            next_line(parser);
            continue;
        }
        parser->element = first_element(reader);
        TRY(keep_defect(parser, read_block(parser)));
        while (parser->more && !is_stars(reader) && !begins_block(reader))
            next_line(parser);
    }
    return STATUS_OK;
}

/* --- NWChem --- */

/* Sections "basis ... end", "ecp ... end" and "so ... end" and lines 'ASSOCIATED_ECP "name"', in any
 * number and order. */

static bool is_end(const struct line_reader *reader)
{
    return reader->n_words == 1 && word_equals(reader->words[0], "end");
}

static bool begins_section(const struct line_reader *reader)
{
    struct word first = reader->words[0];
    return word_equals(first, "basis") || word_equals(first, "ecp") || word_equals(first, "so") ||
           word_equals(first, "ASSOCIATED_ECP");
}

/* What follows a section without end may be missing, so no element of the file is sure. */
static enum status end_section(struct parser *parser)
{
    char expected[80];
    snprintf(expected, sizeof expected, "'end' after the section of line %" PRId64,
             parser->section);
    if (!parser->more || !is_end(parser->reader))
        return fail_expected(parser, expected);
    next_line(parser);
    return STATUS_OK;
}

/* Reads the form from the line "basis ..."; Cartesian, as in NWChem, if it names none. */
static enum status read_section_form(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    static const char *const ignored[] = {"print", "noprint", "segment", "nosegment", "rel", "bse"};
    bool named[3] = {false}, quoted = false;
    parser->form = BASIS_FORM_CARTESIAN;
    for (int w = 1; w < reader->n_words; w++) {
        struct word word = reader->words[w];
        bool opens = !quoted && *word.begin == '"', known = quoted || opens;
        bool closes = word.begin[word.length - 1] == '"' && (quoted || word.length > 1);
        quoted = known && !closes;
        for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
            known = known || word_equals(word, ignored[i]);
        if (known)
            continue;
        bool spherical = word_equals(word, "spherical");
        parser->form = spherical ? BASIS_FORM_SPHERICAL : BASIS_FORM_CARTESIAN;
        named[parser->form] = true;
        if ((!spherical && !word_equals(word, "cartesian")) ||
            (named[BASIS_FORM_SPHERICAL] && named[BASIS_FORM_CARTESIAN]))
            return fail_expected(parser, "the word 'basis', a name in quotation marks, and "
                                         "spherical or cartesian");
    }
    struct basis_set *set = parser->set;
    set->form_stated = set->form_stated || named[parser->form];
    if (set->form == BASIS_FORM_UNSTATED)
        set->form = parser->form;
    return STATUS_OK;
}

/* Reads "O SP" and the rows after it; the first row shows the number of contractions. */
static enum status read_nwchem_shell(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    struct line_reader ahead = *reader;
    struct word type = reader->words[1];
    struct basis_element *entry;
    struct basis_contractions *group;
    int64_t l;
    int n_types = find_shell_type(type, &l), n_columns = 0;
    TRY(begin_functions(parser, &entry));
    if (line_reader_next_filled(&ahead) && is_row(&ahead))
        n_columns = ahead.n_words - 1;
    if (n_columns > BASIS_MAX_CONTRACTIONS)
        return line_reader_fail(&ahead, "more than %d contractions in a shell",
                                BASIS_MAX_CONTRACTIONS);
    bool is_general = n_types == 1 && n_columns > 0;
    TRY(add_group(parser, entry, type, is_general ? n_columns : n_types, &group));
    do {
        next_line(parser);
        TRY(read_primitive(parser, group));
    } while (line_reader_next_filled(&ahead) && is_row(&ahead));
    next_line(parser);
    return STATUS_OK;
}

/* Reads a shell. Another line is a defect of the element that it begins with or, if it is a row of
 * numbers, of the last one; else it may concern any element of the section. */
static enum status read_section_line(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    int64_t l, line = reader->line;
    if (!is_row(reader))
        parser->element = first_element(reader);
    bool is_shell = parser->element >= 0 && !is_row(reader) && reader->n_words == 2 &&
                    find_shell_type(reader->words[1], &l) > 0;
    TRY(keep_defect(parser, is_shell ? read_nwchem_shell(parser)
                                     : fail_expected(parser, "an element and a shell type, such as "
                                                             "'O SP', before rows of numbers, or "
                                                             "'end'")));
    if (parser->more && reader->line == line)
        next_line(parser);
    return STATUS_OK;
}

/* Makes what was skipped in a section a defect of all its elements. */
static enum status spread_defect(const struct parser *parser)
{
    const struct basis_set *set = parser->set;
    for (int64_t e = 0; e < set->n_elements && set->skipped; e++) {
        struct basis_element *entry = &set->elements[e];
        if (entry->section == parser->section && !entry->defect)
            TRY(CHECK_MEMORY(entry->defect = strdup(set->skipped), "no memory for the basis set"));
    }
    return STATUS_OK;
}

static enum status read_section(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    struct basis_set *set = parser->set;
    char *skipped = set->skipped;
    set->skipped = NULL;
    parser->section = reader->line;
    parser->element = -1;
    enum status status = keep_defect(parser, read_section_form(parser));
    next_line(parser);
    while (status == STATUS_OK && parser->more && !is_end(reader) && !begins_section(reader))
        status = read_section_line(parser);
    if (status == STATUS_OK)
        status = spread_defect(parser);
    if (skipped) {
        free(set->skipped);
        set->skipped = skipped;
    }
    TRY(status);
    return end_section(parser);
}

/* Reads a line of a section "ecp" or "so". Another line than a potential's may be meant for any element
 * that can have one. */
static enum status read_potential_line(struct parser *parser, int *l)
{
    const struct line_reader *reader = parser->reader;
    struct basis_element *entry;
    if (!is_row(reader))
        parser->element = core_potential_is_head(reader) ? first_element(reader) : -1;
    if (parser->element < 0) {
        fail_expected(parser, "an element and a part of its core potential, such as 'Rb nelec 28', "
                              "'Rb ul' or 'Rb S'");
        return keep_odd_potential(parser);
    }
    TRY(add_element(parser->set, parser->element, &entry));
    entry->needs_ecp = true;
    if (parser->spin_orbit)
        return keep_defect(
            parser, line_reader_fail(reader,
                                     "a spin-orbit potential of %s, which is not supported: leave "
                                     "out the section 'so' of line %" PRId64,
                                     element_symbol(parser->element), parser->section));
    return keep_defect(parser, core_potential_read_nwchem(reader, l, &entry->potential));
}

static enum status read_potentials(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    int l = INT_MIN;
    parser->element = -1;
    parser->section = reader->line;
    parser->spin_orbit = word_equals(reader->words[0], "so");
    for (next_line(parser); parser->more && !is_end(reader) && !begins_section(reader);
         next_line(parser))
        TRY(read_potential_line(parser, &l));
    return end_section(parser);
}

/* The lightest element of each set of core potentials that the basis sets of NWChem's library name
 * in lines ASSOCIATED_ECP. No heavier element of such a basis set is for all electrons (NWChem
 * 7.0.2). */
static const struct {
    const char *name;
    int first;
} potential_sets[] = {
    {"crenbl_ecp", 3},
    {"crenbs_ecp", 21},
    {"def2-ecp", 37},
    {"dhf-ecp", 37},
    {"hay_wadt_n-1_ecp", 19},
    {"lanl2dz_ecp", 11},
    {"minis-bsip1", 1},
    {"sbkjc_ecp", 3},
    {"stuttgart-koeln_mcdhf_rsc_ecp", 29},
    {"stuttgart_rlc_ecp", 3},
    {"stuttgart_rsc_1997_ecp", 19},
};

/* Reads a line 'ASSOCIATED_ECP "name"'; an unknown name stands for all elements heavier than
 * helium. */
static void read_associated_potentials(struct parser *parser)
{
    const struct line_reader *reader = parser->reader;
    struct word text = reader->n_words > 1 ? reader->words[1] : (struct word){"", 0}, name;
    int first = LITHIUM;
    take_field(&text, &name);
    for (size_t i = 0; i < sizeof potential_sets / sizeof potential_sets[0]; i++)
        if (word_equals(name, potential_sets[i].name))
            first = potential_sets[i].first;
    if (first < parser->first_potential)
        parser->first_potential = first;
    next_line(parser);
}

static enum status parse_nwchem(struct parser *parser)
{
    while (parser->more) {
        struct word first = parser->reader->words[0];
        if (word_equals(first, "basis"))
            TRY(read_section(parser));
        else if (word_equals(first, "ecp") || word_equals(first, "so"))
            TRY(read_potentials(parser));
        else if (begins_section(parser->reader))
            read_associated_potentials(parser);
        else {
            TRY(refuse_outside(parser, is_row(parser->reader), "a section 'basis' or 'ecp'"));
            next_line(parser);
        }
    }
    return STATUS_OK;
}

/* --- either format --- */

/* A section of an NWChem file begins with `basis` or `ecp`; but so may a title in a
 * Gaussian94 file, which is recognised by the first line of a block: NWChem has no such line. */
static bool is_nwchem(struct line_reader reader)
{
    bool has_section = false;
    while (line_reader_next_filled(&reader)) {
        if (begins_block(&reader) && first_element(&reader) >= 0)
            return false;
        has_section = has_section || word_equals(reader.words[0], "basis") ||
                      word_equals(reader.words[0], "ecp");
    }
    return has_section;
}

static enum status check_potentials(struct parser *parser)
{
    const struct basis_set *set = parser->set;
    for (int64_t e = 0; e < set->n_elements; e++) {
        struct basis_element *entry = &set->elements[e];
        parser->element = entry->element;
        entry->needs_ecp = entry->needs_ecp || entry->element >= parser->first_potential;
        status_restore(&parser->odd_potential);
        if (*parser->odd_potential.text && (entry->element >= LITHIUM || entry->needs_ecp))
            TRY(keep_defect(parser, STATUS_INPUT));
        if (entry->potential.line > 0)
            TRY(keep_defect(parser, core_potential_check(set->name, element_symbol(entry->element),
                                                         &entry->potential)));
    }
    return STATUS_OK;
}

static enum status parse_either_format(struct parser *parser)
{
    struct basis_set *set = parser->set;
    bool nwchem = is_nwchem(*parser->reader);
    next_line(parser);
    TRY(nwchem ? parse_nwchem(parser) : parse_gaussian94(parser));
    TRY(check_potentials(parser));
    const char *flaw = set->skipped;
    for (int64_t e = 0; e < set->n_elements; e++) {
        if (set->elements[e].section != 0 || set->elements[e].needs_ecp)
            return STATUS_OK;
        flaw = flaw ? flaw : set->elements[e].defect;
    }
    if (flaw)
        return FAIL(STATUS_INPUT, "%s", flaw);
    return line_reader_fail(
        parser->reader, "expected a basis set in Gaussian94 or NWChem format, found no element");
}

enum status basis_set_parse(const char *text, size_t length, const char *name,
                            struct basis_set *set)
{
    struct line_reader reader;
    struct parser parser = {
        .reader = &reader, .set = set, .element = -1, .first_potential = MAX_ATOMIC_NUMBER + 1};
    *set = (struct basis_set){.name = strdup(name)};
    TRY(CHECK_MEMORY(set->name, "%s: no memory for the basis set", name));
    line_reader_init(&reader, text, length, name, "!#");
    enum status status = parse_either_format(&parser);
    if (status != STATUS_OK)
        basis_set_fini(set);
    return status;
}
