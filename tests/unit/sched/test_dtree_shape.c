/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of mode dtree has the paper's shape, with one parent for each node. */
#include "sched/pool/core/speeds.h"
#include "sched/pool/modes/dtree_shape.h"
#include "tests/check.h"

static int visit(const struct dtree_shape *shape, const struct dtree_node *node, int *parents)
{
    int n_nodes = 1, height = 0;
    int64_t before = 1;
    assert_true(node->n_children <= shape->fan_out);
    for (int i = 0; i < node->n_children; i++) {
        struct dtree_node child = dtree_child(shape, node, i);
        assert_int_equal(child.parent, node->rank);
        assert_int_equal(child.rank, node->rank + n_nodes);
        assert_int_equal(child.before, before);
        assert_int_equal(child.weight, child.n_nodes);
        for (int rank = child.rank; rank < child.rank + child.n_nodes; rank++)
            assert_int_equal(dtree_child_towards(node, rank), i);
        struct dtree_node found = dtree_descendant(shape, dtree_root(shape), child.rank);
        assert_true(found.rank == child.rank && found.n_nodes == child.n_nodes &&
                    found.n_children == child.n_children && found.parent == child.parent &&
                    found.index == child.index && found.weight == child.weight &&
                    found.before == child.before);
        assert_int_equal(parents[child.rank], -1);
        parents[child.rank] = node->rank;
        int child_height = visit(shape, &child, parents);
        height = child_height >= height ? child_height + 1 : height;
        n_nodes += child.n_nodes;
        before += child.weight;
    }
    assert_int_equal(n_nodes, node->n_nodes);
    return height;
}

TEST(every_node_has_one_parent)
{
    for (int n_nodes = 1; n_nodes <= 200; n_nodes++)
        for (int fan_out = 1; fan_out <= 20; fan_out++) {
            const struct dtree_shape shape = {.n_nodes = n_nodes, .fan_out = fan_out};
            struct dtree_node root = dtree_root(&shape);
            int parents[200];
            for (int i = 0; i < n_nodes; i++)
                parents[i] = -1;
            int height = visit(&shape, &root, parents);
            for (int i = 1; i < n_nodes; i++)
                assert_true(parents[i] >= 0);
            int least = 0;
            for (int capacity = 1; capacity < n_nodes; capacity = 1 + fan_out * capacity)
                least++;
            assert_int_equal(height, least);
        }
}

/* The example of the paper's figure 1: 32 nodes, fan-out 16. */
TEST(fractions_follow_the_speeds)
{
    double speeds[32];
    for (int i = 0; i < 32; i++)
        speeds[i] = i == 0 ? 5 : i < 17 ? 2 : 1;
    int64_t *sums;
    check_ok(speeds_sum(speeds, 32, &sums));
    const struct dtree_shape shape = {.n_nodes = 32, .fan_out = 16, .speed_sums = sums};
    struct dtree_node root = dtree_root(&shape);
    struct dtree_node left = dtree_child(&shape, &root, 0), right = dtree_child(&shape, &root, 1);
    double all = 5 + 16 * 2 + 15 * 1;
    assert_true(root.n_children == 2 && left.n_children == 15 && right.n_children == 14);
    check_close((double)dtree_weight(&shape, 0, 1) / (double)root.weight, 5 / all, 1e-8);
    check_close((double)left.weight / (double)root.weight, 32 / all, 1e-8);
    check_close((double)right.weight / (double)root.weight, 15 / all, 1e-8);
    assert_int_equal(dtree_weight(&shape, 0, 1) + left.weight + right.weight, root.weight);
    free(sums);
}
