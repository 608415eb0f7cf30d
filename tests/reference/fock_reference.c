/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/reference/fock_reference.h"

#include "basis/integrals/two_electron.h"
#include "basis/quartets/kept_quartets.h"
#include "hf/tiles/screening.h"

#include <math.h>
#include <stdlib.h>

/* Everything the loops need: D and F by spin, the total density, and per
 * ordered pair of groups its bound, its weights and its place in `pairs`. */
struct reference {
    const struct shells *shells;
    struct two_electron *engine;
    double threshold;
    enum fock_symmetry symmetry;
    int n_densities;
    const double *const *D;
    double *const *F;
    double *total;
    double *bounds;
    double *coulomb_weight, *exchange_weight;
    double *integrals;
    struct shell_pairs **pairs; /* of each a >= b, by a (a + 1) / 2 + b */
};

static double block_max(const struct shells *shells, const double *matrix, int64_t a, int64_t b)
{
    const double *block = matrix + shells->groups[a].first_function * shells->n_functions +
                          shells->groups[b].first_function;
    double largest = 0;
    for (int i = 0; i < n_functions_of_group(shells, a); i++)
        for (int j = 0; j < n_functions_of_group(shells, b); j++)
            largest = fmax(largest, fabs(block[i * shells->n_functions + j]));
    return largest;
}

static void set_weights(struct reference *reference)
{
    const struct shells *shells = reference->shells;
    double factor = reference->n_densities == 1 ? 0.5 : 1;
    for (int64_t at = 0; at < shells->n_groups * shells->n_groups; at++) {
        int64_t a = at / shells->n_groups, b = at % shells->n_groups;
        reference->coulomb_weight[at] = 2 * block_max(shells, reference->total, a, b);
        for (int spin = 0; spin < reference->n_densities; spin++)
            reference->exchange_weight[at] =
                fmax(reference->exchange_weight[at],
                     factor * block_max(shells, reference->D[spin], a, b));
    }
}

static bool quartet_is_computed(const struct reference *reference, int64_t a, int64_t b, int64_t c,
                                int64_t d)
{
    int64_t n = reference->shells->n_groups;
    const double *J = reference->coulomb_weight, *K = reference->exchange_weight;
    double coulomb = fmax(J[a * n + b], J[c * n + d]);
    double exchange = fmax(fmax(K[a * n + c], K[a * n + d]), fmax(K[b * n + c], K[b * n + d]));
    return quartet_is_significant(reference->bounds[a * n + b] * reference->bounds[c * n + d],
                                  coulomb, exchange, reference->threshold,
                                  screening_least_cutoff(reference->threshold));
}

/* To the nearest multiple of the unit, where a build does so. */
static void round_integrals(const struct reference *reference, const int64_t at[4],
                            const struct quartet_batch *batch)
{
    int64_t n = reference->shells->n_groups;
    double unit = kept_unit(reference->threshold);
    double bound = reference->bounds[at[0] * n + at[1]] * reference->bounds[at[2] * n + at[3]];
    bool in_rows = reference->symmetry == FOCK_SYMMETRY_FULL &&
                   two_electron_has_rows(reference->engine, batch->bra, batch->ket);
    if (in_rows || bound >= kept_least_bound(unit, KEPT_DOUBLE))
        return;
    for (int64_t i = 0; i < quartet_n_integrals(batch->bra, batch->ket); i++) {
        double *integral = &reference->integrals[i * QUARTET_LANES];
        *integral = nearbyint(*integral / unit) * unit;
    }
}

/* F_ij += D_kl (ij|kl) and F_ik -= D_jl (ij|kl), halved for a closed shell, where i, j, k, l are the
 * functions of groups in an order of those that the integrals have; all integrals times a weight. */
static void contract(const struct reference *reference, const int64_t group[4], const int order[4],
                     double weight)
{
    const struct shells *shells = reference->shells;
    int64_t n = shells->n_functions, m[4], f[4], n_all = 1;
    double half = reference->n_densities == 1 ? 0.5 : 1;
    for (int i = 0; i < 4; i++)
        n_all *= m[i] = n_functions_of_group(shells, group[i]);
    for (int64_t e = 0; e < n_all; e++) {
        int64_t rest = e;
        for (int i = 3; i >= 0; rest /= m[i--])
            f[i] = shells->groups[group[i]].first_function + rest % m[i];
        double integral = weight * reference->integrals[e * QUARTET_LANES];
        int64_t I = f[order[0]], J = f[order[1]], K = f[order[2]], L = f[order[3]];
        for (int spin = 0; spin < reference->n_densities; spin++) {
            reference->F[spin][I * n + J] += reference->total[K * n + L] * integral;
            reference->F[spin][I * n + K] -= half * reference->D[spin][J * n + L] * integral;
        }
    }
}

/* Computes (ab|cd), a >= b and c >= d, and contracts it in all orders that are the same integrals under
 * the eight-fold symmetry: a quartet that several orders name has a part of its weight from each. */
static void add_quartet(const struct reference *reference, const int64_t at[4])
{
    static const int orders[8][4] = {{0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 3, 2}, {1, 0, 3, 2},
                                     {2, 3, 0, 1}, {3, 2, 0, 1}, {2, 3, 1, 0}, {3, 2, 1, 0}};
    const struct shell_pairs *bra = reference->pairs[at[0] * (at[0] + 1) / 2 + at[1]];
    const struct shell_pairs *ket = reference->pairs[at[2] * (at[2] + 1) / 2 + at[3]];
    if (bra->n_classes == 0 || ket->n_classes == 0)
        return;
    const struct pair_class *class[2] = {bra->classes, ket->classes};
    bool exchanged =
        class[0]->l_first + class[0]->l_second > class[1]->l_first + class[1]->l_second;
    struct quartet quartet = {0, 0};
    struct quartet_batch batch = {class[exchanged], class[!exchanged], 1, &quartet};
    two_electron_compute(reference->engine, &batch, reference->integrals);
    round_integrals(reference, at, &batch);
    double weight = (at[0] == at[1] ? 0.5 : 1) * (at[2] == at[3] ? 0.5 : 1) *
                    (at[0] == at[2] && at[1] == at[3] ? 0.5 : 1);
    const struct shell_pair *P = batch.bra->pairs, *Q = batch.ket->pairs;
    for (int k = 0; k < 8; k++)
        contract(reference, (int64_t[]){P->first, P->second, Q->first, Q->second}, orders[k],
                 weight);
}

static void add_all_quartets(const struct reference *reference)
{
    int64_t n = reference->shells->n_groups;
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b <= a; b++)
            for (int64_t c = 0; c <= a; c++)
                for (int64_t d = 0; d <= (c == a ? b : c); d++)
                    if (quartet_is_computed(reference, a, b, c, d))
                        add_quartet(reference, (int64_t[]){a, b, c, d});
}

static enum status prepare(struct reference *reference)
{
    const struct shells *shells = reference->shells;
    struct two_electron *exact;
    struct shell_rectangle all = {.last = {shells->n_groups, shells->n_groups}};
    TRY(two_electron_create(shells, 0, NULL, &exact));
    enum status status = two_electron_bounds(exact, shells, &all, reference->bounds);
    two_electron_destroy(exact);
    for (int64_t a = 0; a < shells->n_groups; a++)
        for (int64_t b = 0; b <= a && status == STATUS_OK; b++) {
            struct shell_rectangle one = {.first = {a, b}, .last = {a + 1, b + 1}};
            status =
                shell_pairs_create(shells, &one, NULL, 0, &reference->pairs[a * (a + 1) / 2 + b]);
        }
    set_weights(reference);
    return status;
}

enum status fock_reference(const struct shells *shells, double threshold,
                           enum fock_symmetry symmetry, int n_densities, const double *const D[],
                           double *const F[])
{
    size_t n = (size_t)shells->n_functions, s = (size_t)shells->n_groups;
    size_t m = (size_t)shells->max_group_functions, n_pairs = s * (s + 1) / 2;
    double *numbers = calloc(n * n + 3 * s * s, sizeof(double));
    struct reference reference = {
        .shells = shells,
        .threshold = threshold,
        .symmetry = symmetry,
        .n_densities = n_densities,
        .D = D,
        .F = F,
        .total = numbers,
        .bounds = numbers + n * n,
        .coulomb_weight = numbers + n * n + s * s,
        .exchange_weight = numbers + n * n + 2 * s * s,
        .integrals = aligned_alloc(64, QUARTET_LANES * m * m * m * m * sizeof(double)),
        .pairs = calloc(n_pairs, sizeof(struct shell_pairs *))};
    for (size_t i = 0; i < (size_t)n_densities * n * n; i++) {
        F[i / (n * n)][i % (n * n)] = 0;
        numbers[i % (n * n)] += D[i / (n * n)][i % (n * n)];
    }
    enum status status =
        two_electron_create(shells, two_electron_cutoff(threshold), NULL, &reference.engine);
    if (status == STATUS_OK)
        status = prepare(&reference);
    if (status == STATUS_OK)
        add_all_quartets(&reference);
    for (size_t pair = 0; pair < n_pairs; pair++)
        shell_pairs_destroy(reference.pairs[pair]);
    free(reference.pairs);
    free(numbers);
    free(reference.integrals);
    two_electron_destroy(reference.engine);
    return status;
}
