/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints what the files named on standard input hold, for test_basis_files.py. Tabs separate:
 *   file  REFUSED  message
 *   file  element  form  whether it has a core potential  a shell for each contraction, "l:n:sums of
 *                  (p + 1) x exponent and of (p + 1) x coefficient over primitives p"; or REFUSED and the message */
#include "basis/input/basis_library.h"
#include "basis/integrals/shells.h"

#include <stdio.h>
#include <string.h>

static void print_shells(const struct basis_element *entry)
{
    for (int64_t g = 0; g < entry->n_groups; g++) {
        const struct basis_contractions *group = &entry->groups[g];
        for (int k = 0; k < group->n_contractions; k++) {
            double exponents = 0, coefficients = 0;
            for (int p = 0; p < group->n_primitives; p++) {
                exponents += (p + 1) * group->exponents[p];
                coefficients += (p + 1) * group->coefficients[p * group->n_contractions + k];
            }
            printf(" %d:%d:%.17g:%.17g", group->l[k], group->n_primitives, exponents, coefficients);
        }
    }
}

/* Places the element as a ghost, to which core potentials do not matter. */
static void print_element(const char *path, const struct basis_set *set,
                          const struct basis_element *entry)
{
    static const char *const forms[] = {"unstated", "spherical", "cartesian"};
    enum basis_form form = entry->form != BASIS_FORM_UNSTATED ? entry->form : set->form;
    struct atom atom = atom_of_element(entry->element, true);
    const struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
    struct shells *shells;
    printf("%s\t%s\t%s\t%d\t", path, element_symbol(entry->element), forms[form], entry->needs_ecp);
    if (shells_create(&molecule, set, BASIS_FORM_UNSTATED, &shells) == STATUS_OK)
        print_shells(entry);
    else
        printf("REFUSED\t%s", status_text());
    printf("\n");
    shells_destroy(shells);
}

int main(int argc, char **argv)
{
    char path[4096];
    MPI_Init(&argc, &argv);
    while (fgets(path, sizeof path, stdin)) {
        struct basis_set set;
        path[strcspn(path, "\n")] = '\0';
        if (basis_set_read_all(path, MPI_COMM_SELF, &set) != STATUS_OK)
            printf("%s\tREFUSED\t%s\n", path, status_text());
        for (int64_t e = 0; e < set.n_elements; e++)
            print_element(path, &set, &set.elements[e]);
        basis_set_fini(&set);
    }
    MPI_Finalize();
    return 0;
}
