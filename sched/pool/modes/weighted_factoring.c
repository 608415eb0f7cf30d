/* SPDX-License-Identifier: BSD-3-Clause */
/* Weighted factorings: self-scheduling whose chunks depend on the worker and on measurements, which
 * no shared counter knows. Worker 0, the coordinator, hands out the IDs in ascending order. The
 * seeding has no effect. Chunks are rounded, and have --chunk tasks at least. P workers have R of N
 * tasks left.
 *
 * wf     weighted factoring: Hummel, Schmidt, Uma and Wein, SPAA 1996, 318. Batches of half of the
 *        tasks left, as of mode factoring; worker i gets
 *            chunk_i = w_i ceil(R / (2 P)),   w_i = P speed_i / sum_j speed_j
 *        with R of the begin of the batch, and no more than the batch has left. Speeds are from
 *        --speeds (simulated: --known-speeds); without them the mode is factoring.
 * awf-b  adaptive weighted factoring, by batch: Carino and Banicescu, J. Supercomput. 44 (2008) 41.
 *        Worker i has reported, with its k-th request, n_ik tasks that took t_ik seconds. At the
 *        begin of each batch the weights become
 *            w_i = P (1 / pi_i) / sum_j (1 / pi_j),   pi_i = sum_k k t_ik / sum_k k n_ik,
 *        so that its last tasks count most. A worker that has reported none has the mean of the
 *        others' 1 / pi; all weights are 1 in the beginning.
 * af     adaptive factoring: Banicescu and Liu, Proc. High Performance Computing Symposium (2000)
 *        122. With mean mu_i and variance sigma_i^2 of the durations of worker i,
 *            D = sum_j sigma_j^2 / mu_j,   T = 1 / sum_j (1 / mu_j),
 *            chunk_i = (D + 2 T R - sqrt(D^2 + 4 D T R)) / (2 mu_i),
 *        which by the theory of factoring the workers end at the same time with high probability.
 *        It is N / (2 P) at most, the first chunk of factoring, as in DLS4LB (which has sigma in
 *        place of sigma^2): a few equal durations at first would let the formula hand out all that
 *        is left. A worker has estimates from two durations on, and gets --chunk tasks before. Sums
 *        over workers are then extrapolated from the workers with estimates.
 *
 * As in DLS4LB (github.com/unibas-dmi-hpc/DLS4LB) the coordinator works like the others, answers
 * between two tasks, so that others wait for half of one of its own on average, and a worker
 * requests a chunk when 15 % of its last are left, but rounded down: near the end, a task that
 * waits here for its turn is one that nobody else can run. A request has mean and variance of the
 * durations since the last one; what is reported is kept from iteration to iteration. A worker
 * requests no more after an empty grant; the coordinator is done when all have had one. */
#include "sched/pool/core/duration_moments.h"
#include "support/base/integers.h"
#include "support/base/status.h"
#include "taskpool/mode.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Smallest mean duration of tasks, below what a clock resolves, so that no rate is infinite. */
static const double shortest_mean_s = 1e-9;

/* The durations that a worker has reported. */
struct reports {
    double weight;     /* wf, awf-b */
    double n_requests; /* k, of those with durations */
    double sum_time_s; /* of k t_ik */
    double sum_tasks;  /* of k n_ik */
    struct duration_moments all;
};

struct factoring_grant {
    int64_t first, last; /* empty: no task is left */
};

struct weighted_factoring {
    /* Tasks for a worker, of n_left > 0; any number: it is rounded, and limited to [1, n_left]. */
    double (*size)(struct weighted_factoring *self, int worker, int64_t n_left);
    struct taskpool_comm *comm; /* borrowed */
    int64_t n_tasks;
    int64_t least; /* --chunk, N / P at most, 1 at least */

    /* A worker. */
    struct taskpool_range chunk; /* not begun */
    int64_t n_at_request;        /* tasks left of it when the next is requested */
    struct taskpool_range ahead; /* the one after it */
    struct duration_moments measured;
    bool asking, exhausted;

    /* The coordinator: the first n_handed_out tasks are handed out. */
    int64_t n_handed_out;
    int n_notified;          /* workers that have got an empty grant */
    struct reports *workers; /* owned; NULL elsewhere */

    /* wf, awf-b: the batch. */
    int64_t n_left_of_batch;
    double mean_chunk;

    /* af: sums over the n_known workers with estimates. */
    int n_known;
    double sum_dispersion_s; /* of sigma^2 / mu */
    double sum_rate;         /* of 1 / mu */
};

static bool is_coordinator(const struct weighted_factoring *self)
{
    return self->comm->rank == 0;
}

/* --- wf, awf-b --- */

/* 1 / pi. */
static double rate_of_worker(const struct reports *of)
{
    return of->sum_tasks / fmax(of->sum_time_s, shortest_mean_s * of->sum_tasks);
}

/* Where nothing is reported, as always in wf, the weights stay as they were. */
static void weigh_workers(struct weighted_factoring *self)
{
    int n_known = 0;
    double sum = 0;
    for (int i = 0; i < self->comm->size; i++)
        if (self->workers[i].n_requests > 0) {
            sum += rate_of_worker(&self->workers[i]);
            n_known++;
        }
    for (int i = 0; i < self->comm->size; i++)
        if (self->workers[i].n_requests > 0)
            self->workers[i].weight = n_known * rate_of_worker(&self->workers[i]) / sum;
}

static void begin_batch(struct weighted_factoring *self, int64_t n_left)
{
    int64_t n_workers = self->comm->size, n_parts = 2 * n_workers;
    int64_t mean = max_int64(n_left / n_parts + (n_left % n_parts > 0), self->least);
    self->mean_chunk = (double)mean;
    self->n_left_of_batch = n_left / n_workers < mean ? n_left : mean * n_workers;
    weigh_workers(self);
}

static double size_by_weight(struct weighted_factoring *self, int worker, int64_t n_left)
{
    if (self->n_left_of_batch == 0)
        begin_batch(self, n_left);
    int64_t n = llround(self->workers[worker].weight * self->mean_chunk);
    n = min_int64(max_int64(n, self->least), self->n_left_of_batch);
    self->n_left_of_batch -= n;
    return (double)n;
}

/* --- af --- */

static double mean_of_worker(const struct reports *of)
{
    return fmax(of->all.mean_s, shortest_mean_s);
}

/* Adds a worker to the sums, or takes it out. */
static void count_estimates(struct weighted_factoring *self, const struct reports *of, int sign)
{
    if (of->all.n < 2)
        return;
    self->n_known += sign;
    self->sum_dispersion_s += sign * duration_moments_variance(&of->all) / mean_of_worker(of);
    self->sum_rate += sign / mean_of_worker(of);
}

/* The formula without cancellation: 2 T^2 R^2 / (mu_i (D + 2 T R + sqrt(D^2 + 4 D T R))). */
static double size_by_moments(struct weighted_factoring *self, int worker, int64_t n_left)
{
    const struct reports *of = &self->workers[worker];
    double least = (double)self->least;
    if (of->all.n < 2)
        return least;
    double n_workers = self->comm->size, all = n_workers / self->n_known;
    double D = fmax(all * self->sum_dispersion_s, 0);
    double TR = (double)n_left / (all * self->sum_rate);
    double chunk = 2 * TR * TR / (mean_of_worker(of) * (D + 2 * TR + sqrt(D * (D + 4 * TR))));
    double most = ceil((double)self->n_tasks / (2 * n_workers));
    return fmax(fmin(chunk, most), least);
}

/* --- the coordinator --- */

static void note_report(struct weighted_factoring *self, int worker,
                        const struct duration_moments *measured)
{
    struct reports *of = &self->workers[worker];
    double n = (double)measured->n;
    if (measured->n == 0)
        return;
    of->n_requests++;
    of->sum_time_s += of->n_requests * n * measured->mean_s;
    of->sum_tasks += of->n_requests * n;
    count_estimates(self, of, -1);
    duration_moments_merge(&of->all, measured);
    count_estimates(self, of, 1);
}

/* The next chunk of a worker; empty if no task is left. */
static struct factoring_grant hand_out(struct weighted_factoring *self, int worker,
                                       const struct duration_moments *measured)
{
    int64_t n_left = self->n_tasks - self->n_handed_out;
    struct factoring_grant grant = {self->n_handed_out, self->n_handed_out};
    note_report(self, worker, measured);
    if (n_left > 0) {
        double size = self->size(self, worker, n_left);
        bool is_below = size < (double)n_left; /* not infinite, not NaN */
        grant.last += is_below ? min_int64(max_int64(llround(size), 1), n_left) : n_left;
    } else
        self->n_notified++;
    self->n_handed_out = grant.last;
    return grant;
}

/* --- a worker --- */

static void take_grant(struct weighted_factoring *self, const struct factoring_grant *grant)
{
    self->asking = false;
    self->exhausted = grant->first == grant->last;
    self->ahead = (struct taskpool_range){.first = grant->first, .last = grant->last, .step = 1};
}

static void request_chunk(struct weighted_factoring *self)
{
    const struct duration_moments measured = self->measured;
    self->measured = (struct duration_moments){0};
    if (is_coordinator(self)) {
        const struct factoring_grant grant = hand_out(self, 0, &measured);
        take_grant(self, &grant);
        return;
    }
    self->asking = true;
    taskpool_comm_send(self->comm, 0, &measured, sizeof measured);
}

static bool is_empty(const struct taskpool_range *range)
{
    return range->first >= range->last;
}

static void begin_chunk_ahead(struct weighted_factoring *self)
{
    if (!is_empty(&self->chunk))
        return;
    self->chunk = self->ahead;
    self->ahead = (struct taskpool_range){0};
    self->n_at_request = (int64_t)(0.15 * (double)(self->chunk.last - self->chunk.first));
}

static bool request_is_due(const struct weighted_factoring *self)
{
    return self->chunk.last - self->chunk.first <= self->n_at_request && !self->asking &&
           !self->exhausted && is_empty(&self->ahead);
}

/* The tasks of the chunk before the next request is due, or, if it is due, the rest. */
static struct taskpool_range cut_chunk(struct weighted_factoring *self)
{
    struct taskpool_range cut = self->chunk;
    if (cut.last - cut.first > self->n_at_request)
        cut.last -= self->n_at_request;
    self->chunk.first = cut.last;
    return cut;
}

/* --- the entries --- */

static int begin_factoring(struct weighted_factoring *self, const struct taskpool_mode_setup *setup,
                           struct taskpool_comm *comm,
                           double (*size)(struct weighted_factoring *self, int worker,
                                          int64_t n_left))
{
    int64_t n_tasks = setup->problem->n_tasks;
    *self = (struct weighted_factoring){
        .size = size,
        .comm = comm,
        .n_tasks = n_tasks,
        .least = max_int64(min_int64(setup->settings->chunk, n_tasks / comm->size), 1)};
    if (!is_coordinator(self))
        return STATUS_OK;
    self->workers = calloc((size_t)comm->size, sizeof *self->workers);
    TRY(CHECK_MEMORY(self->workers, "no memory for the reports of %d workers", comm->size));
    for (int i = 0; i < comm->size; i++)
        self->workers[i].weight = 1;
    return STATUS_OK;
}

static int wf_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    struct weighted_factoring *self = state;
    const int64_t *sums = setup->speed_sums;
    TRY(begin_factoring(self, setup, comm, size_by_weight));
    for (int i = 0; self->workers && sums && i < comm->size; i++)
        self->workers[i].weight =
            (double)comm->size * (double)(sums[i + 1] - sums[i]) / (double)sums[comm->size];
    return STATUS_OK;
}

static int awf_init(void *state, const struct taskpool_mode_setup *setup,
                    struct taskpool_comm *comm)
{
    return begin_factoring(state, setup, comm, size_by_weight);
}

static int af_init(void *state, const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    return begin_factoring(state, setup, comm, size_by_moments);
}

static void weighted_fini(void *state)
{
    struct weighted_factoring *self = state;
    free(self->workers);
}

static enum taskpool_mode_step weighted_next(void *state, struct taskpool_mode_work *work)
{
    struct weighted_factoring *self = state;
    begin_chunk_ahead(self);
    if (request_is_due(self))
        request_chunk(self);
    begin_chunk_ahead(self); /* the coordinator has answered itself */
    if (!is_empty(&self->chunk)) {
        work->range = cut_chunk(self);
        return TASKPOOL_MODE_RUN;
    }
    if (!self->exhausted)
        return TASKPOOL_MODE_SEARCH;
    bool all_notified = !is_coordinator(self) || self->n_notified == self->comm->size;
    return all_notified ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_WAIT;
}

static void weighted_receive(void *state, int from, const void *message, size_t size)
{
    struct weighted_factoring *self = state;
    (void)size;
    if (!is_coordinator(self)) {
        take_grant(self, message);
        return;
    }
    const struct factoring_grant grant = hand_out(self, from, message);
    taskpool_comm_send(self->comm, from, &grant, sizeof grant);
}

static void weighted_finished(void *state, int64_t task, double time_s)
{
    struct weighted_factoring *self = state;
    (void)task;
    if (time_s >= 0)
        duration_moments_add(&self->measured, time_s);
}

static enum taskpool_mode_step weighted_restore(void *state)
{
    struct weighted_factoring *self = state;
    self->exhausted = false;
    self->n_handed_out = 0;
    self->n_notified = 0;
    return TASKPOOL_MODE_DONE;
}

/* A worker knows of the tasks up to those that it was given last. */
static double weighted_progress(const void *state, int64_t n_run)
{
    const struct weighted_factoring *self = state;
    (void)n_run;
    int64_t known =
        is_coordinator(self) ? self->n_handed_out : max_int64(self->chunk.last, self->ahead.last);
    return self->exhausted || self->n_tasks == 0 ? 1 : (double)known / (double)self->n_tasks;
}

static void weighted_describe(const void *state, char *text, size_t size)
{
    const struct weighted_factoring *self = state;
    if (is_coordinator(self))
        snprintf(text, size, "%lld of %lld tasks handed out, %d of %d workers notified of the end",
                 (long long)self->n_handed_out, (long long)self->n_tasks, self->n_notified,
                 self->comm->size);
    else
        snprintf(text, size, "%s, %s", is_empty(&self->chunk) ? "no task left" : "has tasks",
                 self->asking      ? "the coordinator has not answered"
                 : self->exhausted ? "notified of the end"
                                   : "no request to the coordinator");
}

/* --- the modes --- */

#define WEIGHTED_ENTRIES                                                                           \
    .state_size = sizeof(struct weighted_factoring), .fini = weighted_fini, .next = weighted_next, \
    .receive = weighted_receive, .restore = weighted_restore, .progress = weighted_progress,       \
    .describe = weighted_describe

const struct taskpool_mode mode_wf = {
    .name = "wf",
    .help = "weighted factoring: factoring with chunks in proportion to the speeds of workers",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_chunk_options, &taskpool_speeds_options, NULL},
    .init = wf_init,
    WEIGHTED_ENTRIES,
};

const struct taskpool_mode mode_awf_b = {
    .name = "awf-b",
    .help = "adaptive weighted factoring: weights from measured times, for each batch",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .init = awf_init,
    .finished = weighted_finished,
    WEIGHTED_ENTRIES,
};

const struct taskpool_mode mode_af = {
    .name = "af",
    .help = "adaptive factoring: chunks from measured mean and variance of each worker's tasks",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, NULL},
    .init = af_init,
    .finished = weighted_finished,
    WEIGHTED_ENTRIES,
};
