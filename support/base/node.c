/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/node.h"

#include "support/base/die.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

/* The attribute of a communicator. */
struct node {
    int n;
    int ranks[];
};

static struct node *allocate_node(int n)
{
    struct node *node = malloc(sizeof *node + (size_t)n * sizeof(int));
    if (!node)
        die_no_memory("no memory for the ranks of a node");
    node->n = n;
    return node;
}

static int copy_node(MPI_Comm comm, int key, void *extra, void *from_void, void *to, int *copied)
{
    const struct node *from = from_void;
    struct node *node = allocate_node(from->n);
    (void)comm, (void)key, (void)extra;
    memcpy(node->ranks, from->ranks, (size_t)from->n * sizeof(int));
    *(void **)to = node;
    *copied = 1;
    return MPI_SUCCESS;
}

static int free_node(MPI_Comm comm, int key, void *node, void *extra)
{
    (void)comm, (void)key, (void)extra;
    free(node);
    return MPI_SUCCESS;
}

/* The key of the attribute, made once per program. */
static int node_key(void)
{
    static int key = MPI_KEYVAL_INVALID;
    if (key == MPI_KEYVAL_INVALID)
        MPI_Comm_create_keyval(copy_node, free_node, &key, NULL);
    return key;
}

MPI_Comm node_comm(MPI_Comm comm)
{
    MPI_Comm node;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    return node;
}

static struct node *find_node(MPI_Comm comm)
{
    MPI_Comm shared = node_comm(comm);
    int rank, shared_rank, n;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_rank(shared, &shared_rank);
    MPI_Comm_size(shared, &n);
    struct node *node = allocate_node(n);
    node->ranks[shared_rank] = rank;
    MPI_Allgather(MPI_IN_PLACE, 1, MPI_INT, node->ranks, 1, MPI_INT, shared);
    MPI_Comm_free(&shared);
    return node;
}

const int *node_ranks(MPI_Comm comm, int *n)
{
    struct node *node;
    int known;
    MPI_Comm_get_attr(comm, node_key(), &node, &known);
    if (!known) {
        node = find_node(comm);
        MPI_Comm_set_attr(comm, node_key(), node);
    }
    *n = node->n;
    return node->ranks;
}

int node_count(MPI_Comm comm)
{
    int n;
    node_ranks(comm, &n);
    return n;
}

double processes_per_core(MPI_Comm comm)
{
    MPI_Comm node = node_comm(comm);
    int n_processes;
    cpu_set_t cores;
    CPU_ZERO(&cores);
    MPI_Comm_size(node, &n_processes);
    /* Fails on machines with more cores than a cpu_set_t holds: then all cores count. */
    if (sched_getaffinity(0, sizeof cores, &cores) != 0)
        memset(&cores, 0xff, sizeof cores);
    MPI_Allreduce(MPI_IN_PLACE, &cores, sizeof cores, MPI_BYTE, MPI_BOR, node);
    MPI_Comm_free(&node);
    double per_core = (double)n_processes / CPU_COUNT(&cores);
    MPI_Allreduce(MPI_IN_PLACE, &per_core, 1, MPI_DOUBLE, MPI_MAX, comm);
    return per_core;
}

bool is_oversubscribed(MPI_Comm comm)
{
    return processes_per_core(comm) > 1;
}
