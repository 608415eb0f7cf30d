/* SPDX-License-Identifier: BSD-3-Clause */
/* The life of the library and of its calculations. */
#include "tce/library/beryl.h"

#include "hf/checkpoint/checkpoint.h"
#include "sched/pool/modes/mode_options.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/version.h"
#include "support/io/application.h"
#include "support/mpi/mpi_transport.h"
#include "tce/calculation/method_calculation.h"
#include "tce/library/beryl_private.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static_assert((int)STATUS_USAGE == BERYL_USAGE && (int)STATUS_INPUT == BERYL_INPUT &&
                  (int)STATUS_IO == BERYL_IO && (int)STATUS_LIMIT == BERYL_LIMIT &&
                  (int)STATUS_NO_MEMORY == BERYL_NO_MEMORY &&
                  (int)STATUS_NOT_CONVERGED == BERYL_NOT_CONVERGED &&
                  (int)STATUS_NUMERIC == BERYL_NUMERIC && (int)STATUS_LIBRARY == BERYL_LIBRARY &&
                  (int)STATUS_PROTOCOL == BERYL_INTERNAL,
              "codes of the library equal the codes of status.h");

/* The state of the library in this process. */
static struct {
    bool started, ended, owns_mpi;
    int n_calculations;
} library;

const char *beryl_version(void)
{
    return BERYL_VERSION;
}

const char *beryl_error_text(void)
{
    return status_text();
}

/* --- start and end --- */

static enum status start_library_mpi(void)
{
    int started, ended;
    MPI_Initialized(&started);
    MPI_Finalized(&ended);
    if (ended)
        return FAIL(STATUS_USAGE, "beryl_start was called after MPI_Finalize: call it before");
    if (started)
        return STATUS_OK;
    TRY(mpi_transport_check());
    application_prepare_mpi();
    mpi_transport_start(MPI_THREAD_SINGLE);
    library.owns_mpi = true;
    return STATUS_OK;
}

static enum status start_library(void)
{
    if (library.started)
        return FAIL(STATUS_USAGE, "beryl_start was called before: once in a program is enough");
    log_enable(false);
    TRY(start_library_mpi());
    TRY(dense_start(MPI_COMM_WORLD));
    TRY(darray_start());
    library.started = true;
    return STATUS_OK;
}

enum beryl_error beryl_start(void)
{
    return (enum beryl_error)start_library();
}

static enum status end_library(void)
{
    if (!library.started || library.ended)
        return FAIL(STATUS_USAGE, "beryl_end was called without beryl_start, or again");
    if (library.n_calculations > 0)
        return FAIL(STATUS_USAGE, "beryl_end: %d calculation%s left: call beryl_destroy first",
                    library.n_calculations, log_plural(library.n_calculations));
    library.ended = true;
    darray_stop();
    if (library.owns_mpi)
        MPI_Finalize();
    return STATUS_OK;
}

enum beryl_error beryl_end(void)
{
    return (enum beryl_error)end_library();
}

int beryl_rank(void)
{
    int rank = 0;
    if (library.started && !library.ended)
        MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

/* --- settings --- */

void beryl_settings_init(struct beryl_settings *settings, size_t size)
{
    struct hf_settings hf;
    if (!settings)
        return;
    settings->size = size;
    if (size != sizeof *settings)
        return;
    hf_settings_default(&hf);
    *settings = (struct beryl_settings){.size = size,
                                        .charge = BERYL_NOT_GIVEN,
                                        .multiplicity = BERYL_NOT_GIVEN,
                                        .screen = hf.screen,
                                        .converge = SCF_DEFAULT_CONVERGE,
                                        .max_iter = hf.scf.max_iterations,
                                        .guess = hf.guess,
                                        .sched = hf.pool.mode,
                                        .cache = HF_DEFAULT_CACHE,
                                        .converge_amplitudes = METHOD_DEFAULT_CONVERGE,
                                        .max_iter_amplitudes = METHOD_DEFAULT_MAX_ITERATIONS};
}

static enum status check_setting(const char *name, double value, double min, double max)
{
    if (value >= min && value <= max)
        return STATUS_OK;
    return FAIL(STATUS_USAGE, "settings.%s is %g: give %g to %g", name, value, min, max);
}

static enum status check_library_settings(const struct beryl_settings *settings)
{
    if (settings->size != sizeof *settings)
        return FAIL(STATUS_USAGE,
                    "settings.size is %zu, and %zu in this library, version %s: call "
                    "beryl_settings_default, and compile the program with this beryl.h",
                    settings->size, sizeof *settings, BERYL_VERSION);
    if (!settings->basis)
        return FAIL(STATUS_USAGE, "settings.basis is missing: name a basis set, such as cc-pvdz");
    if (settings->charge != BERYL_NOT_GIVEN)
        TRY(check_setting("charge", settings->charge, -1000, 1000));
    if (settings->multiplicity != BERYL_NOT_GIVEN)
        TRY(check_setting("multiplicity", settings->multiplicity, 1, 1000));
    TRY(check_setting("reference", settings->reference, BERYL_BY_MULTIPLICITY, BERYL_ROHF));
    TRY(check_setting("functions", settings->functions, BERYL_AS_BASIS_SAYS, BERYL_CARTESIAN));
    TRY(check_setting("screen", settings->screen, 1e-300, 1));
    TRY(check_setting("converge", settings->converge, SCF_LEAST_CONVERGE, 1));
    TRY(check_setting("max_iter", (double)settings->max_iter, 1, 1e6));
    TRY(check_setting("cache", (double)settings->cache, 0, 1e6));
    TRY(check_setting("memory", (double)settings->memory, 0, 1e9));
    TRY(check_setting("integrals", settings->integrals, BERYL_INTEGRALS_AUTO,
                      BERYL_INTEGRALS_MEMORY));
    TRY(check_setting("follow", settings->follow, BERYL_FOLLOW_SAME, BERYL_FOLLOW_NONE));
    TRY(check_setting("frame", settings->frame, -1e6, 1e6));
    TRY(check_setting("freeze", (double)settings->freeze, 0, 1e6));
    TRY(check_setting("freeze_virtuals", (double)settings->freeze_virtuals, 0, 1e6));
    if (settings->frozen_core && settings->freeze > 0)
        return FAIL(STATUS_USAGE, "settings.frozen_core and settings.freeze both say which "
                                  "occupied orbitals are frozen: set one");
    TRY(check_setting("converge_amplitudes", settings->converge_amplitudes, SCF_LEAST_CONVERGE, 1));
    return check_setting("max_iter_amplitudes", (double)settings->max_iter_amplitudes, 1, 1e6);
}

/* Replaces the text by a copy that the calculation owns. */
static enum status own_text(struct beryl_calculation *self, int place, const char **text)
{
    if (!*text)
        return STATUS_OK;
    *text = self->texts[place] = strdup(*text);
    return CHECK_MEMORY(*text, "no memory for the settings");
}

static enum status own_texts(struct beryl_calculation *self, const char **molecule)
{
    struct beryl_settings *given = &self->given;
    const char **texts[BERYL_TEXTS] = {molecule,           &given->basis, &given->guess,
                                       &given->checkpoint, &given->sched, &given->guess_flip};
    for (int i = 0; i < BERYL_TEXTS; i++)
        TRY(own_text(self, i, texts[i]));
    return STATUS_OK;
}

static enum status convert_settings(struct beryl_calculation *self, const char *molecule)
{
    static const int methods[] = {[BERYL_BY_MULTIPLICITY] = -1,
                                  [BERYL_RHF] = METHOD_RHF,
                                  [BERYL_UHF] = METHOD_UHF,
                                  [BERYL_ROHF] = METHOD_ROHF};
    static const int integrals[] = {[BERYL_INTEGRALS_AUTO] = HF_INTEGRALS_AUTO,
                                    [BERYL_INTEGRALS_DIRECT] = HF_INTEGRALS_DIRECT,
                                    [BERYL_INTEGRALS_MEMORY] = HF_INTEGRALS_MEMORY};
    struct beryl_settings *given = &self->given;
    struct hf_settings *settings = &self->settings;
    TRY(own_texts(self, &molecule));
    hf_settings_default(settings);
    settings->molecule = molecule;
    settings->basis = given->basis;
    settings->method = methods[given->reference];
    settings->charge = given->charge == BERYL_NOT_GIVEN ? HF_NOT_GIVEN : given->charge;
    settings->multiplicity =
        given->multiplicity == BERYL_NOT_GIVEN ? HF_NOT_GIVEN : given->multiplicity;
    settings->frame = given->frame == 0 ? HF_NOT_GIVEN : given->frame;
    settings->spherical = given->functions == BERYL_SPHERICAL;
    settings->cartesian = given->functions == BERYL_CARTESIAN;
    settings->screen = given->screen;
    settings->memory_megabytes = given->memory;
    settings->integrals = integrals[given->integrals];
    settings->guess = given->guess ? given->guess : settings->guess;
    settings->guess_flip = given->guess_flip;
    settings->fock.cache_bytes = given->cache * 1000000;
    settings->scf.converge = given->converge;
    settings->scf.max_iterations = given->max_iter;
    settings->scf.checkpoint = given->checkpoint;
    settings->scf.keep_occupation = given->keep_occupation != 0;
    if (settings->scf.keep_occupation || given->follow == BERYL_FOLLOW_NONE)
        settings->scf.follow = SCF_FOLLOW_NONE;
    if (given->sched)
        TRY(taskpool_settings_set(&settings->pool, "sched", given->sched));
    TRY(mode_options_choose(&settings->pool, NULL, 1, &settings->modes));
    return mode_options_check_real(&settings->modes);
}

/* --- calculations --- */

static bool log_wanted(const struct beryl_settings *settings)
{
    return settings->log && beryl_rank() == 0;
}

enum status beryl_enter(const char *function, const struct beryl_calculation *calculation,
                        bool given)
{
    if (!calculation || !given)
        return FAIL(STATUS_USAGE, "%s: %s is NULL", function,
                    calculation ? "an argument" : "the calculation");
    if (calculation->failed)
        return FAIL(STATUS_USAGE, "a function of this calculation has failed: destroy it, and "
                                  "create another");
    log_enable(log_wanted(&calculation->given));
    return STATUS_OK;
}

enum beryl_error beryl_leave(struct beryl_calculation *calculation, enum status status)
{
    if (status != STATUS_OK && status != STATUS_USAGE)
        calculation->failed = true;
    log_enable(false);
    return (enum beryl_error)status;
}

#define MAX_POSITION 1e9 /* as in XYZ files */

static enum status copy_centres(struct beryl_calculation *self, int64_t n,
                                const struct beryl_centre *centres)
{
    self->atoms = malloc((size_t)n * sizeof *self->atoms);
    TRY(CHECK_MEMORY(self->atoms, "no memory for %lld centres", (long long)n));
    for (int64_t i = 0; i < n; i++) {
        const struct beryl_centre *centre = &centres[i];
        if (centre->element < (centre->ghost ? 0 : 1) || centre->element > MAX_ATOMIC_NUMBER)
            return FAIL(STATUS_USAGE, "centres[%lld].element is %d: no atomic number", (long long)i,
                        centre->element);
        for (int k = 0; k < 3; k++)
            if (!(fabs(centre->position[k]) <= MAX_POSITION))
                return FAIL(STATUS_USAGE,
                            "centres[%lld].position[%d] is %g: give a number from "
                            "-1e9 to 1e9, in Bohr",
                            (long long)i, k, centre->position[k]);
        self->atoms[i] = atom_of_element(centre->element, centre->ghost);
        memcpy(self->atoms[i].position, centre->position, sizeof centre->position);
    }
    self->settings.atoms = self->atoms;
    self->settings.n_atoms = n;
    return STATUS_OK;
}

static enum status prepare_calculation(struct beryl_calculation *self)
{
    if (self->settings.scf.checkpoint)
        TRY(checkpoint_check(self->settings.scf.checkpoint, MPI_COMM_WORLD));
    TRY(hf_calculation_read(&self->settings, MPI_COMM_WORLD, &self->hf));
    TRY(hf_calculation_prepare_screening(&self->hf));
    return hf_calculation_prepare_build(&self->hf, &self->settings.pool);
}

/* centres: n, or NULL: from the file */
static enum status fill_calculation(struct beryl_calculation *self, const char *molecule, int64_t n,
                                    const struct beryl_centre *centres)
{
    TRY(status_agree(MPI_COMM_WORLD, convert_settings(self, molecule)));
    if (centres)
        TRY(status_agree(MPI_COMM_WORLD, copy_centres(self, n, centres)));
    return prepare_calculation(self);
}

static enum status create_calculation(const char *molecule, int64_t n,
                                      const struct beryl_centre *centres,
                                      const struct beryl_settings *settings,
                                      struct beryl_calculation **calculation)
{
    if (!library.started || library.ended)
        return FAIL(STATUS_USAGE, "call beryl_start before, and beryl_end after all calculations");
    TRY(check_library_settings(settings));
    struct beryl_calculation *made = calloc(1, sizeof *made);
    library.n_calculations += made != NULL;
    enum status status =
        status_agree(MPI_COMM_WORLD, CHECK_MEMORY(made, "no memory for a calculation"));
    if (status != STATUS_OK)
        goto failed;
    made->given = *settings;
    log_enable(log_wanted(settings));
    status = fill_calculation(made, molecule, n, centres);
    log_enable(false);
    if (status != STATUS_OK)
        goto failed;
    *calculation = made;
    return STATUS_OK;
failed:
    beryl_destroy(made);
    return status;
}

enum beryl_error beryl_create(int64_t n_centres, const struct beryl_centre *centres,
                              const struct beryl_settings *settings,
                              struct beryl_calculation **calculation)
{
    if (!calculation || !centres || !settings || n_centres <= 0)
        return (enum beryl_error)FAIL(STATUS_USAGE, "beryl_create: %s",
                                      n_centres > 0 ? "an argument is NULL" : "no centres");
    *calculation = NULL;
    return (enum beryl_error)create_calculation("the molecule", n_centres, centres, settings,
                                                calculation);
}

enum beryl_error beryl_create_from_file(const char *path, const struct beryl_settings *settings,
                                        struct beryl_calculation **calculation)
{
    if (!calculation || !path || !settings)
        return (enum beryl_error)FAIL(STATUS_USAGE, "beryl_create_from_file: an argument is NULL");
    *calculation = NULL;
    return (enum beryl_error)create_calculation(path, 0, NULL, settings, calculation);
}

void beryl_destroy(struct beryl_calculation *calculation)
{
    if (!calculation)
        return;
    quartet_batches_destroy(calculation->batches);
    hf_calculation_fini(&calculation->hf);
    for (int i = 0; i < BERYL_TEXTS; i++)
        free(calculation->texts[i]);
    free(calculation->atoms);
    free(calculation);
    library.n_calculations--;
}
