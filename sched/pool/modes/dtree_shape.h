/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of mode dtree: the parent and children of each worker, and the weights in proportion
 * to which tasks are divided. Pamnany et al., ISC High Performance 2015, section 2.2,
 * generalised from their figure 1 to any number of nodes.
 *
 * The tree is as flat as its fan-out F allows, so that most nodes are leaves. A
 * subtree of height h holds at most cap(h) nodes,
 *     cap(0) = 1,  cap(h) = 1 + F cap(h - 1).
 * A node whose subtree has n nodes, itself included, has
 *     k = ceil((n - 1) / cap(h - 1)),  h the least with cap(h) >= n,
 * children, and the n - 1 others are divided among their subtrees evenly, the
 * larger ones first. Nodes are numbered depth first from the root, 0: a subtree
 * is a range of ranks, and any worker finds its position in O(log n) steps, also in
 * the chain of F = 1. */
#pragma once

#include <stdint.h>

struct dtree_shape {
    int n_nodes;               /* >= 1 */
    int64_t fan_out;           /* >= 1 */
    const int64_t *speed_sums; /* n_nodes + 1, see speeds_sum, borrowed; NULL: all are equal */
};

/* Weights are whole numbers, so that sums do not depend on their order: nodes when all are equally
 * fast, else in the units of speeds_sum. */
struct dtree_node {
    int rank;
    int n_nodes; /* of its subtree: the ranks [rank, rank + n_nodes) */
    int n_children;
    int parent;     /* rank; -1: it is the root */
    int index;      /* among its parent's children */
    int64_t weight; /* of its subtree */
    int64_t before; /* weight of its parent and the subtrees of earlier siblings */
};

struct dtree_node dtree_root(const struct dtree_shape *shape);

/* The child of an index in [0, n_children). */
struct dtree_node dtree_child(const struct dtree_shape *shape, const struct dtree_node *node,
                              int index);

/* Index of the child whose subtree contains a rank, which lies below the node. */
int dtree_child_towards(const struct dtree_node *node, int rank);

/* The node of a rank of the node's subtree. */
struct dtree_node dtree_descendant(const struct dtree_shape *shape, struct dtree_node node,
                                   int rank);

/* Weight of the nodes [rank, rank + n_nodes). */
int64_t dtree_weight(const struct dtree_shape *shape, int rank, int n_nodes);
