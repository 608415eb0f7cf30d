/* SPDX-License-Identifier: BSD-3-Clause */
/* Every nucleus freezes the orbitals of the noble gas before it, a ghost none. */
#include "tce/integrals/orbital_space.h"

#include "tests/check.h"

static int64_t count_of(int element, bool ghost)
{
    struct atom atom = atom_of_element(element, ghost);
    struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
    return frozen_core_count(&molecule);
}

TEST(rows_of_the_periodic_table)
{
    static const struct {
        int first, last;
        int64_t core;
    } rows[] = {{1, 2, 0},    {3, 10, 1},   {11, 18, 5},  {19, 36, 9},
                {37, 54, 18}, {55, 86, 27}, {87, 118, 43}};
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++)
        for (int element = rows[row].first; element <= rows[row].last; element++)
            assert_int_equal(count_of(element, false), rows[row].core);
}

TEST(centres_add_up)
{
    struct atom atoms[] = {atom_of_element(8, false), atom_of_element(1, false),
                           atom_of_element(1, false), atom_of_element(17, false),
                           atom_of_element(8, true)};
    struct molecule molecule = {.n_atoms = 5, .atoms = atoms};
    assert_int_equal(frozen_core_count(&molecule), 6);
}

TEST(orbitals_of_core_potentials_are_not_frozen)
{
    static const int counts[][3] = {{37, 28, 4}, {79, 60, 0}, {82, 46, 4}, {30, 10, 4}};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        struct atom atom = {.element = counts[i][0], .charge = counts[i][0] - counts[i][1]};
        struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
        assert_int_equal(frozen_core_count(&molecule), counts[i][2]);
    }
}
