/* The density that the builds of --fock-only and --compare are made from. */
#ifndef BERYL_HF_HF_DENSITY_H
#define BERYL_HF_HF_DENSITY_H

#include "hf/calculation/hf_calculation.h"
#include "support/base/sha256.h"
#include "support/base/status.h"

struct hf_density {
    const char *name;                /* --density; NULL before it is known */
    double seconds;                  /* taken by finding it: reading a file, or the SCF */
    char sha256[2][SHA256_HEX_SIZE]; /* of the D of each spin in row-major doubles */
};

/* Sets the calculation's D to the density that its options name, after
 * hf_calculation_prepare_build; prints which one it is and its digests. A converged one is that of
 * the orbitals which --checkpoint writes, to the last bit, so that --density FILE reads the same;
 * the Fock builds of its SCF are then in the records of the calculation's fock. Collective.
 * Errors: those of hf_calculation_guess and hf_calculation_solve. */
enum status hf_density_find(struct hf_calculation *calculation, struct hf_density *density);

#endif
