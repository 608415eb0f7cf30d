/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/source_place.h"

#include <stdarg.h>
#include <stdio.h>

enum status source_fail(const char *file, struct source_place place, const char *format, ...)
{
    char message[768];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    return FAIL(STATUS_INPUT, "%s:%d:%d: %s", file, place.line, place.column, message);
}
