/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/kept_quartets.h"

#include "support/vectors/vector_clones.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CACHE_LINE = 64 }; /* bytes */
enum { STEP = 4 };        /* lanes and integrals that are transposed together */

typedef double chunk __attribute__((vector_size(STEP * sizeof(double))));
typedef int32_t chunk_int32 __attribute__((vector_size(STEP * sizeof(int32_t))));
typedef int16_t chunk_int16 __attribute__((vector_size(STEP * sizeof(int16_t))));
typedef double lanes __attribute__((vector_size(QUARTET_LANES * sizeof(double))));
typedef int32_t lanes_int32 __attribute__((vector_size(QUARTET_LANES * sizeof(int32_t))));
typedef int16_t lanes_int16 __attribute__((vector_size(QUARTET_LANES * sizeof(int16_t))));

static const int64_t bytes_of_width[N_KEPT_WIDTHS] = {sizeof(double), sizeof(int32_t),
                                                      sizeof(int16_t)};

double kept_unit(double threshold)
{
    return threshold > 64 * DBL_MIN ? ldexp(1, ilogb(threshold) - 6) : 0;
}

double kept_least_bound(double unit, enum kept_width width)
{
    static const double most[N_KEPT_WIDTHS] = {INT32_MAX, INT16_MAX, 0}; /* of the next width */
    return 0.99 * most[width] * unit;
}

static int64_t words_of_bits(int64_t n_quartets)
{
    return (n_quartets + 63) / 64;
}

/* Rounded up to where the next width may begin. */
static int64_t bytes_of_integrals(const struct kept_size *size, int width)
{
    int64_t bytes = size->n_integrals[width] * bytes_of_width[width];
    return (bytes + 7) / 8 * 8;
}

int64_t kept_quartets_bytes(const struct kept_size *size)
{
    int64_t bytes = 0;
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        bytes += words_of_bits(size->n_quartets[width]) * (int64_t)sizeof(uint64_t) +
                 bytes_of_integrals(size, width);
    return bytes;
}

void kept_quartets_init(const struct kept_size *size, double unit, void *memory,
                        struct kept_quartets *kept)
{
    uint64_t *bits = memory;
    kept->unit = unit;
    for (int width = 0; width < N_KEPT_WIDTHS; width++) {
        int64_t n_words = words_of_bits(size->n_quartets[width]);
        kept->computed[width] = memset(bits, 0, (size_t)n_words * sizeof *bits);
        bits += n_words;
    }
    char *integrals = (char *)bits;
    for (int width = 0; width < N_KEPT_WIDTHS; width++) {
        kept->integrals[width] = integrals;
        integrals += bytes_of_integrals(size, width);
    }
}

#define INLINE static inline __attribute__((always_inline))

/* Adding and subtracting 1.5 x 2^52 units leaves multiples of the unit; subtracting 0 leaves all. */
VECTOR_CLONES
void kept_quartets_round(const struct kept_batch *batch, double unit, double *integrals)
{
    for (int32_t q = 0; q < batch->n_quartets; q += QUARTET_LANES) {
        lanes *x = (lanes *)(integrals + batch_place(batch->n, q, 0)), shift = {0};
        int n_narrow = 0;
        for (int lane = 0; lane < QUARTET_LANES && q + lane < batch->n_quartets; lane++) {
            bool narrow = batch->numbers[q + lane].width != KEPT_DOUBLE;
            shift[lane] = narrow ? 0x1.8p52 * unit : 0;
            n_narrow += narrow;
        }
        for (int64_t i = 0; i < batch->n && n_narrow > 0; i++)
            x[i] = (x[i] + shift) - shift;
    }
}

/* Address of a quartet's integrals. */
INLINE char *find_kept(const struct kept_batch *batch, const struct kept_quartets *kept, int32_t q)
{
    struct kept_number at = batch->numbers[q];
    int64_t first = batch->before->n_integrals[at.width] + at.number * batch->n;
    return (char *)kept->integrals[at.width] + first * bytes_of_width[at.width];
}

void kept_quartets_put(const struct kept_batch *batch, const double *integrals,
                       struct kept_quartets *kept)
{
    double units = 1 / kept->unit;
    for (int32_t q = 0; q < batch->n_quartets; q++) {
        enum kept_width width = batch->numbers[q].width;
        const double *from = integrals + batch_place(batch->n, q, 0);
        void *to = find_kept(batch, kept, q);
        for (int64_t i = 0; i < batch->n; i++) {
            double x = from[i * QUARTET_LANES];
            if (width == KEPT_DOUBLE)
                ((double *)to)[i] = x;
            else if (width == KEPT_INT32)
                ((int32_t *)to)[i] = (int32_t)(x * units);
            else
                ((int16_t *)to)[i] = (int16_t)(x * units);
        }
    }
}

INLINE double load_integral(const char *from, enum kept_width width, int64_t i, double unit)
{
    if (width == KEPT_DOUBLE)
        return ((const double *)from)[i];
    if (width == KEPT_INT32)
        return ((const int32_t *)from)[i] * unit;
    return ((const int16_t *)from)[i] * unit;
}

/* STEP integrals from number i on. */
INLINE chunk load_integrals(const char *from, enum kept_width width, int64_t i, double unit)
{
    chunk x;
    chunk_int32 x32;
    chunk_int16 x16;
    if (width == KEPT_DOUBLE) {
        memcpy(&x, (const double *)from + i, sizeof x);
        return x;
    }
    if (width == KEPT_INT32) {
        memcpy(&x32, (const int32_t *)from + i, sizeof x32);
    } else {
        memcpy(&x16, (const int16_t *)from + i, sizeof x16);
        x32 = __builtin_convertvector(x16, chunk_int32);
    }
    return __builtin_convertvector(x32, chunk) * unit;
}

/* to[i][lane] = from[lane][i] for STEP integrals from number `first` on, where `to` has rows of
 * QUARTET_LANES */
INLINE void transpose_kept(const char *const from[STEP], enum kept_width width, int64_t first,
                           double unit, double *to)
{
    chunk a = load_integrals(from[0], width, first, unit);
    chunk b = load_integrals(from[1], width, first, unit);
    chunk c = load_integrals(from[2], width, first, unit);
    chunk d = load_integrals(from[3], width, first, unit);
    chunk ab_even = __builtin_shufflevector(a, b, 0, 4, 2, 6);
    chunk ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7);
    chunk cd_even = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    chunk cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    chunk *rows = (chunk *)(to + first * QUARTET_LANES);
    const int64_t stride = QUARTET_LANES / STEP;
    rows[0] = __builtin_shufflevector(ab_even, cd_even, 0, 1, 4, 5);
    rows[stride] = __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5);
    rows[2 * stride] = __builtin_shufflevector(ab_even, cd_even, 2, 3, 6, 7);
    rows[3 * stride] = __builtin_shufflevector(ab_odd, cd_odd, 2, 3, 6, 7);
}

INLINE lanes_int32 load_units(const char *from, enum kept_width width, int64_t i)
{
    lanes_int32 x32;
    lanes_int16 x16;
    if (width == KEPT_INT32) {
        memcpy(&x32, (const int32_t *)from + i, sizeof x32);
        return x32;
    }
    memcpy(&x16, (const int16_t *)from + i, sizeof x16);
    return __builtin_convertvector(x16, lanes_int32);
}

/* rows[i][j] <-> rows[j][i] */
INLINE void transpose_units(lanes_int32 rows[QUARTET_LANES])
{
    lanes_int32 a[QUARTET_LANES], b[QUARTET_LANES];
    _Static_assert(QUARTET_LANES == 8, "shuffles of eight lanes");
    for (int i = 0; i < 8; i += 2) {
        a[i] = __builtin_shufflevector(rows[i], rows[i + 1], 0, 8, 2, 10, 4, 12, 6, 14);
        a[i + 1] = __builtin_shufflevector(rows[i], rows[i + 1], 1, 9, 3, 11, 5, 13, 7, 15);
    }
    for (int i = 0; i < 8; i += 4) {
        for (int k = i; k < i + 2; k++) {
            b[k] = __builtin_shufflevector(a[k], a[k + 2], 0, 1, 8, 9, 4, 5, 12, 13);
            b[k + 2] = __builtin_shufflevector(a[k], a[k + 2], 2, 3, 10, 11, 6, 7, 14, 15);
        }
    }
    for (int k = 0; k < 4; k++) {
        rows[k] = __builtin_shufflevector(b[k], b[k + 4], 0, 1, 2, 3, 8, 9, 10, 11);
        rows[k + 4] = __builtin_shufflevector(b[k], b[k + 4], 4, 5, 6, 7, 12, 13, 14, 15);
    }
}

/* to[i][lane] = from[lane][i] for QUARTET_LANES integrals from number `first` on; of 4 or 2 bytes */
INLINE void transpose_narrow(const char *const from[QUARTET_LANES], enum kept_width width,
                             int64_t first, double unit, double *to)
{
    lanes_int32 rows[QUARTET_LANES];
    for (int lane = 0; lane < QUARTET_LANES; lane++)
        rows[lane] = load_units(from[lane], width, first);
    transpose_units(rows);
    for (int i = 0; i < QUARTET_LANES; i++)
        ((lanes *)to)[first + i] = __builtin_convertvector(rows[i], lanes) * unit;
}

/* The integrals of a block of quartets, all of one width of 4 or 2 bytes; n >= QUARTET_LANES */
INLINE void get_narrow(const char *const from[QUARTET_LANES], enum kept_width width, int64_t n,
                       double unit, double *to)
{
    for (int64_t i = 0; i + QUARTET_LANES <= n; i += QUARTET_LANES)
        transpose_narrow(from, width, i, unit, to);
    if (n % QUARTET_LANES != 0)
        transpose_narrow(from, width, n - QUARTET_LANES, unit, to);
}

INLINE void get_lane(const char *from, enum kept_width width, int64_t n, double unit, double *to)
{
    for (int64_t i = 0; i < n; i++)
        to[i * QUARTET_LANES] = load_integral(from, width, i, unit);
}

/* The integrals of STEP quartets of one width in neighbouring lanes. */
INLINE void get_lanes(const char *const from[STEP], enum kept_width width, int64_t n, double unit,
                      double *to)
{
    if (n < STEP) {
        for (int lane = 0; lane < STEP; lane++)
            get_lane(from[lane], width, n, unit, to + lane);
        return;
    }
    for (int64_t i = 0; i + STEP <= n; i += STEP)
        transpose_kept(from, width, i, unit, to);
    if (n % STEP != 0)
        transpose_kept(from, width, n - STEP, unit, to);
}

/* The integrals of STEP quartets, from[lane] of width[lane], in neighbouring lanes. */
INLINE void get_step(const char *const from[STEP], const enum kept_width width[STEP], int64_t n,
                     double unit, double *to)
{
    bool one_width = true;
    for (int lane = 1; lane < STEP; lane++)
        one_width = one_width && width[lane] == width[0];
    if (!one_width)
        for (int lane = 0; lane < STEP; lane++)
            get_lane(from[lane], width[lane], n, unit, to + lane);
    else if (width[0] == KEPT_DOUBLE)
        get_lanes(from, KEPT_DOUBLE, n, unit, to);
    else if (width[0] == KEPT_INT32)
        get_lanes(from, KEPT_INT32, n, unit, to);
    else
        get_lanes(from, KEPT_INT16, n, unit, to);
}

/* The integrals of a block of quartets from number q on, those beyond the last being q itself. */
INLINE void get_block(const struct kept_batch *batch, const struct kept_quartets *kept, int32_t q,
                      double *to)
{
    const char *from[QUARTET_LANES];
    enum kept_width width[QUARTET_LANES];
    bool one_width = true;
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        int32_t of_lane = q + lane < batch->n_quartets ? q + lane : q;
        from[lane] = find_kept(batch, kept, of_lane);
        width[lane] = batch->numbers[of_lane].width;
        one_width = one_width && width[lane] == width[0];
    }
    if (one_width && width[0] == KEPT_INT32 && batch->n >= QUARTET_LANES)
        get_narrow(from, KEPT_INT32, batch->n, kept->unit, to);
    else if (one_width && width[0] == KEPT_INT16 && batch->n >= QUARTET_LANES)
        get_narrow(from, KEPT_INT16, batch->n, kept->unit, to);
    else
        for (int lane = 0; lane < QUARTET_LANES; lane += STEP)
            get_step(from + lane, width + lane, batch->n, kept->unit, to + lane);
}

static void clear_lanes_from(int32_t n_quartets, int64_t n, double *integrals)
{
    for (int32_t q = n_quartets; q % QUARTET_LANES != 0; q++)
        for (int64_t i = 0; i < n; i++)
            integrals[batch_place(n, q, i)] = 0;
}

/* Quartets from number q on: sorted by their kinds, they are too far apart for the processor to foresee. */
INLINE void prefetch_block(const struct kept_batch *batch, const struct kept_quartets *kept,
                           int32_t q)
{
    for (int lane = 0; lane < QUARTET_LANES && q + lane < batch->n_quartets; lane++) {
        const char *from = find_kept(batch, kept, q + lane);
        int64_t bytes = batch->n * bytes_of_width[batch->numbers[q + lane].width];
        for (int64_t i = 0; i < bytes; i += CACHE_LINE)
            __builtin_prefetch(from + i);
    }
}

VECTOR_CLONES
void kept_quartets_get(const struct kept_batch *batch, const struct kept_quartets *kept,
                       double *integrals)
{
    for (int32_t q = 0; q < batch->n_quartets; q += QUARTET_LANES) {
        prefetch_block(batch, kept, q + 2 * QUARTET_LANES);
        get_block(batch, kept, q, integrals + batch_place(batch->n, q, 0));
    }
    clear_lanes_from(batch->n_quartets, batch->n, integrals);
}
