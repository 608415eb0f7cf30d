#include "tce/integrals/frozen_core.h"

#include <stddef.h>

/* Electrons of He, Ne, Ar, ...: an atom beyond one has its orbitals as core. */
static const int noble_gases[] = {2, 10, 18, 36, 54, 86};

static int core_of(int element)
{
    int electrons = 0;
    for (size_t i = 0; i < sizeof noble_gases / sizeof noble_gases[0]; i++)
        if (element > noble_gases[i])
            electrons = noble_gases[i];
    return electrons / 2;
}

int64_t frozen_core_count(const struct molecule *molecule)
{
    int64_t n = 0;
    for (int64_t atom = 0; atom < molecule->n_atoms; atom++)
        if (!molecule->atoms[atom].ghost)
            n += core_of(molecule->atoms[atom].element);
    return n;
}
