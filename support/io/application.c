/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/application.h"

#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/base/node.h"
#include "support/io/json.h"
#include "support/mpi/mpi_transport.h"
#include "support/mpi/wall_time.h"

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Takes the numbers of standard streams that are closed, else a file or a connection that is opened
 * gets one of them, and what is printed goes there. */
static void take_closed_streams(void)
{
    int null = open("/dev/null", O_RDONLY);
    while (null >= 0 && null <= STDERR_FILENO)
        null = open("/dev/null", O_RDONLY);
    if (null >= 0)
        close(null);
}

static void survive_signal(int signal_number)
{
    (void)signal_number;
}

/* The write then returns an error: EPIPE, or EFBIG beyond a limit of a file's size. By a handler,
 * because a program that MPI starts would inherit SIG_IGN. */
static void survive_failed_writes(void)
{
    const struct sigaction survive = {.sa_handler = survive_signal, .sa_flags = SA_RESTART};
    const int signals[] = {SIGPIPE, SIGXFSZ};
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler == SIG_DFL)
            sigaction(signals[i], &survive, NULL);
    }
}

/* Before anything is opened or printed: streams that are closed stay nobody's, and a write to a pipe without a
 * reader, or beyond the limit of a file's size, fails instead of ending the program, which so writes its other
 * files. */
static void hold_streams(void)
{
    take_closed_streams();
    survive_failed_writes();
}

/* For this process alone, by documented variables, because hwloc and Open MPI have no calls for
 * these settings; what the user has set stays. */
void application_prepare_mpi(void)
{
    /* Else Open MPI's hwloc looks for graphics cards at X displays, which takes seconds on a
     * machine that cannot resolve its own name. */
    setenv("HWLOC_COMPONENTS", "-gl", 0);
    if (mpi_transport_is_launched())
        return;
    /* Else MPI starts a daemon for the program, which takes 0.1 s. */
    setenv("OMPI_MCA_ess_singleton_isolated", "1", 0);
    /* Programs without one share a folder, and one that ends would remove it while another
     * begins, which then fails. One process needs no files to find others. */
    setenv("OMPI_MCA_orte_create_session_dirs", "0", 0);
}

static enum status start_mpi(struct application *application, int thread_level)
{
    TRY(mpi_transport_check());
    bool leaves_shared_memory = mpi_transport_start(thread_level);
    MPI_Comm_rank(MPI_COMM_WORLD, &application->rank);
    log_enable(application->rank == 0);
    if (leaves_shared_memory && application_runs(application))
        log_warn("/dev/shm is too small for messages through shared memory: they go over TCP, "
                 "which is slower; make it larger (mount -o remount,size=SIZE /dev/shm; docker run "
                 "--shm-size=SIZE)");
    return status_agree(MPI_COMM_WORLD, application->status);
}

void application_start(struct application *application, int thread_level)
{
    wall_time_start();
    hold_streams();
    setlinebuf(stderr); /* a line is one write, which other processes cannot cut up */
    log_enable(true);
    /* One process needs no MPI to answer or to complain. */
    if (!application_runs(application) && !mpi_transport_is_launched())
        return;
    application_prepare_mpi();
    application->status = start_mpi(application, thread_level);
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

/* Printed text is a result, too: fails if it could not be written. People may close a pipe early
 * after --help. */
static enum status check_output(const struct application *application)
{
    int error = log_flush();
    if (error == EPIPE && application->request != OPTION_REQUEST_RUN)
        return STATUS_OK;
    return error ? FAIL(STATUS_IO, "cannot write to standard output: %s", strerror(error))
                 : STATUS_OK;
}

int application_finish(struct application *application)
{
    int started;
    MPI_Initialized(&started);
    if (application->status == STATUS_OK) {
        application->status = check_output(application);
        application->accepted = true;
    }
    if (started) /* every process may have printed */
        application->status = status_agree(MPI_COMM_WORLD, application->status);
    if (application->status != STATUS_OK && application->rank == 0)
        status_print(application->name);
    if (started)
        MPI_Finalize();
    return application_exit_status(application->status, application->accepted);
}

/* --- the machine --- */

/* The processor's name from /proc/cpuinfo; "" if it has none. */
static void read_processor_name(char *name, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");
    name[0] = '\0';
    while (file && name[0] == '\0' && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, "model name", strlen("model name")) != 0 || !colon)
            continue;
        snprintf(name, size, "%s", colon + 1 + strspn(colon + 1, " \t"));
        name[strcspn(name, "\n")] = '\0';
    }
    if (file)
        fclose(file);
}

json_t *hardware_to_json(MPI_Comm comm)
{
    char processor[256];
    int rank, n_on_node, n_nodes = 0;
    MPI_Comm_rank(comm, &rank);
    int is_first = node_ranks(comm, &n_on_node)[0] == rank;
    MPI_Allreduce(&is_first, &n_nodes, 1, MPI_INT, MPI_SUM, comm);
    read_processor_name(processor, sizeof processor);
    return json_pack("{s:o, s:I, s:i}", "processor", json_text(processor), "cores",
                     (json_int_t)sysconf(_SC_NPROCESSORS_ONLN), "nodes", n_nodes);
}
