/* The durations of the 213,144 tasks of HF-Be256 as Lifflander, Krishnamoorthy, Kale,
 * HPDC 2012, had them on Hopper, as far as they can be known: the paper gives their
 * mean (48 s on 2,400 cores) and the longest (its 5.8 % above 3 s).
 *
 * A task (IJ|KL) goes through the function pairs of IJ, and for each that reaches the
 * Schwarz threshold with the largest bound of KL through all of KL; what passes the
 * test with both bounds is an integral. So its duration is taken as
 *     a x integrals + b x tests,
 * both counted from the bounds of the very input, and the mean and the longest are two
 * equations for a and b. */
#ifndef BERYL_TESTS_PAPER_DURATIONS_H
#define BERYL_TESTS_PAPER_DURATIONS_H

#include "support/status.h"

#include <stdint.h>

/* Of the paper. */
#define PAPER_MEAN_S    (115200.0 / 213144)
#define PAPER_LONGEST_S 3.17

struct paper_durations {
    int64_t n_tasks;
    double *time_s;    /* n_tasks, longest first; owned */
    double integrals;  /* of all tasks */
    double integral_s; /* a */
    double test_s;     /* b */
};

/* molecule is a file whose functions, of be15s, are all of type s. For one process,
 * between darray_start and darray_stop.
 * Errors: those of the readers; STATUS_NO_MEMORY. On failure nothing is left. */
enum status paper_durations_make(const char *molecule, struct paper_durations *durations);
void paper_durations_fini(struct paper_durations *durations);

#endif
