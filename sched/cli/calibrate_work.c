/* What tasks cost beside themselves, and what they take from each other. */
#include "sched/drivers/mpi/mpi_calibrate.h"
#include "sched/taskpool.h"
#include "support/base/agree.h"
#include "support/base/clock.h"

#include <stdlib.h>
#include <time.h>

/* --- the driver's time for a task --- */

enum { EMPTY_TASKS = 20000, POOL_RUNS = 25 };

static enum status do_nothing(int64_t task, void *context)
{
    (void)task, (void)context;
    return STATUS_OK;
}

enum status calibrate_tasks(struct figure *task_s)
{
    struct taskpool_problem problem = {.n_tasks = EMPTY_TASKS, .run = do_nothing};
    struct taskpool_settings settings;
    struct taskpool *pool;
    struct samples samples = {0};
    taskpool_settings_default(&settings);
    settings.mode = 0; /* static, the one that adds nothing */
    settings.keep_history = true;
    TRY(taskpool_create(MPI_COMM_SELF, &problem, &settings, &pool));
    enum status status = STATUS_OK;
    for (int i = 0; i < POOL_RUNS && status == STATUS_OK; i++) {
        status = i > 0 ? taskpool_restore(pool) : STATUS_OK;
        if (status == STATUS_OK)
            status = taskpool_run(pool);
        if (status == STATUS_OK)
            samples_add(&samples, taskpool_statistics(pool, i)->makespan_s / EMPTY_TASKS);
    }
    *task_s = samples_figure(&samples);
    taskpool_destroy(pool);
    return status;
}

/* --- all at once against one alone --- */

/* Products of tiles as large as those of a Fock matrix or of a tensor, each pair of tiles
 * from another place of memory: what tasks do. */
enum { TILE = 40, TILE_NUMBERS = TILE * TILE, N_TILES = 256, ROUNDS = 100 };

struct tiles {
    double *A, *B; /* N_TILES tiles */
    double *C;     /* one */
};

static enum status create_tiles(struct tiles *tiles)
{
    size_t n = (size_t)TILE_NUMBERS * N_TILES;
    tiles->A = malloc(n * sizeof *tiles->A);
    tiles->B = malloc(n * sizeof *tiles->B);
    tiles->C = calloc(TILE_NUMBERS, sizeof *tiles->C);
    if (!tiles->A || !tiles->B || !tiles->C)
        return FAIL(STATUS_NO_MEMORY, "no memory for --calibrate");
    for (size_t i = 0; i < n; i++) {
        tiles->A[i] = 1e-3 * (double)(i % 7);
        tiles->B[i] = 1e-3 * (double)(i % 11);
    }
    return STATUS_OK;
}

static void destroy_tiles(struct tiles *tiles)
{
    free(tiles->A);
    free(tiles->B);
    free(tiles->C);
}

/* C[i][j] += sum_k A[i][k] B[k][j] */
static void multiply_tile(const double *A, const double *B, double *C)
{
    for (int i = 0; i < TILE; i++)
        for (int k = 0; k < TILE; k++) {
            double a = A[i * TILE + k];
            for (int j = 0; j < TILE; j++)
                C[i * TILE + j] += a * B[k * TILE + j];
        }
}

static double work(struct tiles *tiles)
{
    double start_s = clock_now_s();
    for (int t = 0; t < N_TILES; t++)
        multiply_tile(tiles->A + (size_t)t * TILE_NUMBERS, tiles->B + (size_t)t * TILE_NUMBERS,
                      tiles->C);
    return clock_now_s() - start_s;
}

/* A barrier whose processes leave their processors to others, so that one can be alone. */
static void sleep_until_all(MPI_Comm comm)
{
    const struct timespec pause = {.tv_nsec = 200 * 1000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&pause, NULL);
}

enum status calibrate_crowded_speed(MPI_Comm comm, struct figure *speed)
{
    struct tiles tiles = {0};
    struct samples samples = {0};
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    enum status status = status_agree(comm, create_tiles(&tiles));
    for (int i = 0; i < ROUNDS && status == STATUS_OK; i++) {
        double alone_s = rank == 0 ? work(&tiles) : 0;
        sleep_until_all(comm);
        MPI_Barrier(comm); /* all begin at the same time */
        double together_s = work(&tiles);
        MPI_Allreduce(MPI_IN_PLACE, &together_s, 1, MPI_DOUBLE, MPI_SUM, comm);
        samples_add(&samples, alone_s * size / together_s);
        sleep_until_all(comm);
    }
    *speed = samples_figure(&samples);
    destroy_tiles(&tiles);
    return status;
}
