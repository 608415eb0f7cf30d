/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/uts.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>

/* The first child of the first child, and so on. */
static void descend(const struct uts_tree *tree)
{
    enum { MAX_HEIGHT = 50 };
    struct uts_node node, child;
    int n = 1;
    uts_root(tree, &node);
    for (int i = 0; i < MAX_HEIGHT && n > 0; i++) {
        n = uts_n_children(tree, &node);
        assert(n >= 0 && node.height == i);
        if (n > 0)
            uts_child(tree, &node, n - 1, &child);
        node = child;
    }
}

void fuzz_one(const char *text, size_t size)
{
    (void)size;
    struct uts_tree tree;
    if (uts_parse(text, &tree) == STATUS_OK)
        descend(&tree);
}
