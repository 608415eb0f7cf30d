/* SPDX-License-Identifier: BSD-3-Clause */
/* McMurchie and Davidson's scheme, QUARTET_LANES quartets at once; an engine for each kind of
 * vectors that processors have (hermite_kernels.h). */
#include "basis/integrals/boys.h"
#include "basis/integrals/hermite_kernels.h"
#include "basis/integrals/two_electron_engine.h"
#include "support/base/vector_unit.h"

#include <stdlib.h>

struct hermite_engine {
    const struct hermite_kernels *kernels;
    double cutoff;
    void *scratch;
};

static bool hermite_handles(const struct quartet_class *class)
{
    for (int i = 0; i < 4; i++)
        if (class->l[i] > HERMITE_MAX_L)
            return false;
    return true;
}

static void hermite_destroy(void *state)
{
    struct hermite_engine *engine = state;
    if (engine)
        free(engine->scratch);
    free(engine);
}

static enum status hermite_create(const struct hermite_kernels *kernels, double cutoff,
                                  void **state)
{
    struct hermite_engine *made = calloc(1, sizeof *made);
    *state = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the integral engine"));
    *made =
        (struct hermite_engine){kernels, cutoff, aligned_alloc(64, (size_t)kernels->scratch_bytes)};
    if (!made->scratch) {
        hermite_destroy(made);
        return FAIL(STATUS_NO_MEMORY, "no memory for the integral engine");
    }
    boys_prepare();
    *state = made;
    return STATUS_OK;
}

static void set_side(const struct pair_class *class, int32_t pair_number, int lane,
                     struct hermite_side *side)
{
    const struct shell_pair *pair = &class->pairs[pair_number];
    side->records[lane] = class->records + (int64_t)pair->first_primitive * class->pattern->record;
    side->n_records[lane] = pair->n_primitives;
}

static void hermite_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    struct hermite_engine *engine = state;
    int n_lanes = engine->kernels->n_lanes;
    int64_t n = quartet_n_integrals(batch->bra, batch->ket);
    struct hermite_side bra = {.pattern = batch->bra->pattern};
    struct hermite_side ket = {.pattern = batch->ket->pattern};
    for (int32_t first = 0; first < batch->n_quartets; first += n_lanes) {
        for (int lane = 0; lane < n_lanes; lane++) {
            if (first + lane < batch->n_quartets) {
                const struct quartet *quartet = &batch->quartets[first + lane];
                set_side(batch->bra, quartet->bra, lane, &bra);
                set_side(batch->ket, quartet->ket, lane, &ket);
            } else {
                bra.n_records[lane] = ket.n_records[lane] = 0;
            }
        }
        engine->kernels->compute(&bra, &ket, engine->cutoff, engine->scratch,
                                 integrals + batch_place(n, first, 0));
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
        return vector_unit_here() >= (UNIT) && hermite_handles(class);                             \
    }                                                                                              \
    static enum status NAME##_create(const struct shells *shells, double cutoff, void **state)     \
    {                                                                                              \
        (void)shells;                                                                              \
        return hermite_create(&hermite_kernels_##NAME, cutoff, state);                             \
    }                                                                                              \
    const struct two_electron_engine two_electron_##NAME = {.name = #NAME,                         \
                                                            .handles = NAME##_handles,             \
                                                            .create = NAME##_create,               \
                                                            .destroy = hermite_destroy,            \
                                                            .compute = hermite_compute,            \
                                                            .compute_row = hermite_compute_row}

#ifdef __x86_64__
HERMITE_ENGINE(avx512, VECTOR_UNIT_AVX512);
HERMITE_ENGINE(avx2, VECTOR_UNIT_AVX2);
#endif
HERMITE_ENGINE(baseline, VECTOR_UNIT_BASELINE);
