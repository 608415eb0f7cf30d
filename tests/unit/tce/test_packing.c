/* SPDX-License-Identifier: BSD-3-Clause */
/* Spaces of pairs hold every pair of values once. Packed tensors are the symmetric and
 * antisymmetric parts of a full one; the parts add up to the full tensor when unpacked. */
#include "tce/tensor/packing.h"
#include "tests/cases/darray_case.h"
#include "tests/check.h"

#include <string.h>

/* Blocks of a space: with irreps and spins, or one value. */
static const struct index_block many[] = {{5, 1, 1}, {3, 0, -1}, {4, 3, 1}, {1, 2, -1}};
static const struct index_block one[] = {{1, 3, 1}};

static struct index_space *make_space(const char *name, int n, const struct index_block *blocks,
                                      int64_t tile)
{
    struct index_space *space;
    check_ok(index_space_create(name, n, blocks, tile, &space));
    return space;
}

static int32_t tile_of_value(const struct index_space *space, int64_t value)
{
    int32_t tile = 0;
    while (space->first[tile + 1] <= value)
        tile++;
    return tile;
}

/* --- spaces of pairs --- */

/* The values of pair number i of a tile. */
static void find_pair(const struct pair_space *pairs, int32_t tile, int64_t i, int64_t pair[2])
{
    const struct index_space *of = pairs->of;
    bool diagonal = pairs->P[tile] == pairs->Q[tile];
    int64_t p = 0, n_q = index_space_tile_size(of, pairs->Q[tile]);
    for (;; p++) {
        int64_t row = !diagonal ? n_q : pairs->sign > 0 ? p + 1 : p;
        if (i < row)
            break;
        i -= row;
    }
    pair[0] = of->first[pairs->P[tile]] + p;
    pair[1] = of->first[pairs->Q[tile]] + i;
}

static void check_pairs(const struct index_space *of, int sign)
{
    struct pair_space *pairs;
    check_ok(pair_space_create(of, sign, &pairs));
    int *met = calloc((size_t)(of->size * of->size) + 1, sizeof *met);
    assert_int_equal(pairs->space->size, of->size * (of->size + sign) / 2);
    for (int32_t t = 0; t < pairs->space->n_tiles; t++) {
        int32_t P = pairs->P[t], Q = pairs->Q[t];
        assert_int_equal(pair_space_tile(pairs, P, Q), t);
        assert_int_equal(pair_space_tile(pairs, Q, P), t);
        assert_int_equal(pairs->space->irrep[t], of->irrep[P] ^ of->irrep[Q]);
        assert_int_equal(pairs->space->spin[t], of->spin[P] + of->spin[Q]);
        for (int64_t i = 0; i < index_space_tile_size(pairs->space, t); i++) {
            int64_t pair[2];
            find_pair(pairs, t, i, pair);
            assert_true(sign > 0 ? pair[0] >= pair[1] : pair[0] > pair[1]);
            assert_int_equal(met[pair[0] * of->size + pair[1]]++, 0);
        }
    }
    free(met);
    pair_space_destroy(pairs);
}

TEST(every_pair_occurs_once)
{
    static const int64_t tiles[] = {1, 2, 3, 1000};
    for (int t = 0; t < 4; t++)
        for (int n = 0; n <= 4; n++)
            for (int sign = -1; sign <= 1; sign += 2) {
                struct index_space *space = make_space("s", n, many, tiles[t]);
                check_pairs(space, sign);
                index_space_destroy(space);
            }
}

/* --- packed tensors --- */

/* T[a,i,b,j] with pairs (a, b) and (i, j), which are not neighbours, and T[a,i,b,j,a'] of one more. */
struct packing_case {
    struct index_space *v, *o;
    struct pair_space *pairs[2][2]; /* of v and o, signs +1 and -1 */
    struct block_labels labels;
    struct tensor *full;
};

static double element(const int64_t value[], void *context)
{
    (void)context;
    double x = 1;
    for (int d = 0; d < 5; d++)
        x += (double)((value[d] + 2) * (d + 3) * (value[(d + 1) % 5] + 1) % 17) / (d + 2);
    return x;
}

static void begin(struct packing_case *made, int n_o, const struct index_block *o, int64_t tile)
{
    made->v = make_space("v", 4, many, tile);
    made->o = make_space("o", n_o, o, tile);
    for (int s = 0; s < 2; s++) {
        check_ok(pair_space_create(made->v, 1 - 2 * s, &made->pairs[0][s]));
        check_ok(pair_space_create(made->o, 1 - 2 * s, &made->pairs[1][s]));
    }
    made->labels = (struct block_labels){.rank = 5,
                                         .space = {made->v, made->o, made->v, made->o, made->v},
                                         .sign = {1, -1, 1, -1, 1},
                                         .irrep = 1,
                                         .spin = 1};
    check_ok(tensor_create("full", &made->labels, MPI_COMM_WORLD, &made->full));
    tensor_fill(made->full, element, NULL);
}

static void end(struct packing_case *made)
{
    tensor_destroy(made->full);
    for (int s = 0; s < 4; s++)
        pair_space_destroy(made->pairs[s / 2][s % 2]);
    index_space_destroy(made->v);
    index_space_destroy(made->o);
}

/* Packed over (a, b), (i, j) and a' of these signs, 0: +1, 1: -1. */
static struct packing describe(const struct packing_case *made, int s, int t, bool weighted)
{
    struct packing packing = {.n = 3,
                              .place = {{0, 2, made->pairs[0][s], weighted},
                                        {1, 3, made->pairs[1][t], false},
                                        {4, -1, NULL, false}},
                              .n_terms = 4};
    for (unsigned flipped = 0; flipped < 4; flipped++)
        packing.term[flipped] = (struct packing_term){flipped, 0.25 * (flipped & 1 && s ? -1 : 1) *
                                                                   (flipped & 2 && t ? -1 : 1)};
    return packing;
}

static struct tensor *make_packed(const struct packing_case *made, const struct packing *packing)
{
    struct tensor *packed;
    struct block_labels labels = {
        .rank = 3,
        .space = {packing->place[0].pairs->space, packing->place[1].pairs->space, made->v},
        .sign = {1, -1, 1},
        .irrep = 1,
        .spin = 1};
    check_ok(tensor_create("packed", &labels, MPI_COMM_WORLD, &packed));
    return packed;
}

/* 0 where the labels of the values have no block. */
static double full_element(const struct packing_case *made, const int64_t value[5])
{
    int32_t tile[5];
    for (int d = 0; d < 5; d++)
        tile[d] = tile_of_value(made->labels.space[d], value[d]);
    return block_index_number(made->full->blocks, tile) >= 0 ? element(value, NULL) : 0;
}

static void check_packed(const struct packing_case *made, const struct packing *packing,
                         const struct tensor *packed)
{
    for (int64_t b = 0; b < block_index_n(packed->blocks); b++) {
        const double *own = darray_local(packed->data, b);
        const struct index_space *const *space = block_index_labels(packed->blocks)->space;
        int32_t t[3];
        block_index_tuple(packed->blocks, b, t);
        for (int64_t ab = 0; own && ab < index_space_tile_size(space[0], t[0]); ab++)
            for (int64_t ij = 0; ij < index_space_tile_size(space[1], t[1]); ij++)
                for (int64_t c = 0; c < index_space_tile_size(space[2], t[2]); c++) {
                    int64_t v[2], o[2];
                    double sum = 0;
                    find_pair(packing->place[0].pairs, t[0], ab, v);
                    find_pair(packing->place[1].pairs, t[1], ij, o);
                    for (int term = 0; term < packing->n_terms; term++) {
                        unsigned f = packing->term[term].flipped;
                        const int64_t value[] = {v[f & 1], o[f >> 1], v[1 - (f & 1)],
                                                 o[1 - (f >> 1)], made->v->first[t[2]] + c};
                        sum += packing->term[term].factor * full_element(made, value);
                    }
                    if (packing->place[0].weighted && v[0] != v[1])
                        sum *= 2;
                    check_close(*own++, sum, 1e-13);
                }
    }
}

static void check_equal(const struct tensor *a, const struct tensor *b, double tolerance)
{
    darray_sync();
    for (int64_t n = 0; n < block_index_n(a->blocks); n++) {
        const double *of_a = darray_local(a->data, n), *of_b = darray_local(b->data, n);
        for (int64_t i = 0; of_a && i < darray_block_size(a->data, n); i++)
            check_close(of_a[i], of_b[i], tolerance);
    }
    darray_sync();
}

/* Block by block from anywhere, as tensors that are not stored are packed. */
static void add_blocks(const struct packing_case *made, const struct packing *packing,
                       struct tensor *added)
{
    int rank, n_processes;
    struct packing_scratch *scratch;
    double *block = malloc((size_t)(made->full->max_block + 1) * sizeof *block);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    check_ok(packing_scratch_create(packing, &made->labels, added->max_block, &scratch));
    for (int64_t b = block_index_n(made->full->blocks) - 1; b >= 0; b--) {
        int32_t tile[5];
        if (b / 3 % n_processes != rank)
            continue;
        block_index_tuple(made->full->blocks, b, tile);
        darray_get(made->full->data, b, block);
        packing_add_block(packing, &made->labels, tile, block, added, scratch);
    }
    packing_scratch_destroy(scratch);
    free(block);
}

/* All parts of the tensor, unpacked into one. Parts of two terms, with weights: blocks in any order give the
 * same bits. */
static void check_case(int n_o, const struct index_block *o, int64_t tile)
{
    struct packing_case made;
    struct tensor *sum;
    begin(&made, n_o, o, tile);
    check_ok(tensor_create("sum", &made.labels, MPI_COMM_WORLD, &sum));
    for (int c = 0; c < 8; c++) {
        struct packing packing = describe(&made, c & 1, c >> 1 & 1, c >= 4);
        packing.n_terms = c < 4 ? 4 : 2;
        struct tensor *packed = make_packed(&made, &packing), *added = make_packed(&made, &packing);
        darray_sync();
        check_ok(packing_pack(&packing, made.full, packed));
        add_blocks(&made, &packing, added);
        check_equal(added, packed, c < 4 ? 1e-13 : 0);
        check_packed(&made, &packing, packed);
        if (c < 4)
            check_ok(packing_unpack(&packing, packed, c > 0, sum));
        darray_sync();
        tensor_destroy(packed);
        tensor_destroy(added);
    }
    check_equal(sum, made.full, 1e-13);
    tensor_destroy(sum);
    end(&made);
}

TEST(parts_are_packed_and_make_up_the_whole)
{
    static const int64_t tiles[] = {1, 2, 3, 1000};
    for (int t = 0; t < 4; t++) {
        check_case(3, many, tiles[t]);
        check_case(1, one, tiles[t]); /* no antisymmetric pair */
        check_case(0, NULL, tiles[t]);
    }
}

/* --- unique blocks --- */

/* T[c,d,a,b] = - T[a,b,c,d], as it is filled. */
static double antisymmetric_element(const int64_t value[], void *context)
{
    const int64_t given[] = {value[0], value[1], value[2], value[3], 0};
    const int64_t exchanged[] = {value[2], value[3], value[0], value[1], 0};
    return element(given, context) - element(exchanged, context);
}

/* A tensor of pairs with its own unique blocks, packed from another one's: pairs (a, b) and (c, d) of this
 * sign. */
static void check_unique(const struct index_space *v, int sign, bool weighted)
{
    static const struct signed_permutation exchange = {{2, 3, 0, 1}, -1};
    struct symmetry full_symmetry, packed_symmetry;
    struct pair_space *pairs;
    bool contradicts;
    check_ok(pair_space_create(v, sign, &pairs));
    check_ok(symmetry_generate(4, 1, &exchange, &full_symmetry, &contradicts));
    const struct packing packing = {
        .n = 2,
        .place = {{0, 1, pairs, false}, {2, 3, pairs, weighted}},
        .n_terms = 4,
        .term = {{0, 0.25}, {1, 0.25 * sign}, {2, 0.25 * sign}, {3, 0.25}}};
    check_ok(packing_symmetry(&packing, &full_symmetry, &packed_symmetry));
    assert_int_equal(packed_symmetry.n, weighted ? 1 : 2);
    assert_true(weighted || packed_symmetry.elements[1].sign == -1);
    struct block_labels full = {.rank = 4, .space = {v, v, v, v}, .sign = {1, 1, 1, 1}};
    struct block_labels packed = {.rank = 2, .space = {pairs->space, pairs->space}, .sign = {1, 1}};
    struct tensor *from[2], *to[2], *back[2];
    for (int unique = 0; unique < 2; unique++) {
        full.symmetry = unique ? &full_symmetry : NULL;
        packed.symmetry = unique ? &packed_symmetry : NULL;
        check_ok(tensor_create("full", &full, MPI_COMM_WORLD, &from[unique]));
        check_ok(tensor_create("packed", &packed, MPI_COMM_WORLD, &to[unique]));
        tensor_fill(from[unique], antisymmetric_element, NULL);
        check_ok(packing_pack(&packing, from[unique], to[unique]));
        darray_sync();
        full.symmetry = NULL;
        check_ok(tensor_create("back", &full, MPI_COMM_WORLD, &back[unique]));
        check_ok(packing_unpack(&packing, to[unique], false, back[unique]));
    }
    assert_true(weighted || to[1]->n_elements < to[0]->n_elements);
    check_equal(back[0], back[1], 1e-13);
    for (int unique = 0; unique < 2; unique++) {
        tensor_destroy(from[unique]);
        tensor_destroy(to[unique]);
        tensor_destroy(back[unique]);
    }
    symmetry_fini(&full_symmetry);
    symmetry_fini(&packed_symmetry);
    pair_space_destroy(pairs);
}

TEST(pairs_inherit_the_symmetry_by_which_they_are_stored)
{
    static const int64_t tiles[] = {1, 2, 3};
    for (int t = 0; t < 3; t++) {
        struct index_space *v = make_space("v", 4, many, tiles[t]);
        for (int sign = -1; sign <= 1; sign += 2) {
            check_unique(v, sign, false);
            check_unique(v, sign, true);
        }
        index_space_destroy(v);
    }
}

TEST_SETUP(darray_case_start)
TEST_TEARDOWN(darray_case_stop)
