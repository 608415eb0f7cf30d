/* SPDX-License-Identifier: BSD-3-Clause */
/* Termination detection of a diffusing computation: work spreads from workers that have some, and
 * a worker without any does nothing until work reaches it. Unlike the waves of termination.h it
 * takes one acknowledgement for each message with work, and none from workers that wait.
 *
 * A worker is engaged by the message that brings it work, whose sender becomes its parent, until
 * it is without work and all messages with work that it sent are acknowledged: it then
 * acknowledges the one that engaged it. Those that reach an engaged worker are acknowledged
 * at once. So the engaged workers are a tree, and when its root, worker 0, is without work and not
 * owed an acknowledgement, nobody has work and none is on its way. All begin engaged, as the
 * children of a binary tree of ranks, down which the root then announces the end. Messages may
 * overtake each other.
 *
 * The user's other messages must have been answered before a worker counts as without work; then
 * none of them is on its way at the end either.
 *
 * Source: Dijkstra and Scholten, Inf. Process. Lett. 11 (1980) 1. */
#pragma once

#include "taskpool/mode.h"

/* --- the binary tree of all ranks, with rank 0 as its root: children 2 r + 1 and 2 r + 2 --- */

/* Rank of the parent; defined, but without meaning, for rank 0. */
static inline int rank_tree_parent(const struct taskpool_comm *comm)
{
    return (comm->rank - 1) / 2;
}

/* Child i in [0, rank_tree_n_children). */
static inline int rank_tree_child(const struct taskpool_comm *comm, int i)
{
    return 2 * comm->rank + 1 + i;
}

static inline int rank_tree_n_children(const struct taskpool_comm *comm)
{
    int64_t n = comm->size - (2 * (int64_t)comm->rank + 1);
    return n < 0 ? 0 : n > 2 ? 2 : (int)n;
}

/* --- the detection --- */

struct diffusing_message {
    int32_t kind;   /* the user's: distinguishes these messages from its own */
    int32_t is_end; /* 1: the end; 0: an acknowledgement */
};

struct diffusing {
    struct taskpool_comm *comm; /* borrowed */
    int32_t kind;
    int parent; /* while engaged; not of worker 0 */
    bool engaged;
    int64_t n_unacknowledged; /* messages with work that this worker sent */
    bool finished;            /* the end has been announced to this worker */
};

/* kind  of this user's messages, which begin with such an int32_t */
void diffusing_init(struct diffusing *diffusing, struct taskpool_comm *comm, int32_t kind);

/* Begins an iteration or a phase: this worker may have work. */
void diffusing_begin(struct diffusing *diffusing);

/* This worker sent a message with work, or received one. */
void diffusing_sent_work(struct diffusing *diffusing);
void diffusing_received_work(struct diffusing *diffusing, int from);

/* Tells that this worker has no work now and no request of its own is unanswered. To be called
 * after every event while that is so. */
void diffusing_without_work(struct diffusing *diffusing);

/* A message of the kind arrived. */
void diffusing_receive(struct diffusing *diffusing, const struct diffusing_message *message);

/* The text about the detection in struct taskpool_mode's describe. */
void diffusing_describe(const struct diffusing *diffusing, char *text, size_t size);
