/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `hybrid`: a fraction of each worker's tasks is static, the rest is
 * shared by the workers of a group in pieces, tasklets (V. Kale, "Load balancing
 * regular meshes on SMPs with MPI", thesis, University of Illinois, 2010,
 * sections 3.1 to 3.3).
 *
 * A worker keeps the fraction --static-fraction of the tasks that it is seeded with as
 * static tasks: it runs them first, in their order. The others are cut into --tasklets
 * tasklets, which wait in the queue of the group, in memory that the processes of a node share, as
 * the threads of the thesis do (node_queue.h): a worker without static tasks takes one after the
 * other, and is done when the queue is empty. The thesis counts tasklets per node, --tasklets per
 * worker, so that a number suits groups of any size: the thesis's 32 on a node of 16 workers are
 * --tasklets 2. With --skew its tasklets get smaller from the first to the last of the
 * whole queue, which therefore does not prefer tasklets that ran here last.
 */
#include "sched/pool/shared/node_queue.h"
#include "support/base/die.h"

#include <stdio.h>

struct hybrid_settings {
    double static_fraction; /* of a worker's tasks */
    int64_t tasklets;       /* of a worker */
    int64_t group;          /* workers of a node that share a queue; 0: all */
    bool skew;              /* larger tasklets first */
    bool no_locality;       /* do not prefer tasklets that ran here last */
};

#define FIELD(name) offsetof(struct hybrid_settings, name)

static const struct taskpool_option hybrid_rows[] = {
    TASKPOOL_REAL_OPTION("static-fraction", FIELD(static_fraction), 0, 1, .default_text = "0.5",
                         .value = "X", .help = "fraction of its tasks that a worker keeps"),
    TASKPOOL_INTEGER_OPTION(
        "tasklets", FIELD(tasklets), 1, NODE_QUEUE_MAX_TASKLETS, .default_text = "64", .value = "N",
        .help = "parts into which the rest of a worker's tasks is cut (of a worker, "
                "not of a node as in V. Kale's thesis, 2010)"),
    TASKPOOL_INTEGER_OPTION("group", FIELD(group), 0, 1e9, .default_text = "0", .value = "N",
                            .help = "workers of a node that share a queue; 0: all of the node"),
    TASKPOOL_FLAG_OPTION("skew", FIELD(skew),
                         .help = "larger tasklets first, smaller ones at the end of the queue"),
    TASKPOOL_FLAG_OPTION("no-locality", FIELD(no_locality),
                         .help = "do not prefer the tasklets that ran here last"),
};

#undef FIELD

static struct taskpool_mode_options hybrid_options =
    TASKPOOL_MODE_OPTIONS(hybrid_rows, sizeof(struct hybrid_settings));

struct hybrid_state {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct hybrid_settings *settings;
    struct taskpool_comm *comm;
    struct node_queue queue;

    struct task_ranges fixed; /* the static tasks */
    int64_t n_fixed;

    const struct task_ranges *running; /* the static tasks or the tasklet */
    int64_t next_range;                /* of running */
    struct task_ranges tasklet;        /* the one that runs; empty when none is left */
};

static struct node_queue_rules rules_of(const struct hybrid_settings *settings)
{
    return (struct node_queue_rules){.tasklets = settings->tasklets,
                                     .line = settings->skew || settings->no_locality,
                                     .skew = settings->skew};
}

/* --- before the first iteration --- */

static int64_t count_seeded(const struct taskpool_seeding *seeding, int worker)
{
    int64_t n_tasks = 0;
    for (int64_t i = taskpool_seeding_n_ranges(seeding, worker) - 1; i >= 0; i--) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        n_tasks += taskpool_range_count(&range);
    }
    return n_tasks;
}

static int64_t count_fixed(const struct hybrid_settings *settings, int64_t n_tasks)
{
    int64_t n = (int64_t)(settings->static_fraction * (double)n_tasks);
    return n < n_tasks ? n : n_tasks;
}

static int64_t hybrid_node_words(const struct taskpool_mode_setup *setup,
                                 const struct taskpool_comm *comm)
{
    const struct hybrid_settings *settings = taskpool_settings_of(setup->settings, &hybrid_options);
    struct node_queue_rules rules = rules_of(settings);
    int64_t n_tasks = count_seeded(setup->seeding, comm->rank);
    return node_queue_n_words(&rules, n_tasks - count_fixed(settings, n_tasks),
                              taskpool_seeding_n_ranges(setup->seeding, comm->rank));
}

static void hybrid_fini(void *state)
{
    struct hybrid_state *self = state;
    node_queue_fini(&self->queue);
    task_ranges_fini(&self->fixed);
    task_ranges_fini(&self->tasklet);
}

static int hybrid_init(void *state, const struct taskpool_mode_setup *setup,
                       struct taskpool_comm *comm)
{
    struct hybrid_state *self = state;
    self->setup = setup;
    self->settings = taskpool_settings_of(setup->settings, &hybrid_options);
    self->comm = comm;
    self->running = &self->fixed;
    if (comm->node_words)
        return STATUS_OK;
    return FAIL(STATUS_NO_MEMORY,
                "mode hybrid: no memory for the queue that the %d processes of "
                "a node share: there must be room in /dev/shm, or choose fewer "
                "--tasklets or another mode",
                comm->n_node_ranks);
}

/* The members of the group are --group consecutive workers of the node. */
static enum status open_queue(struct hybrid_state *self, const struct task_ranges *shared)
{
    const struct taskpool_comm *comm = self->comm;
    const struct node_queue_rules rules = rules_of(self->settings);
    int64_t size = self->settings->group;
    if (size == 0 || size > comm->n_node_ranks)
        size = comm->n_node_ranks;
    int64_t first = 0;
    while (comm->node_ranks[first] != comm->rank)
        first++;
    first -= first % size;
    int64_t n_left = comm->n_node_ranks - first;
    return node_queue_init(&self->queue, self->comm, &rules, (int)first,
                           (int)(size < n_left ? size : n_left), shared);
}

static int hybrid_seed(void *state)
{
    struct hybrid_state *self = state;
    const struct taskpool_seeding *seeding = self->setup->seeding;
    int worker = self->comm->rank;
    struct task_ranges shared = {0};
    int64_t n_ranges = taskpool_seeding_n_ranges(seeding, worker);
    int64_t left = self->n_fixed = count_fixed(self->settings, count_seeded(seeding, worker));
    enum status status = STATUS_OK;
    for (int64_t i = 0; i < n_ranges && status == STATUS_OK; i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        int64_t n = taskpool_range_count(&range);
        n = n < left ? n : left;
        left -= n;
        status = task_ranges_add_range(&self->fixed, task_range_cut_front(&range, n));
        if (status == STATUS_OK)
            status = task_ranges_add_range(&shared, range);
    }
    if (status == STATUS_OK)
        status = open_queue(self, &shared);
    task_ranges_fini(&shared);
    return status;
}

/* --- the worker --- */

static void take_tasklet(struct hybrid_state *self)
{
    int64_t n_moved;
    self->tasklet.n = 0;
    if (node_queue_take(&self->queue, &self->tasklet, &n_moved) != STATUS_OK)
        die_no_memory("no memory for a tasklet's ranges");
    self->comm->counts.tasks_moved += n_moved;
    self->running = &self->tasklet;
    self->next_range = 0;
}

static enum taskpool_mode_step hybrid_next(void *state, struct taskpool_mode_work *work)
{
    struct hybrid_state *self = state;
    if (self->next_range == self->running->n)
        take_tasklet(self);
    if (self->tasklet.n == 0 && self->running == &self->tasklet)
        return TASKPOOL_MODE_DONE;
    work->range = self->running->list[self->next_range++];
    return TASKPOOL_MODE_RUN;
}

static enum taskpool_mode_step hybrid_restore(void *state)
{
    struct hybrid_state *self = state;
    self->running = &self->fixed;
    self->next_range = 0;
    node_queue_begin(&self->queue);
    return TASKPOOL_MODE_DONE;
}

/* By its static tasks and the queue. */
static double hybrid_progress(const void *state, int64_t n_run)
{
    const struct hybrid_state *self = state;
    double n_shared = (double)node_queue_n_tasks(&self->queue);
    double n_tasks = (double)self->n_fixed + n_shared;
    double n_done = (double)(n_run < self->n_fixed ? n_run : self->n_fixed) +
                    n_shared * node_queue_fraction_taken(&self->queue);
    return n_done < n_tasks ? n_done / n_tasks : 1;
}

static void hybrid_describe(const void *state, char *text, size_t size)
{
    const struct hybrid_state *self = state;
    snprintf(text, size, "%s, range %lld begun; %.0f %% of the queue's tasklets are taken",
             self->running == &self->tasklet ? "tasklets" : "static tasks",
             (long long)self->next_range, 100 * node_queue_fraction_taken(&self->queue));
}

const struct taskpool_mode mode_hybrid = {
    .name = "hybrid",
    .help = "part of the tasks is static, the rest waits in a queue per node",
    .options = (struct taskpool_mode_options *[]){&taskpool_seeding_options, &hybrid_options, NULL},
    .state_size = sizeof(struct hybrid_state),
    .seeded = true,
    .node_words = hybrid_node_words,
    .init = hybrid_init,
    .fini = hybrid_fini,
    .seed = hybrid_seed,
    .next = hybrid_next,
    .restore = hybrid_restore,
    .progress = hybrid_progress,
    .describe = hybrid_describe,
};
