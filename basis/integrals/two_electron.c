/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/two_electron.h"

#include "basis/integrals/two_electron_engine.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In order of preference. */
static const struct two_electron_engine *const engines[] = {
#ifdef __x86_64__
    &two_electron_avx512, &two_electron_avx2,
#endif
    &two_electron_baseline, &two_electron_libint};
enum { N_ENGINES = sizeof engines / sizeof engines[0], N_L = BASIS_MAX_L + 1 };
static_assert(sizeof engines / sizeof engines[0] <= (size_t)TWO_ELECTRON_MAX_ENGINES,
              "engine_use has too few entries");

struct two_electron {
    void *states[N_ENGINES];               /* NULL for engines that no class needs */
    uint8_t engine_of[N_L][N_L][N_L][N_L]; /* number of the engine of a class */
    struct engine_use *use;                /* borrowed, or own_use */
    struct engine_use own_use;
    double *integrals; /* of one quartet of the highest class */
};

const char *two_electron_engine_name(int i)
{
    return i < N_ENGINES ? engines[i]->name : NULL;
}

const char *two_electron_engine_names(void)
{
    static char names[N_ENGINES * 32];
    if (!names[0])
        for (int i = 0; i < N_ENGINES; i++) {
            size_t length = strlen(names);
            snprintf(names + length, sizeof names - length, "%s%s", i ? "," : "", engines[i]->name);
        }
    return names;
}

/* The first engine that handles the class; -1 without one. */
static int find_engine(const struct quartet_class *class, int first)
{
    if (engines[first]->handles(class))
        return first;
    for (int i = 0; i < N_ENGINES; i++)
        if (engines[i]->handles(class))
            return i;
    return -1;
}

/* Chooses an engine for each class of the shells, and makes it unless it exists. */
static enum status prepare_engines(struct two_electron *made, const struct shells *shells,
                                   double cutoff)
{
    int n = shells->max_l + 1;
    for (int code = 0; code < n * n * n * n; code++) {
        struct quartet_class class = {
            .l = {code / (n * n * n), code / (n * n) % n, code / n % n, code % n},
            .spherical = shells->spherical};
        const int *l = class.l;
        if (l[0] < l[1] || l[2] < l[3] || l[0] + l[1] > l[2] + l[3])
            continue;
        int engine = find_engine(&class, made->use->first);
        if (engine < 0)
            return FAIL(STATUS_LIMIT, "no integral engine takes shells of l = %d", shells->max_l);
        if (!made->states[engine])
            TRY(engines[engine]->create(shells, cutoff, &made->states[engine]));
        made->engine_of[l[0]][l[1]][l[2]][l[3]] = (uint8_t)engine;
    }
    return STATUS_OK;
}

enum status two_electron_create(const struct shells *shells, double cutoff, struct engine_use *use,
                                struct two_electron **two_electron)
{
    struct two_electron *made = calloc(1, sizeof *made);
    *two_electron = NULL;
    TRY(CHECK_MEMORY(made, "no memory for the integral engines"));
    made->use = use ? use : &made->own_use;
    size_t n = (size_t)shells->max_group_functions;
    made->integrals = aligned_alloc(64, QUARTET_LANES * n * n * n * n * sizeof(double));
    enum status status = made->integrals
                             ? prepare_engines(made, shells, cutoff)
                             : FAIL(STATUS_NO_MEMORY, "no memory for the integral engines");
    if (status != STATUS_OK)
        two_electron_destroy(made);
    *two_electron = status == STATUS_OK ? made : NULL;
    return status;
}

void two_electron_destroy(struct two_electron *two_electron)
{
    if (!two_electron)
        return;
    for (int i = 0; i < N_ENGINES; i++)
        engines[i]->destroy(two_electron->states[i]);
    free(two_electron->integrals);
    free(two_electron);
}

int64_t two_electron_bytes(const struct shells *shells)
{
    const struct quartet_class lowest = {.spherical = shells->spherical};
    int64_t n = shells->max_group_functions, most = 0;
    for (int i = 0; i < N_ENGINES; i++) {
        int64_t bytes = engines[i]->handles(&lowest) ? engines[i]->bytes(shells) : 0;
        most = bytes > most ? bytes : most;
    }
    return (int64_t)sizeof(struct two_electron) + most +
           QUARTET_LANES * n * n * n * n * (int64_t)sizeof(double);
}

static int engine_of_classes(const struct two_electron *two_electron, const struct pair_class *bra,
                             const struct pair_class *ket)
{
    return two_electron->engine_of[bra->l_first][bra->l_second][ket->l_first][ket->l_second];
}

static void clear_empty_lanes(const struct quartet_batch *batch, double *integrals)
{
    int64_t n = quartet_n_integrals(batch->bra, batch->ket);
    for (int32_t q = batch->n_quartets; q % QUARTET_LANES != 0; q++)
        for (int64_t i = 0; i < n; i++)
            integrals[batch_place(n, q, i)] = 0;
}

void two_electron_compute(struct two_electron *two_electron, const struct quartet_batch *batch,
                          double *integrals)
{
    int engine = engine_of_classes(two_electron, batch->bra, batch->ket);
    two_electron->use->computed[engine].quartets += batch->n_quartets;
    two_electron->use->computed[engine].batches++;
    two_electron->use->computed[engine].lanes += batch_size(1, batch->n_quartets);
    engines[engine]->compute(two_electron->states[engine], batch, integrals);
    clear_empty_lanes(batch, integrals);
}

bool two_electron_has_rows(const struct two_electron *two_electron, const struct pair_class *bra,
                           const struct pair_class *ket)
{
    return bra->single && ket->single && quartet_n_integrals(bra, ket) == 1 &&
           engines[engine_of_classes(two_electron, bra, ket)]->compute_row;
}

void two_electron_compute_row(struct two_electron *two_electron, const struct s_row *row,
                              double *integrals)
{
    int engine = engine_of_classes(two_electron, row->bra_class, row->ket_class);
    two_electron->use->computed[engine].quartets += row_n_quartets(row);
    two_electron->use->computed[engine].batches++;
    two_electron->use->computed[engine].lanes += (int64_t)row->n_blocks * QUARTET_LANES;
    engines[engine]->compute_row(two_electron->states[engine], row, integrals);
    int64_t end = row->n_blocks > 0 ? (row->blocks[row->n_blocks - 1] + 1) * QUARTET_LANES : 0;
    for (int64_t k = row->n_kets; k < end; k++)
        integrals[k] = 0;
}

/* Bound of one pair from its quartet with itself. */
static double pair_bound(struct two_electron *two_electron, const struct pair_class *class,
                         int32_t pair_index)
{
    struct quartet diagonal = {pair_index, pair_index};
    struct quartet_batch batch = {class, class, 1, &diagonal};
    two_electron_compute(two_electron, &batch, two_electron->integrals);
    int64_t n_pair = (int64_t) class->n_first * class->n_second;
    double trace = 0;
    for (int64_t f = 0; f < n_pair; f++) {
        double self = two_electron->integrals[batch_place(n_pair * n_pair, 0, f * n_pair + f)];
        trace += fmax(self, 0); /* rounding can leave a vanishing one below zero */
    }
    return sqrt(trace);
}

enum status two_electron_bounds(struct two_electron *two_electron, const struct shells *shells,
                                const struct shell_rectangle *rectangle, double *bounds)
{
    struct shell_pairs *pairs;
    TRY(shell_pairs_create(shells, rectangle, NULL, 0, &pairs));
    int64_t n_bra = rectangle->last[0] - rectangle->first[0];
    int64_t n_ket = rectangle->last[1] - rectangle->first[1];
    for (int64_t i = 0; i < n_bra * n_ket; i++)
        bounds[i] = 0;
    for (int k = 0; k < pairs->n_classes; k++) {
        const struct pair_class *class = &pairs->classes[k];
        for (int32_t i = 0; i < class->n_pairs; i++) {
            const struct shell_pair *pair = &class->pairs[i];
            int64_t bra = pair->swapped ? pair->second : pair->first;
            int64_t ket = pair->swapped ? pair->first : pair->second;
            bounds[(bra - rectangle->first[0]) * n_ket + (ket - rectangle->first[1])] =
                pair_bound(two_electron, class, i);
        }
    }
    shell_pairs_destroy(pairs);
    return STATUS_OK;
}
