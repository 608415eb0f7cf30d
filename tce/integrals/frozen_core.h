/* Core orbitals that are left out of the treatment of correlation. */
#ifndef BERYL_TCE_FROZEN_CORE_H
#define BERYL_TCE_FROZEN_CORE_H

#include "basis/input/molecule.h"

#include <stdint.h>

/* Orbitals of the noble gas before each nucleus: 0 for H and He, 1 for Li to Ne, 5 for Na to
 * Ar, 9 for K to Kr, 18 for Rb to Xe, 27 for Cs to Rn, 43 beyond; none for ghosts. They are
 * the lowest ones of the molecule. Source: NWChem's "freeze atomic". */
int64_t frozen_core_count(const struct molecule *molecule);

#endif
