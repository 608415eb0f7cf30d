/* SPDX-License-Identifier: BSD-3-Clause */
/* Blocks that labels allow are numbered in lexicographic order: against brute force. */
#include "tce/tensor/block_index.h"
#include "tce/tensor/tensor.h"
#include "tests/cases/random_block.h"
#include "tests/check.h"

#include <stdbool.h>
#include <string.h>

enum { MAX_BLOCKS_OF_SPACE = 6 };

static struct index_space *random_space(int max_blocks, int max_size, bool spins)
{
    struct index_block blocks[MAX_BLOCKS_OF_SPACE];
    int n_irreps = 1 << below(4), n_blocks = below(max_blocks + 1);
    for (int b = 0; b < n_blocks; b++)
        blocks[b] = (struct index_block){.size = 1 + below(max_size),
                                         .irrep = below(n_irreps),
                                         .spin = spins ? below(3) - 1 : 0};
    struct index_space *space;
    check_ok(index_space_create("random", n_blocks, blocks, 1 + below(4), &space));
    return space;
}

/* Whether the labels allow the tuple, from their definition. */
static bool exists(const struct block_labels *labels, const int32_t tile[])
{
    int irrep = 0, spin = 0;
    for (int d = 0; d < labels->rank; d++) {
        irrep ^= labels->space[d]->irrep[tile[d]];
        spin += labels->sign[d] * labels->space[d]->spin[tile[d]];
    }
    return irrep == labels->irrep && spin == labels->spin;
}

/* All tuples in lexicographic order; false after the last. */
static bool next_tuple(const struct block_labels *labels, int32_t tile[])
{
    for (int d = labels->rank - 1; d >= 0; d--) {
        if (++tile[d] < labels->space[d]->n_tiles)
            return true;
        tile[d] = 0;
    }
    return false;
}

static int compare_tuples(int rank, const int32_t left[], const int32_t right[])
{
    for (int d = 0; d < rank; d++)
        if (left[d] != right[d])
            return left[d] < right[d] ? -1 : 1;
    return 0;
}

/* The last of the tuples that the symmetry makes of one another. */
static void find_last(const struct block_labels *labels, const int32_t tile[], int32_t last[])
{
    memcpy(last, tile, (size_t)labels->rank * sizeof *last);
    for (int e = 0; labels->symmetry && e < labels->symmetry->n; e++) {
        int32_t image[MAX_RANK];
        for (int d = 0; d < labels->rank; d++)
            image[d] = tile[labels->symmetry->elements[e].place[d]];
        if (compare_tuples(labels->rank, image, last) > 0)
            memcpy(last, image, sizeof image);
    }
}

/* Every tuple's block is the stored one of the last of its images, read through the permutation. */
static void check_labels(const struct block_labels *labels)
{
    struct block_index *index;
    check_ok(block_index_create(labels, &index));
    int32_t tile[MAX_RANK] = {0}, walked[MAX_RANK] = {0}, last[MAX_RANK], found[MAX_RANK];
    int64_t n = 0, n_tuples = 0;
    double n_elements = 0;
    bool more = true;
    for (int d = 0; d < labels->rank; d++)
        more = more && labels->space[d]->n_tiles > 0;
    for (; more; more = next_tuple(labels, tile)) {
        struct stored_block block = block_index_find(index, tile);
        if (!exists(labels, tile)) {
            assert_true(block.block == -1 && block_index_number(index, tile) == -1);
            continue;
        }
        assert_true((n_tuples == 0 ? block_index_first : block_index_next)(index, walked));
        assert_int_equal(compare_tuples(labels->rank, walked, tile), 0);
        assert_true(block.tuple == n_tuples++);
        find_last(labels, tile, last);
        block_index_tuple(index, block.block, found);
        assert_int_equal(compare_tuples(labels->rank, found, last), 0);
        const struct signed_permutation image = block_index_image(index, block.image);
        int64_t size = 1;
        for (int d = 0; d < labels->rank; d++) {
            assert_int_equal(found[d], tile[image.place[d]]);
            size *= labels->space[d]->first[tile[d] + 1] - labels->space[d]->first[tile[d]];
        }
        assert_true(block_index_size(index, tile) == size);
        bool stored = compare_tuples(labels->rank, tile, last) == 0;
        assert_true(block_index_number(index, tile) == (stored ? n : -1));
        assert_true(!stored || (block.image == 0 && image.sign == 1));
        n_elements += stored ? (double)size : 0;
        n += stored;
    }
    assert_false((n_tuples == 0 ? block_index_first : block_index_next)(index, walked));
    assert_true(block_index_n(index) == n && block_index_n_tuples(index) == n_tuples);
    assert_true(tensor_count_elements(labels) == n_elements);
    block_index_destroy(index);
}

/* Exchanges of places 0 to 3; `same` has for each place the first that has its space and sign. */
static const struct {
    int same[4], n;
    struct signed_permutation generators[3];
} symmetric_cases[] = {
    {{0, 0, 2, 2}, 1, {{{1, 0, 2, 3}, 1}}},
    {{0, 1, 0, 1}, 1, {{{2, 3, 0, 1}, 1}}},
    {{0, 0, 2, 2}, 2, {{{1, 0, 2, 3}, -1}, {{0, 1, 3, 2}, -1}}},
    {{0, 0, 0, 0}, 3, {{{1, 0, 2, 3}, 1}, {{0, 1, 3, 2}, 1}, {{2, 3, 0, 1}, 1}}},
    {{0, 0, 0, 3}, 2, {{{1, 0, 2, 3}, -1}, {{0, 2, 1, 3}, -1}}},
};

TEST(numbers_are_those_of_brute_force)
{
    random_stream_init(&random_numbers, 1, 0);
    for (int i = 0; i < 800; i++) {
        const int n_cases = (int)(sizeof symmetric_cases / sizeof symmetric_cases[0]);
        int which = i % 4 == 0 ? below(n_cases) : -1;
        struct index_space *spaces[MAX_RANK] = {0};
        struct block_labels labels = {.rank = which >= 0 ? 4 : below(6)};
        struct symmetry symmetry;
        bool spins = below(2), contradicts;
        for (int d = 0; d < labels.rank; d++) {
            int same = which >= 0 ? symmetric_cases[which].same[d] : d > 0 && below(2) ? d - 1 : d;
            if (same == d)
                spaces[d] = random_space(labels.rank > 3 ? 3 : MAX_BLOCKS_OF_SPACE,
                                         labels.rank > 3 ? 6 : 13, spins);
            labels.space[d] = same == d ? spaces[d] : labels.space[same];
            labels.sign[d] = same == d || which < 0 ? 1 - 2 * (int8_t)below(2) : labels.sign[same];
        }
        if (which >= 0) {
            check_ok(symmetry_generate(4, symmetric_cases[which].n,
                                       symmetric_cases[which].generators, &symmetry, &contradicts));
            labels.symmetry = &symmetry;
        }
        labels.irrep = below(3) ? 0 : below(N_IRREPS);
        labels.spin = spins ? below(3) - 1 : 0;
        check_labels(&labels);
        labels.spin = 100;
        check_labels(&labels);
        if (which >= 0)
            symmetry_fini(&symmetry);
        for (int d = 0; d < labels.rank; d++)
            index_space_destroy(spaces[d]);
    }
}

TEST(more_blocks_than_could_be_listed)
{
    struct index_block block = {.size = 1000};
    struct index_space *space;
    check_ok(index_space_create("long", 1, &block, 1, &space));
    struct block_labels labels = {.rank = 6};
    for (int d = 0; d < MAX_RANK; d++) {
        labels.space[d] = space;
        labels.sign[d] = 1;
    }
    struct block_index *index;
    check_ok(block_index_create(&labels, &index));
    assert_true(block_index_n(index) == INT64_C(1000000000000000000));
    int32_t tile[6];
    block_index_tuple(index, INT64_C(123456789012345678), tile);
    const int32_t expected[] = {123, 456, 789, 12, 345, 678};
    for (int d = 0; d < 6; d++)
        assert_int_equal(tile[d], expected[d]);
    assert_true(block_index_number(index, tile) == INT64_C(123456789012345678));
    block_index_destroy(index);
    labels.rank = 7;
    check_status(STATUS_LIMIT, block_index_create(&labels, &index));
    assert_null(index);
    index_space_destroy(space);
}

TEST(tiles_of_a_block_differ_by_one_at_most)
{
    const struct index_block blocks[] = {
        {.size = 41, .irrep = 3, .spin = -1}, {.size = 1, .irrep = 2}, {.size = 40, .irrep = 7}};
    const int64_t first[] = {0, 14, 28, 41, 42, 62, 82};
    struct index_space *space;
    check_ok(index_space_create("s", 3, blocks, 20, &space));
    assert_true(space->size == 82 && space->n_tiles == 6 && space->max_tile == 20);
    for (int t = 0; t <= 6; t++)
        assert_true(space->first[t] == first[t]);
    assert_true(space->irrep[2] == 3 && space->spin[2] == -1 && space->irrep[3] == 2);
    index_space_destroy(space);
    const struct index_block large = {.size = INT64_C(1) << 40};
    check_status(STATUS_LIMIT, index_space_create("s", 1, &large, 20, &space));
    assert_null(space);
}
