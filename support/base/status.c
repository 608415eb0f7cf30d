/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/status.h"

#include "support/base/printable.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char last_text[STATUS_TEXT_SIZE];
static char last_origin[STATUS_ORIGIN_SIZE];
static enum status last_code;
static int64_t n_failures;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of these */

/* Replaces the texts that are not NULL; counts a failure unless code is STATUS_OK. */
static void record_texts(const char *text, const char *origin, enum status code)
{
    pthread_mutex_lock(&lock);
    if (text)
        snprintf(last_text, sizeof last_text, "%s", text);
    if (origin)
        snprintf(last_origin, sizeof last_origin, "%s", origin);
    if (code != STATUS_OK) {
        last_code = code;
        n_failures++;
    }
    pthread_mutex_unlock(&lock);
}

enum status status_fail(enum status code, const char *function, const char *file, int line,
                        const char *format, ...)
{
    char text[STATUS_TEXT_SIZE], origin[STATUS_ORIGIN_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    snprintf(origin, sizeof origin, "%s (%s:%d)", function, file, line);
    record_texts(text, origin, code);
    return code;
}

int64_t status_n_failures(void)
{
    pthread_mutex_lock(&lock);
    int64_t n = n_failures;
    pthread_mutex_unlock(&lock);
    return n;
}

enum status status_explain(enum status code, int64_t n_before, const char *format, ...)
{
    char text[STATUS_TEXT_SIZE];
    va_list arguments;
    if (code == STATUS_OK || (status_n_failures() > n_before && last_code == code))
        return code;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return FAIL(code, "%s", text);
}

const char *status_words(enum status code)
{
    switch (code) {
#define X(name, words, exit_status)                                                                \
    case name:                                                                                     \
        return words;
        STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

/* The last failure as this thread asks for it: another thread may record one meanwhile. */
static const struct status_kept *copy_for_thread(void)
{
    static _Thread_local struct status_kept copy;
    copy = status_keep();
    return &copy;
}

const char *status_text(void)
{
    return copy_for_thread()->text;
}

const char *status_origin(void)
{
    return copy_for_thread()->origin;
}

void status_set_text(const char *format, ...)
{
    char text[STATUS_TEXT_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    record_texts(text, NULL, STATUS_OK);
}

void status_set_origin(const char *origin)
{
    record_texts(NULL, origin, STATUS_OK);
}

struct status_kept status_keep(void)
{
    struct status_kept kept;
    pthread_mutex_lock(&lock);
    memcpy(kept.text, last_text, sizeof kept.text);
    memcpy(kept.origin, last_origin, sizeof kept.origin);
    pthread_mutex_unlock(&lock);
    return kept;
}

void status_restore(const struct status_kept *kept)
{
    record_texts(kept->text, kept->origin, STATUS_OK);
}

void status_print(const char *program)
{
    const char *debug = getenv("BERYL_DEBUG");
    printable_print(stderr, "%s: %s", program, status_text());
    fputc('\n', stderr);
    if (debug && strcmp(debug, "1") == 0)
        fprintf(stderr, "%s: failed in %s\n", program, status_origin());
}

int status_exit_code(enum status code)
{
    switch (code) {
#define X(name, words, exit_status)                                                                \
    case name:                                                                                     \
        return exit_status;
        STATUS_LIST(X)
#undef X
    }
    return 1;
}
