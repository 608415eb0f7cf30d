/* SPDX-License-Identifier: BSD-3-Clause */
/* Correlation energies over spin orbitals, on any number of processes, agree with NWChem
 * 7.0.2 from
 *     geometry units bohr noautosym nocenter noautoz; ...; end
 *     basis spherical; * library 6-31g; end
 *     set int:cando_txs .false.; set int:acc_std 1d-20
 *     scf; uhf; doublet; thresh 1e-9; tol2e 1e-14; end
 *     tce; scf; ccsd; thresh 1e-9; end; task tce energy
 * with mbpt2, ccd, ccsd(t) or ccsdt for ccsd, and with freeze atomic for a frozen core. Those
 * of a closed shell are the same as without spin orbitals. CCSDT of three electrons is exact: the
 * lowest eigenvalue of the Hamiltonian, from --write-fcidump, over all 90 determinants. */
#include "tests/cases/energy_case.h"

#define LITHIUM_HYDRIDE "2\n\nLi 0 0 0\nH 0 0 1.5957\n"
#define HYDROXYL        "2\nunits=bohr\nO 0 0 0\nH 0 0 1.83\n"
#define AMIDOGEN        "3\nunits=bohr\nN 0 0 0\nH 0 1.5 1.2\nH 0 -1.5 1.2\n"
#define WATER_CATION    "3\nunits=bohr\nO 0 0 0\nH 0 1.5 1.2\nH 0 -1.5 1.2\n"
#define OXYGEN          "2\nunits=bohr\nO 0 0 0\nO 0 0 2.3\n"
#define HYDROGENS       "3\nunits=bohr\nH 0 0 0\nH 0 0 2.2\nH 0 0 4.6\n"
#define LITHIUM         "1\n\nLi 0 0 0\n"

static const struct energy_case cases[] = {
    {{LITHIUM, 0, 2, "6-31g", 2, 0},
     {{"ccsd", false, -7.4315538708}, {"mp2", false, -7.4315201203}}},
    {{HYDROGENS, 0, 2, "6-31g", 2, 0}, {{"ccsdt", false, -1.6032406767}}},
    {{LITHIUM_HYDRIDE, 0, 1, "6-31g", 2, 0},
     {{"ccsd", false, -7.9982766195},
      {"ccd", false, -7.9974263889},
      {"ccsd_t", false, -7.9982864988},
      {"ccsdt", false, -7.9982880067}}},
    {{AMIDOGEN, 0, 2, "6-31g", 2, 0},
     {{"mp2", false, -55.6189252641},
      {"ccsd", true, -55.6322141084},
      {"ccd", false, -55.6326487554},
      {"mp2", true, -55.6178700267}}},
    {{HYDROXYL, 0, 2, "6-31g", 2, 0},
     {{"ccsd", false, -75.4619221186}, {"ccsdt", false, -75.4625703805}}},
    {{"2\n\nO 0 0 0\nH 0 0 0.9697\n", 0, 2, "cc-pvdz", 2, 0}, {{"ccsd_t", false, -75.5611110252}}},
    {{OXYGEN, 0, 3, "6-31g", 2, 0}, {{"mp2", false, -149.7872665943}}},
    {{WATER_CATION, 1, 2, "cc-pvdz", 2, 0}, {{"mp2", false, -75.7884513351}}},
};

TEST(energies_agree_with_another_program)
{
    check_energies(sizeof cases / sizeof cases[0], cases, 1);
}

/* The correlation energy is zero if one spin has no correlated electrons and the other permits no
 * double excitation. Spins without an occupied or a virtual orbital are accepted. */
TEST(lone_electrons_are_not_correlated)
{
    static const struct energy_case lone[] = {
        {{"1\n\nH 0 0 0\n", 0, 2, "sto-3g", 2, 0}, {{"ccsd", false, -0.4665818496}}},
        {{"1\n\nH 0 0 0\n", 0, 2, "6-31g", 2, 0},
         {{"mp2", false, -0.4982329107}, {"ccsd", false, -0.4982329107}}},
        {{LITHIUM, 0, 2, "6-31g", 2, 0}, {{"ccsd", true, -7.4312358111}}},
    };
    check_energies(sizeof lone / sizeof lone[0], lone, 0);
}

TEST_SETUP(scf_start)

TEST_TEARDOWN(scf_stop)
