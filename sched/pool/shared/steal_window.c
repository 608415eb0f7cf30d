/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/shared/steal_window.h"

#include "support/base/integers.h"

#include <string.h>

/* The words of a worker. */
enum {
    THEFT_VIEW,     /* count (32 bits), front and back (16 bits each) */
    THEFT_HAS_ALL,  /* whether no tasks wait elsewhere */
    THEFT_N_RANGES, /* of the list, three words each */
    THEFT_RANGES,
    THEFT_RANGE_WORDS = 3,
    THEFT_N_WORDS = THEFT_RANGES + THEFT_RANGE_WORDS * STEAL_WINDOW_RANGES,
};

/* Workers that a thief looks at before it gives up. */
enum { THEFT_MAX_LOOKS = 32 };

struct window_view {
    uint32_t count;
    int64_t front, back;
};

static struct window_view window_view_of(int64_t word)
{
    uint64_t bits = (uint64_t)word;
    return (struct window_view){.count = (uint32_t)(bits >> 32),
                                .front = (int64_t)(bits >> 16 & STEAL_WINDOW_TASKS),
                                .back = (int64_t)(bits & STEAL_WINDOW_TASKS)};
}

static int64_t window_view_join(uint32_t count, int64_t front, int64_t back)
{
    return (int64_t)((uint64_t)count << 32 | (uint64_t)front << 16 | (uint64_t)back);
}

static int64_t window_position(const struct steal_window *self, int mate, int64_t word)
{
    return self->comm->node_first[mate] + word;
}

static int64_t window_word(const struct steal_window *self, int mate, int64_t word)
{
    return taskpool_comm_word(self->comm, window_position(self, mate, word));
}

static void store_window_word(struct steal_window *self, int64_t word, int64_t value)
{
    taskpool_comm_store_word(self->comm, window_position(self, self->own, word), value);
}

int64_t taskpool_stealing_node_words(const struct taskpool_mode_setup *setup,
                                     const struct taskpool_comm *comm)
{
    (void)comm;
    return setup->problem->record_size > 0 ? 0 : THEFT_N_WORDS;
}

void steal_window_init(struct steal_window *self, struct taskpool_comm *comm)
{
    *self = (struct steal_window){0};
    if (!comm->node_words || comm->n_node_ranks == 1)
        return;
    self->comm = comm;
    while (comm->node_ranks[self->own] != comm->rank)
        self->own++;
}

/* The tasks in the window of a worker of the node. */
static int64_t n_tasks_of(const struct steal_window *self, int mate)
{
    struct window_view view = window_view_of(window_word(self, mate, THEFT_VIEW));
    return view.back - view.front;
}

/* --- parts of a list --- */

/* Copies the tasks at positions [front, back) of a worker's list, which may be changing. */
static void copy_from_list(const struct steal_window *self, int mate, struct window_view view,
                           struct steal_window_part *part)
{
    int64_t position = 0, n_ranges = window_word(self, mate, THEFT_N_RANGES);
    *part = (struct steal_window_part){.n_tasks = view.back - view.front};
    for (int64_t r = 0; r < n_ranges && position < view.back; r++) {
        int64_t word = THEFT_RANGES + THEFT_RANGE_WORDS * r;
        struct taskpool_range range = {.first = window_word(self, mate, word),
                                       .last = window_word(self, mate, word + 1),
                                       .step = window_word(self, mate, word + 2)};
        int64_t n = taskpool_range_count(&range);
        int64_t first = max_int64(view.front - position, 0);
        int64_t last = view.back - position < n ? view.back - position : n;
        position += n;
        if (first >= last)
            continue;
        range.last = range.first + last * range.step;
        range.first += first * range.step;
        part->ranges[part->n++] = range;
    }
}

/* --- the worker --- */

static int64_t own_window_word(const struct steal_window *self)
{
    return window_word(self, self->own, THEFT_VIEW);
}

void steal_window_open(struct steal_window *self, const struct steal_window_part *part,
                       bool has_all)
{
    struct window_view view = window_view_of(own_window_word(self));
    for (int r = 0; r < part->n; r++) {
        int64_t word = THEFT_RANGES + THEFT_RANGE_WORDS * r;
        store_window_word(self, word, part->ranges[r].first);
        store_window_word(self, word + 1, part->ranges[r].last);
        store_window_word(self, word + 2, part->ranges[r].step);
    }
    store_window_word(self, THEFT_N_RANGES, part->n);
    store_window_word(self, THEFT_HAS_ALL, has_all);
    if (part->n_tasks == 0)
        return;
    /* Nobody changes a window without tasks. */
    self->count++;
    self->may_have_tasks = true;
    store_window_word(self, THEFT_VIEW, window_view_join(view.count + 1, 0, part->n_tasks));
}

/* Takes up to n tasks from the front of its window; of one range, if so asked. False: it is empty. */
static bool take_window_front(struct steal_window *self, int64_t n, bool of_one_range,
                              struct steal_window_part *part)
{
    for (;;) {
        int64_t word = own_window_word(self);
        struct window_view view = window_view_of(word), taken = view;
        if (view.front == view.back)
            return false;
        taken.back = view.back - view.front < n ? view.back : view.front + n;
        copy_from_list(self, self->own, taken, part);
        if (of_one_range)
            part->n_tasks = taskpool_range_count(&part->ranges[0]);
        int64_t desired = window_view_join(view.count + 1, view.front + part->n_tasks, view.back);
        if (taskpool_comm_swap_word(self->comm, window_position(self, self->own, THEFT_VIEW), word,
                                    desired))
            break;
    }
    self->count++;
    return true;
}

bool steal_window_take(struct steal_window *self, int64_t n, struct taskpool_range *range)
{
    struct steal_window_part part;
    bool taken = take_window_front(self, n, true, &part);
    if (taken)
        *range = part.ranges[0];
    return taken;
}

void steal_window_close(struct steal_window *self, struct steal_window_part *part)
{
    store_window_word(self, THEFT_HAS_ALL, false);
    if (!take_window_front(self, STEAL_WINDOW_TASKS, false, part))
        *part = (struct steal_window_part){0};
}

int64_t steal_window_n_tasks(const struct steal_window *self)
{
    return self->may_have_tasks ? n_tasks_of(self, self->own) : 0;
}

int64_t steal_window_count_thefts(struct steal_window *self)
{
    if (!self->may_have_tasks)
        return 0;
    struct window_view view = window_view_of(own_window_word(self));
    uint32_t n = view.count - self->count;
    self->may_have_tasks = view.front < view.back;
    self->count += n;
    return n;
}

/* --- the others --- */

bool steal_window_steal(struct steal_window *self, int mate, int64_t n, int64_t min_tasks,
                        struct steal_window_part *part)
{
    for (;;) {
        int64_t word = window_word(self, mate, THEFT_VIEW);
        struct window_view view = window_view_of(word), taken = view;
        int64_t n_left = view.back - view.front;
        if (n_left == 0)
            return false;
        int64_t n_taken = max_int64(n > 0 ? n : (n_left + 1) / 2, min_tasks);
        taken.front = n_taken < n_left ? view.back - n_taken : view.front;
        copy_from_list(self, mate, taken, part);
        int64_t desired = window_view_join(view.count + 1, view.front, taken.front);
        if (taskpool_comm_swap_word(self->comm, window_position(self, mate, THEFT_VIEW), word,
                                    desired))
            break;
    }
    return true;
}

int steal_window_find(const struct steal_window *self)
{
    struct taskpool_comm *comm = self->comm;
    int n = comm->n_node_ranks, n_looks = n < THEFT_MAX_LOOKS ? n : THEFT_MAX_LOOKS, found = -1;
    int first = (int)taskpool_comm_random_below(comm, (uint64_t)n);
    int64_t n_most = 0;
    for (int i = 0; i < n_looks; i++) {
        int mate = (first + i) % n;
        int64_t n_tasks = n_tasks_of(self, mate);
        if (mate != self->own && n_tasks > n_most) {
            n_most = n_tasks;
            found = mate;
        }
    }
    return found;
}

bool steal_window_has_all(const struct steal_window *self, int mate)
{
    return window_word(self, mate, THEFT_HAS_ALL) != 0;
}
