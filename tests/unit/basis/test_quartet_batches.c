/* SPDX-License-Identifier: BSD-3-Clause */
/* Batches hold every quartet of two sets of pairs once, except those that the threshold or the
 * selection leaves out, with the integrals that the quartet has alone, rounded if they are small. */
#include "basis/quartets/quartet_batches.h"
#include "tests/unit/basis/shells_case.h"

#include <stdlib.h>

enum { N_GROUPS = 7 };

static struct shells_case made;
static double bounds[N_GROUPS * N_GROUPS];
static struct shell_pairs *pairs;

static void start(void)
{
    made =
        shells_case_make("3\n\nO 0 0 0.2\nH 0 1.5 -0.9\nH 0 -4.5 -0.9\n",
                         "H 0\nS 1 1\n0.5 1\n****\nO 0\nS 2 1\n9 0.3\n1 0.8\nS 2 1\n9 -0.1\n1 1\n"
                         "P 1 1\n0.7 1\nD 1 1\n0.9 1\nS 1 1\n0.3 1\nP 1 1\n5 1\n****\n",
                         BASIS_FORM_SPHERICAL);
    assert_int_equal(made.shells->n_groups, N_GROUPS);
    struct two_electron *two_electron;
    struct shell_rectangle all = {.last = {N_GROUPS, N_GROUPS}};
    check_ok(two_electron_create(made.shells, 0, NULL, &two_electron));
    check_ok(two_electron_bounds(two_electron, made.shells, &all, bounds));
    two_electron_destroy(two_electron);
    pairs = make_all_pairs(made.shells, true, bounds);
}

static void stop(void)
{
    shell_pairs_destroy(pairs);
    shells_case_fini(&made);
}

/* How often the batches of a source held each quartet: times[bra pair][ket pair], a pair of
 * groups A and B being A * N_GROUPS + B. */
struct visit {
    double threshold, unit;
    bool selective; /* only kets whose first group is even */
    struct two_electron *alone;
    struct class_costs *costs; /* or NULL */
    bool represents_none;
    int times[N_GROUPS * N_GROUPS][N_GROUPS * N_GROUPS];
};

static int number_of(const struct shell_pair *pair)
{
    int first = pair->swapped ? pair->second : pair->first;
    int second = pair->swapped ? pair->first : pair->second;
    return first * N_GROUPS + second;
}

static int32_t select_even(const struct shell_pair *bra, const struct shell_pair *kets,
                           const int16_t *positions, int32_t n_candidates, int16_t *selected,
                           void *context)
{
    const struct visit *visit = context;
    int32_t n = 0;
    for (int32_t i = 0; i < n_candidates; i++) {
        const struct shell_pair *ket = &kets[positions ? positions[i] : i];
        assert_true(bra->bound * ket->bound >= visit->threshold);
        if (ket->first % 2 == 0)
            selected[n++] = (int16_t)i;
    }
    return n;
}

static struct shell_pair *find_pair(int32_t number)
{
    const struct pair_class *class = pairs->classes;
    while (number >= class->first_pair + class->n_pairs)
        class ++;
    return &class->pairs[number - class->first_pair];
}

/* Leaves out kets by a property of their own, as orbits of symmetry operations do. */
static int32_t represent_some(int32_t bra, int32_t first_ket, int32_t n_kets, int16_t *positions,
                              void *context)
{
    const struct visit *visit = context;
    int32_t n = 0;
    (void)bra;
    for (int32_t j = 0; j < n_kets && !visit->represents_none; j++)
        if (find_pair(first_ket + j)->second % 3 != 1)
            positions[n++] = (int16_t)j;
    return n;
}

static void check_batch(const struct computed_batch *batch, void *context)
{
    struct visit *visit = context;
    const struct quartet_batch *quartets = &batch->quartets;
    const struct pair_class *bra = quartets->bra, *ket = quartets->ket;
    int64_t n = quartet_n_integrals(bra, ket);
    double *alone = aligned_alloc(64, (size_t)batch_size(n, 1) * sizeof *alone);
    assert_true(quartets->n_quartets > 0);
    assert_true(bra->l_first + bra->l_second <= ket->l_first + ket->l_second);
    for (int32_t i = 0; i < quartets->n_quartets; i++) {
        struct quartet_batch one = {bra, ket, 1, &quartets->quartets[i]};
        two_electron_compute(visit->alone, &one, alone);
        int P = number_of(&bra->pairs[quartets->quartets[i].bra]);
        int Q = number_of(&ket->pairs[quartets->quartets[i].ket]);
        bool rounded = bounds[P] * bounds[Q] < kept_least_bound(visit->unit, KEPT_DOUBLE);
        for (int64_t k = 0; k < n; k++) {
            double integral = batch->integrals[batch_place(n, i, k)];
            check_close(integral, alone[batch_place(n, 0, k)],
                        rounded ? visit->unit / 2 + 1e-15 : 1e-13);
            assert_true(!rounded || remainder(integral, visit->unit) == 0);
        }
        visit->times[batch->exchanged ? Q : P][batch->exchanged ? P : Q]++;
    }
    free(alone);
}

/* threshold, selective, unit and costs of the visit are set. */
static void visit_all(bool unique, struct visit *visit)
{
    struct quartet_batches *batches;
    check_ok(quartet_batches_create(made.shells, visit->threshold, NULL, &batches));
    check_ok(two_electron_create(made.shells, two_electron_cutoff(visit->threshold), NULL,
                                 &visit->alone));
    struct quartet_source source = {.bra = pairs,
                                    .ket = pairs,
                                    .unique = unique,
                                    .select = visit->selective ? select_even : NULL,
                                    .use = check_batch,
                                    .context = visit,
                                    .unit = visit->unit,
                                    .costs = visit->costs};
    quartet_batches_compute(batches, &source);
    two_electron_destroy(visit->alone);
    quartet_batches_destroy(batches);
}

/* Whether a pair with the ket Q is selected: the group of higher type is its first. */
static bool is_even(int Q)
{
    int first = Q / N_GROUPS, second = Q % N_GROUPS;
    return (made.shells->groups[second].type > made.shells->groups[first].type ? second : first) %
               2 ==
           0;
}

/* Quartets above the threshold that are selected occur once: ordered ones, or unordered ones, of which
 * either may. */
TEST(every_wanted_quartet_once)
{
    for (int choice = 0; choice < 8; choice++) {
        bool unique = choice & 1, selective = choice & 2, occurs = false;
        double threshold = choice & 4 ? 1e-3 : 1e-30;
        struct visit visit = {
            .threshold = threshold, .selective = selective, .unit = unique ? 0x1p-22 : 0};
        int n_out = 0;
        visit_all(unique, &visit);
        for (int i = 0; i < N_GROUPS * N_GROUPS * N_GROUPS * N_GROUPS; i++) {
            int P = i / (N_GROUPS * N_GROUPS), Q = i % (N_GROUPS * N_GROUPS);
            bool triangle = P / N_GROUPS >= P % N_GROUPS && Q / N_GROUPS >= Q % N_GROUPS;
            bool large = bounds[P] * bounds[Q] >= threshold;
            int times = visit.times[P][Q] + (unique && P != Q ? visit.times[Q][P] : 0);
            if (unique && selective) /* as a ket, either of the pairs may be selected or not */
                assert_true(times <= (triangle && large && (is_even(P) || is_even(Q))) &&
                            times >= (triangle && large && is_even(P) && is_even(Q)));
            else
                assert_int_equal(times, triangle && large && (!selective || is_even(Q)));
            n_out += triangle && !large;
            occurs |= times > 0;
        }
        assert_true(occurs && (n_out > 0) == (threshold > 1e-6));
    }
}

/* A digest of all integrals of a source in the order in which batches have them, and quartets. */
struct passage {
    struct visit visit; /* first: select_even takes it for its context */
    uint64_t digest;
    int64_t n_quartets;
};

static void digest_batch(const struct computed_batch *batch, void *context)
{
    struct passage *passage = context;
    const struct quartet_batch *quartets = &batch->quartets;
    int64_t n = batch_size(quartet_n_integrals(quartets->bra, quartets->ket), quartets->n_quartets);
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, &batch->integrals[i], sizeof bits);
        passage->digest = (passage->digest ^ bits) * UINT64_C(1099511628211);
    }
    passage->n_quartets += quartets->n_quartets;
}

/* Computes the quartets of a source, fills kept integrals, or reads them. */
static struct passage
pass_through(void (*function)(struct quartet_batches *, const struct quartet_source *),
             struct quartet_batches *batches, struct quartet_source source, double threshold)
{
    struct passage passage = {.visit = {.threshold = threshold}};
    source.use = digest_batch;
    source.context = &passage;
    function(batches, &source);
    return passage;
}

/* Integrals that are kept once are read by passes over a selection and over all. */
static struct kept_size check_kept_passes(double threshold, double unit, bool unique,
                                          bool represented)
{
    struct quartet_batches *batches;
    struct kept_quartets kept;
    struct visit visit = {0};
    check_ok(quartet_batches_create(made.shells, threshold, NULL, &batches));
    struct quartet_source source = {.bra = pairs,
                                    .ket = pairs,
                                    .unique = unique,
                                    .unit = unit,
                                    .represent = represented ? represent_some : NULL,
                                    .context = &visit};
    struct kept_size size = quartet_batches_kept_size(batches, &source);
    void *memory = malloc((size_t)kept_quartets_bytes(&size));
    assert_non_null(memory);
    memset(memory, 0xff, (size_t)kept_quartets_bytes(&size)); /* no number, where it is read */
    kept_quartets_init(&size, unit, memory, &kept);
    source.select = select_even; /* filling does not ask */
    source.kept = &kept;
    struct passage filling = pass_through(quartet_batches_fill, batches, source, threshold);
    for (int pass = 0; pass < 4; pass++) {
        bool selective = pass % 2 == 0;
        source.select = selective ? select_even : NULL;
        source.kept = NULL;
        struct passage direct = pass_through(quartet_batches_compute, batches, source, threshold);
        source.kept = &kept;
        struct passage reading = pass_through(quartet_batches_compute, batches, source, threshold);
        assert_true(reading.digest == direct.digest);
        assert_int_equal(reading.n_quartets, direct.n_quartets);
        assert_true(selective ? direct.n_quartets < filling.n_quartets
                              : direct.digest == filling.digest);
    }
    free(memory);
    quartet_batches_destroy(batches);
    return size;
}

TEST(kept_integrals_have_the_bits_of_computed_ones)
{
    for (int choice = 0; choice < 4; choice++)
        for (int unit = 0; unit < 2; unit++) {
            check_kept_passes(1e-30, unit * 0x1p-33, choice / 2, choice % 2);
            check_kept_passes(1e-3, unit * 0x1p-22, choice / 2, choice % 2);
        }
}

TEST(integrals_of_each_width_are_kept)
{
    struct kept_size size = check_kept_passes(1e-30, 0x1p-32, true, false);
    for (int width = 0; width < N_KEPT_WIDTHS; width++)
        assert_true(size.n_integrals[width] >= 10);
}

/* quartet_batches_may_keep says whether there is a size, without summing it up. */
TEST(nothing_is_kept_where_there_is_nothing)
{
    static const struct {
        double threshold;
        represent_function *represent;
        bool none, expected;
    } cases[] = {{1e-30, NULL, false, true},
                 {1e-30, represent_some, false, true},
                 {1e-30, represent_some, true, false},
                 {1e30, NULL, false, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct quartet_batches *batches;
        struct visit visit = {.represents_none = cases[i].none};
        check_ok(quartet_batches_create(made.shells, cases[i].threshold, NULL, &batches));
        struct quartet_source source = {.bra = pairs,
                                        .ket = pairs,
                                        .unique = true,
                                        .represent = cases[i].represent,
                                        .context = &visit};
        struct kept_size size = quartet_batches_kept_size(batches, &source);
        assert_int_equal(kept_quartets_bytes(&size) > 0, cases[i].expected);
        assert_int_equal(quartet_batches_may_keep(batches, &source), cases[i].expected);
        quartet_batches_destroy(batches);
    }
}

TEST(the_unit_follows_the_threshold)
{
    for (double threshold = 1; threshold > 1e-300; threshold /= 7) {
        double unit = kept_unit(threshold);
        int exponent;
        assert_true(frexp(unit, &exponent) == 0.5); /* a power of two */
        assert_true(unit <= threshold / 64 && unit > threshold / 129);
        assert_true(kept_least_bound(unit, KEPT_DOUBLE) < unit * INT32_MAX);
        assert_true(kept_least_bound(unit, KEPT_INT32) < unit * INT16_MAX);
    }
    assert_true(kept_unit(0) == 0);
}

/* The 28 pairs of 3 s shells, 1 group of two, 2 p and 1 d: 6 of ss, 3 [2s]s, 1 [2s][2s], 6 ps,
 * 2 p[2s], 3 pp, 3 ds, 1 d[2s], 2 dp, 1 dd. */
TEST(costs_are_of_the_class)
{
    struct visit visit = {0};
    char name[CLASS_NAME_SIZE];
    double sum = 0, seconds = 0;
    check_ok(class_costs_create(made.shells, &visit.costs));
    visit.threshold = 1e-30;
    visit_all(true, &visit);
    int n = visit.costs->n_pair_types;
    static const struct {
        const char *name;
        int quartets;
    } known[] = {{"(ss|ss)", 6 * 7 / 2},
                 {"(ps|dp)", 6 * 2},
                 {"(dp|dd)", 2},
                 {"(ss|[2s]s)", 6 * 3}}; /* the bra has fewer functions */
    for (int bra = 0; bra < n; bra++)
        for (int ket = 0; ket < n; ket++) {
            const struct class_cost *cost = &visit.costs->of[bra * n + ket];
            class_costs_name(visit.costs, bra, ket, name);
            for (int i = 0; i < 4; i++)
                assert_true(strcmp(name, known[i].name) != 0 ||
                            cost->quartets == known[i].quartets);
            assert_true(cost->primitives >= cost->quartets && cost->lanes >= cost->primitives);
            assert_true(cost->integrals == 0);
            sum += cost->quartets;
            seconds += cost->selection_s + cost->integral_s;
        }
    assert_true(sum == 28 * 29 / 2);
    assert_true(seconds > 0);
    class_costs_destroy(visit.costs);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
