/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-sched: schedulers without chemistry. */
#include "sched/lab/cli/beryl_sched_options.h"
#include "sched/lab/cli/beryl_sched_run.h"
#include "sched/lab/cli/calibrate.h"
#include "sched/pool/modes/modes.h"
#include "support/base/log.h"
#include "support/base/memory.h"
#include "support/io/application.h"

#include <mpi.h>
#include <stdbool.h>

static bool simulates(const struct beryl_sched_options *options)
{
    return options->machine.n_workers > 0;
}

/* Simulated workers need no thread. */
static int thread_level(const struct beryl_sched_options *options)
{
    return simulates(options) ? MPI_THREAD_SINGLE : taskpool_thread_level(&options->pool);
}

/* Options can ask for any number of tasks, workers and iterations, or for a tree without end. */
static void confine_simulation(void)
{
    struct memory_budget budget = memory_budget(0, MPI_COMM_WORLD);
    memory_confine(&budget);
}

static enum status list_modes(void)
{
    for (int i = 0; i < mode_count(); i++) {
        const struct taskpool_mode *mode = mode_at(i);
        bool is_dynamic = mode_for(mode->name, true)->add;
        log_print("%s\t%s\t%s\n", mode->name, is_dynamic ? "dynamic" : "static", mode->help);
    }
    return STATUS_OK;
}

static enum status run_sched(struct beryl_sched_options *options, bool *accepted)
{
    if (options->list_modes)
        return list_modes();
    if (simulates(options))
        confine_simulation();
    if (options->calibration)
        return calibrate(MPI_COMM_WORLD, options->calibration, accepted);
    TRY(beryl_sched_options_complete(options, MPI_COMM_WORLD));
    return (options->compare ? beryl_sched_compare : beryl_sched_run)(options, MPI_COMM_WORLD,
                                                                      accepted);
}

int main(int argc, char **argv)
{
    struct beryl_sched_options options;
    struct application application = {.name = "beryl-sched"};
    application.status = beryl_sched_options_parse(argc, argv, &options, &application.request);
    application_start(&application, thread_level(&options));
    if (application_runs(&application))
        application.status = run_sched(&options, &application.accepted);
    else if (application_answers(&application))
        beryl_sched_options_answer(application.request);
    return application_finish(&application);
}
