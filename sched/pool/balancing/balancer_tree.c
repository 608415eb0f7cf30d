/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_tree.h"

static bool is_node(const struct balancer_tree *tree, int64_t first, int64_t width)
{
    return first + width < tree->n_leaves;
}

bool balancer_tree_hosted(const struct balancer_tree *tree, int worker, struct balancer_place *node)
{
    int64_t end = (int64_t)worker + 1, width = 1;
    while (end / width % tree->branching == 0)
        width *= tree->branching;
    *node = (struct balancer_place){.first = end - width, .width = width};
    return end / width % tree->branching == 1 && is_node(tree, node->first, width);
}

int balancer_tree_host(struct balancer_place place)
{
    return (int)(place.width > 0 ? place.first + place.width - 1 : place.first);
}

bool balancer_tree_parent(const struct balancer_tree *tree, struct balancer_place place,
                          struct balancer_place *parent, int32_t *child)
{
    int64_t b = tree->branching;
    for (int64_t width = place.width > 0 ? place.width * b : 1;; width *= b) {
        int64_t first = place.first / (b * width) * (b * width);
        if (is_node(tree, first, width)) {
            *parent = (struct balancer_place){.first = first, .width = width};
            *child = (int32_t)((place.first - first) / width);
            return true;
        }
        if (first == 0)
            return false;
    }
}

struct balancer_place balancer_tree_child(const struct balancer_tree *tree,
                                          struct balancer_place node, int32_t child)
{
    struct balancer_place place = {.first = node.first + child * node.width,
                                   .width = node.width / tree->branching};
    while (place.width > 0 && !is_node(tree, place.first, place.width))
        place.width /= tree->branching;
    return place;
}

int32_t balancer_tree_n_children(const struct balancer_tree *tree, struct balancer_place node)
{
    int64_t n = (tree->n_leaves - node.first - 1) / node.width + 1;
    return (int32_t)(n < tree->branching ? n : tree->branching);
}

int64_t balancer_tree_child_size(const struct balancer_tree *tree, struct balancer_place node,
                                 int32_t child)
{
    int64_t left = tree->n_leaves - node.first - child * node.width;
    return left < node.width ? left : node.width;
}
