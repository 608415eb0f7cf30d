/* Modes that are wrong on purpose, made of built-in ones that notice nothing: worker 0 loses a
 * task ("loses"), or loses one and runs another twice ("swaps"), or loses a record of a dynamic
 * pool ("forgets"). */
#ifndef BERYL_TESTS_SABOTAGE_MODE_H
#define BERYL_TESTS_SABOTAGE_MODE_H

#include "sched/modes/modes.h"
#include "tests/check.h"

/* Followed by the state of the mode underneath. */
struct sabotage_state {
    _Alignas(64) const struct mode *under;
    bool saboteur, lost, repeated;
    int64_t repeat; /* the task to run again */
};

static inline void *sabotage_under(void *state)
{
    return (struct sabotage_state *)state + 1;
}

static inline enum status sabotage_init(const char *under, void *state,
                                        const struct mode_setup *setup, struct comm *comm)
{
    struct sabotage_state *self = state;
    *self = (struct sabotage_state){.under = mode_find(under), .saboteur = comm->rank == 0};
    return self->under->init(sabotage_under(state), setup, comm);
}

static inline enum status sabotage_init_static(void *state, const struct mode_setup *setup,
                                               struct comm *comm)
{
    return sabotage_init("static", state, setup, comm);
}

static inline enum status sabotage_init_steal(void *state, const struct mode_setup *setup,
                                              struct comm *comm)
{
    return sabotage_init("steal", state, setup, comm);
}

static inline void sabotage_fini(void *state)
{
    struct sabotage_state *self = state;
    if (self->under->fini)
        self->under->fini(sabotage_under(state));
}

static inline enum status sabotage_seed(void *state)
{
    struct sabotage_state *self = state;
    return self->under->seed(sabotage_under(state));
}

static inline enum mode_step sabotage_restore(void *state)
{
    struct sabotage_state *self = state;
    self->lost = self->repeated = false;
    return self->under->restore(sabotage_under(state));
}

static inline enum status sabotage_add(void *state, const void *record, bool initial)
{
    struct sabotage_state *self = state;
    return self->under->add(sabotage_under(state), record, initial);
}

static inline void sabotage_receive(void *state, int from, const void *message, size_t size)
{
    struct sabotage_state *self = state;
    self->under->receive(sabotage_under(state), from, message, size);
}

static inline void sabotage_sent(void *state, int64_t token)
{
    struct sabotage_state *self = state;
    self->under->sent(sabotage_under(state), token);
}

static inline double sabotage_progress(const void *state, int64_t n_run)
{
    const struct sabotage_state *self = state;
    return self->under->progress(self + 1, n_run);
}

/* The first task of the first range is lost. */
static inline enum mode_step sabotage_lose(void *state, struct mode_work *work)
{
    struct sabotage_state *self = state;
    enum mode_step step = self->under->next(sabotage_under(state), work);
    if (step == MODE_RUN && self->saboteur && !self->lost) {
        self->lost = true;
        work->range.first += work->range.step;
        self->repeat = work->range.first;
    }
    return step;
}

/* And at the end, the second runs again. */
static inline enum mode_step sabotage_swap(void *state, struct mode_work *work)
{
    struct sabotage_state *self = state;
    enum mode_step step = sabotage_lose(state, work);
    if (step != MODE_DONE || !self->lost || self->repeated)
        return step;
    self->repeated = true;
    work->range = (struct task_range){.first = self->repeat, .last = self->repeat + 1, .step = 1};
    return MODE_RUN;
}

static inline enum mode_step sabotage_forget(void *state, struct mode_work *work)
{
    struct sabotage_state *self = state;
    enum mode_step step = self->under->next(sabotage_under(state), work);
    if (step != MODE_RUN || !self->saboteur || self->lost)
        return step;
    self->lost = true;
    return self->under->next(sabotage_under(state), work);
}

/* Once per program. */
static inline void register_sabotage(void)
{
    static struct mode modes[3];
    modes[0] = modes[1] = (struct mode){.seeded = true, .init = sabotage_init_static};
    modes[2] = (struct mode){.init = sabotage_init_steal,
                             .add = sabotage_add,
                             .receive = sabotage_receive,
                             .sent = sabotage_sent};
    modes[0].next = sabotage_lose;
    modes[1].next = sabotage_swap;
    modes[2].next = sabotage_forget;
    static const char *const names[] = {"loses", "swaps", "forgets"};
    for (int i = 0; i < 3; i++) {
        modes[i].name = names[i];
        modes[i].help = "wrong on purpose";
        modes[i].state_size =
            sizeof(struct sabotage_state) + mode_find(i < 2 ? "static" : "steal")->state_size;
        modes[i].fini = sabotage_fini;
        modes[i].seed = sabotage_seed;
        modes[i].restore = sabotage_restore;
        modes[i].progress = sabotage_progress;
        check_ok(mode_register(&modes[i]));
    }
}

#endif
