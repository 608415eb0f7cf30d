#include "sched/dtree_shape.h"

#include "sched/task_ranges.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>

void dtree_shape_init(struct dtree_shape *shape, int n_nodes, int64_t fan_out, const double *speeds)
{
    *shape = (struct dtree_shape){.n_nodes = n_nodes, .fan_out = fan_out, .speeds = speeds};
    for (int i = 0; speeds && i < n_nodes; i++)
        shape->max_speed = fmax(shape->max_speed, speeds[i]);
}

int64_t dtree_weight(const struct dtree_shape *shape, int rank, int n_nodes)
{
    if (!shape->speeds)
        return n_nodes;
    int64_t weight = 0;
    for (int i = rank; i < rank + n_nodes; i++) {
        int64_t own = (int64_t)(shape->speeds[i] / shape->max_speed * 0x1p30);
        weight += own > 0 ? own : 1;
    }
    return weight;
}

static int count_children(int n_nodes, int64_t fan_out)
{
    /* A chain: its height is not to be climbed step by step at every node. */
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
    struct task_range nodes = task_range_block(node->n_nodes - 1, node->n_children, index);
    struct dtree_node child = {.rank = node->rank + 1 + (int)nodes.first,
                               .n_nodes = (int)(nodes.last - nodes.first),
                               .parent = node->rank,
                               .index = index};
    child.n_children = count_children(child.n_nodes, shape->fan_out);
    child.before = dtree_weight(shape, node->rank, 1 + (int)nodes.first);
    /* What is left is the last one's: in a chain no sum is taken twice. */
    child.weight = index == node->n_children - 1 ? node->weight - child.before
                                                 : dtree_weight(shape, child.rank, child.n_nodes);
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
