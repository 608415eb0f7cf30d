/* SPDX-License-Identifier: BSD-3-Clause */
/* Status codes and the text that goes with the last failure.
 *
 * A function that can fail returns `enum status`. The code is the truth; the
 * text, kept once per process, is for people. It belongs to the last failure, of any
 * thread. FAIL records text and place and
 * yields the code, TRY passes a failure on from a function that owns nothing:
 *
 *     if (n < 0)
 *         return FAIL(STATUS_INPUT, "%s:%d: negative atom count", path, line);
 *     TRY(molecule_parse(...));
 */
#pragma once

#include <stdint.h>

/* One list for the codes, their words and the exit status of a program that
 * ends with them (RESULTS.md: 1 the calculation failed, 2 bad usage or input). */
#define STATUS_LIST(X)                                                                             \
    X(STATUS_OK, "success", 0)                                                                     \
    X(STATUS_USAGE, "bad usage", 2)                                                                \
    X(STATUS_INPUT, "bad input", 2)                                                                \
    X(STATUS_IO, "cannot read or write", 2)                                                        \
    X(STATUS_LIMIT, "beyond a limit of the program", 2)                                            \
    X(STATUS_NO_MEMORY, "not enough memory", 1)                                                    \
    X(STATUS_NOT_CONVERGED, "not converged", 1)                                                    \
    X(STATUS_NUMERIC, "numerical failure", 1)                                                      \
    X(STATUS_LIBRARY, "a library failed", 1)                                                       \
    X(STATUS_PROTOCOL, "a scheduler protocol failed", 1)

enum status {
#define X(code, words, exit_status) code,
    STATUS_LIST(X)
#undef X
};

/* Records the failure and returns code. The text replaces any earlier one. */
enum status status_fail(enum status code, const char *function, const char *file, int line,
                        const char *format, ...) __attribute__((format(printf, 5, 6)));

/* The words of a code, never NULL. */
const char *status_words(enum status code);

/* Text of the last failure on this process, "" if none, shorter than STATUS_TEXT_SIZE. Valid until
 * the next failure. */
enum { STATUS_TEXT_SIZE = 1024, STATUS_ORIGIN_SIZE = 256 };
const char *status_text(void);

/* "function (file:line)" of the last failure: for developers, not for users. */
const char *status_origin(void);

/* For calls of functions that others wrote, which may fail without a text: the failures recorded on
 * this process so far; and code itself, after recording this text unless code is STATUS_OK or a
 * failure with it was the last of those recorded after n_before. */
int64_t status_n_failures(void);
enum status status_explain(enum status code, int64_t n_before, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replace the text or the origin of the last failure: by a text with more context, with
 * status_text() as a possible argument, or by text and origin of a failure on another process. */
void status_set_text(const char *format, ...) __attribute__((format(printf, 1, 2)));
void status_set_origin(const char *origin);

/* The last failure, kept while something is tried that may fail, too, and restored after it: it
 * remains the one that is reported. */
struct status_kept {
    char text[STATUS_TEXT_SIZE], origin[STATUS_ORIGIN_SIZE];
};
struct status_kept status_keep(void);
void status_restore(const struct status_kept *kept);

/* Prints the text of the last failure to standard error after the program's name; if the
 * environment variable BERYL_DEBUG is 1, its origin on a second line. */
void status_print(const char *program);

/* Exit status of a program whose outcome is code. */
int status_exit_code(enum status code);

#define FAIL(code, ...) status_fail((code), __func__, __FILE__, __LINE__, __VA_ARGS__)

/* STATUS_OK if what was allocated is not NULL, else a failure with that text. */
#define CHECK_MEMORY(allocated, ...) ((allocated) ? STATUS_OK : FAIL(STATUS_NO_MEMORY, __VA_ARGS__))

#define TRY(call)                                                                                  \
    do {                                                                                           \
        enum status try_status_ = (call);                                                          \
        if (try_status_ != STATUS_OK)                                                              \
            return try_status_;                                                                    \
    } while (0)
