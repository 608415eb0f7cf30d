/* SPDX-License-Identifier: BSD-3-Clause */
/* Modes that are wrong on purpose, made of built-in ones that notice nothing: worker 0 loses a
 * task ("loses"), or loses one and runs another twice ("swaps"), or loses a record of a dynamic
 * pool ("forgets"). "loses-MODE" and "swaps-MODE" do the same to the mode of that name, on each
 * worker. */
#pragma once

#include "sched/pool/modes/modes.h"
#include "tests/check.h"

#include <stdio.h>
#include <string.h>

/* Followed by the state of the mode underneath. */
struct sabotage_state {
    _Alignas(64) const struct taskpool_mode *under;
    bool saboteur, lost, repeated;
    int64_t repeat; /* the task to run again */
};

static inline void *sabotage_under(void *state)
{
    return (struct sabotage_state *)state + 1;
}

static inline int sabotage_init(const char *under, void *state,
                                const struct taskpool_mode_setup *setup, struct taskpool_comm *comm)
{
    struct sabotage_state *self = state;
    *self = (struct sabotage_state){.under = mode_find(under), .saboteur = comm->rank == 0};
    return self->under->init(sabotage_under(state), setup, comm);
}

static inline int sabotage_init_static(void *state, const struct taskpool_mode_setup *setup,
                                       struct taskpool_comm *comm)
{
    return sabotage_init("static", state, setup, comm);
}

static inline int sabotage_init_steal(void *state, const struct taskpool_mode_setup *setup,
                                      struct taskpool_comm *comm)
{
    return sabotage_init("steal", state, setup, comm);
}

/* The mode that the chosen one names after its dash. */
static inline int sabotage_init_named(void *state, const struct taskpool_mode_setup *setup,
                                      struct taskpool_comm *comm)
{
    TRY(sabotage_init(strchr(setup->settings->mode, '-') + 1, state, setup, comm));
    ((struct sabotage_state *)state)->saboteur = true;
    return STATUS_OK;
}

static inline void sabotage_fini(void *state)
{
    struct sabotage_state *self = state;
    if (self->under->fini)
        self->under->fini(sabotage_under(state));
}

static inline int sabotage_seed(void *state)
{
    struct sabotage_state *self = state;
    return self->under->seed ? self->under->seed(sabotage_under(state)) : STATUS_OK;
}

static inline enum taskpool_mode_step sabotage_restore(void *state)
{
    struct sabotage_state *self = state;
    self->lost = self->repeated = false;
    return self->under->restore(sabotage_under(state));
}

static inline int sabotage_add(void *state, const void *record, bool initial)
{
    struct sabotage_state *self = state;
    return self->under->add(sabotage_under(state), record, initial);
}

#define SABOTAGE_PASSES(function, parameters, ...)                                                 \
    static inline void sabotage_##function parameters                                              \
    {                                                                                              \
        ((struct sabotage_state *)state)->under->function(sabotage_under(state), __VA_ARGS__);     \
    }

SABOTAGE_PASSES(receive, (void *state, int from, const void *message, size_t size), from, message,
                size)
SABOTAGE_PASSES(sent, (void *state, int64_t token), token)
SABOTAGE_PASSES(fetched, (void *state, int64_t value), value)
SABOTAGE_PASSES(finished, (void *state, int64_t task, double time_s), task, time_s)

static inline double sabotage_progress(const void *state, int64_t n_run)
{
    const struct sabotage_state *self = state;
    return self->under->progress(self + 1, n_run);
}

/* The first task of the first range is lost. */
static inline enum taskpool_mode_step sabotage_lose(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = state;
    enum taskpool_mode_step step = self->under->next(sabotage_under(state), work);
    if (step == TASKPOOL_MODE_RUN && self->saboteur && !self->lost) {
        self->lost = true;
        work->range.first += work->range.step;
        self->repeat = work->range.first;
    }
    return step;
}

/* And at the end, the second runs again. */
static inline enum taskpool_mode_step sabotage_swap(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = state;
    enum taskpool_mode_step step = sabotage_lose(state, work);
    if (step != TASKPOOL_MODE_DONE || !self->lost || self->repeated)
        return step;
    self->repeated = true;
    work->range =
        (struct taskpool_range){.first = self->repeat, .last = self->repeat + 1, .step = 1};
    return TASKPOOL_MODE_RUN;
}

static inline enum taskpool_mode_step sabotage_forget(void *state, struct taskpool_mode_work *work)
{
    struct sabotage_state *self = state;
    enum taskpool_mode_step step = self->under->next(sabotage_under(state), work);
    if (step != TASKPOOL_MODE_RUN || !self->saboteur || self->lost)
        return step;
    self->lost = true;
    return self->under->next(sabotage_under(state), work);
}

/* name  "WORD-MODE" of the mode underneath; must outlive the program */
static inline struct taskpool_mode
sabotage_of(const struct taskpool_mode *under, const char *name,
            enum taskpool_mode_step (*next)(void *, struct taskpool_mode_work *))
{
    struct taskpool_mode made = *under;
    made.name = name;
    made.help = "wrong on purpose";
    made.options = NULL;
    made.state_size = sizeof(struct sabotage_state) + under->state_size;
    made.init = sabotage_init_named;
    made.fini = sabotage_fini;
    made.seed = under->seed ? sabotage_seed : NULL;
    made.next = next;
    made.next_local = NULL;
    made.add = under->add ? sabotage_add : NULL;
    made.receive = under->receive ? sabotage_receive : NULL;
    made.sent = under->sent ? sabotage_sent : NULL;
    made.fetched = under->fetched ? sabotage_fetched : NULL;
    made.finished = under->finished ? sabotage_finished : NULL;
    made.restore = sabotage_restore;
    made.progress = sabotage_progress;
    made.describe = NULL;
    return made;
}

/* The modes whose sabotage is registered by name. */
static const char *const sabotaged_modes[] = {"counter",   "guided",   "factoring",
                                              "trapezoid", "lifeline", "diffusion"};
enum { N_SABOTAGED = sizeof sabotaged_modes / sizeof sabotaged_modes[0] };
static char sabotage_names[N_SABOTAGED][2][32];

static inline void register_sabotages_by_name(void)
{
    static struct taskpool_mode modes[N_SABOTAGED][2];
    for (int i = 0; i < N_SABOTAGED; i++)
        for (int swaps = 0; swaps < 2; swaps++) {
            snprintf(sabotage_names[i][swaps], sizeof sabotage_names[i][swaps], "%s-%s",
                     swaps ? "swaps" : "loses", sabotaged_modes[i]);
            modes[i][swaps] = sabotage_of(mode_find(sabotaged_modes[i]), sabotage_names[i][swaps],
                                          swaps ? sabotage_swap : sabotage_lose);
            check_ok(mode_register(&modes[i][swaps]));
        }
}

/* Once per program. */
static inline void register_sabotage(void)
{
    static struct taskpool_mode modes[3];
    modes[0] = sabotage_of(mode_find("static"), "loses", sabotage_lose);
    modes[1] = sabotage_of(mode_find("static"), "swaps", sabotage_swap);
    modes[2] = sabotage_of(mode_find("steal"), "forgets", sabotage_forget);
    for (int i = 0; i < 3; i++) {
        modes[i].init = i < 2 ? sabotage_init_static : sabotage_init_steal;
        check_ok(mode_register(&modes[i]));
    }
}
