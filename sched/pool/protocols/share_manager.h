/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages and state of the two roles, worker and manager, in mode share (mode_share.c). */
#pragma once

#include "sched/pool/queues/record_list.h"
#include "sched/pool/queues/task_queue.h"
#include "taskpool/mode.h"

enum share_kind {
    SHARE_REQUEST,     /* worker to manager */
    SHARE_RELEASE,     /* worker to manager: a chunk */
    SHARE_GRANT,       /* manager to worker: a chunk */
    SHARE_END,         /* manager to worker: no task is left */
    SHARE_ASK,         /* manager to manager */
    SHARE_REFUSAL,     /* manager to manager */
    SHARE_TRANSFER,    /* manager to manager: chunks */
    SHARE_TERMINATION, /* manager to manager, see termination.h */
};

struct share_settings {
    int64_t managers;
    int64_t release_every; /* tasks between two releases of surplus */
};

/* In a dynamic pool the n records follow. */
struct share_message {
    int32_t kind; /* enum share_kind */
    int32_t unused;
    int64_t n; /* tasks; request: chunks released since the last one */
    struct taskpool_range range;
};

struct share_state {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct share_settings *settings;
    struct taskpool_comm *comm;
    int64_t chunk; /* tasks */
    int n_managers;
    int manager;                   /* rank; -1: this is the only worker */
    struct share_manager *managed; /* of a manager; NULL: this is a worker */
    struct record_list initial;
    struct task_queue queue; /* a worker's own tasks, or those for a manager's workers */

    /* State of a worker. */
    bool asking, finished;
    int64_t n_since_release; /* tasks */
    int64_t n_released;      /* chunks, since the last request */
};

/* The first rank of a group, its manager; context is the share_state. */
int share_first_of_group(int group, const void *context);

/* Sends a message without tasks, or the oldest n tasks of the queue. */
void share_send_word(struct share_state *share, int to, int32_t kind, int64_t n);
void share_send_tasks(struct share_state *share, int to, int32_t kind, int64_t n);

/* Puts the tasks of a message into the queue. */
void share_take_tasks(struct share_state *share, const struct share_message *message);

/* Makes this worker the manager of a group. Errors: STATUS_NO_MEMORY. */
enum status share_manager_create(struct share_state *share, int group);
void share_manager_destroy(struct share_manager *manager); /* NULL is fine */

/* Begins an iteration, with its block of a static pool in the queue. */
void share_manager_begin(struct share_state *share);

/* Entries of struct taskpool_mode, of a manager. */
enum taskpool_mode_step share_manager_next(struct share_state *share);
void share_manager_receive(struct share_state *share, int from,
                           const struct share_message *message);
double share_manager_progress(const struct share_state *share);

/* share_manager_describe reads a manager that another thread may be changing. */
void share_manager_describe(const struct share_manager *manager, char *text, size_t size);
