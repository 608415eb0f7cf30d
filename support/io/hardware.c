/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/hardware.h"

#include "support/base/node.h"
#include "support/io/json.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* As Linux calls it; "" if it does not say. */
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
