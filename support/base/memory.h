/* SPDX-License-Identifier: BSD-3-Clause */
/* The memory that a process may use, and how too large a need is refused: the one definition.
 *
 * The main memory that a node can still give (limits of a container or batch job included) is
 * divided evenly among the program's processes there. Memory that these processes share, in
 * which distributed arrays live, must fit into /dev/shm as well; all that a process maps, the
 * arrays of the whole node included, into its address space (ulimit -v). Of each limit a
 * twentieth is reserved for MPI and for small allocations that no estimate counts, so that a
 * need that fits stays allowed while it is allocated piece by piece. */
#pragma once

#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* Bytes that are still free; INT64_MAX where the system knows no limit. */
struct memory_limits {
    int64_t main_bytes;    /* of the node, for all its processes together */
    int64_t shared_bytes;  /* in /dev/shm of the node; not counted what files of this user's there,
                              as MPI's for messages, have room to grow by */
    int64_t address_bytes; /* of this process */
};
struct memory_limits memory_limits(void);

/* Bytes that each process may use; INFINITY where there is no limit. */
struct memory_budget {
    double main_bytes, shared_bytes, address_bytes;
    int n_sharing; /* processes on the node */
};

/* The budget of one of n_sharing processes of a node with these limits. */
struct memory_budget memory_divide(const struct memory_limits *limits, int n_sharing);

/* The least budget of all nodes; given_bytes, if it is not 0, replaces all limits: the user
 * knows better. Collective; the same everywhere. */
struct memory_budget memory_budget(int64_t given_bytes, MPI_Comm comm);

/* Bytes that a process needs, of an object or a run: its fraction of what the processes of a node
 * share, in n_shared pieces, and its own. The function X_bytes that goes with X_create, with
 * arguments of equal meaning, returns the need of the object; estimates are sums of these. */
struct memory_need {
    double shared_bytes, own_bytes;
    int64_t n_shared;
};

/* sum += n times need. */
void memory_need_add(struct memory_need *sum, int64_t n, struct memory_need need);

/* The needs of two phases that follow each other: the larger number of each kind. */
struct memory_need memory_need_larger(struct memory_need one, struct memory_need other);

bool memory_fits(const struct memory_need *need, const struct memory_budget *budget);

/* Bytes of its own that a process with this need may use in addition; 0 where it does not fit. */
double memory_left_bytes(const struct memory_need *need, const struct memory_budget *budget);

/* Refuses a need beyond the budget. Not collective.
 * subject, remedy  parts of the message: what needs the memory, how to need less
 * Errors: STATUS_NO_MEMORY with the limit that is exceeded most. */
enum status memory_check(const char *subject, const struct memory_need *need,
                         const struct memory_budget *budget, const char *remedy);

/* memory_check against what the node can give now to each of n_sharing processes; a need of less
 * than 1 MB, and nothing shared, is granted without a look. Not collective. */
enum status memory_check_now(const char *subject, const struct memory_need *need, int n_sharing,
                             const char *remedy);

/* From now on allocations of this process beyond its budget of main memory fail: for work whose
 * need cannot be estimated. Otherwise the system might kill this process or another. */
void memory_confine(const struct memory_budget *budget);

/* Peak resident memory of this process; a shared page counts for each process that has
 * touched it. */
int64_t memory_peak_bytes(void);

/* Resident memory of this process, shared pages divided among their users (PSS); 0 if
 * unavailable. Takes some milliseconds. */
int64_t memory_part_bytes(void);

/* The peak without what shared pages count for other processes now: comparable to an estimate in
 * which each process has its own part of distributed arrays. The peak itself if unavailable. */
int64_t memory_peak_part_bytes(void);

/* The largest of all processes of each. */
struct memory_use {
    int64_t peak_bytes, part_bytes;
};

/* part_bytes  the largest memory_part_bytes that the process has seen, or
 * memory_peak_part_bytes. Collective; the same
 * everywhere. */
struct memory_use memory_use_of_all(int64_t part_bytes, MPI_Comm comm);
