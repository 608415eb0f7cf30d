/* Mode `hybrid`: a part of each worker's tasks is its own for good, the rest is
 * shared by the workers of a group in pieces, tasklets (V. Kale, "Low-overhead
 * scheduling for improving performance of scientific applications", thesis,
 * University of Illinois, 2010, sections 3.1 to 3.3).
 *
 * Of the tasks that a worker is seeded with, the fraction --static-fraction is
 * static: it runs them first, in their order. The others are cut into --tasklets
 * tasklets (tasklets.h), which wait in the queue of the group (tasklet_queue.h).
 * The paper's queue lies in memory that the threads share; here the first worker
 * of the group, its leader, keeps it and works like the others. In the first
 * iteration each member sends the leader what is not static; the leader hands
 * out nothing before it has heard of all, because until then it cannot know
 * that nothing is left. A member asks for a tasklet with the last of its static
 * tasks and then whenever it begins one, so that the next is here in time. Who
 * is told that nothing is left asks no more; the leader is done when all are. */
#include "sched/mode.h"
#include "sched/tasklet_queue.h"
#include "sched/tasklets.h"
#include "support/agree.h"

#include <stdlib.h>
#include <string.h>

enum hybrid_kind {
    HYBRID_RANGES,  /* member to leader: its tasks that are not static */
    HYBRID_REQUEST, /* member to leader */
    HYBRID_GRANT,   /* leader to member: a tasklet; of no ranges: there is none left */
};

struct hybrid_message {
    int32_t kind;   /* enum hybrid_kind */
    int32_t member; /* the sender or, with a grant, who ran the tasklet last */
    int64_t n_ranges;
    struct task_range ranges[];
};

/* What the leader keeps besides its own tasks. */
struct hybrid_leader {
    struct tasklets *parts; /* n_members */
    int n_announced;        /* members whose part is here; when all are, there is a queue */
    struct tasklet_queue queue;
    int *waiting; /* n_waiting members that asked before */
    int n_waiting;
    int n_told; /* other members that nothing is left */
};

struct hybrid_state {
    const struct mode_setup *setup;
    struct comm *comm;
    int first_rank; /* groups of a given size: of the leader */
    int n_members;
    int member;                   /* this worker */
    struct hybrid_leader *leader; /* owned; NULL on the other members */

    struct task_ranges fixed;  /* the static part */
    struct task_ranges shared; /* the rest, until the leader has it */
    int64_t n_tasks, n_fixed;  /* that this worker was seeded with */

    const struct task_ranges *running; /* the static part or the tasklet */
    int64_t next_range;                /* of running */
    struct task_range range;           /* of running, what is not begun */
    struct task_ranges tasklet;        /* the one that runs */
    struct task_ranges ahead;          /* the one after it; none if empty */
    bool announced;                    /* once for all iterations */
    bool asking;
    bool over; /* there is no tasklet left for this worker */
};

/* --- the group --- */

/* The group of a given size, or the workers of the node. */
static void find_group(struct hybrid_state *self)
{
    const struct comm *comm = self->comm;
    int64_t size = self->setup->settings->group;
    if (size > 0) {
        self->first_rank = (int)(comm->rank / size * size);
        self->member = comm->rank - self->first_rank;
        int64_t n_ranks = comm->size - self->first_rank;
        self->n_members = (int)(size < n_ranks ? size : n_ranks);
        return;
    }
    self->n_members = comm->n_node_ranks;
    while (comm->node_ranks[self->member] != comm->rank)
        self->member++;
}

static int rank_of(const struct hybrid_state *self, int member)
{
    return self->setup->settings->group > 0 ? self->first_rank + member
                                            : self->comm->node_ranks[member];
}

static void hybrid_fini(void *state)
{
    struct hybrid_state *self = state;
    struct hybrid_leader *leader = self->leader;
    task_ranges_fini(&self->fixed);
    task_ranges_fini(&self->shared);
    task_ranges_fini(&self->tasklet);
    task_ranges_fini(&self->ahead);
    if (!leader)
        return;
    for (int m = 0; leader->parts && m < self->n_members; m++)
        tasklets_fini(&leader->parts[m]);
    tasklet_queue_fini(&leader->queue);
    free(leader->parts);
    free(leader->waiting);
    free(leader);
}

static enum status hybrid_init(void *state, const struct mode_setup *setup, struct comm *comm)
{
    struct hybrid_state *self = state;
    self->setup = setup;
    self->comm = comm;
    self->running = &self->fixed;
    find_group(self);
    if (self->member != 0)
        return STATUS_OK;
    size_t n = (size_t)self->n_members;
    self->leader = calloc(1, sizeof *self->leader);
    if (self->leader) {
        self->leader->parts = calloc(n, sizeof *self->leader->parts);
        self->leader->waiting = malloc(n * sizeof *self->leader->waiting);
    }
    if (self->leader && self->leader->parts && self->leader->waiting)
        return STATUS_OK;
    hybrid_fini(self);
    return FAIL(STATUS_NO_MEMORY, "no memory for a group of %zu workers", n);
}

/* --- what a worker starts with --- */

static enum status hybrid_seed(void *state)
{
    struct hybrid_state *self = state;
    const struct seeding *seeding = self->setup->seeding;
    int worker = self->comm->rank;
    int64_t n_ranges = seeding_n_ranges(seeding, worker);
    for (int64_t i = 0; i < n_ranges; i++) {
        struct task_range range = seeding_range(seeding, worker, i);
        self->n_tasks += task_range_count(&range);
    }
    int64_t left = (int64_t)(self->setup->settings->static_fraction * (double)self->n_tasks);
    self->n_fixed = left = left < self->n_tasks ? left : self->n_tasks;
    for (int64_t i = 0; i < n_ranges; i++) {
        struct task_range range = seeding_range(seeding, worker, i);
        int64_t n = task_range_count(&range);
        n = n < left ? n : left;
        left -= n;
        TRY(task_ranges_add_range(&self->fixed, tasklets_cut_front(&range, n)));
        TRY(task_ranges_add_range(&self->shared, range));
    }
    return STATUS_OK;
}

/* --- the leader --- */

/* Takes a tasklet for a member. Its ranges, none if nothing is left, are put
 * into the list. Who ran it last. */
static int take_tasklet(struct hybrid_leader *leader, int member, struct task_ranges *ranges)
{
    int last = member;
    const struct tasklet *tasklet = tasklet_queue_take(&leader->queue, member, &last);
    if (tasklet &&
        tasklets_add_to(&leader->parts[tasklet->owner], tasklet->index, ranges) != STATUS_OK)
        die("no memory for a tasklet's ranges");
    return last;
}

static void answer(struct hybrid_state *self, int member)
{
    struct task_ranges ranges = {0};
    int last = take_tasklet(self->leader, member, &ranges);
    self->leader->n_told += ranges.n == 0;
    size_t bulk_size = (size_t)ranges.n * sizeof *ranges.list;
    struct hybrid_message *grant = malloc(sizeof *grant + bulk_size);
    if (!grant)
        die("no memory for a tasklet's ranges");
    *grant = (struct hybrid_message){.kind = HYBRID_GRANT, .member = last, .n_ranges = ranges.n};
    if (ranges.n > 0)
        memcpy(grant->ranges, ranges.list, bulk_size);
    comm_send(self->comm, rank_of(self, member), grant, sizeof *grant + bulk_size);
    free(grant);
    task_ranges_fini(&ranges);
}

static bool has_heard_of_all(const struct hybrid_state *self)
{
    return self->leader->n_announced == self->n_members;
}

static void take_part(struct hybrid_state *self, int member, const struct task_range *ranges,
                      int64_t n_ranges)
{
    const struct taskpool_settings *settings = self->setup->settings;
    struct hybrid_leader *leader = self->leader;
    enum status status =
        tasklets_init(&leader->parts[member], ranges, n_ranges, settings->tasklets, settings->skew);
    leader->n_announced++;
    if (status == STATUS_OK && has_heard_of_all(self))
        status = tasklet_queue_init(&leader->queue, leader->parts, self->n_members, settings->skew,
                                    !settings->no_locality);
    if (status != STATUS_OK)
        die("no memory for the group's tasklets");
    if (!has_heard_of_all(self))
        return;
    for (int i = 0; i < leader->n_waiting; i++)
        answer(self, leader->waiting[i]);
    leader->n_waiting = 0;
}

static void take_request(struct hybrid_state *self, int member)
{
    struct hybrid_leader *leader = self->leader;
    if (has_heard_of_all(self))
        answer(self, member);
    else
        leader->waiting[leader->n_waiting++] = member;
}

/* --- every member --- */

static void announce(struct hybrid_state *self)
{
    self->announced = true;
    if (self->leader) {
        take_part(self, 0, self->shared.list, self->shared.n);
        task_ranges_fini(&self->shared);
        return;
    }
    struct hybrid_message head = {
        .kind = HYBRID_RANGES, .member = self->member, .n_ranges = self->shared.n};
    comm_send_bulk(
        self->comm, rank_of(self, 0),
        &(struct comm_message){.head = &head,
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

/* The tasklet ahead is there; none means that there is none left. */
static void note_tasklet(struct hybrid_state *self, int last)
{
    self->over = self->ahead.n == 0;
    for (int64_t i = 0; last != self->member && i < self->ahead.n; i++)
        self->comm->counts.tasks_moved += task_range_count(&self->ahead.list[i]);
}

/* The leader takes what it needs when it needs it. */
static void get_tasklet(struct hybrid_state *self)
{
    if (self->over || self->asking || self->ahead.n > 0)
        return;
    if (!self->leader) {
        struct hybrid_message request = {.kind = HYBRID_REQUEST, .member = self->member};
        comm_send(self->comm, rank_of(self, 0), &request, sizeof request);
        self->asking = true;
    } else if (has_heard_of_all(self)) {
        note_tasklet(self, take_tasklet(self->leader, 0, &self->ahead));
    }
}

static void take_grant(struct hybrid_state *self, const struct hybrid_message *grant)
{
    self->asking = false;
    for (int64_t i = 0; i < grant->n_ranges; i++)
        if (task_ranges_add_range(&self->ahead, grant->ranges[i]) != STATUS_OK)
            die("no memory for a tasklet's ranges");
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
        take_part(self, message->member, message->ranges, message->n_ranges);
        break;
    case HYBRID_REQUEST:
        take_request(self, message->member);
        break;
    case HYBRID_GRANT:
        take_grant(self, message);
        break;
    }
}

/* --- the worker --- */

/* Whether there are tasks to run: of the static part or the tasklet, or else of
 * the next tasklet, which is begun. */
static bool find_tasks(struct hybrid_state *self)
{
    if (task_range_count(&self->range) > 0)
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
           (self->next_range == self->fixed.n && task_range_count(&self->range) == 0);
}

static enum mode_step hybrid_next(void *state, struct mode_work *work)
{
    struct hybrid_state *self = state;
    if (!self->announced)
        announce(self);
    bool has_tasks = find_tasks(self);
    if (has_tasks) {
        int64_t n = task_range_count(&self->range);
        work->range = tasklets_cut_front(&self->range, n < work->n_wanted ? n : work->n_wanted);
    }
    if (!self->leader && is_sharing(self))
        get_tasklet(self);
    if (has_tasks)
        return MODE_RUN;
    if (!self->over)
        return MODE_SEARCH;
    bool all_told = !self->leader || self->leader->n_told == self->n_members - 1;
    return all_told ? MODE_DONE : MODE_WAIT;
}

static enum mode_step hybrid_restore(void *state)
{
    struct hybrid_state *self = state;
    self->running = &self->fixed;
    self->next_range = 0;
    self->asking = self->over = false;
    if (self->leader) {
        self->leader->n_told = 0;
        tasklet_queue_begin(&self->leader->queue);
    }
    return MODE_DONE;
}

/* The leader knows its static part and the queue, the others how many they
 * were seeded with. */
static double hybrid_progress(const void *state, int64_t n_run)
{
    const struct hybrid_state *self = state;
    int64_t n_done = n_run, n_tasks = self->n_tasks;
    if (self->leader && has_heard_of_all(self)) {
        n_done = n_run < self->n_fixed ? n_run : self->n_fixed;
        n_done += self->leader->queue.n_tasks_taken;
        n_tasks = self->n_fixed + self->leader->queue.n_tasks;
    }
    return n_done < n_tasks && !(self->over && !self->leader) ? (double)n_done / (double)n_tasks
                                                              : 1;
}

const struct mode mode_hybrid = {
    .name = "hybrid",
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
};
