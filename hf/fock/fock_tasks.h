/* SPDX-License-Identifier: BSD-3-Clause */
/* Which tasks a Fock build has: numbering, and finding the non-null ones.
 *
 * A task of the decomposition `quartet` is a quartet of tiles (IJ|KL), one of
 * `pair` is (I:|K:), all quartets with I and K fixed. Under `full` symmetry each
 * quartet occurs once in its eight-fold orbit (I >= J, K >= L, bra pair not below
 * ket pair), under `none` every ordered one occurs. A quartet is null if the
 * product of its tile bounds is below the threshold, a task if all its quartets are.
 *
 * A task has two numbers, and its id combines the ids of two pairs or the numbers of two tiles:
 *
 *     position  [0, n)      its place in the pool, which run, owner and cost are given
 *        |                  = id           all tasks are in the pool
 *        |                  -> kept ids    observed tasks, inspected (I:|K:)
 *        v                  -> search      inspected quartets, which have no list
 *     id        [0, n_all)  fixed by decomposition and symmetry; in profiles
 *        |
 *        +-- quartet:  ids of the pairs p = (I, J), q = (K, L)  -> tiles I, J, K, L
 *        +-- pair:     tiles I, K  -> all J of row I, all L of row K
 *
 * Ids combine two numbers below n in one way, whether those are tiles or pairs:
 *     full symmetry  p (p + 1) / 2 + q, p >= q
 *     none           p n + q */
#pragma once

#include "hf/tiles/screening.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

/* The ways to cut a build into tasks, and their names in the same order. */
enum fock_decomposition { FOCK_QUARTET, FOCK_PAIR, FOCK_N_DECOMPOSITIONS };
#define FOCK_DECOMPOSITION_NAMES "quartet,pair"

enum fock_symmetry { FOCK_SYMMETRY_FULL, FOCK_SYMMETRY_NONE };
enum fock_prune { FOCK_PRUNE_NONE, FOCK_PRUNE_OBSERVED, FOCK_PRUNE_INSPECT };

struct fock_tasks;

/* Number of tasks, null or not; rounded where it is beyond 2^53. */
double fock_tasks_count(int64_t n_tiles, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry);

/* The tasks of a problem: all of them, or with `inspect` those that are not null, found
 * without touching the null ones. Errors: STATUS_NO_MEMORY, STATUS_LIMIT (more than 2^62
 * tasks). */
enum status fock_tasks_create(const struct screening *screening,
                              enum fock_decomposition decomposition, enum fock_symmetry symmetry,
                              bool inspect, struct fock_tasks **tasks);
void fock_tasks_destroy(struct fock_tasks *tasks);

/* Keeps only n tasks of all: ids ascending; takes ids. NULL: all again. For tasks
 * created without inspect. */
void fock_tasks_keep(struct fock_tasks *tasks, int64_t n, int64_t *ids);

/* Number of positions. */
int64_t fock_tasks_n(const struct fock_tasks *tasks);

/* Number of tasks of the problem, null or not, and of those that are not null. */
int64_t fock_tasks_n_all(const struct fock_tasks *tasks);
int64_t fock_tasks_n_non_null(const struct fock_tasks *tasks);

/* Calls visit for every non-null quartet of tiles of the task, in a fixed
 * order; stops at the first failure and returns it. *null, unless NULL: whether there was
 * none. */
enum status fock_tasks_visit(const struct fock_tasks *tasks, int64_t position,
                             enum status (*visit)(const struct tile_quartet *quartet,
                                                  void *context),
                             void *context, bool *null);

int64_t fock_tasks_id(const struct fock_tasks *tasks, int64_t position);

bool fock_tasks_is_null(const struct fock_tasks *tasks, int64_t position);

/* A quartet of the task, for deciding where it should run. */
void fock_tasks_first_quartet(const struct fock_tasks *tasks, int64_t position,
                              struct tile_quartet *quartet);

/* Bytes of the tables of tile pairs, at most, without the tables of the screening. */
int64_t fock_tasks_bytes(const struct tiling *tiling, enum fock_symmetry symmetry);
