#include "sched/modes/comparison.h"

#include "sched/taskpool.h"
#include "support/base/log.h"

#include <string.h>

/* Which mode the others are held against. */
static int reference_of(const struct comparison_row *rows, int n)
{
    for (int i = 0; i < n; i++)
        if (strcmp(taskpool_mode_name(rows[i].mode), "static") == 0)
            return i;
    return 0;
}

void comparison_print(const struct comparison_row *rows, int n, int64_t n_iterations,
                      const char *what)
{
    const struct comparison_row *reference = &rows[reference_of(rows, n)];
    log_print("\nSeconds per %s of the first, the best and the last of %lld; the other "
              "figures are\nof the last: steals asked for and done per worker, messages of all; "
              "ratio: best to best of %s\n\n",
              what, (long long)n_iterations, taskpool_mode_name(reference->mode));
    log_print("mode           first      best      last efficiency imbalance    steals      done"
              "  messages     ratio\n");
    for (int i = 0; i < n; i++) {
        const struct statistics_iteration *last = &rows[i].last;
        log_print("%-10s %9.4f %9.4f %9.4f %8.2f %% %7.2f %% %9.1f %9.1f %9lld %9.4f\n",
                  taskpool_mode_name(rows[i].mode), rows[i].first_s, rows[i].best_s, rows[i].last_s,
                  100 * last->efficiency, 100 * last->imbalance, last->steals_attempted.mean,
                  last->steals_successful.mean, (long long)last->messages,
                  rows[i].best_s / reference->best_s);
    }
}
