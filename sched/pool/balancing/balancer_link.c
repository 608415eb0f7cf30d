/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_link.h"

#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>

void balancer_send(struct balancer_link *link, int to, const struct balancer_message *head,
                   const void *items, size_t item_size)
{
    struct taskpool_comm_message message = {
        .head = head, .head_size = sizeof *head, .token = BALANCER_TOKEN};
    if (head->n > 0) {
        message.bulk = items;
        message.bulk_size = (size_t)head->n * item_size;
        link->n_incomplete++;
    }
    taskpool_comm_send_bulk(link->comm, to, &message);
}

/* Tolerated deviation of a load, in standard errors. */
#define TOLERATED 0.5

double balancer_load_error(const struct balancer_link *link, int64_t n_tasks)
{
    double noise = link->speeds ? link->speeds->prediction.noise : 0;
    return n_tasks > 0 ? sqrt(noise * link->comm->size / (double)n_tasks) : 0;
}

double balancer_tolerance(const struct balancer_link *link, int64_t n_tasks)
{
    return TOLERATED * balancer_load_error(link, n_tasks);
}

/* About the time slice of Linux (base_slice_ns, by version and cores 0.7 to 3 ms). */
#define TIME_SLICE_S 2e-3

bool balancer_in_turns(const struct balancer_link *link, double load_s)
{
    double per_core = link->comm->per_core;
    return per_core > 1 && load_s < per_core * TIME_SLICE_S;
}

double balancer_expected_work(const struct balancer_link *link, const struct duration_bins *bins)
{
    const struct data_placement *placement = link->placement;
    double work = placement ? placement->work : bins->load_s;
    int64_t n_tasks = placement ? placement->n_tasks : bins->n_tasks;
    return link->slope * work + link->constant * (double)n_tasks + link->extra;
}

double balancer_expected_load(const struct balancer_link *link, const struct duration_bins *bins)
{
    double data_s = link->placement ? data_placement_seconds(link->placement) : 0;
    return balancer_expected_work(link, bins) / link->speed + data_s;
}

void *balancer_allocate(int64_t n, size_t item_size)
{
    void *items = calloc((size_t)n + 1, item_size);
    if (!items)
        die_no_memory("no memory to balance %lld tasks", (long long)n);
    return items;
}

/* --- the tree --- */

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
