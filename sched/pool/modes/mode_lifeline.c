/* SPDX-License-Identifier: BSD-3-Clause */
/* Mode `lifeline`: lifeline-based work stealing (Saraswat, Kambadur, Kodali, Grove, Krishnamoorthy,
 * PPoPP 2011). A worker without tasks asks a random worker; when this one refuses, the
 * neighbours to which its lifelines lead, one after another. A neighbour without tasks to share
 * notes the thief, and sends it half of its shared tasks as soon as it has some. A worker whose
 * lifelines are all noted sends nothing more: unlike other thieves it waits until work
 * reaches it, and the end is detected as of a diffusing computation (diffusing.h), where the paper
 * has a `finish` around all activities.
 *
 * The lifelines are the edges of a hypercube: for each binary digit of its rank a worker has one to
 * the rank that differs in this digit, unless that does not exist. Each worker can be reached from
 * each other, by way of rank 0. (The paper has w random victims and base l of the ranks: here 1
 * and 2.)
 *
 * Each worker has at most one request under way. A lifeline stays noted while its worker runs tasks
 * that came from elsewhere, as in the paper. */
#include "sched/pool/protocols/diffusing.h"
#include "sched/pool/queues/record_list.h"
#include "sched/pool/queues/task_deque.h"
#include "taskpool/mode.h"

#include <stdio.h>

enum { LIFELINES_MAX = 31 }; /* binary digits of a rank */

/* The first word of every message. */
enum lifeline_kind {
    LIFELINE_REQUEST, /* of a random victim */
    LIFELINE_CALL,    /* a request along a lifeline */
    LIFELINE_REFUSAL, /* answers both; after a call the thief is noted */
    LIFELINE_ANSWER,  /* answers both, with tasks */
    LIFELINE_GIFT,    /* tasks for a noted thief */
    LIFELINE_DIFFUSING,
};

/* The head of a message; only ANSWER and GIFT have more than the first words. */
struct lifeline_message {
    int32_t kind;               /* enum lifeline_kind */
    int32_t along;              /* call, and what answers it: digit of the lifeline; else -1 */
    int64_t n_entries;          /* of the deque, which follow */
    struct taskpool_range part; /* of one more range */
};

/* A thief that is noted here. */
struct lifeline_thief {
    int rank;
    int32_t along; /* digit of its lifeline */
};

struct lifeline_state {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm */
    struct taskpool_comm *comm;
    struct task_deque deque;
    struct diffusing diffusing;
    struct record_list initial;

    /* State as a thief. */
    bool asking;       /* a request of this worker is not answered */
    bool asked_random; /* since it last had tasks */
    uint32_t
        noted_along; /* bit d: the neighbour of digit d has noted this worker, or is asked to */

    /* State as a victim: each worker has at most one lifeline of a digit that leads here. */
    int n_thieves;
    struct lifeline_thief thieves[LIFELINES_MAX];
};

/* --- begin --- */

static int lifeline_init(void *state, const struct taskpool_mode_setup *setup,
                         struct taskpool_comm *comm)
{
    struct lifeline_state *self = state;
    size_t record_size = setup->problem->record_size;
    int64_t chunk = setup->settings->chunk;
    *self =
        (struct lifeline_state){.setup = setup, .comm = comm, .initial.record_size = record_size};
    diffusing_init(&self->diffusing, comm, LIFELINE_DIFFUSING);
    return task_deque_init(&self->deque, record_size, 0, chunk > 0 ? chunk : 1);
}

static void lifeline_fini(void *state)
{
    struct lifeline_state *self = state;
    task_deque_fini(&self->deque);
    record_list_fini(&self->initial);
}

static int lifeline_seed(void *state)
{
    struct lifeline_state *self = state;
    const struct taskpool_seeding *seeding = self->setup->seeding;
    int worker = self->comm->rank;
    for (int64_t i = taskpool_seeding_n_ranges(seeding, worker) - 1; i >= 0; i--)
        TRY(task_deque_push_range(&self->deque, taskpool_seeding_range(seeding, worker, i)));
    return STATUS_OK;
}

static int lifeline_add(void *state, const void *record, bool initial)
{
    struct lifeline_state *self = state;
    if (initial)
        TRY(record_list_add(&self->initial, record));
    return task_deque_push_record(&self->deque, record, initial);
}

static enum taskpool_mode_step lifeline_restore(void *state)
{
    struct lifeline_state *self = state;
    diffusing_begin(&self->diffusing);
    self->asked_random = false;
    self->n_thieves = 0;
    self->noted_along = 0;
    enum status status = self->setup->seeding ? lifeline_seed(self) : STATUS_OK;
    for (int64_t i = 0; i < self->initial.n && status == STATUS_OK; i++)
        status = task_deque_push_record(&self->deque, record_list_at(&self->initial, i), true);
    taskpool_comm_report(self->comm, status);
    return TASKPOOL_MODE_DONE;
}

/* --- the victim --- */

/* Sends half of the tasks to share; whether there were any. */
static bool give_tasks(struct lifeline_state *self, int32_t kind, int to, int32_t along)
{
    struct task_deque_batch batch;
    if (task_deque_give_away(&self->deque, 0, &batch) == 0)
        return false;
    const struct lifeline_message head = {
        .kind = kind, .along = along, .n_entries = batch.n, .part = batch.part};
    taskpool_comm_send_bulk(
        self->comm, to,
        &(struct taskpool_comm_message){.head = &head,
                                        .head_size = sizeof head,
                                        .bulk = batch.n > 0 ? batch.entries : NULL,
                                        .bulk_size = (size_t)batch.n * self->deque.entry_size,
                                        .token = batch.n});
    diffusing_sent_work(&self->diffusing);
    return true;
}

/* Gives tasks to the noted thieves, the first noted first. */
static void serve_lifelines(struct lifeline_state *self)
{
    int n = 0;
    while (n < self->n_thieves &&
           give_tasks(self, LIFELINE_GIFT, self->thieves[n].rank, self->thieves[n].along))
        n++;
    self->n_thieves -= n;
    for (int i = 0; n > 0 && i < self->n_thieves; i++)
        self->thieves[i] = self->thieves[i + n];
}

static void answer_request(struct lifeline_state *self, int thief, int32_t along)
{
    if (give_tasks(self, LIFELINE_ANSWER, thief, along))
        return;
    const struct lifeline_message refusal = {.kind = LIFELINE_REFUSAL};
    if (along >= 0)
        self->thieves[self->n_thieves++] = (struct lifeline_thief){thief, along};
    taskpool_comm_send(self->comm, thief, &refusal, offsetof(struct lifeline_message, n_entries));
}

/* --- the thief --- */

static void send_request(struct lifeline_state *self, int to, int32_t kind, int32_t along)
{
    const struct lifeline_message request = {.kind = kind, .along = along};
    taskpool_comm_send(self->comm, to, &request, offsetof(struct lifeline_message, n_entries));
    self->asking = true;
    self->comm->counts.steals_attempted++;
}

/* Sends the next request; none if all lifelines are noted. */
static void request_tasks(struct lifeline_state *self)
{
    int64_t n_others = self->comm->size - 1;
    if (!self->asked_random) {
        int victim = (int)taskpool_comm_random_below(self->comm, (uint64_t)n_others);
        self->asked_random = true;
        send_request(self, victim < self->comm->rank ? victim : victim + 1, LIFELINE_REQUEST, -1);
        return;
    }
    for (int digit = 0; digit < LIFELINES_MAX && self->comm->size >> digit > 0; digit++) {
        int neighbour = self->comm->rank ^ 1 << digit;
        if (neighbour >= self->comm->size || self->noted_along >> digit & 1)
            continue;
        self->noted_along |= UINT32_C(1) << digit;
        send_request(self, neighbour, LIFELINE_CALL, digit);
        return;
    }
}

static void take_tasks(struct lifeline_state *self, int from,
                       const struct lifeline_message *message)
{
    int64_t n_before = task_deque_n_tasks(&self->deque);
    taskpool_comm_report(self->comm, task_deque_push_batch(&self->deque, message + 1,
                                                           message->n_entries, message->part));
    diffusing_received_work(&self->diffusing, from);
    if (message->along >= 0)
        self->noted_along &= ~(UINT32_C(1) << message->along);
    self->comm->counts.steals_successful++;
    self->comm->counts.tasks_moved += task_deque_n_tasks(&self->deque) - n_before;
}

/* --- the worker --- */

static bool take_own_tasks(struct lifeline_state *self, struct taskpool_mode_work *work)
{
    bool initial;
    bool taken = self->deque.record_size > 0
                     ? task_deque_take_record(&self->deque, work->record, &initial)
                     : task_deque_take_range(&self->deque, work->n_wanted, work->tasks_are_long,
                                             &work->range);
    if (taken) {
        self->asked_random = false;
        serve_lifelines(self);
    }
    return taken;
}

static enum taskpool_mode_step lifeline_next(void *state, struct taskpool_mode_work *work)
{
    struct lifeline_state *self = state;
    if (take_own_tasks(self, work))
        return TASKPOOL_MODE_RUN;
    /* Records are taken one at a time, long or not: most are short. */
    bool tasks_are_long = work->tasks_are_long && self->deque.record_size == 0;
    if (task_deque_acquire(&self->deque, tasks_are_long) && take_own_tasks(self, work))
        return TASKPOOL_MODE_RUN;
    if (self->diffusing.finished || self->comm->size == 1)
        return TASKPOOL_MODE_DONE;
    /* A worker that is not engaged has asked all: it has to wait for what they send. */
    if (!self->asking && self->diffusing.engaged)
        request_tasks(self);
    if (self->asking)
        return TASKPOOL_MODE_SEARCH;
    diffusing_without_work(&self->diffusing);
    return self->diffusing.finished ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_WAIT;
}

static void lifeline_receive(void *state, int from, const void *bytes, size_t size)
{
    struct lifeline_state *self = state;
    const struct lifeline_message *message = bytes;
    (void)size;
    switch ((enum lifeline_kind)message->kind) {
    case LIFELINE_REQUEST:
    case LIFELINE_CALL:
        answer_request(self, from, message->along);
        break;
    case LIFELINE_REFUSAL:
        self->asking = false;
        break;
    case LIFELINE_ANSWER:
        self->asking = false;
        take_tasks(self, from, message);
        break;
    case LIFELINE_GIFT:
        take_tasks(self, from, message);
        break;
    case LIFELINE_DIFFUSING:
        diffusing_receive(&self->diffusing, bytes);
        break;
    }
}

static void lifeline_sent(void *state, int64_t token)
{
    struct lifeline_state *self = state;
    task_deque_completed(&self->deque, token);
}

static double lifeline_progress(const void *state, int64_t n_run)
{
    const struct lifeline_state *self = state;
    int64_t left = task_deque_n_tasks(&self->deque);
    return n_run > 0 ? (double)n_run / (double)(n_run + left) : 0;
}

static void lifeline_describe(const void *state, char *text, size_t size)
{
    const struct lifeline_state *self = state;
    char end[128];
    diffusing_describe(&self->diffusing, end, sizeof end);
    snprintf(text, size,
             "%lld tasks of its own, %lld for thieves, %d thieves noted; %s, noted along lifelines "
             "%#x; %s",
             (long long)self->deque.local_tasks, (long long)self->deque.shared_tasks,
             self->n_thieves, self->asking ? "a request is not answered" : "no request",
             (unsigned)self->noted_along, end);
}

const struct taskpool_mode mode_lifeline = {
    .name = "lifeline",
    .help = "stealing along lifelines: refused thieves wait until a neighbour sends them tasks",
    .options = (struct taskpool_mode_options *[]){&taskpool_seeding_options,
                                                  &taskpool_chunk_options, NULL},
    .state_size = sizeof(struct lifeline_state),
    .seeded = true,
    .init = lifeline_init,
    .fini = lifeline_fini,
    .seed = lifeline_seed,
    .next = lifeline_next,
    .add = lifeline_add,
    .receive = lifeline_receive,
    .sent = lifeline_sent,
    .restore = lifeline_restore,
    .progress = lifeline_progress,
    .describe = lifeline_describe,
};
