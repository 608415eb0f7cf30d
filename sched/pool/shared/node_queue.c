/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/shared/node_queue.h"

#include "sched/pool/queues/tasklets.h"
#include "support/base/array.h"

#include <stdlib.h>

/* --- the memory: words of a member, from its first one on --- */

enum {
    QUEUE_WINDOW,      /* front and back in its list; of the first member of a line the position */
    QUEUE_N_TAKEN,     /* and the word after it: tasklets, in iterations of each parity */
    QUEUE_N_TASKS = 3, /* that it contributed */
    QUEUE_N_RANGES,    /* of these */
    QUEUE_RANGES,      /* QUEUE_RANGE_WORDS each, then the entries */
};

/* The number of tasks in the ranges before it, first, last, step. */
enum { QUEUE_RANGE_WORDS = 4 };

/* Two numbers in a word: front and back, or in an entry the member that contributed a tasklet and
 * the tasklet's number among its own. */
static int64_t pack_pair(int64_t upper, int64_t lower)
{
    return (int64_t)((uint64_t)upper << 32 | (uint64_t)lower);
}

static int64_t upper_half(int64_t word)
{
    return (int64_t)((uint64_t)word >> 32);
}

static int64_t lower_half(int64_t word)
{
    return (int64_t)((uint64_t)word & UINT32_MAX);
}

static int64_t queue_position(const struct node_queue *self, int member, int64_t word)
{
    return self->comm->node_first[self->first + member] + word;
}

static int64_t queue_word(const struct node_queue *self, int member, int64_t word)
{
    return taskpool_comm_word(self->comm, queue_position(self, member, word));
}

static void store_queue_word(struct node_queue *self, int64_t word, int64_t value)
{
    taskpool_comm_store_word(self->comm, queue_position(self, self->member, word), value);
}

/* Tasklets that a member contributed. */
static int64_t n_tasklets_of(const struct node_queue *self, int member)
{
    return tasklets_count(queue_word(self, member, QUEUE_N_TASKS), self->rules.tasklets);
}

int64_t node_queue_n_words(const struct node_queue_rules *rules, int64_t n_tasks, int64_t n_ranges)
{
    int64_t n_entries = rules->line ? 0 : tasklets_count(n_tasks, rules->tasklets);
    return QUEUE_RANGES + QUEUE_RANGE_WORDS * n_ranges + n_entries;
}

/* Length of a member's list: the tasklets that it took in the last iteration. */
static int64_t list_length(const struct node_queue *self, int member)
{
    return queue_word(self, member, QUEUE_N_TAKEN + 1 - self->parity);
}

/* Position in memory of entry i of a member's room. */
static int64_t position_of_entry(const struct node_queue *self, int member, int64_t i)
{
    return queue_position(self, member,
                          QUEUE_RANGES +
                              QUEUE_RANGE_WORDS * queue_word(self, member, QUEUE_N_RANGES) + i);
}

/* Position in memory of entry i of all members' rooms. */
static int64_t find_list_entry(const struct node_queue *self, int64_t i)
{
    int member = 0;
    for (int64_t n; i >= (n = n_tasklets_of(self, member)); member++)
        i -= n;
    return position_of_entry(self, member, i);
}

/* --- this member's part --- */

static void store_own_ranges(struct node_queue *self, const struct task_ranges *ranges)
{
    int64_t n_tasks = 0;
    for (int64_t r = 0; r < ranges->n; r++) {
        const struct taskpool_range *range = &ranges->list[r];
        int64_t word = QUEUE_RANGES + QUEUE_RANGE_WORDS * r;
        store_queue_word(self, word, n_tasks);
        store_queue_word(self, word + 1, range->first);
        store_queue_word(self, word + 2, range->last);
        store_queue_word(self, word + 3, range->step);
        n_tasks += taskpool_range_count(range);
    }
    store_queue_word(self, QUEUE_N_TASKS, n_tasks);
    store_queue_word(self, QUEUE_N_RANGES, ranges->n);
}

static enum status add_list_entry(struct node_queue_list *list, int64_t entry)
{
    TRY(array_reserve(&list->entries, list->n + 1, &list->capacity, sizeof *list->entries));
    list->entries[list->n++] = entry;
    return STATUS_OK;
}

enum status node_queue_init(struct node_queue *self, struct taskpool_comm *comm,
                            const struct node_queue_rules *rules, int first, int n_members,
                            const struct task_ranges *ranges)
{
    *self =
        (struct node_queue){.comm = comm, .rules = *rules, .first = first, .n_members = n_members};
    while (comm->node_ranks[first + self->member] != comm->rank)
        self->member++;
    store_own_ranges(self, ranges);
    int64_t n = rules->line ? 0 : n_tasklets_of(self, self->member);
    for (int64_t i = 0; i < n; i++) {
        int64_t entry = pack_pair(self->member, i);
        TRY(add_list_entry(&self->own, entry));
        taskpool_comm_store_word(comm, position_of_entry(self, self->member, i), entry);
    }
    store_queue_word(self, QUEUE_N_TAKEN + 1, n);
    store_queue_word(self, QUEUE_WINDOW, pack_pair(0, n));
    return STATUS_OK;
}

void node_queue_fini(struct node_queue *self)
{
    free(self->own.entries);
    free(self->taken.entries);
}

/* Stores this member's list behind the lists of the members before it. */
static void store_own_list(struct node_queue *self)
{
    int64_t first = 0;
    for (int m = 0; m < self->member; m++)
        first += list_length(self, m);
    for (int64_t i = 0; i < self->own.n; i++)
        taskpool_comm_store_word(self->comm, find_list_entry(self, first + i),
                                 self->own.entries[i]);
    store_queue_word(self, QUEUE_WINDOW, pack_pair(0, self->own.n));
}

void node_queue_begin(struct node_queue *self)
{
    struct node_queue_list old = self->own;
    self->own = self->taken;
    self->taken = old;
    self->taken.n = 0;
    self->parity = 1 - self->parity;
    store_own_list(self);
    store_queue_word(self, QUEUE_N_TAKEN + self->parity, 0);
}

/* --- tasks of tasklets --- */

/* The range of a member that holds the task at a position of its own. */
static int64_t find_range_of(const struct node_queue *self, int member, int64_t position)
{
    int64_t low = 0, high = queue_word(self, member, QUEUE_N_RANGES);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (queue_word(self, member, QUEUE_RANGES + QUEUE_RANGE_WORDS * middle) <= position)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Appends the tasks at positions [position, end) of a member's own. */
static enum status add_tasks_of(const struct node_queue *self, int member, int64_t position,
                                int64_t end, struct task_ranges *tasks)
{
    for (int64_t r = find_range_of(self, member, position); position < end; r++) {
        int64_t word = QUEUE_RANGES + QUEUE_RANGE_WORDS * r;
        struct taskpool_range range = {.first = queue_word(self, member, word + 1),
                                       .last = queue_word(self, member, word + 2),
                                       .step = queue_word(self, member, word + 3)};
        task_range_cut_front(&range, position - queue_word(self, member, word));
        range = task_range_cut_front(&range, end - position);
        TRY(task_ranges_add_range(tasks, range));
        position += taskpool_range_count(&range);
    }
    return STATUS_OK;
}

/* Appends the tasks at positions [position, end) of the line. */
static enum status add_tasks_of_line(const struct node_queue *self, int64_t position, int64_t end,
                                     struct task_ranges *tasks, int64_t *n_moved)
{
    int64_t before = 0;
    for (int m = 0; before < end; m++) {
        int64_t n = queue_word(self, m, QUEUE_N_TASKS);
        int64_t first = position > before ? position : before;
        int64_t last = end < before + n ? end : before + n;
        if (first < last)
            TRY(add_tasks_of(self, m, first - before, last - before, tasks));
        if (first < last && m != self->member)
            *n_moved += last - first;
        before += n;
    }
    return STATUS_OK;
}

/* --- taking --- */

static enum status take_from_line(struct node_queue *self, struct task_ranges *tasks,
                                  int64_t *n_moved)
{
    if (self->n_tasks == 0) {
        self->n_tasks = node_queue_n_tasks(self);
        self->n_tasklets = tasklets_count(self->n_tasks, self->rules.tasklets * self->n_members);
    }
    int64_t window = queue_position(self, 0, QUEUE_WINDOW), i;
    do {
        i = taskpool_comm_word(self->comm, window);
        if (i == self->n_tasklets)
            return STATUS_OK;
    } while (!taskpool_comm_swap_word(self->comm, window, i, i + 1));
    bool skew = self->rules.skew;
    return add_tasks_of_line(self, tasklets_border(self->n_tasks, self->n_tasklets, skew, i),
                             tasklets_border(self->n_tasks, self->n_tasklets, skew, i + 1), tasks,
                             n_moved);
}

/* The first tasklet that is left of this member's list. */
static bool take_own_tasklet(struct node_queue *self, int64_t *entry)
{
    int64_t position = queue_position(self, self->member, QUEUE_WINDOW), window;
    do {
        window = taskpool_comm_word(self->comm, position);
        if (upper_half(window) == lower_half(window))
            return false;
    } while (!taskpool_comm_swap_word(self->comm, position, window,
                                      pack_pair(upper_half(window) + 1, lower_half(window))));
    *entry = self->own.entries[upper_half(window)];
    return true;
}

/* The member of whose list most is left, after which the loss of locality is least; -1: nothing is
 * left of any. out: its window, and the position of its list among all members' */
static int find_longest_list(const struct node_queue *self, int64_t *window, int64_t *first)
{
    int longest = -1;
    int64_t n_most = 0, before = 0;
    for (int m = 0; m < self->n_members; m++) {
        int64_t word = queue_word(self, m, QUEUE_WINDOW), n = lower_half(word) - upper_half(word);
        if (n > n_most) {
            longest = m;
            n_most = n;
            *window = word;
            *first = before;
        }
        before += list_length(self, m);
    }
    return longest;
}

/* The tasklet that another member would run last. */
static bool take_from_longest(struct node_queue *self, int64_t *entry)
{
    int64_t window, first;
    int member;
    do {
        member = find_longest_list(self, &window, &first);
        if (member < 0)
            return false;
    } while (!taskpool_comm_swap_word(self->comm, queue_position(self, member, QUEUE_WINDOW),
                                      window,
                                      pack_pair(upper_half(window), lower_half(window) - 1)));
    *entry = taskpool_comm_word(self->comm, find_list_entry(self, first + lower_half(window) - 1));
    return true;
}

static enum status take_from_lists(struct node_queue *self, struct task_ranges *tasks,
                                   int64_t *n_moved)
{
    int64_t entry;
    bool is_own = take_own_tasklet(self, &entry);
    if (!is_own && !take_from_longest(self, &entry))
        return STATUS_OK;
    TRY(add_list_entry(&self->taken, entry));
    store_queue_word(self, QUEUE_N_TAKEN + self->parity, self->taken.n);
    int owner = (int)upper_half(entry);
    int64_t n_tasks = queue_word(self, owner, QUEUE_N_TASKS), n = n_tasklets_of(self, owner);
    int64_t position = tasklets_border(n_tasks, n, false, lower_half(entry));
    int64_t end = tasklets_border(n_tasks, n, false, lower_half(entry) + 1);
    *n_moved = is_own ? 0 : end - position;
    return add_tasks_of(self, owner, position, end, tasks);
}

enum status node_queue_take(struct node_queue *self, struct task_ranges *tasks, int64_t *n_moved)
{
    *n_moved = 0;
    return self->rules.line ? take_from_line(self, tasks, n_moved)
                            : take_from_lists(self, tasks, n_moved);
}

/* --- progress --- */

int64_t node_queue_n_tasks(const struct node_queue *self)
{
    int64_t n_tasks = 0;
    for (int m = 0; m < self->n_members; m++)
        n_tasks += queue_word(self, m, QUEUE_N_TASKS);
    return n_tasks;
}

double node_queue_fraction_taken(const struct node_queue *self)
{
    int64_t n = 0, n_left = 0;
    if (self->rules.line) {
        n = self->n_tasklets;
        n_left = n - queue_word(self, 0, QUEUE_WINDOW);
    }
    for (int m = 0; m < self->n_members && !self->rules.line; m++) {
        int64_t window = queue_word(self, m, QUEUE_WINDOW);
        n += n_tasklets_of(self, m);
        n_left += lower_half(window) - upper_half(window);
    }
    return n > 0 ? (double)(n - n_left) / (double)n : 0;
}
