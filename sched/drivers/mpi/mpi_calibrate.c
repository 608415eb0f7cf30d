/* Messages and the shared counter. */
#include "sched/cli/calibrate_line.h"
#include "sched/drivers/mpi/mpi_calibrate.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdlib.h>

enum {
    BULK_BYTES = 1 << 20, /* long against what a message takes anyway */
    MIN_SAMPLES = 5,
    MAX_SAMPLES = 300,
};

/* Of one figure. Where processes have to share processors, a message takes milliseconds. */
static const double MAX_SECONDS = 0.2;

/* For so long a process leaves messages alone that shall be waiting for it. */
static const double ARRIVAL_S = 100e-6;

/* --- one process and another, which only answers --- */

static bool is_enough(const struct samples *samples, double start_s)
{
    return samples->n >= MAX_SAMPLES ||
           (samples->n >= MIN_SAMPLES && clock_now_s() - start_s > MAX_SECONDS);
}

/* Seconds to and fro; bulk: what a message carries there, or NULL. */
static struct figure measure_round_trips(struct line *line, int other, const void *bulk)
{
    struct samples samples = {0};
    int batch = bulk ? 1 : LINE_BATCH;
    for (double start_s = clock_now_s(); !is_enough(&samples, start_s);) {
        double begin_s = clock_now_s();
        for (int i = 0; i < batch; i++)
            line_ask(line, other, bulk, BULK_BYTES);
        samples_add(&samples, (clock_now_s() - begin_s) / batch);
    }
    return samples_figure(&samples);
}

static struct figure measure_sending(struct line *line, int other)
{
    struct samples samples = {0};
    for (double start_s = clock_now_s(); !is_enough(&samples, start_s);) {
        double begin_s = clock_now_s();
        for (int i = 0; i < LINE_BATCH; i++) {
            line_send(line, other, DATA);
            mpi_comm_start(&line->comm);
        }
        samples_add(&samples, (clock_now_s() - begin_s) / LINE_BATCH);
        line_ask(line, other, NULL, 0); /* so that the other one keeps up */
    }
    return samples_figure(&samples);
}

static void wait_elsewhere(double time_s)
{
    double end_s = clock_now_s() + time_s;
    while (clock_now_s() < end_s) {
    }
}

/* Of messages that are there; batches that came in parts do not count, if there are others. */
static struct figure measure_receiving(struct line *line, int other)
{
    struct samples whole = {0}, any = {0};
    for (double start_s = clock_now_s(); !is_enough(&any, start_s);) {
        int64_t n_before = line->n_data;
        line_send(line, other, REQUEST_BATCH);
        mpi_comm_start(&line->comm);
        wait_elsewhere(ARRIVAL_S);
        double begin_s = clock_now_s();
        mpi_comm_deliver(&line->comm);
        double time_s = clock_now_s() - begin_s;
        if (line->n_data == n_before + LINE_BATCH)
            samples_add(&whole, time_s / LINE_BATCH);
        while (line->n_data < n_before + LINE_BATCH)
            mpi_comm_wait(&line->comm);
        samples_add(&any, (clock_now_s() - begin_s) / LINE_BATCH);
    }
    return samples_figure(whole.n > 0 ? &whole : &any);
}

static struct figure mean_of(struct figure a, struct figure b)
{
    return (struct figure){.n = a.n < b.n ? a.n : b.n,
                           .median = (a.median + b.median) / 2,
                           .low = (a.low + b.low) / 2,
                           .high = (a.high + b.high) / 2};
}

/* What of half a round trip is not the processors' time. On a node that may be less than
 * can be measured. */
static struct figure find_latency(struct figure round_trip_s, double overhead_s)
{
    return (struct figure){.n = round_trip_s.n,
                           .median = fmax(0, round_trip_s.median / 2 - 2 * overhead_s),
                           .low = fmax(0, round_trip_s.low / 2 - 2 * overhead_s),
                           .high = fmax(0, round_trip_s.high / 2 - 2 * overhead_s)};
}

static double bandwidth_of(double long_s, double short_s)
{
    double difference_s = long_s - short_s;
    return BULK_BYTES / (difference_s > 0 ? difference_s : long_s);
}

static struct figure find_bandwidth(struct figure long_s, double short_s)
{
    return (struct figure){.n = long_s.n,
                           .median = bandwidth_of(long_s.median, short_s),
                           .low = bandwidth_of(long_s.high, short_s),
                           .high = bandwidth_of(long_s.low, short_s)};
}

static struct calibration_link measure_link(struct line *line, int other, const void *bulk)
{
    measure_round_trips(line, other, NULL); /* the first messages make connections */
    struct figure round_trip_s = measure_round_trips(line, other, NULL);
    struct figure overhead_s =
        mean_of(measure_sending(line, other), measure_receiving(line, other));
    struct figure bulk_s = measure_round_trips(line, other, bulk);
    return (struct calibration_link){
        .latency_s = find_latency(round_trip_s, overhead_s.median),
        .overhead_s = overhead_s,
        .bandwidth = find_bandwidth(bulk_s, round_trip_s.median),
    };
}

/* Process 0 measures, the other one answers, the rest waits. other < 0: there is none. */
static void calibrate_link(struct line *line, int other, const void *bulk,
                           struct calibration_link *link)
{
    mpi_comm_begin(&line->comm);
    line->over = false;
    if (other >= 0 && line->comm.comm.rank == 0) {
        *link = measure_link(line, other, bulk);
        line_send(line, other, END);
    }
    while (line->comm.comm.rank == other && !line->over)
        mpi_comm_wait(&line->comm);
    mpi_comm_finish(&line->comm);
}

/* --- the counter --- */

/* By the last process: the counter is with the first one. */
static void calibrate_fetch_add(struct line *line, MPI_Comm comm, struct figure *figure)
{
    struct samples samples = {0};
    mpi_comm_begin(&line->comm);
    if (line->comm.comm.rank == line->comm.comm.size - 1) {
        for (double start_s = clock_now_s(); !is_enough(&samples, start_s);) {
            double begin_s = clock_now_s();
            for (int i = 0; i < LINE_BATCH; i++)
                line_add_to_counter(line);
            samples_add(&samples, (clock_now_s() - begin_s) / LINE_BATCH);
        }
        *figure = samples_figure(&samples);
    }
    MPI_Bcast(figure, sizeof *figure, MPI_BYTE, line->comm.comm.size - 1, comm);
}

static void calibrate_counter(struct line *line, MPI_Comm comm, struct figure *figure)
{
    struct samples samples = {0};
    int again = 1;
    for (double start_s = clock_now_s(); again;) {
        mpi_comm_begin(&line->comm);
        double begin_s = clock_now_s();
        for (int i = 0; i < LINE_BATCH; i++)
            line_add_to_counter(line);
        double time_s = clock_now_s() - begin_s;
        MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, comm);
        samples_add(&samples, time_s / (LINE_BATCH * line->comm.comm.size));
        again = !is_enough(&samples, start_s);
        MPI_Bcast(&again, 1, MPI_INT, 0, comm);
    }
    *figure = samples_figure(&samples);
}

/* --- all --- */

/* The first process on another node than the first one, by that one's view; -1: there is none. */
static int find_far(const struct comm *comm)
{
    for (int i = 0; i < comm->n_node_ranks; i++)
        if (comm->node_ranks[i] != i)
            return i;
    return comm->n_node_ranks < comm->size ? comm->n_node_ranks : -1;
}

void calibrate_messages(MPI_Comm comm, struct calibration *calibration)
{
    static const char bulk[BULK_BYTES];
    struct line line;
    line_init(&line, comm);
    int others[2] = {line.comm.comm.n_node_ranks > 1 ? line.comm.node_ranks[1] : -1,
                     find_far(&line.comm.comm)};
    MPI_Bcast(others, 2, MPI_INT, 0, comm);
    calibration->node_size = line.comm.comm.n_node_ranks;
    calibrate_link(&line, others[0], bulk, &calibration->near);
    calibrate_link(&line, others[1], bulk, &calibration->far);
    calibrate_fetch_add(&line, comm, &calibration->fetch_add_s);
    calibrate_counter(&line, comm, &calibration->counter_s);
    line_fini(&line);
}
