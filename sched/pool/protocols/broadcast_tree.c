/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/broadcast_tree.h"

/* MOST_SENDS: enough for 2^63 members. */
enum { NODE_SIZE = 16, LATENCY = 48, MOST_SENDS = 1024 };

/* A subtree of consecutive nodes; the first is its root. */
struct subtree {
    int64_t first, end;
    int n_sends;
};

/* N(t) up to the first t at which all nodes are reached, which is returned. */
static int list_tree_sizes(int64_t n_members, int64_t sizes[MOST_SENDS])
{
    int64_t n_nodes = (n_members - 1) / NODE_SIZE + 1;
    int t = 0;
    for (sizes[0] = 1; sizes[t] < n_nodes; t++)
        sizes[t + 1] = sizes[t] + (t < LATENCY ? 0 : sizes[t - LATENCY]);
    return t;
}

/* Child number i of a subtree, after a child that ended at a node. */
static struct subtree child_from(const struct subtree *tree, int64_t node, int i,
                                 const int64_t sizes[MOST_SENDS])
{
    int n_sends = tree->n_sends - LATENCY - 1 - i;
    int64_t n_left = tree->end - node, size = sizes[n_sends];
    return (struct subtree){node, size < n_left ? node + size : tree->end, n_sends};
}

static struct subtree child_with(const struct subtree *tree, int64_t node,
                                 const int64_t sizes[MOST_SENDS])
{
    struct subtree child = {.end = tree->first + 1};
    for (int i = 0; child.end <= node; i++)
        child = child_from(tree, child.end, i, sizes);
    return child;
}

void broadcast_tree_init(struct broadcast_tree *self, int64_t member, int64_t n_members)
{
    int64_t node = member / NODE_SIZE, parent = -1, sizes[MOST_SENDS];
    struct subtree tree = {0, (n_members - 1) / NODE_SIZE + 1, list_tree_sizes(n_members, sizes)};
    while (tree.first != node) {
        parent = tree.first * NODE_SIZE;
        tree = child_with(&tree, node, sizes);
    }
    *self = (struct broadcast_tree){n_members, member, parent, tree.first, tree.end, tree.n_sends};
    if (member % NODE_SIZE != 0) {
        self->parent = node * NODE_SIZE;
        self->end_node = node;
    }
}

static int visit_node(const struct broadcast_tree *self,
                      void (*visit)(int64_t child, void *context), void *context)
{
    int n = 0;
    for (int64_t i = 1; i < NODE_SIZE && self->member + i < self->n_members; i++, n++) {
        if (visit)
            visit(self->member + i, context);
    }
    return n;
}

int broadcast_tree_visit(const struct broadcast_tree *self,
                         void (*visit)(int64_t child, void *context), void *context)
{
    if (self->end_node == self->first_node)
        return 0;
    struct subtree tree = {self->first_node, self->end_node, self->n_sends};
    int64_t sizes[MOST_SENDS];
    list_tree_sizes(self->n_members, sizes);
    int n = 0;
    for (int64_t node = tree.first + 1; node < tree.end; n++) {
        if (visit)
            visit(node * NODE_SIZE, context);
        node = child_from(&tree, node, n, sizes).end;
    }
    return n + visit_node(self, visit, context);
}
