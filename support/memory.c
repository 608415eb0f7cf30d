#include "support/memory.h"

#include <stdio.h>
#include <string.h>
#include <sys/statvfs.h>

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

/* The number that a file consists of; INT64_MAX if there is no such file or it
 * says "max". */
static int64_t read_number(const char *path)
{
    FILE *stream = fopen(path, "r");
    if (!stream)
        return INT64_MAX;
    long long number;
    int n_read = fscanf(stream, "%lld", &number);
    fclose(stream);
    return n_read == 1 ? number : INT64_MAX;
}

/* What the control group of this process, or one above it, leaves. */
static int64_t control_group_available_bytes(void)
{
    FILE *stream = fopen("/proc/self/cgroup", "r");
    if (!stream)
        return INT64_MAX;
    char group[1024] = "";
    int n_read = fscanf(stream, "0::%1023[^\n]", group);
    fclose(stream);

    int64_t available = INT64_MAX;
    while (n_read == 1) {
        char path[1200];
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.max", group);
        int64_t limit = read_number(path);
        snprintf(path, sizeof path, "/sys/fs/cgroup%s/memory.current", group);
        int64_t used = read_number(path);
        if (limit != INT64_MAX && used != INT64_MAX)
            available = smaller(available, limit - smaller(used, limit));
        char *last = strrchr(group, '/');
        if (!last || group[0] == '\0')
            break;
        *last = '\0';
    }
    return available;
}

static int64_t system_available_bytes(void)
{
    FILE *stream = fopen("/proc/meminfo", "r");
    if (!stream)
        return INT64_MAX;
    int64_t available = INT64_MAX;
    char line[256];
    while (fgets(line, sizeof line, stream)) {
        long long kilobytes;
        if (sscanf(line, "MemAvailable: %lld kB", &kilobytes) == 1)
            available = kilobytes * 1024;
    }
    fclose(stream);
    return available;
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
