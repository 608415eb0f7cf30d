/* SPDX-License-Identifier: BSD-3-Clause */
/* Representatives of shell quartets and their weights agree with the definition by all images of a
 * quartet. Together they stand for all quartets. */
#include "basis/input/point_group.h"
#include "hf/digestion/quartet_orbits.h"
#include "tests/cases/hf_system.h"

static const char basis_text[] = "C 0\nS 1 1\n3 1\nS 1 1\n0.4 1\nP 1 1\n0.5 1\n****\n"
                                 "H 0\nS 1 1\n0.7 1\nP 1 1\n0.75 1\n****\n";

/* Centres on planes and axes or not. */
static const struct {
    int order;
    const char *molecule;
} groups[] = {
    {2, "5\n\nC 0 0 0\nC 1.3 0.2 0.1\nC -1.3 -0.2 -0.1\nH 1.9 -0.9 1.6\nH -1.9 0.9 -1.6\n"},
    {6, "4\n\nC 0 0 0.4\nH 1.7 0 -0.3\nH -0.85 1.47224319 -0.3\nH -0.85 -1.47224319 -0.3\n"},
    {4, "6\n\nC 0 0 1.25\nC 0 0 -1.25\nH 1 1.7 2.3\nH -1 -1.7 2.3\nH -1 1.7 -2.3\nH 1 -1.7 -2.3\n"},
    {24, "5\n\nC 0 0 0\nH 1.2 1.2 1.2\nH 1.2 -1.2 -1.2\nH -1.2 1.2 -1.2\nH -1.2 -1.2 1.2\n"},
    {48, "7\n\nC 0 0 0\nH 2 0 0\nH -2 0 0\nH 0 2 0\nH 0 -2 0\nH 0 0 2\nH 0 0 -2\n"},
};

struct orbit_case {
    struct hf_system hf;
    struct tiling *tiling;
    struct point_group group;
    int n_operations; /* that orbits are of: all, or the commuting ones */
    struct tile_symmetry *symmetry;
    struct shell_pairs **pairs; /* of each pair of tiles */
};

/* Pairs of two tiles in an order without structure, but for those whose bound is below least_bound. */
static struct shell_pairs *make_pairs(const struct orbit_case *c, int64_t number,
                                      double least_bound)
{
    int64_t I, J;
    struct shell_pairs *pairs;
    tile_pair_of_index(number, &I, &J);
    struct shell_rectangle rectangle = tile_rectangle(c->tiling, I, J, I == J);
    double *bounds = whole_matrix_random(c->tiling->max_groups, (unsigned)number);
    for (int64_t i = 0; i < c->tiling->max_groups * c->tiling->max_groups; i++)
        bounds[i] = 1.5 + bounds[i];
    check_ok(shell_pairs_create(c->hf.shells, &rectangle, bounds, least_bound, &pairs));
    free(bounds);
    return pairs;
}

static void case_init(struct orbit_case *c, const char *molecule, int64_t target,
                      double least_bound)
{
    double moved;
    hf_system_init(&c->hf, molecule, basis_text);
    check_ok(point_group_find(&c->hf.molecule, POINT_GROUP_MOST_MOVED, &c->group, &moved));
    check_ok(tiling_create(c->hf.shells, target, &c->tiling));
    check_ok(tile_symmetry_create(c->tiling, &c->group, &c->symmetry));
    c->pairs = malloc((size_t)tiling_n_pairs(c->tiling) * sizeof(struct shell_pairs *));
    assert_non_null(c->pairs);
    for (int64_t p = 0; p < tiling_n_pairs(c->tiling); p++)
        c->pairs[p] = make_pairs(c, p, least_bound);
}

static void case_fini(struct orbit_case *c)
{
    for (int64_t p = 0; p < tiling_n_pairs(c->tiling); p++)
        shell_pairs_destroy(c->pairs[p]);
    free(c->pairs);
    tile_symmetry_destroy(c->symmetry);
    tiling_destroy(c->tiling);
    point_group_fini(&c->group);
    hf_system_fini(&c->hf);
}

/* Numbers of two pairs of groups. */
struct quartet_key {
    int64_t larger, smaller;
};

static struct quartet_key key_of_image(const struct tile_symmetry *symmetry, int k,
                                       const struct shell_pair *bra, const struct shell_pair *ket)
{
    const int64_t *image = symmetry->group_images + k * symmetry->tiling->shells->n_groups;
    int64_t p = tile_pair_index_unordered(image[bra->first], image[bra->second]);
    int64_t q = tile_pair_index_unordered(image[ket->first], image[ket->second]);
    return p > q ? (struct quartet_key){p, q} : (struct quartet_key){q, p};
}

static int compare_keys(struct quartet_key a, struct quartet_key b)
{
    if (a.larger != b.larger)
        return a.larger > b.larger ? 1 : -1;
    return (a.smaller > b.smaller) - (a.smaller < b.smaller);
}

/* The number of operations that map a representative onto itself; 0 for any other quartet. */
static int count_fixing(const struct orbit_case *c, const struct shell_pair *bra,
                        const struct shell_pair *ket)
{
    struct quartet_key own = key_of_image(c->symmetry, 0, bra, ket);
    int n = 0;
    for (int k = 0; k < c->n_operations; k++) {
        int higher = compare_keys(key_of_image(c->symmetry, k, bra, ket), own);
        if (higher > 0)
            return 0;
        n += higher == 0;
    }
    return n;
}

/* Kets [first, last) of a class with bra number i of another; returns the number of unordered quartets in
 * the orbits of the representatives among them. */
static int check_kets(const struct orbit_case *c, const struct quartet_orbits *orbits,
                      const struct pair_class *bra, int32_t i, const struct pair_class *ket,
                      int32_t first, int32_t last)
{
    int32_t P = bra->first_pair + i, n_selected = 0;
    int16_t selected[3];
    int32_t n = quartet_orbits_select(orbits, P, ket->first_pair + first, last - first, selected);
    int n_in_orbits = 0;
    for (int32_t j = first; j < last; j++) {
        int n_fixing = count_fixing(c, &bra->pairs[i], &ket->pairs[j]);
        struct quartet_key key = key_of_image(c->symmetry, 0, &bra->pairs[i], &ket->pairs[j]);
        if (n_fixing == 0)
            continue;
        assert_in_range(n_selected, 0, n - 1);
        assert_int_equal(selected[n_selected++], j - first);
        double weight = 1, exchanged = 1;
        quartet_orbits_weigh(orbits, &(struct quartet){i, j}, 1,
                             (int32_t[]){bra->first_pair, ket->first_pair}, false, &weight);
        quartet_orbits_weigh(orbits, &(struct quartet){j, i}, 1,
                             (int32_t[]){ket->first_pair, bra->first_pair}, true, &exchanged);
        assert_true(weight == 1.0 / n_fixing && exchanged == weight);
        if (key.larger == tile_pair_index_unordered(bra->pairs[i].first, bra->pairs[i].second))
            n_in_orbits += c->n_operations / n_fixing;
    }
    assert_int_equal(n, n_selected);
    return n_in_orbits;
}

/* All kets of all bras, in threes. *n_without: adds 1 where no quartet may be a representative. */
static int check_tiles(const struct orbit_case *c, struct quartet_orbits *orbits, int64_t bra,
                       int64_t ket, int *n_without)
{
    const struct shell_pairs *bras = c->pairs[bra], *kets = c->pairs[ket];
    struct tile_quartet quartet;
    int n_in_orbits = 0;
    tile_pair_of_index(bra, &quartet.I, &quartet.J);
    tile_pair_of_index(ket, &quartet.K, &quartet.L);
    check_ok(quartet_orbits_begin(orbits, &quartet, bras, kets));
    for (int pair = 0; pair < bras->n_classes * kets->n_classes; pair++) {
        const struct pair_class *P = &bras->classes[pair / kets->n_classes];
        const struct pair_class *Q = &kets->classes[pair % kets->n_classes];
        for (int32_t i = 0; i < P->n_pairs; i++)
            for (int32_t first = 0; first < Q->n_pairs; first += 3)
                n_in_orbits += check_kets(c, orbits, P, i, Q, first,
                                          first + 3 < Q->n_pairs ? first + 3 : Q->n_pairs);
    }
    if (!quartet_orbits_may_have(orbits)) {
        assert_int_equal(n_in_orbits, 0);
        (*n_without)++;
    }
    return n_in_orbits;
}

static int check_all_tiles(const struct orbit_case *c)
{
    struct quartet_orbits *orbits;
    int n_in_orbits = 0, n_without = 0;
    check_ok(quartet_orbits_create(c->symmetry, c->n_operations, &orbits));
    for (int64_t bra = 0; bra < tiling_n_pairs(c->tiling); bra++)
        for (int64_t ket = 0; ket < tiling_n_pairs(c->tiling); ket++)
            n_in_orbits += check_tiles(c, orbits, bra, ket, &n_without);
    quartet_orbits_destroy(orbits);
    if (c->n_operations >= 24 && c->tiling->n_tiles > 6)
        assert_true(n_without > 0);
    return n_in_orbits;
}

TEST(representatives_are_those_of_the_definition)
{
    const int64_t targets[] = {3, 7, 1000};
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++)
        for (size_t t = 0; t < sizeof targets / sizeof *targets; t++)
            for (int some = 0; some < 2; some++) {
                struct orbit_case c;
                case_init(&c, groups[g].molecule, targets[t], some ? 1.2 : 0);
                int n = (int)c.hf.shells->n_groups, n_pairs = n * (n + 1) / 2;
                assert_int_equal(c.group.order, groups[g].order);
                for (int all = 0; all < 2; all++) {
                    c.n_operations = all ? c.group.order : c.group.n_commuting;
                    int n_in_orbits = check_all_tiles(&c);
                    if (!some)
                        assert_int_equal(n_in_orbits, n_pairs * (n_pairs + 1) / 2);
                }
                case_fini(&c);
            }
}
