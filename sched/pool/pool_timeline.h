/* SPDX-License-Identifier: BSD-3-Clause */
/* The course of an iteration, for results of the project's own programs. */
#pragma once

#include "support/base/status.h"
#include "taskpool/taskpool.h"

struct json_t; /* jansson.h */

/* The course of the last iteration, as the key `timeline` of a result, on process 0 of the pool;
 * NULL elsewhere, and without settings.keep_timeline or an iteration. The caller owns it.
 * Collective. Errors: STATUS_NO_MEMORY, STATUS_LIMIT; the same on every process. */
enum status pool_timeline(const struct taskpool *pool, struct json_t **timeline);
