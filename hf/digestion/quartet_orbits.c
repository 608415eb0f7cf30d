/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/quartet_orbits.h"

#include <stdlib.h>

/* A pair of groups (a, b) and its images. */
struct pair_orbit {
    int64_t number;  /* as of a tile pair: tile_pair_index_unordered */
    int64_t highest; /* number of an image */
    int32_t a, b;
    uint64_t fixed_by; /* bit k: operation k leaves the pair what it is */
};

/* The pairs of one side: group x of the first tile with y of the second at x * n_columns + y. */
struct pair_orbits {
    int64_t tile[2];
    int64_t first_group[2];
    int64_t n_columns;
    struct pair_orbit *pairs; /* max_groups^2 */
};

struct quartet_orbits {
    const struct tile_symmetry *symmetry;
    struct pair_orbits side[2]; /* bras, kets */
    struct pair_orbit *storage;
};

enum status quartet_orbits_create(const struct tile_symmetry *symmetry,
                                  struct quartet_orbits **orbits)
{
    size_t n_groups = (size_t)symmetry->tiling->max_groups;
    struct quartet_orbits *made = *orbits = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for orbits of shell quartets"));
    made->symmetry = symmetry;
    made->storage = malloc(2 * n_groups * n_groups * sizeof *made->storage);
    enum status status = CHECK_MEMORY(made->storage, "no memory for orbits of shell quartets");
    if (status != STATUS_OK) {
        quartet_orbits_destroy(made);
        *orbits = NULL;
        return status;
    }
    for (int side = 0; side < 2; side++) {
        made->side[side].tile[0] = -1;
        made->side[side].pairs = made->storage + (size_t)side * n_groups * n_groups;
    }
    return STATUS_OK;
}

void quartet_orbits_destroy(struct quartet_orbits *orbits)
{
    if (!orbits)
        return;
    free(orbits->storage);
    free(orbits);
}

int64_t quartet_orbits_bytes(const struct tiling *tiling)
{
    return (int64_t)sizeof(struct quartet_orbits) +
           2 * tiling->max_groups * tiling->max_groups * (int64_t)sizeof(struct pair_orbit);
}

static int64_t image_of_pair(const struct tile_symmetry *symmetry, int k,
                             const struct pair_orbit *pair)
{
    const int64_t *images = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
    return tile_pair_index_unordered(images[pair->a], images[pair->b]);
}

static struct pair_orbit orbit_of_pair(const struct tile_symmetry *symmetry, int64_t a, int64_t b)
{
    struct pair_orbit pair = {.number = tile_pair_index_unordered(a, b),
                              .a = (int32_t)a,
                              .b = (int32_t)b,
                              .fixed_by = tile_symmetry_fixing(symmetry, a, b)};
    pair.highest = pair.number;
    for (int k = 1; k < symmetry->group->order; k++) {
        int64_t image = image_of_pair(symmetry, k, &pair);
        pair.highest = image > pair.highest ? image : pair.highest;
    }
    return pair;
}

/* Successive quartets mostly share a side. */
static void begin_side(const struct tile_symmetry *symmetry, int64_t I, int64_t J,
                       struct pair_orbits *side)
{
    const struct tiling *tiling = symmetry->tiling;
    if (side->tile[0] == I && side->tile[1] == J)
        return;
    int64_t n_I = tile_n_groups(tiling, I), n_J = tile_n_groups(tiling, J);
    side->tile[0] = I;
    side->tile[1] = J;
    side->first_group[0] = tiling->first_group[I];
    side->first_group[1] = tiling->first_group[J];
    side->n_columns = n_J;
    for (int64_t x = 0; x < n_I; x++)
        for (int64_t y = 0; y < n_J; y++)
            side->pairs[x * n_J + y] =
                orbit_of_pair(symmetry, side->first_group[0] + x, side->first_group[1] + y);
}

void quartet_orbits_begin(struct quartet_orbits *orbits, const struct tile_quartet *quartet)
{
    begin_side(orbits->symmetry, quartet->I, quartet->J, &orbits->side[0]);
    begin_side(orbits->symmetry, quartet->K, quartet->L, &orbits->side[1]);
}

static const struct pair_orbit *find_orbit(const struct pair_orbits *side,
                                           const struct shell_pair *pair)
{
    int64_t x = (pair->swapped ? pair->second : pair->first) - side->first_group[0];
    int64_t y = (pair->swapped ? pair->first : pair->second) - side->first_group[1];
    return &side->pairs[x * side->n_columns + y];
}

/* Whether no operation of the set takes the pair to a higher one. */
static bool is_highest_under(const struct tile_symmetry *symmetry, const struct pair_orbit *pair,
                             uint64_t operations)
{
    for (int k = 1; k < symmetry->group->order && operations >> k; k++)
        if (operations >> k & 1 && image_of_pair(symmetry, k, pair) > pair->number)
            return false;
    return true;
}

/* Two pairs of one orbit: the larger is the highest; among the operations that make one of the two so,
 * none may give the other a higher number than the smaller has. */
static bool is_highest_of_one_orbit(const struct tile_symmetry *symmetry,
                                    const struct pair_orbit *P, const struct pair_orbit *Q)
{
    int64_t smaller = P->number < Q->number ? P->number : Q->number;
    if (P->number != P->highest && Q->number != Q->highest)
        return false;
    for (int k = 1; k < symmetry->group->order; k++) {
        int64_t p = image_of_pair(symmetry, k, P), q = image_of_pair(symmetry, k, Q);
        if ((p == P->highest && q > smaller) || (q == P->highest && p > smaller))
            return false;
    }
    return true;
}

static bool is_representative(const struct tile_symmetry *symmetry, const struct pair_orbit *P,
                              const struct pair_orbit *Q)
{
    if (P->highest == Q->highest)
        return is_highest_of_one_orbit(symmetry, P, Q);
    const struct pair_orbit *higher = P->highest > Q->highest ? P : Q;
    const struct pair_orbit *lower = higher == P ? Q : P;
    return higher->number == higher->highest &&
           (lower->number == lower->highest || is_highest_under(symmetry, lower, higher->fixed_by));
}

int32_t quartet_orbits_select(const struct quartet_orbits *orbits, const struct shell_pair *bra,
                              const struct shell_pair *kets, int32_t n_kets, int32_t *selected)
{
    const struct pair_orbit *P = find_orbit(&orbits->side[0], bra);
    int32_t n = 0;
    for (int32_t j = 0; j < n_kets; j++) {
        const struct pair_orbit *Q = find_orbit(&orbits->side[1], &kets[j]);
        selected[n] = j;
        n += is_representative(orbits->symmetry, P, Q);
    }
    return n;
}

double quartet_orbits_weight(const struct quartet_orbits *orbits, const struct shell_pair *bra,
                             const struct shell_pair *ket)
{
    const struct tile_symmetry *symmetry = orbits->symmetry;
    const struct pair_orbit *P = find_orbit(&orbits->side[0], bra);
    const struct pair_orbit *Q = find_orbit(&orbits->side[1], ket);
    uint64_t fixing = P->fixed_by & Q->fixed_by;
    if (fixing == 1 && P->highest != Q->highest)
        return 1;
    int n = 0;
    for (; fixing; fixing &= fixing - 1)
        n++;
    if (P->highest == Q->highest && P->number != Q->number)
        for (int k = 1; k < symmetry->group->order; k++)
            n += image_of_pair(symmetry, k, P) == Q->number &&
                 image_of_pair(symmetry, k, Q) == P->number;
    return 1.0 / n;
}
