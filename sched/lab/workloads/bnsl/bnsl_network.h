/* SPDX-License-Identifier: BSD-3-Clause */
/* A known network on file, for comparison with the one found. */
#ifndef BERYL_SCHED_WORKLOADS_BNSL_NETWORK_H
#define BERYL_SCHED_WORKLOADS_BNSL_NETWORK_H

#include "sched/lab/workloads/bnsl/bnsl_data.h"
#include "sched/lab/workloads/bnsl/bnsl_graph.h"
#include "support/base/status.h"

#include <mpi.h>

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

#endif
