/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/ecp.h"

#include "basis/integrals/ecp_libecpint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* --- potentials of atoms --- */

/* The largest angular momentum of a local part; -1 without libecpint. */
static int max_potential_l(void)
{
#ifdef BERYL_LIBECPINT
    return ecp_library_max_l();
#else
    return -1;
#endif
}

static enum status check_potential(const struct basis_set *set, const struct basis_element *entry)
{
    const struct core_potential *potential = &entry->potential;
    const char *symbol = element_symbol(entry->element);
    int max_l = max_potential_l();
    if (max_l < 0)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64 ": the core potential of %s needs libecpint, without which this "
                    "program was built: install Debian's libecpint-dev and build it again",
                    set->name, potential->line, symbol);
    if (core_potential_max_l(potential) >= max_l)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64 ": the core potential of %s has a projector of l = %d, and "
                    "libecpint stops at l = %d: choose another basis set",
                    set->name, potential->line, symbol, core_potential_max_l(potential), max_l - 1);
    if (potential->n_core >= entry->element)
        return FAIL(STATUS_INPUT,
                    "%s:%" PRId64
                    ": a core of %d electrons leaves none of the %d of %s: correct the "
                    "number",
                    set->name, potential->line, potential->n_core, entry->element, symbol);
    return STATUS_OK;
}

enum status ecp_place(const struct basis_set *sets, struct molecule *molecule)
{
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        struct atom *atom = &molecule->atoms[a];
        const struct basis_set *set = &sets[atom->basis];
        const struct basis_element *entry = basis_set_find(set, atom->element);
        if (atom->ghost || !entry || entry->potential.line == 0)
            continue;
        if (entry->defect)
            return FAIL(STATUS_INPUT, "%s", entry->defect);
        TRY(check_potential(set, entry));
        atom->charge -= entry->potential.n_core;
        atom->potential = &entry->potential;
    }
    return STATUS_OK;
}

bool ecp_needed(const struct molecule *molecule)
{
    bool needed = false;
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        needed = needed || molecule->atoms[a].potential;
    return needed;
}

/* --- integrals --- */

#ifdef BERYL_LIBECPINT

struct ecp_integrals {
    const struct shells *shells;
    struct ecp_library *library;
    int n_potentials;
    double *cartesian, *block; /* of the largest shells */
};

static bool is_in_part(const struct core_potential_term *term, bool local, bool negative)
{
    return term->coefficient != 0 && (term->l < 0) == local &&
           (!local || (term->coefficient < 0) == negative);
}

/* Adds a potential of the terms of the local part with one sign, or of all others, if there are any. */
static enum status add_part(const struct atom *atom, bool local, bool negative,
                            struct ecp_integrals *made)
{
    const struct core_potential *potential = atom->potential;
    struct ecp_library *library = made->library;
    int local_l = local ? 0 : core_potential_max_l(potential) + 1;
    bool is_empty = true;
    for (int64_t t = 0; t < potential->n_terms; t++)
        is_empty = is_empty && !is_in_part(&potential->terms[t], local, negative);
    if (is_empty)
        return STATUS_OK;
    TRY(ecp_library_add_potential(library, atom->position));
    TRY(ecp_library_add_term(library, local_l, 2, 1, 0)); /* a local part is expected */
    for (int64_t t = 0; t < potential->n_terms; t++) {
        const struct core_potential_term *term = &potential->terms[t];
        if (is_in_part(term, local, negative))
            TRY(ecp_library_add_term(library, local ? 0 : term->l, term->power, term->exponent,
                                     term->coefficient));
    }
    made->n_potentials++;
    return STATUS_OK;
}

static enum status fill_library(const struct molecule *molecule, const struct shells *shells,
                                struct ecp_integrals *made)
{
    int max_l = 0;
    size_t size = (size_t)n_cartesians(shells->max_l) * (size_t)n_cartesians(shells->max_l);
    for (int64_t a = 0; a < molecule->n_atoms; a++) {
        const struct core_potential *potential = molecule->atoms[a].potential;
        if (potential && core_potential_max_l(potential) + 1 > max_l)
            max_l = core_potential_max_l(potential) + 1;
    }
    made->shells = shells;
    made->cartesian = calloc(2 * size, sizeof(double));
    TRY(CHECK_MEMORY(made->cartesian, "no memory for integrals of core potentials"));
    made->block = made->cartesian + size;
    TRY(ecp_library_create(shells->max_l, max_l, &made->library));
    for (int64_t i = 0; i < shells->n_shells; i++) {
        const struct shell *shell = &shells->shells[i];
        TRY(ecp_library_add_shell(made->library, shell->center, shell->l, shell->n_primitives,
                                  shell->exponents, shell->coefficients));
    }
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        if (molecule->atoms[a].potential) {
            TRY(add_part(&molecule->atoms[a], true, false, made));
            TRY(add_part(&molecule->atoms[a], true, true, made));
            TRY(add_part(&molecule->atoms[a], false, false, made));
        }
    return STATUS_OK;
}

enum status ecp_integrals_create(const struct molecule *molecule, const struct shells *shells,
                                 struct ecp_integrals **integrals)
{
    *integrals = calloc(1, sizeof **integrals);
    TRY(CHECK_MEMORY(*integrals, "no memory for integrals of core potentials"));
    enum status status = fill_library(molecule, shells, *integrals);
    if (status != STATUS_OK) {
        ecp_integrals_destroy(*integrals);
        *integrals = NULL;
    }
    return status;
}

void ecp_integrals_destroy(struct ecp_integrals *integrals)
{
    if (!integrals)
        return;
    ecp_library_destroy(integrals->library);
    free(integrals->cartesian);
    free(integrals);
}

enum status ecp_integrals_add(struct ecp_integrals *integrals, int64_t bra, int64_t ket,
                              double *block)
{
    const struct shell *a = &integrals->shells->shells[bra], *b = &integrals->shells->shells[ket];
    const struct angular_map *a_map = angular_map(a->l, a->spherical);
    const struct angular_map *b_map = angular_map(b->l, b->spherical);
    size_t size = (size_t)a_map->n_cartesians * (size_t)b_map->n_cartesians;
    memset(integrals->cartesian, 0, size * sizeof(double));
    for (int p = 0; p < integrals->n_potentials; p++)
        TRY(ecp_library_add_block(integrals->library, p, (int)bra, (int)ket, integrals->cartesian));
    angular_map_pair(a_map, b_map, integrals->cartesian, integrals->block);
    for (int i = 0; i < a->n_functions * b->n_functions; i++)
        block[i] += integrals->block[i];
    return STATUS_OK;
}

#else

enum status ecp_integrals_create(const struct molecule *molecule, const struct shells *shells,
                                 struct ecp_integrals **integrals)
{
    (void)molecule, (void)shells; /* ecp_place refuses all potentials */
    *integrals = NULL;
    return STATUS_OK;
}

void ecp_integrals_destroy(struct ecp_integrals *integrals)
{
    (void)integrals;
}

enum status ecp_integrals_add(struct ecp_integrals *integrals, int64_t bra, int64_t ket,
                              double *block)
{
    (void)integrals, (void)bra, (void)ket, (void)block;
    return STATUS_OK;
}

#endif
