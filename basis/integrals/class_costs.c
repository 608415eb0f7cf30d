#include "basis/integrals/class_costs.h"

#include "basis/integrals/shells.h"

#include <assert.h>
#include <stdio.h>

/* Row-major position in the triangle l_first >= l_second. */
static int pair_type(const struct pair_class *class)
{
    return class->l_first * (class->l_first + 1) / 2 + class->l_second;
}

struct class_cost *class_costs_of(struct class_costs *costs, const struct quartet_batch *batch)
{
    return &costs->of[pair_type(batch->bra)][pair_type(batch->ket)];
}

static const char shell_letters[] = "spdfgh";
static_assert(sizeof shell_letters == BASIS_MAX_L + 2, "a letter for each angular momentum");

static void name_pair_type(int type, char letters[2])
{
    int first = 0;
    while ((first + 1) * (first + 2) / 2 <= type)
        first++;
    letters[0] = shell_letters[first];
    letters[1] = shell_letters[type - first * (first + 1) / 2];
}

void class_costs_name(int bra_type, int ket_type, char name[CLASS_NAME_SIZE])
{
    char bra[2], ket[2];
    name_pair_type(bra_type, bra);
    name_pair_type(ket_type, ket);
    snprintf(name, CLASS_NAME_SIZE, "(%.2s|%.2s)", bra, ket);
}

void class_cost_add(struct class_cost *cost, const struct quartet_batch *batch)
{
    cost->quartets += batch->n_quartets;
    for (int32_t first = 0; first < batch->n_quartets; first += QUARTET_LANES) {
        int most_bra = 0, most_ket = 0;
        for (int32_t i = first; i < first + QUARTET_LANES && i < batch->n_quartets; i++) {
            int n_bra = batch->bra->pairs[batch->quartets[i].bra].n_primitives;
            int n_ket = batch->ket->pairs[batch->quartets[i].ket].n_primitives;
            cost->primitives += (double)n_bra * n_ket;
            most_bra = n_bra > most_bra ? n_bra : most_bra;
            most_ket = n_ket > most_ket ? n_ket : most_ket;
        }
        cost->lanes += (double)most_bra * most_ket * QUARTET_LANES;
    }
}
