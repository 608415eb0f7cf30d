/* SPDX-License-Identifier: BSD-3-Clause */
/* MPI and Global Arrays are started and ended by the program, which has an array of its own
 * meanwhile. */
#include <beryl/beryl.h>
#include <ga.h>
#include <macdecls.h>
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    static const struct beryl_centre helium = {2, 0, {0, 0, 0}};
    struct beryl_settings settings;
    struct beryl_calculation *calculation;
    int n = 10, first = 0, last = 9, failed;
    double values[10] = {0}, value = 3;
    MPI_Init(&argc, &argv);
    GA_Initialize();
    int array = NGA_Create(C_DBL, 1, &n, "own", NULL);
    GA_Fill(array, &value);
    failed = beryl_start();
    beryl_settings_default(&settings);
    settings.basis = "6-31g";
    failed =
        failed || beryl_create(1, &helium, &settings, &calculation) || beryl_solve(calculation);
    if (!failed) {
        if (beryl_rank() == 0)
            printf("%.8f\n", beryl_energy(calculation));
        beryl_destroy(calculation);
        failed = beryl_end();
    }
    NGA_Get(array, &first, &last, values, &n);
    GA_Destroy(array);
    GA_Terminate();
    MPI_Finalize();
    return failed || values[9] != value;
}
