/* The table of --compare: what the same work cost under several modes. */
#ifndef BERYL_SCHED_COMPARISON_H
#define BERYL_SCHED_COMPARISON_H

#include "sched/core/statistics.h"

#include <stdint.h>

struct comparison_row {
    int mode;                         /* index into taskpool_mode_names */
    double first_s, best_s, last_s;   /* seconds of an iteration */
    struct statistics_iteration last; /* the other figures of the last one */
};

/* Notes the seconds of an iteration, in order, i from 0. */
static inline void comparison_note(struct comparison_row *row, int64_t i, double seconds,
                                   const struct statistics_iteration *statistics)
{
    row->first_s = i == 0 ? seconds : row->first_s;
    row->best_s = i == 0 || seconds < row->best_s ? seconds : row->best_s;
    row->last_s = seconds;
    row->last = *statistics;
}

/* Prints a row for each of n > 0 modes, with the ratio of its best iteration to the best of
 * static, or of the first mode if static is not there.
 * what  an iteration is, "Fock build" */
void comparison_print(const struct comparison_row *rows, int n, int64_t n_iterations,
                      const char *what);

#endif
