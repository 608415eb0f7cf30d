/* SPDX-License-Identifier: BSD-3-Clause */
/* The preconditioner of Newton steps is the inverse of the Hessian on the directions that the last step
 * kept, symmetric and positive, also in orbitals that have turned since. */
#include "hf/scf/scf_preconditioner.h"
#include "tests/cases/scf_solution.h"

#include <math.h>

#define FLOOR 0.1

enum { N_DIRECTIONS = 3 };

struct fixture {
    struct solution solution;
    struct scf_preconditioner preconditioner;
    struct scf_rotation x[N_DIRECTIONS], Hx[N_DIRECTIONS], r, y, z;
};

/* Conjugate directions from noise, kept; the step after begins at the same state. */
static void fixture_init(const struct scf_case *scf_case, struct fixture *fixture)
{
    *fixture = (struct fixture){0};
    solution_init(scf_case, false, &fixture->solution);
    struct scf_hessian *hessian = &fixture->solution.hessian;
    check_ok(scf_rotations_init(hessian->basis, N_DIRECTIONS, fixture->x));
    check_ok(scf_rotations_init(hessian->basis, N_DIRECTIONS, fixture->Hx));
    check_ok(scf_rotations_init(hessian->basis, 1, &fixture->r));
    check_ok(scf_rotations_init(hessian->basis, 1, &fixture->y));
    check_ok(scf_rotations_init(hessian->basis, 1, &fixture->z));
    check_ok(scf_preconditioner_init(hessian->basis, &fixture->preconditioner));
    scf_preconditioner_begin(&fixture->preconditioner, fixture->solution.state, FLOOR);
    for (int i = 0; i < N_DIRECTIONS; i++) {
        struct scf_rotation *x = &fixture->x[i], *Hx = &fixture->Hx[i];
        scf_rotation_set_noise(i, x);
        for (int j = 0; j < i; j++)
            scf_rotation_add(-scf_rotation_dot(x, &fixture->Hx[j]) /
                                 scf_rotation_dot(&fixture->x[j], &fixture->Hx[j]),
                             &fixture->x[j], 1, x);
        solution_multiply(&fixture->solution, x, Hx);
    }
    scf_preconditioner_keep(&fixture->preconditioner, N_DIRECTIONS, fixture->x, fixture->Hx);
    scf_preconditioner_begin(&fixture->preconditioner, fixture->solution.state, FLOOR);
}

static void fixture_fini(struct fixture *fixture)
{
    scf_rotations_fini(N_DIRECTIONS, fixture->x);
    scf_rotations_fini(N_DIRECTIONS, fixture->Hx);
    scf_rotations_fini(1, &fixture->r);
    scf_rotations_fini(1, &fixture->y);
    scf_rotations_fini(1, &fixture->z);
    scf_preconditioner_fini(&fixture->preconditioner);
    solution_fini(&fixture->solution);
}

static double norm_of(const struct scf_rotation *x)
{
    return sqrt(scf_rotation_dot(x, x));
}

/* |B^-1 H x - x| / |x| is at most this for each direction in use. */
static void check_inverse(struct fixture *fixture, double most)
{
    const struct scf_preconditioner *used = &fixture->preconditioner;
    assert_int_equal(used->n, N_DIRECTIONS);
    for (int i = 0; i < used->n; i++) {
        scf_preconditioner_apply(&fixture->preconditioner, &used->Hx[i], &fixture->z);
        scf_rotation_add(-1, &used->x[i], 1, &fixture->z);
        assert_true(norm_of(&fixture->z) <= most * norm_of(&used->x[i]));
    }
}

static void check_symmetric_and_positive(struct fixture *fixture)
{
    scf_rotation_set_noise(7, &fixture->r);
    scf_rotation_set_noise(8, &fixture->y);
    scf_preconditioner_apply(&fixture->preconditioner, &fixture->r, &fixture->z);
    double y_B_r = scf_rotation_dot(&fixture->y, &fixture->z);
    assert_true(scf_rotation_dot(&fixture->r, &fixture->z) > 0);
    scf_preconditioner_apply(&fixture->preconditioner, &fixture->y, &fixture->z);
    check_close(scf_rotation_dot(&fixture->r, &fixture->z), y_B_r, 1e-9 * (1 + fabs(y_B_r)));
    assert_true(scf_rotation_dot(&fixture->y, &fixture->z) > 0);
}

/* The state turned by a small rotation, with other signs of its orbitals. */
static void turn_state(struct fixture *fixture)
{
    struct scf_basis *basis = fixture->solution.basis;
    struct scf_state *turned;
    check_ok(scf_state_create(basis, &turned));
    scf_rotation_set_noise(9, &fixture->r);
    scf_rotation_add(0, &fixture->r, 1e-4, &fixture->r);
    check_ok(scf_rotate(basis, fixture->solution.state, &fixture->r, turned));
    for (int s = 0; s < basis->problem->n_densities; s++)
        dense_add(0, turned->U_o[s], -1, turned->U_o[s]);
    check_ok(scf_state_build(basis, fixture->solution.fock, turned));
    check_ok(scf_state_canonicalise(basis, turned));
    scf_preconditioner_begin(&fixture->preconditioner, turned, FLOOR);
    scf_state_destroy(turned);
}

static const struct scf_case cases[] = {
    {"3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n", 0, 1, "6-31g", 1, 0},
    {"3\n\nN 0 0 0\nH 0 0.8 0.64\nH 0 -0.8 0.64\n", 0, 2, "6-31g", 2, 0},
    {"1\n\nH 0 0 0\n", 0, 2, "cc-pvdz", 2, 0},
};

/* Also when they have turned with the orbitals. */
TEST(it_is_the_inverse_on_kept_directions)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture fixture;
        fixture_init(&cases[i], &fixture);
        check_inverse(&fixture, 1e-8);
        check_symmetric_and_positive(&fixture);
        turn_state(&fixture);
        check_inverse(&fixture, 1e-2);
        check_symmetric_and_positive(&fixture);
        fixture_fini(&fixture);
    }
}

/* Directions of negative curvature are left out; directions of the previous step are forgotten. */
TEST(directions_of_negative_curvature_are_dropped)
{
    struct fixture fixture;
    fixture_init(&cases[0], &fixture);
    struct scf_preconditioner *preconditioner = &fixture.preconditioner;
    for (int i = 0; i < 2; i++) {
        scf_rotation_set_noise(i, &fixture.x[i]);
        scf_rotation_add(i == 0 ? -1 : 2, &fixture.x[i], 0, &fixture.Hx[i]);
    }
    double last = scf_rotation_dot(&fixture.x[1], &fixture.Hx[1]);
    scf_preconditioner_keep(preconditioner, 2, fixture.x, fixture.Hx);
    scf_preconditioner_begin(preconditioner, fixture.solution.state, FLOOR);
    assert_int_equal(preconditioner->n, 1);
    check_close(preconditioner->curvature[0], last, 1e-9 * last);
    scf_preconditioner_keep(preconditioner, 0, NULL, NULL);
    scf_preconditioner_begin(preconditioner, fixture.solution.state, FLOOR);
    assert_int_equal(preconditioner->n, 0);
    fixture_fini(&fixture);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
