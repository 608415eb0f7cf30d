/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/balancing/balancer_placement.h"

#include "sched/pool/balancing/data_spread.h"

static void fill_placed(struct balancer *self)
{
    taskpool_comm_report(self->link.comm, data_placement_fill(self->placement, self->bins));
}

static void return_to_best(struct balancer *self)
{
    data_placement_return(self->placement);
    fill_placed(self);
}

/* The next iteration begins like the first one. */
static void start_again(struct balancer *self)
{
    self->starts = true;
    data_placement_seed(self->placement, self->link.speed);
    fill_placed(self);
}

void balancer_placement_begin(struct balancer *self, const struct balancer_message *average)
{
    struct data_placement *placement = self->placement;
    placement->ratio = average->price_s;
    placement->weighs = average->weighs;
    if (average->remembers)
        data_placement_remember(placement);
    if (average->step == BEST_RETURN)
        return_to_best(self);
    if (average->step == BEST_START)
        start_again(self);
    self->as_seeded = average->as_seeded;
    if (self->as_seeded)
        data_placement_seed(placement, self->link.speed);
    if (average->load_s == 0 || !average->weighs)
        self->link.placement = NULL;
}

void balancer_placement_end_as_seeded(struct balancer *self, const struct balancer_message *verdict)
{
    self->as_seeded = false;
    self->outcome.as_seeded = verdict->accepted;
    if (verdict->accepted)
        fill_placed(self);
    else
        data_placement_list(self->placement, self->bins);
}

void balancer_placement_end(struct balancer *self, const struct balancer_message *verdict)
{
    if (verdict->starts) {
        start_again(self);
    } else if (verdict->accepted) {
        data_spread_tasks(self->placement);
        fill_placed(self);
    } else {
        self->outcome.moves = self->outcome.deals = self->outcome.tries = false;
        self->outcome.after_s = self->outcome.largest_s;
        return_to_best(self);
    }
}
