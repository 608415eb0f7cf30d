/* SPDX-License-Identifier: BSD-3-Clause */
/* Self-scheduling: a worker without tasks takes the next chunk of the IDs, in ascending order, from
 * a shared counter. The seeding has no effect. The modes differ in the sizes of chunks; --chunk is
 * the least size. P workers have R of N tasks left.
 *
 * counter    chunks of --chunk tasks, as NWChem does with nxtval
 * fsc        fixed-size chunking: Kruskal and Weiss, IEEE Trans. Softw. Eng. 11 (1985) 1001. A chunk
 *            has
 *                K = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)
 *            tasks, N / P at most: large enough that requests cost little, small enough that
 *            workers end at about the same time. h, the mean time of a request, and sigma, the
 *            standard deviation of durations, are measured: summed over a tree of all workers
 *            between two iterations. The first iteration runs as under counter.
 * guided     GSS(k): Polychronopoulos and Kuck, IEEE Trans. Comput. 36 (1987) 1425. Chunks of
 *            ceil(R / P) tasks, k being --chunk, so that workers that begin at different times end
 *            within a task of each other, if all tasks take the same time
 * factoring  Hummel, Schonberg and Flynn, Commun. ACM 35 (1992) no. 8, 90. Batches of P equal
 *            chunks of ceil(R / (2 P)) tasks: a chunk of long tasks is less likely to end last. The
 *            half is the paper's choice where nothing is known of durations.
 * trapezoid  TSS(f, l): Tzen and Ni, IEEE Trans. Parallel Distrib. Syst. 4 (1993) 87. Chunks shrink
 *            in equal steps from f = N / (2 P), the paper's conservative choice, to l = --chunk
 *
 * The counter counts chunks: an increment has to be chosen before the answer is known, while the
 * first task of a chunk of a given number can be computed afterwards, exactly and by each
 * worker. */
#include "sched/pool/core/duration_moments.h"
#include "sched/pool/protocols/diffusing.h"
#include "support/base/integers.h"
#include "support/base/status.h"

#include <math.h>
#include <stdio.h>

struct fsc_measured {
    struct duration_moments tasks, requests;
};

struct shared_counter {
    /* The first task of a chunk; may exceed n_tasks. Called with increasing numbers. */
    int64_t (*first)(struct shared_counter *self, int64_t number);
    struct taskpool_comm *comm; /* borrowed */
    int64_t n_tasks, n_workers;
    int64_t least;      /* --chunk, N / P at most, 1 at least */
    int64_t handed_out; /* tasks known to be handed out, to any worker */
    bool asking;
    struct taskpool_range chunk; /* arrived and not begun */

    int64_t size; /* counter, fsc: of all chunks; trapezoid: f */

    /* guided: the walk has come to the chunk of this number, which begins with this task. */
    int64_t walk_number, walk_first;

    /* fsc, in an iteration */
    double asked_s;
    bool times_request;
    struct fsc_measured measured; /* by this worker, in all iterations */

    /* fsc, between two iterations */
    struct fsc_measured sum; /* of those below that have reported */
    int n_reported;          /* children in the tree of ranks */
    bool began, has_total;
};

/* --- the rules --- */

static int64_t ceiling_ratio(int64_t value, int64_t divisor)
{
    return value / divisor + (value % divisor > 0);
}

static int64_t size_of_part(const struct shared_counter *self, int64_t n_left, int64_t n_parts)
{
    return max_int64(ceiling_ratio(n_left, n_parts), self->least);
}

static int64_t fixed_first(struct shared_counter *self, int64_t number)
{
    return number * self->size;
}

/* Chunks of equal size, many as soon as R < P^2, are one step of the walk: those that begin with
 * more than (size - 1) P tasks left, or, of the least size, all. */
static int64_t guided_first(struct shared_counter *self, int64_t number)
{
    while (self->walk_number < number && self->walk_first < self->n_tasks) {
        int64_t n_left = self->n_tasks - self->walk_first;
        int64_t size = size_of_part(self, n_left, self->n_workers);
        int64_t n_larger = size > self->least ? (size - 1) * self->n_workers : 0;
        int64_t n = min_int64(ceiling_ratio(n_left - n_larger, size), number - self->walk_number);
        self->walk_number += n;
        self->walk_first += n * size;
    }
    return self->walk_first;
}

static int64_t factoring_first(struct shared_counter *self, int64_t number)
{
    int64_t first = 0, n_batches = number / self->n_workers, n_parts = 2 * self->n_workers;
    int64_t size = size_of_part(self, self->n_tasks, n_parts);
    for (; n_batches > 0 && size > self->least; n_batches--) {
        first += size * self->n_workers;
        size = size_of_part(self, self->n_tasks - first, n_parts);
    }
    /* Batches of the least size are alike. */
    return first + (n_batches * self->n_workers + number % self->n_workers) * size;
}

/* There are n = ceil(2 N / (f + l)) chunks, four for each worker if l is small. Chunk i begins,
 * rounded down, with task
 *     i f - i (i - 1) (f - l) / (2 (n - 1)).
 * The paper rounds the step down, to none where tasks are few; rounding the first tasks instead
 * keeps the trapezoid. As n is rounded up, the last chunks may lie beyond the last task. */
static int64_t trapezoid_first(struct shared_counter *self, int64_t number)
{
    __int128 f = self->size, l = self->least; /* products: up to 8 P N */
    __int128 n = (2 * (__int128)self->n_tasks + f + l - 1) / (f + l);
    if (number >= n)
        return self->n_tasks;
    if (number == 0)
        return 0;
    __int128 steps = (__int128)number * (number - 1) * (f - l), divisor = 2 * (n - 1);
    return (int64_t)(number * f - (steps + divisor - 1) / divisor);
}

/* --- the entries of all modes --- */

static void begin_counting(struct shared_counter *self, const struct taskpool_mode_setup *setup,
                           struct taskpool_comm *comm,
                           int64_t (*first)(struct shared_counter *self, int64_t number))
{
    int64_t n_tasks = setup->problem->n_tasks;
    int64_t least = max_int64(min_int64(setup->settings->chunk, n_tasks / comm->size), 1);
    *self = (struct shared_counter){.first = first,
                                    .comm = comm,
                                    .n_tasks = n_tasks,
                                    .n_workers = comm->size,
                                    .least = least,
                                    .size = least};
}

static int counter_init(void *state, const struct taskpool_mode_setup *setup,
                        struct taskpool_comm *comm)
{
    begin_counting(state, setup, comm, fixed_first);
    return STATUS_OK;
}

static int guided_init(void *state, const struct taskpool_mode_setup *setup,
                       struct taskpool_comm *comm)
{
    begin_counting(state, setup, comm, guided_first);
    return STATUS_OK;
}

static int factoring_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    begin_counting(state, setup, comm, factoring_first);
    return STATUS_OK;
}

static int trapezoid_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct shared_counter *self = state;
    begin_counting(self, setup, comm, trapezoid_first);
    self->size = max_int64(self->n_tasks / (2 * self->n_workers), self->least);
    return STATUS_OK;
}

static enum taskpool_mode_step counter_next(void *state, struct taskpool_mode_work *work)
{
    struct shared_counter *self = state;
    if (self->chunk.first < self->chunk.last) {
        work->range = self->chunk;
        self->chunk = (struct taskpool_range){0};
        return TASKPOOL_MODE_RUN;
    }
    if (!self->asking) {
        if (self->handed_out >= self->n_tasks)
            return TASKPOOL_MODE_DONE;
        self->asking = true;
        taskpool_comm_fetch_add(self->comm, 1);
    }
    return TASKPOOL_MODE_SEARCH;
}

static void counter_fetched(void *state, int64_t number)
{
    struct shared_counter *self = state;
    int64_t first = min_int64(self->first(self, number), self->n_tasks);
    self->handed_out =
        first < self->n_tasks ? min_int64(self->first(self, number + 1), self->n_tasks) : first;
    self->chunk = (struct taskpool_range){.first = first, .last = self->handed_out, .step = 1};
    self->asking = false;
}

static enum taskpool_mode_step counter_restore(void *state)
{
    struct shared_counter *self = state;
    self->handed_out = self->walk_number = self->walk_first = 0;
    return TASKPOOL_MODE_DONE;
}

static double counter_progress(const void *state, int64_t n_run)
{
    const struct shared_counter *self = state;
    (void)n_run;
    return self->n_tasks > 0 ? (double)self->handed_out / (double)self->n_tasks : 1;
}

static void counter_describe(const void *state, char *text, size_t size)
{
    const struct shared_counter *self = state;
    snprintf(text, size, "%lld of %lld tasks known to be handed out, %s",
             (long long)self->handed_out, (long long)self->n_tasks,
             self->asking ? "the counter has not answered" : "no request to the counter");
}

/* --- fsc --- */

struct fsc_message {
    struct fsc_measured sum; /* up the tree: of the sender and those below it */
    int64_t size;            /* down the tree: of chunks; 0 in messages up */
};

static int64_t size_of_chunks(const struct shared_counter *self, const struct fsc_measured *total)
{
    double P = (double)self->n_workers, h = total->requests.mean_s;
    double sigma = sqrt(duration_moments_variance(&total->tasks));
    double size = pow(sqrt(2) * (double)self->n_tasks * h / (sigma * P * sqrt(log(P))), 2.0 / 3);
    int64_t most = max_int64(self->n_tasks / self->n_workers, 1);
    /* Infinite or no number where sigma or ln P are 0. */
    return size < (double)most ? max_int64((int64_t)ceil(size), self->least) : most;
}

/* Ends the measurement of a request, or begins the next measurement. */
static void measure_request(struct shared_counter *self)
{
    if (self->times_request == self->asking)
        return;
    double now_s = taskpool_comm_now(self->comm);
    if (self->times_request)
        duration_moments_add(&self->measured.requests, now_s - self->asked_s);
    self->times_request = self->asking;
    self->asked_s = now_s;
}

static enum taskpool_mode_step fsc_next(void *state, struct taskpool_mode_work *work)
{
    measure_request(state);
    enum taskpool_mode_step step = counter_next(state, work);
    measure_request(state);
    return step;
}

static void fsc_finished(void *state, int64_t task, double time_s)
{
    struct shared_counter *self = state;
    (void)task;
    if (time_s >= 0)
        duration_moments_add(&self->measured.tasks, time_s);
}

static void add_measured(struct fsc_measured *sum, const struct fsc_measured *measured)
{
    duration_moments_merge(&sum->tasks, &measured->tasks);
    duration_moments_merge(&sum->requests, &measured->requests);
}

/* Sets the size, which worker 0 has computed, and passes it on to the children. */
static void set_size(struct shared_counter *self, int64_t size)
{
    const struct fsc_message message = {.size = size};
    for (int child = 0; child < rank_tree_n_children(self->comm); child++)
        taskpool_comm_send(self->comm, rank_tree_child(self->comm, child), &message,
                           sizeof message);
    self->size = size;
    self->has_total = true;
}

/* Once this worker and all children have reported, reports to the parent. */
static void report_sum(struct shared_counter *self)
{
    struct taskpool_comm *comm = self->comm;
    const struct fsc_message message = {.sum = self->sum};
    if (!self->began || self->n_reported < rank_tree_n_children(comm))
        return;
    if (comm->rank == 0)
        set_size(self, size_of_chunks(self, &self->sum));
    else
        taskpool_comm_send(comm, rank_tree_parent(comm), &message, sizeof message);
}

static void fsc_receive(void *state, int from, const void *bytes, size_t size)
{
    struct shared_counter *self = state;
    const struct fsc_message *message = bytes;
    (void)from, (void)size;
    if (message->size > 0) {
        set_size(self, message->size);
        return;
    }
    add_measured(&self->sum, &message->sum);
    self->n_reported++;
    report_sum(self);
}

static enum taskpool_mode_step fsc_restore(void *state)
{
    struct shared_counter *self = state;
    if (!self->began) {
        self->began = true;
        add_measured(&self->sum, &self->measured);
        report_sum(self);
    }
    if (!self->has_total)
        return TASKPOOL_MODE_WAIT;
    self->sum = (struct fsc_measured){0};
    self->n_reported = 0;
    self->began = self->has_total = false;
    return counter_restore(state);
}

/* --- the modes --- */

#define COUNTER_ENTRIES                                                                            \
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},                  \
    .state_size = sizeof(struct shared_counter), .fetched = counter_fetched,                       \
    .progress = counter_progress, .describe = counter_describe

const struct taskpool_mode mode_counter = {
    .name = "counter",
    .help = "a shared counter hands out chunks of tasks",
    .init = counter_init,
    .next = counter_next,
    .restore = counter_restore,
    COUNTER_ENTRIES,
};

const struct taskpool_mode mode_guided = {
    .name = "guided",
    .help = "guided self-scheduling: chunk = remaining tasks / number of workers",
    .init = guided_init,
    .next = counter_next,
    .restore = counter_restore,
    COUNTER_ENTRIES,
};

const struct taskpool_mode mode_factoring = {
    .name = "factoring",
    .help = "factoring: batches of equal chunks, each batch half of the tasks left",
    .init = factoring_init,
    .next = counter_next,
    .restore = counter_restore,
    COUNTER_ENTRIES,
};

const struct taskpool_mode mode_fsc = {
    .name = "fsc",
    .help = "fixed-size chunking: one chunk size, from overhead and variance of durations",
    .init = counter_init,
    .next = fsc_next,
    .receive = fsc_receive,
    .finished = fsc_finished,
    .restore = fsc_restore,
    COUNTER_ENTRIES,
};

const struct taskpool_mode mode_trapezoid = {
    .name = "trapezoid",
    .help = "trapezoid self-scheduling: chunks shrink in equal steps",
    .init = trapezoid_init,
    .next = counter_next,
    .restore = counter_restore,
    COUNTER_ENTRIES,
};
