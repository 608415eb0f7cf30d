/* SPDX-License-Identifier: BSD-3-Clause */
/* Builds from changes of the density: what they leave out together stays below eight cutoffs of the last
 * one, the next is from the full density, and those with the least cutoff are as accurate as that. */
#include "hf/scf/scf_fock.h"
#include "tests/cases/hf_system.h"
#include "tests/cases/scf_case.h"

#include <math.h>

enum { MOST_IN_A_ROW = 8 };
#define COARSE 1e-6

/* Two waters: many quartets of both change F by less than COARSE. */
static const struct scf_case waters = {"6\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n"
                                       "O 0 0 3\nH 0.757 0 3.587\nH -0.757 0 3.587\n",
                                       0,
                                       1,
                                       "6-31g",
                                       1,
                                       0};

struct fixture {
    struct scf_setup setup;
    struct scf_fock *fock, *full;               /* full: never from a change */
    struct darray *scratch[2], *D, *difference; /* scratch: of either */
};

static void fixture_init(struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    scf_setup_init(&fixture->setup, &waters);
    const struct scf_problem *problem = &fixture->setup.problem;
    for (int i = 0; i < 2; i++)
        fixture->scratch[i] = tiles_create(problem->tiling, NULL);
    fixture->D = tiles_create(problem->tiling, NULL);
    fixture->difference = tiles_create(problem->tiling, NULL);
    check_ok(guess_sad(problem, false, &fixture->D));
    check_ok(scf_fock_create(problem, &fixture->scratch[0], &fixture->fock));
    check_ok(scf_fock_create(problem, &fixture->scratch[1], &fixture->full));
}

static void fixture_fini(struct fixture *fixture)
{
    scf_fock_destroy(fixture->full);
    scf_fock_destroy(fixture->fock);
    darray_destroy(fixture->difference);
    darray_destroy(fixture->D);
    darray_destroy(fixture->scratch[1]);
    darray_destroy(fixture->scratch[0]);
    scf_setup_fini(&fixture->setup);
}

/* Builds from factor D with a cutoff. */
static void build(struct fixture *fixture, double factor, double cutoff)
{
    const struct tiling *tiling = fixture->setup.tiling;
    struct scf_fock *both[] = {fixture->fock, fixture->full};
    tile_matrix_add(tiling, factor, fixture->D, 0, fixture->difference);
    fixture->fock->cutoff = cutoff;
    fixture->full->has_last = false;
    for (int i = 0; i < 2; i++) {
        scf_fock_set_tiles(both[i], 0, fixture->difference);
        check_ok(scf_fock_build(both[i]));
    }
}

/* max |G - G of the full build| */
static double find_error(struct fixture *fixture)
{
    const struct tiling *tiling = fixture->setup.tiling;
    tile_matrix_add(tiling, 1, fixture->fock->G_last[0], 0, fixture->difference);
    tile_matrix_add(tiling, -1, fixture->full->G_last[0], 1, fixture->difference);
    double error = tile_matrix_own_max_abs(tiling, fixture->difference);
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return error;
}

TEST(a_coarse_build_is_made_accurate)
{
    struct fixture fixture;
    fixture_init(&fixture);
    build(&fixture, 1, COARSE);
    assert_false(fixture.fock->is_accurate);
    assert_true(find_error(&fixture) > COARSE / 10);
    build(&fixture, 1, 0);
    assert_true(fixture.fock->is_accurate);
    assert_true(find_error(&fixture) == 0);
    fixture_fini(&fixture);
}

TEST(accurate_builds_from_changes_stay_so)
{
    struct fixture fixture;
    fixture_init(&fixture);
    double least = fock_cutoff(fixture.setup.fock);
    for (int i = 0; i <= MOST_IN_A_ROW; i++) {
        build(&fixture, 1 + i * 1e-3, 0);
        assert_true(fixture.fock->is_accurate);
        check_close(fixture.fock->neglected, (i % MOST_IN_A_ROW + 1) * least, 1e-3 * least);
        assert_true(find_error(&fixture) < 100 * MOST_IN_A_ROW * least);
    }
    assert_true(find_error(&fixture) == 0);
    fixture_fini(&fixture);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
