/* SPDX-License-Identifier: BSD-3-Clause */
/* Integrals over orbitals agree with nested loops, for any targets; they are
 * bitwise identical under every mode. */
#include "tce/integrals/ao_integrals.h"
#include "tce/integrals/mo_plan.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/mo_case.h"
#include "tests/reference/hessian_reference.h"

#include <malloc.h>

#define ALL_PATTERNS  "oooo ovoo oovv ovov ovvv vvvv vovo vvoo voov ooov vvov <vvov <vvvv <ovov"
#define SPIN_PATTERNS "<oooo <ooov <ovov <oovv <ovvv <vvvv <vovo"

enum { N_OCCUPIED = 6, N_BETA = 4, N_ORBITALS = 15, TILE = 4 };

/* One atom is beyond the reach of the others: pairs of tiles with it are null. */
static const char molecule[] = "4\n\nO 0.1 -0.2 0.3\nH 1.5 0.9 0.2\nH -1.2 1.1 -0.4\n"
                               "H 25.5 -26.0 24.5\n";

static struct hf_system hf;
static struct orbital_spaces orbitals, spin_orbitals;
static double *expected; /* (pq|rs) over all orbitals */

/* Coefficients that need not be orthonormal. Beta orbitals are the alpha orbitals in
 * reverse order. */
static void make_orbitals(void)
{
    int64_t n = hf.shells->n_functions, size = n * N_ORBITALS;
    double *alpha = whole_matrix_random(n, 17), *beta = malloc((size_t)size * sizeof *beta);
    for (int64_t i = 0; i < size; i++) {
        alpha[i] *= 0.5;
        beta[i / N_ORBITALS * N_ORBITALS + N_ORBITALS - 1 - i % N_ORBITALS] = alpha[i];
    }
    struct orbital_space space = {
        .n_functions = n, .n_orbitals = N_ORBITALS, .n_occupied = N_OCCUPIED, .C = alpha};
    space.n_virtual = N_ORBITALS - N_OCCUPIED;
    orbitals = (struct orbital_spaces){.n_orbital_sets = 1, .spin = {space}};
    spin_orbitals = (struct orbital_spaces){.n_orbital_sets = 2, .spin = {space, space}};
    spin_orbitals.spin[1].C = beta;
    spin_orbitals.spin[1].n_occupied = N_BETA;
    spin_orbitals.spin[1].n_virtual = N_ORBITALS - N_BETA;
}

/* to[y][z][u][p] = sum_x C[x][p] from[x][y][z][u]: after four of them all indices are
 * orbitals, in their old order. The sizes of y, z and u together are n_rest. */
static double *transform_first(double *from, int64_t n_rest)
{
    int64_t n = hf.shells->n_functions;
    double *to = calloc((size_t)(n_rest * N_ORBITALS), sizeof *to);
    for (int64_t x = 0; x < n; x++)
        for (int64_t rest = 0; rest < n_rest; rest++)
            for (int64_t p = 0; p < N_ORBITALS; p++)
                to[rest * N_ORBITALS + p] +=
                    orbitals.spin[0].C[x * N_ORBITALS + p] * from[x * n_rest + rest];
    free(from);
    return to;
}

static double *all_mo_integrals(void)
{
    int64_t n = hf.shells->n_functions, m = N_ORBITALS;
    double *whole = transform_first(reference_function_integrals(hf.shells), n * n * n);
    whole = transform_first(whole, n * n * m);
    whole = transform_first(whole, n * m * m);
    return transform_first(whole, m * m * m);
}

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&hf, molecule, hf_system_basis);
    hf_system_tile(&hf, 12, 1e-6);
    make_orbitals();
    expected = all_mo_integrals();
}

static void stop(void)
{
    free(expected);
    free(spin_orbitals.spin[0].C);
    free(spin_orbitals.spin[1].C);
    hf_system_fini(&hf);
    darray_stop();
}

/* The orbital of a value of a space. */
struct orbital {
    int spin;
    int64_t number; /* of alpha orbitals */
};

static struct orbital orbital_of(const struct orbital_spaces *spaces, char letter, int64_t value)
{
    const struct orbital_space *alpha = &spaces->spin[0], *beta = &spaces->spin[1];
    int64_t n_alpha = letter == 'o' ? alpha->n_occupied : alpha->n_virtual;
    if (value < n_alpha)
        return (struct orbital){0, (letter == 'o' ? 0 : alpha->n_occupied) + value};
    int64_t number = (letter == 'o' ? 0 : beta->n_occupied) + value - n_alpha;
    return (struct orbital){1, N_ORBITALS - 1 - number};
}

static double integral_of(const struct orbital o[4])
{
    int64_t m = N_ORBITALS;
    if (o[0].spin != o[1].spin || o[2].spin != o[3].spin)
        return 0;
    return expected[((o[0].number * m + o[1].number) * m + o[2].number) * m + o[3].number];
}

static void check_target(const struct orbital_spaces *spaces, const struct mo_target *target)
{
    double *whole = mo_case_whole(target->tensor), *element = whole;
    const struct index_space *const *space = block_index_labels(target->tensor->blocks)->space;
    int64_t value[4]; /* in the tensor's order */
    for (value[0] = 0; value[0] < space[0]->size; value[0]++)
        for (value[1] = 0; value[1] < space[1]->size; value[1]++)
            for (value[2] = 0; value[2] < space[2]->size; value[2]++)
                for (value[3] = 0; value[3] < space[3]->size; value[3]++) {
                    struct orbital o[4];
                    for (int d = 0; d < 4; d++)
                        o[d] =
                            orbital_of(spaces, target->pattern[d], value[mo_case_place(target, d)]);
                    check_close(*element++, integral_of(o), 1e-10);
                }
    free(whole);
}

/* half_bytes: of the problem */
static void check_targets(const struct orbital_spaces *spaces, const char *patterns, int64_t tile,
                          double half_bytes, const char *pool)
{
    struct mo_case mo;
    mo_case_init(&mo, hf.screening, spaces, tile, patterns);
    mo.problem.half_bytes = half_bytes;
    mo_case_run(&mo, pool);
    for (int i = 0; i < mo.problem.n_targets; i++)
        check_target(spaces, &mo.targets[i]);
    mo_case_fini(&mo);
}

TEST(all_targets_agree_with_nested_loops)
{
    static const int64_t tiles[] = {4, 5, 100};
    for (size_t i = 0; i < sizeof tiles / sizeof tiles[0]; i++)
        check_targets(&orbitals, ALL_PATTERNS, tiles[i], 0, "--sched=counter");
    check_targets(&orbitals, "ovov", 1, 0, "--sched=counter");
}

/* Steps that the requested targets do not need are left out. */
TEST(each_target_by_itself_agrees_with_nested_loops)
{
    static const char *const patterns[] = {"oooo", "ovoo",  "oovv",      "ovov", "ovvv",
                                           "vvvv", "vovo",  "oooo vvvv", "vvoo", "oovv vvoo",
                                           "voov", "<vvov", "<oovv",     ""};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        check_targets(&orbitals, patterns[i], TILE, 0, "--sched=static");
}

/* Batches of a limit have all pairs once, and hardly more bytes than that unless of one pair of tiles. */
static void check_batches(const struct orbital_spaces *spaces, const char *patterns, double limit)
{
    struct mo_case mo;
    struct mo_plan *plan, *whole;
    mo_case_init(&mo, hf.screening, spaces, TILE, patterns);
    check_ok(mo_plan_create(&mo.problem, &whole));
    mo.problem.half_bytes = limit;
    check_ok(mo_plan_create(&mo.problem, &plan));
    int64_t next = 0;
    assert_true(whole->n_batches == 1 && plan->n_batches > 1);
    for (int64_t b = 0; b < plan->n_batches; b++) {
        assert_true(plan->batches[b].first == next && plan->batches[b].end > next);
        next = plan->batches[b].end;
    }
    assert_true(next == whole->n_orbital_pairs);
    assert_true(mo_plan_half_bytes(plan) < mo_plan_half_bytes(whole));
    assert_true(limit < 1e3 || mo_plan_half_bytes(plan) <= 1.3 * limit);
    mo_plan_destroy(whole);
    mo_plan_destroy(plan);
    mo_case_fini(&mo);
}

TEST(batches_of_half_transformed_integrals)
{
    check_batches(&orbitals, ALL_PATTERNS, 1);
    check_batches(&orbitals, ALL_PATTERNS, 1.5e5);
    check_batches(&spin_orbitals, SPIN_PATTERNS, 1);
    check_targets(&orbitals, ALL_PATTERNS, TILE, 1, "--sched=counter");
    check_targets(&orbitals, ALL_PATTERNS, TILE, 1.5e5, "--sched=steal");
    check_targets(&spin_orbitals, SPIN_PATTERNS, TILE, 1, "--sched=static");
}

TEST(targets_over_spin_orbitals_agree_with_nested_loops)
{
    static const char *const patterns[] = {SPIN_PATTERNS, "<oovv", "<vvvv", "<ovov"};
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0]; i++)
        check_targets(&spin_orbitals, patterns[i], TILE, 0, "--sched=steal");
    check_targets(&spin_orbitals, SPIN_PATTERNS, 100, 0, "--sched=counter");
}

/* <ab|cd> packed over (a, b) and (c, d) as it is computed, and afterwards. */
static void check_packed_integrals(const struct orbital_spaces *spaces, int64_t tile, int sign)
{
    struct mo_case mo;
    struct pair_space *pairs;
    struct tensor *packed[2];
    mo_case_init(&mo, hf.screening, spaces, tile, "<vvvv");
    check_ok(pair_space_create(mo.virtual, sign, &pairs));
    const struct block_labels labels = {
        .rank = 2, .space = {pairs->space, pairs->space}, .sign = {1, -1}};
    const struct packing packing = {.n = 2,
                                    .place = {{0, 1, pairs, false}, {2, 3, pairs, true}},
                                    .n_terms = 2,
                                    .term = {{0, 0.5}, {2, 0.5 * sign}}};
    for (int t = 0; t < 2; t++)
        check_ok(tensor_create("packed", &labels, MPI_COMM_WORLD, &packed[t]));
    mo.targets[1] = mo.targets[0];
    mo.targets[1].tensor = packed[0];
    mo.targets[1].packing = &packing;
    mo.targets[1].labels = block_index_labels(mo.targets[0].tensor->blocks);
    mo.problem.n_targets = 2;
    mo_case_run(&mo, "--sched=steal");
    check_ok(mo_integrals_run(mo.integrals));
    check_ok(packing_pack(&packing, mo.targets[0].tensor, packed[1]));
    for (int64_t b = 0; b < block_index_n(packed[0]->blocks); b++) {
        const double *own = darray_local(packed[0]->data, b);
        if (own)
            assert_memory_equal(own, darray_local(packed[1]->data, b),
                                (size_t)darray_block_size(packed[0]->data, b) * sizeof *own);
    }
    darray_sync();
    tensor_destroy(packed[1]);
    mo_case_fini(&mo);
    pair_space_destroy(pairs);
}

TEST(integrals_are_packed_as_they_are_computed)
{
    static const int64_t tiles[] = {1, TILE, 100};
    for (int t = 0; t < 3; t++)
        for (int sign = -1; sign <= 1; sign += 2)
            check_packed_integrals(&orbitals, tiles[t], sign);
    check_packed_integrals(&spin_orbitals, TILE, -1);
}

TEST(every_mode_gives_the_same_bits_again_and_again)
{
    char digests[2][SHA256_HEX_SIZE], again[SHA256_HEX_SIZE];
    for (int i = 0; i < pool_case_count(true); i++) {
        struct mo_case mo;
        mo_case_init(&mo, hf.screening, &orbitals, TILE, "ovoo vvov");
        mo_case_run(&mo, pool_case_find(i, true));
        for (int run = 0; run < 2; run++) {
            for (int t = 0; t < 2; t++) {
                check_ok(tensor_sha256(mo.targets[t].tensor, MPI_COMM_WORLD, again));
                if (i + run == 0)
                    memcpy(digests[t], again, sizeof again);
                assert_string_equal(again, digests[t]);
            }
            check_ok(mo_integrals_run(mo.integrals));
        }
        mo_case_fini(&mo);
    }
}

TEST(the_threshold_leaves_out_what_is_small)
{
    struct mo_case mo;
    mo_case_init(&mo, hf.screening, &orbitals, TILE, "ovov");
    mo.problem.threshold = 1e3;
    mo_case_run(&mo, "--sched=counter");
    double *whole = mo_case_whole(mo.targets[0].tensor);
    for (int64_t i = 0; i < mo.targets[0].tensor->n_elements; i++)
        assert_true(whole[i] == 0);
    free(whole);
    mo_case_fini(&mo);
}

static double allocated_bytes(void)
{
    struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* Fails unless what the heap gave since `before` is near the estimate: unknown_bytes of engines and
 * pools come in addition, and a part of the estimate is needed only at the beginning. */
static void check_estimate(const char *what, double estimate, double unknown_bytes, double before)
{
    double taken = allocated_bytes() - before;
    if (taken > estimate + unknown_bytes || taken < 0.3 * estimate)
        fail_msg("%s: %.0f bytes were taken, the estimate is %.0f", what, taken, estimate);
}

TEST(estimates_of_memory_are_what_is_taken)
{
    struct mo_case mo;
    struct mo_plan *plan;
    struct ao_integrals *ao;
    struct tensor *again;
    struct taskpool_settings settings = pool_case_settings("--sched=counter");
    mo_case_init(&mo, hf.screening, &orbitals, 1, "vvvv");
    const struct block_index *blocks = mo.targets[0].tensor->blocks;
    double before = allocated_bytes();
    check_ok(tensor_create("again", block_index_labels(blocks), MPI_COMM_WORLD, &again));
    check_estimate("tensor", tensor_index_bytes(block_index_n(blocks)), 1 << 16, before);
    tensor_destroy(again);
    before = allocated_bytes();
    check_ok(ao_integrals_create(hf.screening, 1e-12, &ao));
    check_estimate("integrals", ao_integrals_bytes(hf.shells), 3 << 20, before);
    ao_integrals_destroy(ao);
    check_ok(mo_plan_create(&mo.problem, &plan));
    before = allocated_bytes();
    check_ok(mo_integrals_create(&mo.problem, &settings, MPI_COMM_WORLD, &mo.integrals));
    check_estimate("transformation", mo_plan_process_bytes(plan), 3 << 20, before);
    mo_plan_destroy(plan);
    mo_case_fini(&mo);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
