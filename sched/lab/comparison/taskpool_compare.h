/* Compares the modes of a pool: the tasks are run under each mode in rounds, with intervals and
 * tests of the differences (comparison.h). For programs that include taskpool.h. */
#ifndef BERYL_TASKPOOL_COMPARE_H
#define BERYL_TASKPOOL_COMPARE_H

#include "sched/lab/comparison/comparison.h"
#include "sched/pool/taskpool.h"

/* How modes are compared. */
struct taskpool_comparison {
    const char *modes;    /* "static,steal,auto", the first being what the others are compared with,
                           * or "all"; one may be there again: "auto,auto" shows what is chance */
    int64_t n_rounds;     /* of all modes, in [2, COMPARISON_ROUNDS_MAX] */
    int64_t n_iterations; /* of a pool of its own, >= 1, under each mode in each round; of three and
                           * more the first two do not count (sched/lab/comparison/comparison.h) */

    /* Called before each iteration, on every process: resets what the tasks change, adds the
     * tasks of a dynamic pool before its first iteration. NULL: nothing.
     * mode     position in modes
     * context  of the problem */
    enum status (*prepare)(struct taskpool *pool, int mode, int64_t round, int64_t iteration,
                           void *context);

    /* NULL: over MPI. Else workers are simulated as by taskpool_simulate, in this process alone. */
    const struct taskpool_machine *machine;
};

/* Runs the pool under each mode in rounds and reports which modes differ from the first. Seconds
 * are those of an iteration with the balancing before it. Over MPI the order of the modes is random
 * in each round; the pool of a mode named again draws other random numbers than that of the first
 * (comparison_run_seed). Collective over comm, unless simulated.
 * settings    of all modes: each gets the options that it reads; the mode itself is ignored
 * comparison  out: the same on every process; the caller ends it with comparison_fini, also after
 *             a failure
 * Errors: as taskpool_create and taskpool_run, those of prepare, STATUS_USAGE (no such mode, an
 * option that none of them reads, numbers out of range); the same on every process. */
enum status taskpool_compare(MPI_Comm comm, const struct taskpool_problem *problem,
                             const struct taskpool_settings *settings,
                             const struct taskpool_comparison *plan, struct comparison *comparison);

/* Prints the seconds of the modes and their ratios to the first one. Not collective. */
void taskpool_print_comparison(const struct comparison *comparison, FILE *stream);

#endif
