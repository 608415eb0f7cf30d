/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of broadcasts: every member once, its parent's child, and reached as soon as the
 * recurrence of the optimum says. */
#include "sched/pool/protocols/broadcast_tree.h"

#include "tests/check.h"

#include <string.h>

enum { LATENCY = 48, NODE_SIZE = 16 };

static int64_t n_members, parent, now;
static int64_t reached_at[163840]; /* 0: not yet */

static void reach(int64_t child, void *context)
{
    struct broadcast_tree tree;
    (void)context;
    assert_in_range(child, 1, n_members - 1);
    assert_int_equal(reached_at[child], 0);
    broadcast_tree_init(&tree, child, n_members);
    assert_int_equal(tree.parent, parent);
    reached_at[child] = ++now + LATENCY;
}

/* Parents come before their children. Returns when the last first member of a node is reached. */
static int64_t send_to_all(void)
{
    int64_t last = 0;
    memset(reached_at, 0, sizeof reached_at);
    for (parent = 0; parent < n_members; parent++) {
        struct broadcast_tree tree;
        broadcast_tree_init(&tree, parent, n_members);
        assert_true(parent == 0 || reached_at[parent] > 0);
        now = reached_at[parent];
        int n = broadcast_tree_visit(&tree, NULL, NULL);
        assert_int_equal(broadcast_tree_visit(&tree, reach, NULL), n);
        if (parent % NODE_SIZE == 0 && reached_at[parent] > last)
            last = reached_at[parent];
    }
    return last;
}

/* The least time in which so many nodes are reached: of those that know, each sends all the time.
 */
static int64_t optimum(int64_t n_nodes)
{
    int64_t n_knowing[1000] = {1};
    for (int t = 0;; t++) {
        if (t > 0)
            n_knowing[t] = n_knowing[t - 1] + (t > LATENCY ? n_knowing[t - 1 - LATENCY] : 0);
        if (n_knowing[t] >= n_nodes)
            return t;
    }
}

TEST(every_member_as_soon_as_possible)
{
    const int64_t numbers[] = {1, 2, 15, 16, 17, 32, 33, 100, 800, 817, 2400, 16384, 163840};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        n_members = numbers[i];
        assert_int_equal(send_to_all(), optimum((n_members + NODE_SIZE - 1) / NODE_SIZE));
    }
}

TEST(most_members)
{
    const int64_t n = INT64_C(1) << 40;
    struct broadcast_tree tree;
    broadcast_tree_init(&tree, n - 1, n);
    assert_int_equal(tree.parent, n - NODE_SIZE);
    broadcast_tree_init(&tree, n - NODE_SIZE, n);
    assert_in_range(tree.parent, 0, n - NODE_SIZE - 1);
    assert_int_equal(broadcast_tree_visit(&tree, NULL, NULL), NODE_SIZE - 1);
}
