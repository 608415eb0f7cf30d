/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/fock/ket_selection.h"

#include <stdlib.h>

int64_t ket_selection_bytes(const struct tiling *tiling)
{
    return 2 * tiling->max_groups * (int64_t)sizeof(double);
}

enum status ket_selection_init(const struct screening *screening, const struct quartet_views *views,
                               struct ket_selection *selection)
{
    *selection = (struct ket_selection){.screening = screening,
                                        .views = views,
                                        .exchange_weights =
                                            malloc((size_t)ket_selection_bytes(screening->tiling))};
    return CHECK_MEMORY(selection->exchange_weights, "no memory for a worker of the Fock build");
}

void ket_selection_fini(struct ket_selection *selection)
{
    free(selection->exchange_weights);
}

/* Weights of blocks (screening.h) of the groups x and y of tiles K and L, for one bra: exchange[0][x] and
 * exchange[1][y] are the larger ones of its two groups. */
struct ket_weights {
    double most;            /* none is larger */
    int64_t first_group[2]; /* of the tiles */
    const double *coulomb;
    int64_t stride[2];
    double *exchange[2];
};

/* The groups of a pair within tiles that begin with these groups. */
static inline void find_groups(const struct shell_pair *pair, const int64_t first_group[2],
                               int64_t group[2])
{
    group[0] = (pair->swapped ? pair->second : pair->first) - first_group[0];
    group[1] = (pair->swapped ? pair->first : pair->second) - first_group[1];
}

/* bra: the groups of the bra */
static struct ket_weights find_ket_weights(const struct ket_selection *selection,
                                           const int64_t bra[2])
{
    const struct quartet_views *views = selection->views;
    const struct tiling *tiling = selection->screening->tiling;
    const struct tile_view *coulomb = &views->view[2][3];
    struct ket_weights weights = {.most = coulomb->D->most_coulomb_weight,
                                  .coulomb = coulomb->D->coulomb_weight,
                                  .stride = {coulomb->group_stride[0], coulomb->group_stride[1]}};
    for (int side = 0; side < 2; side++) {
        int role = 2 + side;
        int64_t n = tile_n_groups(tiling, views->tile[role]);
        const struct tile_view *a = &views->view[0][role], *b = &views->view[1][role];
        const double *row_a = a->D->exchange_weight + bra[0] * a->group_stride[0];
        const double *row_b = b->D->exchange_weight + bra[1] * b->group_stride[0];
        double *larger = selection->exchange_weights + side * tiling->max_groups;
        for (int64_t x = 0; x < n; x++) {
            double of_a = row_a[x * a->group_stride[1]], of_b = row_b[x * b->group_stride[1]];
            larger[x] = of_a > of_b ? of_a : of_b;
            weights.most = larger[x] > weights.most ? larger[x] : weights.most;
        }
        weights.exchange[side] = larger;
        weights.first_group[side] = tiling->first_group[views->tile[role]];
    }
    return weights;
}

static inline const struct shell_pair *candidate_ket(const struct ket_candidates *candidates,
                                                     int32_t i)
{
    return &candidates->kets[candidates->positions ? candidates->positions[i] : i];
}

/* The weight of the bra alone makes the first ones significant, and the largest weight of any block none of
 * the last ones. */
int32_t ket_selection_find(const struct ket_selection *selection,
                           const struct ket_candidates *candidates, int16_t *selected)
{
    const struct quartet_views *views = selection->views;
    const struct tile_view *view = &views->view[0][1];
    const struct tiling *tiling = selection->screening->tiling;
    double threshold = selection->screening->threshold, cutoff = selection->cutoff;
    double bra_bound = candidates->bra->bound;
    int64_t group[2],
        first_group[2] = {tiling->first_group[views->tile[0]], tiling->first_group[views->tile[1]]};
    find_groups(candidates->bra, first_group, group);
    double bra_weight =
        view->D
            ->coulomb_weight[group[0] * view->group_stride[0] + group[1] * view->group_stride[1]];
    int32_t i = 0, n;
    for (; i < candidates->n; i++) {
        double bound = bra_bound * candidate_ket(candidates, i)->bound;
        if (!quartet_is_significant(bound, bra_weight, 0, threshold, cutoff))
            break;
        selected[i] = (int16_t)i;
    }
    n = i;
    if (i == candidates->n)
        return n;
    struct ket_weights weights = find_ket_weights(selection, group);
    double most = bra_weight > weights.most ? bra_weight : weights.most;
    for (; i < candidates->n; i++) {
        const struct shell_pair *ket = candidate_ket(candidates, i);
        double bound = bra_bound * ket->bound;
        if (bound * most < cutoff)
            break;
        find_groups(ket, weights.first_group, group);
        double coulomb =
            weights.coulomb[group[0] * weights.stride[0] + group[1] * weights.stride[1]];
        double of_c = weights.exchange[0][group[0]], of_d = weights.exchange[1][group[1]];
        selected[n] = (int16_t)i;
        n += quartet_is_significant(bound, coulomb > bra_weight ? coulomb : bra_weight,
                                    of_c > of_d ? of_c : of_d, threshold, cutoff);
    }
    return n;
}
