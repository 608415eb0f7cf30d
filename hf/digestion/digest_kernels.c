/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of digest_kernels.h, compiled once for each kind of vectors: LANES is the number of
 * doubles of a vector, KERNELS the name of the table of functions. */
#include "hf/digestion/digest_kernels.h"

#include "hf/digestion/block_lanes.h"
#include "hf/digestion/digest_sizes.h"

enum { COULOMB_ROWS = 4 }; /* of integrals that are added in one pass over the kets */

/* A_ab[i] += D_cd v[i] and A_cd += D_ab[i] v[i] of n_rows bra functions, a constant */
INLINE void add_coulomb(int n_rows, int n_cd, const lanes *D_ab, const lanes *D_cd, lanes weight,
                        const lanes *v, lanes *A_ab, lanes *A_cd)
{
    lanes D[COULOMB_ROWS], sum[COULOMB_ROWS];
    int64_t stride = (int64_t)n_cd * V_STRIDE;
    UNROLL
    for (int i = 0; i < n_rows; i++) {
        D[i] = D_ab[i] * weight;
        sum[i] = (lanes){0};
    }
    for (int j = 0; j < n_cd; j++, v += V_STRIDE) {
        lanes D_j = D_cd[j], A_j = A_cd[j];
        UNROLL
        for (int i = 0; i < n_rows; i++) {
            lanes x = v[i * stride];
            sum[i] += D_j * x;
            A_j += D[i] * x;
        }
        A_cd[j] = A_j;
    }
    UNROLL
    for (int i = 0; i < n_rows; i++)
        A_ab[i] += sum[i] * weight;
}

static void open_bra(const struct digest_blocks *blocks, int32_t place)
{
    int n_ab = blocks->n[0] * blocks->n[1];
    for (int density = 0; density < blocks->n_coulomb; density++) {
        lanes *D_ab = open_blocks(blocks, density), *A_ab = D_ab + blocks->size;
        for (int i = 0; i < n_ab; i++)
            D_ab[i] = broadcast(blocks->D[density][place + i]);
        clear_vectors(n_ab, A_ab);
    }
}

static void close_bra(const struct digest_blocks *blocks, int32_t place)
{
    int n_ab = blocks->n[0] * blocks->n[1];
    for (int density = 0; density < blocks->n_coulomb; density++)
        scatter_sum(open_blocks(blocks, density) + blocks->size, n_ab, place, blocks->A[density]);
}

/* A_ab += D_cd v and A_cd += D_ab v of a Coulomb density */
INLINE void digest_coulomb(const struct digest_blocks *blocks, const struct vector_set *set,
                           int density, const lanes *v)
{
    int n_ab = blocks->n[0] * blocks->n[1], n_cd = blocks->n[2] * blocks->n[3];
    lanes *D_cd = (lanes *)blocks->scratch, *A_cd = D_cd + blocks->size;
    lanes *D_ab = set->one_bra ? open_blocks(blocks, density) : A_cd + blocks->size;
    lanes *A_ab = D_ab + blocks->size;
    gather_blocks(blocks->D[density], set->place[CD], n_cd, D_cd);
    clear_vectors(n_scattered(n_cd), A_cd);
    if (!set->one_bra) {
        gather_blocks(blocks->D[density], set->place[AB], n_ab, D_ab);
        clear_vectors(n_scattered(n_ab), A_ab);
    }
    int64_t row = (int64_t)n_cd * V_STRIDE;
    int i = 0;
    for (; i + COULOMB_ROWS <= n_ab; i += COULOMB_ROWS, v += COULOMB_ROWS * row)
        add_coulomb(COULOMB_ROWS, n_cd, D_ab + i, D_cd, set->weight, v, A_ab + i, A_cd);
    for (; i < n_ab; i++, v += row)
        add_coulomb(1, n_cd, D_ab + i, D_cd, set->weight, v, A_ab + i, A_cd);
    if (!set->one_bra)
        scatter_blocks(A_ab, n_ab, set->place[AB], blocks->A[density]);
    scatter_blocks(A_cd, n_cd, set->place[CD], blocks->A[density]);
}

/* Layout of a block: element (x, y) is at x * stride[0] + y * stride[1]. */
struct block_shape {
    int n; /* elements */
    int64_t stride[2];
};

/* D and A of four blocks ac, ad, bc and bd, `size` vectors apart. */
struct exchange_blocks {
    const struct block_shape *shape;
    int64_t size;
    const lanes *D;
    lanes *A;
    lanes weight;
};

/* A_ac += D_bd v, A_ad += D_bc v, A_bc += D_ad v and A_bd += D_ac v for functions c from `first` on,
 * n_c of them, a constant. */
INLINE void add_exchange_strip(int n_c, int first, const int n[4],
                               const struct exchange_blocks *blocks, const lanes *v)
{
    const struct block_shape *shape = blocks->shape;
    int64_t size = blocks->size, step_ac = shape[0].stride[1], step_bc = shape[2].stride[1];
    int64_t step_v = (int64_t)n[3] * V_STRIDE;
    v += first * step_v;
    for (int a = 0; a < n[0]; a++) {
        int64_t at_ac = a * shape[0].stride[0] + first * step_ac;
        lanes D_ac[EXCHANGE_STRIP], A_ac[EXCHANGE_STRIP];
        UNROLL
        for (int c = 0; c < n_c; c++) {
            D_ac[c] = blocks->D[at_ac + c * step_ac];
            A_ac[c] = blocks->A[at_ac + c * step_ac];
        }
        for (int b = 0; b < n[1]; b++, v += n[2] * step_v) {
            int64_t at_bc = 2 * size + b * shape[2].stride[0] + first * step_bc;
            lanes D_bc[EXCHANGE_STRIP], A_bc[EXCHANGE_STRIP];
            UNROLL
            for (int c = 0; c < n_c; c++) {
                D_bc[c] = blocks->D[at_bc + c * step_bc];
                A_bc[c] = blocks->A[at_bc + c * step_bc];
            }
            for (int d = 0; d < n[3]; d++) {
                int64_t at_ad = size + a * shape[1].stride[0] + d * shape[1].stride[1];
                int64_t at_bd = 3 * size + b * shape[3].stride[0] + d * shape[3].stride[1];
                lanes ad = blocks->D[at_ad] * blocks->weight;
                lanes bd = blocks->D[at_bd] * blocks->weight;
                lanes sum_ad = {0}, sum_bd = {0};
                UNROLL
                for (int c = 0; c < n_c; c++) {
                    lanes x = v[c * step_v + (int64_t)d * V_STRIDE];
                    sum_ad += D_bc[c] * x;
                    sum_bd += D_ac[c] * x;
                    A_ac[c] += bd * x;
                    A_bc[c] += ad * x;
                }
                blocks->A[at_ad] += sum_ad * blocks->weight;
                blocks->A[at_bd] += sum_bd * blocks->weight;
            }
            UNROLL
            for (int c = 0; c < n_c; c++)
                blocks->A[at_bc + c * step_bc] = A_bc[c];
        }
        UNROLL
        for (int c = 0; c < n_c; c++)
            blocks->A[at_ac + c * step_ac] = A_ac[c];
    }
}

/* add_exchange_strip for all functions c, in strips of about one width. */
INLINE void add_exchange(const int n[4], const struct exchange_blocks *blocks, const lanes *v)
{
    int n_strips = count_strips(n[2]);
    for (int strip = 0; strip < n_strips; strip++) {
        int first = strip * n[2] / n_strips, end = (strip + 1) * n[2] / n_strips;
        switch (end - first) {
        case 1:
            add_exchange_strip(1, first, n, blocks, v);
            break;
        case 2:
            add_exchange_strip(2, first, n, blocks, v);
            break;
        case 3:
            add_exchange_strip(3, first, n, blocks, v);
            break;
#if LANES == 8
        case 4:
            add_exchange_strip(4, first, n, blocks, v);
            break;
        case 5:
            add_exchange_strip(5, first, n, blocks, v);
            break;
        case 6:
            add_exchange_strip(6, first, n, blocks, v);
            break;
#endif
        }
    }
}

INLINE void digest_exchange(const struct digest_blocks *blocks, const struct vector_set *set,
                            const struct block_shape shape[4], int matrix, const lanes *v)
{
    int64_t size = blocks->size;
    lanes *D = (lanes *)blocks->scratch, *A = D + 4 * size;
    for (int i = 0; i < 4; i++) {
        gather_blocks(blocks->D[matrix], set->place[AC + i], shape[i].n, D + i * size);
        clear_vectors(n_scattered(shape[i].n), A + i * size);
    }
    struct exchange_blocks exchange = {shape, size, D, A, set->weight};
    add_exchange(blocks->n, &exchange, v);
    for (int i = 0; i < 4; i++)
        scatter_blocks(A + i * size, shape[i].n, set->place[AC + i], blocks->A[matrix]);
}

static void digest_lanes(const struct digest_blocks *blocks, const struct digest_lanes *set,
                         const double *integrals)
{
    struct block_shape shape[4];
    for (int i = 0; i < 4; i++) {
        int n_x = blocks->n[i / 2], n_y = blocks->n[2 + i % 2];
        shape[i] = (struct block_shape){n_x * n_y,
                                        {blocks->in_order ? n_y : 1, blocks->in_order ? 1 : n_x}};
    }
    for (int first = 0; first < set->n_used; first += LANES) {
        struct vector_set vectors = vectors_from(set, first);
        const lanes *v = (const lanes *)(integrals + first);
        for (int i = 0; i < blocks->n_coulomb; i++)
            digest_coulomb(blocks, &vectors, i, v);
        for (int i = 0; i < blocks->n_exchange; i++)
            digest_exchange(blocks, &vectors, shape, i, v);
    }
}

/* Functions for constant sizes. */
struct sizes_row {
    int n[4];
    digest_function *function[2]; /* by in_order */
};

static const struct sizes_row sizes_rows[] = {FOR_ALL_SIZES(SIZES_ROW){{0}, {NULL, NULL}}};

static digest_function *find_for_sizes(const int n[4], bool in_order)
{
    const struct sizes_row *row = sizes_rows;
    while (row->n[0] != 0 && memcmp(row->n, n, sizeof row->n) != 0)
        row++;
    return row->function[in_order];
}

const struct digest_kernels KERNELS = {open_bra, close_bra, digest_lanes, find_for_sizes};
