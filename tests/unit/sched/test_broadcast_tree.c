/* SPDX-License-Identifier: BSD-3-Clause */
/* The tree of broadcasts: every member once, its parent's child, and reached as soon as the
 * recurrence of the optimum says. */
#include "sched/pool/protocols/broadcast_tree.h"

#include "tests/check.h"

#include <stdlib.h>

enum { LATENCY = 48, NODE_SIZE = 16 };

struct broadcast {
    int64_t n_members, *reached_at; /* 0: not yet */
    int64_t parent, now;
};

static void reach(int64_t child, void *context)
{
    struct broadcast *broadcast = context;
    struct broadcast_tree tree;
    assert_in_range(child, 1, broadcast->n_members - 1);
    assert_int_equal(broadcast->reached_at[child], 0);
    broadcast_tree_init(&tree, child, broadcast->n_members);
    assert_int_equal(tree.parent, broadcast->parent);
    broadcast->now++;
    broadcast->reached_at[child] = broadcast->now + LATENCY;
}

/* Parents come before their children. Returns when the last first member of a node is reached. */
static int64_t send_to_all(int64_t n_members)
{
    struct broadcast broadcast = {n_members, calloc((size_t)n_members, sizeof(int64_t)), 0, 0};
    int64_t last = 0;
    for (int64_t member = 0; member < n_members; member++) {
        struct broadcast_tree tree;
        broadcast_tree_init(&tree, member, n_members);
        assert_true(member == 0 || broadcast.reached_at[member] > 0);
        broadcast.parent = member;
        broadcast.now = broadcast.reached_at[member];
        int n = broadcast_tree_visit(&tree, NULL, NULL);
        assert_int_equal(broadcast_tree_visit(&tree, reach, &broadcast), n);
        if (member % NODE_SIZE == 0 && broadcast.reached_at[member] > last)
            last = broadcast.reached_at[member];
    }
    free(broadcast.reached_at);
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
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        assert_int_equal(send_to_all(numbers[i]),
                         optimum((numbers[i] + NODE_SIZE - 1) / NODE_SIZE));
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
