/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/memory.h"

#include "support/base/integers.h"
#include "support/base/node.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* Files with the limit and the use of a control group, in the two versions of Linux. */
static const struct control_group_files {
    const char *line; /* of /proc/self/cgroup, up to the name of the group */
    const char *folder, *limit, *used;
    const char *cached; /* in memory.stat: used, but given back on demand */
} versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file"},
};

/* The number that follows the key in a file, or that begins it if the key is ""; INT64_MAX without
 * a number ("max") or file. */
static int64_t read_first_number(const char *folder, const char *group, const char *name,
                                 const char *key)
{
    char line[1400];
    snprintf(line, sizeof line, "%s%s/%s", folder, group, name);
    FILE *stream = fopen(line, "r");
    if (!stream)
        return INT64_MAX;
    long long number = INT64_MAX;
    size_t length = strlen(key);
    while (fgets(line, sizeof line, stream))
        if (strncmp(line, key, length) == 0 && sscanf(line + length, "%lld", &number) == 1)
            break;
    fclose(stream);
    return number;
}

/* Bytes that a group's own limit leaves; groups above it may leave less. */
static int64_t group_available_bytes(const struct control_group_files *files, const char *group)
{
    int64_t limit = read_first_number(files->folder, group, files->limit, "");
    if (limit > INT64_MAX / 2) /* no limit is INT64_MAX, or in version 1 a page less */
        return INT64_MAX;
    int64_t used = read_first_number(files->folder, group, files->used, "");
    int64_t cached = read_first_number(files->folder, group, "memory.stat", files->cached);
    if (used == INT64_MAX)
        return INT64_MAX;
    if (cached != INT64_MAX)
        used -= min_int64(cached, used);
    return limit - min_int64(used, limit);
}

/* Bytes that a group and all those above it leave; its name is cut. */
static int64_t hierarchy_available_bytes(const struct control_group_files *files, char *group)
{
    int64_t available = INT64_MAX;
    char *last;
    do {
        available = min_int64(available, group_available_bytes(files, group));
        last = strrchr(group, '/');
        if (last)
            *last = '\0';
    } while (last);
    return available;
}

/* Bytes that the control groups of this process leave. In a container the name may be
 * one that only the host knows; the topmost group is then the container's. */
static int64_t control_group_available_bytes(void)
{
    FILE *stream = fopen("/proc/self/cgroup", "r");
    if (!stream)
        return INT64_MAX;
    int64_t available = INT64_MAX;
    char line[1024];
    while (fgets(line, sizeof line, stream)) {
        line[strcspn(line, "\n")] = '\0';
        for (size_t v = 0; v < sizeof versions / sizeof versions[0]; v++) {
            char *group = strstr(line, versions[v].line);
            if (group)
                available = min_int64(
                    available,
                    hierarchy_available_bytes(&versions[v], group + strlen(versions[v].line)));
        }
    }
    fclose(stream);
    return available;
}

static int64_t system_available_bytes(void)
{
    int64_t kilobytes = read_first_number("/proc", "", "meminfo", "MemAvailable:");
    return kilobytes == INT64_MAX ? INT64_MAX : kilobytes * 1024;
}

/* Address space that this process may still map: ulimit -v less the mapped bytes. */
static int64_t address_available_bytes(void)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur > INT64_MAX)
        return INT64_MAX;
    int64_t pages = read_first_number("/proc", "/self", "statm", "");
    int64_t mapped = pages == INT64_MAX ? 0 : pages * sysconf(_SC_PAGESIZE);
    return (int64_t)limit.rlim_cur - min_int64(mapped, (int64_t)limit.rlim_cur);
}

static const char shared_folder[] = "/dev/shm";

/* The holes of a file. Writing there later takes memory without asking for it, and ends the writer
 * if no memory is left (SIGBUS). */
static int64_t hole_bytes(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0 || !S_ISREG(file.st_mode))
        return 0;
    int64_t taken = (int64_t)file.st_blocks * 512;
    return file.st_size - min_int64(taken, file.st_size);
}

/* hole_bytes of the files in /dev/shm that this process has mapped, such as the message buffers of
 * all processes of its run on the node. Files that killed runs have left there stay as they are. */
static int64_t mapped_hole_bytes(void)
{
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[PATH_MAX + 128], last[PATH_MAX + 128] = "";
    int64_t bytes = 0;
    while (maps && fgets(line, sizeof line, maps)) {
        const char *path = strchr(line, '/');
        line[strcspn(line, "\n")] = '\0';
        if (!path || strncmp(path, shared_folder, strlen(shared_folder)) != 0 ||
            strcmp(path, last) == 0)
            continue;
        bytes += hole_bytes(path);
        strcpy(last, path); /* one file may be several lines */
    }
    if (maps)
        fclose(maps);
    return bytes;
}

static int64_t shared_available_bytes(void)
{
    struct statvfs disk;
    if (statvfs(shared_folder, &disk) != 0)
        return INT64_MAX;
    int64_t available = (int64_t)disk.f_bavail * (int64_t)disk.f_frsize;
    return available - min_int64(mapped_hole_bytes(), available);
}

struct memory_limits memory_limits(void)
{
    return (struct memory_limits){
        .main_bytes = min_int64(system_available_bytes(), control_group_available_bytes()),
        .shared_bytes = shared_available_bytes(),
        .address_bytes = address_available_bytes(),
    };
}

/* The usable part of a limit; the rest is for MPI and what no estimate counts. */
static double usable(int64_t bytes)
{
    return bytes == INT64_MAX ? INFINITY : 0.95 * (double)bytes;
}

struct memory_budget memory_divide(const struct memory_limits *limits, int n_sharing)
{
    return (struct memory_budget){
        .main_bytes = usable(limits->main_bytes) / n_sharing,
        .shared_bytes = n_sharing > 1 ? usable(limits->shared_bytes) / n_sharing : INFINITY,
        .address_bytes = usable(limits->address_bytes),
        .n_sharing = n_sharing,
    };
}

struct memory_budget memory_budget(int64_t given_bytes, MPI_Comm comm)
{
    if (given_bytes > 0)
        return (struct memory_budget){.main_bytes = (double)given_bytes,
                                      .shared_bytes = INFINITY,
                                      .address_bytes = INFINITY,
                                      .n_sharing = 1};
    struct memory_limits limits = memory_limits();
    struct memory_budget budget = memory_divide(&limits, node_count(comm));
    double least[] = {budget.main_bytes, budget.shared_bytes, budget.address_bytes,
                      -budget.n_sharing};
    MPI_Allreduce(MPI_IN_PLACE, least, 4, MPI_DOUBLE, MPI_MIN, comm);
    return (struct memory_budget){.main_bytes = least[0],
                                  .shared_bytes = least[1],
                                  .address_bytes = least[2],
                                  .n_sharing = (int)-least[3]};
}

struct shortage {
    const char *of, *remedy;  /* remedy: of its own, after the caller's */
    double needed, available; /* bytes; no shortage unless needed > available */
};

/* The limit that is exceeded most. */
static struct shortage find_shortage(const struct memory_need *need,
                                     const struct memory_budget *budget)
{
    const struct shortage all[] = {
        {"main memory", "", need->shared_bytes + need->own_bytes, budget->main_bytes},
        {"/dev/shm",
         ", or make /dev/shm larger (mount -o remount,size=SIZE /dev/shm; docker run "
         "--shm-size=SIZE)",
         need->shared_bytes, budget->shared_bytes},
        {"address space (ulimit -v)", ", or raise that limit",
         need->own_bytes + budget->n_sharing * need->shared_bytes, budget->address_bytes},
    };
    struct shortage worst = all[0];
    for (size_t i = 1; i < sizeof all / sizeof all[0]; i++)
        if (all[i].needed - all[i].available > worst.needed - worst.available)
            worst = all[i];
    return worst;
}

void memory_need_add(struct memory_need *sum, int64_t n, struct memory_need need)
{
    sum->shared_bytes += (double)n * need.shared_bytes;
    sum->own_bytes += (double)n * need.own_bytes;
    sum->n_shared += n * need.n_shared;
}

struct memory_need memory_need_larger(struct memory_need one, struct memory_need other)
{
    return (struct memory_need){.shared_bytes = fmax(one.shared_bytes, other.shared_bytes),
                                .own_bytes = fmax(one.own_bytes, other.own_bytes),
                                .n_shared =
                                    one.n_shared > other.n_shared ? one.n_shared : other.n_shared};
}

bool memory_fits(const struct memory_need *need, const struct memory_budget *budget)
{
    struct shortage shortage = find_shortage(need, budget);
    return shortage.needed <= shortage.available;
}

double memory_left_bytes(const struct memory_need *need, const struct memory_budget *budget)
{
    double of_main = budget->main_bytes - need->shared_bytes - need->own_bytes;
    double of_address =
        budget->address_bytes - need->own_bytes - budget->n_sharing * need->shared_bytes;
    return memory_fits(need, budget) ? fmin(of_main, of_address) : 0;
}

enum status memory_check(const char *subject, const struct memory_need *need,
                         const struct memory_budget *budget, const char *remedy)
{
    if (memory_fits(need, budget))
        return STATUS_OK;
    struct shortage shortage = find_shortage(need, budget);
    /* In MB, or where these are few in kB. */
    int decimals = shortage.needed < 1e7 ? 3 : 0;
    double unit = decimals ? 1e3 : 1e6;
    double needed = ceil(shortage.needed / unit) * unit * 1e-6;
    double available = floor(shortage.available / unit) * unit * 1e-6;
    return FAIL(STATUS_NO_MEMORY,
                "%s needs %.*f MB of %s per process, but %.*f MB are available: %.*f MB are "
                "missing; %s%s",
                subject, decimals, needed, shortage.of, decimals, available, decimals,
                needed - available, remedy, shortage.remedy);
}

enum status memory_check_now(const char *subject, const struct memory_need *need, int n_sharing,
                             const char *remedy)
{
    /* Reading the limits takes a millisecond, and small objects are many. */
    if (need->shared_bytes <= 0 && need->own_bytes < 1e6)
        return STATUS_OK;
    struct memory_limits limits = memory_limits();
    struct memory_budget budget = memory_divide(&limits, n_sharing);
    return memory_check(subject, need, &budget, remedy);
}

void memory_confine(const struct memory_budget *budget)
{
    struct rlimit limit;
    int64_t kilobytes = read_first_number("/proc", "/self", "status", "VmData:");
    if (kilobytes == INT64_MAX || getrlimit(RLIMIT_DATA, &limit) != 0)
        return;
    double most = 1024 * (double)kilobytes + budget->main_bytes;
    if (most < (double)limit.rlim_cur) {
        limit.rlim_cur = (rlim_t)most;
        setrlimit(RLIMIT_DATA, &limit);
    }
}

int64_t memory_peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}

int64_t memory_part_bytes(void)
{
    int64_t kilobytes = read_first_number("/proc", "/self", "/smaps_rollup", "Pss:");
    return kilobytes == INT64_MAX ? 0 : kilobytes * 1024;
}

int64_t memory_peak_part_bytes(void)
{
    int64_t resident = read_first_number("/proc", "/self", "/smaps_rollup", "Rss:");
    int64_t part = memory_part_bytes();
    bool known = resident != INT64_MAX && part > 0;
    return memory_peak_bytes() - (known ? resident * 1024 - part : 0);
}

struct memory_use memory_use_of_all(int64_t part_bytes, MPI_Comm comm)
{
    int64_t bytes[] = {memory_peak_bytes(), part_bytes};
    MPI_Allreduce(MPI_IN_PLACE, bytes, 2, MPI_INT64_T, MPI_MAX, comm);
    return (struct memory_use){.peak_bytes = bytes[0], .part_bytes = bytes[1]};
}
