/* SPDX-License-Identifier: BSD-3-Clause */
/* Every nucleus freezes the orbitals of the noble gas before it, a ghost none; those are chosen that are
 * most of all on the atoms' cores. */
#include "tce/integrals/frozen_core.h"

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

/* Source: psi4 1.3.2 with def2-SVP, freeze_core true; of Zn, Au and Hg by shells: all of the core of Zn
 * are replaced, and of Au, whose potential replaces 4f, not 5s and 5p. */
TEST(replaced_shells_do_not_count)
{
    static const struct {
        int element, replaced;
        int64_t core;
    } cases[] = {{37, 28, 4}, {53, 28, 4}, {54, 28, 4}, {55, 46, 4}, {57, 46, 4},
                 {35, 10, 4}, {30, 28, 0}, {35, 28, 0}, {19, 18, 0}, {79, 60, 4},
                 {80, 60, 4}, {55, 54, 0}, {86, 78, 0}, {53, 46, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct atom atom = atom_of_element(cases[i].element, false);
        struct molecule molecule = {.n_atoms = 1, .atoms = &atom};
        atom.charge -= cases[i].replaced;
        assert_int_equal(frozen_core_count(&molecule), cases[i].core);
    }
}

static void check_choice(int64_t n, const double sums[], int64_t n_core, const int64_t expected[])
{
    struct core_share shares[8] = {0};
    int64_t core[8];
    for (int64_t i = 0; i < n; i++)
        shares[i].sum = sums[i];
    frozen_core_choose(n, shares, n_core, core);
    for (int64_t k = 0; k < n_core; k++)
        assert_int_equal(core[k], expected[k]);
}

TEST(largest_shares_are_chosen)
{
    check_choice(5, (const double[]){0.999, 1.001, 0.98, 0.01, 0.02}, 3,
                 (const int64_t[]){0, 1, 2});
    check_choice(6, (const double[]){1, 0.99, 0.04, 0.96, 0.02, 0.97}, 4,
                 (const int64_t[]){0, 1, 3, 5});
    check_choice(4, (const double[]){0.5, 0.5, 0.5, 0.5}, 2, (const int64_t[]){0, 1});
    check_choice(3, (const double[]){0.1, 0.2, 0.3}, 0, NULL);
    check_choice(3, (const double[]){0.1, 0.2, 0.3}, 3, (const int64_t[]){0, 1, 2});
}

TEST(numbers_skip_the_core)
{
    const int64_t core[] = {0, 2, 3, 6};
    struct orbital_space space = {.frozen.n_core = 4, .core = core};
    const int64_t expected[] = {1, 4, 5, 7, 8};
    for (int64_t p = 0; p < 5; p++)
        assert_int_equal(orbital_space_number(&space, p), expected[p]);
    space.core = NULL;
    assert_int_equal(orbital_space_number(&space, 1), 5);
}
