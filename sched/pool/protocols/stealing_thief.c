/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/stealing_private.h"

#include "support/base/integers.h"

#include <math.h>

/* In a static pool, where the tasks left only decrease, a thief pauses after --retry refusals in a
 * row for PAUSE_ATTEMPTS times the duration of an attempt, but for no more than 1 / PAUSE_PART of
 * the time of its search, which bounds the delay. In a dynamic pool, where tasks appear anywhere at
 * any time, it does not pause. */
enum { PAUSE_ATTEMPTS = 8, PAUSE_PART = 8 };

/* After so many refusals an attempt takes MIN_ATTEMPT_S at least, in any pool: otherwise time
 * would stand still where simulated messages take none. */
enum { BRISK_ATTEMPTS = 32 };
#define MIN_ATTEMPT_S 1e-6

/* The least time between two looks at windows without tasks, which hold long ones, of 0.1 ms. */
#define MIN_LOOK_S 1e-5

static int choose_any_victim(struct taskpool_comm *comm)
{
    int victim = (int)taskpool_comm_random_below(comm, (uint64_t)comm->size - 1);
    return victim < comm->rank ? victim : victim + 1;
}

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
    return choose_any_victim(comm);
}

/* Whether refusals are too few yet for a pause or for the least time of an attempt. */
static bool asks_at_once(const struct stealing *self)
{
    int64_t retry = self->settings->retry;
    return self->n_refusals < (retry > 0 && retry < BRISK_ATTEMPTS ? retry : BRISK_ATTEMPTS);
}

void stealing_set_pause(struct stealing *self)
{
    double now_s = taskpool_comm_now(self->comm);
    int64_t retry = self->settings->retry;
    self->n_refusals++;
    self->ask_after_s = 0;
    if (asks_at_once(self))
        return;
    bool may_pause = self->deque.record_size == 0 && retry > 0 && self->n_refusals >= retry;
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

void stealing_note_success(struct stealing *self, int64_t n_tasks)
{
    termination_received_transfer(&self->termination);
    self->n_refusals = 0;
    self->ask_after_s = 0;
    self->comm->counts.steals_successful++;
    self->comm->counts.tasks_moved += n_tasks;
}

/* The number of tasks in a window that are worth taking; -1: half of them. */
static int64_t share_from_window(struct stealing *self, int mate)
{
    double speed = steal_window_speed(&self->window, mate);
    int64_t n_waiting = steal_window_n_tasks_of(&self->window, mate);
    if (self->share.problem)
        return data_share_of(&self->share,
                             &(struct data_share_request){
                                 .victim = self->comm->node_ranks[mate],
                                 .thief = self->comm->rank,
                                 .victim_speed = speed,
                                 .thief_speed = self->speed,
                                 .n_waiting = n_waiting,
                                 .n_listed = steal_window_list(&self->window, mate, DATA_SHARE_MOST,
                                                               self->share.tasks),
                                 .now_s = taskpool_comm_now(self->comm)});
    return self->minds_speeds || self->speed != speed
               ? stealing_even_share(speed, self->speed, RUNNING_TASK_LEFT, n_waiting)
               : -1;
}

/* Takes tasks from the window of another worker of the node, into the deque. */
static bool steal_from_window(struct stealing *self)
{
    struct steal_window_part part;
    int mate = steal_window_find(&self->window);
    int64_t n_wanted = self->steal_tasks, n = mate >= 0 ? share_from_window(self, mate) : -1;
    if (n >= 0 && n < max_int64(self->deque.min_share, 1))
        return false;
    if (n > 0)
        n_wanted = n_wanted > 0 && n_wanted < n ? n_wanted : n;
    if (mate < 0 ||
        !steal_window_steal(&self->window, mate, n_wanted, self->deque.min_share, &part))
        return false;
    self->comm->counts.steals_attempted++;
    stealing_note_success(self, part.n_tasks);
    stealing_push_part(self, &part);
    return true;
}

/* The position of a worker among those of this node; -1: it is on another. */
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
    if (!stealing_uses_windows(self) || (self->share.problem && !data_share_knows(&self->share)))
        return false;
    int mate = find_mate(self->comm, victim);
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
    const struct steal_request request = {
        .kind = STEALING_REQUEST, .speed = self->speed, .load_s = self->account.load_s};
    bool is_usual = self->speed == 1 && self->account.move_cost == 0;
    size_t size = is_usual ? sizeof request.kind : sizeof request;
    taskpool_comm_send(self->comm, victim, &request, size);
    termination_sent_request(&self->termination);
    self->comm->counts.steals_attempted++;
}

bool stealing_search(struct stealing *self)
{
    if (self->termination.closed || self->termination.asking || pauses(self))
        return false;
    if (stealing_uses_windows(self) && steal_from_window(self))
        return true;
    ask_victim(self);
    return false;
}
