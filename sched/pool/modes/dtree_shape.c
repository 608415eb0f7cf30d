/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/modes/dtree_shape.h"

#include "sched/pool/queues/task_ranges.h"

#include <assert.h>

int64_t dtree_weight(const struct dtree_shape *shape, int rank, int n_nodes)
{
    const int64_t *sums = shape->speed_sums;
    return sums ? sums[rank + n_nodes] - sums[rank] : n_nodes;
}

static int count_children(int n_nodes, int64_t fan_out)
{
    /* A chain: the loop below would take O(n) steps at every node. */
    if (fan_out == 1)
        return n_nodes > 1;
    int64_t capacity = 1; /* of a child's subtree */
    while (1 + fan_out * capacity < n_nodes)
        capacity = 1 + fan_out * capacity;
    return (int)((n_nodes - 1 + capacity - 1) / capacity);
}

struct dtree_node dtree_root(const struct dtree_shape *shape)
{
    return (struct dtree_node){.n_nodes = shape->n_nodes,
                               .n_children = count_children(shape->n_nodes, shape->fan_out),
                               .parent = -1,
                               .weight = dtree_weight(shape, 0, shape->n_nodes)};
}

struct dtree_node dtree_child(const struct dtree_shape *shape, const struct dtree_node *node,
                              int index)
{
    assert(index >= 0 && index < node->n_children);
    struct taskpool_range nodes = taskpool_range_block(node->n_nodes - 1, node->n_children, index);
    struct dtree_node child = {.rank = node->rank + 1 + (int)nodes.first,
                               .n_nodes = (int)(nodes.last - nodes.first),
                               .parent = node->rank,
                               .index = index};
    child.n_children = count_children(child.n_nodes, shape->fan_out);
    child.before = dtree_weight(shape, node->rank, 1 + (int)nodes.first);
    child.weight = dtree_weight(shape, child.rank, child.n_nodes);
    return child;
}

int dtree_child_towards(const struct dtree_node *node, int rank)
{
    int offset = rank - node->rank - 1;
    int size = (node->n_nodes - 1) / node->n_children;
    int n_larger = (node->n_nodes - 1) % node->n_children;
    assert(offset >= 0 && offset < node->n_nodes - 1);
    int in_larger = n_larger * (size + 1);
    return offset < in_larger ? offset / (size + 1) : n_larger + (offset - in_larger) / size;
}

struct dtree_node dtree_descendant(const struct dtree_shape *shape, struct dtree_node node,
                                   int rank)
{
    /* In a chain the parent is the rank before: no walk is needed. */
    if (shape->fan_out == 1 && node.rank < rank - 1)
        node = (struct dtree_node){
            .rank = rank - 1, .n_nodes = shape->n_nodes - (rank - 1), .n_children = 1};
    while (node.rank != rank)
        node = dtree_child(shape, &node, dtree_child_towards(&node, rank));
    return node;
}
