/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_set_parser.h"

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

int basis_first_potential(struct word name)
{
    enum { LITHIUM = 3 };
    struct word bare;
    if (!take_field(&name, &bare))
        return LITHIUM;
    for (size_t i = 0; i < sizeof potential_sets / sizeof potential_sets[0]; i++)
        if (word_equals(bare, potential_sets[i].name))
            return potential_sets[i].first;
    return LITHIUM;
}
