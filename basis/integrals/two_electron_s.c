/* (ss|ss) = sum over primitives of factor_bra factor_ket F_0(T) / sqrt(zeta + eta),
 * the primitive quartets of several quartets evaluated together. */
#include "basis/integrals/primitive_quartets.h"
#include "basis/integrals/two_electron_engine.h"

#include <math.h>
#include <stdlib.h>

struct two_electron_s {
    struct primitive_quartets list;
    int32_t quartet[PRIMITIVE_CHUNK]; /* whose integral an entry adds to */
    double cutoff;
};

enum status two_electron_s_create(double cutoff, struct two_electron_s **engine)
{
    *engine = aligned_alloc(64, (sizeof **engine + 63) / 64 * 64);
    if (!*engine)
        return FAIL(STATUS_NO_MEMORY, "no memory for the integral engine");
    primitive_quartets_prepare();
    (*engine)->list.n = 0;
    (*engine)->cutoff = cutoff;
    return STATUS_OK;
}

void two_electron_s_destroy(struct two_electron_s *engine)
{
    free(engine);
}

/* Evaluates the listed primitive quartets and adds them up. */
static void flush(struct two_electron_s *engine, const struct quartet_batch *batch,
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

void two_electron_s_compute(struct two_electron_s *engine, const struct quartet_batch *batch,
                            double *integrals)
{
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
                    flush(engine, batch, integrals);
                list->bra[list->n] = bra->first_primitive + p;
                list->ket[list->n] = ket->first_primitive + q;
                engine->quartet[list->n++] = i;
            }
        }
    }
    flush(engine, batch, integrals);
}
