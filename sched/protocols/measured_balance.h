/* What the modes persist and auto have in common: tasks are timed where they run,
 * and between iterations a balancer moves some of them, so that each worker
 * will have as much to do as the others if tasks take as long as they did. */
#ifndef BERYL_SCHED_MEASURED_BALANCE_H
#define BERYL_SCHED_MEASURED_BALANCE_H

#include "sched/protocols/balancer.h"
#include "sched/protocols/stealing.h"
#include "sched/queues/duration_bins.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct measured_balance {
    struct stealing stealing;  /* first: entries of the mode's table are stealing's own */
    struct duration_bins bins; /* what ran here, then what is to run here */
    struct balancer balancer;
    bool balancing; /* restore is to be called again */
};

/* setup, comm  borrowed
 * rules        copied
 * Errors: those of stealing_init. */
enum status measured_balance_init(struct measured_balance *measured, const struct mode_setup *setup,
                                  struct comm *comm, const struct balancer_rules *rules);

/* One call of the mode's restore: balances. Whether that is over. */
bool measured_balance_balance(struct measured_balance *measured);

/* Then: begins the next iteration with the tasks of bins, which are emptied.
 * steals         whether workers without tasks look for some
 * longest_first  the order in which they run: else that in which they ran, what
 *                came from elsewhere at the end
 * Errors: STATUS_NO_MEMORY, STATUS_LIMIT (--deque). */
enum status measured_balance_begin(struct measured_balance *measured, bool steals,
                                   bool longest_first);

/* Entries of struct mode, for modes whose state begins with a struct measured_balance. */
void measured_balance_fini(void *state);
enum status measured_balance_seed(void *state);
void measured_balance_receive(void *state, int from, const void *message, size_t size);
void measured_balance_sent(void *state, int64_t token);
void measured_balance_finished(void *state, int64_t task, double time_s);

#endif
