/* SPDX-License-Identifier: BSD-3-Clause */
/* The nodes of an unbalanced tree, see uts.h: counted, and the same in every iteration. */
#include "sched/lab/workloads/uts.h"
#include "sched/lab/workloads/workload.h"
#include "support/base/agree.h"
#include "support/base/log.h"

#include <stdlib.h>
#include <string.h>

/* Seconds of a simulated node: 8 million per second, about the speed of the authors' program on a
 * core of 2024. */
static const double NODE_S = 125e-9;

struct workload_uts {
    struct workload workload; /* first */
    struct uts_tree tree;
    double node_s;          /* simulated */
    struct uts_count count; /* of this process, in the iteration in progress */
    struct uts_count total; /* of all processes, in the first iteration */
};

static int run_node(void *record, void *context)
{
    struct workload_uts *self = context;
    const struct uts_node *node = record;
    int n_children = uts_n_children(&self->tree, node);
    uts_count_node(&self->count, node, n_children);
    for (int i = 0; i < n_children; i++) {
        struct uts_node child;
        uts_child(&self->tree, node, i, &child);
        TRY(taskpool_add(self->workload.pool, &child));
    }
    return STATUS_OK;
}

static double node_time(int64_t task, const void *record, const void *context)
{
    (void)task;
    (void)record;
    return ((const struct workload_uts *)context)->node_s;
}

/* The first process begins with the root. */
static enum status add_root(struct workload *workload, MPI_Comm comm)
{
    struct workload_uts *self = (struct workload_uts *)workload;
    struct uts_node root;
    int rank;
    MPI_Comm_rank(comm, &rank);
    uts_root(&self->tree, &root);
    return rank == 0 ? taskpool_add(workload->pool, &root) : STATUS_OK;
}

static enum status count_tree(struct workload *workload, MPI_Comm comm)
{
    struct workload_uts *self = (struct workload_uts *)workload;
    struct uts_count sum = self->count;
    MPI_Allreduce(MPI_IN_PLACE, &sum.nodes, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum.leaves, 1, MPI_INT64_T, MPI_SUM, comm);
    MPI_Allreduce(MPI_IN_PLACE, &sum.depth, 1, MPI_INT64_T, MPI_MAX, comm);
    self->count = (struct uts_count){0};
    if (self->total.nodes == 0)
        self->total = sum;
    if (memcmp(&sum, &self->total, sizeof sum) != 0)
        return FAIL(STATUS_PROTOCOL,
                    "%lld nodes of the tree were visited, and %lld in the first "
                    "iteration",
                    (long long)sum.nodes, (long long)self->total.nodes);
    return STATUS_OK;
}

static void print_tree(const struct workload *workload)
{
    const struct uts_count *total = &((const struct workload_uts *)workload)->total;
    log_print("\nTree       %lld nodes, %lld leaves, depth %lld\n", (long long)total->nodes,
              (long long)total->leaves, (long long)total->depth);
}

static void add_tree(const struct workload *workload, json_t *result)
{
    const struct uts_count *total = &((const struct workload_uts *)workload)->total;
    json_object_set_new(result, "nodes", json_integer(total->nodes));
    json_object_set_new(result, "leaves", json_integer(total->leaves));
    json_object_set_new(result, "depth", json_integer(total->depth));
}

static const struct workload_functions tree_functions = {
    .begin = add_root, .end_iteration = count_tree, .print = print_tree, .add_result = add_tree};

static enum status allocate_tree(const struct workload_settings *settings,
                                 struct workload **workload)
{
    struct uts_tree tree;
    TRY(uts_parse(settings->uts, &tree));
    struct workload_uts *self = calloc(1, sizeof *self);
    TRY(CHECK_MEMORY(self, "no memory for a workload"));
    self->workload.functions = &tree_functions;
    self->workload.problem = (struct taskpool_problem){
        .record_size = sizeof(struct uts_node), .run_record = run_node, .context = self};
    self->workload.time = node_time;
    self->tree = tree;
    self->node_s = NODE_S * settings->time_scale;
    *workload = &self->workload;
    return STATUS_OK;
}

static enum status create_tree(const struct workload_settings *settings, MPI_Comm comm,
                               struct workload **workload)
{
    return status_agree(comm, allocate_tree(settings, workload));
}

static const struct option_row tree_row =
    TEXT_OPTION("uts", WORKLOAD_FIELD(uts), .value = "TREE",
                .help = "the nodes of an unbalanced tree: T1 to T5, T1L, T3L, or the options of "
                        "the UTS benchmark, such as \"-t 1 -a 3 -d 10 -b 4 -r 19\"");

const struct workload_kind workload_uts = {.rows = &tree_row, .n_rows = 1, .create = create_tree};
