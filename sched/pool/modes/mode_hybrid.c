/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `hybrid`: a fraction of each worker's tasks is static, the rest is
 * shared by the workers of a group in pieces, tasklets (V. Kale, "Load balancing
 * regular meshes on SMPs with MPI", thesis, University of Illinois, 2010,
 * sections 3.1 to 3.3).
 *
 * A worker keeps the fraction --static-fraction of the tasks that it is seeded with as
 * static tasks: it runs them first, in their order. The others are cut into --tasklets
 * tasklets, which wait in the queue of the group (tasklet_queue.h). The thesis counts
 * the tasklets of a node, --tasklets those of a worker, so that a number suits groups of any size:
 * the thesis's 32 on a node of 16 workers are --tasklets 2.
 * The paper's queue is in memory shared by threads; here the first worker
 * of the group, its leader (hybrid_leader.h), keeps it and works like the others. In the
 * first iteration each member sends the leader its tasks that are not static; the leader hands out
 * nothing before it has those of all members, because until then it cannot know that none is left.
 * A member requests a tasklet with the last of its static tasks and then whenever it begins one, so
 * that the next is here in time. A member that is granted none requests no more; the leader is done
 * when that holds for all.
 */
#include "sched/pool/protocols/hybrid_leader.h"
#include "support/base/die.h"

#include <stdio.h>

#define FIELD(name) offsetof(struct hybrid_settings, name)

static const struct taskpool_option hybrid_rows[] = {
    TASKPOOL_REAL_OPTION("static-fraction", FIELD(static_fraction), 0, 1, .default_text = "0.5",
                         .value = "X", .help = "fraction of its tasks that a worker keeps"),
    TASKPOOL_INTEGER_OPTION(
        "tasklets", FIELD(tasklets), 1, 1e9, .default_text = "64", .value = "N",
        .help = "parts into which the rest of a worker's tasks is cut (of a worker, "
                "not of a node as in Kale's thesis)"),
    TASKPOOL_INTEGER_OPTION("group", FIELD(group), 0, 1e9, .default_text = "0", .value = "N",
                            .help = "workers that share a queue; 0: those of a node"),
    TASKPOOL_FLAG_OPTION("skew", FIELD(skew),
                         .help = "larger tasklets first, smaller ones at the end"),
    TASKPOOL_FLAG_OPTION("no-locality", FIELD(no_locality),
                         .help = "do not prefer the tasklets that ran here last"),
};

#undef FIELD

static struct taskpool_mode_options hybrid_options =
    TASKPOOL_MODE_OPTIONS(hybrid_rows, sizeof(struct hybrid_settings));

struct hybrid_state {
    struct hybrid_group group;
    struct hybrid_leader *leader; /* owned; NULL on the other members */

    struct task_ranges fixed;  /* the static tasks */
    struct task_ranges shared; /* the others, until the leader has them */
    int64_t n_tasks, n_fixed;  /* seeded, and static ones of these */

    const struct task_ranges *running; /* the static tasks or the tasklet */
    int64_t next_range;                /* of running */
    struct taskpool_range range;       /* the rest of the range of running that was begun */
    struct task_ranges tasklet;        /* the one that runs */
    struct task_ranges ahead;          /* the one after it; none if empty */
    bool announced;                    /* shared was sent: once for all iterations */
    bool asking;
    bool exhausted; /* no tasklet is left for this worker */
};

/* --- the group --- */

/* The group of a given size, or the workers of the node. */
static void find_group(struct hybrid_group *group)
{
    const struct taskpool_comm *comm = group->comm;
    int64_t size = group->settings->group;
    if (size > 0) {
        group->first_rank = (int)(comm->rank / size * size);
        group->member = comm->rank - group->first_rank;
        int64_t n_ranks = comm->size - group->first_rank;
        group->n_members = (int)(size < n_ranks ? size : n_ranks);
        return;
    }
    group->n_members = comm->n_node_ranks;
    while (comm->node_ranks[group->member] != comm->rank)
        group->member++;
}

int hybrid_rank_of(const struct hybrid_group *group, int member)
{
    return group->settings->group > 0 ? group->first_rank + member
                                      : group->comm->node_ranks[member];
}

static void hybrid_fini(void *state)
{
    struct hybrid_state *self = state;
    task_ranges_fini(&self->fixed);
    task_ranges_fini(&self->shared);
    task_ranges_fini(&self->tasklet);
    task_ranges_fini(&self->ahead);
    hybrid_leader_destroy(self->leader);
}

static int hybrid_init(void *state, const struct taskpool_mode_setup *setup,
                       struct taskpool_comm *comm)
{
    struct hybrid_state *self = state;
    self->group.setup = setup;
    self->group.settings = taskpool_settings_of(setup->settings, &hybrid_options);
    self->group.comm = comm;
    self->running = &self->fixed;
    find_group(&self->group);
    return self->group.member == 0 ? hybrid_leader_create(&self->group, &self->leader) : STATUS_OK;
}

/* --- the first iteration --- */

static int hybrid_seed(void *state)
{
    struct hybrid_state *self = state;
    const struct taskpool_seeding *seeding = self->group.setup->seeding;
    int worker = self->group.comm->rank;
    int64_t n_ranges = taskpool_seeding_n_ranges(seeding, worker);
    for (int64_t i = 0; i < n_ranges; i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        self->n_tasks += taskpool_range_count(&range);
    }
    int64_t left = (int64_t)(self->group.settings->static_fraction * (double)self->n_tasks);
    self->n_fixed = left = left < self->n_tasks ? left : self->n_tasks;
    for (int64_t i = 0; i < n_ranges; i++) {
        struct taskpool_range range = taskpool_seeding_range(seeding, worker, i);
        int64_t n = taskpool_range_count(&range);
        n = n < left ? n : left;
        left -= n;
        TRY(task_ranges_add_range(&self->fixed, task_range_cut_front(&range, n)));
        TRY(task_ranges_add_range(&self->shared, range));
    }
    return STATUS_OK;
}

/* --- the shared tasks --- */

static void announce_shared(struct hybrid_state *self)
{
    self->announced = true;
    if (self->leader) {
        hybrid_leader_take_part(self->leader, 0, self->shared.list, self->shared.n);
        task_ranges_fini(&self->shared);
        return;
    }
    struct hybrid_message head = {
        .kind = HYBRID_RANGES, .member = self->group.member, .n_ranges = self->shared.n};
    taskpool_comm_send_bulk(self->group.comm, hybrid_rank_of(&self->group, 0),
                            &(struct taskpool_comm_message){
                                .head = &head,
                                .head_size = sizeof head,
                                .bulk = self->shared.n > 0 ? self->shared.list : NULL,
                                .bulk_size = (size_t)self->shared.n * sizeof *self->shared.list});
}

static void hybrid_sent(void *state, int64_t token)
{
    struct hybrid_state *self = state;
    (void)token;
    task_ranges_fini(&self->shared);
}

/* The answer to a request is in self->ahead: no ranges mean that no tasklet is left.
 * last  the member that ran the tasklet before */
static void note_tasklet(struct hybrid_state *self, int last)
{
    self->exhausted = self->ahead.n == 0;
    for (int64_t i = 0; last != self->group.member && i < self->ahead.n; i++)
        self->group.comm->counts.tasks_moved += taskpool_range_count(&self->ahead.list[i]);
}

/* Gets the next tasklet: a member sends a request, the leader takes it from the queue. */
static void get_tasklet(struct hybrid_state *self)
{
    if (self->exhausted || self->asking || self->ahead.n > 0)
        return;
    if (!self->leader) {
        struct hybrid_message request = {.kind = HYBRID_REQUEST, .member = self->group.member};
        taskpool_comm_send(self->group.comm, hybrid_rank_of(&self->group, 0), &request,
                           sizeof request);
        self->asking = true;
    } else if (hybrid_leader_is_ready(self->leader)) {
        note_tasklet(self, hybrid_leader_take_tasklet(self->leader, 0, &self->ahead));
    }
}

static void take_tasklet_grant(struct hybrid_state *self, const struct hybrid_message *grant)
{
    self->asking = false;
    for (int64_t i = 0; i < grant->n_ranges; i++)
        if (task_ranges_add_range(&self->ahead, grant->ranges[i]) != STATUS_OK)
            die_no_memory("no memory for a tasklet's ranges");
    note_tasklet(self, grant->member);
}

static void hybrid_receive(void *state, int from, const void *bytes, size_t size)
{
    struct hybrid_state *self = state;
    const struct hybrid_message *message = bytes;
    (void)from;
    (void)size;
    switch ((enum hybrid_kind)message->kind) {
    case HYBRID_RANGES:
        hybrid_leader_take_part(self->leader, message->member, message->ranges, message->n_ranges);
        break;
    case HYBRID_REQUEST:
        hybrid_leader_take_request(self->leader, message->member);
        break;
    case HYBRID_GRANT:
        take_tasklet_grant(self, message);
        break;
    }
}

/* --- the worker --- */

/* Whether there are tasks to run: of the running list or else of
 * the next tasklet, which is begun. */
static bool find_tasks(struct hybrid_state *self)
{
    if (taskpool_range_count(&self->range) > 0)
        return true;
    if (self->next_range == self->running->n) {
        if (self->leader)
            get_tasklet(self);
        if (self->ahead.n == 0)
            return false;
        struct task_ranges ended = self->tasklet;
        self->tasklet = self->ahead;
        self->ahead = ended;
        self->ahead.n = 0;
        self->running = &self->tasklet;
        self->next_range = 0;
    }
    self->range = self->running->list[self->next_range++];
    return true;
}

/* Whether the static tasks are all begun. */
static bool is_sharing(const struct hybrid_state *self)
{
    return self->running == &self->tasklet ||
           (self->next_range == self->fixed.n && taskpool_range_count(&self->range) == 0);
}

static enum taskpool_mode_step hybrid_next(void *state, struct taskpool_mode_work *work)
{
    struct hybrid_state *self = state;
    if (!self->announced)
        announce_shared(self);
    bool has_tasks = find_tasks(self);
    if (has_tasks) {
        int64_t n = taskpool_range_count(&self->range);
        work->range = task_range_cut_front(&self->range, n < work->n_wanted ? n : work->n_wanted);
    }
    if (!self->leader && is_sharing(self))
        get_tasklet(self);
    if (has_tasks)
        return TASKPOOL_MODE_RUN;
    if (!self->exhausted)
        return TASKPOOL_MODE_SEARCH;
    bool all_notified = !self->leader || hybrid_leader_has_notified_all(self->leader);
    return all_notified ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_WAIT;
}

static enum taskpool_mode_step hybrid_restore(void *state)
{
    struct hybrid_state *self = state;
    self->running = &self->fixed;
    self->next_range = 0;
    self->asking = self->exhausted = false;
    if (self->leader)
        hybrid_leader_begin(self->leader);
    return TASKPOOL_MODE_DONE;
}

/* The leader counts its static tasks and the queue, the others the tasks that they
 * were seeded with. */
static double hybrid_progress(const void *state, int64_t n_run)
{
    const struct hybrid_state *self = state;
    int64_t n_done = n_run, n_tasks = self->n_tasks;
    if (self->leader && hybrid_leader_is_ready(self->leader)) {
        n_done = n_run < self->n_fixed ? n_run : self->n_fixed;
        n_done += hybrid_leader_n_taken(self->leader);
        n_tasks = self->n_fixed + hybrid_leader_n_tasks(self->leader);
    }
    return n_done < n_tasks && !(self->exhausted && !self->leader)
               ? (double)n_done / (double)n_tasks
               : 1;
}

static void hybrid_describe(const void *state, char *text, size_t size)
{
    const struct hybrid_state *self = state;
    char leader[128] = "";
    if (self->leader)
        hybrid_leader_describe(self->leader, leader, sizeof leader);
    snprintf(text, size, "%s, range %lld begun%s%s%s",
             self->running == &self->fixed ? "static tasks" : "tasklets",
             (long long)self->next_range, self->asking ? "; the leader has not answered" : "",
             self->exhausted ? "; no tasklet is left for it" : "", leader);
}

const struct taskpool_mode mode_hybrid = {
    .name = "hybrid",
    .help = "part of the tasks is static, the rest waits in a queue per node",
    .options = (struct taskpool_mode_options *[]){&taskpool_seeding_options, &hybrid_options, NULL},
    .state_size = sizeof(struct hybrid_state),
    .seeded = true,
    .init = hybrid_init,
    .fini = hybrid_fini,
    .seed = hybrid_seed,
    .next = hybrid_next,
    .receive = hybrid_receive,
    .sent = hybrid_sent,
    .restore = hybrid_restore,
    .progress = hybrid_progress,
    .describe = hybrid_describe,
};
