/* SPDX-License-Identifier: BSD-3-Clause */
/* H2 in a minimal basis, whose orbitals are given by symmetry, and whose energies are closed
 * formulas of its integrals. Source: Szabo & Ostlund (1996), eq. 6.77 (second order), eq. 4.22
 * (full configuration interaction, which coupled cluster is here), and their numbers, for
 * R = 1.4 bohr. */
#include "tests/cases/correlation_case.h"
#include "tests/reference/integrals_reference.h"

static const struct scf_case hydrogen = {
    .molecule = "2\nunits=bohr\nH 0 0 0\nH 0 0 1.4\n",
    .multiplicity = 1,
    .basis = "sto-3g",
    .n_densities = 1,
};

static struct scf_setup setup;
static struct scf_result field;

/* Integrals in the formulas; orbital 1 is bonding, 2 antibonding. */
static double energy_1, energy_2, J11, J12, J22, K12;

/* c[p][mu] of orbital p. */
static void find_orbitals(double c[2][2])
{
    double S;
    const struct shell *shells = setup.shells->shells;
    reference_overlap(&shells[0], &shells[1], &S);
    c[0][0] = c[0][1] = 1 / sqrt(2 * (1 + S));
    c[1][0] = 1 / sqrt(2 * (1 - S));
    c[1][1] = -c[1][0];
}

/* (pq|rs). */
static double integral(double c[2][2], int p, int q, int r, int s)
{
    const struct shell *shells = setup.shells->shells;
    double sum = 0, ao;
    for (int i = 0; i < 16; i++) {
        int mu = i / 8, nu = i / 4 % 2, lambda = i / 2 % 2, sigma = i % 2;
        reference_two_electron(&shells[mu], &shells[nu], &shells[lambda], &shells[sigma], &ao);
        sum += c[p][mu] * c[q][nu] * c[r][lambda] * c[s][sigma] * ao;
    }
    return sum;
}

static double core_energy(double c[2][2], int p)
{
    const struct shell *shells = setup.shells->shells;
    double sum = 0, kinetic, nuclear;
    for (int i = 0; i < 4; i++) {
        reference_kinetic(&shells[i / 2], &shells[i % 2], &kinetic);
        reference_nuclear(&setup.molecule, &shells[i / 2], &shells[i % 2], &nuclear);
        sum += c[p][i / 2] * c[p][i % 2] * (kinetic + nuclear);
    }
    return sum;
}

static void start(void)
{
    double c[2][2];
    struct scf_settings settings = scf_settings_default();
    scf_start();
    scf_setup_init(&setup, &hydrogen);
    check_ok(scf_setup_run(&setup, &settings, &field));
    find_orbitals(c);
    J11 = integral(c, 0, 0, 0, 0);
    J12 = integral(c, 0, 0, 1, 1);
    J22 = integral(c, 1, 1, 1, 1);
    K12 = integral(c, 0, 1, 0, 1);
    energy_1 = core_energy(c, 0) + J11;
    energy_2 = core_energy(c, 1) + 2 * J12 - K12;
}

static void stop(void)
{
    scf_result_fini(&field);
    scf_setup_fini(&setup);
    scf_stop();
}

static double solve(const char *method)
{
    struct correlation_case made;
    correlation_case_init(&made, method, &setup, &field, NO_FROZEN);
    double energy = correlation_case_solve(&made, "static");
    correlation_case_fini(&made);
    return energy;
}

static double second_order(void)
{
    return K12 * K12 / (2 * (energy_1 - energy_2));
}

static double full_interaction(void)
{
    double Delta = energy_2 - energy_1 + (J11 + J22 - 4 * J12 + 2 * K12) / 2;
    return Delta - sqrt(Delta * Delta + K12 * K12);
}

/* The formulas' ingredients and results are those that the book prints. */
TEST(formulas_are_the_published_ones)
{
    check_close(field.energy, -1.1167, 1e-4);
    check_close(energy_1, -0.578, 1e-3);
    check_close(energy_2, 0.670, 1e-3);
    check_close(K12, 0.1813, 1e-4);
    check_close(second_order(), -0.0132, 1e-4);
    check_close(full_interaction(), -0.0206, 1e-4);
    check_close(field.orbital_energies[0][0], energy_1, 1e-9);
    check_close(field.orbital_energies[0][1], energy_2, 1e-9);
}

TEST(energies_are_those_of_the_formulas)
{
    check_close(solve("mp2"), second_order(), 1e-10);
    check_close(solve("ccd"), full_interaction(), 1e-8);
    check_close(solve("ccsd"), full_interaction(), 1e-8);
}

TEST_SETUP(start)

TEST_TEARDOWN(stop)
