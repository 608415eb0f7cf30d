/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `fsc`: fixed-size chunking: Kruskal and Weiss, IEEE Trans. Softw. Eng. 11 (1985) 1001. All
 * chunks have
 *     K = (sqrt(2) N h / (sigma P sqrt(ln P)))^(2/3)
 * tasks, rounded up, for N tasks whose durations have the standard deviation sigma, P workers and
 * an overhead of h for each chunk: large enough that requests cost little, small enough that
 * workers end at about the same time. K is --chunk at least and N / P at most, so for durations
 * that are all equal, where the formula has no bound.
 *
 * The paper takes h and sigma to be known (--fsc-overhead, --fsc-deviation). What is not given is
 * measured: h is the mean time from a request to its answer, sigma that of all tasks, summed over a
 * tree of all workers between two iterations. In the first iteration, before there is anything to
 * sum, chunks have --chunk tasks, as in mode counter.
 *
 * The counter counts tasks (self_scheduling.h). */
#include "sched/pool/core/duration_moments.h"
#include "sched/pool/protocols/diffusing.h"
#include "sched/pool/protocols/self_scheduling.h"
#include "support/base/status.h"

#include <math.h>

struct fsc_settings {
    double overhead_s, deviation_s; /* 0: not given */
};

#define FIELD(name) offsetof(struct fsc_settings, name)

static const struct taskpool_option fsc_rows[] = {
    TASKPOOL_REAL_OPTION("fsc-overhead", FIELD(overhead_s), 0, 1e6, .default_text = "0",
                         .value = "SECONDS",
                         .help = "overhead of a chunk; 0: as measured in earlier iterations"),
    TASKPOOL_REAL_OPTION("fsc-deviation", FIELD(deviation_s), 0, 1e6, .default_text = "0",
                         .value = "SECONDS",
                         .help = "standard deviation of the tasks' durations; 0: as measured in "
                                 "earlier iterations"),
};

#undef FIELD

static struct taskpool_mode_options fsc_options =
    TASKPOOL_MODE_OPTIONS(fsc_rows, sizeof(struct fsc_settings));

struct fsc_measured {
    struct duration_moments tasks, requests;
};

struct fsc_message {
    struct fsc_measured measured; /* of the sender and those below it, or of all */
    int32_t is_total;             /* down the tree, not up */
};

struct fsc_state {
    struct self_scheduling scheduling; /* first */
    const struct fsc_settings *settings;
    int64_t largest_chunk; /* n_tasks / workers */
    int64_t chunk;
    double asked_s;
    bool waits;                   /* for the answer to the request of then */
    struct fsc_measured measured; /* by this worker, in all iterations */

    /* The sum between two iterations. */
    struct fsc_measured sum; /* of those below that have reported */
    int n_reported;          /* children in the tree of ranks */
    bool began, has_total;
};

/* K as above. */
static int64_t compute_chunk(const struct fsc_state *self, double overhead_s, double deviation_s)
{
    double n_workers = (double)self->scheduling.n_workers;
    double chunk = pow(sqrt(2) * (double)self->scheduling.n_tasks * overhead_s /
                           (deviation_s * n_workers * sqrt(log(n_workers))),
                       2.0 / 3);
    /* Infinite or no number where deviation or ln P are 0. */
    if (!(chunk < (double)self->largest_chunk))
        return self->largest_chunk;
    int64_t size = (int64_t)ceil(chunk);
    return size > self->scheduling.min_chunk ? size : self->scheduling.min_chunk;
}

/* --- the iteration --- */

static int64_t fsc_increment(const void *state)
{
    const struct fsc_state *self = state;
    return self->chunk;
}

static struct taskpool_range fsc_range(void *state, int64_t value)
{
    const struct fsc_state *self = state;
    return (struct taskpool_range){.first = value, .last = value + self->chunk};
}

static const struct self_scheduling_rule fsc_rule = {.increment = fsc_increment,
                                                     .chunk = fsc_range};

static int fsc_init(void *state, const struct taskpool_mode_setup *setup,
                    struct taskpool_comm *comm)
{
    struct fsc_state *self = state;
    self->settings = taskpool_settings_of(setup->settings, &fsc_options);
    TRY(self_scheduling_init(state, setup, comm, &fsc_rule));
    int64_t share = self->scheduling.n_tasks / self->scheduling.n_workers;
    self->largest_chunk = share > 1 ? share : 1;
    bool is_given = self->settings->overhead_s > 0 && self->settings->deviation_s > 0;
    self->chunk = is_given
                      ? compute_chunk(self, self->settings->overhead_s, self->settings->deviation_s)
                      : self->scheduling.min_chunk;
    return STATUS_OK;
}

/* Ends the measurement of a request, or begins that of the next. A simulated worker's clock still
 * stands where it began to wait when fetched is called, so both are done by next. */
static void measure_request(struct fsc_state *self)
{
    if (self->waits == self->scheduling.asking)
        return;
    double now_s = taskpool_comm_now(self->scheduling.comm);
    if (self->waits)
        duration_moments_add(&self->measured.requests, now_s - self->asked_s);
    self->waits = self->scheduling.asking;
    self->asked_s = now_s;
}

static enum taskpool_mode_step fsc_next(void *state, struct taskpool_mode_work *work)
{
    measure_request(state);
    enum taskpool_mode_step step = self_scheduling_next(state, work);
    measure_request(state);
    return step;
}

static void fsc_finished(void *state, int64_t task, double time_s)
{
    struct fsc_state *self = state;
    (void)task;
    if (time_s >= 0)
        duration_moments_add(&self->measured.tasks, time_s);
}

/* --- between two iterations --- */

static void add_measured(struct fsc_measured *sum, const struct fsc_measured *measured)
{
    duration_moments_merge(&sum->tasks, &measured->tasks);
    duration_moments_merge(&sum->requests, &measured->requests);
}

/* The sum over all workers is known here: sets the chunk, and announces the sum to the children. */
static void take_total(struct fsc_state *self, const struct fsc_measured *total)
{
    const struct taskpool_comm *comm = self->scheduling.comm;
    const struct fsc_settings *settings = self->settings;
    const struct fsc_message message = {.measured = *total, .is_total = 1};
    for (int child = 0; child < rank_tree_n_children(comm); child++)
        taskpool_comm_send(self->scheduling.comm, rank_tree_child(comm, child), &message,
                           sizeof message);
    self->chunk = compute_chunk(
        self, settings->overhead_s > 0 ? settings->overhead_s : total->requests.mean_s,
        settings->deviation_s > 0 ? settings->deviation_s
                                  : sqrt(duration_moments_variance(&total->tasks)));
    self->has_total = true;
}

/* Once this worker and all children have reported, reports to the parent. */
static void report_sum(struct fsc_state *self)
{
    struct taskpool_comm *comm = self->scheduling.comm;
    if (!self->began || self->n_reported < rank_tree_n_children(comm))
        return;
    const struct fsc_message message = {.measured = self->sum};
    if (comm->rank == 0)
        take_total(self, &self->sum);
    else
        taskpool_comm_send(comm, rank_tree_parent(comm), &message, sizeof message);
}

static void fsc_receive(void *state, int from, const void *bytes, size_t size)
{
    struct fsc_state *self = state;
    const struct fsc_message *message = bytes;
    (void)from, (void)size;
    if (message->is_total) {
        take_total(self, &message->measured);
        return;
    }
    add_measured(&self->sum, &message->measured);
    self->n_reported++;
    report_sum(self);
}

static enum taskpool_mode_step fsc_restore(void *state)
{
    struct fsc_state *self = state;
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
    return self_scheduling_restore(state);
}

const struct taskpool_mode mode_fsc = {
    .name = "fsc",
    .help = "fixed-size chunking: one chunk size, from overhead and variance of durations",
    .options = (struct taskpool_mode_options *[]){&taskpool_chunk_options, &fsc_options, NULL},
    .state_size = sizeof(struct fsc_state),
    .init = fsc_init,
    .next = fsc_next,
    .receive = fsc_receive,
    .fetched = self_scheduling_fetched,
    .finished = fsc_finished,
    .restore = fsc_restore,
    .progress = self_scheduling_progress,
    .describe = self_scheduling_describe,
};
