/* SPDX-License-Identifier: BSD-3-Clause */
/* A program with names that the library uses inside, in C and in C++: its own are used, in its
 * pools too. Two pools on the halves of a split communicator run at the same time, under two modes,
 * while a third of all processes waits. Prints "outside" and the sums. */
#define TRY       0
#define FAIL(...) 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taskpool/mode.h>
#include <taskpool/simulation.h>
#include <taskpool/taskpool.h>

#ifdef __cplusplus
extern "C" {
#endif
enum { STATUS_OK = 42 };
struct mode {
    int own;
};
struct mode mode_static = {STATUS_OK};
int common_options = 7;
int n_died, n_printed;
void die(const char *text);
void die(const char *text)
{
    n_died += text != NULL;
}
void log_print(const char *text);
void log_print(const char *text)
{
    n_printed += text != NULL;
}
double clock_now_s(void);
double clock_now_s(void)
{
    return 1.0 / 0.0;
}
#ifdef __cplusplus
}
#endif

static int add_square(int64_t task, void *context)
{
    log_print("a task");
    *(int64_t *)context += task * task;
    return TASKPOOL_STATUS_OK;
}

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, taskpool_error_text());
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static struct taskpool *make_pool(MPI_Comm comm, const char *mode, int64_t n_tasks, int64_t *sum)
{
    struct taskpool_problem problem;
    struct taskpool_settings settings;
    struct taskpool *pool;
    memset(&problem, 0, sizeof problem);
    problem.n_tasks = n_tasks;
    problem.run = add_square;
    problem.context = sum;
    taskpool_settings_default(&settings);
    settings.mode = mode;
    require(taskpool_create(comm, &problem, &settings, &pool) == 0, "create");
    return pool;
}

int main(int argc, char **argv)
{
    int rank;
    int64_t sums[2] = {0, 0}, all = 0;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    /* Squares below 1000 in one half, below 2000 in the other, while the third pool exists. */
    struct taskpool *pool =
        make_pool(half, rank % 2 ? "counter" : "steal", 1000 * (1 + rank % 2), &sums[rank % 2]);
    struct taskpool *third = make_pool(MPI_COMM_WORLD, "static", 100, &all);
    for (int i = 0; i < 3 + rank % 2; i++) {
        require(i == 0 || taskpool_restore(pool) == 0, "restore");
        require(taskpool_run(pool) == 0, "run");
    }
    require(taskpool_run(third) == 0, "run of the third pool");
    taskpool_destroy(pool);
    taskpool_destroy(third);
    MPI_Comm_free(&half);
    MPI_Allreduce(MPI_IN_PLACE, sums, 2, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &all, 1, MPI_INT64_T, MPI_SUM, MPI_COMM_WORLD);
    require(n_died == 0 && n_printed > 0 && mode_static.own == STATUS_OK && common_options == 7,
            "own names");
    require(strncmp(taskpool_version(), "0.2.", 4) == 0, "version");
    if (rank == 0)
        printf("outside %lld %lld %lld\n", (long long)sums[0], (long long)sums[1], (long long)all);
    MPI_Finalize();
    return 0;
}
