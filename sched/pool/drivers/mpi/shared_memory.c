/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/shared_memory.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

/* A name that no other file of this kind has. */
static void name_shared_memory(char *name, size_t size)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(name, size, "/beryl-%ld-%lld-%ld", (long)getpid(), (long long)now.tv_sec, now.tv_nsec);
}

/* Maps it in this process; NULL on failure. Room is taken at once: a page that the file system has
 * none for would end the process when it is written to. */
static void *map_named_memory(const char *name, bool creates, size_t size_bytes)
{
    void *memory = MAP_FAILED;
    int file = shm_open(name, creates ? O_RDWR | O_CREAT | O_EXCL : O_RDWR, 0600);
    if (file < 0)
        return NULL;
    if (!creates || posix_fallocate(file, 0, (off_t)size_bytes) == 0)
        memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return memory == MAP_FAILED ? NULL : memory;
}

void *shared_memory_map(MPI_Comm comm, size_t size_bytes)
{
    char name[64] = "";
    void *memory = NULL;
    int rank;
    MPI_Comm_rank(comm, &rank);
    if (rank == 0) {
        name_shared_memory(name, sizeof name);
        memory = map_named_memory(name, true, size_bytes);
    }
    MPI_Bcast(name, sizeof name, MPI_CHAR, 0, comm);
    if (rank != 0)
        memory = map_named_memory(name, false, size_bytes);
    int mapped_by_all = memory != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &mapped_by_all, 1, MPI_INT, MPI_LAND, comm);
    if (rank == 0)
        shm_unlink(name);
    if (mapped_by_all || !memory)
        return memory;
    munmap(memory, size_bytes);
    return NULL;
}
