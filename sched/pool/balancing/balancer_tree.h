/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of the balancer: the workers are its leaves, in order, and a node stands for a block of
 * branching^l of them, cut off at the last worker. A node with a single child is left out, and its
 * child takes its place.
 *
 * Nodes are hosted by workers: a node by the last leaf of its first child. No worker hosts two: worker r
 * hosts the node of child width w if r + 1 = (branching x i + 1) x w for some i, and that
 * holds for one w at most. With branching = n_leaves the tree is
 * one node, hosted by worker 0. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct balancer_tree {
    int64_t n_leaves;
    int64_t branching; /* at least 2 */
};

/* The node of the leaves [first, first + branching x width), cut off at n_leaves; or, with width 0,
 * the leaf `first`. */
struct balancer_place {
    int64_t first;
    int64_t width; /* leaves of a child */
};

/* The node hosted by a worker; false if it hosts none. */
bool balancer_tree_hosted(const struct balancer_tree *tree, int worker,
                          struct balancer_place *node);

/* The worker that hosts a node, or is the leaf. */
int balancer_tree_host(struct balancer_place place);

/* The parent of a place, and the index of the place among its children. False for the root. */
bool balancer_tree_parent(const struct balancer_tree *tree, struct balancer_place place,
                          struct balancer_place *parent, int32_t *child);

/* A child of a node, the number of children, and the number of leaves of a child. */
struct balancer_place balancer_tree_child(const struct balancer_tree *tree,
                                          struct balancer_place node, int32_t child);
int32_t balancer_tree_n_children(const struct balancer_tree *tree, struct balancer_place node);
int64_t balancer_tree_child_size(const struct balancer_tree *tree, struct balancer_place node,
                                 int32_t child);
