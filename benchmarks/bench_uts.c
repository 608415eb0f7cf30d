/* SPDX-License-Identifier: BSD-3-Clause */
/* Prints how fast one process walks a tree without any scheduler, in million nodes per second:
 * the best of several walks. Compare with beryl-sched --uts TREE.
 *
 *     bench_uts T1 */
#include "sched/lab/workloads/uts.h"
#include "support/base/array.h"
#include "support/base/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { n_walks = 9 };

struct stack {
    struct uts_node *nodes;
    int64_t n, capacity;
};

static enum status walk(const struct uts_tree *tree, struct stack *stack, int64_t *n_nodes)
{
    *n_nodes = 0;
    TRY(array_reserve(&stack->nodes, 1, &stack->capacity, sizeof *stack->nodes));
    uts_root(tree, stack->nodes);
    stack->n = 1;
    while (stack->n > 0) {
        struct uts_node node = stack->nodes[--stack->n];
        int n_children = uts_n_children(tree, &node);
        ++*n_nodes;
        TRY(array_reserve(&stack->nodes, stack->n + n_children, &stack->capacity,
                          sizeof *stack->nodes));
        for (int i = 0; i < n_children; i++)
            uts_child(tree, &node, i, &stack->nodes[stack->n++]);
    }
    return STATUS_OK;
}

static enum status measure(const char *name, struct stack *stack)
{
    struct uts_tree tree;
    double best = 0;
    TRY(uts_parse(name, &tree));
    for (int i = 0; i < n_walks; i++) {
        int64_t n_nodes;
        double start_s = clock_now_s();
        TRY(walk(&tree, stack, &n_nodes));
        best = fmax(best, (double)n_nodes / (clock_now_s() - start_s) * 1e-6);
    }
    printf("%.3f\n", best);
    return STATUS_OK;
}

int main(int argc, char **argv)
{
    struct stack stack = {0};
    enum status status = argc == 2 ? measure(argv[1], &stack) : FAIL(STATUS_USAGE, "name a tree");
    if (status != STATUS_OK)
        fprintf(stderr, "bench_uts: %s\n", status_text());
    free(stack.nodes);
    return status_exit_code(status);
}
