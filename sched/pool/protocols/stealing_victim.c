/* SPDX-License-Identifier: BSD-3-Clause */
/* How many of a victim's tasks a thief gets. */
#include "sched/pool/protocols/stealing_private.h"

#include <math.h>

int64_t stealing_even_share(double victim_speed, double thief_speed, double left, int64_t n)
{
    int64_t less = (int64_t)((double)n * thief_speed / (thief_speed + victim_speed));
    double with_less = ((double)(n - less) + left) / victim_speed;
    double with_more =
        fmax((double)(less + 1) / thief_speed, ((double)(n - less - 1) + left) / victim_speed);
    return less < n && with_more < with_less ? less + 1 : less;
}

/* A thief sends its speed only where it is not the usual one. */
static double speed_of_thief(const struct steal_request *request, size_t size)
{
    return size == sizeof *request ? request->speed : 1;
}

/* The number of waiting tasks that a thief gets; 0 if there are none for it, -1: half of them. */
static int64_t share_for(struct stealing *self, int thief, const struct steal_request *request,
                         size_t size)
{
    const struct move_account *account = &self->account;
    if (self->share.problem)
        return data_share_of(
            &self->share,
            &(struct data_share_request){.victim = self->comm->rank,
                                         .thief = thief,
                                         .victim_speed = self->speed,
                                         .thief_speed = speed_of_thief(request, size),
                                         .n_waiting = task_deque_n_shared(&self->deque),
                                         .n_listed = task_deque_list_shared(
                                             &self->deque, DATA_SHARE_MOST, self->share.tasks),
                                         .now_s = taskpool_comm_now(self->comm)});
    if (account->move_cost > 0)
        return move_account_worth(account, task_deque_n_shared(&self->deque), request->load_s,
                                  taskpool_comm_now(self->comm));
    if (!self->minds_speeds)
        return -1;
    double left =
        atomic_load_explicit(&self->between, memory_order_relaxed) ? 0 : RUNNING_TASK_LEFT;
    return stealing_even_share(self->speed, speed_of_thief(request, size), left,
                               task_deque_n_shared(&self->deque));
}

int64_t stealing_choose_batch(struct stealing *self, int thief, const struct steal_request *request,
                              size_t size, struct task_deque_batch *batch)
{
    int64_t n_wanted = self->steal_tasks, n = share_for(self, thief, request, size);
    if (n >= 0 && n < self->deque.min_share)
        return 0;
    if (n > 0)
        n_wanted = n_wanted > 0 && n_wanted < n ? n_wanted : n;
    return task_deque_give_away(&self->deque, n_wanted, batch);
}
