/* Messages of a running program: text on standard output from one process
 * and a progress bar on a terminal. */
#ifndef BERYL_SUPPORT_LOG_H
#define BERYL_SUPPORT_LOG_H

#include <stdbool.h>

/* Whether this process prints; only one process of a run should. */
void log_enable(bool enabled);

/* printf to standard output, flushed, if this process prints. Control characters in it, but line
 * ends and tabs, come out as printable.h says. */
void log_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output. Returns the errno of the first time that it could not be written, by
 * log_print or by others; 0 if all was. */
int log_flush(void);

/* A line on standard error, after "warning: ": of what the run survives. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Shows that a fraction in [0, 1] of what is done now is done: a bar on
 * standard error, redrawn at most five times a second, and only if that is a
 * terminal. fraction >= 1 erases it; < 0: not known, no bar. */
void log_progress(const char *what, double fraction);

/* Whether log_progress would draw at all. */
bool log_progress_visible(void);

#endif
