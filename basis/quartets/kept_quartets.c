/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/quartets/kept_quartets.h"

#include "support/vectors/vector_clones.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* Vectors of all lanes in every clone, where calls would cross from one kind of vectors to another. */
#define LANES 8
#define UNROLL_LOOPS
#include "support/vectors/lanes.h"

_Static_assert(LANES == QUARTET_LANES, "a vector has an integral of each lane");

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

/* Rounded up to where the next width may begin. */
static int64_t bytes_of_integrals(const struct kept_size *size, int width)
{
    int64_t bytes = size->n_integrals[width] * bytes_of_width[width];
    return (bytes + 7) / 8 * 8;
}

static int64_t bytes_of_list(const struct kept_size *size)
{
    return (size->n_listed * (int64_t)sizeof(int16_t) + 7) / 8 * 8;
}

int64_t kept_quartets_bytes(const struct kept_size *size)
{
    int64_t bytes = 0, after = sizeof(lanes); /* what load_integrals may read beyond the last one */
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        bytes += bytes_of_integrals(size, width);
    return bytes > 0 ? bytes + bytes_of_list(size) + after : 0;
}

void kept_quartets_init(const struct kept_size *size, double unit, void *memory,
                        struct kept_quartets *kept)
{
    char *integrals = memory;
    *kept = (struct kept_quartets){.unit = unit};
    for (int width = 0; width < N_KEPT_WIDTHS; width++) {
        kept->integrals[width] = integrals;
        integrals += bytes_of_integrals(size, width);
    }
    if (size->n_listed > 0)
        kept->list = (int16_t *)integrals;
}

void kept_quartets_find(const struct kept_quartets *kept, const struct kept_size *before, int64_t n,
                        struct kept_run runs[N_KEPT_WIDTHS])
{
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        runs[width] = (struct kept_run){.start = (char *)kept->integrals[width] +
                                                 before->n_integrals[width] * bytes_of_width[width],
                                        .bytes = n * bytes_of_width[width]};
}

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

/* A quartet's integrals from number i on, QUARTET_LANES of them; those beyond its last are arbitrary. */
INLINE lanes load_integrals(const char *from, enum kept_width width, int64_t i, double unit)
{
    lanes x;
    lanes_int32 x32;
    lanes_int16 x16;
    if (width == KEPT_DOUBLE) {
        memcpy(&x, (const double *)from + i, sizeof x);
        return x;
    }
    if (width == KEPT_INT32) {
        memcpy(&x32, (const int32_t *)from + i, sizeof x32);
    } else {
        memcpy(&x16, (const int16_t *)from + i, sizeof x16);
        x32 = __builtin_convertvector(x16, lanes_int32);
    }
    return __builtin_convertvector(x32, lanes) * unit;
}

/* The only integral of a quartet. */
INLINE double load_integral(const char *from, enum kept_width width, double unit)
{
    double x;
    int32_t x32;
    int16_t x16;
    if (width == KEPT_DOUBLE) {
        memcpy(&x, from, sizeof x);
        return x;
    }
    if (width == KEPT_INT32) {
        memcpy(&x32, from, sizeof x32);
        return x32 * unit;
    }
    memcpy(&x16, from, sizeof x16);
    return x16 * unit;
}

/* Quartets in lanes, and which widths they have. */
struct kept_lanes {
    char *at[QUARTET_LANES]; /* integral 0 */
    enum kept_width width[QUARTET_LANES];
    bool one_width;
};

/* to[i][lane] = integral i of the lane's quartet. width: of all; N_KEPT_WIDTHS: each has its own */
INLINE void get_lanes(const struct kept_lanes *kept, enum kept_width width, int64_t n, double unit,
                      lanes *to)
{
    if (n == 1) {
        for (int lane = 0; lane < QUARTET_LANES; lane++)
            to[0][lane] = load_integral(kept->at[lane],
                                        width == N_KEPT_WIDTHS ? kept->width[lane] : width, unit);
        return;
    }
    for (int64_t i = 0; i < n; i += QUARTET_LANES) {
        lanes rows[QUARTET_LANES];
        for (int lane = 0; lane < QUARTET_LANES; lane++)
            rows[lane] = load_integrals(
                kept->at[lane], width == N_KEPT_WIDTHS ? kept->width[lane] : width, i, unit);
        transpose(rows);
        for (int k = 0; k < QUARTET_LANES && i + k < n; k++)
            to[i + k] = rows[k];
    }
}

/* The quartets of a batch from number q on, one a lane; beyond the last one q itself. */
INLINE struct kept_lanes find_lanes(const struct kept_batch *batch, const struct kept_run *runs,
                                    int32_t q)
{
    struct kept_lanes block = {.one_width = true};
    for (int lane = 0; lane < QUARTET_LANES; lane++) {
        struct kept_number at = batch->numbers[q + lane < batch->n_quartets ? q + lane : q];
        block.width[lane] = at.width;
        block.at[lane] = runs[at.width].start + at.number * runs[at.width].bytes;
        block.one_width &= block.width[lane] == block.width[0];
    }
    return block;
}

INLINE void get_block(const struct kept_lanes *block, int64_t n, double unit, lanes *to)
{
    if (!block->one_width)
        get_lanes(block, N_KEPT_WIDTHS, n, unit, to);
    else if (block->width[0] == KEPT_DOUBLE)
        get_lanes(block, KEPT_DOUBLE, n, unit, to);
    else if (block->width[0] == KEPT_INT32)
        get_lanes(block, KEPT_INT32, n, unit, to);
    else
        get_lanes(block, KEPT_INT16, n, unit, to);
}

/* Writes n <= QUARTET_LANES of a quartet's integrals from number i on. */
INLINE void store_integrals(lanes x, enum kept_width width, int64_t i, int64_t n, char *to)
{
    lanes_int32 x32;
    lanes_int16 x16;
    if (width == KEPT_DOUBLE) {
        memcpy((double *)to + i, &x, (size_t)n * sizeof(double));
        return;
    }
    x32 = __builtin_convertvector(x, lanes_int32);
    if (width == KEPT_INT32) {
        memcpy((int32_t *)to + i, &x32, (size_t)n * sizeof(int32_t));
    } else {
        x16 = __builtin_convertvector(x32, lanes_int16);
        memcpy((int16_t *)to + i, &x16, (size_t)n * sizeof(int16_t));
    }
}

/* Quartets in the first n_lanes lanes; from[i][lane] = integral i of the lane's quartet. */
INLINE void put_lanes(const struct kept_lanes *kept, enum kept_width width, int n_lanes, int64_t n,
                      double unit, const lanes *from)
{
    double units[N_KEPT_WIDTHS] = {[KEPT_DOUBLE] = 1, 1 / unit, 1 / unit};
    for (int64_t i = 0; i < n; i += QUARTET_LANES) {
        int64_t left = n - i;
        lanes rows[QUARTET_LANES];
        for (int k = 0; k < QUARTET_LANES; k++)
            rows[k] = k < left ? from[i + k] : (lanes){0};
        transpose(rows);
        for (int lane = 0; lane < n_lanes; lane++) {
            enum kept_width of_lane = width == N_KEPT_WIDTHS ? kept->width[lane] : width;
            lanes x = rows[lane] * units[of_lane];
            if (left >= QUARTET_LANES)
                store_integrals(x, of_lane, i, QUARTET_LANES, kept->at[lane]);
            else
                store_integrals(x, of_lane, i, left, kept->at[lane]);
        }
    }
}

INLINE void put_block(const struct kept_batch *batch, double unit, const struct kept_run *runs,
                      int32_t q, const lanes *from)
{
    struct kept_lanes block = find_lanes(batch, runs, q);
    int32_t left = batch->n_quartets - q;
    int n_lanes = left < QUARTET_LANES ? left : QUARTET_LANES;
    if (!block.one_width)
        put_lanes(&block, N_KEPT_WIDTHS, n_lanes, batch->n, unit, from);
    else if (block.width[0] == KEPT_DOUBLE)
        put_lanes(&block, KEPT_DOUBLE, n_lanes, batch->n, unit, from);
    else if (block.width[0] == KEPT_INT32)
        put_lanes(&block, KEPT_INT32, n_lanes, batch->n, unit, from);
    else
        put_lanes(&block, KEPT_INT16, n_lanes, batch->n, unit, from);
}

VECTOR_CLONES
void kept_quartets_put(const struct kept_batch *batch, const double *integrals, double unit,
                       const struct kept_run runs[N_KEPT_WIDTHS])
{
    for (int32_t q = 0; q < batch->n_quartets; q += QUARTET_LANES)
        put_block(batch, unit, runs, q, (const lanes *)(integrals + batch_place(batch->n, q, 0)));
}

static void clear_lanes_from(int32_t n_quartets, int64_t n, double *integrals)
{
    for (int32_t q = n_quartets; q % QUARTET_LANES != 0; q++)
        for (int64_t i = 0; i < n; i++)
            integrals[batch_place(n, q, i)] = 0;
}

VECTOR_CLONES
void kept_quartets_get(const struct kept_batch *batch, double unit,
                       const struct kept_run runs[N_KEPT_WIDTHS], double *integrals)
{
    for (int32_t q = 0; q < batch->n_quartets; q += QUARTET_LANES) {
        struct kept_lanes block = find_lanes(batch, runs, q);
        get_block(&block, batch->n, unit, (lanes *)(integrals + batch_place(batch->n, q, 0)));
    }
    clear_lanes_from(batch->n_quartets, batch->n, integrals);
}
