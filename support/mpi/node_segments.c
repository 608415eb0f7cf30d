/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/node_segments.h"

#include "support/base/agree.h"
#include "support/base/memory.h"
#include "support/base/node.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP_BYTES = 16 << 20 /* of memory made writable: a multiple of a huge page */ };

static bool is_refused(void)
{
    const char *choice = getenv("BERYL_NEAR_MEMORY");
    return choice && strcmp(choice, "never") == 0;
}

/* Whether there is a limit on what this process maps (ulimit -v). */
static bool is_space_limited(void)
{
    struct rlimit limit;
    return getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur != RLIM_INFINITY;
}

/* A file without a name in which at most this many bytes can be; -1: there is none. Files that are too large
 * for the process's limit would end it (SIGXFSZ). */
static int create_segment_file(int64_t bytes)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < (rlim_t)bytes)
        return -1;
    return memfd_create("beryl", MFD_CLOEXEC);
}

/* Address space for most_bytes, or half as many and so on; NULL if less than least_bytes are granted. */
static void *reserve_segment(int file, int64_t most_bytes, int64_t least_bytes, int64_t *granted)
{
    int flags = file >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS;
    for (int64_t bytes = most_bytes; bytes > 0 && bytes >= least_bytes; bytes /= 2) {
        if (file >= 0 && ftruncate(file, bytes) != 0)
            continue;
        void *start = mmap(NULL, (size_t)bytes, PROT_NONE, flags | MAP_NORESERVE, file, 0);
        if (start == MAP_FAILED)
            continue;
        *granted = bytes;
        return start;
    }
    return NULL;
}

static void reserve_own(struct node_segments *segments)
{
    struct node_segment *own = &segments->own;
    own->start =
        reserve_segment(segments->file, segments->most_bytes, segments->least_bytes, &own->bytes);
    if (own->start && segments->file < 0)
        memory_advise_huge(own->start, own->bytes);
}

/* A segment that others can map; without it `own` is reserved later. */
static void reserve_for_others(struct node_segments *segments)
{
    segments->file = create_segment_file(segments->most_bytes);
    if (segments->file >= 0)
        reserve_own(segments);
}

/* How another process opens the file behind a segment, and what tells it from others. */
struct segment_address {
    int64_t pid, file, bytes; /* bytes 0: no file */
    uint64_t device, inode;
};

static struct segment_address address_of_own(const struct node_segments *segments)
{
    struct stat found;
    if (!segments->own.start || fstat(segments->file, &found) != 0)
        return (struct segment_address){0};
    return (struct segment_address){.pid = getpid(),
                                    .file = segments->file,
                                    .bytes = segments->own.bytes,
                                    .device = found.st_dev,
                                    .inode = found.st_ino};
}

/* A process of another container may have the same number. */
static bool is_file_at(int file, const struct segment_address *address)
{
    struct stat found;
    return fstat(file, &found) == 0 && found.st_dev == address->device &&
           found.st_ino == address->inode && found.st_size == address->bytes;
}

/* Maps the segment of another process; false: it cannot be seen. */
static bool map_other(const struct segment_address *address, struct node_segment *segment)
{
    char path[64];
    void *start = MAP_FAILED;
    snprintf(path, sizeof path, "/proc/%lld/fd/%lld", (long long)address->pid,
             (long long)address->file);
    int file = address->bytes > 0 ? open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK) : -1;
    if (file < 0)
        return false;
    if (is_file_at(file, address))
        start = mmap(NULL, (size_t)address->bytes, PROT_READ | PROT_WRITE,
                     MAP_SHARED | MAP_NORESERVE, file, 0);
    close(file);
    if (start == MAP_FAILED)
        return false;
    *segment = (struct node_segment){start, address->bytes};
    return true;
}

static void unmap_segment(struct node_segment *segment)
{
    if (segment->start)
        munmap(segment->start, (size_t)segment->bytes);
    *segment = (struct node_segment){0};
}

static void forget_others(struct node_segments *segments)
{
    for (int i = 0; i < segments->n_others; i++)
        unmap_segment(&segments->others[i]);
    segments->n_others = 0;
}

/* Maps all other processes of the node; false: one cannot be seen. addresses: of all processes of comm. */
static bool map_others(MPI_Comm comm, const struct segment_address *addresses,
                       struct node_segments *segments)
{
    int rank, n, own = 0;
    MPI_Comm_rank(comm, &rank);
    const int *ranks = node_ranks(comm, &n);
    while (ranks[own] != rank)
        own++;
    for (int i = 1; i < n; i++) {
        const struct segment_address *address = &addresses[ranks[(own + i) % n]];
        if (!map_other(address, &segments->others[segments->n_others]))
            return false;
        segments->n_others++;
    }
    return true;
}

/* Without the segments of others, nor one that they see. */
static void keep_to_own(struct node_segments *segments)
{
    forget_others(segments);
    unmap_segment(&segments->own);
    segments->writable_bytes = 0;
    if (segments->file >= 0)
        close(segments->file);
    segments->file = -1;
}

/* Lets all processes see those of their nodes, or none. */
static void share_segments(MPI_Comm comm, struct segment_address *addresses,
                           struct node_segments *segments)
{
    int n_near = node_count(comm);
    if (n_near > 1 && !is_refused() && !is_space_limited())
        reserve_for_others(segments);
    struct segment_address own = address_of_own(segments);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, addresses, sizeof own, MPI_BYTE, comm);
    bool sees = n_near == 1 || (own.bytes > 0 && map_others(comm, addresses, segments));
    MPI_Allreduce(MPI_IN_PLACE, &sees, 1, MPI_C_BOOL, MPI_LAND, comm);
    if (!sees)
        keep_to_own(segments);
}

enum status node_segments_init(MPI_Comm comm, int64_t most_bytes, int64_t least_bytes,
                               struct node_segments *segments)
{
    int n;
    MPI_Comm_size(comm, &n);
    *segments = (struct node_segments){
        .file = -1,
        .most_bytes = most_bytes,
        .least_bytes = least_bytes,
        .others = calloc((size_t)node_count(comm), sizeof *segments->others)};
    struct segment_address *addresses = calloc((size_t)n, sizeof *addresses);
    enum status status =
        status_agree(comm, CHECK_MEMORY(addresses && segments->others,
                                        "no memory for the addresses of memory of the node"));
    if (status == STATUS_OK)
        share_segments(comm, addresses, segments);
    free(addresses);
    return status;
}

void node_segments_fini(struct node_segments *segments)
{
    keep_to_own(segments);
    free(segments->others);
    *segments = (struct node_segments){.file = -1};
}

/* Makes at least the first bytes writable; false: the system does not allow it. */
static bool grow_own(struct node_segments *segments, int64_t bytes)
{
    struct node_segment *own = &segments->own;
    if (bytes <= segments->writable_bytes)
        return true;
    if (bytes > own->bytes)
        return false;
    /* Up to an address where no huge page lies across. */
    uintptr_t start = (uintptr_t)own->start;
    uintptr_t end = (start + (uintptr_t)bytes + STEP_BYTES - 1) / STEP_BYTES * STEP_BYTES;
    int64_t writable_bytes = (int64_t)(end - start);
    if (writable_bytes > own->bytes)
        writable_bytes = own->bytes;
    if (mprotect(own->start, (size_t)writable_bytes, PROT_READ | PROT_WRITE) != 0)
        return false;
    segments->writable_bytes = writable_bytes;
    return true;
}

bool node_segments_take(struct node_segments *segments, int64_t place, int64_t bytes)
{
    struct node_segment *own = &segments->own;
    if (!own->start)
        reserve_own(segments);
    if (!own->start || !grow_own(segments, place + bytes))
        return false;
    /* A page that the system has not got would end the process when it is written to. */
    if (segments->file >= 0 && fallocate(segments->file, FALLOC_FL_KEEP_SIZE, place, bytes) != 0)
        return false;
    return true;
}

void node_segments_clear(struct node_segments *segments)
{
    size_t bytes = (size_t)segments->writable_bytes;
    if (segments->file < 0) {
        unmap_segment(&segments->own);
        segments->writable_bytes = 0;
    } else if (bytes > 0 && madvise(segments->own.start, bytes, MADV_REMOVE) != 0) {
        memset(segments->own.start, 0, bytes);
    }
}
