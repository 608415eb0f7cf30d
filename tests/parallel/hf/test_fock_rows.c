/* SPDX-License-Identifier: BSD-3-Clause */
/* Rows of (ss|ss) integrals give the Fock matrix of single quartets (libint has no
 * rows), of as many integrals, for several tiles, spins, thresholds and densities. */
#include "basis/quartets/kept_quartets.h"
#include "hf/fock/fock_build.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/pool_cases.h"

/* Steep and diffuse functions that stand alone, in tiles with and without p shells. */
static const char molecule_text[] = "6\n\nBe 0 0 0\nBe 0 0 4.1\nHe 1.3 0.2 -1.0\nBe 0 0 9\n"
                                    "Be 14 0.1 0.3\nBe 60 0 0\n";
static const char basis_text[] = "Be 0\nS 1 1\n1741.0 1\nS 1 1\n60.33 1\nS 1 1\n5.933 1\nS 1 1\n"
                                 "0.859 1\nS 1 1\n0.1806 1\nS 1 1\n0.05835 1\n****\n"
                                 "He 0\nS 1 1\n0.3 1\nP 1 1\n0.7 1\nS 1 1\n9 1\n****\n";

static struct hf_system hf;
static double *D[2];

static void start(void)
{
    check_ok(darray_start());
    hf_system_init(&hf, molecule_text, basis_text);
    for (unsigned spin = 0; spin < 2; spin++)
        D[spin] = whole_matrix_random(hf.shells->n_functions, 5 + spin);
}

static void stop(void)
{
    free(D[0]);
    free(D[1]);
    hf_system_fini(&hf);
    darray_stop();
}

/* A build; F is the matrices of both spins one after another. */
struct way {
    int64_t tile;
    double threshold, factor; /* of D */
    double coulomb, exchange; /* scales, in units of Hartree-Fock's */
    int rule, n_densities;
    int engine;
};

static int64_t build(const struct way *way, double *F)
{
    struct tiling *tiling;
    struct screening *screening;
    struct engine_use engines = {.first = way->engine};
    struct fock *fock;
    struct fock_settings settings = {.screening = way->rule, .cache_bytes = 1000000};
    struct taskpool_settings pool_settings = pool_case_settings("--sched=counter");
    struct darray *tiles[2][2] = {{NULL}};
    int64_t n = hf.shells->n_functions;
    check_ok(tiling_create(hf.shells, way->tile, &tiling));
    check_ok(screening_create(tiling, way->threshold, &engines, MPI_COMM_WORLD, &screening));
    check_ok(fock_create(screening, &settings, &pool_settings, MPI_COMM_WORLD, &fock));
    for (int spin = 0; spin < way->n_densities; spin++) {
        struct darray *one = tiles_create(tiling, D[spin]);
        tiles[0][spin] = tiles_create(tiling, NULL);
        tiles[1][spin] = tiles_create(tiling, NULL);
        tile_matrix_add(tiling, way->factor, one, 0, tiles[0][spin]);
        darray_destroy(one);
    }
    darray_sync();
    struct density_kind kind = density_of_spins(way->n_densities);
    kind.coulomb_scale *= way->coulomb;
    kind.exchange_scale *= way->exchange;
    check_ok(fock_build_several(fock, &kind, (const struct darray *const *)tiles[0], tiles[1]));
    for (int spin = 0; spin < way->n_densities; spin++)
        whole_matrix_get(tiling, tiles[1][spin], F + spin * n * n);
    int64_t n_integrals = fock_records(fock)[0].integrals;
    for (int i = 0; i < 4; i++)
        darray_destroy(tiles[i / 2][i % 2]);
    fock_destroy(fock);
    screening_destroy(screening);
    tiling_destroy(tiling);
    return n_integrals;
}

static int number_of_libint(void)
{
    int i = 0;
    while (strcmp(two_electron_engine_name(i), "libint") != 0)
        i++;
    return i;
}

/* Under every engine with rows that this processor has, all others included. Integrals of rows are
 * not rounded: n^2 of them in an element. */
static void check_way(struct way way)
{
    int64_t size = hf.shells->n_functions * hf.shells->n_functions;
    double *alone = calloc((size_t)(2 * size), sizeof *alone);
    double *rows = calloc((size_t)(2 * size), sizeof *rows);
    way.engine = number_of_libint();
    int64_t n_alone = build(&way, alone);
    for (int i = 0; i < number_of_libint(); i++) {
        way.engine = i;
        int64_t n_rows = build(&way, rows);
        double error = largest_difference(2 * size, rows, 1, alone);
        if (way.rule == SCREENING_SCHWARZ) {
            assert_int_equal(n_rows, n_alone);
            assert_true(error < 1e-11 + (double)hf.shells->n_functions * kept_unit(way.threshold));
        } else {
            /* Blocks of rows hold quartets, too, that are not significant. */
            assert_true(n_rows >= n_alone);
            assert_true(error < way.threshold);
        }
    }
    free(alone);
    free(rows);
}

TEST(every_integral_above_the_threshold)
{
    static const int64_t tiles[] = {1, 3, 7, 17, 40};
    for (int t = 0; t < 5; t++)
        for (int n_densities = 1; n_densities <= 2; n_densities++)
            check_way((struct way){.tile = tiles[t],
                                   .threshold = n_densities == 1 ? 1e-6 : 1e-10,
                                   .factor = 1,
                                   .coulomb = t % 2 == 0 ? 1 : 0.4,
                                   .exchange = t % 2 == 0 ? 1 : -0.3,
                                   .rule = SCREENING_SCHWARZ,
                                   .n_densities = n_densities});
}

TEST(significant_integrals)
{
    for (int n_densities = 1; n_densities <= 2; n_densities++)
        for (double factor = 1; factor > 1e-10; factor *= 1e-4)
            check_way((struct way){.tile = 7,
                                   .threshold = 1e-6,
                                   .factor = factor,
                                   .coulomb = 1,
                                   .exchange = 1,
                                   .rule = SCREENING_DENSITY,
                                   .n_densities = n_densities});
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
