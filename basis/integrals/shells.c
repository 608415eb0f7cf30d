/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/shells.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Shells without a centre, shared by all atoms of a kind. */
struct prototype {
    struct shell *shells; /* owned */
    int64_t n_shells;
};

/* Self-overlap of sum_p c_p N(a_p, l) x^l exp(-a_p r^2):
 *   sum_pq c_p c_q (2 sqrt(a_p a_q) / (a_p + a_q))^(l + 3/2). */
static double contraction_overlap(int l, int n, const double *exponents, const double *c)
{
    double sum = 0;
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++) {
            double a = exponents[p], b = exponents[q];
            sum += c[p] * c[q] * pow(2 * sqrt(a * b) / (a + b), l + 1.5);
        }
    return sum;
}

double primitive_norm(int l, double a)
{
    double norm = pow(2 * a / M_PI, 0.75) * pow(4 * a, 0.5 * l);
    for (int k = 2 * l - 1; k > 1; k -= 2)
        norm /= sqrt(k);
    return norm;
}

/* Inserts the primitives with a coefficient, by descending exponent; equal exponents are merged, as
 * groups of shells (shell_groups.h) identify primitives by it. Returns their number. */
static int sort_primitives(const struct basis_contractions *group, int k, double *exponents,
                           double *coefficients)
{
    int n = 0;
    for (int p = 0; p < group->n_primitives; p++) {
        double exponent = group->exponents[p];
        double c = group->coefficients[p * group->n_contractions + k];
        int at = n;
        while (at > 0 && exponents[at - 1] < exponent)
            at--;
        if (at > 0 && exponents[at - 1] == exponent) {
            coefficients[at - 1] += c;
        } else if (c != 0) {
            size_t bytes = (size_t)(n++ - at) * sizeof(double);
            memmove(exponents + at + 1, exponents + at, bytes);
            memmove(coefficients + at + 1, coefficients + at, bytes);
            exponents[at] = exponent;
            coefficients[at] = c;
        }
    }
    return n;
}

/* Makes the shell of contraction k; stores its numbers at *numbers and advances it past them. */
static enum status make_shell(const struct basis_set *set, const struct basis_contractions *group,
                              int k, bool spherical, double **numbers, struct shell *shell)
{
    int l = group->l[k];
    double *exponents = *numbers;
    double *coefficients = exponents + group->n_primitives;
    int n = sort_primitives(group, k, exponents, coefficients);
    double overlap = contraction_overlap(l, n, exponents, coefficients);
    if (!isfinite(overlap) || overlap <= 0)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64
                    ": the coefficients in column %d of this shell cannot be normalised: all are "
                    "zero, they cancel, or they are too large",
                    set->name, group->line, k + 1);
    for (int p = 0; p < n; p++)
        coefficients[p] *= primitive_norm(l, exponents[p]) / sqrt(overlap);
    *numbers = coefficients + n;
    *shell = (struct shell){
        .l = l,
        .spherical = spherical && l >= 2,
        .n_functions = angular_map(l, spherical)->n_functions,
        .n_primitives = n,
        .exponents = exponents,
        .coefficients = coefficients,
    };
    return STATUS_OK;
}

static enum status make_prototype(const struct basis_set *set, const struct basis_element *entry,
                                  bool spherical, double **numbers, struct prototype *prototype)
{
    int64_t n = 0;
    for (int64_t g = 0; g < entry->n_groups; g++)
        n += entry->groups[g].n_contractions;
    struct shell *shell = calloc((size_t)n, sizeof *shell);
    TRY(CHECK_MEMORY(shell, "no memory for the basis set"));
    *prototype = (struct prototype){shell, n};
    for (int64_t g = 0; g < entry->n_groups; g++)
        for (int k = 0; k < entry->groups[g].n_contractions; k++)
            TRY(make_shell(set, &entry->groups[g], k, spherical, numbers, shell++));
    return STATUS_OK;
}

/* Names the line that was skipped, which may be the misspelt one, or the elements that there are. */
static enum status fail_no_functions(const struct basis_set *set, const char *symbol)
{
    char list[6 * (MAX_ATOMIC_NUMBER + 1)] = "no element";
    size_t n = 0;
    for (int64_t e = 0; e < set->n_elements; e++)
        if (set->elements[e].n_groups > 0)
            n += (size_t)snprintf(list + n, sizeof list - n, "%s%s", n > 0 ? ", " : "",
                                  element_symbol(set->elements[e].element));
    return FAIL(
        STATUS_INPUT, "basis set %s has no functions for %s: correct it or choose another. %s%s",
        set->name, symbol, set->skipped ? "The first line that was skipped: " : "It has those of ",
        set->skipped ? set->skipped : list);
}

/* The entry for an atom in its set; *entry is NULL for a plain ghost without one. */
static enum status find_atom_entry(const struct basis_set *sets, const struct atom *atom,
                                   const struct basis_element **entry)
{
    const struct basis_set *set = &sets[atom->basis];
    *entry = basis_set_find(set, atom->element);
    const char *symbol = element_symbol(atom->element);
    if (*entry && (*entry)->defect)
        return FAIL(STATUS_INPUT, "%s", (*entry)->defect);
    if (*entry && (*entry)->n_groups == 0)
        *entry = NULL;
    if (*entry && (*entry)->needs_ecp && !atom->ghost && !atom->potential)
        return FAIL(STATUS_INPUT,
                    "basis set %s: %s needs an effective core potential, which the file does not "
                    "give: add it, or choose another set",
                    set->name, symbol);
    return !*entry && atom->element != 0 ? fail_no_functions(set, symbol) : STATUS_OK;
}

static enum basis_form form_of(const struct basis_set *set, const struct basis_element *entry)
{
    return entry->form != BASIS_FORM_UNSTATED ? entry->form : set->form;
}

/* Without d and higher functions, both forms are the same. */
static bool needs_form(const struct basis_element *entry)
{
    for (int64_t g = 0; g < entry->n_groups; g++)
        for (int k = 0; k < entry->groups[g].n_contractions; k++)
            if (entry->groups[g].l[k] >= 2)
                return true;
    return false;
}

/* The form that the sets have for the elements of the molecule. */
static enum status find_form(const struct molecule *molecule, const struct basis_set *sets,
                             enum basis_form *form)
{
    const struct atom *first = NULL; /* whose form counts */
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct basis_element *entry;
        const struct atom *atom = &molecule->atoms[a];
        TRY(find_atom_entry(sets, atom, &entry));
        if (!entry || (first && !needs_form(entry)))
            continue;
        enum basis_form own = form_of(&sets[atom->basis], entry);
        if (first && own != *form &&
            needs_form(basis_set_find(&sets[first->basis], first->element)))
            return FAIL(STATUS_INPUT,
                        "the d and higher functions of %s in %s and of %s in %s differ in "
                        "spherical or cartesian: give --spherical or --cartesian",
                        element_symbol(first->element), sets[first->basis].name,
                        element_symbol(atom->element), sets[atom->basis].name);
        *form = own;
        first = atom;
    }
    return STATUS_OK;
}

static size_t count_numbers(const struct basis_element *entry)
{
    size_t n = 0;
    for (int64_t g = 0; g < entry->n_groups; g++) {
        const struct basis_contractions *group = &entry->groups[g];
        n += 2 * (size_t)group->n_primitives * (size_t)group->n_contractions;
    }
    return n;
}

/* Makes the prototypes of all kinds of atoms that the molecule has, and counts the shells of the
 * molecule. */
static enum status prepare_prototypes(const struct molecule *molecule, const struct basis_set *sets,
                                      struct shells *shells, struct prototype *prototypes)
{
    size_t n_numbers = 0;
    for (int64_t set = 0; set < molecule_n_kinds(molecule) / (MAX_ATOMIC_NUMBER + 1); set++)
        for (int64_t e = 0; e < sets[set].n_elements; e++)
            n_numbers += count_numbers(&sets[set].elements[e]);
    shells->numbers = malloc(n_numbers * sizeof *shells->numbers);
    TRY(CHECK_MEMORY(shells->numbers, "no memory for the basis set"));
    double *numbers = shells->numbers;
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *atom = &molecule->atoms[a];
        struct prototype *prototype = &prototypes[atom_kind(atom)];
        const struct basis_element *entry;
        TRY(find_atom_entry(sets, atom, &entry));
        if (entry && !prototype->shells)
            TRY(make_prototype(&sets[atom->basis], entry, shells->spherical, &numbers, prototype));
        shells->n_shells += prototype->n_shells;
    }
    if (shells->n_shells == 0)
        return FAIL(STATUS_INPUT, "no centre of the molecule has basis functions");
    return STATUS_OK;
}

static enum status place_shells(const struct molecule *molecule, const struct prototype *prototypes,
                                struct shells *shells)
{
    shells->shells = malloc((size_t)shells->n_shells * sizeof *shells->shells);
    TRY(CHECK_MEMORY(shells->shells, "no memory for %" PRId64 " shells", shells->n_shells));
    struct shell *shell = shells->shells;
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct atom *atom = &molecule->atoms[a];
        const struct prototype *prototype = &prototypes[atom_kind(atom)];
        for (int64_t s = 0; s < prototype->n_shells; s++, shell++) {
            *shell = prototype->shells[s];
            shell->atom = a;
            shell->first_function = shells->n_functions;
            memcpy(shell->center, atom->position, sizeof shell->center);
            shells->n_functions += shell->n_functions;
            if (shell->l > shells->max_l)
                shells->max_l = shell->l;
            if (shell->n_primitives > shells->max_primitives)
                shells->max_primitives = shell->n_primitives;
        }
    }
    return STATUS_OK;
}

enum status shells_create(const struct molecule *molecule, const struct basis_set *sets,
                          enum basis_form form, struct shells **shells)
{
    *shells = NULL;
    int64_t n_kinds = molecule_n_kinds(molecule);
    struct prototype *prototypes = calloc((size_t)n_kinds, sizeof *prototypes);
    struct shells *made = calloc(1, sizeof *made);
    enum status status = CHECK_MEMORY(prototypes && made, "no memory for the basis set");
    if (status == STATUS_OK && form == BASIS_FORM_UNSTATED)
        status = find_form(molecule, sets, &form);
    if (status != STATUS_OK)
        goto done;
    made->spherical = form != BASIS_FORM_CARTESIAN;
    status = prepare_prototypes(molecule, sets, made, prototypes);
    if (status != STATUS_OK)
        goto done;
    status = place_shells(molecule, prototypes, made);
    if (status != STATUS_OK)
        goto done;
    status = shell_groups_create(made);
done:
    for (int64_t kind = 0; prototypes && kind < n_kinds; kind++)
        free(prototypes[kind].shells);
    free(prototypes);
    if (status != STATUS_OK)
        shells_destroy(made);
    *shells = status == STATUS_OK ? made : NULL;
    return status;
}

void shells_destroy(struct shells *shells)
{
    if (!shells)
        return;
    shell_groups_destroy(shells);
    free(shells->shells);
    free(shells->numbers);
    free(shells);
}
