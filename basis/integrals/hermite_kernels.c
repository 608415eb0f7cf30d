/* SPDX-License-Identifier: BSD-3-Clause */
/* The kernels of hermite_kernels.h, compiled once for each kind of vectors: LANES is the number of
 * doubles of a vector, KERNELS the name of the table of functions.
 *
 * One lane is one quartet: every array below is an array of vectors, and element k of a vector
 * belongs to number k of the LANES quartets that are computed together. With LANES = 4:
 *
 *     quartet            0      1      2      3
 *     records        | zeta | zeta | zeta | zeta |   gathered from four tables of products
 *     R[place]       | R000 | R000 | R000 | R000 |   place = t STRIDE_T + u STRIDE_U + v
 *     Y[h n + f]     | Y_fh | Y_fh | Y_fh | Y_fh |   h: number of (x, y, z) of the ket;
 *                                                    f: function of the bra, of n at a time
 *     out[i STRIDE]  | (f|g)| (f|g)| (f|g)| (f|g)|   i = f n_ket + g; STRIDE = OUT_STRIDE
 *
 * Offsets (places) of Hermite indices add: R_(t+x, u+y, v+z) is at place(t, u, v) + place(x, y, z).
 */
#include "basis/integrals/hermite_kernels.h"

#include "basis/integrals/boys_lanes.h"
#include "basis/integrals/hermite_lanes.h"
#include "basis/integrals/hermite_transforms.h"

#include <stdlib.h>

enum { N_STORED = 1024 }; /* vectors for the bra's records that are kept in lanes */

/* --- primitive quartets --- */

/* Arrays in one allocation, which begins with this struct; sizes: hermite_limits. */
struct scratch {
    lanes *R;
    lanes *Y;
    lanes *ket; /* one record */
    lanes *bra; /* N_STORED vectors for the first records, and one record */
};

enum { N_ARRAYS = 4 }; /* of struct scratch */

/* Vectors of each array; returns the bytes of the allocation. */
static int64_t size_scratch(const struct hermite_limits *limits, int64_t n[N_ARRAYS])
{
    enum hermite_layout layout = hermite_layout_of_ket(limits->order);
    int64_t stride = layout == HERMITE_SHORT ? HERMITE_SHORT_T : HERMITE_LONG_T;
    n[0] = stride * 2 * limits->order + 1;
    n[1] = limits->n_functions * count_columns(layout, limits->order);
    n[2] = limits->record;
    n[3] = N_STORED + limits->record;
    int64_t bytes = 64;
    for (int i = 0; i < N_ARRAYS; i++) {
        n[i] = (n[i] * (int64_t)sizeof(lanes) + 63) / 64 * 64 / (int64_t)sizeof(lanes);
        bytes += n[i] * (int64_t)sizeof(lanes);
    }
    return bytes;
}

static int64_t scratch_bytes(const struct hermite_limits *limits)
{
    int64_t n[N_ARRAYS];
    return size_scratch(limits, n);
}

static void *create_scratch(const struct hermite_limits *limits)
{
    int64_t n[N_ARRAYS], bytes = size_scratch(limits, n);
    char *memory = aligned_alloc(64, (size_t)bytes);
    if (!memory)
        return NULL;
    lanes *R = (lanes *)(memory + 64), *Y = R + n[0], *ket = Y + n[1], *bra = ket + n[2];
    *(struct scratch *)memory = (struct scratch){R, Y, ket, bra};
    return memory;
}

/* R for one record of each side; 0 in lanes that are not kept. */
INLINE void primitive_integrals(enum hermite_layout layout, int L, const lanes *bra,
                                const lanes *ket, integer_lanes kept, lanes *R)
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
    lanes G[2 * HERMITE_MAX_ORDER + 1];
    boys_lanes(L, T, factor, -2 * rho, G);
    if (layout == HERMITE_SHORT)
        hermite_integrals_short(L, G, X, R);
    else
        hermite_integrals_long(L, G, X, R);
}

#define PRIMITIVE(layout, L)                                                                       \
    static void primitive_##layout##_##L(const lanes *bra, const lanes *ket, integer_lanes kept,   \
                                         lanes *R)                                                 \
    {                                                                                              \
        primitive_integrals(HERMITE_##layout, L, bra, ket, kept, R);                               \
    }
#define PRIMITIVE_ENTRY(layout, L) [HERMITE_##layout][L] = primitive_##layout##_##L,
/* X for each layout and each order that occurs in it. */
#define FROM_7_TO_12(X, layout)                                                                    \
    X(layout, 7)                                                                                   \
    X(layout, 8)                                                                                   \
    X(layout, 9)                                                                                   \
    X(layout, 10)                                                                                  \
    X(layout, 11)                                                                                  \
    X(layout, 12)
#define PRIMITIVES_SHORT(X)                                                                        \
    X(SHORT, 0)                                                                                    \
    X(SHORT, 1)                                                                                    \
    X(SHORT, 2)                                                                                    \
    X(SHORT, 3)                                                                                    \
    X(SHORT, 4)                                                                                    \
    X(SHORT, 5)                                                                                    \
    X(SHORT, 6)                                                                                    \
    FROM_7_TO_12(X, SHORT)
#define PRIMITIVES_LONG(X)                                                                         \
    FROM_7_TO_12(X, LONG)                                                                          \
    X(LONG, 13)                                                                                    \
    X(LONG, 14)                                                                                    \
    X(LONG, 15)                                                                                    \
    X(LONG, 16)                                                                                    \
    X(LONG, 17)                                                                                    \
    X(LONG, 18)                                                                                    \
    X(LONG, 19)                                                                                    \
    X(LONG, 20)
PRIMITIVES_SHORT(PRIMITIVE)
PRIMITIVES_LONG(PRIMITIVE)
typedef void primitive_function(const lanes *bra, const lanes *ket, integer_lanes kept, lanes *R);
static primitive_function *const primitive_functions[][2 * HERMITE_MAX_ORDER + 1] = {
    PRIMITIVES_SHORT(PRIMITIVE_ENTRY) PRIMITIVES_LONG(PRIMITIVE_ENTRY)};

/* Gathers record p of each lane into `to`; lanes with fewer records get the empty record. */
INLINE void gather_records(const struct hermite_side *side, int p, lanes *to)
{
    const double *from[LANES];
    int record = side->pattern->record;
    int64_t offset = p * side->step;
    UNROLL
    for (int i = 0; i < LANES; i++)
        from[i] = p < side->n_records[i] ? side->records[i] + offset : side->pattern->empty;
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
 * of the ket have none either. The layout is a constant. */
INLINE bool sum_bra(enum hermite_layout layout, struct gathered_bra *bra,
                    const struct hermite_pattern *ket, lanes cutoff, const struct scratch *scratch)
{
    const struct hermite_pattern *pattern = bra->side->pattern;
    primitive_function *primitive = primitive_functions[layout][pattern->order + ket->order];
    bra_transform *transform = layout == HERMITE_SHORT ? bra_transforms[ket->order] : NULL;
    int n_bra = most_records(bra->side), n_functions = pattern->n_functions;
    int64_t count = count_columns(layout, ket->order);
    int part = rows_of_part(n_functions);
    for (int p = 0; p < n_bra; p++) {
        const lanes *record = bra_record(bra, p), *terms = record + HERMITE_TERMS;
        integer_lanes kept = record[HERMITE_WEIGHT] * scratch->ket[HERMITE_WEIGHT] >= cutoff;
        if (!any_lane(kept))
            return p > 0;
        primitive(record, scratch->ket, kept, scratch->R);
        for (int f = 0; f < n_functions; f += part) {
            int n = f + part <= n_functions ? part : n_functions - f;
            lanes *Y = scratch->Y + f * count;
            if (layout == HERMITE_SHORT)
                transform(pattern, terms, scratch->R, f, n, p > 0, Y);
            else
                transform_bra_long(pattern, ket, terms, scratch->R, f, n, p > 0, Y);
        }
    }
    return n_bra > 0;
}

/* Integrals of any class; the layout is a constant. */
INLINE void compute_in_layout(enum hermite_layout layout, struct gathered_bra *bra,
                              const struct hermite_side *ket, lanes cutoff,
                              const struct scratch *scratch, lanes *out)
{
    int n_rows = bra->side->pattern->n_functions, n_columns = ket->pattern->n_functions;
    int64_t count = count_columns(layout, ket->pattern->order);
    int n_ket = most_records(ket), part = rows_of_part(n_rows), q = 0;
    for (; q < n_ket; q++) {
        gather_records(ket, q, scratch->ket);
        if (!sum_bra(layout, bra, ket->pattern, cutoff, scratch))
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

static void compute_quartets(const struct hermite_side *bra, const struct hermite_side *ket,
                             double cutoff, void *scratch_memory, double *integrals)
{
    const struct scratch scratch = *(const struct scratch *)scratch_memory;
    lanes *out = (lanes *)integrals, limit = broadcast(cutoff);
    struct gathered_bra gathered = {
        .side = bra, .records = scratch.bra, .n_stored = N_STORED / bra->pattern->record};
    int ket_order = ket->pattern->order;
    if (bra->pattern->order + ket_order == 0 && bra->pattern->n_functions == 1 &&
        ket->pattern->n_functions == 1)
        compute_s(&gathered, ket, limit, scratch.ket, out);
    else if (hermite_layout_of_ket(ket_order) == HERMITE_SHORT)
        compute_in_layout(HERMITE_SHORT, &gathered, ket, limit, &scratch, out);
    else
        compute_in_layout(HERMITE_LONG, &gathered, ket, limit, &scratch, out);
}

const struct hermite_kernels KERNELS = {.n_lanes = LANES,
                                        .scratch_bytes = scratch_bytes,
                                        .create_scratch = create_scratch,
                                        .compute = compute_quartets,
                                        .compute_s_row = compute_s_row};
