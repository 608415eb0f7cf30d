/* How much memory there still is. */
#ifndef BERYL_SUPPORT_MEMORY_H
#define BERYL_SUPPORT_MEMORY_H

#include <stdint.h>

/* Bytes that this node can still give to all its processes together, limits of
 * a container or batch job included; INT64_MAX if the system does not say. */
int64_t memory_available_bytes(void);

/* The same for memory that processes share, in which distributed arrays live:
 * also bounded by the room in /dev/shm. */
int64_t memory_shared_available_bytes(void);

/* The most memory that this process has held at once; what processes share counts for each
 * that has touched it. */
int64_t memory_peak_bytes(void);

/* What this process holds now, of what processes share an even part; 0 if the system does not
 * say. Takes some milliseconds. */
int64_t memory_part_bytes(void);

#endif
