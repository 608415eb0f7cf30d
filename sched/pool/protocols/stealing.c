/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing.h"

#include "support/base/integers.h"
#include "support/io/words.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define FIELD(name) offsetof(struct stealing_settings, name)

static const struct taskpool_option stealing_rows[] = {
    TASKPOOL_TEXT_OPTION("steal", FIELD(steal), .default_text = "half", .value = "half|N",
                         .help = "half of the shared tasks, or N of them, per steal"),
    TASKPOOL_CHOICE_OPTION("victim", FIELD(victim), "by-mode,random,node",
                           .default_text = "by-mode", .value = "RULE",
                           .help = "choice of the victim; node: on the thief's node first; "
                                   "by-mode: node for auto, else random"),
    TASKPOOL_CHOICE_OPTION("termination", FIELD(termination), "by-mode,tree,wide,ring",
                           .default_text = "by-mode", .value = "RULE",
                           .help = "algorithm that detects the end of an iteration; by-mode: wide "
                                   "for auto, else tree"),
    TASKPOOL_INTEGER_OPTION("deque", FIELD(deque), 0, 1e12, .default_text = "0", .value = "N",
                            .help =
                                "upper bound on the entries of a deque (tasks added by tasks, or "
                                "ranges of tasks); 0: none"),
    TASKPOOL_FLAG_OPTION("as-published", FIELD(as_published),
                         .help =
                             "the algorithms as their paper has them (Lifflander et al., 2012), "
                             "without Beryl's changes"),
};

#undef FIELD

static int check_steal(const struct taskpool_settings *settings);

struct taskpool_mode_options taskpool_stealing_options = {.rows = stealing_rows,
                                                          .n_rows = sizeof stealing_rows /
                                                                    sizeof stealing_rows[0],
                                                          .size = sizeof(struct stealing_settings),
                                                          .check = check_steal};

/* The head of a message; requests and refusals have the kind alone. */
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
                          struct taskpool_comm *comm)
{
    size_t record_size = setup->problem->record_size;
    const struct stealing_settings *settings =
        taskpool_settings_of(setup->settings, &taskpool_stealing_options);
    *self = (struct stealing){.setup = setup, .settings = settings, .comm = comm, .enabled = true};
    stealing_prefer(self, TERMINATION_TREE, VICTIM_RANDOM);
    /* A window that ends within a range makes two entries of it. A bound may lack room for both. */
    if (record_size == 0 && !settings->as_published && settings->deque == 0)
        steal_window_init(&self->window, comm);
    TRY(parse_steal(settings->steal, &self->steal_tasks));
    return task_deque_init(&self->deque, record_size, settings->deque, min_share(setup->settings));
}

void stealing_prefer(struct stealing *self, enum termination_rule termination,
                     enum stealing_victim victim)
{
    struct taskpool_comm *comm = self->comm;
    const struct stealing_settings *settings = self->settings;
    self->victim = settings->victim == VICTIM_BY_MODE ? (int)victim : settings->victim;
    if (settings->termination != TERMINATION_BY_MODE)
        termination = settings->termination;
    termination_init(&self->termination, comm, termination, STEALING_TERMINATION, comm->rank,
                     comm->size, NULL, NULL);
}

void taskpool_stealing_fini(void *state)
{
    struct stealing *self = state;
    task_deque_fini(&self->deque);
}

void stealing_begin(struct stealing *self, bool enabled)
{
    assert(task_deque_n_tasks(&self->deque) == 0 && steal_window_n_tasks(&self->window) == 0);
    self->enabled = enabled;
    self->searching = self->runs_last = false;
    self->n_refusals = 0;
    self->ask_after_s = 0;
    steal_window_count_thefts(&self->window);
    termination_begin(&self->termination);
}

/* Pushes a range; as published task by task, as the paper's addTask does. */
static enum status push_range(struct stealing *self, struct taskpool_range range)
{
    TRY(task_deque_push_range(&self->deque, range));
    if (self->settings->as_published)
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

/* --- tasks of the deque --- */

static bool releases_all(const struct stealing *self, const struct taskpool_mode_work *work)
{
    return work->tasks_are_long && !self->settings->as_published;
}

/* Tasks were taken to run next. */
static void note_taken(struct stealing *self, const struct taskpool_mode_work *work, bool initial)
{
    /* Read by receive, which may run at the same time: written only on a change. */
    if (self->searching)
        self->searching = false;
    if (self->ran && initial)
        taskpool_comm_report(self->comm, record_list_add(self->ran, work->record));
}

static bool take_local(struct stealing *self, struct taskpool_mode_work *work)
{
    bool initial = false;
    bool taken = self->deque.record_size > 0
                     ? task_deque_take_record(&self->deque, work->record, &initial)
                     : task_deque_take_range(&self->deque, work->n_wanted, releases_all(self, work),
                                             &work->range);
    if (taken)
        note_taken(self, work, initial);
    return taken;
}

static bool take_from_deque(struct stealing *self, struct taskpool_mode_work *work)
{
    if (take_local(self, work))
        return true;
    /* Records are taken one at a time, long or not: most are short. */
    bool one_by_one = releases_all(self, work) && self->deque.record_size == 0;
    return task_deque_acquire(&self->deque, one_by_one) && take_local(self, work);
}

/* --- tasks of the worker's window; next_local has no part in it --- */

/* Whether waiting tasks belong into the window: long ones, which others may want. */
static bool wants_window(const struct stealing *self, const struct taskpool_mode_work *work)
{
    return self->window.comm && self->enabled && work->tasks_are_long;
}

/* Puts a part of a window into the deque, to be run next. */
static void push_part(struct stealing *self, const struct steal_window_part *part)
{
    for (int i = part->n - 1; i >= 0; i--)
        taskpool_comm_report(self->comm, task_deque_push_range(&self->deque, part->ranges[i]));
}

/* Moves tasks from the deque into the window, which has none. */
static void open_window(struct stealing *self)
{
    struct steal_window_part part = {0};
    part.n =
        task_deque_take_ranges(&self->deque, STEAL_WINDOW_TASKS, STEAL_WINDOW_RANGES, part.ranges);
    for (int i = 0; i < part.n; i++)
        part.n_tasks += taskpool_range_count(&part.ranges[i]);
    steal_window_open(&self->window, &part, task_deque_n_tasks(&self->deque) == 0);
}

static void close_window(struct stealing *self)
{
    struct steal_window_part part;
    steal_window_close(&self->window, &part);
    push_part(self, &part);
}

/* Takes tasks from the front of the open window. False: the window is empty, or tasks have become
 * short and all were moved back into the deque. */
static bool take_from_window(struct stealing *self, struct taskpool_mode_work *work)
{
    bool wants = wants_window(self, work);
    if (wants && steal_window_take(&self->window, work->n_wanted, &work->range)) {
        note_taken(self, work, false);
        return true;
    }
    if (!wants)
        close_window(self);
    self->window_is_open = false;
    return false;
}

/* Counts what others took from the window as transfers. */
static void count_thefts(struct stealing *self)
{
    for (int64_t n = steal_window_count_thefts(&self->window); n > 0; n--)
        termination_sent_transfer(&self->termination);
}

/* --- the thief --- */

/* In a static pool, where the tasks left only decrease, a thief pauses after PAUSE_AFTER refusals
 * in a row for PAUSE_ATTEMPTS times the duration of an attempt, but for no more than 1 / PAUSE_PART
 * of the time of its search, which bounds the delay. In a dynamic pool, where tasks appear anywhere
 * at any time, it does not pause. */
enum { PAUSE_AFTER = 32, PAUSE_ATTEMPTS = 8, PAUSE_PART = 8 };

/* After so many refusals an attempt takes this time at least, in any pool: otherwise time
 * would stand still where simulated messages take none. */
#define MIN_ATTEMPT_S 1e-6

/* The least time between two looks at windows without tasks, which hold long ones, of 0.1 ms. */
#define MIN_LOOK_S 1e-5

static int choose_any_victim(struct taskpool_comm *comm)
{
    int victim = (int)taskpool_comm_random_below(comm, (uint64_t)comm->size - 1);
    return victim < comm->rank ? victim : victim + 1;
}

/* A random worker other than this one. With VICTIM_NODE: as many attempts as the node has
 * other workers go to these, the next as many to all workers, and so on. */
static int choose_victim(struct stealing *self)
{
    struct taskpool_comm *comm = self->comm;
    int64_t n_near = self->victim == VICTIM_NODE ? comm->n_node_ranks - 1 : 0;
    if (n_near > 0 && self->n_refusals / n_near % 2 == 0) {
        int64_t i = (int64_t)taskpool_comm_random_below(comm, (uint64_t)n_near);
        return comm->node_ranks[i] == comm->rank ? comm->node_ranks[n_near] : comm->node_ranks[i];
    }
    return choose_any_victim(comm);
}

/* After a refusal: sets the time of the next request. */
static void set_pause(struct stealing *self)
{
    double now_s = taskpool_comm_now(self->comm);
    self->n_refusals++;
    self->ask_after_s = 0;
    if (self->n_refusals < PAUSE_AFTER)
        return;
    bool may_pause = self->deque.record_size == 0 && !self->settings->as_published;
    double attempt_s = now_s - self->asked_s;
    double limit_s = may_pause ? (now_s - self->searched_from_s) / PAUSE_PART : 0;
    /* Workers in long tasks, which are passed over, no longer make attempts long. */
    double pause_s = self->passed_over_mate ? limit_s : fmin(PAUSE_ATTEMPTS * attempt_s, limit_s);
    self->ask_after_s = now_s + fmax(pause_s, MIN_ATTEMPT_S - attempt_s);
}

static bool pauses(struct stealing *self)
{
    if (self->ask_after_s == 0)
        return false;
    double left_s = self->ask_after_s - taskpool_comm_now(self->comm);
    if (left_s > 0)
        taskpool_comm_wake(self->comm, left_s);
    return left_s > 0;
}

/* Stolen tasks arrived, or were taken. */
static void note_success(struct stealing *self, int64_t n_tasks)
{
    termination_received_transfer(&self->termination);
    self->n_refusals = 0;
    self->ask_after_s = 0;
    self->comm->counts.steals_successful++;
    self->comm->counts.tasks_moved += n_tasks;
}

/* Takes tasks from the window of another worker of the node, into the deque. */
static bool steal_from_window(struct stealing *self)
{
    struct steal_window_part part;
    int mate = steal_window_find(&self->window);
    if (mate < 0 ||
        !steal_window_steal(&self->window, mate, self->steal_tasks, self->deque.min_share, &part))
        return false;
    self->comm->counts.steals_attempted++;
    note_success(self, part.n_tasks);
    push_part(self, &part);
    return true;
}

/* The position of a worker on this node; -1: it is on another node. */
static int find_mate(const struct taskpool_comm *comm, int rank)
{
    int low = 0, high = comm->n_node_ranks;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (comm->node_ranks[middle] <= rank)
            low = middle;
        else
            high = middle;
    }
    return comm->node_ranks[low] == rank ? low : -1;
}

/* Whether it is known, without a message, that a worker has nothing to give. */
static bool gives_nothing(const struct stealing *self, int victim)
{
    int mate = self->window.comm ? find_mate(self->comm, victim) : -1;
    return mate >= 0 && steal_window_has_all(&self->window, mate);
}

/* A refusal by a window: the next look is soon, compared with the search, but not at once. */
static void set_look(struct stealing *self)
{
    double now_s = taskpool_comm_now(self->comm);
    self->comm->counts.steals_attempted++;
    self->n_refusals++;
    self->ask_after_s = now_s + fmax((now_s - self->searched_from_s) / PAUSE_PART, MIN_LOOK_S);
}

static void ask_victim(struct stealing *self)
{
    int victim = choose_victim(self);
    bool has_others = self->comm->n_node_ranks < self->comm->size;
    self->passed_over_mate = has_others && gives_nothing(self, victim);
    while (has_others && gives_nothing(self, victim))
        victim = choose_any_victim(self->comm);
    self->asked_s = taskpool_comm_now(self->comm);
    if (!has_others && gives_nothing(self, victim)) {
        set_look(self);
        pauses(self);
        return;
    }
    const int32_t request = STEALING_REQUEST;
    taskpool_comm_send(self->comm, victim, &request, sizeof request);
    termination_sent_request(&self->termination);
    self->comm->counts.steals_attempted++;
}

/* A worker without tasks takes some from a window of its node, or sends a request unless it pauses;
 * whether it has tasks now. */
static bool search(struct stealing *self)
{
    if (self->termination.closed || self->termination.asking || pauses(self))
        return false;
    if (self->window.comm && steal_from_window(self))
        return true;
    ask_victim(self);
    return false;
}

static void push_stolen(struct stealing *self, const struct steal_message *transfer)
{
    struct task_deque *deque = &self->deque;
    int64_t n_before = task_deque_n_tasks(deque);
    taskpool_comm_report(self->comm, task_deque_push_batch(deque, transfer + 1, transfer->n_entries,
                                                           transfer->part));
    if (termination_is_certain(&self->termination))
        taskpool_comm_fail(self->comm, "work arrived after termination was detected");
    self->runs_last = false;
    note_success(self, task_deque_n_tasks(deque) - n_before);
}

/* --- the victim --- */

static void answer_thief(struct stealing *self, int thief)
{
    struct task_deque_batch batch;
    termination_received_request(&self->termination);
    if (task_deque_give_away(&self->deque, self->steal_tasks, &batch) == 0) {
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

/* Closes the window while it answers a thief, which may get its tasks, too. */
static void answer_from_all(struct stealing *self, int thief)
{
    bool has_window = steal_window_n_tasks(&self->window) > 0;
    if (has_window) {
        close_window(self);
        task_deque_share_all(&self->deque);
    }
    answer_thief(self, thief);
    if (has_window)
        open_window(self);
}

/* --- the worker --- */

/* Without the driver's lock, which the window needs. */
bool taskpool_stealing_next_local(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    return !self->window_is_open && !wants_window(self, work) && take_local(self, work);
}

/* Takes tasks to run next. */
static bool take_waiting(struct stealing *self, struct taskpool_mode_work *work)
{
    if (self->window_is_open && take_from_window(self, work))
        return true;
    if (!take_from_deque(self, work))
        return false;
    if (wants_window(self, work)) {
        self->window_is_open = true;
        open_window(self);
    }
    return true;
}

/* Begins the detection of termination if the tasks that run next are the last that waited here, so
 * that it costs no time; not where tasks add others. */
static enum taskpool_mode_step run_or_end_early(struct stealing *self)
{
    bool may_search = self->enabled && self->comm->size > 1;
    bool ends_early = self->termination.rule == TERMINATION_WIDE && self->deque.record_size == 0;
    bool is_last = task_deque_n_tasks(&self->deque) + steal_window_n_tasks(&self->window) == 0;
    self->runs_last = may_search && ends_early && is_last;
    if (self->runs_last) {
        count_thefts(self);
        termination_without_work(&self->termination);
    }
    return TASKPOOL_MODE_RUN;
}

enum taskpool_mode_step taskpool_stealing_next(void *state, struct taskpool_mode_work *work)
{
    struct stealing *self = state;
    bool alone = !self->enabled || self->comm->size == 1;
    if (take_waiting(self, work))
        return run_or_end_early(self);
    if (alone || self->termination.finished)
        return TASKPOOL_MODE_DONE;
    if (!self->searching)
        self->searched_from_s = taskpool_comm_now(self->comm);
    self->searching = true;
    count_thefts(self);
    if (search(self) && take_waiting(self, work))
        return run_or_end_early(self);
    termination_without_work(&self->termination);
    return self->termination.finished ? TASKPOOL_MODE_DONE : TASKPOOL_MODE_SEARCH;
}

/* While tasks run, taskpool_stealing_next_local may change the deque at the same time. */
static bool has_nothing_to_give(const struct stealing *self)
{
    return self->searching ? task_deque_n_tasks(&self->deque) == 0 : self->runs_last;
}

void taskpool_stealing_receive(void *state, int from, const void *message, size_t size)
{
    struct stealing *self = state;
    (void)size;
    switch ((enum stealing_kind) * (const int32_t *)message) {
    case STEALING_REQUEST:
        answer_from_all(self, from);
        break;
    case STEALING_REFUSAL:
        set_pause(self);
        termination_received_refusal(&self->termination);
        break;
    case STEALING_TRANSFER:
        push_stolen(self, message);
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
