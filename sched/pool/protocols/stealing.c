/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing_private.h"

#include "support/io/words.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

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
                             "--release half --retry 0, retentive: --retain order --refine=false, "
                             "persist: --pass-up=false --never-worse=false --refine=false; "
                             "options given explicitly take precedence"),
};

#undef FIELD

static int check_steal(const struct taskpool_settings *settings);

struct taskpool_mode_options taskpool_stealing_options = {.rows = stealing_rows,
                                                          .n_rows = sizeof stealing_rows /
                                                                    sizeof stealing_rows[0],
                                                          .size = sizeof(struct stealing_settings),
                                                          .check = check_steal};

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
    bool minds_moves = setup->problem->move_cost > 0 && record_size == 0;
    const struct stealing_settings *settings =
        taskpool_settings_of(setup->settings, &taskpool_stealing_options);
    *self = (struct stealing){.setup = setup,
                              .settings = settings,
                              .comm = comm,
                              .enabled = true,
                              .ran = ran,
                              .speed = 1,
                              .minds_moves = minds_moves};
    stealing_prefer_termination(self, TERMINATION_TREE);
    /* A window that ends within a range makes two entries of it, for which a bound may have no room. */
    if (record_size == 0 && settings->release == RELEASE_ALL && settings->deque == 0)
        steal_window_init(&self->window, comm);
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
    data_share_fini(&self->share);
}

void stealing_begin(struct stealing *self, bool enabled)
{
    assert(task_deque_n_tasks(&self->deque) == 0 && steal_window_n_tasks(&self->window) == 0);
    self->enabled = enabled;
    self->searching = self->runs_last = self->ran_dry = false;
    self->pace = (struct stealing_pace){0};
    atomic_store_explicit(&self->between, true, memory_order_relaxed);
    self->n_refusals = 0;
    self->ask_after_s = 0;
    steal_window_count_thefts(&self->window);
    termination_begin(&self->termination);
}

void stealing_mind_moves(struct stealing *self)
{
    if (self->minds_moves)
        move_account_begin(&self->account, self->setup->problem->move_cost,
                           taskpool_comm_now(self->comm));
}

enum status stealing_mind_data(struct stealing *self)
{
    const struct taskpool_problem *problem = self->setup->problem;
    if (!problem->data_costs || problem->record_size > 0)
        return STATUS_OK;
    return data_share_init(&self->share, problem, self->comm->rank, self->comm->size);
}

void stealing_finished(struct stealing *self, int64_t task, double time_s)
{
    if (self->share.problem)
        data_share_ran(&self->share, task, time_s);
    atomic_store_explicit(&self->between, true, memory_order_relaxed);
    stealing_note_pace(self, task, time_s);
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

void stealing_begin_tasks(struct stealing *self, const struct taskpool_mode_work *work,
                          bool initial)
{
    /* Read by receive, which may run at the same time: written only on a change. */
    if (self->searching)
        self->searching = false;
    atomic_store_explicit(&self->between, false, memory_order_relaxed);
    if (self->ran)
        note(self, work, initial);
}

static bool take_local(struct stealing *self, struct taskpool_mode_work *work)
{
    bool initial = false;
    bool taken = self->deque.record_size > 0
                     ? task_deque_take_record(&self->deque, work->record, &initial)
                     : task_deque_take_range(&self->deque, work->n_wanted, releases_all(self, work),
                                             &work->range);
    if (taken)
        stealing_begin_tasks(self, work, initial);
    return taken;
}

/* Without the driver's lock, which the window needs. */
bool taskpool_stealing_next_local(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    return !self->window_is_open && !stealing_wants_window(self, work) && take_local(self, work);
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

/* Whether detection of termination begins while the last tasks of a static pool run, to cost no time. */
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
    if (take_local(self, work))
        return true;
    /* Records are taken one at a time, long or not: most are short. */
    bool one_by_one = releases_all(self, work) && self->deque.record_size == 0;
    return task_deque_acquire(&self->deque, one_by_one) && take_local(self, work);
}

/* Takes tasks to run next. */
static bool take_waiting(struct stealing *self, struct taskpool_mode_work *work)
{
    if (self->window_is_open && stealing_take_from_window(self, work))
        return true;
    if (!take_from_deque(self, work))
        return false;
    if (stealing_wants_window(self, work)) {
        self->window_is_open = true;
        stealing_open_window(self);
    }
    return true;
}

/* Notes whether the tasks that run next are the last that waited here. */
static enum taskpool_mode_step run_taken(struct stealing *self)
{
    bool alone = !self->enabled || self->comm->size == 1;
    bool is_last = task_deque_n_tasks(&self->deque) + steal_window_n_tasks(&self->window) == 0;
    self->runs_last = !alone && ends_early(self) && is_last;
    if (self->runs_last) {
        stealing_count_thefts(self);
        termination_without_work(&self->termination);
    }
    return TASKPOOL_MODE_RUN;
}

enum taskpool_mode_step taskpool_stealing_next(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    bool alone = !self->enabled || self->comm->size == 1;
    if (stealing_leaves_tasks(self))
        return TASKPOOL_MODE_SEARCH;
    if (take_waiting(self, work))
        return run_taken(self);
    if (self->ran && self->ran->runs_long)
        taskpool_comm_report(self->comm, ran_tasks_end(self->ran, taskpool_comm_now(self->comm)));
    if (alone || self->termination.finished)
        return TASKPOOL_MODE_DONE;
    if (!self->searching)
        self->searched_from_s = taskpool_comm_now(self->comm);
    self->searching = self->ran_dry = true;
    stealing_count_thefts(self);
    if (stealing_search(self) && take_waiting(self, work))
        return run_taken(self);
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
    stealing_note_success(self, task_deque_n_tasks(deque) - n_before);
}

/* --- the victim --- */

static void answer_thief(struct stealing *self, int thief, const struct steal_request *request,
                         size_t size)
{
    struct task_deque_batch batch;
    termination_received_request(&self->termination);
    if (stealing_choose_batch(self, thief, request, size, &batch) == 0) {
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

/* Closes the window while it answers a thief of another node, which may get its tasks, too. */
static void answer_from_all(struct stealing *self, int thief, const struct steal_request *request,
                            size_t size)
{
    bool has_window = steal_window_n_tasks(&self->window) > 0;
    if (has_window) {
        stealing_close_window(self);
        task_deque_share_all(&self->deque);
    }
    answer_thief(self, thief, request, size);
    if (has_window)
        stealing_open_window(self);
}

void taskpool_stealing_receive(void *state, int from, const void *message, size_t size)
{
    struct stealing *self = state;
    switch ((enum stealing_kind) * (const int32_t *)message) {
    case STEALING_REQUEST:
        answer_from_all(self, from, message, size);
        break;
    case STEALING_REFUSAL:
        stealing_set_pause(self);
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
    int64_t left = task_deque_n_tasks(&self->deque) + steal_window_n_tasks(&self->window);
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
