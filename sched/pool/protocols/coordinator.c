/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/coordinator.h"

#include "support/base/integers.h"

#include <math.h>
#include <stdio.h>

struct coordinator_settings {
    int64_t request_when;
};

static const struct taskpool_option coordinator_rows[] = {
    TASKPOOL_INTEGER_OPTION("request-when", offsetof(struct coordinator_settings, request_when), -1,
                            1e15, .default_text = "-1", .value = "N",
                            .help = "request the next chunk when this many tasks of the last "
                                    "one are left; -1: 15 % of it, rounded down"),
};

struct taskpool_mode_options coordinator_options =
    TASKPOOL_MODE_OPTIONS(coordinator_rows, sizeof(struct coordinator_settings));

struct coordinator_request {
    struct duration_moments measured;
};

struct coordinator_grant {
    int64_t first, last; /* empty: no task is left */
};

void coordinated_init(struct coordinated *self, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm, const struct coordinator_rule *rule)
{
    const struct coordinator_settings *settings =
        taskpool_settings_of(setup->settings, &coordinator_options);
    int64_t n_tasks = setup->problem->n_tasks;
    *self = (struct coordinated){
        .rule = rule,
        .comm = comm,
        .n_tasks = n_tasks,
        .min_chunk = max_int64(min_int64(setup->settings->chunk, n_tasks / comm->size), 1),
        .request_when = settings->request_when,
    };
}

/* --- the coordinator --- */

/* Rounds and limits a rule's size, which may be infinite or NaN. */
static int64_t limit_chunk(double size, int64_t n_left)
{
    if (!(size < (double)n_left))
        return n_left;
    return min_int64(max_int64(llround(size), 1), n_left);
}

/* The next chunk of a worker; empty if no task is left. */
static struct coordinator_grant hand_out(struct coordinated *self, int worker,
                                         const struct duration_moments *measured)
{
    int64_t n_left = self->n_tasks - self->n_handed_out;
    struct coordinator_grant grant = {self->n_handed_out, self->n_handed_out};
    if (measured->n > 0 && self->rule->measured)
        self->rule->measured(self, worker, measured);
    if (n_left > 0)
        grant.last += limit_chunk(self->rule->chunk(self, worker, n_left), n_left);
    else
        self->n_notified++;
    self->n_handed_out = grant.last;
    return grant;
}

/* --- a worker --- */

static void take_chunk_grant(struct coordinated *self, const struct coordinator_grant *grant)
{
    self->asking = false;
    self->exhausted = grant->first == grant->last;
    self->ahead = (struct taskpool_range){.first = grant->first, .last = grant->last, .step = 1};
}

static void request_chunk(struct coordinated *self)
{
    const struct coordinator_request request = {self->measured};
    self->measured = (struct duration_moments){0};
    if (coordinated_is_coordinator(self)) {
        const struct coordinator_grant grant = hand_out(self, 0, &request.measured);
        take_chunk_grant(self, &grant);
        return;
    }
    self->asking = true;
    taskpool_comm_send(self->comm, 0, &request, sizeof request);
}

void coordinated_receive(void *state, int from, const void *message, size_t size)
{
    struct coordinated *self = state;
    (void)size;
    if (!coordinated_is_coordinator(self)) {
        take_chunk_grant(self, message);
        return;
    }
    const struct coordinator_request *request = message;
    const struct coordinator_grant grant = hand_out(self, from, &request->measured);
    taskpool_comm_send(self->comm, from, &grant, sizeof grant);
}

void coordinated_finished(void *state, int64_t task, double time_s)
{
    struct coordinated *self = state;
    (void)task;
    if (time_s >= 0)
        duration_moments_add(&self->measured, time_s);
}

static bool is_empty(const struct taskpool_range *range)
{
    return range->first >= range->last;
}

static void begin_chunk_ahead(struct coordinated *self)
{
    if (!is_empty(&self->chunk))
        return;
    self->chunk = self->ahead;
    self->ahead = (struct taskpool_range){0};
    self->n_at_request = self->request_when >= 0
                             ? self->request_when
                             : (int64_t)(0.15 * (double)(self->chunk.last - self->chunk.first));
}

static bool request_is_due(const struct coordinated *self)
{
    return self->chunk.last - self->chunk.first <= self->n_at_request && !self->asking &&
           !self->exhausted && is_empty(&self->ahead);
}

/* The tasks of the chunk before the next request is due, or, if it is due, the rest. */
static struct taskpool_range cut_chunk(struct coordinated *self)
{
    struct taskpool_range cut = self->chunk;
    if (cut.last - cut.first > self->n_at_request)
        cut.last -= self->n_at_request;
    self->chunk.first = cut.last;
    return cut;
}

enum taskpool_mode_step coordinated_next(void *state, struct taskpool_mode_work *work)
{
    struct coordinated *self = state;
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
    bool all_notified = !coordinated_is_coordinator(self) || self->n_notified == self->comm->size;
    return all_notified ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_WAIT;
}

enum taskpool_mode_step coordinated_restore(void *state)
{
    struct coordinated *self = state;
    self->exhausted = false;
    self->n_handed_out = 0;
    self->n_notified = 0;
    return TASKPOOL_MODE_DONE;
}

/* A worker knows of the tasks up to those that it was given last. */
double coordinated_progress(const void *state, int64_t n_run)
{
    const struct coordinated *self = state;
    (void)n_run;
    int64_t known = coordinated_is_coordinator(self)
                        ? self->n_handed_out
                        : max_int64(self->chunk.last, self->ahead.last);
    return self->exhausted || self->n_tasks == 0 ? 1 : (double)known / (double)self->n_tasks;
}

void coordinated_describe(const void *state, char *text, size_t size)
{
    const struct coordinated *self = state;
    if (coordinated_is_coordinator(self))
        snprintf(text, size, "%lld of %lld tasks handed out, %d of %d workers notified of the end",
                 (long long)self->n_handed_out, (long long)self->n_tasks, self->n_notified,
                 self->comm->size);
    else
        snprintf(text, size, "%s, %s", is_empty(&self->chunk) ? "no task left" : "has tasks",
                 self->asking      ? "the coordinator has not answered"
                 : self->exhausted ? "notified of the end"
                                   : "no request to the coordinator");
}

/* --- batches of weighted chunks --- */

bool weighted_batch_begin(struct weighted_batch *batch, const struct coordinated *self,
                          int64_t n_left)
{
    if (batch->n_left > 0)
        return false;
    int64_t n_parts = 2 * (int64_t)self->comm->size;
    int64_t mean = max_int64(n_left / n_parts + (n_left % n_parts > 0), self->min_chunk);
    batch->mean_chunk = (double)mean;
    batch->n_left = n_left / self->comm->size < mean ? n_left : mean * self->comm->size;
    return true;
}

double weighted_batch_take(struct weighted_batch *batch, const struct coordinated *self,
                           double weight)
{
    int64_t n = max_int64(llround(weight * batch->mean_chunk), self->min_chunk);
    n = min_int64(n, batch->n_left);
    batch->n_left -= n;
    return (double)n;
}
