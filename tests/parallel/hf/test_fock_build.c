/* SPDX-License-Identifier: BSD-3-Clause */
/* The Fock matrix agrees with a serial reference that screens the same way, however its
 * tasks are made, scheduled and summed; and bit for bit among the ways that leave
 * the tasks' contributions the same. */
#include "hf/fock/fock_build.h"
#include "support/base/sha256.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/pool_cases.h"
#include "tests/reference/fock_reference.h"

/* So high that many quartets, and whole tiles, are left out. */
#define THRESHOLD 1e-4

enum { N_BUILDS = 2, N_TILINGS = 2 };

/* In small and in large tiles. */
static struct hf_system systems[N_TILINGS];
static int64_t n_functions, size; /* of a matrix, in elements */
static double *D[2];
static double *expected[2][2][2]; /* by symmetry, number of spins - 1 and spin */

static double *new_matrix(void)
{
    double *matrix = calloc((size_t)size, sizeof *matrix);
    assert_non_null(matrix);
    return matrix;
}

static void start(void)
{
    static const int64_t tile_sizes[] = {5, 40};
    check_ok(darray_start());
    for (int t = 0; t < N_TILINGS; t++) {
        hf_system_init(&systems[t], hf_system_molecule, hf_system_basis);
        hf_system_tile(&systems[t], tile_sizes[t], THRESHOLD);
    }
    n_functions = systems[0].shells->n_functions;
    size = n_functions * n_functions;
    for (unsigned spin = 0; spin < 2; spin++)
        D[spin] = whole_matrix_random(n_functions, 11 + spin);
    for (int i = 0; i < 4; i++) {
        double **F = expected[i / 2][i % 2];
        F[0] = new_matrix();
        F[1] = new_matrix();
        check_ok(fock_reference(systems[0].shells, THRESHOLD, (enum fock_symmetry)(i / 2),
                                i % 2 + 1, (const double *const *)D, F));
    }
}

static void stop(void)
{
    for (int t = 0; t < N_TILINGS; t++)
        hf_system_fini(&systems[t]);
    for (int i = 0; i < 8; i++)
        free(expected[i / 4][i / 2 % 2][i % 2]);
    free(D[0]);
    free(D[1]);
    darray_stop();
}

/* A build and its matrices. */
struct build {
    const struct tiling *tiling;
    struct fock *fock;
    int symmetry, n_densities;
    struct darray *D[2], *F[2];
};

static void build_init(struct build *build, const struct screening *screening,
                       const struct fock_settings *settings, const char *pool, int n_densities)
{
    struct taskpool_settings pool_settings = pool_case_settings(pool);
    *build = (struct build){
        .tiling = screening->tiling, .symmetry = settings->symmetry, .n_densities = n_densities};
    check_ok(fock_create(screening, settings, &pool_settings, MPI_COMM_WORLD, &build->fock));
    for (int spin = 0; spin < n_densities; spin++) {
        build->D[spin] = tiles_create(build->tiling, D[spin]);
        build->F[spin] = tiles_create(build->tiling, NULL);
    }
}

static void build_fini(struct build *build)
{
    for (int spin = 0; spin < 2; spin++) {
        darray_destroy(build->D[spin]);
        darray_destroy(build->F[spin]);
    }
    fock_destroy(build->fock);
}

static enum status run(struct build *build)
{
    return fock_build(build->fock, build->n_densities, (const struct darray *const *)build->D,
                      build->F);
}

/* The largest element of F - factor * expected. */
static double largest_error(const struct build *build, double factor)
{
    double largest = 0;
    for (int spin = 0; spin < build->n_densities; spin++) {
        double *F = tiles_whole(build->tiling, build->F[spin]);
        const double *of_spin = expected[build->symmetry][build->n_densities - 1][spin];
        largest = fmax(largest, largest_difference(size, F, factor, of_spin));
        free(F);
    }
    return largest;
}

/* The digests of all spins. */
struct digests {
    char text[2][SHA256_HEX_SIZE];
};

static struct digests digests_of(const struct build *build)
{
    struct digests digests = {{{0}}};
    for (int spin = 0; spin < build->n_densities; spin++)
        check_ok(tile_matrix_sha256(build->tiling, build->F[spin], digests.text[spin]));
    return digests;
}

/* One decomposition, symmetry, tile size and number of spins under every pruning and two
 * modes, each built more than once: one F. Every other build has no cache, so that each
 * pruning and each mode runs with and without. */
static void check_one_matrix(struct fock_settings settings, const struct screening *screening,
                             int n_densities)
{
    static const char *const modes[] = {"--sched=static", "--sched=counter"};
    struct digests first = {{{0}}};
    for (int way = 0; way < 6; way++) {
        struct build build;
        settings.prune = way % 3;
        settings.cache_bytes = way % 2 ? 100000000 : 0;
        build_init(&build, screening, &settings, modes[way / 3], n_densities);
        for (int i = 0; i < N_BUILDS; i++) {
            check_ok(run(&build));
            if (settings.accumulate == FOCK_ACCUMULATE_FLOAT)
                continue;
            struct digests digests = digests_of(&build);
            if (way + i == 0)
                first = digests;
            assert_memory_equal(&digests, &first, sizeof digests);
        }
        assert_true(largest_error(&build, 1) < 1e-10);
        assert_int_equal(fock_n_builds(build.fock), N_BUILDS);
        const struct fock_tasks *tasks = fock_tasks_of(build.fock);
        int64_t n_run = fock_records(build.fock)[N_BUILDS - 1].statistics.tasks;
        assert_int_equal(n_run, settings.prune == FOCK_PRUNE_NONE ? fock_tasks_n_all(tasks)
                                                                  : fock_tasks_n_non_null(tasks));
        build_fini(&build);
    }
}

TEST(every_way_gives_the_reference_and_one_digest)
{
    for (int choice = 0; choice < 8 * FOCK_N_DECOMPOSITIONS; choice++) {
        struct fock_settings settings = {.accumulate = FOCK_ACCUMULATE_FIXED,
                                         .decomposition = choice / 8,
                                         .symmetry = choice / 2 % 2};
        check_one_matrix(settings, systems[choice / 4 % 2].screening, 1 + choice % 2);
    }
}

TEST(plain_sums_give_the_reference)
{
    struct fock_settings settings = {.accumulate = FOCK_ACCUMULATE_FLOAT};
    for (int t = 0; t < N_TILINGS; t++)
        check_one_matrix(settings, systems[t].screening, 1 + t);
}

/* The other options of a pool change nothing either. */
TEST(every_pool_gives_one_digest)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .cache_bytes = 100000};
    struct digests first = {{{0}}};
    for (int i = 0; i < pool_case_count(true); i++) {
        struct build build;
        build_init(&build, systems[0].screening, &settings, pool_case_find(i, true), 2);
        check_ok(run(&build));
        check_ok(run(&build));
        struct digests digests = digests_of(&build);
        if (i == 0)
            first = digests;
        assert_memory_equal(&digests, &first, sizeof digests);
        build_fini(&build);
    }
}

static void put_scaled(const struct build *build, double factor)
{
    double *scaled = new_matrix();
    for (int spin = 0; spin < build->n_densities; spin++) {
        for (int64_t i = 0; i < size; i++)
            scaled[i] = factor * D[spin][i];
        whole_matrix_put(build->tiling, scaled, build->D[spin]);
    }
    free(scaled);
}

/* Densities as small as the differences at the end of an SCF, none, and larger
 * than any. */
TEST(the_grid_of_the_sums_follows_the_density)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .cache_bytes = 1000000};
    /* Nothing of the least one passes the screening. */
    static const double factors[] = {1, 0, 1e-300, 1};
    for (int n_densities = 1; n_densities <= 2; n_densities++) {
        struct build build;
        build_init(&build, systems[0].screening, &settings, "--sched=counter", n_densities);
        for (int i = 0; i < 4; i++) {
            put_scaled(&build, factors[i]);
            check_ok(run(&build));
            assert_true(largest_error(&build, factors[i] == 1) <= (factors[i] == 1 ? 1e-10 : 0));
        }
        build_fini(&build);
    }
}

/* The integrals that a build computes from D times a factor, and then one from zero. */
static void check_integrals(const struct screening *screening, const struct fock_settings *settings,
                            int n_densities, double factor, int64_t expected_n,
                            int64_t expected_of_zero)
{
    struct build build;
    build_init(&build, screening, settings, "--sched=counter", n_densities);
    put_scaled(&build, factor);
    check_ok(run(&build));
    assert_true(largest_error(&build, factor) < 1e-10 * factor);
    put_scaled(&build, 0);
    check_ok(run(&build));
    assert_true(largest_error(&build, 0) == 0);
    assert_int_equal(fock_records(build.fock)[0].integrals, expected_n);
    assert_int_equal(fock_records(build.fock)[1].integrals, expected_of_zero);
    build_fini(&build);
}

/* Under the rule `schwarz` builds compute all integrals above the threshold for any density. Under
 * `density` they compute all for a large density, and none for a zero one. */
TEST(builds_compute_as_many_integrals_as_are_counted)
{
    for (int choice = 0; choice < 8 * FOCK_N_DECOMPOSITIONS; choice++) {
        const struct screening *screening = systems[choice / 4 % 2].screening;
        int n_densities = 1 + choice % 2;
        struct fock_settings settings = {.symmetry = choice / 2 % 2,
                                         .decomposition = choice / 8,
                                         .prune = FOCK_PRUNE_INSPECT,
                                         .screening = SCREENING_SCHWARZ,
                                         .cache_bytes = 1000000};
        struct integral_count count;
        check_ok(screening_count_integrals(screening, MPI_COMM_WORLD, &count));
        int64_t n = settings.symmetry == FOCK_SYMMETRY_FULL ? count.unique : count.all;
        assert_true(n > 0);
        check_integrals(screening, &settings, n_densities, 0x1p-20, n, n);
        settings.screening = SCREENING_DENSITY;
        check_integrals(screening, &settings, n_densities, 0x1p20, n, 0);
    }
}

/* Integrals of all builds so far. */
static int64_t sum_integrals(const struct fock *fock)
{
    int64_t n = 0;
    for (int64_t i = 0; i < fock_n_builds(fock); i++)
        n += fock_records(fock)[i].integrals;
    return n;
}

/* A larger cutoff leaves fewer integrals and a larger error. The error is at most the cutoff times
 * the number of quartets that change an element. At cutoff 0 F is unchanged. */
TEST(a_cutoff_bounds_what_is_left_out)
{
    const double cutoffs[] = {0, 1e-3, 1e-2, 0.1};
    for (int choice = 0; choice < 4; choice++) {
        int n_densities = 1 + choice % 2;
        struct fock_settings settings = {
            .symmetry = choice / 2, .screening = SCREENING_DENSITY, .cache_bytes = 1000000};
        struct build build;
        build_init(&build, systems[1].screening, &settings, "--sched=counter", n_densities);
        int64_t last_n = INT64_MAX;
        double last_error = 0;
        for (int i = 0; i < 4; i++) {
            int64_t before = sum_integrals(build.fock);
            fock_set_cutoff(build.fock, cutoffs[i]);
            check_ok(run(&build));
            int64_t n = sum_integrals(build.fock) - before;
            double error = largest_error(&build, 1);
            assert_true(n > 0 && n < last_n && error >= last_error &&
                        error < 100 * cutoffs[i] + 1e-10);
            assert_true(i == 0 || error > 0);
            last_n = n;
            last_error = error;
        }
        fock_set_cutoff(build.fock, 0);
        check_ok(run(&build));
        assert_true(largest_error(&build, 1) < 1e-10);
        build_fini(&build);
    }
}

/* At a threshold where all counts, F is linear in D over many orders of magnitude. */
TEST(the_matrix_is_linear_in_the_density)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .cache_bytes = 1000000};
    struct screening *screening;
    struct build build;
    check_ok(screening_create(systems[0].tiling, 1e-100, NULL, MPI_COMM_WORLD, &screening));
    build_init(&build, screening, &settings, "--sched=counter", 1);
    check_ok(run(&build));
    double *one = tiles_whole(build.tiling, build.F[0]);
    for (int exponent = -40; exponent <= 40; exponent += 20) {
        put_scaled(&build, ldexp(1, exponent));
        check_ok(run(&build));
        double *F = tiles_whole(build.tiling, build.F[0]);
        assert_true(largest_difference(size, F, ldexp(1, exponent), one) == 0);
        free(F);
    }
    build_fini(&build);
    screening_destroy(screening);
    free(one);
}

/* Densities of one pass, and the matrices that it should give. */
struct several {
    struct density_kind kind;
    double *D[FOCK_MAX_MATRICES], *F[FOCK_MAX_MATRICES];
};

/* J[total] - K[own], by the reference's unrestricted build of densities own and total - own. */
static double *several_expected(const struct density_kind *kind, int i, double *const densities[])
{
    double scale = kind->coulomb_scale * (kind->total ? 1 : 2.0 / kind->of_each);
    double *own = new_matrix(), *rest = new_matrix(), *F[2] = {new_matrix(), new_matrix()};
    int first = i / kind->of_each * kind->of_each;
    for (int64_t at = 0; at < size; at++) {
        own[at] = -kind->exchange_scale * densities[i][at];
        rest[at] = -own[at];
        for (int k = 0; k < kind->of_each && i < kind->n_coulomb * kind->of_each; k++)
            rest[at] += scale * densities[first + k][at];
    }
    check_ok(fock_reference(systems[0].shells, THRESHOLD, FOCK_SYMMETRY_FULL, 2,
                            (const double *[]){own, rest}, F));
    free(own);
    free(rest);
    free(F[1]);
    return F[0];
}

static void several_init(struct several *several, const struct density_kind *kind)
{
    *several = (struct several){.kind = *kind};
    for (int i = 0; i < kind->n_matrices; i++) {
        several->D[i] = new_matrix();
        for (int64_t at = 0; at < size; at++)
            several->D[i][at] = i < 2 ? D[i][at] : i * D[0][at] - 0.5 * D[1][at];
    }
    for (int i = 0; i < kind->n_matrices; i++)
        several->F[i] = several_expected(kind, i, several->D);
}

static void several_fini(struct several *several)
{
    for (int i = 0; i < several->kind.n_matrices; i++) {
        free(several->D[i]);
        free(several->F[i]);
    }
}

static void check_several(struct fock *fock, const struct tiling *tiling,
                          const struct several *several)
{
    struct darray *in[FOCK_MAX_MATRICES], *out[FOCK_MAX_MATRICES];
    for (int i = 0; i < several->kind.n_matrices; i++) {
        in[i] = tiles_create(tiling, several->D[i]);
        out[i] = tiles_create(tiling, NULL);
    }
    check_ok(fock_build_several(fock, &several->kind, (const struct darray *const *)in, out));
    for (int i = 0; i < several->kind.n_matrices; i++) {
        double *F = tiles_whole(tiling, out[i]);
        check_close(largest_difference(size, F, 1, several->F[i]), 0, 1e-10);
        free(F);
        darray_destroy(in[i]);
        darray_destroy(out[i]);
    }
}

/* Every number of matrices, with and without Coulomb parts, some with scales other than
 * Hartree-Fock's, between builds of densities, with every digestion. */
TEST(several_matrices_share_a_pass)
{
    enum { N = 12 };
    static const struct density_kind kinds[N] = {
        {1, 0, 1, false, 1, -1},       {2, 0, 1, false, 1, -1},    {4, 0, 1, false, 1, -1},
        {1, 1, 1, false, 1, -1},       {4, 1, 1, false, 1, -1},    {3, 2, 1, false, 1, -1},
        {2, 1, 2, false, 1, -1},       {3, 1, 2, false, 1, -1},    {4, 2, 2, false, 1, -1},
        {4, 2, 2, false, -0.7, -0.21}, {3, 2, 1, false, 0.4, 0.9}, {1, 1, 1, true, 0.6, -0.1}};
    struct several all[N];
    for (int i = 0; i < N; i++)
        several_init(&all[i], &kinds[i]);
    for (int choice = 0; choice < 4 * FOCK_N_DECOMPOSITIONS; choice++) {
        struct fock_settings settings = {.symmetry = choice % 2,
                                         .decomposition = choice / 4,
                                         .prune = FOCK_PRUNE_INSPECT,
                                         .cache_bytes = 1000000,
                                         .kept_bytes = choice % 3 == 0 ? 0 : 10000000};
        struct build build;
        build_init(&build, systems[choice / 2 % 2].screening, &settings, "--sched=counter",
                   1 + choice % 2);
        for (int i = 0; i < N; i++) {
            check_several(build.fock, build.tiling, &all[i]);
            check_ok(run(&build));
            assert_true(largest_error(&build, 1) < 1e-10);
        }
        build_fini(&build);
    }
    for (int i = 0; i < N; i++)
        several_fini(&all[i]);
}

/* A bad element of one tile, on any process, stops the build everywhere and has no effect on the
 * next build. */
TEST(a_density_that_is_not_finite_is_refused_everywhere)
{
    static const struct {
        double element;
        int spin, accumulate;
        bool last; /* row, or the first */
    } rows[] = {{NAN, 0, FOCK_ACCUMULATE_FIXED, false},
                {NAN, 1, FOCK_ACCUMULATE_FIXED, true},
                {-INFINITY, 1, FOCK_ACCUMULATE_FIXED, true},
                {INFINITY, 0, FOCK_ACCUMULATE_FLOAT, true}};
    for (int way = 0; way < 12; way++) {
        const struct fock_settings settings = {.prune = way % 3,
                                               .accumulate = rows[way / 3].accumulate};
        int spin = rows[way / 3].spin;
        double *bad = &D[spin][rows[way / 3].last ? (n_functions - 1) * n_functions : 0];
        const double kept = *bad;
        struct build build;
        build_init(&build, systems[0].screening, &settings, "--sched=counter", 2);
        for (int round = 0; round < 2; round++) {
            *bad = rows[way / 3].element;
            whole_matrix_put(build.tiling, D[spin], build.D[spin]);
            *bad = kept;
            check_status(STATUS_NUMERIC, run(&build));
            assert_true(status_text()[0] != '\0');
            whole_matrix_put(build.tiling, D[spin], build.D[spin]);
            check_ok(run(&build));
            assert_true(largest_error(&build, 1) < 1e-10);
        }
        build_fini(&build);
    }
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
