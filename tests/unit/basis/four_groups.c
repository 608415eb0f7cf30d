/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/unit/basis/four_groups.h"

#include <ctype.h>

/* Prints a group in Gaussian94 format, with coefficients that differ everywhere; returns its length. */
static size_t print_group(const char *letters, int group, const struct contraction *contraction,
                          char *text, size_t size)
{
    size_t used = 0;
    for (int s = 0; letters[s]; s++) {
        int first = s < 2 && isupper(letters[s]) ? 0 : contraction->n_primitives - 1;
        used += (size_t)snprintf(text + used, size - used, "%c %d 1.00\n", toupper(letters[s]),
                                 contraction->n_primitives - first);
        double exponent = contraction->first_exponent + group;
        for (int p = 0; p < contraction->n_primitives; p++, exponent /= contraction->ratio)
            if (p >= first)
                used += (size_t)snprintf(text + used, size - used, " %.9g %.6f\n", exponent,
                                         0.3 + 0.2 * p - 0.05 * group - 0.45 * s * p);
    }
    return used;
}

struct shells_case four_groups_make(const char *const letters[4],
                                    const struct contraction *contraction, enum basis_form form)
{
    static const char *const symbols[4] = {"H", "He", "Li", "Be"};
    char text[8192];
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s 0\n", symbols[i]);
        used += print_group(letters[i], i, contraction, text + used, sizeof text - used);
        used += (size_t)snprintf(text + used, sizeof text - used, "****\n");
    }
    struct shells_case four =
        shells_case_make("4\nunits=angstrom\nH 0.1 0.2 -0.3\nHe 0.9 -0.4 0.2\n"
                         "Li -0.5 0.7 0.8\nBe 0.3 1.1 -0.6\n",
                         text, form);
    assert_int_equal(four.shells->n_groups, 4);
    return four;
}
