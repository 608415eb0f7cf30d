/* SPDX-License-Identifier: BSD-3-Clause */
/* Tuples of tiles, their order and weights, against plain loops. */
#include "tce/run/tile_tuples.h"
#include "tce/run/tuple_parts.h"
#include "tests/check.h"

/* Steps to the next tuple in the order of plain loops, the last place fastest; false after the last. */
static bool next_tuple(const struct tile_tuples *tuples, int32_t tile[])
{
    for (int i = tuples->n - 1; i >= 0; i--) {
        int32_t end = tuples->ordered && i > 0 ? tile[i - 1] + 1 : tuples->n_tiles[i];
        if (++tile[i] < end)
            return true;
        tile[i] = 0;
    }
    return false;
}

/* Different permutations: for each tile that may come first, those of the others. */
static int count_permutations(int n, const int32_t tile[])
{
    int count = 0;
    for (int i = 0; i < n; i++) {
        bool met = false;
        int32_t rest[TILE_LOOP_MAX_INDICES];
        for (int j = 0, m = 0; j < n; j++) {
            met = met || (j < i && tile[j] == tile[i]);
            if (j != i)
                rest[m++] = tile[j];
        }
        count += met ? 0 : n == 1 ? 1 : count_permutations(n - 1, rest);
    }
    return count;
}

static void check_tuples(const struct tile_tuples *tuples)
{
    int32_t expected[TILE_LOOP_MAX_INDICES] = {0}, tile[TILE_LOOP_MAX_INDICES];
    int64_t n = 0, all = 0;
    do {
        tile_tuples_get(tuples, n++, tile);
        for (int i = 0; i < tuples->n; i++)
            assert_int_equal(tile[i], expected[i]);
        int weight = tile_tuples_weight(tuples, tile);
        assert_int_equal(weight, tuples->ordered ? count_permutations(tuples->n, tile) : 1);
        all += weight;
    } while (next_tuple(tuples, expected));
    assert_true(tile_tuples_count(tuples) == (double)n);
    int64_t product = 1;
    for (int i = 0; i < tuples->n; i++)
        product *= tuples->n_tiles[i];
    assert_int_equal(all, product);
}

TEST(tuples_are_those_of_plain_loops)
{
    for (int n = 1; n <= 4; n++)
        for (int32_t n_tiles = 1; n_tiles <= 6; n_tiles++) {
            check_tuples(&(struct tile_tuples){n, {n_tiles, n_tiles, n_tiles, n_tiles}, true});
            check_tuples(&(struct tile_tuples){n, {n_tiles, 2, n_tiles + 1, 3}, false});
        }
}

/* Beyond 32 bits, and up to the last one. */
TEST(many_tuples)
{
    const struct tile_tuples tuples = {3, {20000, 20000, 20000}, true};
    int32_t tile[TILE_LOOP_MAX_INDICES];
    double count = tile_tuples_count(&tuples);
    assert_true(count == 20000.0 * 20001 * 20002 / 6);
    tile_tuples_get(&tuples, (int64_t)count - 1, tile);
    assert_true(tile[0] == 19999 && tile[1] == 19999 && tile[2] == 19999);
    tile_tuples_get(&tuples, (int64_t)count - 20000, tile);
    assert_true(tile[0] == 19999 && tile[1] == 19999 && tile[2] == 0);
}

TEST(a_tuple_is_finished_with_all_its_parts)
{
    double parts[] = {1, NAN, NAN, 1, 0, -2};
    const struct tuple_table table = {.n_tuples = 3, .n_scalars = 2, .parts = parts};
    assert_false(tuple_table_is_finished(&table, 0));
    assert_false(tuple_table_is_finished(&table, 1));
    assert_true(tuple_table_is_finished(&table, 2));
}
