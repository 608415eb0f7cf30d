/* SPDX-License-Identifier: BSD-3-Clause */
/* Two-electron integrals are the same bits in any batch and in rows; bounds do not depend on the
 * orientation; the engines' names and memory. */
#include "tests/check.h"

#include "basis/integrals/two_electron.h"
#include "tests/unit/basis/four_groups.h"

#include <stdlib.h>
#include <string.h>

static const struct contraction primitive = {1, 3.1, 1}, two = {2, 3.1, 4.3}, six = {6, 3.1, 2};
static const struct contraction sixteen = {16, 3.1, 1.3}; /* 256 products of primitives */

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
    four_groups_init(letters, contraction, BASIS_FORM_SPHERICAL, &four);
    check_ok(shell_pairs_create(four.shells, &all, NULL, 0, &pairs));
    for (int i = 0; two_electron_engine_name(i); i++)
        for (int b = 0; b < pairs->n_classes; b++)
            for (int k = 0; k < pairs->n_classes; k++) {
                const struct pair_class *bra = &pairs->classes[b], *ket = &pairs->classes[k];
                if (bra->l_first + bra->l_second <= ket->l_first + ket->l_second)
                    check_batch(four.shells, bra, ket, i);
            }
    shell_pairs_destroy(pairs);
    four_groups_fini(&four);
}

TEST(integrals_do_not_depend_on_the_batch)
{
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
TEST(rows_have_the_bits_of_batches)
{
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
    four_groups_fini(&system);
}

TEST(names_of_engines)
{
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

static int64_t bytes_of_groups(const char *const letters[4], const struct contraction *contraction,
                               enum basis_form form)
{
    struct four_groups four;
    four_groups_init(letters, contraction, form, &four);
    int64_t bytes = two_electron_bytes(four.shells);
    four_groups_fini(&four);
    return bytes;
}

/* Scratch grows with the classes; of the primitives it has one quartet, and where they can fill the
 * vectors alone, the integrals of one quartet more. */
TEST(memory_has_a_bound)
{
    static const char *const high[] = {"H", "H", "H", "H"}, *const low[] = {"S", "P", "D", "F"};
    enum basis_form spherical = BASIS_FORM_SPHERICAL;
    int64_t bytes = bytes_of_groups(high, &primitive, spherical);
    assert_in_range(bytes, 1, 16 << 20);
    assert_true(bytes_of_groups(high, &six, spherical) == bytes);
    assert_in_range(bytes_of_groups(high, &sixteen, spherical), bytes,
                    bytes + 11 * 11 * 11 * 11 * QUARTET_LANES * (int64_t)sizeof(double));
    assert_in_range(bytes_of_groups(high, &primitive, BASIS_FORM_CARTESIAN), bytes, 64 << 20);
    assert_in_range(bytes_of_groups(low, &sixteen, spherical), 1, 4 << 20);
}

/* Bounds of an atom's s, p, d and f shells with another atom's in a given direction. */
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
