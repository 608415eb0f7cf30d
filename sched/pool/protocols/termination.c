/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/protocols/termination.h"

#include <assert.h>
#include <stdio.h>

enum { BRANCHING = 2 };

static void send_step(struct termination *self, int member,
                      const struct termination_message *message)
{
    int rank = self->rank_of ? self->rank_of(member, self->context) : member;
    taskpool_comm_send(self->comm, rank, message, sizeof *message);
}

static int parent_of(const struct termination *self)
{
    return self->rule == TERMINATION_WIDE ? (int)self->wide.parent : (self->member - 1) / BRANCHING;
}

static void send_current(int64_t child, void *context)
{
    struct termination *self = context;
    send_step(self, (int)child, &self->current);
}

/* Calls visit with each child unless it is NULL. Returns their number. */
static int visit_children(struct termination *self, void (*visit)(int64_t child, void *context))
{
    if (self->rule == TERMINATION_WIDE)
        return broadcast_tree_visit(&self->wide, visit, self);
    int64_t first = (int64_t)BRANCHING * self->member + 1;
    int n = 0;
    for (; n < BRANCHING && first + n < self->n_members; n++) {
        if (visit)
            visit(first + n, self);
    }
    return n;
}

void termination_init(struct termination *self, struct taskpool_comm *comm, int rule, int32_t kind,
                      int member, int n_members, int (*rank_of)(int member, const void *context),
                      const void *context)
{
    *self = (struct termination){.comm = comm,
                                 .rule = rule,
                                 .kind = kind,
                                 .member = member,
                                 .n_members = n_members,
                                 .rank_of = rank_of,
                                 .context = context};
    if (rule == TERMINATION_WIDE)
        broadcast_tree_init(&self->wide, member, n_members);
    self->n_children = rule == TERMINATION_RING ? 0 : visit_children(self, NULL);
    termination_begin(self);
}

void termination_begin(struct termination *self)
{
    self->transfers_sent = self->transfers_received = 0;
    self->controls_sent = self->controls_received = 0;
    self->asking = self->closed = self->finished = false;
    self->black = true;
    self->n_answers = self->n_white = 0;
    /* The token is at member 0; the first wave has been passed down to all members. */
    self->here = self->member == 0 || self->rule != TERMINATION_RING;
    self->current = (struct termination_message){.kind = self->kind, .step = TERMINATION_WAVE};
}

static bool is_white_and_equal(const struct termination_message *message)
{
    return !message->black && message->n_sent == message->n_received;
}

/* --- tree --- */

/* Begins a wave here and passes it down. */
static void spread_step(struct termination *self, int step)
{
    self->here = step != TERMINATION_RED;
    self->n_answers = 0;
    self->current = (struct termination_message){.kind = self->kind, .step = step};
    self->closed = step != TERMINATION_WAVE;
    self->finished = step == TERMINATION_RED;
    visit_children(self, send_current);
}

/* The step that follows one that all of the tree has answered. */
static int next_step(const struct termination *self)
{
    switch ((enum termination_step)self->current.step) {
    case TERMINATION_WAVE:
        if (self->rule == TERMINATION_WIDE)
            return TERMINATION_CLOSING;
        return is_white_and_equal(&self->current) ? TERMINATION_PINK : TERMINATION_WAVE;
    case TERMINATION_CLOSING:
        return self->current.black ? TERMINATION_WAVE : TERMINATION_RED;
    case TERMINATION_PINK:
    case TERMINATION_RED:
        break;
    }
    return TERMINATION_RED;
}

static void answer_parent(struct termination *self, bool without_work)
{
    struct termination_message *current = &self->current;
    current->up = 1;
    current->black |= self->rule == TERMINATION_WIDE ? !without_work : self->black;
    current->n_sent += self->transfers_sent;
    current->n_received += self->transfers_received;
    self->black = false;
    self->here = false;
    if (self->member > 0)
        send_step(self, parent_of(self), current);
    else
        spread_step(self, next_step(self));
}

static void advance_tree(struct termination *self, bool without_work)
{
    /* Only the root runs this more than once: its answer begins the next wave. */
    while (self->here && self->n_answers == self->n_children) {
        bool ready = self->current.step == TERMINATION_WAVE ? without_work : !self->asking;
        if (!ready)
            return;
        answer_parent(self, without_work);
    }
}

static void receive_tree(struct termination *self, const struct termination_message *message)
{
    if (!message->up) {
        spread_step(self, message->step);
        return;
    }
    self->n_answers++;
    self->current.black |= message->black;
    self->current.n_sent += message->n_sent;
    self->current.n_received += message->n_received;
}

/* --- ring --- */

/* Member 0 has the token back and begins the next round. */
static void turn(struct termination *self)
{
    struct termination_message *token = &self->current;
    int step = token->step;
    if (step == TERMINATION_PINK) {
        if (token->n_sent == token->n_received)
            step = TERMINATION_RED;
    } else {
        self->n_white = is_white_and_equal(token) ? self->n_white + 1 : 0;
        if (self->n_white == 2)
            step = TERMINATION_PINK;
    }
    *token = (struct termination_message){.kind = self->kind, .step = step};
}

static void pass(struct termination *self)
{
    struct termination_message *token = &self->current;
    bool is_wave = token->step == TERMINATION_WAVE;
    token->n_sent += is_wave ? self->transfers_sent : self->controls_sent;
    token->n_received += is_wave ? self->transfers_received : self->controls_received;
    token->black |= self->black;
    self->black = self->black && !is_wave;
    self->closed = !is_wave;
    self->finished = token->step == TERMINATION_RED;
    self->here = false;
    bool is_end = self->finished && self->member == self->n_members - 1;
    if (!is_end)
        send_step(self, (self->member + 1) % self->n_members, token);
}

static void advance_ring(struct termination *self, bool without_work)
{
    if (self->here && (without_work || self->current.step != TERMINATION_WAVE))
        pass(self);
}

static void receive_ring(struct termination *self, const struct termination_message *message)
{
    self->here = true;
    self->current = *message;
    if (self->member == 0)
        turn(self);
}

/* --- both --- */

static void advance_wave(struct termination *self, bool without_work)
{
    if (self->finished)
        return;
    if (self->n_members == 1)
        self->closed = self->finished = without_work;
    else if (self->rule == TERMINATION_RING)
        advance_ring(self, without_work);
    else
        advance_tree(self, without_work);
}

void termination_sent_transfer(struct termination *self)
{
    self->transfers_sent++;
    if (self->rule == TERMINATION_RING)
        self->black = true;
}

void termination_received_transfer(struct termination *self)
{
    self->transfers_received++;
    self->asking = false;
    if (self->rule == TERMINATION_TREE)
        self->black = true;
    if (self->closed)
        advance_wave(self, false);
}

void termination_sent_request(struct termination *self)
{
    assert(!self->closed && !self->asking);
    self->asking = true;
    self->controls_sent++;
}

void termination_received_request(struct termination *self)
{
    self->controls_received++;
}

void termination_sent_refusal(struct termination *self)
{
    self->controls_sent++;
}

void termination_received_refusal(struct termination *self)
{
    self->asking = false;
    self->controls_received++;
}

void termination_without_work(struct termination *self)
{
    advance_wave(self, true);
}

void termination_receive(struct termination *self, const struct termination_message *message,
                         bool without_work)
{
    assert(!self->finished);
    if (self->rule == TERMINATION_RING)
        receive_ring(self, message);
    else
        receive_tree(self, message);
    advance_wave(self, without_work);
}

bool termination_is_certain(const struct termination *self)
{
    return self->rule == TERMINATION_WIDE ? self->finished : self->closed;
}

void termination_describe(const struct termination *self, char *text, size_t size)
{
    const char *step = self->finished ? "finished"
                       : self->closed ? "closed"
                       : self->here   ? "its wave or token is here"
                                      : "its wave or token is elsewhere";
    snprintf(text, size,
             "termination: %s, %lld transfers sent and %lld received, %lld requests and refusals "
             "sent and %lld received, %d answers",
             step, (long long)self->transfers_sent, (long long)self->transfers_received,
             (long long)self->controls_sent, (long long)self->controls_received, self->n_answers);
}
