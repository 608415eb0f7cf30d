#include "support/io/application.h"

#include "support/base/log.h"

#include <mpi.h>
#include <stdlib.h>

void application_start(struct application *application, int thread_level)
{
    int provided;
    /* Else Open MPI's hwloc looks for graphics cards at X displays, which takes seconds on a
     * machine that cannot resolve its own name. */
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    /* Without mpirun, else a daemon is started beside the program, which takes 0.1 s. */
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    MPI_Init_thread(NULL, NULL, thread_level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &application->rank);
    log_enable(application->rank == 0);
}

bool application_runs(const struct application *application)
{
    return application->status == STATUS_OK && application->request == OPTION_REQUEST_RUN;
}

bool application_answers(const struct application *application)
{
    return application->status == STATUS_OK && application->request != OPTION_REQUEST_RUN &&
           application->rank == 0;
}

int application_exit_status(enum status status, bool accepted)
{
    bool late = accepted && (status == STATUS_IO || status == STATUS_LIMIT);
    return late ? 1 : status_exit_code(status);
}

int application_finish(const struct application *application)
{
    int started;
    if (application->status != STATUS_OK && application->rank == 0)
        status_print(application->name);
    MPI_Initialized(&started);
    if (started)
        MPI_Finalize();
    return application_exit_status(application->status, application->accepted);
}
