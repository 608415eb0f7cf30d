/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/mpi/wall_time.h"

#include "support/base/clock.h"
#include "support/base/log.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static struct {
    bool started;
    enum wall_use use;
    double since_s; /* when the use began */
    struct wall_time time;
} account;

/* Seconds since the process began, which /proc/self/stat has as the 22nd word, in clock ticks since
 * the machine's start; 0 if that cannot be read. */
static double process_age_s(void)
{
    char text[1024];
    unsigned long long ticks;
    struct timespec now;
    FILE *file = fopen("/proc/self/stat", "r");
    if (!file)
        return 0;
    size_t n = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    text[n] = '\0';
    const char *name_end = strrchr(text, ')'); /* the 2nd word, which may have spaces */
    if (!name_end || clock_gettime(CLOCK_BOOTTIME, &now) != 0 ||
        sscanf(name_end + 1,
               " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu",
               &ticks) != 1)
        return 0;
    double age_s = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec -
                   (double)ticks / (double)sysconf(_SC_CLK_TCK);
    return age_s > 0 ? age_s : 0;
}

/* Ends the current use and begins another. */
static void switch_use_at(enum wall_use use, double now_s)
{
    account.time.seconds[account.use] += now_s - account.since_s;
    account.since_s = now_s;
    account.use = use;
}

static void switch_use(enum wall_use use)
{
    switch_use_at(use, clock_now_s());
}

void wall_time_start(void)
{
    account.started = true;
    account.use = WALL_START;
    account.since_s = clock_now_s() - process_age_s();
    account.time = (struct wall_time){0};
}

enum wall_use wall_time_begin(enum wall_use use)
{
    enum wall_use before = account.use;
    if (account.started && before != WALL_STABILITY && before != use)
        switch_use(use);
    return before;
}

void wall_time_end(enum wall_use before)
{
    if (account.started && account.use != before)
        switch_use(before);
}

double wall_time_end_now_s(enum wall_use before)
{
    double now_s = clock_now_s();
    if (account.started && account.use != before)
        switch_use_at(before, now_s);
    return now_s;
}

struct wall_time wall_time_of_all(MPI_Comm comm)
{
    struct wall_time sum;
    int n_processes;
    if (account.started)
        switch_use(account.use);
    MPI_Comm_size(comm, &n_processes);
    MPI_Allreduce(account.time.seconds, sum.seconds, WALL_USES, MPI_DOUBLE, MPI_SUM, comm);
    for (int use = 0; use < WALL_USES; use++)
        sum.seconds[use] /= n_processes;
    return sum;
}

double wall_time_total(const struct wall_time *time)
{
    double total = 0;
    for (int use = 0; use < WALL_USES; use++)
        total += time->seconds[use];
    return total;
}

const char *wall_use_name(int use)
{
    static const char *const names[WALL_USES] = {
        "start", "integrals", "digestion", "algebra", "communication", "stability", "files"};
    return names[use];
}

void wall_time_print(const struct wall_time *time)
{
    double total = wall_time_total(time);
    log_print("Wall time  %.2f s:", total);
    for (int use = 0; use < WALL_USES; use++)
        log_print("%s %s %.2f (%.0f %%)", use == 0 ? "" : ",", wall_use_name(use),
                  time->seconds[use], total > 0 ? 100 * time->seconds[use] / total : 0.0);
    log_print("\n");
}
