#include "hf/calculation/hf_density.h"

#include "hf/result/hf_print.h"
#include "hf/tiles/orbital_density.h"
#include "support/base/clock.h"

static enum status find_converged(struct hf_calculation *calculation)
{
    const struct hf_input *input = &calculation->input;
    TRY(hf_calculation_solve(calculation));
    hf_print_result(calculation);
    for (int spin = 0; spin < input->n_spins; spin++)
        TRY(orbital_density(calculation->tiling, input->n_spins == 1 ? 2 : 1,
                            calculation->result.orbitals[spin], input->n_occupied[spin],
                            calculation->D[spin]));
    return STATUS_OK;
}

enum status hf_density_find(struct hf_calculation *calculation, struct hf_density *density)
{
    const struct hf_options *options = calculation->options;
    double start_s = clock_now_s();
    TRY(hf_calculation_guess(calculation));
    if (hf_options_density(options) == HF_DENSITY_CONVERGED)
        TRY(find_converged(calculation));
    density->seconds = clock_now_s() - start_s;
    hf_print_density(calculation, density->seconds);
    TRY(hf_calculation_digest(calculation, "D", calculation->D, density->sha256));
    density->name = options->density;
    return STATUS_OK;
}
