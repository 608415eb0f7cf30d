/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/cli/calibrate.h"

#include "sched/pool/drivers/mpi/mpi_calibrate.h"
#include "support/base/agree.h"
#include "support/base/clock.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "support/io/output_file.h"
#include "taskpool/taskpool.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct calibration {
    int n_processes;
    struct mpi_calibration messages;
    struct quartiles task_s;            /* between two tasks of a pool */
    struct quartiles contention_factor; /* of all processes at once, relative to one alone */
};

/* --- the driver's time for a task --- */

enum { EMPTY_TASKS = 20000, POOL_RUNS = 25 };

static int run_empty_task(int64_t task, void *context)
{
    (void)task, (void)context;
    return STATUS_OK;
}

static enum status sample_empty_tasks(struct taskpool *pool, struct samples *samples)
{
    for (int i = 0; i < POOL_RUNS; i++) {
        if (i > 0)
            TRY(taskpool_restore(pool));
        TRY(taskpool_run(pool));
        samples_add(samples, taskpool_statistics(pool, i)->makespan_s / EMPTY_TASKS);
    }
    return STATUS_OK;
}

static enum status calibrate_tasks(struct quartiles *task_s)
{
    struct taskpool_problem problem = {.n_tasks = EMPTY_TASKS, .run = run_empty_task};
    struct taskpool_settings settings;
    struct taskpool *pool;
    struct samples samples = {0};
    taskpool_settings_default(&settings);
    settings.mode = "static"; /* the one that adds nothing */
    settings.keep_history = true;
    TRY(taskpool_create(MPI_COMM_SELF, &problem, &settings, &pool));
    enum status status = sample_empty_tasks(pool, &samples);
    *task_s = samples_quartiles(&samples);
    taskpool_destroy(pool);
    return status;
}

/* --- contention: all processes at once against one alone --- */

/* The work of typical tasks: products of tiles of a usual size for Fock matrices and tensors, each
 * pair of tiles elsewhere in memory. */
enum { TILE = 40, TILE_NUMBERS = TILE * TILE, N_PAIRS = 256, ROUNDS = 100 };

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

/* Seconds for all products of pairs. The first tile is their sum; the pairs follow it. */
static double multiply_all_tiles(double *tiles)
{
    double start_s = clock_now_s();
    for (int t = 0; t < N_PAIRS; t++) {
        const double *pair = tiles + (size_t)(2 * t + 1) * TILE_NUMBERS;
        multiply_tile(pair, pair + TILE_NUMBERS, tiles);
    }
    return clock_now_s() - start_s;
}

/* A barrier that waits without using the processor, so that one process can run alone. */
static void sleep_until_all(MPI_Comm comm)
{
    const struct timespec pause = {.tv_nsec = 200000};
    MPI_Request request;
    int done = 0;
    MPI_Ibarrier(comm, &request);
    for (MPI_Test(&request, &done, MPI_STATUS_IGNORE); !done;
         MPI_Test(&request, &done, MPI_STATUS_IGNORE))
        nanosleep(&pause, NULL);
}

static enum status calibrate_contention_factor(MPI_Comm comm, struct quartiles *speed)
{
    size_t n = (size_t)TILE_NUMBERS * (2 * N_PAIRS + 1);
    double *tiles = malloc(n * sizeof *tiles);
    struct samples samples = {0};
    int rank, size;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    enum status status = status_agree(comm, CHECK_MEMORY(tiles, "no memory for --calibrate"));
    for (size_t i = 0; i < n && tiles; i++)
        tiles[i] = 1e-3 * (double)(i % 7);
    for (int i = 0; i < ROUNDS && status == STATUS_OK; i++) {
        double alone_s = rank == 0 ? multiply_all_tiles(tiles) : 0;
        sleep_until_all(comm);
        MPI_Barrier(comm); /* all begin at the same time */
        double together_s = multiply_all_tiles(tiles);
        MPI_Allreduce(MPI_IN_PLACE, &together_s, 1, MPI_DOUBLE, MPI_SUM, comm);
        samples_add(&samples, alone_s * size / together_s);
        sleep_until_all(comm);
    }
    *speed = samples_quartiles(&samples);
    free(tiles);
    return status;
}

/* --- table and file --- */

/* A measurement and its name. is_option: the name is an option of the simulated machine. */
struct calibration_row {
    const char *name;
    bool is_option;
    const struct quartiles *measured;
    double unit; /* of the table */
    const char *meaning;
};

enum { N_ROWS = 11 };

static void fill_rows(const struct calibration *calibration, struct calibration_row rows[N_ROWS])
{
    const struct mpi_calibration *m = &calibration->messages;
    const struct mpi_calibration_link *typical = m->near.overhead_s.n > 0 ? &m->near : &m->far;
    const struct calibration_row filled[N_ROWS] = {
        {"node-latency", true, &m->near.latency_s, 1e-6, "us, of a message within a node"},
        {"node-bandwidth", true, &m->near.bandwidth, 1e9, "GB/s within a node"},
        {"latency", true, &m->far.latency_s, 1e-6, "us, of a message between nodes"},
        {"bandwidth", true, &m->far.bandwidth, 1e9, "GB/s between nodes"},
        {"overhead", true, &typical->overhead_s, 1e-6, "us, to send or to receive a message"},
        {"counter-time", true, &m->counter_s, 1e-6,
         "us, of the counter for a request, all processes requesting"},
        {"atomic-time", true, &m->atomic_s, 1e-6,
         "us, of an access to the memory of a node, all its processes accessing"},
        {"poll-time", true, &m->poll_s, 1e-6, "us, of a poll for messages that finds none"},
        {"contention-factor", true, &calibration->contention_factor, 1,
         "of a worker when all workers of its node compute, relative to one alone"},
        {"fetch-add", false, &m->fetch_add_s, 1e-6, "us, from a request to the counter's answer"},
        {"task", false, &calibration->task_s, 1e-6,
         "us, of the driver for a task; profiles include it"},
    };
    memcpy(rows, filled, sizeof filled);
}

static void print_calibration(const struct calibration *calibration)
{
    struct calibration_row rows[N_ROWS];
    fill_rows(calibration, rows);
    log_print("Processes  %d, %d on the node of process 0\n\n", calibration->n_processes,
              calibration->messages.node_size);
    log_print("quantity        median          quartiles     samples\n");
    for (int i = 0; i < N_ROWS; i++) {
        const struct quartiles *measured = rows[i].measured;
        if (measured->n > 0)
            log_print("%-14s %7.3f   %8.3f %8.3f   %9lld   %s\n", rows[i].name,
                      measured->median / rows[i].unit, measured->low / rows[i].unit,
                      measured->high / rows[i].unit, (long long)measured->n, rows[i].meaning);
    }
}

static json_t *quartiles_to_json(const struct quartiles *measured)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "median", measured->median, "low", measured->low,
                     "high", measured->high, "samples", (json_int_t)measured->n);
}

/* NULL when out of memory. */
static json_t *calibration_to_json(const struct calibration *calibration)
{
    struct calibration_row rows[N_ROWS];
    fill_rows(calibration, rows);
    json_t *result = json_object(), *measured = json_object();
    int failed =
        json_object_set_new(measured, "processes", json_integer(calibration->n_processes)) |
        json_object_set_new(result, "node-size", json_integer(calibration->messages.node_size));
    for (int i = 0; i < N_ROWS; i++) {
        if (rows[i].measured->n == 0)
            continue;
        if (rows[i].is_option)
            failed |=
                json_object_set_new(result, rows[i].name, json_real(rows[i].measured->median));
        failed |= json_object_set_new(measured, rows[i].name, quartiles_to_json(rows[i].measured));
    }
    failed |= json_object_set_new(result, "measured", measured);
    if (failed == 0)
        return result;
    json_decref(result);
    return NULL;
}

static enum status write_calibration(const struct calibration *calibration, const char *path)
{
    json_t *result = calibration_to_json(calibration);
    enum status status = json_write_file(result, path);
    json_decref(result);
    return status;
}

enum status calibrate(MPI_Comm comm, const char *path, bool *accepted)
{
    struct calibration calibration = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &calibration.n_processes);
    TRY(status_agree(comm, rank == 0 ? output_file_check(path) : STATUS_OK));
    if (calibration.n_processes == 1)
        return FAIL(STATUS_USAGE, "--calibrate measures messages from process to process: start "
                                  "two or more, with mpirun -np 2");
    *accepted = true;
    TRY(status_agree(comm, rank == 0 ? calibrate_tasks(&calibration.task_s) : STATUS_OK));
    TRY(calibrate_contention_factor(comm, &calibration.contention_factor));
    /* A ratio above 1 is noise. */
    calibration.contention_factor.median = fmin(1, calibration.contention_factor.median);
    TRY(mpi_calibrate(comm, &calibration.messages));
    if (rank == 0)
        print_calibration(&calibration);
    return status_agree(comm, rank == 0 ? write_calibration(&calibration, path) : STATUS_OK);
}
