/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/ecp.h"
#include "basis/integrals/shells.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Places the shells of every element of the set, each on a molecule of its own. */
static void use(const struct basis_set *set)
{
    for (int64_t e = 0; e < set->n_elements; e++) {
        struct atom atom = atom_of_element(set->elements[e].element, false);
        struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
        struct shells *shells;
        if (ecp_place(set, &molecule) != STATUS_OK)
            continue;
        assert(atom.charge >= (atom.element > 0));
        for (int64_t t = 0; atom.potential && t < atom.potential->n_terms; t++) {
            assert(atom.potential->terms[t].exponent > 0 && atom.potential->terms[t].power >= 0);
            assert(isfinite(atom.potential->terms[t].coefficient));
        }
        if (shells_create(&molecule, set, BASIS_FORM_UNSTATED, &shells) != STATUS_OK)
            continue;
        for (int64_t s = 0; s < shells->n_shells; s++)
            for (int p = 0; p < shells->shells[s].n_primitives; p++) {
                assert(shells->shells[s].exponents[p] > 0);
                assert(isfinite(shells->shells[s].coefficients[p]));
            }
        shells_destroy(shells);
    }
}

void fuzz_one(const char *text, size_t size)
{
    struct basis_set set;
    if (basis_set_parse(text, size, "fuzz", &set) == STATUS_OK)
        use(&set);
    else
        assert(!set.elements);
    basis_set_fini(&set);
}
