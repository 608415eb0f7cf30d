#include "support/base/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* Where Linux tells what a control group may use and uses, in its two versions. */
static const struct control_group_files {
    const char *line; /* of /proc/self/cgroup, up to the name of the group */
    const char *folder, *limit, *used;
    const char *cached; /* in memory.stat: used, but given back on demand */
} versions[] = {
    {"0::", "/sys/fs/cgroup", "memory.max", "memory.current", "inactive_file"},
    {":memory:", "/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes",
     "total_inactive_file"},
};

/* The number that follows the key in a file, or that begins it if the key is
 * ""; INT64_MAX if there is none ("max") or no such file. */
static int64_t read_number(const char *folder, const char *group, const char *name, const char *key)
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

/* What a group leaves, whatever the groups above it do. */
static int64_t group_available_bytes(const struct control_group_files *files, const char *group)
{
    int64_t limit = read_number(files->folder, group, files->limit, "");
    int64_t used = read_number(files->folder, group, files->used, "");
    int64_t cached = read_number(files->folder, group, "memory.stat", files->cached);
    if (limit == INT64_MAX || used == INT64_MAX)
        return INT64_MAX;
    if (cached != INT64_MAX)
        used -= smaller(cached, used);
    return limit - smaller(used, limit);
}

/* What a group and all those above it leave; its name is cut. */
static int64_t hierarchy_available_bytes(const struct control_group_files *files, char *group)
{
    int64_t available = INT64_MAX;
    char *last;
    do {
        available = smaller(available, group_available_bytes(files, group));
        last = strrchr(group, '/');
        if (last)
            *last = '\0';
    } while (last);
    return available;
}

/* What the control groups of this process leave. In a container the name may be
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
                available = smaller(available, hierarchy_available_bytes(
                                                   &versions[v], group + strlen(versions[v].line)));
        }
    }
    fclose(stream);
    return available;
}

static int64_t system_available_bytes(void)
{
    int64_t kilobytes = read_number("/proc", "", "meminfo", "MemAvailable:");
    return kilobytes == INT64_MAX ? INT64_MAX : kilobytes * 1024;
}

int64_t memory_available_bytes(void)
{
    return smaller(system_available_bytes(), control_group_available_bytes());
}

int64_t memory_shared_available_bytes(void)
{
    int64_t available = memory_available_bytes();
    struct statvfs shared;
    if (statvfs("/dev/shm", &shared) == 0)
        available = smaller(available, (int64_t)shared.f_bavail * (int64_t)shared.f_frsize);
    return available;
}

int64_t memory_peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}

int64_t memory_part_bytes(void)
{
    int64_t kilobytes = read_number("/proc", "/self", "/smaps_rollup", "Pss:");
    return kilobytes == INT64_MAX ? 0 : kilobytes * 1024;
}
