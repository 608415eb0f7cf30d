/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of hermite_kernels.h, compiled once for each kind of vectors: LANES is the number of
 * doubles of a vector, KERNELS the name of the table of functions.
 *
 * One lane is one quartet: every array below is an array of vectors, and element k of a vector
 * belongs to number k of the LANES quartets that are computed together. With LANES = 4:
 *
 *     quartet            0      1      2      3
 *     records        | zeta | zeta | zeta | zeta |   gathered from four tables of products
 *     R[place]       | R000 | R000 | R000 | R000 |   place = t TO_T + u TO_U + v
 *     Y[h n + f]     | Y_fh | Y_fh | Y_fh | Y_fh |   h: number of (x, y, z) of the ket;
 *                                                    f: function of the bra, of n at a time
 *     out[i STRIDE]  | (f|g)| (f|g)| (f|g)| (f|g)|   i = f n_ket + g; STRIDE = OUT_STRIDE
 *
 * Offsets (places) of Hermite indices add: R_(t+x, u+y, v+z) is at place(t, u, v) + place(x, y, z).
 */
#include "basis/integrals/hermite_kernels.h"

#include "basis/integrals/boys_lanes.h"

enum {
    MAX_M = 2 * HERMITE_MAX_ORDER,
    MAX_ROWS = 13,                      /* functions of the bra transformed together */
    MAX_COLUMNS = LANES == 8 ? 28 : 12, /* sums kept in vector registers: there are 32, or 16 */
    OUT_STRIDE = QUARTET_LANES / LANES,
    N_STORED = 1024, /* vectors for the bra's records that are kept in lanes */
};

/* --- Hermite integrals --- */

enum { TO_T = HERMITE_STRIDE_T, TO_U = HERMITE_STRIDE_U };

/* R^m at Hermite index t of one dimension, from t - 1 and t - 2 of R^(m+1), which are stored step
 * and 2 step before it. */
INLINE void raise_order(int64_t t, int64_t step, lanes x, lanes *R)
{
    *R = t > 1 ? x * R[-step] + (double)(t - 1) * R[-2 * step] : x * R[-step];
}

/* R_tuv, t + u + v <= L, from G[m] = R^m_000: for m from L down to 0 the R^m_tuv that R^0 needs.
 * In place: the recurrence reads lower indices, so the highest are overwritten first. L must be a
 * compile-time constant. */
INLINE void hermite_integrals(int L, const lanes *G, const lanes X[3], lanes *R)
{
    R[0] = G[L];
    UNROLL
    for (int m = L - 1; m >= 0; m--) {
        UNROLL
        for (int64_t t = L - m; t >= 1; t--) {
            UNROLL
            for (int64_t u = 0; u <= L - m - t; u++) {
                UNROLL
                for (int64_t v = 0; v <= L - m - t - u; v++)
                    raise_order(t, TO_T, X[0], R + t * TO_T + u * TO_U + v);
            }
        }
        UNROLL
        for (int64_t u = L - m; u >= 1; u--) {
            UNROLL
            for (int64_t v = 0; v <= L - m - u; v++)
                raise_order(u, TO_U, X[1], R + u * TO_U + v);
        }
        UNROLL
        for (int64_t v = L - m; v >= 1; v--)
            raise_order(v, 1, X[2], R + v);
        R[0] = G[m];
    }
}

/* --- transformation to functions --- */

#define H(t, u, v) ((t)*HERMITE_STRIDE_T + (u)*HERMITE_STRIDE_U + (v))
/* Offset of R_tuv by number of (t, u, v). */
static const int16_t places[HERMITE_MAX_COUNT] = {
    H(0, 0, 0),
    /* 1 */
    H(1, 0, 0), H(0, 1, 0), H(0, 0, 1),
    /* 2 */
    H(2, 0, 0), H(1, 1, 0), H(1, 0, 1), H(0, 2, 0), H(0, 1, 1), H(0, 0, 2),
    /* 3 */
    H(3, 0, 0), H(2, 1, 0), H(2, 0, 1), H(1, 2, 0), H(1, 1, 1), H(1, 0, 2), H(0, 3, 0), H(0, 2, 1),
    H(0, 1, 2), H(0, 0, 3),
    /* 4 */
    H(4, 0, 0), H(3, 1, 0), H(3, 0, 1), H(2, 2, 0), H(2, 1, 1), H(2, 0, 2), H(1, 3, 0), H(1, 2, 1),
    H(1, 1, 2), H(1, 0, 3), H(0, 4, 0), H(0, 3, 1), H(0, 2, 2), H(0, 1, 3), H(0, 0, 4),
    /* 5 */
    H(5, 0, 0), H(4, 1, 0), H(4, 0, 1), H(3, 2, 0), H(3, 1, 1), H(3, 0, 2), H(2, 3, 0), H(2, 2, 1),
    H(2, 1, 2), H(2, 0, 3), H(1, 4, 0), H(1, 3, 1), H(1, 2, 2), H(1, 1, 3), H(1, 0, 4), H(0, 5, 0),
    H(0, 4, 1), H(0, 3, 2), H(0, 2, 3), H(0, 1, 4), H(0, 0, 5),
    /* 6 */
    H(6, 0, 0), H(5, 1, 0), H(5, 0, 1), H(4, 2, 0), H(4, 1, 1), H(4, 0, 2), H(3, 3, 0), H(3, 2, 1),
    H(3, 1, 2), H(3, 0, 3), H(2, 4, 0), H(2, 3, 1), H(2, 2, 2), H(2, 1, 3), H(2, 0, 4), H(1, 5, 0),
    H(1, 4, 1), H(1, 3, 2), H(1, 2, 3), H(1, 1, 4), H(1, 0, 5), H(0, 6, 0), H(0, 5, 1), H(0, 4, 2),
    H(0, 3, 3), H(0, 2, 4), H(0, 1, 5), H(0, 0, 6)};

/* Y[h * n + f] (+= if add, else =) the sum over the terms k of the bra's function first + f of
 * terms[k] R[bra->place[k] + places[h]], for h in [B, B + N), the ket's Hermite indices. */
INLINE void transform_bra_columns(int B, int N, const struct hermite_pattern *bra,
                                  const lanes *terms, const lanes *R, int first, int n, bool add,
                                  lanes *Y)
{
    for (int f = 0; f < n; f++) {
        lanes sum[MAX_COLUMNS];
        lanes *row = Y + (int64_t)B * n + f, *to = row;
        if (add) {
            UNROLL
            for (int h = 0; h < N; h++, to += n)
                sum[h] = *to;
        } else {
            UNROLL
            for (int h = 0; h < N; h++)
                sum[h] = broadcast(0);
        }
        for (int k = bra->first[first + f]; k < bra->first[first + f + 1]; k++) {
            const lanes *from = R + bra->place[k];
            lanes E = terms[k];
            UNROLL
            for (int h = 0; h < N; h++)
                sum[h] += E * from[places[B + h]];
        }
        to = row;
        UNROLL
        for (int h = 0; h < N; h++, to += n)
            *to = sum[h];
    }
}

#define BRA_TRANSFORM(order, n_columns)                                                            \
    static void transform_bra_##order(const struct hermite_pattern *bra, const lanes *terms,       \
                                      const lanes *R, int first, int n, bool add, lanes *Y)        \
    {                                                                                              \
        enum {                                                                                     \
            N_PARTS = (n_columns + MAX_COLUMNS - 1) / MAX_COLUMNS,                                 \
            PART = (n_columns + N_PARTS - 1) / N_PARTS,                                            \
            LAST = n_columns - (N_PARTS - 1) * PART,                                               \
        };                                                                                         \
        UNROLL                                                                                     \
        for (int part = 0; part < N_PARTS - 1; part++)                                             \
            transform_bra_columns(part *PART, PART, bra, terms, R, first, n, add, Y);              \
        transform_bra_columns((N_PARTS - 1) * PART, LAST, bra, terms, R, first, n, add, Y);        \
    }
/* X of each order of the ket and its number of Hermite indices. */
#define BRA_TRANSFORMS(X) X(0, 1) X(1, 4) X(2, 10) X(3, 20) X(4, 35) X(5, 56) X(6, 84)
BRA_TRANSFORMS(BRA_TRANSFORM)

typedef void bra_transform(const struct hermite_pattern *bra, const lanes *terms, const lanes *R,
                           int first, int n, bool add, lanes *Y);
#define BRA_ENTRY(order, n_columns) transform_bra_##order,
static bra_transform *const bra_transforms[] = {BRA_TRANSFORMS(BRA_ENTRY)};

/* out[(f * n_ket + g) * OUT_STRIDE] (+= if add, else =) the sum over the terms k of the ket's
 * function g of terms[k] Y[ket->number[k] * N + f], those of odd order with a minus, for N
 * functions f of the bra. */
INLINE void transform_ket_rows(int N, const struct hermite_pattern *ket, const lanes *terms,
                               const lanes *Y, bool add, lanes *out)
{
    int n_ket = ket->n_functions, stride = n_ket * OUT_STRIDE;
    for (int g = 0; g < n_ket; g++) {
        lanes sum[MAX_ROWS], *to = out + (int64_t)g * OUT_STRIDE;
        if (add) {
            UNROLL
            for (int f = 0; f < N; f++, to += stride)
                sum[f] = *to;
        } else {
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] = broadcast(0);
        }
        int k = ket->first[g];
        for (; k < ket->odd[g]; k++) {
            const lanes *from = Y + (int64_t)ket->number[k] * N;
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] += terms[k] * from[f];
        }
        for (; k < ket->first[g + 1]; k++) {
            const lanes *from = Y + (int64_t)ket->number[k] * N;
            UNROLL
            for (int f = 0; f < N; f++)
                sum[f] -= terms[k] * from[f];
        }
        to = out + (int64_t)g * OUT_STRIDE;
        UNROLL
        for (int f = 0; f < N; f++, to += stride)
            *to = sum[f];
    }
}

typedef void ket_transform(const struct hermite_pattern *ket, const lanes *terms, const lanes *Y,
                           bool add, lanes *out);
#define KET_TRANSFORM(N)                                                                           \
    static void transform_ket_##N(const struct hermite_pattern *ket, const lanes *terms,           \
                                  const lanes *Y, bool add, lanes *out)                            \
    {                                                                                              \
        transform_ket_rows(N, ket, terms, Y, add, out);                                            \
    }
#define FROM_1_TO_12(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11) X(12)
FROM_1_TO_12(KET_TRANSFORM)
KET_TRANSFORM(13)
#define KET_ENTRY(N) transform_ket_##N,
static ket_transform *const ket_transforms[MAX_ROWS + 1] = {NULL, FROM_1_TO_12(KET_ENTRY)
                                                                      transform_ket_13};

/* --- primitive quartets --- */

struct scratch {
    lanes R[MAX_M * HERMITE_STRIDE_T + 1];
    lanes Y[HERMITE_MAX_FUNCTIONS * HERMITE_MAX_COUNT];
    lanes ket[HERMITE_TERMS + HERMITE_MAX_TERMS + 8];
    lanes bra[N_STORED + HERMITE_TERMS + HERMITE_MAX_TERMS + 8];
};

/* R for one record of each side; 0 in lanes that are not kept. */
INLINE void primitive_integrals(int L, const lanes *bra, const lanes *ket, integer_lanes kept,
                                lanes *R)
{
    lanes zeta = bra[HERMITE_ZETA], eta = ket[HERMITE_ZETA];
    lanes root = inverse_square_root(zeta + eta);
    lanes rho = zeta * eta * (root * root);
    lanes X[3];
    UNROLL
    for (int x = 0; x < 3; x++)
        X[x] = bra[HERMITE_P + x] - ket[HERMITE_P + x];
    lanes T = rho * (X[0] * X[0] + X[1] * X[1] + X[2] * X[2]);
    lanes factor = choose(kept, root, broadcast(0));
    lanes G[MAX_M + 1];
    boys_lanes(L, T, factor, -2 * rho, G);
    hermite_integrals(L, G, X, R);
}

#define PRIMITIVE(L)                                                                               \
    static void primitive_##L(const lanes *bra, const lanes *ket, integer_lanes kept, lanes *R)    \
    {                                                                                              \
        primitive_integrals(L, bra, ket, kept, R);                                                 \
    }
PRIMITIVE(0)
FROM_1_TO_12(PRIMITIVE)
typedef void primitive_function(const lanes *bra, const lanes *ket, integer_lanes kept, lanes *R);
#define PRIMITIVE_ENTRY(L) primitive_##L,
static primitive_function *const primitive_functions[] = {primitive_0,
                                                          FROM_1_TO_12(PRIMITIVE_ENTRY)};

/* Gathers record p of each lane into `to`; lanes with fewer records get the empty record. */
INLINE void gather_records(const struct hermite_side *side, int p, lanes *to)
{
    const double *from[LANES];
    int record = side->pattern->record;
    UNROLL
    for (int i = 0; i < LANES; i++)
        from[i] =
            p < side->n_records[i] ? side->records[i] + (int64_t)p * record : side->pattern->empty;
    gather(from, record, to);
}

INLINE int most_records(const struct hermite_side *side)
{
    int most = 0;
    for (int i = 0; i < LANES; i++)
        most = side->n_records[i] > most ? side->n_records[i] : most;
    return most;
}

/* The bra's records gathered into lanes: the first ones are kept for the next record of the ket. */
struct gathered_bra {
    const struct hermite_side *side;
    lanes *records;
    int n_stored, n_gathered;
};

INLINE const lanes *bra_record(struct gathered_bra *bra, int p)
{
    bool stored = p < bra->n_stored;
    lanes *record =
        bra->records + (int64_t)(stored ? p : bra->n_stored) * bra->side->pattern->record;
    if (!stored || p >= bra->n_gathered) {
        gather_records(bra->side, p, record);
        bra->n_gathered = p + 1;
    }
    return record;
}

/* F_0(T) / sqrt(zeta + eta), T = zeta eta / (zeta + eta) PQ2: far apart it is
 * sqrt(pi / (zeta eta PQ2)) / 2, without T. */
INLINE lanes s_integral(lanes zeta, lanes eta, lanes PQ2)
{
    lanes sum = zeta + eta, u = zeta * eta * PQ2;
    integer_lanes is_near = u < sum * BOYS_LARGE_T;
    if (!any_lane(is_near))
        return BOYS_SQRT_PI_HALF * inverse_square_root(u);
    lanes root = inverse_square_root(sum);
    lanes near = root * boys_f0(u * (root * root));
    if (!any_lane(~is_near))
        return near;
    return choose(is_near, near, BOYS_SQRT_PI_HALF * inverse_square_root(u));
}

INLINE lanes square_distance(const lanes P[3], const lanes Q[3])
{
    lanes X[3];
    UNROLL
    for (int x = 0; x < 3; x++)
        X[x] = P[x] - Q[x];
    return X[0] * X[0] + X[1] * X[1] + X[2] * X[2];
}

/* Integrals (ss|ss): one term on each side. */
static void compute_s(struct gathered_bra *bra, const struct hermite_side *ket, lanes cutoff,
                      lanes *ket_record, lanes *out)
{
    int n_bra = most_records(bra->side), n_ket = most_records(ket);
    lanes sum = broadcast(0);
    bool used = true;
    for (int q = 0; q < n_ket && used; q++) {
        gather_records(ket, q, ket_record);
        used = false;
        for (int p = 0; p < n_bra; p++, used = true) {
            const lanes *record = bra_record(bra, p);
            integer_lanes kept = record[HERMITE_WEIGHT] * ket_record[HERMITE_WEIGHT] >= cutoff;
            if (!any_lane(kept))
                break;
            lanes PQ2 = square_distance(record + HERMITE_P, ket_record + HERMITE_P);
            lanes R = s_integral(record[HERMITE_ZETA], ket_record[HERMITE_ZETA], PQ2);
            lanes term = record[HERMITE_TERMS] * ket_record[HERMITE_TERMS] * R;
            sum += choose(kept, term, broadcast(0));
        }
    }
    *out = sum;
}

/* Integrals (ss|ss) as in compute_s, with one product of primitives on each side. */
static void compute_s_row(const struct s_product *bra, const struct s_products *kets,
                          const int32_t *blocks, int32_t n_blocks, double *integrals)
{
    lanes zeta = broadcast(bra->zeta), factor = broadcast(bra->factor), P[3];
    UNROLL
    for (int x = 0; x < 3; x++)
        P[x] = broadcast(bra->P[x]);
    for (int32_t b = 0; b < n_blocks; b++) {
        UNROLL
        for (int part = 0; part < QUARTET_LANES; part += LANES) {
            int64_t at = (int64_t)blocks[b] * QUARTET_LANES + part;
            lanes Q[3];
            UNROLL
            for (int x = 0; x < 3; x++)
                Q[x] = load(kets->P[x] + at);
            lanes R = s_integral(zeta, load(kets->zeta + at), square_distance(P, Q));
            lanes integral = factor * load(kets->factor + at) * R;
            memcpy(integrals + at, &integral, sizeof integral);
        }
    }
}

/* Functions of the bra that are transformed together: nearly equal parts of at most MAX_ROWS. */
static int rows_of_part(int n_functions)
{
    int n_parts = (n_functions + MAX_ROWS - 1) / MAX_ROWS;
    return (n_functions + n_parts - 1) / n_parts;
}

/* Y for the ket's record in scratch->ket, summed over the bra's records. Returns false if no
 * primitive quartet is above the cutoff: records come by descending weight, so that the next ones
 * of the ket have none either. */
static bool sum_bra(struct gathered_bra *bra, int ket_order, lanes cutoff, struct scratch *scratch)
{
    const struct hermite_pattern *pattern = bra->side->pattern;
    primitive_function *primitive = primitive_functions[pattern->order + ket_order];
    bra_transform *transform = bra_transforms[ket_order];
    int n_bra = most_records(bra->side), n_functions = pattern->n_functions;
    int64_t count = hermite_count(ket_order);
    int part = rows_of_part(n_functions);
    for (int p = 0; p < n_bra; p++) {
        const lanes *record = bra_record(bra, p);
        integer_lanes kept = record[HERMITE_WEIGHT] * scratch->ket[HERMITE_WEIGHT] >= cutoff;
        if (!any_lane(kept))
            return p > 0;
        primitive(record, scratch->ket, kept, scratch->R);
        for (int f = 0; f < n_functions; f += part) {
            int n = f + part <= n_functions ? part : n_functions - f;
            transform(pattern, record + HERMITE_TERMS, scratch->R, f, n, p > 0,
                      scratch->Y + f * count);
        }
    }
    return n_bra > 0;
}

static void compute_quartets(const struct hermite_side *bra, const struct hermite_side *ket,
                             double cutoff, void *scratch_memory, double *integrals)
{
    struct scratch *scratch = scratch_memory;
    lanes *out = (lanes *)integrals;
    struct gathered_bra gathered = {
        .side = bra, .records = scratch->bra, .n_stored = N_STORED / bra->pattern->record};
    int ket_order = ket->pattern->order, n_ket = most_records(ket);
    if (bra->pattern->order + ket_order == 0 && bra->pattern->n_functions == 1 &&
        ket->pattern->n_functions == 1) {
        compute_s(&gathered, ket, broadcast(cutoff), scratch->ket, out);
        return;
    }
    int n_rows = bra->pattern->n_functions, n_columns = ket->pattern->n_functions;
    int64_t count = hermite_count(ket_order);
    int part = rows_of_part(n_rows), q = 0;
    for (; q < n_ket; q++) {
        gather_records(ket, q, scratch->ket);
        if (!sum_bra(&gathered, ket_order, broadcast(cutoff), scratch))
            break;
        for (int f = 0; f < n_rows; f += part) {
            int n = f + part <= n_rows ? part : n_rows - f;
            ket_transforms[n](ket->pattern, scratch->ket + HERMITE_TERMS, scratch->Y + f * count,
                              q > 0, out + (int64_t)f * n_columns * OUT_STRIDE);
        }
    }
    for (int i = 0; i < n_rows * n_columns && q == 0; i++)
        out[(int64_t)i * OUT_STRIDE] = broadcast(0);
}

const struct hermite_kernels KERNELS = {.n_lanes = LANES,
                                        .scratch_bytes = (sizeof(struct scratch) + 63) / 64 * 64,
                                        .compute = compute_quartets,
                                        .compute_s_row = compute_s_row};
