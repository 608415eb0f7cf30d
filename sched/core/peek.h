/* A look at another thread's data, for reports about a run that hangs: without a lock, because the
 * other thread may hold it for ever. */
#ifndef BERYL_SCHED_PEEK_H
#define BERYL_SCHED_PEEK_H

#include <stddef.h>

/* Copies memory that another thread may be changing: the copy may be half old, half new, and the
 * thread sanitizer does not see it. For plain data; no pointer in it is to be followed unless it
 * stays as it is. */
void peek_bytes(void *to, const void *from, size_t size);

#endif
