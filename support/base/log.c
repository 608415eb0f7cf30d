/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/log.h"

#include "support/base/printable.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool log_enabled;
static bool progress_visible;
static int output_error;   /* errno of what could not be written */
static char lasting[1024]; /* the last text of log_warn_once */

bool log_enable(bool enabled)
{
    bool before = log_enabled;
    log_enabled = enabled;
    progress_visible = enabled && isatty(STDERR_FILENO);
    return before;
}

void log_print(const char *format, ...)
{
    if (!log_enabled)
        return;
    va_list arguments;
    va_start(arguments, format);
    printable_vprint(stdout, true, format, arguments);
    va_end(arguments);
    log_flush();
}

int log_flush(void)
{
    int error = fflush(stdout) != 0 ? errno : ferror(stdout) ? EIO : 0;
    output_error = output_error ? output_error : error;
    return output_error;
}

void log_warn(const char *format, ...)
{
    if (!log_enabled)
        return;
    va_list arguments;
    va_start(arguments, format);
    fputs("warning: ", stderr);
    printable_vprint(stderr, false, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

static bool same_but_numbers(const char *a, const char *b)
{
    static const char digits[] = "0123456789.";
    for (;; a++, b++) {
        a += strspn(a, digits);
        b += strspn(b, digits);
        if (*a != *b || *a == '\0')
            return *a == *b;
    }
}

void log_warn_once(const char *format, ...)
{
    char text[sizeof lasting];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!same_but_numbers(text, lasting))
        log_warn("%s", text);
    strcpy(lasting, text);
}

void log_warn_end(void)
{
    lasting[0] = '\0';
}

void log_note(const char *text)
{
    if (log_enabled)
        fprintf(stderr, "%s\n", text);
}

bool log_progress_visible(void)
{
    return progress_visible;
}
