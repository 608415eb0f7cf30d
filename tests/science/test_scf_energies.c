/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies, on any number of processes, agree with those on which two independent
 * programs agree to 1e-8 hartree or better: NWChem 7.0.2 and Psi4 1.3.2, both without
 * approximation of the integrals, in the same basis sets and geometries. */
#include "tests/cases/scf_case.h"

#define TOLERANCE 1e-8

#define WATER                                                                                      \
    "3\n\nO 0 0 0\nH 0.60006148 0.36055331 0.65280883\nH 0.28018495 0.39311176 -0.82655392\n"
#define OXYGEN "2\n\nO 0 0 0\nO 0 0 1.2075\n"

/* Two atoms of the Be chain, with the centres of their displaced functions. */
#define BE_PAIR                                                                                    \
    "14\nunits=bohr\nBe 0 0 0\nBq 1.6 0 0\nBq -1.6 0 0\nBq 0 1.6 0\nBq 0 -1.6 0\nBq 0 0 1.6\n"     \
    "Bq 0 0 -1.6\nBe 4 0 0\nBq 5.6 0 0\nBq 2.4 0 0\nBq 4 1.6 0\nBq 4 -1.6 0\nBq 4 0 1.6\n"         \
    "Bq 4 0 -1.6\n"

/* Spherical and Cartesian functions, ions, radicals, a shell of one orbital, no virtual
 * orbital, a spin without electrons; ROHF. */
static const struct {
    struct scf_case scf;
    double s2; /* <S^2> by the two programs; 0: unknown, or zero */
} cases[] = {
    {{"2\n\nH 0 0 0\nH 0 0 0.7414\n", 0, 1, "6-31g", 1, -1.1267339671}, 0},
    {{"1\n\nHe 0 0 0\n", 0, 1, "cc-pvdz", 1, -2.8551604772}, 0},
    {{WATER, 0, 1, "sto-3g", 1, -74.9629282467}, 0},
    {{WATER, 0, 1, "6-31g*", 1, -76.0105299692}, 0},
    {{WATER, 0, 1, "cc-pvdz", 1, -76.0267986975}, 0},
    {{WATER, 0, 1, "aug-cc-pvdz", 1, -76.0414279606}, 0},
    {{"2\n\nLi 0 0 0\nH 0 0 1.5957\n", 0, 1, "6-31g", 1, -7.9792767173}, 0},
    {{"1\n\nBe 0 0 0\n", 0, 1, "6-31g", 1, -14.5667640335}, 0},
    {{BE_PAIR, 0, 1, "be15s", 1, -29.1065617554}, 0},
    {{OXYGEN, 0, 3, "cc-pvdz", 2, -149.6277575036}, 2.03305181},
    {{"2\n\nO 0 0 0\nH 0 0 0.9697\n", 0, 2, "6-31g*", 2, -75.3821493761}, 0.75533608},
    {{"2\n\nN 0 0 0\nO 0 0 1.1508\n", 0, 2, "6-31g", 2, -129.1740670334}, 0},
    {{"1\n\nLi 0 0 0\n", 0, 2, "6-31g", 2, -7.4312358111}, 0},
    {{"3\n\nC 0 0 0.1027\nH 0 0.9957 -0.3081\nH 0 -0.9957 -0.3081\n", 0, 3, "6-31g*", 3,
      -38.9156659116},
     2},
    {{"2\n\nN 0 0 0\nO 0 0 1.1508\n", 0, 2, "cc-pvdz", 3, -129.2536411923}, 0.75},
    {{"3\n\nO 0.055 0.722 0\nO 0.055 -0.604 0\nH -0.876 0.951 0\n", 0, 2, "cc-pvdz", 3,
      -150.1822735208},
     0.75},
    {{"2\n\nO 0 0 0\nH 0 0 0.9697\n", 0, 2, "aug-cc-pvdz", 3, -75.3993367340}, 0.75},
};

TEST(energies_agree_with_two_programs)
{
    const struct scf_settings settings = scf_settings_default();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct scf_setup setup;
        struct scf_result result;
        scf_setup_init(&setup, &cases[i].scf);
        check_ok(scf_setup_run(&setup, &settings, &result));
        assert_true(result.converged);
        check_close(result.energy, cases[i].scf.energy, TOLERANCE);
        check_close(result.energy,
                    result.one_electron_energy + result.two_electron_energy +
                        result.nuclear_repulsion,
                    1e-10);
        if (cases[i].s2 > 0)
            check_close(result.s2, cases[i].s2, 1e-6);
        scf_result_fini(&result);
        scf_setup_fini(&setup);
    }
}

/* The dipole of a neutral molecule does not depend on where it is, its charges add up to
 * zero, and the two hydrogens of water are alike. */
TEST(properties_of_water)
{
    static const struct scf_case here = {WATER, 0, 1, "cc-pvdz", 1, 0};
    static const struct scf_case there = {
        "3\n\nO 1 -2 3\nH 1.60006148 -1.63944669 3.65280883\nH 1.28018495 -1.60688824 2.17344608\n",
        0,
        1,
        "cc-pvdz",
        1,
        0};
    const struct scf_settings settings = scf_settings_default();
    double dipole[2][3];
    for (int i = 0; i < 2; i++) {
        struct scf_setup setup;
        struct scf_result result;
        scf_setup_init(&setup, i == 0 ? &here : &there);
        check_ok(scf_setup_run(&setup, &settings, &result));
        memcpy(dipole[i], result.properties[SCF_DIPOLE], sizeof dipole[i]);
        const double *charges = result.properties[SCF_MULLIKEN];
        check_close(charges[0] + charges[1] + charges[2], 0, 1e-9);
        check_close(result.s2, 0, 0);
        check_close(charges[1], charges[2], 1e-6);
        assert_true(result.orbital_energies[0][4] < 0 && result.orbital_energies[0][5] > 0);
        scf_result_fini(&result);
        scf_setup_fini(&setup);
    }
    for (int k = 0; k < 3; k++)
        check_close(dipole[0][k], dipole[1][k], 1e-7);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
