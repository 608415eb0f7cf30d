/* beryl-sched: schedulers without chemistry. Only this file prints errors and sets the
 * exit status. */
#include "sched/cli/beryl_sched_options.h"
#include "sched/cli/beryl_sched_run.h"
#include "sched/cli/beryl_sched_sweep.h"
#include "sched/cli/calibrate.h"
#include "support/base/log.h"

#include <mpi.h>
#include <stdio.h>

/* Simulated workers need no thread. */
static int thread_level(const struct beryl_sched_options *options)
{
    return options->machine.n_workers > 0 || options->sweep ? MPI_THREAD_SINGLE
                                                            : taskpool_thread_level(&options->pool);
}

static enum status run(const struct beryl_sched_options *options)
{
    if (options->calibration)
        return calibrate(MPI_COMM_WORLD, options->calibration);
    return (options->sweep ? beryl_sched_sweep : beryl_sched_run)(options, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank, provided;
    struct beryl_sched_options options;
    enum option_request request;
    /* First, because they tell what is asked of MPI. */
    enum status status = beryl_sched_options_parse(argc, argv, &options, &request);
    MPI_Init_thread(&argc, &argv, thread_level(&options), &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    log_enable(rank == 0);
    if (status == STATUS_OK && request == OPTION_REQUEST_RUN)
        status = run(&options);
    else if (status == STATUS_OK && rank == 0)
        beryl_sched_options_answer(request);
    if (status != STATUS_OK && rank == 0)
        fprintf(stderr, "beryl-sched: %s\n", status_text());
    MPI_Finalize();
    return status_exit_code(status);
}
