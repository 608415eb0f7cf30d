/* SPDX-License-Identifier: BSD-3-Clause */
/* The next step of an SCF as a pure function of its history: numbers, no matrices. A checkpoint holds
 * the history (scf_restart.c), so that a resumed run decides as the uninterrupted one would have.
 *
 *     stationary?  the gradient is below the criterion (scf.h); or the energy is right to its
 *                  error, by the last change and the gradient, while the gradient falls;
 *                  or no step lowers the energy and the gradient lies along a free rotation
 *       yes        REBUILD, unless F is accurate and the orbitals are canonical; TEST, where stability is
 *                  to be tested and is not known; DONE
 *       no         an end, if all iterations are used up or no step lowers the energy; a Newton step, if
 *                  DIIS has stalled or the settings want it; else a DIIS step
 *
 * After a TEST the state is a minimum, a saddle point that is kept, or open: then only the gradient ends
 * the run. A saddle point that is left is a new state. scf_solver.c performs the actions. Private to
 * the SCF. */
#pragma once

#include "hf/scf/scf.h"

#include <stdbool.h>
#include <stdint.h>

/* In charge of the steps. */
enum scf_method { SCF_BY_DIIS, SCF_BY_NEWTON };

/* The outcome of the last test of stability, or UNTESTED: the state is not near a point that was tested.
 * OPEN: the sign of the lowest curvature was not settled. SADDLE: one that is kept. */
enum scf_test { SCF_UNTESTED, SCF_TEST_OPEN, SCF_TEST_MINIMUM, SCF_TEST_SADDLE };

struct scf_history {
    /* The state. */
    bool has_orbitals; /* else a density that is not of a determinant */
    bool is_accurate;  /* F is of a build with the least cutoff */
    bool is_canonical; /* so are the orbitals, of that F */
    bool is_tested;    /* the last test of stability was of this state */
    double energy, gradient, norm;
    double rounding; /* of the gradient, by its sums; set where no step is found */

    /* The last iteration. */
    int64_t iteration;        /* from 1; of the run that this one resumes, too */
    int64_t n_iterations;     /* of this run */
    double change, last_norm; /* of the energy; the norm before it, 0: not known */
    bool is_stuck;            /* no Newton step from here lowers the energy */
    double gain_missed;       /* change of the energy that its last step predicted, hartree */

    /* The run. */
    enum scf_method method;
    double best_energy, least_gradient;
    int64_t n_without_progress;
    enum scf_test test;
    double curvature; /* of the energy, lowest: likely, or less if that was measured */
};

/* The parts of the problem and the settings that decide, the same for a whole run. */
struct scf_conditions {
    const struct scf_settings *settings; /* borrowed */
    struct scf_criterion criterion;      /* of the settings */
    bool is_closed_shell;
    int electrons_per_orbital;
    bool has_rotations;
    bool tests_stability;
};

enum scf_action {
    SCF_STEP_DIIS,
    SCF_STEP_NEWTON,
    SCF_REBUILD,      /* an accurate F, canonical orbitals; no iteration */
    SCF_TEST,         /* of stability, and descent from a saddle point */
    SCF_DONE,         /* converged */
    SCF_ENDS,         /* not converged: all iterations are used up, */
    SCF_ENDS_ROUNDED, /*   the gradient is rounding errors */
    SCF_ENDS_STUCK,   /*   or no step lowers the energy */
};

/* The history before the first state. */
void scf_history_init(struct scf_history *history);

/* Takes a state that an iteration ended with, whose numbers are set. */
void scf_history_advance(struct scf_history *history);

/* Takes the state of the iteration that a resumed run evaluates again, whose history is the file's. */
void scf_history_resume(struct scf_history *history);

/* Takes the result of a test of stability at the state. */
void scf_history_take_test(struct scf_history *history, const struct scf_curvature *curvature);

/* Forgets tests: the state has left the point that they were of. */
void scf_history_forget_test(struct scf_history *history);

enum scf_action scf_decide(const struct scf_history *history,
                           const struct scf_conditions *conditions);

/* Whether the state is stuck on a flat surface, whose gradient neither matters nor becomes smaller. */
bool scf_history_is_flat(const struct scf_history *history);
