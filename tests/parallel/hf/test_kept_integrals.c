/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds that keep integrals give the matrices of builds that compute all of them, bit for bit, however
 * much is kept, in every mode; and read what they kept. */
#include "hf/fock/fock_build.h"
#include "hf/fock/integral_store.h"
#include "support/base/sha256.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/pool_cases.h"

#define THRESHOLD 1e-6

enum { TILE = 5, N_DENSITIES = 4 };

static const char *const modes[] = {"--sched=static",    "--sched=counter", "--sched=steal",
                                    "--sched=retentive", "--sched=persist", "--sched=auto"};
enum { N_MODES = sizeof modes / sizeof modes[0], FIRST_THAT_REMEMBERS = 3, N_REPEATS = 6 };

static struct hf_system hf;
static double *densities[N_DENSITIES][2];
static int n_processes;

/* The digests of F of all densities and spins. */
struct digests {
    char text[N_DENSITIES][2][SHA256_HEX_SIZE];
};

/* Elements of sizes that differ by many orders of magnitude, so that each density leaves out other
 * quartets. Builds differ in the number of spins, too. */
static double *make_density(int number, int spin)
{
    int64_t n = hf.shells->n_functions;
    double *D = whole_matrix_random(n, 5 + 2 * (unsigned)number + (unsigned)spin);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            D[i * n + j] *= ldexp(1, -2 * number - (int)((i + j) * (number + 1) % 17));
    return D;
}

static int spins_of(int number)
{
    return number % 3 == 2 ? 2 : 1;
}

static void start_kept(void)
{
    check_ok(darray_start());
    MPI_Comm_size(MPI_COMM_WORLD, &n_processes);
    hf_system_init(&hf, hf_system_molecule, hf_system_basis);
    hf_system_tile(&hf, TILE, THRESHOLD);
    for (int i = 0; i < N_DENSITIES; i++)
        for (int spin = 0; spin < 2; spin++)
            densities[i][spin] = make_density(i, spin);
}

static void stop_kept(void)
{
    for (int i = 0; i < N_DENSITIES; i++)
        for (int spin = 0; spin < 2; spin++)
            free(densities[i][spin]);
    hf_system_fini(&hf);
    darray_stop();
}

static struct fock *create_builds(const struct fock_settings *settings, const char *mode)
{
    struct taskpool_settings pool = pool_case_settings(mode);
    struct fock *fock;
    check_ok(fock_create(hf.screening, settings, &pool, MPI_COMM_WORLD, &fock));
    return fock;
}

static void build_from(struct fock *fock, int number, char sha256[2][SHA256_HEX_SIZE])
{
    struct darray *D[2] = {NULL}, *F[2] = {NULL};
    int n_densities = spins_of(number);
    for (int spin = 0; spin < n_densities; spin++) {
        D[spin] = tiles_create(hf.tiling, densities[number][spin]);
        F[spin] = tiles_create(hf.tiling, NULL);
    }
    check_ok(fock_build(fock, n_densities, (const struct darray *const *)D, F));
    for (int spin = 0; spin < n_densities; spin++)
        check_ok(tile_matrix_sha256(hf.tiling, F[spin], sha256[spin]));
    for (int spin = 0; spin < 2; spin++) {
        darray_destroy(F[spin]);
        darray_destroy(D[spin]);
    }
}

static struct digests build_all(struct fock *fock)
{
    struct digests digests = {{{{0}}}};
    for (int i = 0; i < N_DENSITIES; i++)
        build_from(fock, i, digests.text[i]);
    return digests;
}

static void check_nothing_is_kept(const struct fock *fock)
{
    for (int64_t i = 0; i < fock_n_builds(fock); i++) {
        const struct fock_record *record = &fock_records(fock)[i];
        assert_int_equal(record->integrals_read, 0);
        assert_int_equal(record->kept_bytes + record->kept_hits + record->kept_misses, 0);
    }
}

static struct digests build_directly(struct fock_settings settings, const char *mode)
{
    settings.kept_bytes = 0;
    struct fock *fock = create_builds(&settings, mode);
    struct digests digests = build_all(fock);
    check_nothing_is_kept(fock);
    fock_destroy(fock);
    return digests;
}

static int64_t bytes_for_all(const struct fock_settings *settings)
{
    return (int64_t)integral_store_most_bytes(hf.tiling, (enum fock_symmetry)settings->symmetry,
                                              NULL, 1);
}

/* The records of builds with this bound. Tile quartets with integrals to keep are the same in all. */
static void check_kept_records(const struct fock *fock, int64_t kept_bytes, int64_t *n_to_keep)
{
    for (int64_t i = 0; i < fock_n_builds(fock); i++) {
        const struct fock_record *record = &fock_records(fock)[i];
        assert_true(record->kept_bytes <= kept_bytes * n_processes);
        assert_in_range(record->integrals_read, 0, record->integrals);
        assert_true(i > 0 || record->kept_hits == 0);
        if (*n_to_keep == 0)
            *n_to_keep = record->kept_misses;
        assert_true(*n_to_keep > 0);
        assert_int_equal(record->kept_hits + record->kept_misses, *n_to_keep);
    }
}

/* Bounds that leave room for all, for some, for less than pays, and none at all. */
static void check_all_bounds(struct fock_settings settings, const char *mode)
{
    int64_t all = bytes_for_all(&settings);
    int64_t bounds[] = {all, all / 4 / n_processes, all / 40 / n_processes, 1}, n_to_keep = 0;
    struct digests direct = build_directly(settings, mode);
    for (int i = 0; i < 4; i++) {
        settings.kept_bytes = bounds[i];
        struct fock *fock = create_builds(&settings, mode);
        struct digests digests = build_all(fock);
        assert_memory_equal(&digests, &direct, sizeof direct);
        if (i < 2)
            check_kept_records(fock, bounds[i], &n_to_keep);
        else
            check_nothing_is_kept(fock);
        fock_destroy(fock);
    }
}

TEST(any_bound_gives_the_bits_of_direct_builds)
{
    for (int choice = 0; choice < 4; choice++) {
        struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT,
                                         .symmetry = choice % 2,
                                         .decomposition = choice / 2 % 2,
                                         .screening = (choice + choice / 2) % 2,
                                         .cache_bytes = 100000};
        check_all_bounds(settings, "--sched=static");
    }
}

/* On one process sums in floating point have one order, too. */
TEST(plain_sums_have_the_bits_of_direct_builds)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT,
                                     .accumulate = FOCK_ACCUMULATE_FLOAT};
    if (n_processes == 1)
        check_all_bounds(settings, "--sched=static");
}

TEST(every_mode_gives_the_bits_of_direct_builds)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT};
    struct digests direct = build_directly(settings, modes[0]);
    int64_t all = bytes_for_all(&settings);
    for (int mode = 0; mode < N_MODES; mode++)
        for (int part = 1; part <= 3; part += 2) {
            settings.kept_bytes = all / part;
            struct fock *fock = create_builds(&settings, modes[mode]);
            struct digests digests = build_all(fock);
            assert_memory_equal(&digests, &direct, sizeof direct);
            fock_destroy(fock);
        }
}

/* Tasks that stay on their process find all integrals that builds before have used. */
TEST(later_builds_read_what_earlier_ones_computed)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .screening = SCREENING_SCHWARZ};
    settings.kept_bytes = bytes_for_all(&settings);
    struct fock *fock = create_builds(&settings, "--sched=static");
    build_all(fock);
    const struct fock_record *records = fock_records(fock);
    assert_int_equal(records[0].integrals_read, 0);
    assert_int_equal(records[0].kept_hits, 0);
    for (int i = 1; i < N_DENSITIES; i++) {
        assert_int_equal(records[i].integrals_read, records[i].integrals);
        assert_int_equal(records[i].kept_misses, 0);
        assert_int_equal(records[i].kept_bytes, records[0].kept_bytes);
    }
    fock_forget_integrals(fock);
    char sha256[2][SHA256_HEX_SIZE];
    build_from(fock, 0, sha256);
    assert_int_equal(fock_records(fock)[N_DENSITIES].integrals_read, 0);
    fock_destroy(fock);
}

static double steals_attempted(const struct fock_record *record)
{
    return record->statistics.steals_attempted.mean;
}

/* With room for all, a process computes each tile quartet at most once, even if tasks move. Modes
 * that remember where tasks ran know that the tasks keep data. */
TEST(no_process_computes_a_tile_quartet_twice)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT, .screening = SCREENING_SCHWARZ};
    settings.kept_bytes = bytes_for_all(&settings);
    for (int mode = 0; mode < N_MODES; mode++) {
        struct fock *fock = create_builds(&settings, modes[mode]);
        int64_t misses = 0, n_to_keep = 0;
        char sha256[2][SHA256_HEX_SIZE];
        for (int build = 0; build < N_REPEATS; build++)
            build_from(fock, 0, sha256);
        check_kept_records(fock, settings.kept_bytes, &n_to_keep);
        for (int build = 0; build < N_REPEATS; build++)
            misses += fock_records(fock)[build].kept_misses;
        assert_in_range(misses, n_to_keep, n_to_keep * n_processes);
        for (int build = 1; build < N_REPEATS && mode >= FIRST_THAT_REMEMBERS; build++)
            assert_true(steals_attempted(&fock_records(fock)[build]) == 0);
        fock_destroy(fock);
    }
}

TEST(a_restart_forgets_the_integrals)
{
    struct fock_settings settings = {.prune = FOCK_PRUNE_INSPECT};
    settings.kept_bytes = bytes_for_all(&settings);
    struct fock *fock = create_builds(&settings, "--sched=static");
    struct digests first = build_all(fock);
    struct taskpool_settings pool = pool_case_settings("--sched=counter");
    check_ok(fock_restart(fock, &pool));
    struct digests again = build_all(fock);
    assert_memory_equal(&again, &first, sizeof first);
    assert_int_equal(fock_records(fock)[0].kept_hits, 0);
    assert_true(fock_records(fock)[0].kept_misses > 0);
    fock_destroy(fock);
}

TEST_SETUP(start_kept)

TEST_TEARDOWN(stop_kept)
