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

static enum status parse(const char *text, size_t size, int64_t frame, struct molecule *molecule)
{
    const struct molecule_settings settings = {.frame = frame, .frame_given = frame != 0};
    enum status status = molecule_parse(text, size, "fuzz", &settings, molecule);
    assert((status == STATUS_OK) == (molecule->atoms != NULL));
    return status;
}

/* The first and the last frame are there, none beyond, and both are right or neither is. */
void fuzz_one(const char *text, size_t size)
{
    struct molecule last, first, other;
    enum status status = parse(text, size, -1, &last);
    assert(parse(text, size, 1, &first) == status);
    if (status == STATUS_OK) {
        int64_t n = last.n_frames;
        assert(last.frame == n && first.frame == 1 && first.n_frames == n);
        use(&last);
        use(&first);
        assert((parse(text, size, 0, &other) == STATUS_OK) == (n == 1));
        molecule_fini(&other);
        assert(parse(text, size, n + 1, &other) != STATUS_OK);
        assert(parse(text, size, -n - 1, &other) != STATUS_OK);
    }
    molecule_fini(&last);
    molecule_fini(&first);
}
