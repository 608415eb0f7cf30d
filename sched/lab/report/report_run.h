/* SPDX-License-Identifier: BSD-3-Clause */
/* Recorded runs: the measurements of every iteration in a result file, as columns for charts
 * and tables.
 *
 * Reads QCSchema results of beryl-hf and beryl-tce, with the measurements in extras.beryl, and
 * results of beryl-sched, which are the measurements themselves, alone or in the list of a
 * sweep (RESULTS.md). */
#pragma once

#include "support/base/status.h"

#include <jansson.h>
#include <stdbool.h>
#include <stdint.h>

/* Measurements of an iteration, by the keys of its entry in the file. */
enum report_column {
    REPORT_FOCK_SECONDS, /* of a Fock build; absent where no Fock matrix is built */
    REPORT_MAKESPAN,     /* seconds */
    REPORT_SECONDS,      /* of the iteration: the Fock build's, or makespan and balancing */
    REPORT_TASK,         /* this and the next four: seconds, mean over the workers' threads */
    REPORT_SEARCH,
    REPORT_IDLE,
    REPORT_SCHEDULER,
    REPORT_COMMUNICATION,
    REPORT_EFFICIENCY, /* per cent */
    REPORT_IMBALANCE,  /* per cent */
    REPORT_BALANCE,    /* seconds before the iteration */
    REPORT_STEALS_ATTEMPTED,
    REPORT_STEALS_SUCCESSFUL,
    REPORT_TASKS_MOVED,
    REPORT_MESSAGES,
    REPORT_BYTES,
    REPORT_N_COLUMNS
};

enum { REPORT_MAX_PLACES = 200, REPORT_MAX_NUMBERS = 4096 };

/* Spread of the seconds of the iterations that count. */
struct report_spread {
    double median, least, largest;
};

/* One run under one mode. */
struct report_run {
    int64_t number;        /* from 1 */
    char *name;            /* owned */
    char *file;            /* owned */
    const char *mode;      /* its name in a comparison, borrowed; NULL: there is none */
    const json_t *result;  /* the file's root; borrowed */
    const json_t *figures; /* workers, sched, iterations, ...; borrowed, part of result */
    const json_t *shared;  /* those of the file: equal to figures, except in a comparison */
    const json_t *unended; /* of the first run of a sweep that failed: its error; else NULL */
    int64_t workers;       /* 1 if the file does not say */
    int64_t n_threads;     /* of a worker */
    int64_t n_lanes;       /* threads of all workers */
    int64_t n_iterations;
    double first_counted; /* of a round of a comparison: those before are warm-up; NAN: none is */
    int64_t n_counted;    /* iterations without warm-up, of all rounds */
    bool has_fock;
    /* Places along a chart: iterations, or where there are more than
     * REPORT_MAX_PLACES, the means of groups of them. NAN: not known. */
    int64_t n_places, group;
    double *columns[REPORT_N_COLUMNS]; /* n_places each; columns[0] owns the memory of all */
    double means[REPORT_N_COLUMNS];    /* over the iterations that count */
    struct report_spread seconds;      /* of REPORT_SECONDS; NAN: not known */
};

struct report_runs {
    struct report_run *runs;
    int64_t n, capacity;
};

/* Appends the run of a result, or each mode of a comparison or entry of a sweep as a run.
 * result  a parsed file, kept alive by the caller
 * name    the run's name in the report
 * Errors: STATUS_INPUT, with the name, for JSON that is no result of a run;
 * STATUS_NO_MEMORY. */
enum status report_runs_add(struct report_runs *runs, const json_t *result, const char *name);
void report_runs_fini(struct report_runs *runs);

/* The number under key; NAN if there is none or it is absurdly large. */
double report_real(const json_t *object, const char *key);

/* The text under key; NULL if there is none. */
const char *report_text(const json_t *object, const char *key);

/* The measurements in a result: its extras.beryl, or where it has none all of it. */
const json_t *report_figures_of(const json_t *result);

/* A value of the run or else of its file; NULL if there is none. */
const json_t *report_figure(const struct report_run *run, const char *key);

/* The numbers of an array, at most REPORT_MAX_NUMBERS, NAN for other entries; to be freed with
 * free, NULL when out of memory, which counts as none. Returns how many. */
int64_t report_numbers(const json_t *array, double **numbers);

/* Name of the run's mode, as its comparison has it. */
const char *report_mode_name(const struct report_run *run);

/* Number of runs in the comparison that begins with run i; 1 outside comparisons. */
int64_t report_group_size(const struct report_runs *runs, int64_t i);

/* Word for an iteration: "Fock build" or "iteration". */
const char *report_iteration_word(const struct report_run *run);
