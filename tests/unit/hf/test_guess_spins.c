/* SPDX-License-Identifier: BSD-3-Clause */
/* Signs of atoms' spins. */
#include "hf/guess/guess.h"
#include "tests/check.h"

#include <string.h>

/* Checks that the centres on a line, "N" at so many Bohr and so on, get these signs. */
static void check_signs(int n, const int elements[], const double z[], enum guess_spins spins,
                        const char *expected)
{
    struct atom atoms[8] = {0};
    struct molecule molecule = {.n_atoms = n, .atoms = atoms};
    bool flipped[8];
    int64_t count;
    for (int i = 0; i < n; i++) {
        atoms[i] = atom_of_element(elements[i], elements[i] == 0);
        atoms[i].position[2] = z[i];
    }
    assert_int_equal(guess_spins_choose(&molecule, spins, flipped, &count), STATUS_OK);
    for (int i = 0; i < n; i++)
        if (flipped[i] != (expected[i] == '-'))
            fail_msg("centre %d of %s", i, expected);
}

TEST(the_atom_with_more_unpaired_electrons_has_alpha)
{
    const double z[] = {0, 2};
    check_signs(2, (int[]){7, 8}, z, GUESS_SPINS_ALTERNATE, "+-");
    check_signs(2, (int[]){8, 7}, z, GUESS_SPINS_ALTERNATE, "-+");
    check_signs(2, (int[]){7, 7}, z, GUESS_SPINS_FRAGMENTS, "+-");
}

TEST(fragments_are_parallel_within)
{
    const int acetylene[] = {1, 6, 6, 1};
    const double z[] = {0, 2, 4.3, 6.3};
    check_signs(4, acetylene, z, GUESS_SPINS_FRAGMENTS, "++--");
    check_signs(4, acetylene, z, GUESS_SPINS_ALTERNATE, "+-+-");
    const int shuffled[] = {6, 1, 1, 6};
    const double moved[] = {4.3, 0, 6.3, 2};
    check_signs(4, shuffled, moved, GUESS_SPINS_FRAGMENTS, "+-+-");
}

TEST(metals_are_coupled_over_bridges)
{
    const int bridged[] = {26, 16, 26};
    const double z[] = {0, 4, 8};
    check_signs(3, bridged, z, GUESS_SPINS_ALTERNATE, "-++");
    const int ring[] = {16, 25, 8, 25};
    const double far[] = {-3, 0, 4, 8};
    check_signs(4, ring, far, GUESS_SPINS_ALTERNATE, "+-++");
}

TEST(ghosts_and_closed_shells_are_left)
{
    const double z[] = {0, 2, 4};
    check_signs(3, (int[]){7, 0, 7}, z, GUESS_SPINS_ALTERNATE, "+ -");
    check_signs(3, (int[]){2, 7, 10}, z, GUESS_SPINS_ALTERNATE, "   ");
}

TEST(transition_metals)
{
    const int metals[] = {21, 24, 26, 28, 29, 46, 58, 78},
              others[] = {1, 7, 19, 20, 30, 36, 56, 80};
    for (int i = 0; i < 8; i++) {
        struct atom metal = atom_of_element(metals[i], false),
                    ghost = atom_of_element(metals[i], true);
        struct atom other = atom_of_element(others[i], false);
        assert_true(guess_is_transition_metal(&metal));
        assert_false(guess_is_transition_metal(&ghost));
        assert_false(guess_is_transition_metal(&other));
    }
}
