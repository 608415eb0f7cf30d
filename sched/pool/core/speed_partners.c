/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/speed_partners.h"

#include "support/base/array.h"
#include "support/base/die.h"

#include <math.h>
#include <stdlib.h>

/* Gains are alike within rounding. */
#define GAIN_ROUNDING 1e-9

void speed_partners_fini(struct speed_partners *self)
{
    free(self->list);
    *self = (struct speed_partners){0};
}

struct speed_partner *speed_partners_find(const struct speed_partners *self, int worker)
{
    for (int64_t i = 0; i < self->n; i++)
        if (self->list[i].worker == worker)
            return &self->list[i];
    return NULL;
}

struct speed_partner *speed_partners_add(struct speed_partners *self, int worker)
{
    struct speed_partner *partner = speed_partners_find(self, worker);
    if (partner)
        return partner;
    if (array_reserve(&self->list, self->n + 1, &self->capacity, sizeof *self->list) != STATUS_OK)
        die_no_memory("no memory for the %lld workers that tasks were exchanged with",
                      (long long)self->n);
    partner = &self->list[self->n++];
    *partner = (struct speed_partner){.worker = worker};
    return partner;
}

void speed_partner_add_task(struct speed_partner *self, double work, double change)
{
    self->sum += work * change;
    self->weight += work;
    self->squares += work * work;
}

void speed_partner_add_evidence(struct speed_partner *self, double change, double n)
{
    self->change = (self->n * self->change + n * change) / (self->n + n);
    self->n += n;
}

double speed_partner_n_equivalent(const struct speed_partner *self, double mean_work)
{
    return self->weight * fmin(self->weight / self->squares, 1 / mean_work);
}

int64_t speed_partners_count_receivers(const struct speed_partners *self)
{
    int64_t n = 0;
    for (int64_t i = 0; i < self->n; i++)
        n += self->list[i].gave;
    return n;
}

int64_t speed_partners_count(const struct speed_partners *self)
{
    int64_t n = 0;
    for (int64_t i = 0; i < self->n; i++)
        n += self->list[i].n > 0;
    return n;
}

double speed_partners_gain(const struct speed_partners *self, double *n, double *change)
{
    *n = *change = 0;
    for (int64_t i = 0; i < self->n; i++) {
        *n += self->list[i].n;
        *change += self->list[i].n * self->list[i].change;
    }
    if (*n > 0)
        *change /= *n;
    return *n > SPEED_LEAST_TASKS && fabs(*change) > SPEED_LEAST_CHANGE ? *n * *change * *change
                                                                        : 0;
}

double speed_partners_squares(const struct speed_partners *self)
{
    double squares = 0;
    for (int64_t i = 0; i < self->n; i++)
        squares += self->list[i].n * self->list[i].change * self->list[i].change;
    return squares;
}

bool speed_partners_have_gains(const struct speed_partners *self, int32_t round)
{
    for (int64_t i = 0; i < self->n; i++)
        if (!self->list[i].has_gain[round % 2])
            return false;
    return true;
}

bool speed_partners_exceeds(const struct speed_partners *self, int32_t round, double gain,
                            double change)
{
    for (int64_t i = 0; i < self->n; i++) {
        double other = self->list[i].gain[round % 2];
        bool is_tie = fabs(other - gain) <= GAIN_ROUNDING * gain;
        if (is_tie ? change > 0 : other > gain)
            return false;
    }
    return true;
}
