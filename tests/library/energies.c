/* SPDX-License-Identifier: BSD-3-Clause */
/* Energies of Hartree-Fock, MP2 and CCSD by the library beryl:
 *     mpirun -np 2 energies water.xyz cc-pvdz
 * Build it with: cc energies.c $(pkg-config --cflags --libs beryl) */
#include <beryl/beryl.h>
#include <stdio.h>
#include <stdlib.h>

static void check(enum beryl_error error)
{
    if (error == BERYL_OK)
        return;
    fprintf(stderr, "%s\n", beryl_error_text());
    exit(1);
}

int main(int argc, char **argv)
{
    struct beryl_settings settings;
    struct beryl_calculation *calculation;
    double mp2, ccsd;
    if (argc != 3)
        return 2;
    check(beryl_start());
    beryl_settings_default(&settings);
    settings.basis = argv[2];
    check(beryl_create_from_file(argv[1], &settings, &calculation));
    check(beryl_solve(calculation));
    check(beryl_correlate(calculation, "mp2", &mp2));
    check(beryl_correlate(calculation, "ccsd", &ccsd));
    double energy = beryl_energy(calculation);
    beryl_destroy(calculation);
    if (beryl_rank() == 0)
        printf("hf %.15f\nmp2 %.15f\nccsd %.15f\n", energy, energy + mp2, energy + ccsd);
    check(beryl_end());
    return 0;
}
