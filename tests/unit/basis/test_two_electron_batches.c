/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals are the same bits in any batch and in rows; bounds do not depend on the
 * orientation; the engines' names and memory. */
#include "tests/check.h"

#include "basis/integrals/two_electron.h"
#include "tests/unit/basis/four_groups.h"

#include <stdlib.h>
#include <string.h>

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
    struct shells_case four = four_groups_make(letters, contraction, BASIS_FORM_SPHERICAL);
    struct shell_pairs *pairs = make_all_pairs(four.shells, true, NULL);
    for (int i = 0; two_electron_engine_name(i); i++)
        for (int b = 0; b < pairs->n_classes; b++)
            for (int k = 0; k < pairs->n_classes; k++) {
                const struct pair_class *bra = &pairs->classes[b], *ket = &pairs->classes[k];
                if (bra->l_first + bra->l_second <= ket->l_first + ket->l_second)
                    check_batch(four.shells, bra, ket, i);
            }
    shell_pairs_destroy(pairs);
    shells_case_fini(&four);
}

TEST(integrals_do_not_depend_on_the_batch)
{
    static const struct {
        const char *letters[4];
        const struct contraction *contraction;
    } cases[] = {{{"S", "P", "P", "S"}, &primitive}, {{"S", "P", "P", "S"}, &six},
                 {{"D", "P", "P", "D"}, &two},       {{"F", "D", "D", "F"}, &primitive},
                 {{"SS", "SP", "S", "SSS"}, &six},   {{"SS", "S", "SS", "PD"}, &primitive},
                 {{"G", "D", "G", "F"}, &primitive}, {{"S", "P", "S", "s"}, &sixteen}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_batches(cases[i].letters, cases[i].contraction);
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
TEST(rows_have_the_bits_of_batches)
{
    struct shells_case system = shells_case_make(
        "2\n\nHe 0 0 0.1\nHe 0.4 -1 4\n", "He 0\nS 1 1\n1e7 1\nS 1 1\n1e-3 1\nS 1 1\n0.9 1\n****\n",
        BASIS_FORM_SPHERICAL);
    struct shell_pairs *pairs = make_all_pairs(system.shells, true, NULL);
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
    shells_case_fini(&system);
}

TEST(names_of_engines)
{
#ifdef __x86_64__
    const char *expected = "avx512,avx2,baseline,libint";
#else
    const char *expected = "baseline,libint";
#endif
    char all[64] = "";
    for (int i = 0; two_electron_engine_name(i); i++)
        snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? "," : "",
                 two_electron_engine_name(i));
    assert_string_equal(all, expected);
    assert_string_equal(two_electron_engine_names(), expected);
}

/* Scratch of four groups of one shell each. */
static int64_t bytes_of_groups(const char *letters, const struct contraction *contraction,
                               enum basis_form form)
{
    const char names[4][2] = {{letters[0]}, {letters[1]}, {letters[2]}, {letters[3]}};
    struct shells_case four = four_groups_make(
        (const char *[]){names[0], names[1], names[2], names[3]}, contraction, form);
    int64_t bytes = two_electron_bytes(four.shells);
    shells_case_fini(&four);
    return bytes;
}

/* It grows with the classes; of the primitives it has one quartet, and where they can fill the
 * vectors alone, the integrals of one quartet more. */
TEST(memory_has_a_bound)
{
    enum basis_form spherical = BASIS_FORM_SPHERICAL;
    int64_t bytes = bytes_of_groups("HHHH", &primitive, spherical);
    assert_in_range(bytes, 1, 16 << 20);
    assert_int_equal(bytes_of_groups("HHHH", &six, spherical), bytes);
    assert_in_range(bytes_of_groups("HHHH", &sixteen, spherical), bytes,
                    bytes + 11 * 11 * 11 * 11 * QUARTET_LANES * (int64_t)sizeof(double));
    assert_in_range(bytes_of_groups("HHHH", &primitive, BASIS_FORM_CARTESIAN), bytes, 64 << 20);
    assert_in_range(bytes_of_groups("SPDF", &sixteen, spherical), 1, 4 << 20);
}

/* Bounds of an atom's s, p, d and f shells with another atom's in a given direction. */
static void bounds_of_direction(const double direction[3], double bounds[16])
{
    char xyz[256];
    snprintf(xyz, sizeof xyz, "2\n\nHe 0 0 0\nHe %.17g %.17g %.17g\n", 1.9 * direction[0],
             1.9 * direction[1], 1.9 * direction[2]);
    struct shells_case c = shells_case_make(
        xyz, "He 0\nS 1 1\n1.1 1\nP 1 1\n0.7 1\nD 1 1\n0.9 1\nF 1 1\n1.3 1\n****\n",
        BASIS_FORM_SPHERICAL);
    struct two_electron *engine;
    struct shell_rectangle atoms = {.first = {0, 4}, .last = {4, 8}};
    check_ok(two_electron_create(c.shells, 0, NULL, &engine));
    check_ok(two_electron_bounds(engine, c.shells, &atoms, bounds));
    two_electron_destroy(engine);
    shells_case_fini(&c);
}

TEST(bounds_do_not_depend_on_the_orientation)
{
    double along_z[16], askew[16];
    bounds_of_direction((const double[]){0, 0, 1}, along_z);
    bounds_of_direction((const double[]){1.0 / 3, -2.0 / 3, 2.0 / 3}, askew);
    for (int i = 0; i < 16; i++) {
        assert_true(along_z[i] > 1e-3);
        check_close(askew[i], along_z[i], 1e-12 * along_z[i]);
    }
}
