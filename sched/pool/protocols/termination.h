/* SPDX-License-Identifier: BSD-3-Clause */
/* Termination detection: workers that take work from each other find that no work is left and
 * no message between them is on its way.
 *
 * The members of a group are numbered 0, 1, ... Work travels in transfers;
 * requests and refusals are control messages. Detection has three steps, named after the colours
 * of its messages:
 *   wave  until it is certain that all members are without work and no transfer is on its way
 *   pink  all stop requesting (closed), until it is certain that no control message is on its way
 *   red   all are notified: finished
 * Messages may overtake each other.
 *
 * tree  waves down and up a binary tree of the members (Francez, ACM TOPLAS 2
 *       (1980) 42, as in Lifflander et al., HPDC 2012, section 6). A member
 *       answers a wave when it is without work and its children have answered.
 *       The wave is white if no member of the subtree got work since it answered
 *       the wave before (and so none gave any: it was without work then), and
 *       carries the numbers of transfers sent and received. White and equal
 *       numbers end the first step: nothing changed between the answers to two
 *       waves, where one ended before the other began, and at that moment all
 *       that had been sent was received. In the second step a member answers
 *       when its own request has been answered.
 * wide  four sweeps over a tree of many branches (broadcast_tree.h) instead of six over a binary
 *       one, for a mode whose end must cost next to nothing. One wave finds that all members
 *       were without work, each at some time; where tasks add none, a member whose last ones
 *       still run counts as without. In the second step (closing) nobody requests any more, and
 *       a member answers when its own request has been answered, black if it has work. If all
 *       are white, nobody can get work again: a transfer on its way would answer a request.
 *       If one is black, requests are allowed again with another wave.
 * ring  a token that member 0 sends round (Dijkstra and Safra; Dinan et al.,
 *       PMEO-PDS 2007, 3.2.1 and 3.2.2). A member passes it on when without
 *       work, black if it gave work since it last did. One white round with
 *       equal numbers is not enough: a transfer sent in the round before may
 *       make a member behind the token send work to one before it. Two such
 *       rounds in a row are: white means that the numbers are equal to the last
 *       round's. Then the token is pink and goes round
 *       until as many control messages were received as sent; then it is red. */
#pragma once

#include "sched/pool/protocols/broadcast_tree.h"
#include "taskpool/mode.h"

/* TERMINATION_BY_MODE  of an option: what the mode prefers */
enum termination_rule {
    TERMINATION_BY_MODE,
    TERMINATION_TREE,
    TERMINATION_WIDE,
    TERMINATION_RING,
};

/* The step that a message belongs to. */
enum termination_step { TERMINATION_WAVE, TERMINATION_CLOSING, TERMINATION_PINK, TERMINATION_RED };

struct termination_message {
    int32_t kind;   /* the user's: distinguishes these messages from its own */
    int32_t step;   /* enum termination_step */
    int32_t up;     /* tree, wide: 1 for an answer */
    int32_t black;  /* 1 or 0 */
    int64_t n_sent; /* transfers or, when pink, control messages */
    int64_t n_received;
};

struct termination {
    struct taskpool_comm *comm; /* borrowed */
    int rule;                   /* enum termination_rule but BY_MODE */
    int32_t kind;
    int member, n_members;
    int (*rank_of)(int member, const void *context); /* worker */
    const void *context;

    /* Counted by the functions below. */
    int64_t transfers_sent, transfers_received;
    int64_t controls_sent, controls_received;
    bool asking; /* a request of this member is not answered */

    bool black;  /* since the last answer or passing: tree: got work; ring: gave work */
    bool closed; /* no more requests */
    bool finished;

    /* The wave or the token. */
    bool here;
    struct termination_message current;
    struct broadcast_tree wide;
    int n_children, n_answers; /* tree, wide */
    int n_white;               /* ring, member 0: white rounds with equal numbers in a row */
};

/* kind     of this user's messages, which begin with such an int32_t
 * rank_of  the rank of a member; the same on all; NULL: its number
 * comm, context  borrowed */
void termination_init(struct termination *termination, struct taskpool_comm *comm, int rule,
                      int32_t kind, int member, int n_members,
                      int (*rank_of)(int member, const void *context), const void *context);

/* Begins an iteration; no message of the last one is on its way. */
void termination_begin(struct termination *termination);

/* This member sent or received a transfer of work, a request, or a refusal. A
 * transfer answers a request as a refusal does. */
void termination_sent_transfer(struct termination *termination);
void termination_received_transfer(struct termination *termination);
void termination_sent_request(struct termination *termination);
void termination_received_request(struct termination *termination);
void termination_sent_refusal(struct termination *termination);
void termination_received_refusal(struct termination *termination);

/* This member has no work now. To be called after every event while that is so. */
void termination_without_work(struct termination *termination);

/* A message of the kind arrived.
 * without_work  this member has no work now */
void termination_receive(struct termination *termination, const struct termination_message *message,
                         bool without_work);

/* Whether it is certain that no work will arrive. */
bool termination_is_certain(const struct termination *termination);

/* The text about the detection in struct taskpool_mode's describe. */
void termination_describe(const struct termination *termination, char *text, size_t size);
