/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `diffusion`: GrapeVine, the distributed balancer of Menon and Kale, SC 2013. Each worker
 * runs the tasks that it has, without stealing; before the next iteration tasks diffuse by what
 * workers hear of each other:
 *
 * (1) The average of the measured loads is found by the tree of all ranks (diffusing.h).
 * (2) Gossip (grapevine.h): workers below the average send their loads to random workers, and the
 *     receivers what they know to as many, over several rounds.
 * (3) Transfer (grapevine.h): workers above --gossip-threshold times the average, the limit, send
 *     their shortest tasks to workers that they know to be below the average.
 *
 * The end of (2) and of (3) is detected by acknowledgements (diffusing.h), where Charm++ detects
 * quiescence.
 *
 * A worker runs its tasks in the order in which it ran them, and then those that it received. */
#include "sched/pool/balancing/grapevine.h"
#include "sched/pool/queues/duration_bins.h"
#include "sched/pool/queues/task_ranges.h"
#include "taskpool/mode.h"

#include <stdio.h>

struct diffusion_settings {
    double threshold; /* T: times the average load */
};

#define FIELD(name) offsetof(struct diffusion_settings, name)

static const struct taskpool_option diffusion_rows[] = {
    TASKPOOL_REAL_OPTION(
        "gossip-threshold", FIELD(threshold), 1, 1e6, .default_text = "1.05", .value = "T",
        .help = "workers above T times the average load send tasks, and no receiver "
                "exceeds it"),
};

#undef FIELD

static struct taskpool_mode_options diffusion_options =
    TASKPOOL_MODE_OPTIONS(diffusion_rows, sizeof(struct diffusion_settings));

/* The first word of every message. */
enum diffusion_kind {
    DIFFUSION_LOAD,    /* to the parent: of its subtree */
    DIFFUSION_AVERAGE, /* to a child: of a worker */
    DIFFUSION_GOSSIP,
    DIFFUSION_END_OF_GOSSIP,
    DIFFUSION_TRANSFER, /* the first of grapevine.h's kinds of transfer */
};

struct diffusion_state {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct diffusion_settings *settings;
    struct taskpool_comm *comm;

    struct task_ranges tasks; /* of this iteration */
    int64_t next_range;
    int64_t n_tasks;           /* in all ranges */
    struct duration_bins bins; /* tasks that ran here; after balancing those that are to run here */

    /* Balancing. */
    bool balancing;
    int n_loads;  /* from children */
    double sum_s; /* of the subtree that they and this worker are */
    bool knows_average;
    double average_s;
    struct gossip gossip;
    struct transfer transfer;
};

/* --- the iteration --- */

static int diffusion_init(void *state, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm)
{
    struct diffusion_state *self = state;
    *self = (struct diffusion_state){.setup = setup,
                                     .settings =
                                         taskpool_settings_of(setup->settings, &diffusion_options),
                                     .comm = comm};
    gossip_init(&self->gossip, comm, DIFFUSION_GOSSIP, DIFFUSION_END_OF_GOSSIP);
    transfer_init(&self->transfer, &self->gossip, &self->bins, DIFFUSION_TRANSFER);
    return STATUS_OK;
}

static void diffusion_fini(void *state)
{
    struct diffusion_state *self = state;
    task_ranges_fini(&self->tasks);
    duration_bins_fini(&self->bins);
}

static void count_own_tasks(struct diffusion_state *self)
{
    self->n_tasks = 0;
    for (int64_t i = 0; i < self->tasks.n; i++)
        self->n_tasks += taskpool_range_count(&self->tasks.list[i]);
}

static int diffusion_seed(void *state)
{
    struct diffusion_state *self = state;
    const struct taskpool_seeding *seeding = self->setup->seeding;
    for (int64_t i = 0; i < taskpool_seeding_n_ranges(seeding, self->comm->rank); i++)
        TRY(task_ranges_add_range(&self->tasks,
                                  taskpool_seeding_range(seeding, self->comm->rank, i)));
    count_own_tasks(self);
    return STATUS_OK;
}

static enum taskpool_mode_step diffusion_next(void *state, struct taskpool_mode_work *work)
{
    struct diffusion_state *self = state;
    if (self->next_range == self->tasks.n)
        return TASKPOOL_MODE_DONE;
    work->range = self->tasks.list[self->next_range++];
    return TASKPOOL_MODE_RUN;
}

static void diffusion_finished(void *state, int64_t task, double time_s)
{
    struct diffusion_state *self = state;
    taskpool_comm_report(self->comm, duration_bins_add(&self->bins, task, time_s));
}

/* --- the average --- */

static void send_load(struct diffusion_state *self, int32_t kind, int to, double load_s)
{
    const struct transfer_message message = {.kind = kind, .load_s = load_s};
    taskpool_comm_send(self->comm, to, &message, sizeof message);
}

/* The average is known: passes it on, and begins to gossip. */
static void take_average(struct diffusion_state *self, double average_s)
{
    self->knows_average = true;
    self->average_s = average_s;
    self->transfer.limit_s = self->settings->threshold * average_s;
    for (int i = 0; i < rank_tree_n_children(self->comm); i++)
        send_load(self, DIFFUSION_AVERAGE, rank_tree_child(self->comm, i), average_s);
    if (self->bins.load_s < average_s)
        gossip_tell(&self->gossip, self->bins.load_s);
}

/* --- between iterations --- */

/* Passes the loads of the subtree on when they are all there. */
static void pass_load_on(struct diffusion_state *self)
{
    if (self->n_loads < rank_tree_n_children(self->comm))
        return;
    if (self->comm->rank > 0)
        send_load(self, DIFFUSION_LOAD, rank_tree_parent(self->comm), self->sum_s);
    else
        take_average(self, self->sum_s / self->comm->size);
}

static void begin_balancing(struct diffusion_state *self)
{
    self->balancing = true;
    self->n_loads = 0;
    self->sum_s = self->bins.load_s;
    self->knows_average = false;
    gossip_begin(&self->gossip);
    transfer_begin(&self->transfer);
    pass_load_on(self);
}

/* Goes on as far as possible; whether this worker has all tasks of the next iteration. */
static bool has_balanced(struct diffusion_state *self)
{
    if (!self->knows_average)
        return false;
    if (self->average_s == 0)
        return true;
    diffusing_without_work(&self->gossip.end);
    return self->gossip.end.finished && transfer_is_finished(&self->transfer);
}

static enum taskpool_mode_step diffusion_restore(void *state)
{
    struct diffusion_state *self = state;
    if (!self->balancing && self->comm->size > 1)
        begin_balancing(self);
    if (self->balancing && !has_balanced(self))
        return TASKPOOL_MODE_WAIT;
    self->balancing = false;
    self->tasks.n = self->next_range = 0;
    taskpool_comm_report(self->comm, duration_bins_list(&self->bins, &self->tasks));
    duration_bins_clear(&self->bins);
    count_own_tasks(self);
    return TASKPOOL_MODE_DONE;
}

static void diffusion_receive(void *state, int from, const void *bytes, size_t size)
{
    struct diffusion_state *self = state;
    const struct transfer_message *message = bytes;
    (void)size;
    switch (message->kind) {
    case DIFFUSION_LOAD:
        self->sum_s += message->load_s;
        self->n_loads++;
        pass_load_on(self);
        break;
    case DIFFUSION_AVERAGE:
        take_average(self, message->load_s);
        break;
    case DIFFUSION_GOSSIP:
        gossip_receive(&self->gossip, from, bytes);
        break;
    case DIFFUSION_END_OF_GOSSIP:
        diffusing_receive(&self->gossip.end, bytes);
        break;
    default:
        transfer_receive(&self->transfer, from, message);
    }
}

static double diffusion_progress(const void *state, int64_t n_run)
{
    const struct diffusion_state *self = state;
    return self->n_tasks > 0 ? (double)n_run / (double)self->n_tasks : 1;
}

static void diffusion_describe(const void *state, char *text, size_t size)
{
    const struct diffusion_state *self = state;
    char gossip[128], transfer[128];
    diffusing_describe(&self->gossip.end, gossip, sizeof gossip);
    diffusing_describe(&self->transfer.end, transfer, sizeof transfer);
    if (!self->balancing)
        snprintf(text, size, "%lld of its %lld ranges of tasks begun, %lld tasks in all",
                 (long long)self->next_range, (long long)self->tasks.n, (long long)self->n_tasks);
    else
        snprintf(text, size, "balancing, the average is %sknown; gossip: %s; transfer: %s",
                 self->knows_average ? "" : "not ", gossip, transfer);
}

const struct taskpool_mode mode_diffusion = {
    .name = "diffusion",
    .help = "between iterations, gossip finds underloaded workers; overloaded ones send them tasks",
    .options =
        (struct taskpool_mode_options *[]){&taskpool_seeding_options, &diffusion_options, NULL},
    .state_size = sizeof(struct diffusion_state),
    .seeded = true,
    .task_bytes = sizeof(struct duration_entry),
    .init = diffusion_init,
    .fini = diffusion_fini,
    .seed = diffusion_seed,
    .next = diffusion_next,
    .receive = diffusion_receive,
    .finished = diffusion_finished,
    .restore = diffusion_restore,
    .progress = diffusion_progress,
    .describe = diffusion_describe,
};
