#include "sched/cli/calibrate.h"

#include "sched/drivers/mpi/mpi_calibrate.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "support/io/json.h"
#include "support/io/output_file.h"

#include <math.h>

/* A figure under its name: that of the option of a simulated machine, if it is one's. */
struct row {
    const char *name;
    bool is_option;
    const struct figure *figure;
    double unit; /* of the table */
    const char *meaning;
};

enum { N_ROWS = 9 };

static void fill_rows(const struct calibration *c, struct row rows[N_ROWS])
{
    const struct calibration_link *typical = c->near.overhead_s.n > 0 ? &c->near : &c->far;
    const struct row filled[N_ROWS] = {
        {"node-latency", true, &c->near.latency_s, 1e-6, "us, of a message on a node"},
        {"node-bandwidth", true, &c->near.bandwidth, 1e9, "GB/s on a node"},
        {"latency", true, &c->far.latency_s, 1e-6, "us, of a message from node to node"},
        {"bandwidth", true, &c->far.bandwidth, 1e9, "GB/s from node to node"},
        {"overhead", true, &typical->overhead_s, 1e-6, "us, to send or to receive a message"},
        {"counter-time", true, &c->counter_s, 1e-6, "us, of the counter for a request, all asking"},
        {"crowded-speed", true, &c->crowded_speed, 1, "of all workers at once, one alone being 1"},
        {"fetch-add", false, &c->fetch_add_s, 1e-6, "us, from a request to the counter's answer"},
        {"task", false, &c->task_s, 1e-6, "us, of the driver for a task, profiles hold it"},
    };
    for (int i = 0; i < N_ROWS; i++)
        rows[i] = filled[i];
}

static void print(const struct calibration *calibration)
{
    struct row rows[N_ROWS];
    fill_rows(calibration, rows);
    log_print("Processes  %d, %d on the first one's node\n\n", calibration->n_processes,
              calibration->node_size);
    log_print("what            median   half of all between   samples\n");
    for (int i = 0; i < N_ROWS; i++) {
        const struct figure *figure = rows[i].figure;
        if (figure->n > 0)
            log_print("%-14s %7.3f   %8.3f %8.3f   %9lld   %s\n", rows[i].name,
                      figure->median / rows[i].unit, figure->low / rows[i].unit,
                      figure->high / rows[i].unit, (long long)figure->n, rows[i].meaning);
    }
}

static json_t *figure_to_json(const struct figure *figure)
{
    return json_pack("{s:f, s:f, s:f, s:I}", "median", figure->median, "low", figure->low, "high",
                     figure->high, "samples", (json_int_t)figure->n);
}

/* NULL when out of memory. */
static json_t *to_json(const struct calibration *calibration)
{
    struct row rows[N_ROWS];
    fill_rows(calibration, rows);
    json_t *result = json_object(), *measured = json_object();
    int failed =
        json_object_set_new(measured, "processes", json_integer(calibration->n_processes)) |
        json_object_set_new(result, "node-size", json_integer(calibration->node_size));
    for (int i = 0; i < N_ROWS; i++) {
        const struct figure *figure = rows[i].figure;
        if (figure->n == 0)
            continue;
        if (rows[i].is_option)
            failed |= json_object_set_new(result, rows[i].name, json_real(figure->median));
        failed |= json_object_set_new(measured, rows[i].name, figure_to_json(figure));
    }
    failed |= json_object_set_new(result, "measured", measured);
    if (failed == 0)
        return result;
    json_decref(result);
    return NULL;
}

static enum status write(const struct calibration *calibration, const char *path)
{
    json_t *result = to_json(calibration);
    if (!result)
        return FAIL(STATUS_NO_MEMORY, "no memory for the result");
    enum status status = json_write_file(result, path);
    json_decref(result);
    return status;
}

enum status calibrate(MPI_Comm comm, const char *path)
{
    struct calibration calibration = {0};
    int rank;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &calibration.n_processes);
    TRY(status_agree(comm, rank == 0 ? output_file_check(path) : STATUS_OK));
    if (calibration.n_processes == 1)
        return FAIL(STATUS_USAGE, "--calibrate measures messages from process to process: start "
                                  "two or more, with mpirun -np 2");
    TRY(status_agree(comm, rank == 0 ? calibrate_tasks(&calibration.task_s) : STATUS_OK));
    TRY(calibrate_crowded_speed(comm, &calibration.crowded_speed));
    /* More than all of it can be had only by chance. */
    calibration.crowded_speed.median = fmin(1, calibration.crowded_speed.median);
    calibrate_messages(comm, &calibration);
    if (rank == 0)
        print(&calibration);
    return status_agree(comm, rank == 0 ? write(&calibration, path) : STATUS_OK);
}
