/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/input/molecule.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>

static void use(struct molecule *molecule)
{
    assert(molecule->n_atoms > 0);
    for (int64_t a = 0; a < molecule->n_atoms; a++)
        for (int k = 0; k < 3; k++)
            assert(isfinite(molecule->atoms[a].position[k]));
    if (molecule->n_atoms > 1000) /* each with each other */
        return;
    if (molecule_check(molecule, "fuzz") == STATUS_OK)
        assert(isfinite(molecule_nuclear_repulsion(molecule)));
    if (molecule_add_displaced_ghosts(molecule, 1.6) == STATUS_OK)
        molecule_check(molecule, "fuzz");
}

void fuzz_one(const char *text, size_t size)
{
    const struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    struct molecule molecule;
    if (molecule_parse(text, size, "fuzz", &settings, &molecule) == STATUS_OK)
        use(&molecule);
    else
        assert(!molecule.atoms);
    molecule_fini(&molecule);
}
