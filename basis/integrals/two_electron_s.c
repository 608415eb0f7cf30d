/* (ss|ss) = sum over primitives of factor_bra factor_ket F_0(T) / sqrt(zeta + eta),
 * the primitive quartets of several quartets evaluated together. */
#include "basis/integrals/primitive_quartets.h"
#include "basis/integrals/two_electron_engine.h"

#include <math.h>
#include <stdlib.h>

struct s_engine {
    struct primitive_quartets list;
    int32_t quartet[PRIMITIVE_CHUNK]; /* whose integral an entry adds to */
    double cutoff;
};

static bool s_handles(const struct quartet_class *class)
{
    return class->l[2] + class->l[3] == 0;
}

static enum status s_create(const struct shells *shells, double cutoff, void **state)
{
    (void)shells;
    struct s_engine *made = aligned_alloc(64, (sizeof *made + 63) / 64 * 64);
    *state = made;
    TRY(CHECK_MEMORY(made, "no memory for the integral engine s"));
    primitive_quartets_prepare();
    made->list.n = 0;
    made->cutoff = cutoff;
    return STATUS_OK;
}

/* Evaluates the listed primitive quartets and adds them up. */
static void add_listed_primitives(struct s_engine *engine, const struct quartet_batch *batch,
                                  double *integrals)
{
    struct primitive_quartets *list = &engine->list;
    if (list->n == 0)
        return;
    primitive_quartets_evaluate(list, &batch->bra->products, &batch->ket->products, 0);
    for (int i = 0; i < list->n; i++)
        integrals[engine->quartet[i]] += list->F[0][i];
    list->n = 0;
}

static void s_compute(void *state, const struct quartet_batch *batch, double *integrals)
{
    struct s_engine *engine = state;
    struct primitive_quartets *list = &engine->list;
    for (int32_t i = 0; i < batch->n_quartets; i++) {
        const struct shell_pair *bra = &batch->bra->pairs[batch->quartets[i].bra];
        const struct shell_pair *ket = &batch->ket->pairs[batch->quartets[i].ket];
        const double *weight_bra = batch->bra->products.weight + bra->first_primitive;
        const double *weight_ket = batch->ket->products.weight + ket->first_primitive;
        integrals[i] = 0;
        for (int32_t p = 0; p < bra->n_primitives; p++) {
            for (int32_t q = 0; q < ket->n_primitives; q++) {
                if (weight_bra[p] * weight_ket[q] < engine->cutoff)
                    break; /* they come largest first */
                if (list->n == PRIMITIVE_CHUNK)
                    add_listed_primitives(engine, batch, integrals);
                list->bra[list->n] = bra->first_primitive + p;
                list->ket[list->n] = ket->first_primitive + q;
                engine->quartet[list->n++] = i;
            }
        }
    }
    add_listed_primitives(engine, batch, integrals);
}

const struct two_electron_engine two_electron_s = {
    .name = "s", .handles = s_handles, .create = s_create, .destroy = free, .compute = s_compute};
