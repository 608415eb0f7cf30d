/* SPDX-License-Identifier: BSD-3-Clause */
/* Work stealing, common to the modes steal, retentive, persist and auto: a
 * worker runs the tasks of its own deque; without any it asks one worker after
 * another until one gives it half of the tasks it shares, or until the end is
 * detected (termination.h).
 *
 * Source: Lifflander, Krishnamoorthy, Kale, HPDC 2012, section 6, with messages
 * where the paper has active messages. A thief has one request under way. The
 * victim answers at once, with a refusal or with a transfer, which is read
 * straight from its deque while it continues and answers others; a refused thief
 * asks the next victim.
 *
 * Two changes, which --as-published undoes:
 * - In static pools a worker shares all long tasks that wait, not half: a task that no thief can
 *   take would end last if it waits behind another long one. And it shares none
 *   before its first task; the paper's worker shares one when it adds its second.
 * - A thief of a static pool pauses after 32 refusals in a row: there is hardly
 *   anything left then, and requests of all workers would flood the network and
 *   the few that still have tasks.
 *
 * Where the workers of a node share memory, long tasks that wait are not in the deque but in the
 * worker's window there (steal_window.h). Others of the node take them from it without an answer of
 * the worker, which answers only between two tasks. A thief looks at the windows of its node before
 * it sends a request, and sends none to a worker whose tasks are all in its window. For that the
 * mode has to set node_words. Not as published, and not with --deque. */
#pragma once

#include "sched/pool/core/comm.h"
#include "sched/pool/protocols/termination.h"
#include "sched/pool/queues/record_list.h"
#include "sched/pool/queues/task_deque.h"
#include "sched/pool/queues/task_ranges.h"
#include "sched/pool/shared/steal_window.h"
#include "taskpool/mode.h"

/* The first word of every message. */
enum stealing_kind {
    STEALING_REQUEST = STEALING_FIRST_KIND,
    STEALING_REFUSAL,
    STEALING_TRANSFER,
    STEALING_TERMINATION,
};

/* VICTIM_BY_MODE  of the option: what the mode prefers */
enum stealing_victim { VICTIM_BY_MODE, VICTIM_RANDOM, VICTIM_NODE };

struct stealing_settings {
    const char *steal; /* "half" or a number: of the shared tasks, per steal */
    int victim;        /* enum stealing_victim */
    int termination;   /* enum termination_rule */
    int64_t deque;     /* most entries that a deque may hold; 0: no bound */
    bool as_published; /* read by modes, too */
};

struct stealing {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct stealing_settings *settings;
    int64_t steal_tasks; /* of --steal; 0: half */
    int victim;          /* enum stealing_victim but BY_MODE */
    struct taskpool_comm *comm;
    struct task_deque deque;
    struct steal_window window; /* of long tasks */
    bool window_is_open;        /* tasks may be there; changed by next alone */
    struct termination termination;
    bool enabled;           /* in this iteration; else a worker without tasks is done */
    bool searching;         /* no task runs here and the deque is empty */
    bool runs_last;         /* tasks run, and were the last of the deque */
    int64_t n_refusals;     /* in a row */
    double searched_from_s; /* since then it is searching */
    double asked_s;         /* the last request */
    bool passed_over_mate; /* its victim was not the first choice, which is known to have nothing */
    double ask_after_s;    /* no request before this time; 0: at once */
    struct record_list *ran; /* notes initial records that run here; borrowed; NULL: none does */
};

/* setup, comm  borrowed
 * Errors: STATUS_USAGE (--steal), STATUS_NO_MEMORY. */
enum status stealing_init(struct stealing *stealing, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm);

/* After stealing_init: how the end is detected and a victim chosen unless options say;
 * TERMINATION_TREE and VICTIM_RANDOM. */
void stealing_prefer(struct stealing *stealing, enum termination_rule termination,
                     enum stealing_victim victim);

/* Begins an iteration; the deque is empty. */
void stealing_begin(struct stealing *stealing, bool enabled);

/* Puts a list of ranges into the deque, to be run in that order. Errors: as
 * task_deque_push_range. */
enum status stealing_push(struct stealing *stealing, const struct task_ranges *ranges);

/* Puts the records with which a dynamic pool began into the deque, the first to be run first.
 * Errors: as taskpool_stealing_add. */
enum status stealing_push_records(struct stealing *stealing, const struct record_list *records);

/* A mode whose state begins with a struct stealing has the functions of taskpool/mode.h in its
 * table: taskpool_stealing_seed and so on; receive is for messages of enum stealing_kind. Ranges of
 * the seeding run in their order there. Modes in this library use the functions of both headers,
 * other modes only taskpool/mode.h. */
