/* SPDX-License-Identifier: BSD-3-Clause */
/* Shell pairs: every pair of groups that can matter is there once, in order, and its
 * primitive products are the products of the shells of both. */
#include "tests/unit/basis/shells_case.h"

#include <stdlib.h>

static const char basis_text[] = "H 0\nS 3 1\n13.01 0.02\n1.96 0.14\n0.44 0.48\nP 1 1\n0.73 1\n"
                                 "****\nC 0\nS 2 1\n71.6 0.15\n13.0 0.53\nS 3 1\n71.6 -0.1\n"
                                 "13.0 0.53\n5.5 0.2\nSP 2 1\n2.94 -0.1 0.16\n"
                                 "0.68 0.4 0.61\nD 2 1\n0.8 0.7\n0.2 0.4\nF 1 1\n0.9 1\n****\n";

/* A small molecule, one atom of it far away, and made up bounds of a rectangle of all groups. */
static struct shells_case made;
static double *bounds;

static void start(void)
{
    made = shells_case_make("5\n\nC 0.1 0.2 0.3\nH 1.9 0.4 -0.6\nH -0.8 1.7 0.9\nC 1.1 -2.2 0.4\n"
                            "H 40 0 0\n",
                            basis_text, BASIS_FORM_UNSTATED);
    int64_t n = made.shells->n_groups;
    assert_true(n < made.shells->n_shells);
    bounds = calloc((size_t)(n * n), sizeof(double));
    for (int64_t i = 0; i < n * n; i++)
        bounds[i] = 1.0 / (double)(1 + (7 * (i / n + i % n) + i / n * (i % n)) % 19);
}

static void stop(void)
{
    free(bounds);
    shells_case_fini(&made);
}

/* sum_p c_p exp(-a_p |r - A|^2): the shell without its angular part. */
static double radial(const struct shell *shell, const double r[3])
{
    double distance2 = 0, sum = 0;
    for (int x = 0; x < 3; x++)
        distance2 += (r[x] - shell->center[x]) * (r[x] - shell->center[x]);
    for (int p = 0; p < shell->n_primitives; p++)
        sum += shell->coefficients[p] * exp(-shell->exponents[p] * distance2);
    return sum;
}

/* Value at r of a product of two shells, from its primitives; the factor of number f, sqrt(2)
 * pi^(5/4) c / zeta, is theirs. */
static double product(const struct pair_class *class, const struct shell_pair *pair, int f,
                      const double r[3])
{
    const struct primitive_products *products = &class->products;
    double sum = 0, unit = sqrt(2) * pow(acos(-1), 1.25);
    for (int i = pair->first_primitive; i < pair->first_primitive + pair->n_primitives; i++) {
        double distance2 = 0;
        for (int x = 0; x < 3; x++)
            distance2 += (r[x] - products->P[x][i]) * (r[x] - products->P[x][i]);
        sum += products->factors[i * class->n_factors + f] * products->zeta[i] / unit *
               exp(-products->zeta[i] * distance2);
    }
    return sum;
}

static void check_pair(const struct shells *shells, const struct pair_class *class,
                       const struct shell_pair *pair)
{
    const struct shell_group *a = &shells->groups[pair->first], *b = &shells->groups[pair->second];
    const struct group_type *type_a = &shells->types[a->type], *type_b = &shells->types[b->type];
    const struct primitive_products *products = &class->products;
    assert_ptr_equal(type_a, class->type[0]);
    assert_ptr_equal(type_b, class->type[1]);
    assert_int_equal(type_a->max_l, class->l_first);
    assert_int_equal(type_b->max_l, class->l_second);
    assert_int_equal(type_a->n_functions, class->n_first);
    assert_int_equal(type_b->n_functions, class->n_second);
    assert_int_equal(type_a->n_shells * type_b->n_shells, class->n_factors);
    assert_int_equal(pair->function[0], a->first_function);
    assert_int_equal(pair->function[1], b->first_function);
    assert_true(pair->n_primitives > 0);
    int n_a = a->n_primitives, n_b = b->n_primitives;
    assert_true(pair->n_primitives <= (a == b ? n_a * (n_a + 1) / 2 : n_a * n_b));
    for (int i = pair->first_primitive; i < pair->first_primitive + pair->n_primitives; i++) {
        check_close(products->half_inverse[i] * 2 * products->zeta[i], 1, 1e-15);
        for (int x = 0; x < 3; x++) {
            check_close(products->PA[x][i], products->P[x][i] - a->center[x], 1e-15);
            check_close(pair->AB[x], a->center[x] - b->center[x], 1e-15);
        }
        for (int f = 0; f < class->n_factors; f++)
            assert_true(products->weight[i] >= fabs(products->factors[i * class->n_factors + f]));
        if (i > pair->first_primitive)
            assert_true(products->weight[i] <= products->weight[i - 1]);
    }
    for (int point = 0; point < 5; point++) {
        const double r[3] = {0.3 * point - 0.2, 0.7 - 0.4 * point, 0.1 + 0.25 * point};
        for (int f = 0; f < class->n_factors; f++) {
            int64_t of_a = a->first_shell + f / type_b->n_shells;
            int64_t of_b = b->first_shell + f % type_b->n_shells;
            check_close(product(class, pair, f, r),
                        radial(&shells->shells[of_a], r) * radial(&shells->shells[of_b], r), 1e-13);
        }
    }
}

/* Kinds are the places of numbers of primitives among the different ones of the class, but that the largest
 * are one. */
static void check_kinds(const struct pair_class *class)
{
    assert_in_range(class->n_kinds, 1, PAIR_KINDS_MAX);
    int32_t least[PAIR_KINDS_MAX + 1], most[PAIR_KINDS_MAX] = {0};
    for (int kind = 0; kind <= PAIR_KINDS_MAX; kind++)
        least[kind] = INT32_MAX;
    for (int32_t i = 0; i < class->n_pairs; i++) {
        const struct shell_pair *pair = &class->pairs[i];
        int32_t kind = pair->kind, n = pair->n_primitives;
        assert_true(kind < class->n_kinds);
        least[kind] = n < least[kind] ? n : least[kind];
        most[kind] = n > most[kind] ? n : most[kind];
    }
    for (int kind = 0; kind < class->n_kinds; kind++) {
        assert_true(least[kind] <= most[kind] && most[kind] < least[kind + 1]);
        assert_true(kind == PAIR_KINDS_MAX - 1 || least[kind] == most[kind]);
    }
}

/* Checks classes and pairs; count[a * n + b] is how often the pair (a, b) as it
 * was given occurs. */
static void check_pairs(const struct shells *shells, const struct shell_pairs *pairs, int *count)
{
    int64_t n = shells->n_groups;
    double largest = 0;
    for (int c = 0; c < pairs->n_classes; c++) {
        const struct pair_class *class = &pairs->classes[c];
        assert_true(class->l_first >= class->l_second);
        assert_true(class->n_pairs > 0);
        check_kinds(class);
        for (int other = 0; other < c; other++)
            assert_true(pairs->classes[other].type[0] != class->type[0] ||
                        pairs->classes[other].type[1] != class->type[1]);
        for (int32_t i = 0; i < class->n_pairs; i++) {
            const struct shell_pair *pair = &class->pairs[i];
            check_pair(shells, class, pair);
            assert_true(i == 0 || pair->bound <= class->pairs[i - 1].bound);
            largest = fmax(largest, pair->bound);
            int64_t bra = pair->swapped ? pair->second : pair->first;
            int64_t ket = pair->swapped ? pair->first : pair->second;
            assert_true(!pair->swapped || class->type[0] > class->type[1]);
            assert_true(pair->bound == bounds[bra * n + ket]);
            count[bra * n + ket]++;
        }
    }
    assert_true(pairs->max_bound == largest);
    assert_true(pairs->bytes > 0);
}

/* Two groups so far apart that no primitive product of them is left. */
static bool is_empty(const struct shells *shells, int64_t a, int64_t b)
{
    return (shells->groups[a].center[0] > 39) != (shells->groups[b].center[0] > 39);
}

static void check_rectangle(const struct shell_rectangle *rectangle, double min_bound)
{
    const struct shells *shells = made.shells;
    int64_t n = shells->n_groups, n_ket = rectangle->last[1] - rectangle->first[1];
    int *count = calloc((size_t)(n * n), sizeof *count);
    double *own = calloc((size_t)(n * n), sizeof(double)); /* of the rectangle */
    for (int64_t a = rectangle->first[0]; a < rectangle->last[0]; a++)
        for (int64_t b = rectangle->first[1]; b < rectangle->last[1]; b++)
            own[(a - rectangle->first[0]) * n_ket + b - rectangle->first[1]] = bounds[a * n + b];
    struct shell_pairs *pairs;
    check_ok(shell_pairs_create(shells, rectangle, own, min_bound, &pairs));
    check_pairs(shells, pairs, count);
    for (int64_t a = 0; a < n; a++)
        for (int64_t b = 0; b < n; b++) {
            bool inside = a >= rectangle->first[0] && a < rectangle->last[0] &&
                          b >= rectangle->first[1] && b < rectangle->last[1] &&
                          (!rectangle->triangle || a >= b);
            bool expected = inside && bounds[a * n + b] >= min_bound && !is_empty(shells, a, b);
            assert_int_equal(count[a * n + b], expected);
        }
    shell_pairs_destroy(pairs);
    free(own);
    free(count);
}

TEST(pairs_of_a_rectangle_occur_once)
{
    int64_t n = made.shells->n_groups;
    const struct shell_rectangle rectangles[] = {
        {{0, 0}, {n, n}, false}, {{0, 0}, {n, n}, true}, {{2, 5}, {7, n}, false},
        {{5, 0}, {n, 3}, false}, {{3, 3}, {9, 9}, true}, {{4, 4}, {5, 5}, true},
    };
    for (size_t i = 0; i < sizeof rectangles / sizeof rectangles[0]; i++) {
        check_rectangle(&rectangles[i], 0);
        check_rectangle(&rectangles[i], 0.25);
    }
}

TEST(without_bounds_every_pair_counts_as_infinite)
{
    struct shell_rectangle one = {{3, 1}, {4, 2}, false};
    struct shell_pairs *pairs;
    check_ok(shell_pairs_create(made.shells, &one, NULL, 1e300, &pairs));
    assert_int_equal(pairs->n_classes, 1);
    assert_int_equal(pairs->classes[0].n_pairs, 1);
    assert_true(isinf(pairs->classes[0].pairs[0].bound));
    shell_pairs_destroy(pairs);
}

/* Where all pairs are of far groups, or below the bound. */
TEST(a_rectangle_where_nothing_matters_has_no_class)
{
    int64_t n = made.shells->n_groups;
    struct shell_rectangle rectangles[] = {{{n - 2, 0}, {n, 2}, false}, {{0, 0}, {n, n}, false}};
    for (int i = 0; i < 2; i++) {
        struct shell_pairs *pairs;
        check_ok(
            shell_pairs_create(made.shells, &rectangles[i], i ? bounds : NULL, 1.5 * i, &pairs));
        assert_int_equal(pairs->n_classes, 0);
        assert_true(pairs->max_bound == 0);
        shell_pairs_destroy(pairs);
    }
    shell_pairs_destroy(NULL);
}

/* Far from the origin, too: tight functions make much of a distance that is rounded. */
TEST(products_of_one_centre_lie_on_it)
{
    struct shells_case c =
        shells_case_make("1\n\nC 333.3333333333 -777.7 912.3\n", basis_text, BASIS_FORM_UNSTATED);
    struct shell_pairs *pairs = make_all_pairs(c.shells, false, NULL);
    for (int k = 0; k < pairs->n_classes; k++) {
        const struct pair_class *class = &pairs->classes[k];
        const struct shell_pair *last = &class->pairs[class->n_pairs - 1];
        for (int i = 0; i < last->first_primitive + last->n_primitives; i++)
            for (int x = 0; x < 3; x++) {
                check_close(class->products.PA[x][i], 0, 0);
                check_close(class->products.P[x][i], c.molecule.atoms->position[x], 0);
            }
    }
    shell_pairs_destroy(pairs);
    shells_case_fini(&c);
}

/* A chain whose shells have products of very different numbers of primitives, by their distance. */
TEST(the_largest_of_many_numbers_of_primitives_are_one_kind)
{
    enum { N_PRIMITIVES = 24, N_ATOMS = 110 };
    char basis[2048], chain[4096];
    int end = snprintf(basis, sizeof basis, "H 0\nS %d 1\n", N_PRIMITIVES);
    for (int p = 0; p < N_PRIMITIVES; p++)
        end += snprintf(basis + end, sizeof basis - (size_t)end, "%.6f 0.1\n", 0.05 * pow(1.7, p));
    snprintf(basis + end, sizeof basis - (size_t)end, "****\n");
    end = snprintf(chain, sizeof chain, "%d\n\n", N_ATOMS);
    for (int a = 0; a < N_ATOMS; a++)
        end += snprintf(chain + end, sizeof chain - (size_t)end, "H 0 0 %.6f\n", 0.15 * a);
    struct shells_case c = shells_case_make(chain, basis, BASIS_FORM_UNSTATED);
    struct shell_pairs *pairs = make_all_pairs(c.shells, true, NULL);
    assert_int_equal(pairs->n_classes, 1);
    assert_int_equal(pairs->classes[0].n_kinds, PAIR_KINDS_MAX);
    check_kinds(&pairs->classes[0]);
    shell_pairs_destroy(pairs);
    shells_case_fini(&c);
}

/* Reading kept integrals needs none. */
TEST(records_are_made_when_they_are_asked_for)
{
    struct shell_pairs *pairs = make_all_pairs(made.shells, true, NULL);
    for (int i = 0; i < 2 * pairs->n_classes; i++) {
        const struct pair_class *class = &pairs->classes[i / 2];
        assert_int_equal(class->records[HERMITE_ZETA] == 0, i % 2 == 0);
        pair_class_make_records(class);
        const struct shell_pair *last = &class->pairs[class->n_pairs - 1];
        for (int64_t p = 0; p < last->first_primitive + last->n_primitives; p++) {
            const double *record = class->records + p * class->pattern->record;
            assert_true(record[HERMITE_ZETA] == class->products.zeta[p]);
            assert_true(record[HERMITE_WEIGHT] == class->products.weight[p]);
        }
    }
    shell_pairs_destroy(pairs);
}

TEST_SETUP(start)
TEST_TEARDOWN(stop)
