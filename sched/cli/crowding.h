/* What workers lose in speed to the others of their node. */
#ifndef BERYL_SCHED_CROWDING_H
#define BERYL_SCHED_CROWDING_H

/* Multiplies speeds by what is left of them when the workers of a node compute at once: of
 * a full node crowded_speed, in (0, 1]; the loss grows evenly with the number of workers that
 * its node has.
 * node_size  workers of a full node, consecutive ones, >= 1
 * speeds     n_workers */
void crowding_apply(double crowded_speed, int node_size, int n_workers, double *speeds);

#endif
