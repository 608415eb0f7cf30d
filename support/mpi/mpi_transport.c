#include "support/mpi/mpi_transport.h"

#include "support/mpi/link_watch.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Whether a line of a parameter file is "osc = VALUE". */
static bool sets_osc(const char *line)
{
    line += strspn(line, " \t");
    if (strncmp(line, "osc", 3) != 0)
        return false;
    line += 3;
    return line[strspn(line, " \t")] == '=';
}

static bool file_sets_osc(const char *path)
{
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    while (file && !found && getline(&line, &size, file) >= 0)
        found = sets_osc(line);
    free(line);
    if (file)
        fclose(file);
    return found;
}

/* names  of files, separated as Open MPI does; NULL for none */
static bool files_set_osc(const char *names)
{
    char *list = names ? strdup(names) : NULL, *rest = NULL;
    bool found = false;
    for (char *name = list ? strtok_r(list, ":,", &rest) : NULL; name && !found;
         name = strtok_r(NULL, ":,", &rest))
        found = file_sets_osc(name);
    free(list);
    return found;
}

static bool home_file_sets_osc(void)
{
    const char *home = getenv("HOME");
    char path[4096];
    return home && snprintf(path, sizeof path, "%s/.openmpi/mca-params.conf", home) > 0 &&
           file_sets_osc(path);
}

static bool user_chooses(void)
{
    /* The second is an older name of the first; mpirun --am sets the third. */
    const char *const lists[] = {"OMPI_MCA_mca_base_param_files", "OMPI_MCA_mca_param_files",
                                 "OMPI_MCA_mca_base_param_file_prefix"};
    bool found = getenv("OMPI_MCA_osc") || home_file_sets_osc();
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
        found = found || files_set_osc(getenv(lists[i]));
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

void mpi_transport_start(int thread_level)
{
    int level;
    bool chooses = spans_hosts() && !user_chooses() &&
                   MPI_T_init_thread(MPI_THREAD_SINGLE, &level) == MPI_SUCCESS;
    if (chooses && let_pt2pt())
        thread_level = MPI_THREAD_SINGLE;
    MPI_Init_thread(NULL, NULL, thread_level, &level);
    if (chooses)
        MPI_T_finalize();
    if (spans_hosts())
        link_watch_start();
}
