/* SPDX-License-Identifier: BSD-3-Clause */
/* Writes what a pool ran as a load of vt (vt_file.h): a file for each worker, a phase for each
 * iteration, a task where it ran, with the time that it took. Of a load that was read, everything
 * else is written as it was read: tasks keep their entities and what the user has defined, phases
 * their IDs, messages stay with the file of their rank (modulo the number of workers). */
#pragma once

#include "sched/lab/profiles/vt_load.h"
#include "taskpool/taskpool.h"

struct vt_writer;

/* load  that the pool ran, on process 0; NULL: another workload, whose tasks become entities with
 *       their numbers
 * data  of that workload's tasks: the largest block of a task becomes its shared one, as vt has but
 *       one; NULL: none
 * All are borrowed. Errors: STATUS_NO_MEMORY; *writer is then NULL. */
enum status vt_writer_create(const struct vt_load *load, const struct taskpool_data *data,
                             int n_workers, struct vt_writer **writer);
void vt_writer_destroy(struct vt_writer *writer); /* NULL is fine */

/* Adds the last iteration. Collective; process 0 collects. Errors: those of gather_to_first,
 * STATUS_NO_MEMORY; the same on every process. */
enum status vt_writer_add(struct vt_writer *writer, MPI_Comm comm,
                          const struct taskpool_history *history);

/* Checks that the files of a path (vt_file_name) can be written; nothing where they are not vt's.
 * By process 0. Errors: STATUS_IO, STATUS_LIMIT. */
enum status vt_check_writable(const char *path, int n_workers);

/* Writes the files of a path; without %p there may be one worker only. Removes those of further ranks,
 * which an earlier load of more workers left: they would be read as parts of this one. By process 0.
 * Errors: STATUS_IO, STATUS_NO_MEMORY, STATUS_LIMIT. */
enum status vt_writer_write(const struct vt_writer *writer, const char *path);
