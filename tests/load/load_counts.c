/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/load/load_counts.h"

#include "mpi_signatures.h"

#include <dirent.h>
#include <mpi.h>
#include <stdio.h>

static struct load_counts held; /* windows: less windows_made */

/* --- MPI: each call that makes, frees or completes an object --- */

#define WRAPS(name, before, after)                                                                 \
    int name PARAMETERS_##name                                                                     \
    {                                                                                              \
        before;                                                                                    \
        int result = P##name ARGUMENTS_##name;                                                     \
        after;                                                                                     \
        return result;                                                                             \
    }
#define MAKES(counter, name) WRAPS(name, held.counter++, )
#define FREES(counter, name) WRAPS(name, held.counter--, )
#define COMPLETES(name, n, list)                                                                   \
    WRAPS(name, int n_before = count_live(n, list), held.requests -= n_before - count_live(n, list))

static int count_live(int n, const MPI_Request *requests)
{
    int n_live = 0;
    for (int i = 0; i < n; i++)
        n_live += requests[i] != MPI_REQUEST_NULL;
    return n_live;
}

MAKES(windows_made, MPI_Win_create)
MAKES(windows_made, MPI_Win_allocate)
MAKES(windows_made, MPI_Win_allocate_shared)
FREES(windows, MPI_Win_free)
MAKES(communicators, MPI_Comm_dup)
MAKES(communicators, MPI_Comm_create)
MAKES(communicators, MPI_Comm_split)
MAKES(communicators, MPI_Comm_split_type)
FREES(communicators, MPI_Comm_free)
MAKES(groups, MPI_Comm_group)
MAKES(groups, MPI_Group_incl)
FREES(groups, MPI_Group_free)
MAKES(types, MPI_Type_contiguous)
MAKES(types, MPI_Type_create_hindexed)
MAKES(types, MPI_Type_create_subarray)
FREES(types, MPI_Type_free)
MAKES(requests, MPI_Isend)
MAKES(requests, MPI_Issend)
MAKES(requests, MPI_Irecv)
MAKES(requests, MPI_Ibarrier)
MAKES(requests, MPI_Rget_accumulate)
COMPLETES(MPI_Test, 1, request)
COMPLETES(MPI_Wait, 1, request)
COMPLETES(MPI_Testall, count, array_of_requests)
COMPLETES(MPI_Waitall, count, array_of_requests)

/* --- the kernel's counts --- */

static int64_t count_files(void)
{
    DIR *folder = opendir("/proc/self/fd");
    int64_t n = -3; /* itself, . and .. */
    while (folder && readdir(folder))
        n++;
    closedir(folder);
    return n;
}

static void read_process(struct load_counts *counts)
{
    char line[256];
    long long value;
    FILE *file = fopen("/proc/self/status", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "VmRSS: %lld kB", &value) == 1)
            counts->resident_bytes = value * 1024;
        if (sscanf(line, "Threads: %lld", &value) == 1)
            counts->threads = value;
    }
    if (file)
        fclose(file);
}

struct load_counts load_counts_now(void)
{
    struct load_counts counts = held;
    counts.windows += counts.windows_made;
    counts.files = count_files();
    read_process(&counts);
    return counts;
}
