/* SPDX-License-Identifier: BSD-3-Clause */
/* Errors of the two-electron Fock matrix at several thresholds, against the first of them:
 *
 *     bench_fock_errors 1e-14,1e-8,1e-9 MOLECULE.xyz --basis NAME --fock-only 1 --density FILE
 *
 * takes beryl-hf's options but --screen and prints, for each threshold after the first, the
 * threshold, the largest absolute error of an element and the two-electron energy
 * sum_ij D_ij F_ij / 2, in hartree. Of a closed shell, by one process. */
#include "hf/calculation/hf_calculation.h"
#include "hf/cli/hf_options.h"
#include "support/base/log.h"
#include "support/io/application.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_THRESHOLDS = 16 };

static enum status build_matrix(const struct hf_settings *settings, struct hf_calculation *made,
                                struct darray **F)
{
    TRY(hf_calculation_read(settings, MPI_COMM_WORLD, made));
    TRY(hf_calculation_prepare_screening(made));
    TRY(hf_calculation_prepare_build(made, &settings->pool));
    TRY(hf_calculation_guess(made));
    for (int spin = 0; spin < made->input.n_densities; spin++)
        TRY(tile_matrix_create(made->tiling, "Fock matrix", DARRAY_DOUBLE, &F[spin]));
    return fock_build(made->fock, made->input.n_densities, (const struct darray *const *)made->D,
                      F);
}

/* Prints the errors of F against the reference. */
static enum status compare_matrices(const struct hf_calculation *calculation, double threshold,
                                    const struct darray *F, const struct darray *reference)
{
    const struct tiling *tiling = calculation->tiling;
    size_t n = (size_t)(tiling->max_functions * tiling->max_functions);
    double *tile = malloc(3 * n * sizeof *tile);
    TRY(CHECK_MEMORY(tile, "no memory for tiles"));
    double most = 0, energy = 0;
    for (struct own_tile own = {0}; own_tile_next(tiling, F, &own);) {
        int64_t size = tile_n_functions(tiling, own.I) * tile_n_functions(tiling, own.J);
        darray_get(F, own.pair, tile);
        darray_get(reference, own.pair, tile + n);
        darray_get(calculation->D[0], own.pair, tile + 2 * n);
        for (int64_t i = 0; i < size; i++) {
            double error = tile[i] - tile[n + (size_t)i];
            most = fmax(most, fabs(error));
            energy += (own.I == own.J ? 0.5 : 1) * tile[i] * tile[2 * n + (size_t)i];
        }
    }
    printf("%g %.3e %.9f\n", threshold, most, energy);
    free(tile);
    return STATUS_OK;
}

static enum status compare_thresholds(struct hf_settings *settings, int n, const double *thresholds)
{
    struct hf_calculation reference, calculation;
    struct darray *wanted[2] = {0};
    settings->screen = thresholds[0];
    TRY(build_matrix(settings, &reference, wanted));
    for (int i = 1; i < n; i++) {
        struct darray *F[2] = {0};
        settings->screen = thresholds[i];
        TRY(build_matrix(settings, &calculation, F));
        TRY(compare_matrices(&calculation, thresholds[i], F[0], wanted[0]));
        darray_destroy(F[0]);
        darray_destroy(F[1]);
        hf_calculation_fini(&calculation);
    }
    darray_destroy(wanted[0]);
    darray_destroy(wanted[1]);
    hf_calculation_fini(&reference);
    return STATUS_OK;
}

static int read_thresholds(const char *text, double *thresholds)
{
    int n = 0;
    while (*text && n < MAX_THRESHOLDS) {
        char *end;
        thresholds[n++] = strtod(text, &end);
        text = end + (*end == ',');
    }
    return n;
}

int main(int argc, char **argv)
{
    struct hf_options options;
    struct application application = {.name = "bench_fock_errors"};
    double thresholds[MAX_THRESHOLDS];
    if (argc < 2)
        return 2;
    int n = read_thresholds(argv[1], thresholds);
    application.status = hf_options_parse(argc - 1, argv + 1, &options, &application.request);
    application_start(&application, taskpool_thread_level(&options.settings.pool));
    if (application_runs(&application)) {
        log_enable(false);
        application.status = dense_start(MPI_COMM_WORLD);
        if (application.status == STATUS_OK)
            application.status = darray_start();
        if (application.status == STATUS_OK)
            application.status = compare_thresholds(&options.settings, n, thresholds);
        darray_stop();
    }
    return application_finish(&application);
}
