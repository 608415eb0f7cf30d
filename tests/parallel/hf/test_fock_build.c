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

enum { N_BUILDS = 2 };
static const int64_t tile_sizes[] = {5, 40};
enum { N_TILINGS = sizeof tile_sizes / sizeof tile_sizes[0] };

/* The set-up of every test: the last index is the number of spins - 1. */
static struct hf_system hf;
static struct tiling *tilings[N_TILINGS];
static struct screening *screenings[N_TILINGS];
static double *D[2];
static double *expected[2][2][2]; /* by symmetry, number of spins - 1 and spin */

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&hf, hf_system_molecule, hf_system_basis);
    size_t n = (size_t)hf.shells->n_functions;
    for (int spin = 0; spin < 2; spin++)
        D[spin] = whole_matrix_random((int64_t)n, 11 + (unsigned)spin);
    for (int i = 0; i < 4; i++) {
        double **F = expected[i / 2][i % 2];
        for (int spin = 0; spin < 2; spin++)
            F[spin] = malloc(n * n * sizeof(double));
        check_ok(fock_reference(hf.shells, THRESHOLD, (enum fock_symmetry)(i / 2), i % 2 + 1,
                                (const double *const *)D, F));
    }
    for (int t = 0; t < N_TILINGS; t++) {
        check_ok(tiling_create(hf.shells, tile_sizes[t], &tilings[t]));
        check_ok(screening_create(tilings[t], THRESHOLD, NULL, MPI_COMM_WORLD, &screenings[t]));
    }
}

static void stop(void)
{
    for (int t = 0; t < N_TILINGS; t++) {
        screening_destroy(screenings[t]);
        tiling_destroy(tilings[t]);
    }
    for (int spin = 0; spin < 2; spin++) {
        free(D[spin]);
        for (int i = 0; i < 4; i++)
            free(expected[i / 2][i % 2][spin]);
    }
    hf_system_fini(&hf);
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
        check_ok(tile_matrix_create(build->tiling, "D", DARRAY_DOUBLE, &build->D[spin]));
        check_ok(tile_matrix_create(build->tiling, "F", DARRAY_DOUBLE, &build->F[spin]));
        whole_matrix_put(build->tiling, D[spin], build->D[spin]);
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
    int64_t n = hf.shells->n_functions;
    double *const *of_spins = expected[build->symmetry][build->n_densities - 1];
    double *F = malloc((size_t)(n * n) * sizeof *F), largest = 0;
    for (int spin = 0; spin < build->n_densities; spin++) {
        whole_matrix_get(build->tiling, build->F[spin], F);
        for (int64_t i = 0; i < n * n; i++) {
            assert_true(isfinite(F[i]));
            largest = fmax(largest, fabs(F[i] - factor * of_spins[spin][i]));
        }
    }
    free(F);
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

static void check_all_matrices(int accumulate, int tiling)
{
    for (int choice = 0; choice < 4 * FOCK_N_DECOMPOSITIONS; choice++) {
        struct fock_settings settings = {
            .accumulate = accumulate, .decomposition = choice / 4, .symmetry = choice / 2 % 2};
        check_one_matrix(settings, screenings[tiling], 1 + choice % 2);
    }
}

TEST(small_tiles_give_the_reference_and_one_digest)
{
    check_all_matrices(FOCK_ACCUMULATE_FIXED, 0);
}

TEST(large_tiles_give_the_reference_and_one_digest)
{
    check_all_matrices(FOCK_ACCUMULATE_FIXED, 1);
}

TEST(plain_sums_give_the_reference)
{
    struct fock_settings settings = {.accumulate = FOCK_ACCUMULATE_FLOAT};
    for (int t = 0; t < N_TILINGS; t++)
        check_one_matrix(settings, screenings[t], 1 + t);
}

/* The other options of a pool change nothing either. */
TEST(every_pool_gives_one_digest)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .cache_bytes = 100000};
    struct digests first = {{{0}}};
    for (int i = 0; i < pool_case_count(true); i++) {
        struct build build;
        build_init(&build, screenings[0], &settings, pool_case_find(i, true), 2);
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
    int64_t n = hf.shells->n_functions;
    double *scaled = malloc((size_t)(n * n) * sizeof *scaled);
    for (int spin = 0; spin < build->n_densities; spin++) {
        for (int64_t i = 0; i < n * n; i++)
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
    for (int n_densities = 1; n_densities <= 2; n_densities++) {
        struct build build;
        build_init(&build, screenings[0], &settings, "--sched=counter", n_densities);
        check_ok(run(&build));
        put_scaled(&build, 0);
        check_ok(run(&build));
        assert_true(largest_error(&build, 0) == 0);
        /* Nothing of it passes the screening. */
        put_scaled(&build, 1e-300);
        check_ok(run(&build));
        assert_true(largest_error(&build, 0) == 0);
        put_scaled(&build, 1);
        check_ok(run(&build));
        assert_true(largest_error(&build, 1) < 1e-10);
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
        const struct screening *screening = screenings[choice / 4 % 2];
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
        build_init(&build, screenings[1], &settings, "--sched=counter", n_densities);
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
    int64_t n = hf.shells->n_functions;
    double *one = malloc((size_t)(n * n) * sizeof *one), *F = malloc((size_t)(n * n) * sizeof *F);
    check_ok(screening_create(tilings[0], 1e-100, NULL, MPI_COMM_WORLD, &screening));
    build_init(&build, screening, &settings, "--sched=counter", 1);
    check_ok(run(&build));
    whole_matrix_get(build.tiling, build.F[0], one);
    for (int exponent = -40; exponent <= 40; exponent += 20) {
        put_scaled(&build, ldexp(1, exponent));
        check_ok(run(&build));
        whole_matrix_get(build.tiling, build.F[0], F);
        for (int64_t i = 0; i < n * n; i++)
            assert_true(F[i] == ldexp(one[i], exponent));
    }
    build_fini(&build);
    screening_destroy(screening);
    free(one);
    free(F);
}

/* Whole matrices of the densities of number 0 to 3, the last two of none. */
static double *several_density(int number)
{
    int64_t n = hf.shells->n_functions;
    double *matrix = malloc((size_t)(n * n) * sizeof *matrix);
    for (int64_t i = 0; i < n * n; i++)
        matrix[i] = number < 2 ? D[number][i] : number * D[0][i] - 0.5 * D[1][i];
    return matrix;
}

/* J[total] - K[own], by the reference's unrestricted build of densities own and total - own. */
static double *expected_of(const double *total, const double *own)
{
    size_t size = (size_t)(hf.shells->n_functions * hf.shells->n_functions) * sizeof(double);
    double *rest = malloc(size), *F[2] = {malloc(size), malloc(size)};
    for (size_t i = 0; i < size / sizeof *rest; i++)
        rest[i] = total[i] - own[i];
    check_ok(fock_reference(hf.shells, THRESHOLD, FOCK_SYMMETRY_FULL, 2,
                            (const double *[]){own, rest}, F));
    free(rest);
    free(F[1]);
    return F[0];
}

/* Densities of one pass, and the matrices that it should give. */
struct several {
    struct density_kind kind;
    double *D[FOCK_MAX_MATRICES], *F[FOCK_MAX_MATRICES];
};

static void several_init(struct several *several, const struct density_kind *kind)
{
    size_t size = (size_t)(hf.shells->n_functions * hf.shells->n_functions);
    double share = kind->coulomb_scale * (kind->total ? 1 : 2.0 / kind->of_each);
    *several = (struct several){.kind = *kind};
    for (int i = 0; i < kind->n_matrices; i++)
        several->D[i] = several_density(i);
    for (int i = 0; i < kind->n_matrices; i++) {
        double *C = calloc(size, sizeof *C), *own = calloc(size, sizeof *own);
        int first = i / kind->of_each * kind->of_each, end = first + kind->of_each;
        for (int k = first; k < end && i < kind->n_coulomb * kind->of_each; k++)
            for (size_t at = 0; at < size; at++)
                C[at] += share * several->D[k][at];
        for (size_t at = 0; at < size; at++)
            own[at] = -kind->exchange_scale * several->D[i][at];
        several->F[i] = expected_of(C, own);
        free(C);
        free(own);
    }
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
    int64_t size = hf.shells->n_functions * hf.shells->n_functions;
    double *whole = malloc((size_t)size * sizeof *whole);
    struct darray *in[FOCK_MAX_MATRICES], *out[FOCK_MAX_MATRICES];
    for (int i = 0; i < several->kind.n_matrices; i++) {
        check_ok(tile_matrix_create(tiling, "D", DARRAY_DOUBLE, &in[i]));
        check_ok(tile_matrix_create(tiling, "F", DARRAY_DOUBLE, &out[i]));
        whole_matrix_put(tiling, several->D[i], in[i]);
    }
    check_ok(fock_build_several(fock, &several->kind, (const struct darray *const *)in, out));
    for (int i = 0; i < several->kind.n_matrices; i++) {
        whole_matrix_get(tiling, out[i], whole);
        for (int64_t k = 0; k < size; k++)
            check_close(whole[k], several->F[i][k], 1e-10);
        darray_destroy(in[i]);
        darray_destroy(out[i]);
    }
    free(whole);
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
        build_init(&build, screenings[choice / 2 % 2], &settings, "--sched=counter",
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
static void check_refused(const struct fock_settings *settings, double element, int spin,
                          int64_t place)
{
    struct build build;
    int64_t n = hf.shells->n_functions;
    build_init(&build, screenings[0], settings, "--sched=counter", 2);
    for (int round = 0; round < 2; round++) {
        double kept = D[spin][place * n];
        D[spin][place * n] = element;
        whole_matrix_put(build.tiling, D[spin], build.D[spin]);
        D[spin][place * n] = kept;
        check_status(STATUS_NUMERIC, run(&build));
        assert_true(status_text()[0] != '\0');
        whole_matrix_put(build.tiling, D[spin], build.D[spin]);
        check_ok(run(&build));
        assert_true(largest_error(&build, 1) < 1e-10);
    }
    build_fini(&build);
}

TEST(a_density_that_is_not_finite_is_refused_everywhere)
{
    int64_t n = hf.shells->n_functions;
    for (int prune = FOCK_PRUNE_NONE; prune <= FOCK_PRUNE_INSPECT; prune++) {
        struct fock_settings settings = {.prune = prune};
        check_refused(&settings, NAN, 0, 0);
        check_refused(&settings, NAN, 1, n - 1);
        check_refused(&settings, -INFINITY, 1, n / 2);
        settings.accumulate = FOCK_ACCUMULATE_FLOAT;
        check_refused(&settings, INFINITY, 0, n - 1);
    }
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
