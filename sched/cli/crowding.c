#include "sched/cli/crowding.h"

void crowding_apply(double crowded_speed, int node_size, int n_workers, double *speeds)
{
    if (node_size == 1)
        return;
    for (int i = 0; i < n_workers; i++) {
        int first = i / node_size * node_size;
        int n = n_workers - first < node_size ? n_workers - first : node_size;
        speeds[i] *= 1 - (1 - crowded_speed) * (n - 1) / (node_size - 1);
    }
}
