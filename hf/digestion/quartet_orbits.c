/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/digestion/quartet_orbits.h"

#include "support/arrays/item_cache.h"

#include <stdlib.h>

/* A pair of groups (a, b) and its images. */
struct pair_orbit {
    int64_t number;  /* as of a tile pair: tile_pair_index_unordered */
    int64_t highest; /* number of an image */
    int32_t a, b;
    uint64_t fixed_by; /* bit k: operation k maps the pair to itself */
};

/* The pairs of two tiles, numbered over all classes. */
struct pair_orbits {
    int32_t n_own;
    int32_t *own;          /* numbers of pairs that are their highest images, ascending */
    int32_t *n_own_before; /* of them, before each pair; last their number */
    struct pair_orbit pairs[];
};

/* Pairs of tiles come back in many quartets. */
#define MOST_CACHE_BYTES 16000000

struct quartet_orbits {
    const struct tile_symmetry *symmetry;
    int n_operations;
    struct item_cache *cache;          /* item I * n_tiles + J: struct pair_orbits */
    const struct shell_pairs *loading; /* of the item that is being loaded */
    int64_t number[2];                 /* of the pinned items of bra and ket; -1: none */
    const struct pair_orbits *side[2]; /* bras, kets */
};

static int64_t image_of_pair(const struct quartet_orbits *orbits, int k,
                             const struct pair_orbit *pair)
{
    const struct tile_symmetry *symmetry = orbits->symmetry;
    const int64_t *images = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
    return tile_pair_index_unordered(images[pair->a], images[pair->b]);
}

static struct pair_orbit orbit_of_pair(const struct quartet_orbits *orbits, int64_t a, int64_t b)
{
    struct pair_orbit pair = {
        .number = tile_pair_index_unordered(a, b),
        .a = (int32_t)a,
        .b = (int32_t)b,
        .fixed_by = tile_symmetry_fixing(orbits->symmetry, orbits->n_operations, a, b)};
    pair.highest = pair.number;
    for (int k = 1; k < orbits->n_operations; k++) {
        int64_t image = image_of_pair(orbits, k, &pair);
        pair.highest = image > pair.highest ? image : pair.highest;
    }
    return pair;
}

static int32_t count_of_all_classes(const struct shell_pairs *pairs)
{
    int32_t n = 0;
    for (int c = 0; c < pairs->n_classes; c++)
        n += pairs->classes[c].n_pairs;
    return n;
}

static int64_t bytes_of_orbits(int64_t n)
{
    return (int64_t)sizeof(struct pair_orbits) +
           n * (int64_t)(sizeof(struct pair_orbit) + 2 * sizeof(int32_t)) +
           (int64_t)sizeof(int32_t);
}

/* Room for all pairs of tiles, in both orders, or for as many as fit. */
static int64_t bytes_of_cache(const struct tiling *tiling)
{
    double n_tiles = (double)tiling->n_tiles, n_groups = (double)tiling->shells->n_groups;
    double bytes = n_tiles * n_tiles * (double)bytes_of_orbits(0) +
                   n_groups * n_groups * (double)(bytes_of_orbits(1) - bytes_of_orbits(0));
    return bytes < MOST_CACHE_BYTES ? (int64_t)bytes : MOST_CACHE_BYTES;
}

static enum status load_orbits(int64_t number, void *context, void **item, int64_t *bytes)
{
    const struct quartet_orbits *orbits = context;
    const struct shell_pairs *pairs = orbits->loading;
    int32_t n_pairs = count_of_all_classes(pairs), n = 0;
    (void)number;
    *bytes = bytes_of_orbits(n_pairs);
    struct pair_orbits *made = *item = malloc((size_t)*bytes);
    TRY(CHECK_MEMORY(made, "no memory for orbits of shell quartets"));
    made->n_own = 0;
    made->own = (int32_t *)(made->pairs + n_pairs);
    made->n_own_before = made->own + n_pairs;
    for (int c = 0; c < pairs->n_classes; c++)
        for (int32_t i = 0; i < pairs->classes[c].n_pairs; i++, n++) {
            const struct shell_pair *pair = &pairs->classes[c].pairs[i];
            made->pairs[n] = orbit_of_pair(orbits, pair->first, pair->second);
            made->n_own_before[n] = made->n_own;
            made->own[made->n_own] = n;
            made->n_own += made->pairs[n].number == made->pairs[n].highest;
        }
    made->n_own_before[n] = made->n_own;
    return STATUS_OK;
}

enum status quartet_orbits_create(const struct tile_symmetry *symmetry, int n_operations,
                                  struct quartet_orbits **orbits)
{
    int64_t n_tiles = symmetry->tiling->n_tiles;
    struct quartet_orbits *made = *orbits = calloc(1, sizeof *made);
    TRY(CHECK_MEMORY(made, "no memory for orbits of shell quartets"));
    *made = (struct quartet_orbits){
        .symmetry = symmetry, .n_operations = n_operations, .number = {-1, -1}};
    const struct item_cache_source source = {load_orbits, NULL, made};
    enum status status = item_cache_create(n_tiles * n_tiles, bytes_of_cache(symmetry->tiling),
                                           &source, &made->cache);
    if (status != STATUS_OK) {
        quartet_orbits_destroy(made);
        *orbits = NULL;
    }
    return status;
}

static void release_side(struct quartet_orbits *orbits, int side)
{
    if (orbits->number[side] >= 0)
        item_cache_release(orbits->cache, orbits->number[side]);
    orbits->number[side] = -1;
}

void quartet_orbits_destroy(struct quartet_orbits *orbits)
{
    if (!orbits)
        return;
    for (int side = 0; side < 2; side++)
        release_side(orbits, side);
    item_cache_destroy(orbits->cache);
    free(orbits);
}

int64_t quartet_orbits_bytes(const struct tiling *tiling)
{
    int64_t n_tiles = tiling->n_tiles;
    return (int64_t)sizeof(struct quartet_orbits) + item_cache_bytes(n_tiles * n_tiles) +
           bytes_of_cache(tiling) + 2 * bytes_of_orbits(tiling->max_groups * tiling->max_groups);
}

static enum status begin_side(struct quartet_orbits *orbits, int side, int64_t number,
                              const struct shell_pairs *pairs)
{
    void *item;
    if (orbits->number[side] == number)
        return STATUS_OK;
    release_side(orbits, side);
    orbits->loading = pairs;
    TRY(item_cache_pin(orbits->cache, number, &item));
    orbits->number[side] = number;
    orbits->side[side] = item;
    return STATUS_OK;
}

enum status quartet_orbits_begin(struct quartet_orbits *orbits, const struct tile_quartet *quartet,
                                 const struct shell_pairs *bra, const struct shell_pairs *ket)
{
    int64_t n_tiles = orbits->symmetry->tiling->n_tiles;
    TRY(begin_side(orbits, 0, quartet->I * n_tiles + quartet->J, bra));
    return begin_side(orbits, 1, quartet->K * n_tiles + quartet->L, ket);
}

bool quartet_orbits_may_have(const struct quartet_orbits *orbits)
{
    return orbits->side[0]->n_own > 0 || orbits->side[1]->n_own > 0;
}

/* Whether no operation of the set takes the pair to a higher one. */
static bool is_highest_under(const struct quartet_orbits *orbits, const struct pair_orbit *pair,
                             uint64_t operations)
{
    for (int k = 1; k < orbits->n_operations && operations >> k; k++)
        if (operations >> k & 1 && image_of_pair(orbits, k, pair) > pair->number)
            return false;
    return true;
}

/* Two pairs of one orbit: the larger is the highest; among the operations that make one of the two so,
 * none may give the other a higher number than the smaller has. */
static bool is_highest_of_one_orbit(const struct quartet_orbits *orbits, const struct pair_orbit *P,
                                    const struct pair_orbit *Q)
{
    int64_t smaller = P->number < Q->number ? P->number : Q->number;
    if (P->number != P->highest && Q->number != Q->highest)
        return false;
    for (int k = 1; k < orbits->n_operations; k++) {
        int64_t p = image_of_pair(orbits, k, P), q = image_of_pair(orbits, k, Q);
        if ((p == P->highest && q > smaller) || (q == P->highest && p > smaller))
            return false;
    }
    return true;
}

static bool is_representative(const struct quartet_orbits *orbits, const struct pair_orbit *P,
                              const struct pair_orbit *Q)
{
    if (P->highest == Q->highest)
        return is_highest_of_one_orbit(orbits, P, Q);
    const struct pair_orbit *higher = P->highest > Q->highest ? P : Q;
    const struct pair_orbit *lower = higher == P ? Q : P;
    return higher->number == higher->highest &&
           (lower->number == lower->highest || is_highest_under(orbits, lower, higher->fixed_by));
}

/* The selections note each position and count it if it is taken: without a branch, which the processor would
 * often guess wrong.
 *
 * Among all kets, where the bra is the highest of its images. Without an operation that fixes it, a ket
 * whose images are all lower is at once part of a representative. */
static int32_t select_with_own_bra(const struct quartet_orbits *orbits, const struct pair_orbit *P,
                                   const struct pair_orbit *kets, int32_t n_kets, int16_t *selected)
{
    bool fixed = P->fixed_by != 1;
    int32_t n = 0;
    for (int32_t j = 0; j < n_kets; j++) {
        const struct pair_orbit *Q = &kets[j];
        bool lower = Q->highest < P->highest, own = Q->number == Q->highest;
        bool taken = lower | own;
        if ((Q->highest == P->highest) | (fixed & lower & !own))
            taken = is_representative(orbits, P, Q);
        selected[n] = (int16_t)j;
        n += taken;
    }
    return n;
}

/* Among the kets that are the highest of their images, where the bra is not. */
static int32_t select_own_kets(const struct quartet_orbits *orbits, const struct pair_orbit *P,
                               const struct pair_orbits *side, int32_t first_ket, int32_t n_kets,
                               int16_t *selected)
{
    int32_t n = 0;
    for (int32_t i = side->n_own_before[first_ket]; i < side->n_own_before[first_ket + n_kets];
         i++) {
        const struct pair_orbit *Q = &side->pairs[side->own[i]];
        bool taken = Q->highest > P->highest;
        if ((Q->highest == P->highest) | (taken & (Q->fixed_by != 1)))
            taken = is_representative(orbits, P, Q);
        selected[n] = (int16_t)(side->own[i] - first_ket);
        n += taken;
    }
    return n;
}

int32_t quartet_orbits_select(const struct quartet_orbits *orbits, int32_t bra, int32_t first_ket,
                              int32_t n_kets, int16_t *selected)
{
    const struct pair_orbit *P = &orbits->side[0]->pairs[bra];
    const struct pair_orbits *kets = orbits->side[1];
    return P->number == P->highest
               ? select_with_own_bra(orbits, P, kets->pairs + first_ket, n_kets, selected)
               : select_own_kets(orbits, P, kets, first_ket, n_kets, selected);
}

/* Operations that map a representative to itself; the identity is one. */
static int count_fixing(const struct quartet_orbits *orbits, const struct pair_orbit *P,
                        const struct pair_orbit *Q)
{
    int n = 0;
    for (uint64_t fixing = P->fixed_by & Q->fixed_by; fixing; fixing &= fixing - 1)
        n++;
    if (P->highest == Q->highest && P->number != Q->number)
        for (int k = 1; k < orbits->n_operations; k++)
            n += image_of_pair(orbits, k, P) == Q->number &&
                 image_of_pair(orbits, k, Q) == P->number;
    return n;
}

void quartet_orbits_weigh(const struct quartet_orbits *orbits, const struct quartet *quartets,
                          int n, const int32_t first_pair[2], bool exchanged, double weights[])
{
    const struct pair_orbit *bras = orbits->side[exchanged]->pairs + first_pair[0];
    const struct pair_orbit *kets = orbits->side[!exchanged]->pairs + first_pair[1];
    for (int i = 0; i < n; i++) {
        const struct pair_orbit *P = &bras[quartets[i].bra], *Q = &kets[quartets[i].ket];
        if ((P->fixed_by & Q->fixed_by) != 1 || P->highest == Q->highest)
            weights[i] *= 1.0 / count_fixing(orbits, P, Q);
    }
}
