/* How the tasks of a pool are scheduled: settings common to all modes, followed by those that
 * only some modes read. */
#ifndef BERYL_SCHED_SETTINGS_H
#define BERYL_SCHED_SETTINGS_H

#include "support/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* First tasks of a worker: blocks of equal numbers of tasks; tasks rank, rank + size, ...;
 * the tasks whose data it owns; blocks of equal predicted cost. The last is no value of --seeding:
 * a bound's schedule, see seeding_longest_init. */
enum taskpool_seeding_rule {
    TASKPOOL_SEEDING_BLOCK,
    TASKPOOL_SEEDING_CYCLIC,
    TASKPOOL_SEEDING_OWNER,
    TASKPOOL_SEEDING_COST,
    TASKPOOL_SEEDING_LONGEST
};

/* Poll for messages between tasks, or receive them in a thread, which takes
 * MPI_THREAD_MULTIPLE. By mode: poll, but simulated workers have a thread where their mode says so
 * (mode.h, has_thread). */
enum taskpool_progress_rule {
    TASKPOOL_PROGRESS_BY_MODE,
    TASKPOOL_PROGRESS_POLL,
    TASKPOOL_PROGRESS_THREAD
};

struct taskpool_trace;

/* Filled from the command line by the rows of modes/mode_options.h, or by
 * taskpool_settings_default and taskpool_settings_set. Plain data: copies are independent, but
 * share the texts that they point to. */
struct taskpool_settings {
    const char *mode;        /* one of taskpool_mode_names */
    int seeding;             /* enum taskpool_seeding_rule */
    int progress;            /* enum taskpool_progress_rule */
    int64_t poll_every;      /* tasks between two polls, at most */
    int64_t seed;            /* every random choice derives from it */
    int64_t chunk;           /* tasks handed out together; 0: the mode's default */
    const char *speeds;      /* file of relative speeds, one per worker; NULL or "": all 1 */
    double watchdog_s;       /* over MPI: most time without a finished task; 0: no watchdog */
    bool keep_history;       /* set by the program: time every task, see taskpool_history */
    bool keep_timeline;      /* likewise: see taskpool_timeline */
    int64_t keep_iterations; /* likewise: statistics of so many last iterations are kept; 0: of all,
                              * some 300 bytes each and more where workers are simulated */

    const char *trace_folder;     /* of --trace; NULL: no trace. taskpool_trace_start
                                   * (sched/lab/trace/trace.h) reads it and sets the next */
    struct taskpool_trace *trace; /* of the pools of the program, borrowed; NULL: none */

    size_t n_of_modes; /* bytes of of_modes that got defaults; those of modes registered later did
                        * not */
    _Alignas(max_align_t) unsigned char of_modes[1024]; /* read with taskpool_settings_of */
};

struct option_row; /* support/io/options.h */

/* A table of options that one mode or several read. */
struct taskpool_mode_options {
    const struct option_row *rows; /* offsets are in a struct of `size` bytes, zeroed before the
                                    * defaults are stored */
    size_t n_rows;
    size_t size; /* 0: the rows fill fields of struct taskpool_settings itself */

    /* Refuses values that the rows cannot describe, before anything runs; NULL: there are none.
     * Errors: STATUS_USAGE. */
    enum status (*check)(const struct taskpool_settings *settings);

    size_t place;       /* in of_modes; set when a mode with these options is registered */
    bool is_registered; /* likewise */
};

/* The options of all rows of an array, with the size as above. */
#define TASKPOOL_MODE_OPTIONS(rows_, size_)                                                        \
    {                                                                                              \
        .rows = rows_, .n_rows = sizeof(rows_) / sizeof((rows_)[0]), .size = size_                 \
    }

/* The struct that options of size > 0 filled. Borrowed from the settings. */
static inline const void *taskpool_settings_of(const struct taskpool_settings *settings,
                                               const struct taskpool_mode_options *options)
{
    return settings->of_modes + options->place;
}

/* Options over the common fields: common_options are read by every mode (--sched stands apart),
 * the others by some. */
extern struct taskpool_mode_options common_options, seeding_options, chunk_options, speeds_options;

#endif
