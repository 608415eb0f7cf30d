/* SPDX-License-Identifier: BSD-3-Clause */
/* The parts of work stealing (stealing.h) that its files share. */
#pragma once

#include "sched/pool/protocols/stealing.h"

struct steal_request {
    int32_t kind;
    int32_t unused;
    double speed;  /* only if it is not 1, or moves are minded: of the thief */
    double load_s; /* the same: what the thief ran in this iteration */
};

/* Average fraction of a running task that is left when a thief asks. */
#define RUNNING_TASK_LEFT 0.5

/* --- stealing.c --- */

/* Tasks were taken to run next. */
void stealing_begin_tasks(struct stealing *stealing, const struct taskpool_mode_work *work,
                          bool initial);

/* --- stealing_victim.c --- */

/* The tasks for a thief; their number, 0 if there are none for it.
 * size  of the request: shorter if the thief's speed is the usual one */
int64_t stealing_choose_batch(struct stealing *stealing, int thief,
                              const struct steal_request *request, size_t size,
                              struct task_deque_batch *batch);

/* The number of n waiting tasks with which the later of two workers ends earliest, if the thief gets
 * them and the victim keeps the others and what is left of the task that it runs; of two such numbers
 * the smaller. Speeds are relative. */
int64_t stealing_even_share(double victim_speed, double thief_speed, double left, int64_t n);

/* --- stealing_thief.c --- */

/* A worker without tasks takes some from a window of its node, or sends a request unless it pauses;
 * whether it has tasks now. */
bool stealing_search(struct stealing *stealing);

/* After a refusal: sets the time of the next request. */
void stealing_set_pause(struct stealing *stealing);

/* Stolen tasks arrived, or were taken. */
void stealing_note_success(struct stealing *stealing, int64_t n_tasks);

/* --- stealing_window.c: the worker's own window; next_local has no part in it --- */

/* Whether tasks may be in windows: not where thefts have to be worth a move_cost. */
bool stealing_uses_windows(const struct stealing *stealing);

/* Whether waiting tasks belong into the window: long ones, which others may want. */
bool stealing_wants_window(const struct stealing *stealing, const struct taskpool_mode_work *work);

/* Takes from the front of the window, which is open; when tasks have become short, all wait in the
 * deque again, and false is returned, as when there are none. */
bool stealing_take_from_window(struct stealing *stealing, struct taskpool_mode_work *work);

/* Whether this worker is so slow that it leaves all that waits in its window to others for now, and looks
 * again a little later (stealing_pace.h). */
bool stealing_leaves_tasks(struct stealing *stealing);

/* Moves tasks from the deque into the window, which has none; and back, to be run next. */
void stealing_open_window(struct stealing *stealing);
void stealing_close_window(struct stealing *stealing);

/* Puts a part of a window into the deque, to be run next. */
void stealing_push_part(struct stealing *stealing, const struct steal_window_part *part);

/* Notes the worker's pace (stealing_pace.h) after a task that was long enough to wait in a window, if
 * paces are noted. */
void stealing_note_pace(struct stealing *stealing, int64_t task, double time_s);

/* Counts what others took from the window as transfers. */
void stealing_count_thefts(struct stealing *stealing);
