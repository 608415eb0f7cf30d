/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-hf: Hartree-Fock. */
#include "hf/cli/hf_options.h"
#include "hf/cli/hf_run.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/log.h"
#include "support/io/application.h"
#include "support/mpi/wall_time.h"

static enum status run_hf(struct hf_options *options, struct application *application)
{
    TRY(hf_options_read_file(options, MPI_COMM_WORLD));
    log_enable(application->rank == 0 && !options->count_tasks);
    TRY(taskpool_trace_start(MPI_COMM_WORLD, &options->settings.pool));
    TRY(dense_start(MPI_COMM_WORLD));
    TRY(darray_start());
    wall_time_begin(WALL_ALGEBRA);
    enum status status = hf_run(options, MPI_COMM_WORLD, &application->accepted);
    darray_stop();
    taskpool_trace_destroy(options->settings.pool.trace);
    return status;
}

int main(int argc, char **argv)
{
    struct hf_options options;
    struct application application = {.name = "beryl-hf"};
    application.status = hf_options_parse(argc, argv, &options, &application.request);
    application_start(&application, taskpool_thread_level(&options.settings.pool));
    if (application_runs(&application))
        application.status = run_hf(&options, &application);
    else if (application_answers(&application))
        application.status = hf_options_answer(&options, application.request);
    atomic_input_fini(&options.input);
    return application_finish(&application);
}
