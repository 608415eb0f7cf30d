/* SPDX-License-Identifier: BSD-3-Clause */
/* A degenerate level that closed shells fill in part is turned to orbitals of one representation each,
 * however its orbitals were mixed; full levels and those of open shells are left as they are. */
#include "hf/orbitals/scf_state.h"
#include "hf/scf/scf_level.h"
#include "tests/cases/scf_case.h"

#include <math.h>

/* In an odd orientation: the axes of the group are not those of the functions. */
#define TETRAHEDRON "5\n\nC 0 0 0\nH 0.6 0.6 0.6\nH 0.2 -1 0.2\nH -1 0.2 0.2\nH 0.2 0.2 -1\n"

static const struct scf_case cut_cases[] = {
    {TETRAHEDRON, 2, 1, "6-31g", 1, 0},
    {"1\n\nC 0 0 0\n", 0, 1, "6-31g", 1, 0},
};
static const struct scf_case other_cases[] = {
    {TETRAHEDRON, 0, 1, "6-31g", 1, 0},
    {TETRAHEDRON, 1, 2, "6-31g", 2, 0},
};

struct fixture {
    struct scf_setup setup;
    struct scf_basis *basis;
    struct scf_fock *fock;
    struct scf_state *state;
};

/* The lowest orbitals of the bare nuclei; the highest occupied and the lowest virtual one are mixed. */
static void fixture_init(const struct scf_case *scf_case, struct fixture *fixture)
{
    struct scf_setup *setup = &fixture->setup;
    scf_setup_init(setup, scf_case);
    scf_setup_use_symmetry(setup);
    check_ok(scf_basis_create(&setup->problem, SCF_DEFAULT_DEPENDENCE, &fixture->basis));
    check_ok(scf_fock_create(&setup->problem, setup->D, &fixture->fock));
    check_ok(scf_state_create(fixture->basis, &fixture->state));
    for (int s = 0; s < fixture->basis->n_spins; s++) {
        check_ok(scf_basis_load(fixture->basis, fixture->basis->H));
        scf_basis_project(fixture->basis, fixture->basis->work_nn, fixture->state->F[s]);
    }
    check_ok(scf_state_diagonalise(fixture->basis, fixture->state));
    check_ok(scf_state_mix(fixture->basis, fixture->state));
}

static void fixture_fini(struct fixture *fixture)
{
    scf_state_destroy(fixture->state);
    scf_fock_destroy(fixture->fock);
    scf_basis_destroy(fixture->basis);
    scf_setup_fini(&fixture->setup);
}

/* The largest element of the density's parts that are not totally symmetric. */
static double asymmetry(struct fixture *fixture)
{
    double largest[POINT_GROUP_MAX_ORDER] = {0}, rest = 0;
    check_ok(scf_state_build(fixture->basis, fixture->fock, fixture->state));
    check_ok(
        tile_symmetry_find_parts(fixture->setup.operations, fixture->fock->D_last[0], largest));
    for (int r = 1; r < fixture->setup.group.order; r++)
        rest = fmax(rest, largest[r]);
    MPI_Allreduce(MPI_IN_PLACE, &rest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return rest;
}

/* |U^T U - 1|, largest element. */
static double departure_from_orthonormal(struct fixture *fixture)
{
    struct dense *product = fixture->basis->work_mm[0], *one = fixture->basis->work_mm[1];
    dense_multiply('T', 'N', 1, fixture->state->U[0], fixture->state->U[0], 0, product);
    dense_set_identity(one);
    dense_add(-1, one, 1, product);
    return dense_max_abs(product);
}

static void test_a_cut_level_gets_the_symmetry_of_the_molecule(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cut_cases / sizeof cut_cases[0]; i++) {
        struct fixture fixture;
        fixture_init(&cut_cases[i], &fixture);
        assert_true(asymmetry(&fixture) > 1e-2);
        check_ok(scf_level_turn(fixture.basis, fixture.state));
        assert_true(asymmetry(&fixture) < 1e-9);
        assert_true(departure_from_orthonormal(&fixture) < 1e-12);
        fixture_fini(&fixture);
    }
}

static void test_other_levels_are_left(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof other_cases / sizeof other_cases[0]; i++) {
        struct fixture fixture;
        fixture_init(&other_cases[i], &fixture);
        for (int s = 0; s < fixture.basis->n_spins; s++)
            dense_copy(fixture.state->U_o[s], fixture.state->work_o[s]);
        check_ok(scf_level_turn(fixture.basis, fixture.state));
        for (int s = 0; s < fixture.basis->n_spins; s++) {
            dense_add(-1, fixture.state->work_o[s], 1, fixture.state->U_o[s]);
            assert_true(dense_max_abs(fixture.state->U_o[s]) == 0);
        }
        fixture_fini(&fixture);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_a_cut_level_gets_the_symmetry_of_the_molecule, scf_start),
        cmocka_unit_test_teardown(test_other_levels_are_left, scf_stop),
    };
    return check_run_parallel(tests, &argc, &argv);
}
