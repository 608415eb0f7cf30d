#include "basis/input/basis_set.h"

#include "basis/input/basis_set_parser.h"
#include "support/base/array.h"

#include <stdlib.h>
#include <string.h>

static void fini_element(struct basis_element *entry)
{
    for (int64_t g = 0; g < entry->n_groups; g++) {
        free(entry->groups[g].l);
        free(entry->groups[g].exponents);
        free(entry->groups[g].coefficients);
    }
    free(entry->groups);
}

void basis_set_fini(struct basis_set *set)
{
    for (int64_t e = 0; e < set->n_elements; e++)
        fini_element(&set->elements[e]);
    free(set->elements);
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

enum status basis_set_parse(const char *text, size_t length, const char *name,
                            struct basis_set *set)
{
    *set = (struct basis_set){.name = strdup(name)};
    TRY(CHECK_MEMORY(set->name, "%s: no memory for the basis set", name));
    struct line_reader reader;
    line_reader_init(&reader, text, length, name, "!#");
    enum status status = is_nwchem(reader) ? basis_set_parse_nwchem(&reader, set)
                                           : basis_set_parse_gaussian94(&reader, set);
    if (status == STATUS_OK && set->n_elements == 0)
        status = FAIL(STATUS_INPUT,
                      "%s: no basis functions found (expected a basis set in Gaussian94 or NWChem "
                      "format)",
                      name);
    if (status != STATUS_OK)
        basis_set_fini(set);
    return status;
}
