/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing.h"

#include "support/io/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* In a static pool, where the tasks left only decrease, a thief pauses after --retry refusals in a
 * row for PAUSE_ATTEMPTS times the duration of an attempt, but for no more than 1 / PAUSE_PART of
 * the time of its search, which bounds the delay. In a dynamic pool, where tasks appear anywhere at
 * any time, it does not pause. */
enum { PAUSE_ATTEMPTS = 8, PAUSE_PART = 8 };

/* After so many refusals an attempt takes MIN_ATTEMPT_S at least, in any pool: otherwise time
 * would stand still where simulated messages take none. */
enum { BRISK_ATTEMPTS = 32 };
#define MIN_ATTEMPT_S 1e-6

#define FIELD(name) offsetof(struct stealing_settings, name)

static const struct taskpool_option stealing_rows[] = {
    TASKPOOL_TEXT_OPTION("steal", FIELD(steal), .default_text = "half", .value = "half|N",
                         .help = "half of the shared tasks, or N of them, per steal"),
    TASKPOOL_CHOICE_OPTION("victim", FIELD(victim), "random,node", .default_text = "random",
                           .value = "RULE",
                           .help = "choice of the victim; node: on the thief's node first"),
    TASKPOOL_CHOICE_OPTION("termination", FIELD(termination), "by-mode,tree,wide,ring",
                           .default_text = "by-mode", .value = "RULE",
                           .help = "algorithm that detects the end of an iteration; by-mode: tree"),
    TASKPOOL_INTEGER_OPTION("deque", FIELD(deque), 0, 1e12, .default_text = "0", .value = "N",
                            .help =
                                "upper bound on the entries of a deque (tasks added by tasks, or "
                                "ranges of tasks); 0: none"),
    TASKPOOL_CHOICE_OPTION(
        "release", FIELD(release), "all,half", .default_text = "all", .preset_text = "half",
        .value = "HOW",
        .help = "when thieves find nothing left to steal from a worker, it shares all of its "
                "waiting long tasks, or half as published"),
    TASKPOOL_INTEGER_OPTION(
        "retry", FIELD(retry), 0, 1e15, .default_text = "32", .preset_text = "0", .value = "N",
        .help = "refusals in a row before a thief pauses; 0: it never pauses, as "
                "published"),
    TASKPOOL_FLAG_OPTION("as-published", FIELD(as_published), .is_preset = true,
                         .help =
                             "the algorithms as their paper has them (Lifflander et al., 2012): "
                             "--release half --retry 0, retentive: --retain order, persist: "
                             "--pass-up=false --never-worse=false --refine=false; options given "
                             "explicitly take precedence"),
};

#undef FIELD

static int check_steal(const struct taskpool_settings *settings);

struct taskpool_mode_options taskpool_stealing_options = {.rows = stealing_rows,
                                                          .n_rows = sizeof stealing_rows /
                                                                    sizeof stealing_rows[0],
                                                          .size = sizeof(struct stealing_settings),
                                                          .check = check_steal};

struct steal_request {
    int32_t kind;
    int32_t unused;
    double speed;  /* only if it is not 1, or moves are minded: of the thief */
    double load_s; /* the same: what the thief ran in this iteration */
};

/* The head of a message. */
struct steal_message {
    int32_t kind; /* enum stealing_kind */
    int32_t unused;
    int64_t n_entries;          /* transfer: of the deque, which follow */
    struct taskpool_range part; /* transfer: of one more range */
};

static int64_t min_share(const struct taskpool_settings *settings)
{
    return settings->chunk > 0 ? settings->chunk : 1;
}

/* "half" (0) or a number of tasks. */
static enum status parse_steal(const char *text, int64_t *n_tasks)
{
    *n_tasks = 0;
    if (!text || strcmp(text, "half") == 0)
        return STATUS_OK;
    if (!word_to_whole(word_from_text(text), n_tasks) || *n_tasks < 1)
        return FAIL(STATUS_USAGE, "--steal %s: give 'half' or a number of tasks, at least 1", text);
    return STATUS_OK;
}

static int check_steal(const struct taskpool_settings *settings)
{
    const struct stealing_settings *own =
        taskpool_settings_of(settings, &taskpool_stealing_options);
    int64_t n_tasks;
    return parse_steal(own->steal, &n_tasks);
}

enum status stealing_init(struct stealing *self, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm, struct ran_tasks *ran)
{
    size_t record_size = setup->problem->record_size;
    const struct stealing_settings *settings =
        taskpool_settings_of(setup->settings, &taskpool_stealing_options);
    *self = (struct stealing){.setup = setup,
                              .settings = settings,
                              .comm = comm,
                              .enabled = true,
                              .ran = ran,
                              .speed = 1};
    stealing_prefer_termination(self, TERMINATION_TREE);
    TRY(parse_steal(settings->steal, &self->steal_tasks));
    return task_deque_init(&self->deque, record_size, settings->deque, min_share(setup->settings));
}

void stealing_prefer_termination(struct stealing *self, enum termination_rule rule)
{
    struct taskpool_comm *comm = self->comm;
    if (self->settings->termination != TERMINATION_BY_MODE)
        rule = self->settings->termination;
    termination_init(&self->termination, comm, rule, STEALING_TERMINATION, comm->rank, comm->size,
                     NULL, NULL);
}

void taskpool_stealing_fini(void *state)
{
    struct stealing *self = state;
    task_deque_fini(&self->deque);
}

void stealing_begin(struct stealing *self, bool enabled)
{
    assert(task_deque_n_tasks(&self->deque) == 0);
    self->enabled = enabled;
    self->searching = self->runs_last = false;
    atomic_store_explicit(&self->between, true, memory_order_relaxed);
    self->n_refusals = 0;
    if (self->minds_moves)
        move_account_begin(&self->account, self->setup->problem->move_cost,
                           taskpool_comm_now(self->comm));
    termination_begin(&self->termination);
}

void stealing_mind_moves(struct stealing *self)
{
    const struct taskpool_problem *problem = self->setup->problem;
    self->minds_moves = problem->move_cost > 0 && problem->record_size == 0;
}

void stealing_finished(struct stealing *self, double time_s)
{
    atomic_store_explicit(&self->between, true, memory_order_relaxed);
    if (self->minds_moves)
        move_account_add(&self->account, time_s, taskpool_comm_now(self->comm));
}

/* Pushes a range; under --release half task by task, as the paper's addTask does. */
static enum status push_range(struct stealing *self, struct taskpool_range range)
{
    TRY(task_deque_push_range(&self->deque, range));
    if (self->settings->release == RELEASE_HALF)
        task_deque_share_one(&self->deque);
    return STATUS_OK;
}

int taskpool_stealing_seed(void *state)
{
    struct stealing *self = state;
    const struct taskpool_seeding *seeding = self->setup->seeding;
    int worker = self->comm->rank;
    for (int64_t i = taskpool_seeding_n_ranges(seeding, worker) - 1; i >= 0; i--)
        TRY(push_range(self, taskpool_seeding_range(seeding, worker, i)));
    return STATUS_OK;
}

enum status stealing_push(struct stealing *self, const struct task_ranges *ranges)
{
    for (int64_t i = ranges->n - 1; i >= 0; i--)
        TRY(push_range(self, ranges->list[i]));
    return STATUS_OK;
}

/* --- the worker --- */

static void note(struct stealing *self, const struct taskpool_mode_work *work, bool initial)
{
    /* The clock is read for long tasks only. */
    bool timed = work->tasks_are_long || self->ran->runs_long;
    if (self->deque.record_size == 0)
        taskpool_comm_report(self->comm,
                             ran_tasks_take(self->ran, &work->range, work->tasks_are_long,
                                            timed ? taskpool_comm_now(self->comm) : 0));
    else if (initial)
        taskpool_comm_report(self->comm, record_list_add(&self->ran->records, work->record));
}

static bool releases_all(const struct stealing *self, const struct taskpool_mode_work *work)
{
    return work->tasks_are_long && self->settings->release == RELEASE_ALL;
}

bool taskpool_stealing_next_local(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    bool initial = false;
    bool taken = self->deque.record_size > 0
                     ? task_deque_take_record(&self->deque, work->record, &initial)
                     : task_deque_take_range(&self->deque, work->n_wanted, releases_all(self, work),
                                             &work->range);
    if (!taken)
        return false;
    /* Read by receive, which may run at the same time: written only on a change. */
    if (self->searching)
        self->searching = false;
    atomic_store_explicit(&self->between, false, memory_order_relaxed);
    if (self->ran)
        note(self, work, initial);
    return true;
}

int taskpool_stealing_add(void *state, const void *record, bool initial)
{
    struct stealing *self = state;
    return task_deque_push_record(&self->deque, record, initial);
}

enum status stealing_push_records(struct stealing *self, const struct record_list *records)
{
    for (int64_t i = records->n - 1; i >= 0; i--)
        TRY(taskpool_stealing_add(self, record_list_at(records, i), true));
    return STATUS_OK;
}

/* --- the thief --- */

/* A random worker other than this one. With --victim node: as many attempts as the node has
 * other workers go to these, the next as many to all workers, and so on. */
static int choose_victim(struct stealing *self)
{
    struct taskpool_comm *comm = self->comm;
    int64_t n_near = self->settings->victim == VICTIM_NODE ? comm->n_node_ranks - 1 : 0;
    if (n_near > 0 && self->n_refusals / n_near % 2 == 0) {
        int64_t i = (int64_t)taskpool_comm_random_below(comm, (uint64_t)n_near);
        return comm->node_ranks[i] == comm->rank ? comm->node_ranks[n_near] : comm->node_ranks[i];
    }
    int victim = (int)taskpool_comm_random_below(comm, (uint64_t)comm->size - 1);
    return victim < comm->rank ? victim : victim + 1;
}

/* Whether refusals are too few yet for a pause or for the least time of an attempt. */
static bool asks_at_once(const struct stealing *self)
{
    int64_t retry = self->settings->retry;
    return self->n_refusals < (retry > 0 && retry < BRISK_ATTEMPTS ? retry : BRISK_ATTEMPTS);
}

/* After a refusal: sets the time of the next request. */
static void set_pause(struct stealing *self)
{
    double now_s = taskpool_comm_now(self->comm);
    int64_t retry = self->settings->retry;
    self->n_refusals++;
    if (asks_at_once(self))
        return;
    bool may_pause = self->deque.record_size == 0 && retry > 0 && self->n_refusals >= retry;
    double attempt_s = now_s - self->asked_s;
    double limit_s = may_pause ? (now_s - self->searched_from_s) / PAUSE_PART : 0;
    double pause_s = fmin(PAUSE_ATTEMPTS * attempt_s, limit_s);
    self->ask_after_s = now_s + fmax(pause_s, MIN_ATTEMPT_S - attempt_s);
}

static bool pauses(struct stealing *self)
{
    if (asks_at_once(self))
        return false;
    double left_s = self->ask_after_s - taskpool_comm_now(self->comm);
    if (left_s > 0)
        taskpool_comm_wake(self->comm, left_s);
    return left_s > 0;
}

static void ask_victim(struct stealing *self)
{
    self->asked_s = taskpool_comm_now(self->comm);
    const struct steal_request request = {
        .kind = STEALING_REQUEST, .speed = self->speed, .load_s = self->account.load_s};
    bool is_usual = self->speed == 1 && self->account.move_cost == 0;
    size_t size = is_usual ? sizeof request.kind : sizeof request;
    taskpool_comm_send(self->comm, choose_victim(self), &request, size);
    termination_sent_request(&self->termination);
    self->comm->counts.steals_attempted++;
}

/* Where the end is to cost nothing, it is looked for while the last tasks of a static pool run. */
static bool ends_early(const struct stealing *self)
{
    return self->termination.rule == TERMINATION_WIDE && self->deque.record_size == 0;
}

/* While tasks run, taskpool_stealing_next_local may change the deque at the same time. */
static bool has_nothing_to_give(const struct stealing *self)
{
    return self->searching ? task_deque_n_tasks(&self->deque) == 0 : self->runs_last;
}

static bool take_from_deque(struct stealing *self, struct taskpool_mode_work *work)
{
    if (taskpool_stealing_next_local(self, work))
        return true;
    /* Records are taken one at a time, long or not: most are short. */
    bool one_by_one = releases_all(self, work) && self->deque.record_size == 0;
    return task_deque_acquire(&self->deque, one_by_one) && taskpool_stealing_next_local(self, work);
}

enum taskpool_mode_step taskpool_stealing_next(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    bool alone = !self->enabled || self->comm->size == 1;
    if (take_from_deque(self, work)) {
        self->runs_last = !alone && ends_early(self) && task_deque_n_tasks(&self->deque) == 0;
        if (self->runs_last)
            termination_without_work(&self->termination);
        return TASKPOOL_MODE_RUN;
    }
    if (self->ran && self->ran->runs_long)
        taskpool_comm_report(self->comm, ran_tasks_end(self->ran, taskpool_comm_now(self->comm)));
    if (alone || self->termination.finished)
        return TASKPOOL_MODE_DONE;
    if (!self->searching)
        self->searched_from_s = taskpool_comm_now(self->comm);
    self->searching = true;
    if (!self->termination.closed && !self->termination.asking && !pauses(self))
        ask_victim(self);
    termination_without_work(&self->termination);
    return self->termination.finished ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_SEARCH;
}

static void take_stolen(struct stealing *self, const struct steal_message *transfer)
{
    struct task_deque *deque = &self->deque;
    int64_t n_before = task_deque_n_tasks(deque);
    taskpool_comm_report(self->comm, task_deque_push_batch(deque, transfer + 1, transfer->n_entries,
                                                           transfer->part));
    if (termination_is_certain(&self->termination))
        taskpool_comm_fail(self->comm, "work arrived after termination was detected");
    self->runs_last = false;
    termination_received_transfer(&self->termination);
    self->n_refusals = 0;
    self->comm->counts.steals_successful++;
    self->comm->counts.tasks_moved += task_deque_n_tasks(deque) - n_before;
}

/* --- the victim --- */

/* The number of n waiting tasks with which the later of two workers ends earliest, if the thief gets
 * them and this one keeps the others; of two such numbers the smaller. A task that runs here is half
 * done, on average. */
static int64_t even_share(const struct stealing *self, double thief_speed, int64_t n)
{
    double left = atomic_load_explicit(&self->between, memory_order_relaxed) ? 0 : 0.5;
    int64_t less = (int64_t)((double)n * thief_speed / (thief_speed + self->speed));
    double with_less = ((double)(n - less) + left) / self->speed;
    double with_more =
        fmax((double)(less + 1) / thief_speed, ((double)(n - less - 1) + left) / self->speed);
    return less < n && with_more < with_less ? less + 1 : less;
}

/* The number of waiting tasks that a thief gets; 0 if there are none for it, -1: half of them. */
static int64_t share_for(const struct stealing *self, const struct steal_request *request,
                         size_t size)
{
    const struct move_account *account = &self->account;
    int64_t n_waiting = self->deque.shared_tasks;
    if (account->move_cost > 0)
        return move_account_worth(account, n_waiting, request->load_s,
                                  taskpool_comm_now(self->comm));
    if (!self->minds_speeds)
        return -1;
    return even_share(self, size == sizeof *request ? request->speed : 1, n_waiting);
}

/* The tasks for a thief; their number, 0 if there are none for it. */
static int64_t choose_batch(struct stealing *self, const struct steal_request *request, size_t size,
                            struct task_deque_batch *batch)
{
    int64_t n_wanted = self->steal_tasks, n = share_for(self, request, size);
    if (n >= 0 && n < self->deque.min_share)
        return 0;
    if (n > 0)
        n_wanted = n_wanted > 0 && n_wanted < n ? n_wanted : n;
    return task_deque_give_away(&self->deque, n_wanted, batch);
}

static void answer_thief(struct stealing *self, int thief, const struct steal_request *request,
                         size_t size)
{
    struct task_deque_batch batch;
    termination_received_request(&self->termination);
    if (choose_batch(self, request, size, &batch) == 0) {
        int32_t refusal = STEALING_REFUSAL;
        taskpool_comm_send(self->comm, thief, &refusal, sizeof refusal);
        termination_sent_refusal(&self->termination);
        return;
    }
    struct steal_message head = {
        .kind = STEALING_TRANSFER, .n_entries = batch.n, .part = batch.part};
    taskpool_comm_send_bulk(
        self->comm, thief,
        &(struct taskpool_comm_message){.head = &head,
                                        .head_size = sizeof head,
                                        .bulk = batch.n > 0 ? batch.entries : NULL,
                                        .bulk_size = (size_t)batch.n * self->deque.entry_size,
                                        .token = batch.n});
    termination_sent_transfer(&self->termination);
}

void taskpool_stealing_receive(void *state, int from, const void *message, size_t size)
{
    struct stealing *self = state;
    switch ((enum stealing_kind) * (const int32_t *)message) {
    case STEALING_REQUEST:
        answer_thief(self, from, message, size);
        break;
    case STEALING_REFUSAL:
        set_pause(self);
        termination_received_refusal(&self->termination);
        break;
    case STEALING_TRANSFER:
        take_stolen(self, message);
        break;
    case STEALING_TERMINATION:
        termination_receive(&self->termination, message, has_nothing_to_give(self));
        if (termination_is_certain(&self->termination) && !has_nothing_to_give(self))
            taskpool_comm_fail(self->comm, "termination was detected while work remained");
        break;
    }
}

void taskpool_stealing_sent(void *state, int64_t token)
{
    struct stealing *self = state;
    task_deque_completed(&self->deque, token);
}

double taskpool_stealing_progress(const void *state, int64_t n_run)
{
    const struct stealing *self = state;
    int64_t left = task_deque_n_tasks(&self->deque);
    return n_run > 0 ? (double)n_run / (double)(n_run + left) : 0;
}

void taskpool_stealing_describe(const void *state, char *text, size_t size)
{
    const struct stealing *self = state;
    char end[256];
    termination_describe(&self->termination, end, sizeof end);
    snprintf(text, size,
             "%lld tasks of its own, %lld for thieves; %s%s, %lld refusals in a row; %s",
             (long long)self->deque.local_tasks, (long long)self->deque.shared_tasks,
             self->searching ? "searching" : "not searching",
             self->termination.asking ? ", a request is not answered" : "",
             (long long)self->n_refusals, end);
}
