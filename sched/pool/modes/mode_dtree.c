/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `dtree`: a tree of workers hands down ranges of task IDs (Pamnany et
 * al., ISC High Performance 2015, section 2; its shape is dtree_shape.h's).
 *
 * The root holds all tasks. It gives the fraction --first-share of them out in
 * proportion to the weights of its children's subtrees and its own, and keeps
 * the rest as its buffer; every parent divides its own tasks likewise.
 * Every worker computes all this without messages. A worker that has run its share sends a request
 * to its parent, which grants it, from its buffer,
 *     max(--min-grant, --drain x weight of the requester / weight of the subtree x buffer)
 * tasks. A parent takes tasks for itself in the same way. With an empty buffer it sends a request
 * to its own parent, one for all that wait. A grant of no task means that all buffers above are
 * empty for good; it is passed down in answer to each request, and a worker that has
 * passed it to its last child is done.
 *
 * Where the paper leaves it open: a grant to a parent fills its buffer, from which
 * waiting requests are served first come, first served; a leaf has no
 * buffer and runs all that it is granted; fractions are rounded down.
 *
 * In the paper one thread of each parent serves its children and runs no task. Simulated parents
 * have such a thread too (has_thread), which takes no core from their tasks: few workers are
 * parents. Over MPI, and with --progress poll, children wait until a task of their parent ends. */
#include "sched/pool/modes/dtree_shape.h"
#include "support/base/status.h"
#include "taskpool/mode.h"

#include <stdio.h>
#include <stdlib.h>

struct dtree_settings {
    int64_t fan_out;    /* children of a node, at most */
    double first_share; /* d_f */
    double drain;       /* d_r */
    int64_t min_grant;  /* t_min */
};

#define FIELD(name) offsetof(struct dtree_settings, name)

static const struct taskpool_option dtree_rows[] = {
    TASKPOOL_INTEGER_OPTION("fan-out", FIELD(fan_out), 1, 1e6, .default_text = "256", .value = "N",
                            .help = "maximum number of children of a node"),
    TASKPOOL_REAL_OPTION("first-share", FIELD(first_share), 0, 1, .default_text = "0.2",
                         .value = "X",
                         .help = "fraction of the tasks that is handed out at the start"),
    TASKPOOL_REAL_OPTION("drain", FIELD(drain), 0, 1, .min_excluded = true, .default_text = "0.5",
                         .value = "X", .help = "granted fraction of a requester's share of tasks"),
    TASKPOOL_INTEGER_OPTION("min-grant", FIELD(min_grant), 1, 1e15, .default_text = "1",
                            .value = "N", .help = "minimum number of tasks granted per request"),
};

#undef FIELD

static struct taskpool_mode_options dtree_options =
    TASKPOOL_MODE_OPTIONS(dtree_rows, sizeof(struct dtree_settings));

/* One of the takers from a worker's buffer: share 0 is the worker itself, share 1 + i
 * its child i. */
struct dtree_share {
    int64_t weight;
    int waiting; /* slot of the ring of waiting shares: a share; not related to this one */
};

/* A grant is this message. A request is one int64_t, the index of the child. */
struct dtree_grant {
    int64_t first, last;
};

struct dtree_state {
    const struct dtree_settings *settings;
    struct taskpool_comm *comm;
    struct dtree_shape shape;
    struct dtree_node node;
    struct taskpool_range given; /* to the subtree before the iteration */
    struct dtree_share *shares;  /* n_shares */
    int n_shares;

    struct taskpool_range buffer;
    struct taskpool_range work;   /* this worker's own, not begun */
    int64_t n_given;              /* tasks given to the subtree so far */
    int first_waiting, n_waiting; /* of the ring */
    bool asking;                  /* the parent has not answered */
    bool exhausted;               /* no more tasks will come from the parent */
    bool waiting;                 /* this worker's own share waits */
    bool notified;                /* this worker was granted no task: the end */
    int n_notified;               /* shares that were */
};

/* --- the initial distribution, without messages --- */

/* The number of tasks, of n, for the first `weight` of a total weight `all`.
 * Neighbours compute the same border, and no task is lost. */
static int64_t portion(int64_t n, int64_t weight, int64_t all)
{
    int64_t end = (int64_t)((double)n * (double)weight / (double)all);
    return weight == all || end > n ? n : end;
}

static int64_t distributed(const struct dtree_state *self, struct taskpool_range given)
{
    int64_t n = given.last - given.first;
    int64_t share = (int64_t)(self->settings->first_share * (double)n);
    return share < n ? share : n;
}

/* Walks from the root to this worker, as long as there are tasks to give:
 * a short walk even in a chain, unless --first-share is close to 1. */
static void find_place(struct dtree_state *self, int64_t n_tasks)
{
    struct dtree_node node = dtree_root(&self->shape);
    struct taskpool_range given = {.first = 0, .last = n_tasks, .step = 1};
    while (node.rank != self->comm->rank && given.first < given.last) {
        int index = dtree_child_towards(&node, self->comm->rank);
        struct dtree_node child = dtree_child(&self->shape, &node, index);
        int64_t n = distributed(self, given);
        given.last = given.first + portion(n, child.before + child.weight, node.weight);
        given.first += portion(n, child.before, node.weight);
        node = child;
    }
    self->node = dtree_descendant(&self->shape, node, self->comm->rank);
    self->given = given;
}

static void begin_iteration(struct dtree_state *self)
{
    const struct dtree_node *node = &self->node;
    self->buffer = self->work = self->given;
    if (node->n_children > 0) {
        int64_t n = distributed(self, self->given);
        self->work.last = self->given.first + portion(n, self->shares[0].weight, node->weight);
        self->buffer.first = self->given.first + n;
    } else {
        self->buffer.first = self->buffer.last;
    }
    self->n_given = taskpool_range_count(&self->given);
    self->n_waiting = self->n_notified = 0;
    self->waiting = self->notified = false;
    self->exhausted = node->parent < 0;
}

static int dtree_init(void *state, const struct taskpool_mode_setup *setup,
                      struct taskpool_comm *comm)
{
    struct dtree_state *self = state;
    self->settings = taskpool_settings_of(setup->settings, &dtree_options);
    self->comm = comm;
    self->shape = (struct dtree_shape){
        .n_nodes = comm->size, .fan_out = self->settings->fan_out, .speed_sums = setup->speed_sums};
    find_place(self, setup->problem->n_tasks);

    struct dtree_node *node = &self->node;
    self->n_shares = 1 + node->n_children;
    self->shares = calloc((size_t)self->n_shares, sizeof *self->shares);
    TRY(CHECK_MEMORY(self->shares, "no memory for %d children", node->n_children));
    self->shares[0].weight = dtree_weight(&self->shape, node->rank, 1);
    int rank = node->rank + 1;
    for (int i = 0; i < node->n_children; i++) {
        struct taskpool_range nodes = taskpool_range_block(node->n_nodes - 1, node->n_children, i);
        int n_nodes = (int)taskpool_range_count(&nodes);
        self->shares[1 + i].weight = dtree_weight(&self->shape, rank, n_nodes);
        rank += n_nodes;
    }
    begin_iteration(self);
    return STATUS_OK;
}

static void dtree_fini(void *state)
{
    struct dtree_state *self = state;
    free(self->shares);
}

/* --- requests --- */

static int64_t grant_size(const struct dtree_state *self, int share)
{
    int64_t left = taskpool_range_count(&self->buffer);
    if (self->node.n_children == 0)
        return left;
    double fraction = (double)self->shares[share].weight / (double)self->node.weight;
    int64_t size = (int64_t)(self->settings->drain * fraction * (double)left);
    if (size < self->settings->min_grant)
        size = self->settings->min_grant;
    return size < left ? size : left;
}

static int rank_of_child(const struct dtree_state *self, int index)
{
    const struct dtree_node *node = &self->node;
    return node->rank + 1 +
           (int)taskpool_range_block(node->n_nodes - 1, node->n_children, index).first;
}

/* Answers a waiting share, with no task if the buffer is empty. */
static void grant_share(struct dtree_state *self, int share)
{
    struct dtree_grant grant = {.first = self->buffer.first};
    grant.last = self->buffer.first += grant_size(self, share);
    bool nothing = grant.first == grant.last;
    self->n_notified += nothing;
    if (share > 0) {
        taskpool_comm_send(self->comm, rank_of_child(self, share - 1), &grant, sizeof grant);
        return;
    }
    self->work = (struct taskpool_range){.first = grant.first, .last = grant.last, .step = 1};
    self->waiting = false;
    self->notified = nothing;
}

static void serve_shares(struct dtree_state *self)
{
    while (self->n_waiting > 0 && (taskpool_range_count(&self->buffer) > 0 || self->exhausted)) {
        int share = self->shares[self->first_waiting].waiting;
        self->first_waiting = (self->first_waiting + 1) % self->n_shares;
        self->n_waiting--;
        grant_share(self, share);
    }
    if (self->n_waiting > 0 && !self->asking) {
        int64_t index = self->node.index;
        self->asking = true;
        taskpool_comm_send(self->comm, self->node.parent, &index, sizeof index);
    }
}

static void ask_for_share(struct dtree_state *self, int share)
{
    int end = (self->first_waiting + self->n_waiting++) % self->n_shares;
    self->shares[end].waiting = share;
    serve_shares(self);
}

static void take_range_grant(struct dtree_state *self, const struct dtree_grant *grant)
{
    int64_t n = grant->last - grant->first;
    self->asking = false;
    self->buffer = (struct taskpool_range){.first = grant->first, .last = grant->last, .step = 1};
    self->n_given += n;
    self->comm->counts.tasks_moved += n;
    self->exhausted = n == 0;
    serve_shares(self);
}

/* --- the table --- */

static void dtree_receive(void *state, int from, const void *message, size_t size)
{
    struct dtree_state *self = state;
    (void)from;
    if (size == sizeof(struct dtree_grant))
        take_range_grant(self, message);
    else
        ask_for_share(self, 1 + (int)*(const int64_t *)message);
}

static enum taskpool_mode_step dtree_next(void *state, struct taskpool_mode_work *work)
{
    struct dtree_state *self = state;
    if (self->work.first == self->work.last && !self->waiting && !self->notified) {
        self->waiting = true;
        ask_for_share(self, 0);
    }
    int64_t left = self->work.last - self->work.first;
    if (left == 0) {
        if (self->n_notified == self->n_shares)
            return TASKPOOL_MODE_DONE;
        return self->notified ? TASKPOOL_MODE_WAIT : TASKPOOL_MODE_SEARCH;
    }
    work->range = self->work;
    if (left > work->n_wanted)
        work->range.last = work->range.first + work->n_wanted;
    self->work.first = work->range.last;
    return TASKPOOL_MODE_RUN;
}

static enum taskpool_mode_step dtree_restore(void *state)
{
    begin_iteration(state);
    return TASKPOOL_MODE_DONE;
}

/* Fraction of the tasks given to this worker's subtree (all of them, for the root) that is not held
 * here. */
static double dtree_progress(const void *state, int64_t n_run)
{
    const struct dtree_state *self = state;
    (void)n_run;
    int64_t held = taskpool_range_count(&self->buffer) + taskpool_range_count(&self->work);
    if (self->n_given == 0)
        return self->exhausted ? 1 : 0;
    return (double)(self->n_given - held) / (double)self->n_given;
}

static bool dtree_has_thread(const void *state)
{
    const struct dtree_state *self = state;
    return self->node.n_children > 0;
}

static void dtree_describe(const void *state, char *text, size_t size)
{
    const struct dtree_state *self = state;
    snprintf(
        text, size,
        "%lld tasks of its own and %lld in its buffer; parent %d, %d children; %d shares wait, "
        "%d of %d were notified of the end%s%s",
        (long long)(self->work.last - self->work.first),
        (long long)(self->buffer.last - self->buffer.first), self->node.parent,
        self->node.n_children, self->n_waiting, self->n_notified, self->n_shares,
        self->asking ? "; the parent has not answered" : "",
        self->exhausted ? "; the parent has no more" : "");
}

const struct taskpool_mode mode_dtree = {
    .name = "dtree",
    .help = "ranges of tasks go down a distribution tree, in shrinking portions",
    .options = (struct taskpool_mode_options *[]){&dtree_options, &taskpool_speeds_options, NULL},
    .state_size = sizeof(struct dtree_state),
    .init = dtree_init,
    .fini = dtree_fini,
    .next = dtree_next,
    .receive = dtree_receive,
    .restore = dtree_restore,
    .has_thread = dtree_has_thread,
    .thread_help = "one of each parent in the tree serves its children (--progress poll: none)",
    .progress = dtree_progress,
    .describe = dtree_describe,
};
