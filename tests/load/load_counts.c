/* SPDX-License-Identifier: BSD-3-Clause */
#include "tests/load/load_counts.h"

#include <dirent.h>
#include <mpi.h>
#include <stdio.h>

static struct load_counts held; /* windows: less windows_made */

/* --- MPI: each call that makes or frees an object --- */

#define MAKES(counter, name, parameters, arguments)                                                \
    int name parameters                                                                            \
    {                                                                                              \
        held.counter++;                                                                            \
        return P##name arguments;                                                                  \
    }
#define FREES(counter, name, type)                                                                 \
    int name(type *object)                                                                         \
    {                                                                                              \
        held.counter--;                                                                            \
        return P##name(object);                                                                    \
    }

MAKES(windows_made, MPI_Win_create,
      (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *window),
      (base, size, unit, info, comm, window))
MAKES(windows_made, MPI_Win_allocate,
      (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
      (size, unit, info, comm, base, window))
MAKES(windows_made, MPI_Win_allocate_shared,
      (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *window),
      (size, unit, info, comm, base, window))
FREES(windows, MPI_Win_free, MPI_Win)

MAKES(communicators, MPI_Comm_dup, (MPI_Comm comm, MPI_Comm *copy), (comm, copy))
MAKES(communicators, MPI_Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *part),
      (comm, group, part))
MAKES(communicators, MPI_Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *part),
      (comm, color, key, part))
MAKES(communicators, MPI_Comm_split_type,
      (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *part),
      (comm, type, key, info, part))
FREES(communicators, MPI_Comm_free, MPI_Comm)

MAKES(groups, MPI_Comm_group, (MPI_Comm comm, MPI_Group *group), (comm, group))
MAKES(groups, MPI_Group_incl, (MPI_Group all, int n, const int *ranks, MPI_Group *group),
      (all, n, ranks, group))
FREES(groups, MPI_Group_free, MPI_Group)

MAKES(types, MPI_Type_contiguous, (int n, MPI_Datatype old, MPI_Datatype *type), (n, old, type))
MAKES(types, MPI_Type_create_hindexed,
      (int n, const int *lengths, const MPI_Aint *places, MPI_Datatype old, MPI_Datatype *type),
      (n, lengths, places, old, type))
MAKES(types, MPI_Type_create_subarray,
      (int n, const int *sizes, const int *subsizes, const int *starts, int order, MPI_Datatype old,
       MPI_Datatype *type),
      (n, sizes, subsizes, starts, order, old, type))
FREES(types, MPI_Type_free, MPI_Datatype)

/* --- requests: begun, and completed --- */

MAKES(requests, MPI_Isend,
      (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
       MPI_Request *request),
      (data, n, type, to, tag, comm, request))
MAKES(requests, MPI_Issend,
      (const void *data, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm,
       MPI_Request *request),
      (data, n, type, to, tag, comm, request))
MAKES(requests, MPI_Irecv,
      (void *data, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm,
       MPI_Request *request),
      (data, n, type, from, tag, comm, request))
MAKES(requests, MPI_Ibarrier, (MPI_Comm comm, MPI_Request *request), (comm, request))
MAKES(requests, MPI_Rget_accumulate,
      (const void *data, int n, MPI_Datatype type, void *result, int n_result,
       MPI_Datatype type_result, int rank, MPI_Aint place, int n_there, MPI_Datatype type_there,
       MPI_Op op, MPI_Win window, MPI_Request *request),
      (data, n, type, result, n_result, type_result, rank, place, n_there, type_there, op, window,
       request))

static int count_live(int n, const MPI_Request *requests)
{
    int n_live = 0;
    for (int i = 0; i < n; i++)
        n_live += requests[i] != MPI_REQUEST_NULL;
    return n_live;
}

#define COMPLETES(name, parameters, n, list, arguments)                                            \
    int name parameters                                                                            \
    {                                                                                              \
        int n_before = count_live(n, list);                                                        \
        int result = P##name arguments;                                                            \
        held.requests -= n_before - count_live(n, list);                                           \
        return result;                                                                             \
    }

COMPLETES(MPI_Test, (MPI_Request * request, int *done, MPI_Status *status), 1, request,
          (request, done, status))
COMPLETES(MPI_Wait, (MPI_Request * request, MPI_Status *status), 1, request, (request, status))
COMPLETES(MPI_Testall, (int n, MPI_Request *requests, int *done, MPI_Status *statuses), n, requests,
          (n, requests, done, statuses))
COMPLETES(MPI_Waitall, (int n, MPI_Request *requests, MPI_Status *statuses), n, requests,
          (n, requests, statuses))

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
