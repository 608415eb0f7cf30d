/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_density.h"

#include "hf/tiles/orbital_density.h"
#include "support/base/clock.h"

static enum status find_converged(struct hf_calculation *calculation)
{
    const struct hf_input *input = &calculation->input;
    TRY(hf_calculation_solve(calculation));
    for (int spin = 0; spin < input->n_spins; spin++)
        TRY(orbital_density(calculation->tiling, input->n_spins == 1 ? 2 : 1,
                            calculation->result.orbitals[spin], input->n_occupied[spin],
                            calculation->D[spin]));
    return STATUS_OK;
}

enum status hf_density_find(struct hf_calculation *calculation, bool converged, double *seconds)
{
    double start_s = clock_now_s();
    TRY(hf_calculation_guess(calculation));
    if (converged)
        TRY(find_converged(calculation));
    *seconds = clock_now_s() - start_s;
    return STATUS_OK;
}
