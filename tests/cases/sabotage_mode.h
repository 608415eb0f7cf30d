/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes that are wrong on purpose, made of built-in ones that notice nothing: on each worker, once in an
 * iteration, "loses-MODE" loses a task, "swaps-MODE" runs another twice in its place, and "forgets-MODE" loses a
 * range or the record of a dynamic pool. */
#pragma once

#include "sched/pool/modes/modes.h"
#include "tests/check.h"

#include <string.h>

/* Behind the state of the mode underneath, whose other functions are called as they are. */
struct sabotage_state {
    const struct taskpool_mode *under;
    bool lost, repeated;
    int64_t repeat; /* the task to run again */
};

enum { SABOTAGE_OFFSET = 4096 };

static inline struct sabotage_state *sabotage_of(void *state)
{
    return (void *)((char *)state + SABOTAGE_OFFSET);
}

static inline int sabotage_init(void *state, const struct taskpool_mode_setup *setup,
                                struct taskpool_comm *comm)
{
    const struct taskpool_mode *under = mode_find(strchr(setup->settings->mode, '-') + 1);
    *sabotage_of(state) = (struct sabotage_state){.under = under};
    return under->init(state, setup, comm);
}

static inline enum taskpool_mode_step sabotage_restore(void *state)
{
    const struct taskpool_mode *under = sabotage_of(state)->under;
    *sabotage_of(state) = (struct sabotage_state){.under = under};
    return under->restore(state);
}

static inline enum taskpool_mode_step sabotage_lose(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = sabotage_of(state);
    enum taskpool_mode_step step = self->under->next(state, work);
    if (step == TASKPOOL_MODE_RUN && !self->lost) {
        self->lost = true;
        work->range.first += work->range.step;
        self->repeat = work->range.first;
    }
    return step;
}

/* At the end the task after the lost one runs again. */
static inline enum taskpool_mode_step sabotage_swap(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = sabotage_of(state);
    enum taskpool_mode_step step = sabotage_lose(state, work);
    if (step != TASKPOOL_MODE_DONE || !self->lost || self->repeated)
        return step;
    self->repeated = true;
    work->range = (struct taskpool_range){self->repeat, self->repeat + 1, 1};
    return TASKPOOL_MODE_RUN;
}

static inline enum taskpool_mode_step sabotage_forget(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = sabotage_of(state);
    enum taskpool_mode_step step = self->under->next(state, work);
    if (step != TASKPOOL_MODE_RUN || self->lost)
        return step;
    self->lost = true;
    return self->under->next(state, work);
}

/* name  "KIND-MODE"; must outlive the program */
static inline struct taskpool_mode
sabotage_make(const char *name,
              enum taskpool_mode_step (*next)(void *, struct taskpool_mode_work *))
{
    struct taskpool_mode made = *mode_find(strchr(name, '-') + 1);
    assert_true(made.state_size <= SABOTAGE_OFFSET);
    made.name = name;
    made.help = "wrong on purpose";
    made.options = NULL;
    made.state_size = SABOTAGE_OFFSET + sizeof(struct sabotage_state);
    made.init = sabotage_init;
    made.next = next;
    made.next_local = NULL;
    made.restore = sabotage_restore;
    return made;
}

static const char *const sabotages[] = {
    "loses-static",   "swaps-static",    "loses-counter",   "swaps-counter",   "loses-guided",
    "swaps-guided",   "loses-factoring", "swaps-factoring", "loses-trapezoid", "swaps-trapezoid",
    "loses-lifeline", "swaps-lifeline",  "loses-diffusion", "swaps-diffusion", "forgets-steal",
};
enum { N_SABOTAGES = sizeof sabotages / sizeof sabotages[0] };

/* Once per program. */
static inline void register_sabotages(void)
{
    static struct taskpool_mode modes[N_SABOTAGES];
    for (int i = 0; i < N_SABOTAGES; i++) {
        char kind = sabotages[i][0];
        modes[i] = sabotage_make(sabotages[i], kind == 'l'   ? sabotage_lose
                                               : kind == 's' ? sabotage_swap
                                                             : sabotage_forget);
        check_ok(mode_register(&modes[i]));
    }
}
