/* SPDX-License-Identifier: BSD-3-Clause */
/* Signs of atoms' spins. */
#include "hf/guess/guess.h"
#include "tests/check.h"

#include <string.h>

TEST(signs_of_centres_on_a_line)
{
    static const struct {
        const char *signs; /* a blank: no spin */
        enum guess_spins spins;
        int elements[4];
        double z[4];
    } cases[] = {
        /* The atom with more unpaired electrons has alpha. */
        {"+-", GUESS_SPINS_ALTERNATE, {7, 8}, {0, 2}},
        {"-+", GUESS_SPINS_ALTERNATE, {8, 7}, {0, 2}},
        {"+-", GUESS_SPINS_FRAGMENTS, {7, 7}, {0, 2}},
        /* Fragments are parallel within. */
        {"++--", GUESS_SPINS_FRAGMENTS, {1, 6, 6, 1}, {0, 2, 4.3, 6.3}},
        {"+-+-", GUESS_SPINS_ALTERNATE, {1, 6, 6, 1}, {0, 2, 4.3, 6.3}},
        {"+-+-", GUESS_SPINS_FRAGMENTS, {6, 1, 1, 6}, {4.3, 0, 6.3, 2}},
        /* Metals are coupled over bridges. */
        {"-++", GUESS_SPINS_ALTERNATE, {26, 16, 26}, {0, 4, 8}},
        {"+-++", GUESS_SPINS_ALTERNATE, {16, 25, 8, 25}, {-3, 0, 4, 8}},
        /* Ghosts and closed shells have none. */
        {"+ -", GUESS_SPINS_ALTERNATE, {7, 0, 7}, {0, 2, 4}},
        {"   ", GUESS_SPINS_ALTERNATE, {2, 7, 10}, {0, 2, 4}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct atom atoms[4] = {0};
        struct molecule molecule = {.n_atoms = (int64_t)strlen(cases[c].signs), .atoms = atoms};
        bool flipped[4];
        int64_t count;
        for (int64_t i = 0; i < molecule.n_atoms; i++) {
            int element = cases[c].elements[i];
            atoms[i] = atom_of_element(element, element == 0);
            atoms[i].position[2] = cases[c].z[i];
        }
        check_ok(guess_spins_choose(&molecule, cases[c].spins, flipped, &count));
        for (int64_t i = 0; i < molecule.n_atoms; i++)
            if (flipped[i] != (cases[c].signs[i] == '-'))
                fail_msg("centre %d of case %d, %s", (int)i, (int)c, cases[c].signs);
    }
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
