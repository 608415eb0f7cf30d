#include "basis/integrals/two_electron.h"

#include "basis/integrals/two_electron_engine.h"

#include <math.h>
#include <stdlib.h>

struct two_electron {
    struct two_electron_s *s;
    struct two_electron_libint *libint;
    double *integrals; /* of one quartet of the highest class */
};

enum status two_electron_create(const struct shells *shells, double cutoff,
                                struct two_electron **engine)
{
    enum status status;
    *engine = calloc(1, sizeof **engine);
    if (!*engine)
        return FAIL(STATUS_NO_MEMORY, "no memory for the integral engine");
    int n = n_cartesians(shells->max_l);
    (*engine)->integrals = malloc((size_t)n * n * n * n * sizeof(double));
    if (!(*engine)->integrals)
        status = FAIL(STATUS_NO_MEMORY, "no memory for the integral engine");
    else
        status = two_electron_s_create(cutoff, &(*engine)->s);
    if (status == STATUS_OK && shells->max_l > 0)
        status = two_electron_libint_create(shells->max_l, cutoff, &(*engine)->libint);
    if (status != STATUS_OK) {
        two_electron_destroy(*engine);
        *engine = NULL;
    }
    return status;
}

void two_electron_destroy(struct two_electron *engine)
{
    if (!engine)
        return;
    two_electron_s_destroy(engine->s);
    two_electron_libint_destroy(engine->libint);
    free(engine->integrals);
    free(engine);
}

void two_electron_compute(struct two_electron *engine, const struct quartet_batch *batch,
                          double *integrals)
{
    if (batch->bra->l_first + batch->ket->l_first == 0)
        two_electron_s_compute(engine->s, batch, integrals);
    else
        two_electron_libint_compute(engine->libint, batch, integrals);
}

/* Bounds of one pair from its diagonal quartet. */
static void pair_bounds(struct two_electron *engine, const struct shells *shells,
                        const struct shell_rectangle *rectangle, const struct pair_class *class,
                        int32_t pair_index, double *bounds, double *function_bounds)
{
    const struct shell_pair *pair = &class->pairs[pair_index];
    struct quartet diagonal = {pair_index, pair_index};
    struct quartet_batch batch = {class, class, 1, &diagonal};
    two_electron_compute(engine, &batch, engine->integrals);

    int64_t bra = pair->swapped ? pair->second : pair->first;
    int64_t ket = pair->swapped ? pair->first : pair->second;
    int64_t n_pair = (int64_t) class->n_first * class->n_second;
    int64_t row_length = 0, row = 0, column = 0;
    if (function_bounds) {
        int64_t first_row = shells->shells[rectangle->first[0]].first_function;
        int64_t first_column = shells->shells[rectangle->first[1]].first_function;
        const struct shell *last = &shells->shells[rectangle->last[1] - 1];
        row_length = last->first_function + last->n_functions - first_column;
        row = shells->shells[bra].first_function - first_row;
        column = shells->shells[ket].first_function - first_column;
    }
    double largest = 0;
    for (int64_t f = 0; f < n_pair; f++) {
        /* Rounding can leave a vanishing diagonal below zero. */
        double diagonal_value = fmax(engine->integrals[f * n_pair + f], 0);
        largest = fmax(largest, diagonal_value);
        if (function_bounds) {
            int64_t of_first = f / class->n_second, of_second = f % class->n_second;
            int64_t i = row + (pair->swapped ? of_second : of_first);
            int64_t j = column + (pair->swapped ? of_first : of_second);
            function_bounds[i * row_length + j] = sqrt(diagonal_value);
        }
    }
    int64_t n_ket = rectangle->last[1] - rectangle->first[1];
    bounds[(bra - rectangle->first[0]) * n_ket + (ket - rectangle->first[1])] = sqrt(largest);
}

enum status two_electron_bounds(struct two_electron *engine, const struct shells *shells,
                                const struct shell_rectangle *rectangle, double *bounds,
                                double *function_bounds)
{
    struct shell_pairs *pairs;
    TRY(shell_pairs_create(shells, rectangle, NULL, 0, &pairs));
    int64_t n_bra = rectangle->last[0] - rectangle->first[0];
    int64_t n_ket = rectangle->last[1] - rectangle->first[1];
    for (int64_t i = 0; i < n_bra * n_ket; i++)
        bounds[i] = 0;
    if (function_bounds) {
        int64_t n_functions[2] = {0, 0};
        for (int side = 0; side < 2; side++)
            for (int64_t i = rectangle->first[side]; i < rectangle->last[side]; i++)
                n_functions[side] += shells->shells[i].n_functions;
        for (int64_t i = 0; i < n_functions[0] * n_functions[1]; i++)
            function_bounds[i] = 0;
    }
    for (int k = 0; k < pairs->n_classes; k++)
        for (int32_t i = 0; i < pairs->classes[k].n_pairs; i++)
            pair_bounds(engine, shells, rectangle, &pairs->classes[k], i, bounds, function_bounds);
    shell_pairs_destroy(pairs);
    return STATUS_OK;
}
