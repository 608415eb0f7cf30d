/* SPDX-License-Identifier: BSD-3-Clause */
/* McMurchie and Davidson's scheme, QUARTET_LANES quartets at once; an engine for each kind of
 * vectors that processors have (hermite_kernels.h). */
#include "basis/integrals/boys.h"
#include "basis/integrals/hermite_kernels.h"
#include "basis/integrals/two_electron_engine.h"
#include "support/vectors/vector_unit.h"

#include <stdlib.h>

/* A quartet with this many records of the bra or of the ket fills all lanes by itself (compute_split). */
enum { SPLIT_BRA = 256, SPLIT_KET = 64 };

struct hermite_engine {
    const struct hermite_kernels *kernels;
    double cutoff;
    void *scratch;
    double *split; /* integrals of one quartet in lanes; NULL if no pair has SPLIT_KET records */
};

static void hermite_destroy(void *state)
{
    struct hermite_engine *engine = state;
    if (!engine)
        return;
    free(engine->scratch);
    free(engine->split);
    free(engine);
}

/* The limits of all pairs of these shells; an order of -1 if there is no memory for a pattern. */
static struct hermite_limits limits_of_shells(const struct shells *shells)
{
    struct hermite_limits limits = {0};
    for (int a = 0; a < shells->n_types; a++)
        for (int b = 0; b <= a; b++) {
            const struct hermite_pattern *pattern =
                hermite_pattern(&shells->types[a], &shells->types[b]);
            if (!pattern)
                return (struct hermite_limits){.order = -1};
            limits.order = pattern->order > limits.order ? pattern->order : limits.order;
            limits.n_functions = pattern->n_functions > limits.n_functions ? pattern->n_functions
                                                                           : limits.n_functions;
            limits.record = pattern->record > limits.record ? pattern->record : limits.record;
        }
    return limits;
}

/* Bytes of the integrals of one quartet in lanes; 0 if no pair has SPLIT_KET records. */
static int64_t split_bytes(const struct shells *shells, const struct hermite_limits *limits)
{
    if ((int64_t)shells->max_primitives * shells->max_primitives < SPLIT_KET)
        return 0;
    int64_t n_functions = limits->n_functions;
    return n_functions * n_functions * QUARTET_LANES * (int64_t)sizeof(double);
}

static int64_t hermite_bytes(const struct hermite_kernels *kernels, const struct shells *shells)
{
    struct hermite_limits limits = limits_of_shells(shells);
    return limits.order < 0 ? 0 : kernels->scratch_bytes(&limits) + split_bytes(shells, &limits);
}

static enum status hermite_create(const struct hermite_kernels *kernels,
                                  const struct shells *shells, double cutoff, void **state)
{
    struct hermite_engine *made = calloc(1, sizeof *made);
    *state = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the integral engine"));
    *made = (struct hermite_engine){kernels, cutoff, NULL, NULL};
    struct hermite_limits limits = limits_of_shells(shells);
    int64_t for_split = split_bytes(shells, &limits);
    if (limits.order >= 0)
        made->scratch = kernels->create_scratch(&limits);
    if (for_split > 0)
        made->split = aligned_alloc(64, (size_t)for_split);
    if (!made->scratch || (for_split > 0 && !made->split)) {
        hermite_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for the integral engine");
    }
    boys_prepare();
    *state = made;
    return STATUS_OK;
}

static struct hermite_side start_side(const struct pair_class *class)
{
    pair_class_make_records(class);
    return (struct hermite_side){.pattern = class->pattern, .step = class->pattern->record};
}

static void set_lane(const struct pair_class *class, const struct shell_pair *pair, int lane,
                     struct hermite_side *side)
{
    side->records[lane] = class->records + (int64_t)pair->first_primitive * class->pattern->record;
    side->n_records[lane] = pair->n_primitives;
}

/* A side whose lanes all have this pair. */
static struct hermite_side side_of_pair(const struct pair_class *class,
                                        const struct shell_pair *pair, int n_lanes)
{
    struct hermite_side side = start_side(class);
    for (int lane = 0; lane < n_lanes; lane++)
        set_lane(class, pair, lane, &side);
    return side;
}

/* Deals the records of such a side out: lane k gets every n_lanes-th one from number k on, so that
 * all lanes have like weights. */
static void deal_records(int n_lanes, struct hermite_side *side)
{
    for (int lane = 0; lane < n_lanes; lane++) {
        side->records[lane] += lane * side->step;
        side->n_records[lane] = (side->n_records[lane] - lane + n_lanes - 1) / n_lanes;
    }
    side->step *= n_lanes;
}

/* A quartet of the batch in all lanes, each with a fraction of the records of one side, of the ket if
 * it has enough of them: the ket's step is repeated for each of its records. */
static void compute_split(struct hermite_engine *engine, const struct quartet_batch *batch,
                          int32_t number, double *integrals)
{
    int n_lanes = engine->kernels->n_lanes;
    int64_t n = quartet_n_integrals(batch->bra, batch->ket);
    const struct quartet *quartet = &batch->quartets[number];
    struct hermite_side bra = side_of_pair(batch->bra, &batch->bra->pairs[quartet->bra], n_lanes);
    struct hermite_side ket = side_of_pair(batch->ket, &batch->ket->pairs[quartet->ket], n_lanes);
    deal_records(n_lanes, ket.n_records[0] >= SPLIT_KET ? &ket : &bra);
    engine->kernels->compute(&bra, &ket, engine->cutoff, engine->scratch, engine->split);
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int lane = 0; lane < n_lanes; lane++)
            sum += engine->split[i * QUARTET_LANES + lane];
        integrals[batch_place(n, number, i)] = sum;
    }
}

/* Bits of the quartets to be split, among n_lanes from `first` on. The decision depends on a
 * quartet's own numbers of records alone, so that the other quartets of the batch have no
 * influence on its bits. */
static unsigned find_split(const struct quartet_batch *batch, int32_t first, int n_lanes)
{
    unsigned split = 0;
    for (int lane = 0; lane < n_lanes && first + lane < batch->n_quartets; lane++) {
        const struct quartet *quartet = &batch->quartets[first + lane];
        if (batch->bra->pairs[quartet->bra].n_primitives >= SPLIT_BRA ||
            batch->ket->pairs[quartet->ket].n_primitives >= SPLIT_KET)
            split |= 1U << lane;
    }
    return split;
}

static void hermite_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    struct hermite_engine *engine = state;
    int n_lanes = engine->kernels->n_lanes;
    int64_t n = quartet_n_integrals(batch->bra, batch->ket);
    bool may_split =
        batch->bra->max_primitives >= SPLIT_BRA || batch->ket->max_primitives >= SPLIT_KET;
    struct hermite_side bra = start_side(batch->bra), ket = start_side(batch->ket);
    for (int32_t first = 0; first < batch->n_quartets; first += n_lanes) {
        unsigned split = may_split ? find_split(batch, first, n_lanes) : 0;
        for (int lane = 0; lane < n_lanes; lane++) {
            if (first + lane < batch->n_quartets && !(split >> lane & 1)) {
                const struct quartet *quartet = &batch->quartets[first + lane];
                set_lane(batch->bra, &batch->bra->pairs[quartet->bra], lane, &bra);
                set_lane(batch->ket, &batch->ket->pairs[quartet->ket], lane, &ket);
            } else {
                bra.n_records[lane] = ket.n_records[lane] = 0;
            }
        }
        engine->kernels->compute(&bra, &ket, engine->cutoff, engine->scratch,
                                 integrals + batch_place(n, first, 0));
        for (int32_t q = first; split != 0; q++, split >>= 1)
            if (split & 1)
                compute_split(engine, batch, q, integrals);
    }
}

static void hermite_compute_row(void *state, const struct s_row *row, double *integrals)
{
    const struct hermite_engine *engine = state;
    const struct primitive_products *bra = &row->bra_class->products;
    const struct primitive_products *kets = &row->ket_class->products;
    struct s_product product = {
        .zeta = bra->zeta[row->bra],
        .factor = bra->factors[row->bra],
        .P = {bra->P[0][row->bra], bra->P[1][row->bra], bra->P[2][row->bra]}};
    struct s_products products = {
        .zeta = kets->zeta, .factor = kets->factors, .P = {kets->P[0], kets->P[1], kets->P[2]}};
    engine->kernels->compute_s_row(&product, &products, row->blocks, row->n_blocks, integrals);
}

/* An engine where the processor has the vector unit. */
#define HERMITE_ENGINE(NAME, UNIT)                                                                 \
    static bool NAME##_handles(const struct quartet_class *class)                                  \
    {                                                                                              \
        (void)class;                                                                               \
        return vector_unit_here() >= (UNIT);                                                       \
    }                                                                                              \
    static enum status NAME##_create(const struct shells *shells, double cutoff, void **state)     \
    {                                                                                              \
        return hermite_create(&hermite_kernels_##NAME, shells, cutoff, state);                     \
    }                                                                                              \
    static int64_t NAME##_bytes(const struct shells *shells)                                       \
    {                                                                                              \
        return hermite_bytes(&hermite_kernels_##NAME, shells);                                     \
    }                                                                                              \
    const struct two_electron_engine two_electron_##NAME = {.name = #NAME,                         \
                                                            .handles = NAME##_handles,             \
                                                            .create = NAME##_create,               \
                                                            .destroy = hermite_destroy,            \
                                                            .bytes = NAME##_bytes,                 \
                                                            .compute = hermite_compute,            \
                                                            .compute_row = hermite_compute_row}

#ifdef __x86_64__
HERMITE_ENGINE(avx512, VECTOR_UNIT_AVX512);
HERMITE_ENGINE(avx2, VECTOR_UNIT_AVX2);
#endif
HERMITE_ENGINE(baseline, VECTOR_UNIT_BASELINE);
