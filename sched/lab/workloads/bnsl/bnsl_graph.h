/* SPDX-License-Identifier: BSD-3-Clause */
/* Graphs of Bayesian networks and their equivalence classes: networks that differ only in edge
 * directions which no data can determine are equivalent, and share one graph in which those edges
 * are undirected. */
#pragma once

#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* An edge a -> b is edge[a * n + b] alone; an undirected one is both ways. */
struct bnsl_graph {
    int n; /* variables */
    bool *edge;
};

/* Differences of two graphs over the same variables, in pairs of variables. */
struct bnsl_difference {
    int missing;  /* joined in the first only */
    int extra;    /* joined in the second only */
    int reversed; /* joined in both, not in the same way */
};

/* A graph without edges. Errors: STATUS_NO_MEMORY. */
enum status bnsl_graph_init(struct bnsl_graph *graph, int n);
void bnsl_graph_fini(struct bnsl_graph *graph);

static inline bool bnsl_graph_has(const struct bnsl_graph *graph, int from, int to)
{
    return graph->edge[(size_t)from * (size_t)graph->n + (size_t)to];
}

static inline void bnsl_graph_set(struct bnsl_graph *graph, int from, int to, bool present)
{
    graph->edge[(size_t)from * (size_t)graph->n + (size_t)to] = present;
}

/* Puts the variables into an order in which parents come before their children.
 * order  n entries, out
 * Returns false if there is none: the graph has a cycle. */
bool bnsl_graph_order(const struct bnsl_graph *graph, int *order);

/* Makes undirected all edges whose direction is not the same in all networks equivalent to this
 * one: the completed partially directed graph of its class.
 * graph  acyclic, its edges directed; changed
 * Errors: STATUS_NO_MEMORY.
 * Source: Chickering, A transformational characterization of equivalent Bayesian network
 * structures, UAI 1995, procedures Order-Edges and Label-Edges. */
enum status bnsl_graph_complete(struct bnsl_graph *graph);

/* The sum of the three is the structural Hamming distance.
 * Source: Tsamardinos, Brown, Aliferis, Machine Learning 65 (2006) 31. */
struct bnsl_difference bnsl_graph_compare(const struct bnsl_graph *first,
                                          const struct bnsl_graph *second);

/* --- a known network on file, for comparison with the one found --- */

/* Reads the edges of a network: the line `parent,child`, then a line for each edge.
 * data   whose variables the names are
 * path   for messages
 * graph  out, acyclic; empty after a failure
 * Errors: STATUS_INPUT, naming path and line; STATUS_NO_MEMORY. */
enum status bnsl_network_parse(const char *text, size_t length, const char *path,
                               const struct bnsl_data *data, struct bnsl_graph *graph);

/* Reads the edges from a file. Collective over comm; rank 0 reads.
 * Errors: also those of text_file_read; the same on every process. */
enum status bnsl_network_read(MPI_Comm comm, const char *path, const struct bnsl_data *data,
                              struct bnsl_graph *graph);
