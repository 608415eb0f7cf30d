/* beryl-tce: tensor contractions. Only this file prints errors and sets the exit status. */
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "tce/cli/method_run.h"
#include "tce/cli/program_run.h"
#include "tce/cli/tce_options.h"

#include <mpi.h>
#include <stdio.h>

static enum status run(const struct tce_options *options, int *exit_status)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    log_enable(rank == 0 && !options->count_tasks);
    dense_threads_default();
    enum status status = darray_start();
    *exit_status = status_exit_code(status);
    if (status != STATUS_OK)
        return status;
    status = options->method ? method_run(options, MPI_COMM_WORLD, exit_status)
                             : program_run(options, MPI_COMM_WORLD, exit_status);
    darray_stop();
    return status;
}

int main(int argc, char **argv)
{
    int rank, provided;
    struct tce_options options;
    enum option_request request;
    enum status status = tce_options_parse(argc, argv, &options, &request);
    MPI_Init_thread(&argc, &argv, taskpool_thread_level(tce_options_pool(&options)), &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int exit_status = status_exit_code(status);
    if (status == STATUS_OK && request == OPTION_REQUEST_RUN)
        status = run(&options, &exit_status);
    else if (status == STATUS_OK && rank == 0)
        tce_options_answer(&options, request);
    if (status != STATUS_OK && rank == 0)
        fprintf(stderr, "beryl-tce: %s\n", status_text());
    MPI_Finalize();
    return exit_status;
}
