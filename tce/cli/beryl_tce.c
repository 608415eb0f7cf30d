/* SPDX-License-Identifier: BSD-3-Clause */
/* beryl-tce: tensor contractions, and the correlation methods written in them. */
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/log.h"
#include "support/io/application.h"
#include "support/mpi/wall_time.h"
#include "tce/cli/method_run.h"
#include "tce/cli/program_run.h"
#include "tce/cli/tce_options.h"

static enum status run_with_arrays(struct tce_options *options, struct application *application)
{
    TRY(dense_start(MPI_COMM_WORLD));
    TRY(darray_start());
    wall_time_begin(WALL_ALGEBRA);
    enum status status = (options->method ? method_run : program_run)(options, MPI_COMM_WORLD,
                                                                      &application->accepted);
    darray_stop();
    return status;
}

static enum status run_tce(struct tce_options *options, struct application *application)
{
    TRY(tce_options_read_file(options, MPI_COMM_WORLD));
    log_enable(application->rank == 0 && !options->count_tasks);
    struct taskpool_settings *pool = options->method ? &options->hf.settings.pool : &options->pool;
    TRY(taskpool_trace_start(MPI_COMM_WORLD, pool));
    enum status status = run_with_arrays(options, application);
    taskpool_trace_destroy(pool->trace);
    return status;
}

int main(int argc, char **argv)
{
    struct tce_options options;
    struct application application = {.name = "beryl-tce"};
    application.status = tce_options_parse(argc, argv, &options, &application.request);
    application_start(&application, taskpool_thread_level(tce_options_pool(&options)));
    if (application_runs(&application))
        application.status = run_tce(&options, &application);
    else if (application_answers(&application))
        application.status = tce_options_answer(&options, application.request);
    atomic_input_fini(&options.hf.input);
    return application_finish(&application);
}
