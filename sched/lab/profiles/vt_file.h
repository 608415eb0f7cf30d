/* SPDX-License-Identifier: BSD-3-Clause */
/* Files of loads as vt, the runtime of the DARMA project, records them: JSON of the type LBDatafile,
 * one file for each process ("rank"), named with %p in place of its number, as in vt's own options:
 *
 *     {"type": "LBDatafile", "phases": [{"id": 0, "tasks": [
 *         {"entity": {"id": 17, "home": 0, "migratable": true, "type": "object", ...},
 *          "node": 0, "resource": "cpu", "time": 0.25,
 *          "user_defined": {"shared_id": 3, "shared_bytes": 1e6, ...}}, ...],
 *       "communications": [{"type": "SendRecv", "bytes": 1456.0, "messages": 2,
 *          "from": {"type": "object", "id": 17, ...}, "to": {"type": "object", "id": 4, ...}}, ...]}]}
 *
 * A phase is an iteration; the rank of a file is where its tasks ran in it. Keys that are not
 * needed here are kept, but not looked at. Newer files have "seq_id" in place of "id".
 * Source: DARMA-tasking/vt, docs/md/node-lb-data.md and scripts/LBDatafile_schema.py. */
#pragma once

#include "support/base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

enum { VT_PATH = 4096 };

/* Whether a profile of this name is such a file, or several: it ends in .json; NULL is none. */
bool vt_is_name(const char *path);

/* Whether %p stands in the name. */
bool vt_has_rank(const char *path);

/* The name of the file of a rank: the path with %p replaced; without %p the path.
 * Errors: STATUS_LIMIT (too long). */
enum status vt_file_name(const char *path, int rank, char name[VT_PATH]);

/* Checks a name: %p at most once, and in that of the file, not of its folder. NULL and names of other
 * files are fine. option: that gives it. Errors: STATUS_USAGE. */
enum status vt_check_name(const char *option, const char *path);

/* The ranks whose files are there, ascending: *ranks, to be freed, has *n. Only for paths with %p.
 * Errors: STATUS_IO (the folder cannot be read), STATUS_NO_MEMORY; *ranks is then NULL. */
enum status vt_list_ranks(const char *path, int64_t **ranks, int64_t *n);

/* Whether a file is that of a rank of `path`, there already or yet to be written. */
bool vt_is_rank_file(const char *path, const char *file);

/* Reads the file of that name and checks all that the functions below return; to be freed with
 * json_decref. Errors: STATUS_IO, STATUS_INPUT (names the line, or the phase and the task),
 * STATUS_NO_MEMORY; *file is then NULL. */
enum status vt_file_read(const char *name, json_t **file);

/* --- parts of a file that was read --- */

const json_t *vt_phases(const json_t *file);
int64_t vt_phase_id(const json_t *phase);
const json_t *vt_tasks(const json_t *phase);
const json_t *vt_communications(const json_t *phase); /* NULL: none */

/* The entity of a task. */
int64_t vt_task_id(const json_t *task);

double vt_task_seconds(const json_t *task);

/* The shared block that the task reads; false if it has none. */
bool vt_task_block(const json_t *task, int64_t *id, int64_t *bytes);

/* The tasks at the ends of a communication; false if it is not from task to task. */
bool vt_communication(const json_t *communication, int64_t *from, int64_t *to, int64_t *bytes);
