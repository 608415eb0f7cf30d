/* Which tasks a Fock build has: numbering, and finding the non-null ones.
 *
 * A task of the decomposition `quartet` is a quartet of tiles (IJ|KL), one of
 * `pair` is (I:|K:), all quartets with I and K fixed. Under `full` symmetry each
 * quartet occurs once in its eight-fold orbit (I >= J, K >= L, bra pair not below
 * ket pair), under `none` every ordered one occurs. A quartet is null if the
 * product of its tile bounds is below the threshold. */
#ifndef BERYL_HF_FOCK_TASKS_H
#define BERYL_HF_FOCK_TASKS_H

#include "hf/tiles/screening.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum fock_decomposition { FOCK_QUARTET, FOCK_PAIR };
enum fock_symmetry { FOCK_SYMMETRY_FULL, FOCK_SYMMETRY_NONE };
enum fock_prune { FOCK_PRUNE_NONE, FOCK_PRUNE_OBSERVED, FOCK_PRUNE_INSPECT };

struct tile_quartet {
    int64_t I, J, K, L;
};

struct fock_tasks;

/* How many tasks there are, null or not; rounded where it is beyond 2^53. */
double fock_tasks_count(int64_t n_tiles, enum fock_decomposition decomposition,
                        enum fock_symmetry symmetry);

/* The tasks of a problem. `inspect` lists only those that are not null, without
 * touching the null ones; the other two number all of them.
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (more than 2^62 tasks). */
enum status fock_tasks_create(const struct screening *screening,
                              enum fock_decomposition decomposition, enum fock_symmetry symmetry,
                              bool inspect, struct fock_tasks **tasks);
void fock_tasks_destroy(struct fock_tasks *tasks);

/* Keeps only the listed ones of all tasks: ids ascending, n of them; takes ids.
 * NULL: all again. For tasks created without inspect. */
void fock_tasks_keep(struct fock_tasks *tasks, int64_t n, int64_t *ids);

/* Tasks numbered, [0, n). This number is the place in the pool, and so depends on
 * what was inspected and kept. */
int64_t fock_tasks_n(const struct fock_tasks *tasks);

/* All tasks of the problem, null or not, and those that are not null. */
int64_t fock_tasks_n_all(const struct fock_tasks *tasks);
int64_t fock_tasks_n_non_null(const struct fock_tasks *tasks);

/* Calls visit for every non-null quartet of tiles of the task, in a fixed
 * order; stops at the first failure and returns it. *null, unless NULL, tells whether there was
 * none. */
enum status fock_tasks_visit(const struct fock_tasks *tasks, int64_t task,
                             enum status (*visit)(const struct tile_quartet *quartet,
                                                  void *context),
                             void *context, bool *null);

/* The task's number among all tasks of the problem, null or not, [0, n_all): the same
 * whatever was inspected and kept. With tiles or pairs of tiles counted as p and q,
 * p >= q: p (p + 1) / 2 + q under full symmetry; p n + q for ordered ones, n of each. */
int64_t fock_tasks_id(const struct fock_tasks *tasks, int64_t task);

bool fock_tasks_is_null(const struct fock_tasks *tasks, int64_t task);

/* A quartet of the task, for deciding where it should run. */
void fock_tasks_first_quartet(const struct fock_tasks *tasks, int64_t task,
                              struct tile_quartet *quartet);

#endif
