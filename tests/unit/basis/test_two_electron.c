/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals by each of the fast engines agree with the slow reference, for
 * every class of groups of shells that it handles, contracted or not, spherical or Cartesian. */
#include "tests/check.h"

#include "basis/integrals/two_electron.h"
#include "tests/reference/integrals_reference.h"
#include "tests/unit/basis/four_groups.h"

#include <stdlib.h>

/* A shell alone, by its angular momentum. */
static const char *const letters_of[] = {"S", "P", "D", "F", "G", "H"};

/* Number of the engine that computes a quartet if `first` comes first: `first` itself, or of
 * the others the first that handles the class. */
static int engine_that_computed(const struct engine_use *use)
{
    int engine = -1;
    for (int i = 0; two_electron_engine_name(i); i++) {
        if (use->computed[i].quartets == 0)
            continue;
        assert_int_equal(engine, -1);
        assert_int_equal(use->computed[i].quartets, 1);
        assert_int_equal(use->computed[i].batches, 1);
        engine = i;
    }
    assert_true(engine >= 0);
    return engine;
}

/* Relative error allowed in a class. The reference and the engines of vectors agree with integrals of
 * quadruple precision to 1e-14 in every class; libint raises the lower l of each pair by differences,
 * (a, b + 1| = (a + 1, b| + AB (a, b|, and each such step loses up to two bits. */
static double class_tolerance(int engine, const struct pair_class *const class[2])
{
    bool is_libint = strcmp(two_electron_engine_name(engine), "libint") == 0;
    return is_libint ? ldexp(1e-13, 2 * (class[0] -> l_second + class[1] -> l_second)) : 5e-14;
}

/* Integrals over four groups by the reference, in the order of the engines; the caller frees them. */
static double *reference_groups(const struct shells *shells, const int64_t at[4])
{
    static double block[21 * 21 * 21 * 21];
    const struct shell *shell[4];
    int64_t n[4], n_shells[4], first[4], n_all = 1, n_quartets = 1;
    for (int i = 0; i < 4; i++) {
        n_all *= n[i] = n_functions_of_group(shells, at[i]);
        n_quartets *= n_shells[i] = shells->types[shells->groups[at[i]].type].n_shells;
    }
    double *expected = malloc((size_t)n_all * sizeof(double));
    for (int64_t quartet = 0, rest = 0; quartet < n_quartets; rest = ++quartet) {
        for (int i = 3; i >= 0; rest /= n_shells[i--]) {
            const struct shell_group *group = &shells->groups[at[i]];
            shell[i] = &shells->shells[group->first_shell + rest % n_shells[i]];
            first[i] = shell[i]->first_function - group->first_function;
        }
        const double *value = block;
        reference_two_electron(shell[0], shell[1], shell[2], shell[3], block);
        for (int64_t i = first[0]; i < first[0] + shell[0]->n_functions; i++)
            for (int64_t j = first[1]; j < first[1] + shell[1]->n_functions; j++)
                for (int64_t k = first[2]; k < first[2] + shell[2]->n_functions; k++)
                    for (int64_t l = first[3]; l < first[3] + shell[3]->n_functions; l++)
                        expected[((i * n[1] + j) * n[2] + k) * n[3] + l] = *value++;
    }
    return expected;
}

/* Largest difference to the reference over the quartet (ab|cd) of groups given by index, in units of
 * what is allowed: without a cutoff, the tolerance of the class times the largest integral of the
 * quartet; with one, 1e-10 of it, or 1e-16. The largest one of all engines that handle the class. */
static double largest_error(const struct shells *shells, const int64_t at[4], double cutoff)
{
    struct shell_pairs *pairs[2];
    for (int side = 0; side < 2; side++) {
        const int64_t *of_side = at + 2 * side;
        struct shell_rectangle rectangle = {.first = {of_side[0], of_side[1]},
                                            .last = {of_side[0] + 1, of_side[1] + 1}};
        check_ok(shell_pairs_create(shells, &rectangle, NULL, 0, &pairs[side]));
    }
    /* The engine's bra is the pair of lower angular momenta. */
    const struct pair_class *class[2] = {pairs[0]->classes, pairs[1]->classes};
    int bra = class[0]->l_first + class[0]->l_second > class[1]->l_first + class[1]->l_second;
    const struct shell_pair *P = class[bra]->pairs, *Q = class[!bra]->pairs;
    struct quartet quartet = {0, 0};
    struct quartet_batch batch = {class[bra], class[!bra], 1, &quartet};
    int64_t n = quartet_n_integrals(batch.bra, batch.ket);
    double *expected =
        reference_groups(shells, (int64_t[]){P->first, P->second, Q->first, Q->second});
    double *actual = aligned_alloc(64, (size_t)batch_size(n, 1) * sizeof(double)), largest = 0;
    for (int engine = 0; two_electron_engine_name(engine); engine++) {
        struct engine_use use = {.first = engine};
        struct two_electron *two_electron;
        check_ok(two_electron_create(shells, cutoff, &use, &two_electron));
        two_electron_compute(two_electron, &batch, actual);
        two_electron_destroy(two_electron);
        double error = 0, scale = 0;
        for (int64_t i = 0; i < n; i++) {
            error = fmax(error, fabs(actual[batch_place(n, 0, i)] - expected[i]));
            scale = fmax(scale, fabs(expected[i]));
        }
        if (engine_that_computed(&use) == engine)
            largest = fmax(largest, error / (cutoff > 0 ? 1e-10 * fmax(scale, 1e-6)
                                                        : scale * class_tolerance(engine, class)));
    }
    shell_pairs_destroy(pairs[0]);
    shell_pairs_destroy(pairs[1]);
    free(expected);
    free(actual);
    return largest;
}

static void check_groups(const char *const letters[4], const struct contraction *contraction,
                         enum basis_form form)
{
    struct shells_case four = four_groups_make(letters, contraction, form);
    double error = largest_error(four.shells, (int64_t[]){0, 1, 2, 3}, 0);
    if (!(error < 1))
        fail_msg("(%s %s|%s %s): %g times the tolerance\n", letters[0], letters[1], letters[2],
                 letters[3], error);
    shells_case_fini(&four);
}

static void check_class(int a, int b, int c, int d, const struct contraction *contraction,
                        enum basis_form form)
{
    check_groups((const char *[]){letters_of[a], letters_of[b], letters_of[c], letters_of[d]},
                 contraction, form);
}

TEST(contracted_classes_up_to_d)
{
    for (int code = 0; code < 81; code++)
        check_class(code / 27, code / 9 % 3, code / 3 % 3, code % 3, &two, BASIS_FORM_SPHERICAL);
}

/* Those that an engine can be given: the order of l within a pair, and of pairs, is free. With the
 * argument "all" also contracted, with a g or an h shell, and Cartesian. */
TEST(every_class_up_to_the_limit)
{
    for (int a = 0; a <= BASIS_MAX_L; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= a; c++)
                for (int d = 0; d <= (c == a ? b : c); d++) {
                    check_class(a, b, c, d, &primitive, BASIS_FORM_SPHERICAL);
                    if (check_argc > 1 && a > 3)
                        check_class(a, b, c, d, &two, BASIS_FORM_SPHERICAL);
                    if (check_argc > 1)
                        check_class(a, b, c, d, &primitive, BASIS_FORM_CARTESIAN);
                }
}

/* General contractions, SP shells and other shells with common exponents, in any order. */
TEST(groups_of_shells)
{
    static const char *const kinds[] = {"S", "P", "SS", "SP", "PD"};
    enum { N = sizeof kinds / sizeof kinds[0] };
    for (int code = 0; code < N * N * N * N; code++) {
        int a = code / (N * N * N), b = code / (N * N) % N, c = code / N % N, d = code % N;
        if (a * N + b >= c * N + d)
            check_groups((const char *[]){kinds[a], kinds[b], kinds[c], kinds[d]}, &primitive,
                         BASIS_FORM_SPHERICAL);
    }
}

TEST(chosen_groups)
{
    static const struct contraction wide = {6, 1e7, 100};
    static const struct {
        const char *letters[4];
        const struct contraction *contraction;
        enum basis_form form;
    } cases[] = {
        {{"D", "D", "D", "D"}, &primitive, BASIS_FORM_CARTESIAN},
        {{"F", "P", "S", "D"}, &two, BASIS_FORM_CARTESIAN},
        {{"P", "G", "S", "S"}, &primitive, BASIS_FORM_CARTESIAN},
        /* Contracted, with g or h. */
        {{"G", "P", "D", "S"}, &two, BASIS_FORM_SPHERICAL},
        {{"H", "S", "P", "S"}, &six, BASIS_FORM_SPHERICAL},
        {{"F", "F", "G", "D"}, &two, BASIS_FORM_SPHERICAL},
        {{"H", "D", "G", "G"}, &two, BASIS_FORM_SPHERICAL},
        {{"D", "G", "H", "F"}, &two, BASIS_FORM_CARTESIAN},
        /* The largest patterns: 24,843 terms and 194,481 integrals. */
        {{"H", "H", "H", "H"}, &primitive, BASIS_FORM_CARTESIAN},
        /* Primitives that fill the vectors with a quartet alone: of both sides, the bra, the ket. */
        {{"S", "S", "P", "S"}, &sixteen, BASIS_FORM_SPHERICAL},
        {{"SP", "S", "p", "d"}, &sixteen, BASIS_FORM_SPHERICAL},
        {{"S", "P", "g", "f"}, &sixteen, BASIS_FORM_SPHERICAL},
        {{"s", "p", "D", "SP"}, &sixteen, BASIS_FORM_SPHERICAL},
        {{"s", "f", "G", "D"}, &sixteen, BASIS_FORM_SPHERICAL},
        /* 6^4 = 1296 primitive quartets: more than the libint engine takes at once. */
        {{"P", "S", "P", "S"}, &six, BASIS_FORM_SPHERICAL},
        {{"S", "S", "S", "S"}, &six, BASIS_FORM_SPHERICAL},
        {{"SP", "SP", "SP", "SP"}, &two, BASIS_FORM_SPHERICAL},
        {{"SSS", "SP", "PSP", "SSSSSSSSSS"}, &two, BASIS_FORM_SPHERICAL},
        {{"SPD", "DS", "SSP", "D"}, &two, BASIS_FORM_SPHERICAL},
        {{"SPD", "PPP", "DD", "FS"}, &primitive, BASIS_FORM_SPHERICAL},
        {{"SPP", "DP", "F", "SD"}, &primitive, BASIS_FORM_CARTESIAN},
        {{"SP", "G", "PD", "SS"}, &primitive, BASIS_FORM_SPHERICAL},
        /* The largest patterns and blocks of groups. */
        {{"PF", "FP", "PF", "PF"}, &primitive, BASIS_FORM_SPHERICAL},
        {{"DD", "PPSP", "DSPS", "DD"}, &primitive, BASIS_FORM_SPHERICAL},
        /* Tight primitives beside diffuse ones. */
        {{"SS", "SS", "SS", "S"}, &wide, BASIS_FORM_SPHERICAL},
        {{"SP", "SS", "PP", "SP"}, &wide, BASIS_FORM_SPHERICAL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_groups(cases[i].letters, cases[i].contraction, cases[i].form);
}

/* The primitive cutoff of a run leaves diffuse and tight shells of any angular
 * momentum right: their normalised primitives have very different prefactors. */
TEST(cutoff_keeps_diffuse_shells)
{
    static const double exponents[] = {1e-4, 1e-3, 1e-2, 0.1, 1, 100};
    for (int l = 0; l <= BASIS_MAX_L; l++)
        for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
            char text[256];
            snprintf(text, sizeof text, "He 0\n%s 1 1.00\n %g 1.0\n****\n", letters_of[l],
                     exponents[e]);
            struct shells_case pair =
                shells_case_make("2\n\nHe 0 0 0\nHe 0.05 0.1 0.2\n", text, BASIS_FORM_SPHERICAL);
            double error =
                largest_error(pair.shells, (int64_t[]){0, 1, 1, 0}, two_electron_cutoff(1e-10));
            if (!(error < fmax(1, sqrt(exponents[e]))))
                fail_msg("l = %d, exponent %g: %g times the tolerance", l, exponents[e], error);
            shells_case_fini(&pair);
        }
}

/* One centre, and quartets of a group with itself. */
TEST(coincident_centres)
{
    struct shells_case four =
        four_groups_make((const char *[]){"SSS", "P", "D", "SPP"}, &two, BASIS_FORM_SPHERICAL);
    for (int64_t a = 0; a < 4; a++)
        for (int64_t b = 0; b < 4; b++)
            assert_true(largest_error(four.shells, (int64_t[]){a, a, b, b}, 0) < 1);
    shells_case_fini(&four);
}

/* A bound is sqrt (aa|aa): 2 sqrt(a / pi) for normalised Gaussians of exponent a. */
TEST(known_bound)
{
    struct shells_case c =
        shells_case_make("1\n\nH 0 0 0\n", "H 0\nS 1 1\n1741 1\n****\n", BASIS_FORM_SPHERICAL);
    struct two_electron *engine;
    struct shell_rectangle one = {.first = {0, 0}, .last = {1, 1}};
    double bound, expected = 2 * sqrt(1741 / acos(-1.0));
    check_ok(two_electron_create(c.shells, 0, NULL, &engine));
    check_ok(two_electron_bounds(engine, c.shells, &one, &bound));
    check_close(bound * bound, expected, 1e-12 * expected);
    two_electron_destroy(engine);
    shells_case_fini(&c);
}
