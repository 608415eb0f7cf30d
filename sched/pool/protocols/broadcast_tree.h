/* SPDX-License-Identifier: BSD-3-Clause */
/* A tree in which a message reaches all members soonest, and their answers the root.
 *
 * The members are numbered 0, 1, ...; 16 consecutive ones count as a node, whose first has the
 * others as its children. Among the first ones a parent sends to one child after another, and
 * those that hear of it early pass it on to more. As R. M. Karp, A. Sahay, E. E. Santos and
 * K. E. Schauser show (SPAA 1993), where a message takes L times as long to arrive as to be sent
 * or received, the tree of t sends has N(t) = N(t - 1) + N(t - 1 - L) members. Here L is 48. */
#pragma once

#include <stdint.h>

/* The place of a member. */
struct broadcast_tree {
    int64_t n_members, member;
    int64_t parent;               /* -1: none, of the root, which is member 0 */
    int64_t first_node, end_node; /* of the first member of a node: the nodes of its subtree, its
                                     own node first; equal for other members: they have none */
    int n_sends;                  /* in which a message has reached all of these */
};

/* member  in [0, n_members) */
void broadcast_tree_init(struct broadcast_tree *tree, int64_t member, int64_t n_members);

/* Calls visit with each child, in the order in which they are to be sent to. Returns their number.
 * visit  NULL: only counts */
int broadcast_tree_visit(const struct broadcast_tree *tree,
                         void (*visit)(int64_t child, void *context), void *context);
