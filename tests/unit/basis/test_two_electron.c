/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals by each of the fast engines agree with the slow reference, for
 * every class of groups of shells that it handles, contracted or not, spherical or Cartesian,
 * and are the same bits in any batch. */
#include "tests/check.h"

#include "basis/integrals/shells.h"
#include "basis/integrals/two_electron.h"
#include "tests/reference/integrals_reference.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A shell alone, by its angular momentum. */
static const char *const letters_of[] = {"S", "P", "D", "F", "G", "H"};

/* Four groups of shells on different centres, made from a basis text so that normalisation is
 * shells.c's. */
struct four_groups {
    struct molecule molecule;
    struct basis_set set;
    struct shells *shells;
};

/* Common exponents of a group, and coefficients: those of a shell depend on its place. */
struct contraction {
    int n_primitives;
    double first_exponent, ratio; /* of each exponent to the next */
};

static const struct contraction primitive = {1, 3.1, 1}, two = {2, 3.1, 4.3}, six = {6, 3.1, 2};
static const struct contraction sixteen = {16, 3.1, 1.3}; /* 256 products of primitives */

/* The shells of a group as letters of their angular momenta; of the third and later ones, and of those
 * in lower case, only the last primitive. */
static size_t print_group(const char *letters, int group, const struct contraction *contraction,
                          char *text, size_t size)
{
    size_t used = 0;
    for (int s = 0; letters[s]; s++) {
        int first = s < 2 && isupper(letters[s]) ? 0 : contraction->n_primitives - 1;
        used += (size_t)snprintf(text + used, size - used, "%c %d 1.00\n", toupper(letters[s]),
                                 contraction->n_primitives - first);
        double exponent = contraction->first_exponent + group;
        for (int p = 0; p < contraction->n_primitives; p++, exponent /= contraction->ratio)
            if (p >= first)
                used += (size_t)snprintf(text + used, size - used, " %.9g %.6f\n", exponent,
                                         0.3 + 0.2 * p - 0.05 * group - 0.45 * s * p);
    }
    return used;
}

static void make_groups(const char *const letters[4], const struct contraction *contraction,
                        enum basis_form form, struct four_groups *four)
{
    static const char *const symbols[4] = {"H", "He", "Li", "Be"};
    char text[8192];
    size_t used = 0;
    for (int i = 0; i < 4; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s 0\n", symbols[i]);
        used += print_group(letters[i], i, contraction, text + used, sizeof text - used);
        used += (size_t)snprintf(text + used, sizeof text - used, "****\n");
    }
    check_ok(basis_set_parse(text, used, "test", &four->set));
    const char *xyz = "4\n\nH 0.1 0.2 -0.3\nHe 0.9 -0.4 0.2\nLi -0.5 0.7 0.8\nBe 0.3 1.1 -0.6\n";
    struct molecule_settings settings = {.unit = LENGTH_ANGSTROM};
    check_ok(molecule_parse(xyz, strlen(xyz), "test", &settings, &four->molecule));
    check_ok(shells_create(&four->molecule, &four->set, form, &four->shells));
    assert_int_equal(four->shells->n_groups, 4);
}

static void free_groups(struct four_groups *four)
{
    shells_destroy(four->shells);
    basis_set_fini(&four->set);
    molecule_fini(&four->molecule);
}

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

static int group_n_functions(const struct shells *shells, int64_t group)
{
    return shells->types[shells->groups[group].type].n_functions;
}

static int group_max_l(const struct shells *shells, int64_t group)
{
    return shells->types[shells->groups[group].type].max_l;
}

/* Relative error allowed in a class. The reference and the engines of vectors agree with integrals of
 * quadruple precision to 1e-14 in every class; libint raises the lower l of each pair by differences,
 * (a, b + 1| = (a + 1, b| + AB (a, b|, and each such step loses up to two bits. */
static double class_tolerance(int engine, const struct shells *shells, const int64_t at[4])
{
    if (strcmp(two_electron_engine_name(engine), "libint") != 0)
        return 5e-14;
    int n_steps = 0;
    for (int side = 0; side < 2; side++) {
        int first = group_max_l(shells, at[2 * side]),
            second = group_max_l(shells, at[2 * side + 1]);
        n_steps += first < second ? first : second;
    }
    return ldexp(1e-13, 2 * n_steps);
}

/* Largest difference to the reference over the quartet (ab|cd) of groups given by index, in units of
 * what is allowed: without a cutoff, the tolerance of the class times the largest integral of the
 * quartet; with one, 1e-10 of it, or 1e-16. By the engine of a number, or if it does not handle the
 * class 0. */
static double error_of_engine(const struct shells *shells, const int64_t at[4],
                              const double *expected, double cutoff, int first)
{
    int64_t n[4], n_all = 1;
    for (int i = 0; i < 4; i++)
        n_all *= n[i] = group_n_functions(shells, at[i]);
    double *actual = aligned_alloc(64, (size_t)batch_size(n_all, 1) * sizeof(double));
    struct engine_use use = {.first = first};
    struct two_electron *engine;
    struct shell_pairs *pairs[2];
    check_ok(two_electron_create(shells, cutoff, &use, &engine));
    for (int side = 0; side < 2; side++) {
        struct shell_rectangle rectangle = {.first = {at[2 * side], at[2 * side + 1]},
                                            .last = {at[2 * side] + 1, at[2 * side + 1] + 1}};
        check_ok(shell_pairs_create(shells, &rectangle, NULL, 0, &pairs[side]));
    }
    struct quartet quartet = {0, 0};
    struct quartet_batch batch = {pairs[0]->classes, pairs[1]->classes, 1, &quartet};
    int bra = batch.bra->l_first + batch.bra->l_second <= batch.ket->l_first + batch.ket->l_second
                  ? 0
                  : 1;
    batch.bra = pairs[bra]->classes;
    batch.ket = pairs[!bra]->classes;
    two_electron_compute(engine, &batch, actual);

    /* Place of each index in the engine's order. */
    int order[4];
    for (int side = 0; side < 2; side++) {
        int from = side == 0 ? bra : !bra;
        bool swapped = pairs[from]->classes->pairs->swapped;
        order[2 * side] = 2 * from + swapped;
        order[2 * side + 1] = 2 * from + !swapped;
    }
    double error = 0, largest = 0;
    int64_t i[4];
    for (i[0] = 0; i[0] < n[0]; i[0]++)
        for (i[1] = 0; i[1] < n[1]; i[1]++)
            for (i[2] = 0; i[2] < n[2]; i[2]++)
                for (i[3] = 0; i[3] < n[3]; i[3]++) {
                    double want = expected[((i[0] * n[1] + i[1]) * n[2] + i[2]) * n[3] + i[3]];
                    int64_t place = 0;
                    for (int k = 0; k < 4; k++)
                        place = place * n[order[k]] + i[order[k]];
                    error = fmax(error, fabs(actual[batch_place(n_all, 0, place)] - want));
                    largest = fmax(largest, fabs(want));
                }
    shell_pairs_destroy(pairs[0]);
    shell_pairs_destroy(pairs[1]);
    two_electron_destroy(engine);
    free(actual);
    if (engine_that_computed(&use) != first)
        return 0;
    error /=
        cutoff > 0 ? 1e-10 * fmax(largest, 1e-6) : largest * class_tolerance(first, shells, at);
    if (cutoff == 0 && !(error < 1))
        fprintf(stderr, "%s: %g times the tolerance\n", two_electron_engine_name(first), error);
    return error;
}

/* The functions of four shells to their places in those of four groups of n functions. */
static void place_block(const struct shell *const shell[4], const int64_t first[4],
                        const int64_t n[4], double *expected)
{
    static double block[21 * 21 * 21 * 21];
    const double *value = block;
    reference_two_electron(shell[0], shell[1], shell[2], shell[3], block);
    for (int64_t i = first[0]; i < first[0] + shell[0]->n_functions; i++)
        for (int64_t j = first[1]; j < first[1] + shell[1]->n_functions; j++)
            for (int64_t k = first[2]; k < first[2] + shell[2]->n_functions; k++)
                for (int64_t l = first[3]; l < first[3] + shell[3]->n_functions; l++)
                    expected[((i * n[1] + j) * n[2] + k) * n[3] + l] = *value++;
}

/* The largest one of all engines. */
static double largest_error(const struct shells *shells, const int64_t at[4], double cutoff)
{
    int64_t n[4], n_shells[4], n_all = 1, n_quartets = 1;
    for (int i = 0; i < 4; i++) {
        n_all *= n[i] = group_n_functions(shells, at[i]);
        n_quartets *= n_shells[i] = shells->types[shells->groups[at[i]].type].n_shells;
    }
    double *expected = malloc((size_t)n_all * sizeof(double)), error = 0;
    for (int64_t quartet = 0; quartet < n_quartets; quartet++) {
        const struct shell *shell[4];
        int64_t first[4], rest = quartet;
        for (int i = 3; i >= 0; i--, rest /= n_shells[i + 1]) {
            const struct shell_group *group = &shells->groups[at[i]];
            shell[i] = &shells->shells[group->first_shell + rest % n_shells[i]];
            first[i] = shell[i]->first_function - group->first_function;
        }
        place_block(shell, first, n, expected);
    }
    for (int i = 0; two_electron_engine_name(i); i++)
        error = fmax(error, error_of_engine(shells, at, expected, cutoff, i));
    free(expected);
    return error;
}

static void check_groups(const char *const letters[4], const struct contraction *contraction,
                         enum basis_form form)
{
    struct four_groups four;
    make_groups(letters, contraction, form, &four);
    double error = largest_error(four.shells, (int64_t[]){0, 1, 2, 3}, 0);
    if (!(error < 1))
        fprintf(stderr, "(%s %s|%s %s): %g times the tolerance\n", letters[0], letters[1],
                letters[2], letters[3], error);
    assert_true(error < 1);
    free_groups(&four);
}

static void check_class(int a, int b, int c, int d, const struct contraction *contraction,
                        enum basis_form form)
{
    check_groups((const char *[]){letters_of[a], letters_of[b], letters_of[c], letters_of[d]},
                 contraction, form);
}

static void contracted_classes_up_to_d(void **state)
{
    (void)state;
    for (int code = 0; code < 81; code++)
        check_class(code / 27, code / 9 % 3, code / 3 % 3, code % 3, &two, BASIS_FORM_SPHERICAL);
}

/* Those that an engine can be given: the order of l within a pair, and of pairs, is free. */
static void every_class_up_to_the_limit(void **state)
{
    (void)state;
    for (int a = 0; a <= BASIS_MAX_L; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= a; c++)
                for (int d = 0; d <= (c == a ? b : c); d++)
                    check_class(a, b, c, d, &primitive, BASIS_FORM_SPHERICAL);
}

static void cartesian_classes(void **state)
{
    (void)state;
    check_class(2, 2, 2, 2, &primitive, BASIS_FORM_CARTESIAN);
    check_class(3, 1, 0, 2, &two, BASIS_FORM_CARTESIAN);
    check_class(1, 4, 0, 0, &primitive, BASIS_FORM_CARTESIAN);
}

/* Contracted classes with a g or an h shell. */
static void contracted_high_classes(void **state)
{
    (void)state;
    check_class(4, 1, 2, 0, &two, BASIS_FORM_SPHERICAL);
    check_class(5, 0, 1, 0, &six, BASIS_FORM_SPHERICAL);
    check_class(3, 3, 4, 2, &two, BASIS_FORM_SPHERICAL);
    check_class(5, 2, 4, 4, &two, BASIS_FORM_SPHERICAL);
    check_class(2, 4, 5, 3, &two, BASIS_FORM_CARTESIAN);
}

/* The largest patterns: 24,843 terms and 194,481 integrals. */
static void four_cartesian_h_shells(void **state)
{
    (void)state;
    check_class(5, 5, 5, 5, &primitive, BASIS_FORM_CARTESIAN);
}

/* So many primitives that a quartet fills the vectors alone: of both sides, of the bra, of the ket. */
static void many_primitives(void **state)
{
    (void)state;
    check_class(0, 0, 1, 0, &sixteen, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SP", "S", "p", "d"}, &sixteen, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"S", "P", "g", "f"}, &sixteen, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"s", "p", "D", "SP"}, &sixteen, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"s", "f", "G", "D"}, &sixteen, BASIS_FORM_SPHERICAL);
}

/* Every class with a g or an h shell, contracted, and every Cartesian class. */
static void all_high_classes(void **state)
{
    (void)state;
    for (int a = 0; a <= BASIS_MAX_L; a++)
        for (int b = 0; b <= a; b++)
            for (int c = 0; c <= a; c++)
                for (int d = 0; d <= (c == a ? b : c); d++) {
                    if (a > 3)
                        check_class(a, b, c, d, &two, BASIS_FORM_SPHERICAL);
                    check_class(a, b, c, d, &primitive, BASIS_FORM_CARTESIAN);
                }
}

static void contraction_that_libint_splits(void **state)
{
    (void)state;
    /* 6^4 = 1296 primitive quartets: more than the libint engine takes at once. */
    check_class(1, 0, 1, 0, &six, BASIS_FORM_SPHERICAL);
    check_class(0, 0, 0, 0, &six, BASIS_FORM_SPHERICAL);
}

/* General contractions, SP shells and whatever else shares exponents, in any order. */
static void groups_of_shells(void **state)
{
    (void)state;
    static const char *const kinds[] = {"S", "P", "SS", "SP", "PD"};
    enum { N = sizeof kinds / sizeof kinds[0] };
    for (int code = 0; code < N * N * N * N; code++) {
        int a = code / (N * N * N), b = code / (N * N) % N, c = code / N % N, d = code % N;
        if (a * N + b >= c * N + d)
            check_groups((const char *[]){kinds[a], kinds[b], kinds[c], kinds[d]}, &primitive,
                         BASIS_FORM_SPHERICAL);
    }
    check_groups((const char *[]){"SP", "SP", "SP", "SP"}, &two, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SSS", "SP", "PSP", "SSSSSSSSSS"}, &two, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SPD", "DS", "SSP", "D"}, &two, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SPD", "PPP", "DD", "FS"}, &primitive, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SPP", "DP", "F", "SD"}, &primitive, BASIS_FORM_CARTESIAN);
    check_groups((const char *[]){"SP", "G", "PD", "SS"}, &primitive, BASIS_FORM_SPHERICAL);
}

/* The largest patterns and blocks. */
static void largest_groups(void **state)
{
    (void)state;
    check_groups((const char *[]){"PF", "FP", "PF", "PF"}, &primitive, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"DD", "PPSP", "DSPS", "DD"}, &primitive, BASIS_FORM_SPHERICAL);
}

/* Primitives of any width in one group, tight ones next to diffuse ones. */
static void groups_of_wide_exponents(void **state)
{
    (void)state;
    static const struct contraction wide = {6, 1e7, 100};
    check_groups((const char *[]){"SS", "SS", "SS", "S"}, &wide, BASIS_FORM_SPHERICAL);
    check_groups((const char *[]){"SP", "SS", "PP", "SP"}, &wide, BASIS_FORM_SPHERICAL);
}

/* The primitive cut-off of a run leaves diffuse and tight shells of any angular
 * momentum right: their normalised primitives have very different prefactors. */
static void cutoff_keeps_diffuse_shells(void **state)
{
    (void)state;
    static const double exponents[] = {1e-4, 1e-3, 1e-2, 0.1, 1, 100};
    for (int l = 0; l <= BASIS_MAX_L; l++) {
        for (size_t e = 0; e < sizeof exponents / sizeof exponents[0]; e++) {
            char text[256];
            const char *xyz = "2\n\nHe 0 0 0\nHe 0.05 0.1 0.2\n";
            int used = snprintf(text, sizeof text, "He 0\n%s 1 1.00\n %g 1.0\n****\n",
                                letters_of[l], exponents[e]);
            struct four_groups pair;
            struct molecule_settings settings = {.unit = LENGTH_BOHR};
            check_ok(basis_set_parse(text, (size_t)used, "test", &pair.set));
            check_ok(molecule_parse(xyz, strlen(xyz), "test", &settings, &pair.molecule));
            check_ok(shells_create(&pair.molecule, &pair.set, BASIS_FORM_SPHERICAL, &pair.shells));
            double scale = sqrt(exponents[e]);
            double error =
                largest_error(pair.shells, (int64_t[]){0, 1, 1, 0}, two_electron_cutoff(1e-10));
            if (!(error < fmax(1, scale)))
                fprintf(stderr, "l = %d, exponent %g: %g times the tolerance\n", l, exponents[e],
                        error);
            assert_true(error < fmax(1, scale));
            free_groups(&pair);
        }
    }
}

/* One centre, and quartets of a group with itself. */
static void coincident_centres(void **state)
{
    (void)state;
    struct four_groups four;
    make_groups((const char *[]){"SSS", "P", "D", "SPP"}, &two, BASIS_FORM_SPHERICAL, &four);
    for (int64_t a = 0; a < 4; a++)
        for (int64_t b = 0; b < 4; b++)
            assert_true(largest_error(four.shells, (int64_t[]){a, a, b, b}, 0) < 1);
    free_groups(&four);
}

/* Each quartet of two classes has the same bits in one batch as alone. */
static void check_batch(const struct shells *shells, const struct pair_class *bra,
                        const struct pair_class *ket, int first)
{
    struct quartet quartets[64];
    struct quartet_batch batch = {bra, ket, 0, quartets};
    for (int32_t i = 0; i < bra->n_pairs; i++)
        for (int32_t j = 0; j < ket->n_pairs; j++)
            quartets[batch.n_quartets++] = (struct quartet){i, j};
    int64_t n = quartet_n_integrals(bra, ket);
    double *together = aligned_alloc(64, (size_t)batch_size(n, batch.n_quartets) * sizeof(double));
    double *alone = aligned_alloc(64, (size_t)batch_size(n, 1) * sizeof(double));
    struct engine_use use = {.first = first};
    struct two_electron *engine;
    check_ok(two_electron_create(shells, 0, &use, &engine));
    assert_true(n == 1 || !two_electron_has_rows(engine, bra, ket));
    two_electron_compute(engine, &batch, together);
    for (int32_t i = 0; i < batch.n_quartets; i++) {
        struct quartet_batch one = {bra, ket, 1, &quartets[i]};
        two_electron_compute(engine, &one, alone);
        for (int64_t k = 0; k < n; k++)
            assert_true(together[batch_place(n, i, k)] == alone[batch_place(n, 0, k)]);
    }
    two_electron_destroy(engine);
    free(together);
    free(alone);
}

static void check_batches(const char *const letters[4], const struct contraction *contraction)
{
    struct four_groups four;
    struct shell_pairs *pairs;
    struct shell_rectangle all = {.last = {4, 4}, .triangle = true};
    make_groups(letters, contraction, BASIS_FORM_SPHERICAL, &four);
    check_ok(shell_pairs_create(four.shells, &all, NULL, 0, &pairs));
    for (int i = 0; two_electron_engine_name(i); i++)
        for (int b = 0; b < pairs->n_classes; b++)
            for (int k = 0; k < pairs->n_classes; k++) {
                const struct pair_class *bra = &pairs->classes[b], *ket = &pairs->classes[k];
                if (bra->l_first + bra->l_second <= ket->l_first + ket->l_second)
                    check_batch(four.shells, bra, ket, i);
            }
    shell_pairs_destroy(pairs);
    free_groups(&four);
}

static void integrals_do_not_depend_on_the_batch(void **state)
{
    (void)state;
    check_batches((const char *[]){"S", "P", "P", "S"}, &primitive);
    check_batches((const char *[]){"S", "P", "P", "S"}, &six);
    check_batches((const char *[]){"D", "P", "P", "D"}, &two);
    check_batches((const char *[]){"F", "D", "D", "F"}, &primitive);
    check_batches((const char *[]){"SS", "SP", "S", "SSS"}, &six);
    check_batches((const char *[]){"SS", "S", "SS", "PD"}, &primitive);
    check_batches((const char *[]){"G", "D", "G", "F"}, &primitive);
    check_batches((const char *[]){"S", "P", "S", "s"}, &sixteen);
}

/* The blocks 0 and 2 of a row up to the ket before the last. */
static void check_row(struct two_electron *engine, const struct pair_class *class, int32_t bra)
{
    enum { N = 3 * QUARTET_LANES };
    static const int32_t blocks[] = {0, 2};
    int32_t n_kets = class->n_pairs - 1;
    struct s_row row = {class, class, bra, n_kets, 2, blocks};
    double integrals[N], alone[QUARTET_LANES] __attribute__((aligned(64)));
    assert_true(n_kets > 2 * QUARTET_LANES && n_kets < N);
    assert_int_equal(row_n_quartets(&row), n_kets - QUARTET_LANES);
    for (int32_t k = 0; k < N; k++)
        integrals[k] = -1;
    two_electron_compute_row(engine, &row, integrals);
    for (int32_t k = 0; k < n_kets; k++) {
        struct quartet quartet = {bra, k};
        struct quartet_batch one = {class, class, 1, &quartet};
        two_electron_compute(engine, &one, alone);
        assert_true(integrals[k] == (k / QUARTET_LANES == 1 ? -1 : alone[0]));
    }
    for (int32_t k = n_kets; k < N; k++)
        assert_true(integrals[k] == 0);
}

/* Exponents from 1e-3 to 1e7, on one centre and on two. */
static void rows_have_the_bits_of_batches(void **state)
{
    (void)state;
    const char *text = "He 0\nS 1 1\n1e7 1\nS 1 1\n1e-3 1\nS 1 1\n0.9 1\n****\n";
    const char *xyz = "2\n\nHe 0 0 0.1\nHe 0.4 -1 4\n";
    struct four_groups system;
    struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(basis_set_parse(text, strlen(text), "test", &system.set));
    check_ok(molecule_parse(xyz, strlen(xyz), "test", &settings, &system.molecule));
    check_ok(shells_create(&system.molecule, &system.set, BASIS_FORM_SPHERICAL, &system.shells));
    struct shell_rectangle all = {.last = {6, 6}, .triangle = true};
    struct shell_pairs *pairs;
    check_ok(shell_pairs_create(system.shells, &all, NULL, 0, &pairs));
    assert_true(pairs->n_classes == 1 && pairs->classes->single);
    for (int i = 0; two_electron_engine_name(i); i++) {
        struct engine_use use = {.first = i};
        struct two_electron *engine;
        check_ok(two_electron_create(system.shells, 0, &use, &engine));
        bool has_rows = two_electron_has_rows(engine, pairs->classes, pairs->classes);
        assert_true(has_rows == (strcmp(two_electron_engine_name(i), "libint") != 0));
        for (int32_t bra = 0; bra < pairs->classes->n_pairs && has_rows; bra++)
            check_row(engine, pairs->classes, bra);
        two_electron_destroy(engine);
    }
    shell_pairs_destroy(pairs);
    free_groups(&system);
}

static void names_of_engines(void **state)
{
    (void)state;
    static const char *const names[] = {
#ifdef __x86_64__
        "avx512", "avx2",
#endif
        "baseline", "libint"};
    enum { N = sizeof names / sizeof names[0] };
    char all[64] = "";
    for (int i = 0; i < N; i++) {
        assert_string_equal(two_electron_engine_name(i), names[i]);
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "," : "", names[i]);
    }
    assert_null(two_electron_engine_name(N));
    assert_string_equal(two_electron_engine_names(), all);
}

/* (ss|ss) over one centre with unit exponents is 2 / sqrt(pi) ... in closed form:
 * for normalised Gaussians of exponent a on one centre, 2 sqrt(a / pi). */
static void known_value(void **state)
{
    (void)state;
    const char *text = "H 0\nS 1 1.00\n 1741.0 1.0\n****\n", *xyz = "1\n\nH 0 0 0\n";
    struct basis_set set;
    struct molecule molecule;
    struct shells *shells;
    struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(basis_set_parse(text, strlen(text), "test", &set));
    check_ok(molecule_parse(xyz, strlen(xyz), "test", &settings, &molecule));
    check_ok(shells_create(&molecule, &set, BASIS_FORM_SPHERICAL, &shells));
    struct two_electron *engine;
    check_ok(two_electron_create(shells, 0, NULL, &engine));
    struct shell_rectangle one = {.first = {0, 0}, .last = {1, 1}};
    double bound;
    check_ok(two_electron_bounds(engine, shells, &one, &bound));
    double expected = 2 * sqrt(1741 / acos(-1.0));
    check_close(bound * bound, expected, 1e-12 * expected);
    two_electron_destroy(engine);
    shells_destroy(shells);
    basis_set_fini(&set);
    molecule_fini(&molecule);
}

/* Bounds of one s, p, d and f shell with those of another atom, whose direction is given. */
static void bounds_of_direction(const double direction[3], double bounds[16])
{
    const char *text = "He 0\nS 1 1.00\n 1.1 1.0\nP 1 1.00\n 0.7 1.0\nD 1 1.00\n 0.9 1.0\n"
                       "F 1 1.00\n 1.3 1.0\n****\n";
    char xyz[256];
    snprintf(xyz, sizeof xyz, "2\n\nHe 0 0 0\nHe %.17g %.17g %.17g\n", 1.9 * direction[0],
             1.9 * direction[1], 1.9 * direction[2]);
    struct basis_set set;
    struct molecule molecule;
    struct shells *shells;
    struct two_electron *engine;
    struct molecule_settings settings = {.unit = LENGTH_BOHR};
    check_ok(basis_set_parse(text, strlen(text), "test", &set));
    check_ok(molecule_parse(xyz, strlen(xyz), "test", &settings, &molecule));
    check_ok(shells_create(&molecule, &set, BASIS_FORM_SPHERICAL, &shells));
    check_ok(two_electron_create(shells, 0, NULL, &engine));
    struct shell_rectangle atoms = {.first = {0, 4}, .last = {4, 8}};
    check_ok(two_electron_bounds(engine, shells, &atoms, bounds));
    two_electron_destroy(engine);
    shells_destroy(shells);
    basis_set_fini(&set);
    molecule_fini(&molecule);
}

static void bounds_do_not_depend_on_the_orientation(void **state)
{
    (void)state;
    double along_z[16], askew[16];
    bounds_of_direction((const double[]){0, 0, 1}, along_z);
    bounds_of_direction((const double[]){1.0 / 3, -2.0 / 3, 2.0 / 3}, askew);
    for (int i = 0; i < 16; i++) {
        assert_true(along_z[i] > 1e-3);
        check_close(askew[i], along_z[i], 1e-12 * along_z[i]);
    }
}

/* test_two_electron [all] */
int main(int argc, char **argv)
{
    if (argc > 1 && strcmp(argv[1], "all") == 0) {
        const struct CMUnitTest all[] = {cmocka_unit_test(all_high_classes)};
        return cmocka_run_group_tests(all, NULL, NULL);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_do_not_depend_on_the_orientation),
        cmocka_unit_test(known_value),
        cmocka_unit_test(contracted_classes_up_to_d),
        cmocka_unit_test(every_class_up_to_the_limit),
        cmocka_unit_test(cartesian_classes),
        cmocka_unit_test(contracted_high_classes),
        cmocka_unit_test(four_cartesian_h_shells),
        cmocka_unit_test(many_primitives),
        cmocka_unit_test(contraction_that_libint_splits),
        cmocka_unit_test(groups_of_shells),
        cmocka_unit_test(largest_groups),
        cmocka_unit_test(groups_of_wide_exponents),
        cmocka_unit_test(cutoff_keeps_diffuse_shells),
        cmocka_unit_test(coincident_centres),
        cmocka_unit_test(integrals_do_not_depend_on_the_batch),
        cmocka_unit_test(rows_have_the_bits_of_batches),
        cmocka_unit_test(names_of_engines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
