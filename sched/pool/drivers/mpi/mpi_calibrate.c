/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/drivers/mpi/mpi_calibrate.h"

#include "sched/pool/drivers/mpi/mpi_comm.h"
#include "support/base/array.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stddef.h>

enum {
    BATCH = 16,           /* messages or requests timed together: one is too short for the clock */
    BULK_BYTES = 1 << 20, /* so long that the time of a short message does not matter */
    MIN_SAMPLES = 5,
    MAX_SAMPLES = 300,
};

/* Limit for one measurement: on oversubscribed processors a message takes milliseconds. */
static const double MAX_SECONDS = 0.2;

/* Pause in which the messages of a batch arrive before they are polled for. */
static const double ARRIVAL_S = 100e-6;

void samples_add(struct samples *samples, double value)
{
    if (samples->n < SAMPLES_MAX)
        samples->values[samples->n++] = value;
}

struct quartiles samples_quartiles(struct samples *samples)
{
    if (samples->n == 0)
        return (struct quartiles){0};
    numbers_sort(samples->values, samples->n);
    return (struct quartiles){.n = samples->n,
                              .median = numbers_quantile(samples->values, samples->n, 0.5),
                              .low = numbers_quantile(samples->values, samples->n, 0.25),
                              .high = numbers_quantile(samples->values, samples->n, 0.75)};
}

/* --- the connection: an end of mpi_comm.h with a mode that only answers --- */

/* PING is answered by PONG, REQUEST_BATCH by BATCH times DATA; the others have no answer. */
enum probe_kind { PING, PONG, REQUEST_BATCH, DATA, END };

/* This process's end: the state of the mode. */
struct probe {
    struct mpi_comm comm;    /* first: what the mode sees */
    int64_t n_pongs, n_data; /* received */
    bool ended;              /* END was received */
    bool fetched;
};

/* Records a message, as a mode does. */
static void send_probe(struct probe *probe, int to, enum probe_kind kind)
{
    int32_t message = (int32_t)kind;
    taskpool_comm_send(&probe->comm.base, to, &message, sizeof message);
}

static void receive_probe(void *state, int from, const void *message, size_t size)
{
    struct probe *probe = state;
    (void)size;
    switch ((enum probe_kind) * (const int32_t *)message) {
    case PING:
        send_probe(probe, from, PONG);
        break;
    case PONG:
        probe->n_pongs++;
        break;
    case REQUEST_BATCH:
        for (int i = 0; i < BATCH; i++)
            send_probe(probe, from, DATA);
        break;
    case DATA:
        probe->n_data++;
        break;
    case END:
        probe->ended = true;
        break;
    }
}

static void ignore_sent(void *state, int64_t token)
{
    (void)state, (void)token;
}

static void note_fetched(void *state, int64_t value)
{
    (void)value;
    ((struct probe *)state)->fetched = true;
}

static int64_t one_word(const struct taskpool_mode_setup *setup, const struct taskpool_comm *comm)
{
    (void)setup, (void)comm;
    return 1;
}

static const struct taskpool_mode probe_mode = {.name = "calibration",
                                                .node_words = one_word,
                                                .receive = receive_probe,
                                                .sent = ignore_sent,
                                                .fetched = note_fetched};

/* Sends a PING, with BULK_BYTES of bulk unless that is NULL, and waits for the answer. */
static void ping(struct probe *probe, int other, const void *bulk)
{
    int32_t kind = PING;
    int64_t n_pongs = probe->n_pongs;
    taskpool_comm_send_bulk(&probe->comm.base, other,
                            &(struct taskpool_comm_message){.head = &kind,
                                                            .head_size = sizeof kind,
                                                            .bulk = bulk,
                                                            .bulk_size = bulk ? BULK_BYTES : 0});
    while (probe->n_pongs == n_pongs)
        mpi_comm_wait(&probe->comm, probe->comm.n_events);
}

/* Requests BATCH times from the shared counter, each time waiting for the answer. Seconds. */
static double fetch_batch(struct probe *probe)
{
    double begin_s = clock_now_s();
    for (int i = 0; i < BATCH; i++) {
        probe->fetched = false;
        taskpool_comm_fetch_add(&probe->comm.base, 1);
        while (!probe->fetched)
            mpi_comm_wait(&probe->comm, probe->comm.n_events);
    }
    return clock_now_s() - begin_s;
}

/* --- one process measures, another answers --- */

static bool is_enough(const struct samples *samples, double start_s)
{
    return samples->n >= MAX_SAMPLES ||
           (samples->n >= MIN_SAMPLES && clock_now_s() - start_s > MAX_SECONDS);
}

/* Seconds of a round trip.
 * bulk  payload of the message to the other process, or NULL */
static struct quartiles measure_round_trips(struct probe *probe, int other, const void *bulk)
{
    struct samples samples = {0};
    int batch = bulk ? 1 : BATCH;
    for (double start_s = clock_now_s(); !is_enough(&samples, start_s);) {
        double begin_s = clock_now_s();
        for (int i = 0; i < batch; i++)
            ping(probe, other, bulk);
        samples_add(&samples, (clock_now_s() - begin_s) / batch);
    }
    return samples_quartiles(&samples);
}

static struct quartiles measure_sending(struct probe *probe, int other)
{
    struct samples samples = {0};
    for (double start_s = clock_now_s(); !is_enough(&samples, start_s);) {
        double begin_s = clock_now_s();
        for (int i = 0; i < BATCH; i++) {
            send_probe(probe, other, DATA);
            mpi_comm_start(&probe->comm);
        }
        samples_add(&samples, (clock_now_s() - begin_s) / BATCH);
        ping(probe, other, NULL); /* so that the other process keeps up */
    }
    return samples_quartiles(&samples);
}

static void wait_without_polling(double time_s)
{
    double end_s = clock_now_s() + time_s;
    while (clock_now_s() < end_s) {
    }
}

/* Time to receive messages that have arrived. Only complete batches count, unless all came in
 * parts. */
static struct quartiles measure_receiving(struct probe *probe, int other)
{
    struct samples complete = {0}, all = {0};
    for (double start_s = clock_now_s(); !is_enough(&all, start_s);) {
        int64_t n_before = probe->n_data;
        send_probe(probe, other, REQUEST_BATCH);
        mpi_comm_start(&probe->comm);
        wait_without_polling(ARRIVAL_S);
        double begin_s = clock_now_s();
        mpi_comm_deliver(&probe->comm);
        double time_s = clock_now_s() - begin_s;
        if (probe->n_data == n_before + BATCH)
            samples_add(&complete, time_s / BATCH);
        while (probe->n_data < n_before + BATCH)
            mpi_comm_wait(&probe->comm, probe->comm.n_events);
        samples_add(&all, (clock_now_s() - begin_s) / BATCH);
    }
    return samples_quartiles(complete.n > 0 ? &complete : &all);
}

static struct quartiles mean_quartiles(struct quartiles a, struct quartiles b)
{
    return (struct quartiles){.n = a.n < b.n ? a.n : b.n,
                              .median = (a.median + b.median) / 2,
                              .low = (a.low + b.low) / 2,
                              .high = (a.high + b.high) / 2};
}

/* Half a round trip less the processors' time for it, which within a node may be too small a
 * difference to measure: 0 then. */
static struct quartiles find_latency(struct quartiles round_trip_s, double overhead_s)
{
    return (struct quartiles){.n = round_trip_s.n,
                              .median = fmax(0, round_trip_s.median / 2 - 2 * overhead_s),
                              .low = fmax(0, round_trip_s.low / 2 - 2 * overhead_s),
                              .high = fmax(0, round_trip_s.high / 2 - 2 * overhead_s)};
}

static double bandwidth_of(double long_s, double short_s)
{
    double difference_s = long_s - short_s;
    return BULK_BYTES / (difference_s > 0 ? difference_s : long_s);
}

static struct quartiles find_bandwidth(struct quartiles long_s, double short_s)
{
    return (struct quartiles){.n = long_s.n,
                              .median = bandwidth_of(long_s.median, short_s),
                              .low = bandwidth_of(long_s.high, short_s),
                              .high = bandwidth_of(long_s.low, short_s)};
}

static struct mpi_calibration_link measure_link(struct probe *probe, int other, const void *bulk)
{
    measure_round_trips(probe, other, NULL); /* the first messages open connections */
    struct quartiles round_trip_s = measure_round_trips(probe, other, NULL);
    struct quartiles overhead_s =
        mean_quartiles(measure_sending(probe, other), measure_receiving(probe, other));
    struct quartiles bulk_s = measure_round_trips(probe, other, bulk);
    return (struct mpi_calibration_link){
        .latency_s = find_latency(round_trip_s, overhead_s.median),
        .overhead_s = overhead_s,
        .bandwidth = find_bandwidth(bulk_s, round_trip_s.median),
    };
}

/* Process 0 measures, process `other` answers, the rest wait. other < 0: nothing is measured. */
static void calibrate_link(struct probe *probe, int other, const void *bulk,
                           struct mpi_calibration_link *link)
{
    int rank = probe->comm.base.rank;
    mpi_comm_begin(&probe->comm);
    probe->ended = false;
    if (other >= 0 && rank == 0) {
        *link = measure_link(probe, other, bulk);
        send_probe(probe, other, END);
    }
    while (rank == other && !probe->ended)
        mpi_comm_wait(&probe->comm, probe->comm.n_events);
    mpi_comm_finish(&probe->comm);
}

/* --- the counter --- */

/* Measured by the last process: the counter is with the first one. */
static void calibrate_fetch_add(struct probe *probe, MPI_Comm comm, struct quartiles *fetch_add_s)
{
    struct samples samples = {0};
    int last = probe->comm.base.size - 1;
    mpi_comm_begin(&probe->comm);
    if (probe->comm.base.rank == last)
        for (double start_s = clock_now_s(); !is_enough(&samples, start_s);)
            samples_add(&samples, fetch_batch(probe) / BATCH);
    *fetch_add_s = samples_quartiles(&samples);
    MPI_Bcast(fetch_add_s, sizeof *fetch_add_s, MPI_BYTE, last, comm);
}

/* Repeats a batch on all processes at once; the slowest counts.
 * n  operations of a batch that are served one after another */
static struct quartiles measure_together(struct probe *probe, MPI_Comm comm,
                                         double (*batch)(struct probe *probe), int n)
{
    struct samples samples = {0};
    int again = 1;
    for (double start_s = clock_now_s(); again;) {
        mpi_comm_begin(&probe->comm);
        double time_s = batch(probe);
        MPI_Allreduce(MPI_IN_PLACE, &time_s, 1, MPI_DOUBLE, MPI_MAX, comm);
        samples_add(&samples, time_s / n);
        again = !is_enough(&samples, start_s);
        MPI_Bcast(&again, 1, MPI_INT, 0, comm);
    }
    return samples_quartiles(&samples);
}

/* --- the memory of a node --- */

/* So many that it does not matter if processes do not begin at the same time. */
enum { ATOMIC_BATCH = 1000 };

/* Increments the first word of the node, as modes do: until nobody was faster. */
static void increment_word(struct taskpool_comm *comm)
{
    int64_t value;
    do
        value = taskpool_comm_word(comm, 0);
    while (!taskpool_comm_swap_word(comm, 0, value, value + 1));
}

/* Seconds of a batch, by the number of processes that share the words. */
static double increment_batch(struct probe *probe)
{
    struct taskpool_comm *comm = &probe->comm.base;
    double begin_s = clock_now_s();
    for (int i = 0; i < ATOMIC_BATCH; i++)
        increment_word(comm);
    return (clock_now_s() - begin_s) / comm->n_node_ranks;
}

/* Measures atomic accesses to the memory of the slowest node. */
static void calibrate_atomic(struct probe *probe, MPI_Comm comm, struct quartiles *atomic_s)
{
    int has_words = probe->comm.base.node_words != NULL;
    MPI_Allreduce(MPI_IN_PLACE, &has_words, 1, MPI_INT, MPI_LAND, comm);
    *atomic_s = has_words ? measure_together(probe, comm, increment_batch, ATOMIC_BATCH)
                          : (struct quartiles){0};
}

/* --- polls --- */

/* Readings of the clock around a poll: the driver's accounts of tasks, poll and mode. */
enum { CLOCKS_OF_POLL = 3 };

/* By process 0; no message is on its way. */
static void calibrate_poll(struct probe *probe, struct quartiles *poll_s)
{
    struct samples samples = {0};
    bool measures = probe->comm.base.rank == 0;
    mpi_comm_begin(&probe->comm);
    for (double start_s = clock_now_s(); measures && !is_enough(&samples, start_s);) {
        double begin_s = clock_now_s(), now_s = begin_s;
        for (int i = 0; i < BATCH; i++) {
            mpi_comm_deliver(&probe->comm);
            for (int k = 0; k < CLOCKS_OF_POLL; k++)
                now_s = clock_now_s();
        }
        samples_add(&samples, (now_s - begin_s) / BATCH);
    }
    *poll_s = samples_quartiles(&samples);
    mpi_comm_finish(&probe->comm);
}

/* --- all --- */

/* The lowest rank that is not on this process's node, or -1. Only process 0's result is used. */
static int find_far(const struct taskpool_comm *comm)
{
    for (int i = 0; i < comm->n_node_ranks; i++)
        if (comm->node_ranks[i] != i)
            return i;
    return comm->n_node_ranks < comm->size ? comm->n_node_ranks : -1;
}

static void measure_messages(struct probe *probe, MPI_Comm comm,
                             struct mpi_calibration *calibration)
{
    static const char bulk[BULK_BYTES];
    const struct taskpool_comm *base = &probe->comm.base;
    int others[2] = {base->n_node_ranks > 1 ? base->node_ranks[1] : -1, find_far(base)};
    MPI_Bcast(others, 2, MPI_INT, 0, comm);
    *calibration = (struct mpi_calibration){.node_size = base->n_node_ranks};
    calibrate_link(probe, others[0], bulk, &calibration->near);
    calibrate_link(probe, others[1], bulk, &calibration->far);
    calibrate_fetch_add(probe, comm, &calibration->fetch_add_s);
    calibration->counter_s = measure_together(probe, comm, fetch_batch, BATCH * base->size);
    calibrate_atomic(probe, comm, &calibration->atomic_s);
    calibrate_poll(probe, &calibration->poll_s);
    mpi_comm_finish(&probe->comm);
}

enum status mpi_calibrate(MPI_Comm comm, struct mpi_calibration *calibration)
{
    struct probe probe = {0};
    const struct taskpool_settings settings = {.seed = 1};
    const struct taskpool_mode_setup setup = {.settings = &settings};
    enum status status = mpi_comm_init(&probe.comm, comm, &probe_mode, &setup);
    probe.comm.state = &probe;
    if (status == STATUS_OK)
        measure_messages(&probe, comm, calibration);
    mpi_comm_fini(&probe.comm);
    return status;
}
