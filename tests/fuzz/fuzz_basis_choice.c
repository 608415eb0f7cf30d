/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/basis_choice.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <string.h>

/* Texts of --basis, without files of this machine. */
void fuzz_one(const char *text, size_t size)
{
    struct atom atoms[] = {atom_of_element(8, false), atom_of_element(1, false),
                           atom_of_element(1, true), atom_of_element(0, true)};
    struct molecule molecule = {.n_atoms = 4, .atoms = atoms};
    struct basis_choice choice;
    if (size > 4096 || strchr(text, '/'))
        return;
    fuzz_start_mpi();
    if (basis_choice_read_all(text, MPI_COMM_WORLD, &choice) != STATUS_OK) {
        assert(!choice.sets && !choice.rules);
        return;
    }
    if (basis_choice_assign(&choice, &molecule) == STATUS_OK)
        for (int a = 0; a < 4; a++)
            assert(atoms[a].basis >= 0 && atoms[a].basis < choice.n_sets);
    basis_choice_fini(&choice);
}
