/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/log.h"

#include "support/base/clock.h"
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

void log_enable(bool enabled)
{
    log_enabled = enabled;
    progress_visible = enabled && isatty(STDERR_FILENO);
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

bool log_progress_visible(void)
{
    return progress_visible;
}

/* fraction  below 1 */
static void draw_progress(const char *what, double fraction)
{
    if (fraction < 0) {
        fprintf(stderr, "\r\033[K%s", what);
        return;
    }
    enum { width = 40 };
    int filled = (int)(fraction * width);
    char bar[width + 1];
    for (int i = 0; i < width; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[width] = '\0';
    fprintf(stderr, "\r%s [%s] %3.0f %%", what, bar, 100 * fraction);
}

void log_progress(const char *what, double fraction)
{
    static double last_drawn_s;
    double now_s = clock_now_s();
    if (!log_progress_visible() || (fraction < 1 && now_s - last_drawn_s < 0.2))
        return;
    if (fraction >= 1) {
        fprintf(stderr, "\r\033[K");
    } else {
        draw_progress(what, fraction);
        last_drawn_s = now_s;
    }
    fflush(stderr); /* of lines only, otherwise */
}
