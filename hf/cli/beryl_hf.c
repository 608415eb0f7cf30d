/* beryl-hf: Hartree-Fock. Only this file prints errors and sets the exit status. */
#include "hf/cli/hf_options.h"
#include "hf/cli/hf_run.h"
#include "support/arrays/darray.h"
#include "support/arrays/dense.h"
#include "support/base/agree.h"
#include "support/base/log.h"

#include <mpi.h>
#include <stdio.h>

static enum status run(const struct hf_options *options, int *exit_status)
{
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    log_enable(rank == 0 && !options->count_tasks);
    dense_threads_default();
    enum status status = darray_start();
    *exit_status = status_exit_code(status);
    if (status != STATUS_OK)
        return status;
    status = hf_run(options, MPI_COMM_WORLD, exit_status);
    darray_stop();
    return status;
}

int main(int argc, char **argv)
{
    int rank, provided;
    struct hf_options options;
    enum option_request request;
    /* First, because they tell what is asked of MPI. */
    enum status status = hf_options_parse(argc, argv, &options, &request);
    MPI_Init_thread(&argc, &argv, taskpool_thread_level(&options.pool), &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    int exit_status = status_exit_code(status);
    if (status == STATUS_OK && request == OPTION_REQUEST_RUN)
        status = run(&options, &exit_status);
    else if (status == STATUS_OK && rank == 0)
        hf_options_answer(request);
    if (status != STATUS_OK && rank == 0)
        fprintf(stderr, "beryl-hf: %s\n", status_text());
    MPI_Finalize();
    return exit_status;
}
