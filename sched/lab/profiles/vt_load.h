/* SPDX-License-Identifier: BSD-3-Clause */
/* A load that vt recorded (vt_file.h), as tasks of a pool. The tasks are all entities of all
 * phases, numbered in the order of their first phases, of the ranks within a phase, and of the file
 * within a rank: a task is where it was found first. */
#pragma once

#include "sched/lab/profiles/vt_file.h"
#include "taskpool/simulation.h"

#include <mpi.h>

struct vt_load {
    int64_t n_ranks, n_phases, n_tasks;
    double *seconds; /* n_phases x n_tasks; 0: the task is not in the phase */
    int64_t *owners; /* n_tasks: the rank that had the task in its first phase */

    /* On process 0 alone. */
    json_t **files;            /* n_ranks, as read */
    struct vt_record *records; /* n_records: tasks of phases, by entity and phase */
    int64_t n_records;
    int64_t *phase_ids;         /* n_phases, ascending */
    struct taskpool_data *data; /* what a task needs; NULL: nothing. To be freed by the user */
};

/* A task in a phase. */
struct vt_record {
    int64_t id; /* of the entity */
    int64_t phase, rank, position;
    int64_t task;       /* its number */
    const json_t *json; /* of the file */
};

/* Reads the files of a path: of ranks 0, 1, ..., as many as there are, or the one
 * file. Collective over comm; process 0 reads. A task reads the block that it shares, which the
 * first rank that has such a task owns; and what another task sends to it in its first phase, a block
 * of the sender's rank. Errors: those of vt_file_read, STATUS_INPUT (no tasks, an entity twice in a
 * phase, a rank that is missing before another one), STATUS_LIMIT (2^31 durations or more); the same
 * on every process, *load is then empty. */
enum status vt_load_read(MPI_Comm comm, const char *path, struct vt_load *load);
void vt_load_fini(struct vt_load *load);

/* Seconds of a task in an iteration: iterations beyond the last phase repeat it. */
double vt_load_seconds(const struct vt_load *load, int64_t iteration, int64_t task);

/* The record of a task in a phase; NULL: it is not in it. */
const struct vt_record *vt_load_find(const struct vt_load *load, int64_t id, int64_t phase);
