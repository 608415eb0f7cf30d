/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/cli/diagnostics_result.h"

#include "support/base/log.h"

#include <stdio.h>

/* --- the log --- */

/* "4 -> 7", "4a 5b -> 7a 7b". */
static void describe_excitation(const struct large_amplitude *amplitude, int rank, bool with_spins,
                                char *text, size_t size)
{
    size_t length = 0;
    for (int d = 0; d < rank; d++)
        length += (size_t)snprintf(text + length, size - length, "%s%lld%s",
                                   d == 0          ? ""
                                   : d == rank / 2 ? " -> "
                                                   : " ",
                                   (long long)amplitude->orbital[d],
                                   !with_spins             ? ""
                                   : amplitude->is_beta[d] ? "b"
                                                           : "a");
}

static void print_largest(const struct largest_amplitudes *largest, bool with_spins)
{
    for (int k = 0; k < largest->n; k++) {
        char text[128];
        describe_excitation(&largest->list[k], largest->rank, with_spins, text, sizeof text);
        log_print("  t%d  %-24s %14.8f\n", largest->rank / 2, text, largest->list[k].value);
    }
}

void diagnostics_print(const struct diagnostics *diagnostics, bool with_spins)
{
    if (diagnostics->singles.rank == 0 && diagnostics->doubles.rank == 0)
        return;
    if (diagnostics->has_singles)
        log_print("  T1 diagnostic %.6f, D1 diagnostic %.6f\n", diagnostics->T1, diagnostics->D1);
    log_print("  largest amplitudes, by numbers of orbitals%s\n",
              with_spins ? " of spin alpha (a) and beta (b)" : "");
    print_largest(&diagnostics->singles, with_spins);
    print_largest(&diagnostics->doubles, with_spins);
    log_print("\n");
}

/* --- the result --- */

static json_t *large_amplitude_to_json(const struct large_amplitude *amplitude, int rank,
                                       bool with_spins)
{
    json_t *json = json_pack("{s:f}", "value", amplitude->value);
    json_t *orbitals = json_array(), *spins = with_spins ? json_array() : NULL;
    for (int d = 0; d < rank; d++) {
        json_array_append_new(orbitals, json_integer((json_int_t)amplitude->orbital[d]));
        json_array_append_new(spins, json_string(amplitude->is_beta[d] ? "beta" : "alpha"));
    }
    json_object_set_new(json, "orbitals", orbitals);
    if (with_spins)
        json_object_set_new(json, "spins", spins);
    return json;
}

static void add_largest(const struct largest_amplitudes *largest, bool with_spins, const char *key,
                        json_t *json)
{
    if (largest->rank == 0)
        return;
    json_t *list = json_array();
    for (int k = 0; k < largest->n; k++)
        json_array_append_new(
            list, large_amplitude_to_json(&largest->list[k], largest->rank, with_spins));
    json_object_set_new(json, key, list);
}

json_t *diagnostics_to_json(const struct diagnostics *diagnostics, bool with_spins)
{
    if (diagnostics->singles.rank == 0 && diagnostics->doubles.rank == 0)
        return NULL;
    json_t *json = json_object();
    if (diagnostics->has_singles) {
        json_object_set_new(json, "t1", json_real(diagnostics->T1));
        json_object_set_new(json, "d1", json_real(diagnostics->D1));
    }
    add_largest(&diagnostics->singles, with_spins, "largest_t1", json);
    add_largest(&diagnostics->doubles, with_spins, "largest_t2", json);
    return json;
}
