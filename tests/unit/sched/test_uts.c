/* SPDX-License-Identifier: BSD-3-Clause */
/* The trees of the UTS benchmark have the published sizes. */
#include "sched/lab/workloads/uts.h"
#include "tests/check.h"

#include <string.h>

struct count {
    int64_t nodes, leaves, depth;
};

/* A walk with a stack of nodes. */
static struct count walk(const char *text)
{
    struct uts_tree tree;
    struct count count = {0};
    int64_t n = 1, capacity = 1 << 16;
    struct uts_node *stack = malloc((size_t)capacity * sizeof *stack);
    assert_non_null(stack);
    check_ok(uts_parse(text, &tree));
    uts_root(&tree, &stack[0]);
    while (n > 0) {
        struct uts_node node = stack[--n];
        int n_children = uts_n_children(&tree, &node);
        count.nodes++;
        count.leaves += n_children == 0;
        count.depth = node.height > count.depth ? node.height : count.depth;
        assert_true(n + n_children <= capacity);
        for (int i = 0; i < n_children; i++)
            uts_child(&tree, &node, i, &stack[n++]);
    }
    free(stack);
    return count;
}

static void check_walk(const char *text, int64_t nodes, int64_t leaves, int64_t depth)
{
    struct count count = walk(text);
    assert_int_equal(count.nodes, nodes);
    assert_int_equal(count.leaves, leaves);
    assert_int_equal(count.depth, depth);
}

/* Source: the sample workloads of the benchmark. */
TEST(trees_have_the_published_sizes)
{
    check_walk(" -t 1 -a 3  -d 10 -b 4 -r 19", 4130071, 3305118, 10); /* T1 */
    check_walk("T2", 4117769, 2342762, 81);
    check_walk("T3", 4112897, 3599034, 1572);
    check_walk("T4", 4132453, 3108986, 134);
    check_walk("T5", 4147582, 2181318, 20);
}

/* Where b < 1, expdec grows with the height: without bound at depth 1, soon past 1e16 at depth 2. */
TEST(numbers_of_children_are_bounded)
{
    const char *const texts[] = {"-t 1 -a 1 -d 1 -b 0.555 -r 10", "-t 1 -a 1 -d 2 -b 1e-9"};
    for (int i = 0; i < 2; i++) {
        struct uts_tree tree;
        struct uts_node node;
        check_ok(uts_parse(texts[i], &tree));
        uts_root(&tree, &node);
        node.height = 100;
        assert_int_equal(uts_n_children(&tree, &node), 100);
    }
}

/* (3^6 - 1) / 2 nodes. */
TEST(balanced_and_degenerate_trees)
{
    check_walk("-t 3 -b 3 -d 5", 364, 243, 5);
    check_walk("-t 3 -b 3 -d 5 -g 4", 364, 243, 5);
    check_walk("-t 3 -b 0", 1, 1, 0);
    check_walk("-t 0 -b 2000 -q 0", 2001, 2000, 1);
    check_walk("-t 1 -a 1 -b 0", 1, 1, 0);
}

TEST(bad_text_is_refused)
{
    const char *const texts[] = {
        "",      " ",      "T6",      "t1",    "-t",
        "-t 4",  "-t x",   "-z 1",    "-d 0",  "-d 1.5",
        "-q 2",  "-q nan", "-b 1e99", "4",     "-b -1",
        "-r -1", "-t 1 2", "-m 1 T1", "--t 1", "-d 99999999999999999999",
    };
    struct uts_tree tree;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        assert_int_equal(uts_parse(texts[i], &tree), STATUS_USAGE);
        assert_non_null(strstr(status_text(), "--uts"));
    }
}
