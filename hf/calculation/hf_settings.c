/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/calculation/hf_settings.h"

#include "sched/pool/modes/mode_options.h"

#include <string.h>

void hf_settings_default(struct hf_settings *settings)
{
    *settings = (struct hf_settings){
        .method = -1,
        .charge = HF_NOT_GIVEN,
        .multiplicity = HF_NOT_GIVEN,
        .frame = HF_NOT_GIVEN,
        .units = -1,
        .screen = HF_DEFAULT_SCREEN,
        .guess = "sad",
        .fock = {.prune = FOCK_PRUNE_INSPECT, .cache_bytes = HF_DEFAULT_CACHE * INT64_C(1000000)},
        .scf = scf_settings_default()};
    mode_options_default(&settings->pool);
    settings->modes = (struct mode_list){.n = 1, .modes = {settings->pool.mode}};
}

const char *hf_settings_density_file(const struct hf_settings *settings)
{
    const char *guess = settings->guess;
    if (settings->density || settings->restart)
        return settings->density ? settings->density : settings->restart;
    return guess && strcmp(guess, "sad") != 0 && strcmp(guess, "core") != 0 ? guess : NULL;
}

bool hf_settings_use_symmetry(const struct hf_settings *settings)
{
    return settings->point_group == HF_POINT_GROUP_AUTO && settings->goal == HF_GOAL_SCF &&
           settings->fock.symmetry == FOCK_SYMMETRY_FULL;
}
