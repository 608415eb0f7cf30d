/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/mpi_transport.h"

#include "support/base/memory.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool mpi_transport_is_launched(void)
{
    return getenv("OMPI_COMM_WORLD_SIZE") || getenv("PMIX_RANK") || getenv("PMI_RANK") ||
           getenv("SLURM_PROCID");
}

/* By the environment of mpirun, or of srun: MPI does not know before its start. */
static bool spans_hosts(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    const char *local_size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    const char *n_nodes = getenv("SLURM_STEP_NUM_NODES");
    if (size && local_size)
        return strcmp(size, local_size) != 0;
    return n_nodes && strcmp(n_nodes, "1") != 0;
}

/* The user's parameter files are read here because MPI_T gives the value of a parameter, but not
 * whether the user or the site has chosen it. */

/* Whether a line of a parameter file is "NAME = VALUE". */
static bool sets_parameter(const char *line, const char *name)
{
    size_t length = strlen(name);
    line += strspn(line, " \t");
    if (strncmp(line, name, length) != 0)
        return false;
    line += length;
    return line[strspn(line, " \t")] == '=';
}

static bool file_sets(const char *path, const char *name)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (file && !found && getline(&line, &size, file) >= 0)
        found = sets_parameter(line, name);
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* paths  of files, separated as Open MPI does; NULL for none */
static bool files_set(const char *paths, const char *name)
{
    char *list = paths ? strdup(paths) : NULL, *rest = NULL;
    bool found = false;
    for (char *path = list ? strtok_r(list, ":,", &rest) : NULL; path && !found;
         path = strtok_r(NULL, ":,", &rest))
        found = file_sets(path, name);
    free(list);
    return found;
}

static bool home_file_sets(const char *name)
{
    const char *home = getenv("HOME");
    char path[4096];
    return home && snprintf(path, sizeof path, "%s/.openmpi/mca-params.conf", home) > 0 &&
           file_sets(path, name);
}

/* name  of a parameter of Open MPI */
static bool user_chooses(const char *name)
{
    /* The second is an older name of the first; mpirun --am sets the third. */
    const char *const lists[] = {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files",
                                 "OMPI_MCA_mca_base_param_file_prefix"};
    char variable[64];
    snprintf(variable, sizeof variable, "OMPI_MCA_%s", name);
    bool found = getenv(variable) || home_file_sets(name);
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        found = found || files_set(getenv(lists[i]), name);
    return found;
}

/* Changes "^...pt2pt" of the site's configuration. Returns whether it was so. */
static bool let_pt2pt(void)
{
    MPI_T_cvar_handle osc;
    int index, length;
    char value[4096] = "";
    if (MPI_T_cvar_get_index("osc", &index) != MPI_SUCCESS ||
        MPI_T_cvar_handle_alloc(index, NULL, &osc, &length) != MPI_SUCCESS)
        return false;
    if (length <= (int)sizeof value)
        MPI_T_cvar_read(osc, value);
    bool excluded = value[0] == '^' && strstr(value, "pt2pt");
    bool changed = excluded && MPI_T_cvar_write(osc, "^ucx") == MPI_SUCCESS;
    MPI_T_cvar_handle_free(&osc);
    return changed;
}

/* Processes of this host, as far as its launcher says; else 1. */
static double count_local(void)
{
    const char *local_size = getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
    return local_size ? strtod(local_size, NULL) : 1;
}

/* Default size of the file that btl/vader, which carries messages within a node, has in /dev/shm
 * for each process. The file is sparse until messages fill it. */
static const double segment_bytes = 4 << 20;

/* Switches btl/vader off where the processes of the host together could fill more than half of what
 * /dev/shm has left, the other half being for windows: a process that writes into a hole for which
 * there is no memory ends by SIGBUS. On one host btl/ofi, which also finds networks there, would
 * otherwise have osc/rdma take windows over. */
static bool leave_shared_memory(void)
{
    double n_local = count_local();
    if (n_local < 2 || user_chooses("btl") || user_chooses("btl_vader_backing_directory") ||
        (double)memory_limits().shared_bytes >= 2 * n_local * segment_bytes)
        return false;
    /* Open MPI's documented variable for this process, read when it starts. */
    setenv("OMPI_MCA_btl", spans_hosts() ? "^vader" : "self,tcp", 0);
    return true;
}

/* Leaves out the search for network cards, 0.2 s of MPI_Init, where the launcher says that all
 * processes are on one host: messages go through its memory, with or without cards. */
static void choose_one_host(void)
{
    bool knows_hosts = getenv("OMPI_COMM_WORLD_LOCAL_SIZE") ||
                       (getenv("SLURM_STEP_NUM_NODES") && !getenv("SLURM_HET_SIZE"));
    bool is_one = !mpi_transport_is_launched() || (knows_hosts && !spans_hosts());
    if (is_one && !user_chooses("pml") && !user_chooses("btl") && !user_chooses("mtl"))
        setenv("OMPI_MCA_pml", "ob1", 0);
}

/* Address space that MPI_Init maps for libraries and for the stacks and heaps of threads, in
 * addition to the files for messages of all processes of the host. */
static const double start_bytes = 240 << 20;

enum status mpi_transport_check(void)
{
    double needed = start_bytes + count_local() * segment_bytes;
    double available = (double)memory_limits().address_bytes;
    if (available >= needed)
        return STATUS_OK;
    return FAIL(STATUS_NO_MEMORY,
                "%.0f MB of address space are left, MPI needs %.0f: raise the limit (ulimit -v)",
                1e-6 * available, 1e-6 * needed);
}

bool mpi_transport_start(int thread_level)
{
    int level;
    choose_one_host(); /* before this chooses btl */
    bool leaves = leave_shared_memory();
    bool chooses = spans_hosts() && !user_chooses("osc") &&
                   MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS;
    if (chooses && let_pt2pt())
        thread_level = MPI_THREAD_SINGLE;
    MPI_Init_thread(NULL, NULL, thread_level, &level);
    if (chooses)
        MPI_T_finalize();
    return leaves;
}
