/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles cover the groups of shells in order without splitting one; pair numbers are exact
 * as far as they go. */
#include "hf/tiles/tiling.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <stdlib.h>

/* Groups of the given sizes, of two shells each, with the fields that a tiling reads. */
static struct shells shells_of_sizes(int64_t n_groups, const int *sizes)
{
    struct shells shells = {.n_shells = 2 * n_groups, .n_groups = n_groups};
    shells.groups = calloc((size_t)n_groups + 1, sizeof *shells.groups);
    shells.types = calloc((size_t)n_groups + 1, sizeof *shells.types);
    for (int64_t g = 0; g < n_groups; g++) {
        shells.types[g].n_functions = sizes[g];
        if (sizes[g] > shells.max_group_functions)
            shells.max_group_functions = sizes[g];
        shells.groups[g].type = (int)g;
        shells.groups[g].first_shell = 2 * g;
        shells.groups[g].first_function = shells.n_functions;
        shells.n_functions += sizes[g];
    }
    return shells;
}

static void free_groups(struct shells *shells)
{
    free(shells->groups);
    free(shells->types);
}

static void check_tiles(const struct shells *shells, int64_t target)
{
    struct tiling *tiling;
    check_ok(tiling_create(shells, target, &tiling));
    assert_int_equal(tiling->first_group[0], 0);
    assert_int_equal(tiling->first_group[tiling->n_tiles], shells->n_groups);
    assert_int_equal(tiling->first_shell[tiling->n_tiles], shells->n_shells);
    assert_int_equal(tiling->first_function[tiling->n_tiles], shells->n_functions);
    assert_int_equal(tiling_n_pairs(tiling), tiling->n_tiles * (tiling->n_tiles + 1) / 2);
    int64_t largest = 0;
    for (int64_t I = 0; I < tiling->n_tiles; I++) {
        int64_t first = tiling->first_group[I], n = tile_n_functions(tiling, I);
        assert_true(tile_n_groups(tiling, I) > 0);
        assert_int_equal(tiling->first_shell[I], shells->groups[first].first_shell);
        assert_int_equal(tiling->first_function[I], shells->groups[first].first_function);
        assert_true(n <= target || tile_n_groups(tiling, I) == 1);
        /* Nothing that would have fitted was left to the next tile. */
        if (I + 1 < tiling->n_tiles)
            assert_true(n + shells->types[tiling->first_group[I + 1]].n_functions > target);
        largest = n > largest ? n : largest;
    }
    assert_int_equal(tiling->max_functions, largest);
    tiling_destroy(tiling);
    tiling_destroy(NULL);
}

/* A larger group is a tile of its own. */
TEST(tiles_are_as_large_as_the_target_lets_them)
{
    int sizes[200];
    struct random_stream random;
    random_stream_init(&random, 1, 0);
    for (int i = 0; i < 200; i++)
        sizes[i] = 1 + 2 * (int)random_below(&random, 6);
    struct shells shells = shells_of_sizes(200, sizes);
    const int64_t targets[] = {1, 2, 5, 11, 12, 40, 1000, 1000000};
    for (size_t t = 0; t < sizeof targets / sizeof targets[0]; t++)
        check_tiles(&shells, targets[t]);
    free_groups(&shells);
}

static void check_pair_number(int64_t I, int64_t J)
{
    int64_t row, column;
    tile_pair_of_index(tile_pair_index(I, J), &row, &column);
    assert_int_equal(row, I);
    assert_int_equal(column, J);
}

TEST(pairs_are_numbered_row_by_row)
{
    int64_t number = 0;
    for (int64_t I = 0; I < 300; I++)
        for (int64_t J = 0; J <= I; J++) {
            assert_int_equal(tile_pair_index(I, J), number++);
            check_pair_number(I, J);
        }
}

/* Of a basis with groups of these sizes on each atom; it is the size of the largest tile. */
static int64_t default_target(int64_t n_atoms, int64_t n_groups, const int *of_atom, int order)
{
    int *sizes = malloc((size_t)(n_atoms * n_groups) * sizeof *sizes);
    for (int64_t g = 0; g < n_atoms * n_groups; g++)
        sizes[g] = of_atom[g % n_groups];
    struct shells shells = shells_of_sizes(n_atoms * n_groups, sizes);
    int64_t target = tiling_default_target(&shells, order);
    struct tiling *tiling;
    check_ok(tiling_create(&shells, target, &tiling));
    assert_int_equal(tiling->max_functions <= 40 ? target : 40, tiling->max_functions);
    tiling_destroy(tiling);
    free_groups(&shells);
    free(sizes);
    return target;
}

TEST(the_default_target_makes_few_tiles_of_at_most_40)
{
    const struct {
        int n_groups, sizes[8];
    } atoms[] = {
        {1, {1}}, {5, {1, 1, 1, 3, 3}}, {6, {1, 1, 1, 3, 3, 5}}, {7, {1, 3, 5, 7, 9, 11, 13}}};
    for (size_t a = 0; a < sizeof atoms / sizeof atoms[0]; a++) {
        int64_t last = 0;
        for (int64_t n = 1; n < 200; n++) {
            int64_t target = default_target(n, atoms[a].n_groups, atoms[a].sizes, 1);
            assert_true(target >= last && target <= 40);
            assert_true(default_target(n, atoms[a].n_groups, atoms[a].sizes, 2) <= 40);
            last = target;
        }
        assert_int_equal(last, 40);
    }
}

TEST(the_default_target_of_known_bases)
{
    static const struct {
        int64_t n_atoms;
        int n_groups, sizes[6], order;
        int64_t target;
    } bases[] = {
        {3840, 1, {1}, 1, 40}, /* Be256 of the papers */
        {160, 1, {1}, 2, 40},
        {156, 1, {1}, 1, 39},
        {4, 1, {1}, 1, 1},
        {4, 1, {1}, 2, 1},
        {1, 1, {11}, 1, 11},
        {8, 6, {1, 1, 1, 3, 3, 5}, 1, 28}, /* two atoms a tile */
        {8, 6, {1, 1, 1, 3, 3, 5}, 4, 39}, /* three tiles */
    };
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++)
        assert_int_equal(
            default_target(bases[i].n_atoms, bases[i].n_groups, bases[i].sizes, bases[i].order),
            bases[i].target);
}

/* Where the square root of a double no longer separates neighbours. */
TEST(pair_numbers_are_exact_up_to_2_to_the_62)
{
    for (int64_t size = 1000; size < INT64_C(3037000498); size += size / 2 + 12345)
        for (int64_t I = size; I < size + 3; I++)
            for (int k = 0; k < 5; k++)
                check_pair_number(I, (const int64_t[]){0, 1, I / 2, I - 1, I}[k]);
    for (int64_t below = 1; below < 5000000000; below = 3 * below + 1) {
        int64_t I, J, index = (INT64_C(1) << 62) - below;
        tile_pair_of_index(index, &I, &J);
        assert_true(J >= 0 && J <= I);
        assert_true((__int128)I * (I + 1) / 2 + J == index);
    }
}
