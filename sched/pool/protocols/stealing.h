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
 * --release all  of long tasks a worker shares all that wait, not half: one that waits behind
 *                another long one, and that no thief can take, would end last. And it shares none
 *                before its first task; the paper's shares one when it adds its second.
 * --retry N      a thief of a static pool pauses after N refusals in a row: there is hardly
 *                anything left then, and requests of all workers would flood the network and
 *                the few that still have tasks.
 *
 * Where the workers of a node share memory, long tasks that wait are not in the deque but in the
 * worker's window there (steal_window.h), from which the others of the node take them without its
 * answer, which it could give only between two tasks. A thief looks at the windows of its node before
 * it sends a request, and sends none to a worker whose tasks are all in its window. For that the mode
 * has to set node_words. Not with --release half, and not where thefts have to be worth a move_cost.
 *
 * Where a task takes longer elsewhere than where it ran in the last iteration, modes that begin there
 * mind that: a request then says what the thief has run, and the victim gives what is worth moving
 * (move_account.h) instead of half. Where speeds are known, a thief gets as many as let both end at
 * the same time, and a victim between two tasks keeps one for itself. */
#pragma once

#include "sched/pool/core/comm.h"
#include "sched/pool/protocols/data_share.h"
#include "sched/pool/protocols/move_account.h"
#include "sched/pool/protocols/stealing_pace.h"
#include "sched/pool/protocols/termination.h"
#include "sched/pool/queues/ran_tasks.h"
#include "sched/pool/queues/task_deque.h"
#include "sched/pool/queues/task_ranges.h"
#include "sched/pool/shared/steal_window.h"
#include "taskpool/mode.h"

#include <stdatomic.h>

/* The first word of every message. */
enum stealing_kind {
    STEALING_REQUEST = STEALING_FIRST_KIND,
    STEALING_REFUSAL,
    STEALING_TRANSFER,
    STEALING_TERMINATION,
};

enum stealing_victim { VICTIM_RANDOM, VICTIM_NODE };
enum stealing_release { RELEASE_ALL, RELEASE_HALF };

struct stealing_settings {
    const char *steal; /* "half" or a number: of the shared tasks, per steal */
    int victim;        /* enum stealing_victim */
    int termination;   /* enum termination_rule */
    int64_t deque;     /* most entries that a deque may hold; 0: no bound */
    int release;       /* enum stealing_release: of long tasks */
    int64_t retry;     /* refusals in a row before a pause; 0: no pauses */
    bool as_published; /* read by the table of options alone */
};

struct stealing {
    const struct taskpool_mode_setup *setup; /* borrowed, as comm and settings */
    const struct stealing_settings *settings;
    int64_t steal_tasks; /* of --steal; 0: half */
    struct taskpool_comm *comm;
    struct task_deque deque;
    struct steal_window window; /* of long tasks */
    bool window_is_open;        /* tasks may be there; changed by next alone */
    struct termination termination;
    bool enabled;           /* in this iteration; else a worker without tasks is done */
    bool searching;         /* no task runs here and the deque is empty */
    bool ran_dry;           /* in this iteration: what has run since then was stolen */
    bool runs_last;         /* tasks run, and were the last of the deque */
    int64_t n_refusals;     /* in a row */
    double searched_from_s; /* since then it is searching */
    double asked_s;         /* the last request */
    bool passed_over_mate; /* its victim was not the first choice, which is known to have nothing */
    double ask_after_s;    /* no request before this time; 0: at once */

    struct ran_tasks *ran; /* borrowed; NULL: tasks that ran are not noted */
    double speed;          /* of this worker, relative; 1 unless the mode sets it */
    struct stealing_pace pace;
    bool minds_speeds;   /* they are known; the mode then calls stealing_finished */
    atomic_bool between; /* no task runs here, if the mode calls it */
    bool minds_moves;    /* moving costs something; the mode then calls stealing_finished */
    struct move_account account;
    struct data_share share;
};

/* setup, comm  borrowed
 * ran          notes the tasks that run here, borrowed; NULL: none
 * Errors: STATUS_USAGE (--steal), STATUS_NO_MEMORY. */
enum status stealing_init(struct stealing *stealing, const struct taskpool_mode_setup *setup,
                          struct taskpool_comm *comm, struct ran_tasks *ran);

/* After stealing_init: how the end is detected unless --termination says; TERMINATION_TREE. */
void stealing_prefer_termination(struct stealing *stealing, enum termination_rule rule);

/* After stealing_begin, in an iteration that begins where tasks ran in the last one: thieves get what is
 * worth the problem's move_cost, if it has one. */
void stealing_mind_moves(struct stealing *stealing);

/* After stealing_init: thieves get what is worth its data (data_share.h), if the problem has
 * data_costs. The mode then calls stealing_finished. Errors: STATUS_NO_MEMORY. */
enum status stealing_mind_data(struct stealing *stealing);

/* A task of a static pool ended here. */
void stealing_finished(struct stealing *stealing, int64_t task, double time_s);

/* Begins an iteration; the deque is empty. */
void stealing_begin(struct stealing *stealing, bool enabled);

/* After stealing_begin, for one iteration: costs are predicted, but speeds not known. The mode then
 * calls stealing_finished at the end of every task.
 * load  predicted cost of all tasks that the worker begins with */
void stealing_note_paces(struct stealing *stealing, double load);

/* Puts a list of ranges into the deque, to be run in that order. Errors: those of
 * task_deque_push_range. */
enum status stealing_push(struct stealing *stealing, const struct task_ranges *ranges);

/* Puts the records with which a dynamic pool began into the deque, the first to be run first.
 * Errors: those of taskpool_stealing_add. */
enum status stealing_push_records(struct stealing *stealing, const struct record_list *records);

/* The entries of struct taskpool_mode for modes whose state begins with a struct stealing are those
 * of taskpool/mode.h, taskpool_stealing_seed and so on; receive is for messages of enum
 * stealing_kind. Ranges of the seeding run in the order that they have there. */
