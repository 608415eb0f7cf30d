/* SPDX-License-Identifier: BSD-3-Clause */
/* Messages of a running program, from one process: text on standard output, warnings on standard
 * error. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Whether this process prints; only one process of a run should. Returns whether it did before. */
bool log_enable(bool enabled);

/* printf to standard output, flushed, if this process prints. Control characters, but the line ends
 * and tabs of the format, come out as printable.h says. */
void log_print(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Flushes standard output. Returns the errno of the first time that it could not be written, by
 * log_print or by others; 0 if all was. */
int log_flush(void);

/* A line on standard error, after "warning: ": of what the run survives. */
void log_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* log_warn about a condition that may last, such as a full disk: printed unless the last one had
 * the same words, other numbers aside. */
void log_warn_once(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The condition has ended: its next warning is printed. */
void log_warn_end(void);

/* "s" after the word that a number counts, "" if it is 1. */
static inline const char *log_plural(int64_t n)
{
    return n == 1 ? "" : "s";
}

/* Whether this process prints and standard error is a terminal: progress is drawn (progress.h). */
bool log_progress_visible(void);

/* Prints a line on standard error, if this process prints. */
void log_note(const char *text);
