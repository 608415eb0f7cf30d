/* SPDX-License-Identifier: BSD-3-Clause */
/* Shared by the files of pairs.h alone: pairs.c has the rounds and the worker of less load,
 * pairs_gift.c what the one of more load gives. */
#pragma once

#include "sched/pool/balancing/pairs.h"

/* Tasks offered in a round: as many as `taken` of a message has bits. */
enum { PAIRS_MOST_OFFERED = 32 };

/* Tasks of a pair that are all looked at together: 4,096 subsets. */
enum { PAIRS_FEW_TASKS = 12 };

/* Whether the worker of more load has a task for the partner to try. */
bool pairs_is_trial_round(const struct pairs *pairs);

/* Takes a task out of a bin that has some. */
struct pairs_task pairs_remove_task(struct pairs *pairs, int64_t bin);

/* Seconds by which a task that moves takes longer in the next iteration, on a worker of this speed. */
static inline double pairs_moved_seconds(const struct pairs *pairs, double work, double speed)
{
    return pairs->rules->move_cost * work / speed;
}

/* A removed task is the partner's; one of the partner's is here now. */
void pairs_note_given(struct pairs *pairs, const struct pairs_task *task);
void pairs_add_task(struct pairs *pairs, const struct pairs_task *task);

/* Sends items of a size, which are freed after the phase. */
void pairs_send_items(struct pairs *pairs, struct balancer_message *head, void *items,
                      size_t item_size);

/* Chooses what the partner gets for its offer, and sends it. */
void pairs_answer_offer(struct pairs *pairs);
