/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of digest_kernels.h, compiled once for each kind of vectors: LANES is the number of
 * doubles of a vector, KERNELS the name of the table of functions. */
#include "hf/digestion/digest_kernels.h"

#include "support/vectors/lanes.h"

/* --- blocks of quartets side by side ---
 *
 * Packed, element k of quartet q's block is D[place[q] + k]. Here element k of all quartets is one
 * vector, v[k][q], so that an instruction serves LANES quartets a, b, c, d:
 *
 *     packed   place[0]: a0 a1 a2 ...           v[0]: a0 b0 c0 d0
 *              place[1]: b0 b1 b2 ...     <->   v[1]: a1 b1 c1 d1
 *              ...                              ...
 *
 * gather_blocks goes to the right, scatter_blocks adds to the left, STEP elements at a time. */

enum {
    STEP = LANES < BLOCK_CHUNK ? LANES : BLOCK_CHUNK,
    V_STRIDE = QUARTET_LANES / LANES /* vectors from an integral of the lanes to the next */
};

/* Functions c of an exchange term are taken in strips of about one width. Blocks and sums of a
 * strip stay in registers. */
enum { EXCHANGE_STRIP = LANES == 8 ? 6 : 3 };

INLINE int count_strips(int n_c)
{
    return (n_c + EXCHANGE_STRIP - 1) / EXCHANGE_STRIP;
}

/* The lanes from number `first` on of the quartets of a digest_lanes. */
struct vector_set {
    const int32_t *place[N_CHOICES];
    lanes weight;
    bool one_bra;
};

INLINE struct vector_set vectors_from(const struct digest_lanes *set, int first)
{
    struct vector_set vectors = {.weight = load(set->weight + first), .one_bra = set->one_bra};
    UNROLL
    for (int i = 0; i < N_CHOICES; i++)
        vectors.place[i] = set->place[i] + first;
    return vectors;
}

/* Blocks D and A of the open bra for a Coulomb density, `size` vectors apart. */
INLINE lanes *open_blocks(const struct digest_blocks *blocks, int density)
{
    return (lanes *)blocks->scratch + (8 + 2 * density) * blocks->size;
}

typedef double chunk __attribute__((vector_size(STEP * sizeof(double))));

INLINE chunk load_chunk(const double *from)
{
    chunk x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* Transposes STEP elements of LANES blocks; its own inverse. */
INLINE void transpose_step(lanes r[STEP])
{
#if LANES == 8
    transpose_halves(r);
#else
    transpose(r);
#endif
}

/* The elements of lane i; with eight lanes, also of lane i + STEP. */
INLINE lanes load_step(const double *D, const int32_t *place, int i)
{
#if LANES == 8
    return __builtin_shufflevector(load_chunk(D + place[i]), load_chunk(D + place[i + STEP]), 0, 1,
                                   2, 3, 4, 5, 6, 7);
#else
    return load_chunk(D + place[i]);
#endif
}

INLINE void add_chunk(chunk x, double *to)
{
    x += load_chunk(to);
    memcpy(to, &x, sizeof x);
}

INLINE void add_step(lanes x, const int32_t *place, int i, double *A)
{
#if LANES == 8
    add_chunk(__builtin_shufflevector(x, x, 0, 1, 2, 3), A + place[i]);
    add_chunk(__builtin_shufflevector(x, x, 4, 5, 6, 7), A + place[i + STEP]);
#else
    add_chunk(x, A + place[i]);
#endif
}

/* Each lane's element of D. */
INLINE lanes gather_elements(const double *D, const int32_t *place)
{
#if LANES == 8
    return (lanes){D[place[0]], D[place[1]], D[place[2]], D[place[3]],
                   D[place[4]], D[place[5]], D[place[6]], D[place[7]]};
#elif LANES == 4
    return (lanes){D[place[0]], D[place[1]], D[place[2]], D[place[3]]};
#else
    return (lanes){D[place[0]], D[place[1]]};
#endif
}

/* to[k][lane] = element k of the lane's block in D, k < n. */
INLINE void gather_blocks(const double *D, const int32_t *place, int n, lanes *to)
{
    if (n == 1) {
        *to = gather_elements(D, place);
        return;
    }
    for (int k = 0; k < n; k += STEP) {
        lanes r[STEP];
        UNROLL
        for (int i = 0; i < STEP; i++)
            r[i] = load_step(D + k, place, i);
        transpose_step(r);
        UNROLL
        for (int i = 0; i < STEP; i++)
            to[k + i] = r[i];
    }
}

/* Vectors of a block that scatter_blocks reads. */
INLINE int n_scattered(int n)
{
    return n == 1 ? 1 : (n + STEP - 1) / STEP * STEP;
}

INLINE void clear_vectors(int n, lanes *v)
{
    for (int k = 0; k < n; k++)
        v[k] = (lanes){0};
}

/* Adds from[k][lane] to element k of the lane's block in A, k < n; the vectors up to a whole step
 * are zero. */
INLINE void scatter_blocks(const lanes *from, int n, const int32_t *place, double *A)
{
    if (n == 1) {
        UNROLL
        for (int lane = 0; lane < LANES; lane++)
            A[place[lane]] += from[0][lane];
        return;
    }
    for (int k = 0; k < n; k += STEP) {
        lanes r[STEP];
        UNROLL
        for (int i = 0; i < STEP; i++)
            r[i] = from[k + i];
        transpose_step(r);
        UNROLL
        for (int i = 0; i < STEP; i++)
            add_step(r[i], place, i, A + k);
    }
}

/* scatter_blocks for lanes that share one block of n elements: adds their sum. */
INLINE void scatter_sum(const lanes *from, int n, int32_t place, double *A)
{
    for (int k = 0; k < n; k++) {
        double sum = 0;
        UNROLL
        for (int lane = 0; lane < LANES; lane++)
            sum += from[k][lane];
        A[place + k] += sum;
    }
}

/* --- constant sizes ---
 *
 * Digestion of quartets whose numbers of functions are constants: all loops are unrolled, so that
 * blocks lie in registers from their gathering to their scattering. The bits agree with the
 * functions for any sizes, since each sum has the same terms in the same order.
 *
 * Small quartets gain most, as gathering and scattering is most of their work. Each row of the
 * table is two functions of some kilobytes, which a compiler works on for half a second. */

/* Numbers of functions of the groups a, b, c, d. Vectors of 2 lanes have the smallest alone: compiling the
 * others is not worth it. */
#if LANES == 2
#define FOR_ALL_SIZES(X) X(1, 1, 1, 1)
#else
#define FOR_ALL_SIZES(X)                                                                           \
    X(1, 1, 1, 1)                                                                                  \
    X(1, 1, 2, 1)                                                                                  \
    X(1, 1, 3, 1)                                                                                  \
    X(1, 1, 4, 1)                                                                                  \
    X(1, 1, 5, 1)                                                                                  \
    X(1, 1, 3, 2)                                                                                  \
    X(1, 1, 3, 3)                                                                                  \
    X(1, 1, 4, 4)                                                                                  \
    X(1, 1, 5, 3)                                                                                  \
    X(2, 1, 2, 1)                                                                                  \
    X(2, 1, 3, 1)                                                                                  \
    X(2, 1, 5, 1)                                                                                  \
    X(2, 1, 3, 3)                                                                                  \
    X(3, 1, 3, 1)                                                                                  \
    X(3, 1, 5, 1)                                                                                  \
    X(3, 1, 3, 2)                                                                                  \
    X(3, 1, 3, 3)                                                                                  \
    X(3, 1, 5, 3)                                                                                  \
    X(4, 1, 4, 1)                                                                                  \
    X(4, 1, 4, 4)                                                                                  \
    X(5, 1, 3, 3)
#endif

enum { MAX_SIZED = 16 }; /* elements of a block, whole steps */

/* Blocks ac, ad, bc and bd, as they are packed. */
struct exchange_lanes {
    lanes ac[MAX_SIZED], ad[MAX_SIZED], bc[MAX_SIZED], bd[MAX_SIZED];
};

/* Element (x, y) of a block of n_x times n_y. */
INLINE int packed_at(int x, int y, int n_x, int n_y, bool in_order)
{
    return in_order ? x * n_y + y : y * n_x + x;
}

INLINE void clear_sized(int n, lanes *v)
{
    const int n_cleared = n_scattered(n);
    UNROLL
    for (int k = 0; k < n_cleared; k++)
        v[k] = (lanes){0};
}

/* A: what a quartet adds to F, before the factors and signs of fock_digest.c.
 * A_ab += D_cd v and A_cd += D_ab v */
INLINE void add_coulomb_sized(int n_ab, int n_cd, const lanes *D_cd, lanes weight, const lanes *v,
                              const lanes *D_ab, lanes *A_ab, lanes *A_cd)
{
    UNROLL
    for (int i = 0; i < n_ab; i++) {
        lanes D = D_ab[i] * weight, sum = {0};
        UNROLL
        for (int j = 0; j < n_cd; j++) {
            lanes x = v[(int64_t)(i * n_cd + j) * V_STRIDE];
            sum += D_cd[j] * x;
            A_cd[j] += D * x;
        }
        A_ab[i] += sum * weight;
    }
}

INLINE void digest_coulomb_sized(int n_ab, int n_cd, const struct digest_blocks *blocks,
                                 const struct vector_set *set, int density, const lanes *v)
{
    lanes D_cd[MAX_SIZED], A_cd[MAX_SIZED], D_ab[MAX_SIZED], A_ab[MAX_SIZED];
    gather_blocks(blocks->D[density], set->place[CD], n_cd, D_cd);
    clear_sized(n_cd, A_cd);
    if (set->one_bra) {
        lanes *open_D = open_blocks(blocks, density), *open_A = open_D + blocks->size;
        add_coulomb_sized(n_ab, n_cd, D_cd, set->weight, v, open_D, open_A, A_cd);
    } else {
        gather_blocks(blocks->D[density], set->place[AB], n_ab, D_ab);
        clear_sized(n_ab, A_ab);
        add_coulomb_sized(n_ab, n_cd, D_cd, set->weight, v, D_ab, A_ab, A_cd);
        scatter_blocks(A_ab, n_ab, set->place[AB], blocks->A[density]);
    }
    scatter_blocks(A_cd, n_cd, set->place[CD], blocks->A[density]);
}

/* Numbers of functions of a, b, c and d, and the order of the exchange blocks: constants. */
struct constant_sizes {
    int n[4];
    bool in_order;
};

/* A_ac += D_bd v, A_ad += D_bc v, A_bc += D_ad v and A_bd += D_ac v */
INLINE void add_exchange_sized(const struct constant_sizes sizes, lanes weight, const lanes *v,
                               const struct exchange_lanes *D, struct exchange_lanes *A)
{
    const int n_a = sizes.n[0], n_b = sizes.n[1], n_c = sizes.n[2], n_d = sizes.n[3];
    const int n_strips = count_strips(n_c);
    const bool in_order = sizes.in_order;
    UNROLL
    for (int abd = 0; abd < n_strips * n_a * n_b * n_d; abd++) {
        const int strip = abd / (n_a * n_b * n_d), a = abd / (n_b * n_d) % n_a;
        const int b = abd / n_d % n_b, d = abd % n_d, end = (strip + 1) * n_c / n_strips;
        const int ad = packed_at(a, d, n_a, n_d, in_order);
        const int bd = packed_at(b, d, n_b, n_d, in_order);
        lanes D_ad = D->ad[ad] * weight, D_bd = D->bd[bd] * weight;
        lanes sum_ad = {0}, sum_bd = {0};
        UNROLL
        for (int c = strip * n_c / n_strips; c < end; c++) {
            const int ac = packed_at(a, c, n_a, n_c, in_order);
            const int bc = packed_at(b, c, n_b, n_c, in_order);
            lanes x = v[(int64_t)(((a * n_b + b) * n_c + c) * n_d + d) * V_STRIDE];
            sum_ad += D->bc[bc] * x;
            sum_bd += D->ac[ac] * x;
            A->ac[ac] += D_bd * x;
            A->bc[bc] += D_ad * x;
        }
        A->ad[ad] += sum_ad * weight;
        A->bd[bd] += sum_bd * weight;
    }
}

INLINE void digest_exchange_sized(const struct constant_sizes sizes,
                                  const struct digest_blocks *blocks, const struct vector_set *set,
                                  int matrix, const lanes *v)
{
    const int n_ac = sizes.n[0] * sizes.n[2], n_ad = sizes.n[0] * sizes.n[3];
    const int n_bc = sizes.n[1] * sizes.n[2], n_bd = sizes.n[1] * sizes.n[3];
    const double *from = blocks->D[matrix];
    double *to = blocks->A[matrix];
    struct exchange_lanes D, A;
    gather_blocks(from, set->place[AC], n_ac, D.ac);
    gather_blocks(from, set->place[AD], n_ad, D.ad);
    gather_blocks(from, set->place[BC], n_bc, D.bc);
    gather_blocks(from, set->place[BD], n_bd, D.bd);
    clear_sized(n_ac, A.ac);
    clear_sized(n_ad, A.ad);
    clear_sized(n_bc, A.bc);
    clear_sized(n_bd, A.bd);
    add_exchange_sized(sizes, set->weight, v, &D, &A);
    scatter_blocks(A.ac, n_ac, set->place[AC], to);
    scatter_blocks(A.ad, n_ad, set->place[AD], to);
    scatter_blocks(A.bc, n_bc, set->place[BC], to);
    scatter_blocks(A.bd, n_bd, set->place[BD], to);
}

/* A digest_function for these sizes. */
INLINE void digest_sized(const struct constant_sizes sizes, const struct digest_blocks *blocks,
                         const struct digest_lanes *set, const double *integrals)
{
    const int n_ab = sizes.n[0] * sizes.n[1], n_cd = sizes.n[2] * sizes.n[3];
    for (int first = 0; first < set->n_used; first += LANES) {
        struct vector_set vectors = vectors_from(set, first);
        const lanes *v = (const lanes *)(integrals + first);
        for (int i = 0; i < blocks->n_coulomb; i++)
            digest_coulomb_sized(n_ab, n_cd, blocks, &vectors, i, v);
        for (int i = 0; i < blocks->n_exchange; i++)
            digest_exchange_sized(sizes, blocks, &vectors, i, v);
    }
}

#define DIGEST_SIZED(NAME, A, B, C, D, IN_ORDER)                                                   \
    static void NAME(const struct digest_blocks *blocks, const struct digest_lanes *set,           \
                     const double *integrals)                                                      \
    {                                                                                              \
        digest_sized((struct constant_sizes){{A, B, C, D}, IN_ORDER}, blocks, set, integrals);     \
    }

/* Blocks of one row or column are packed alike in either order: the compiler finds such functions
 * equal. */
#define DIGEST_BOTH_ORDERS(A, B, C, D)                                                             \
    DIGEST_SIZED(digest_##A##B##C##D, A, B, C, D, true)                                            \
    DIGEST_SIZED(digest_##A##B##C##D##_transposed, A, B, C, D, (A) * (B) == 1)

FOR_ALL_SIZES(DIGEST_BOTH_ORDERS)

#define SIZES_ROW(A, B, C, D)                                                                      \
    {{A, B, C, D}, {digest_##A##B##C##D##_transposed, digest_##A##B##C##D}},

/* --- any sizes --- */

enum { COULOMB_ROWS = 4 }; /* of integrals that are added in one pass over the kets */

/* A_ab[i] += D_cd v[i] and A_cd += D_ab[i] v[i] of n_rows pairs of bra functions, a constant */
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
