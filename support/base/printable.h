/* SPDX-License-Identifier: BSD-3-Clause */
/* Text from outside on its way to a terminal: file names, labels and titles of inputs may hold
 * bytes that move the cursor, set colours or type commands. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Length of the character of UTF-8 at the start of a text, 1 to 4 bytes; 0 at its end and where
 * no valid one begins, or a control character (C0 or C1, DEL).
 * Source: RFC 3629, section 4. */
size_t printable_length(const char *text);

/* vfprintf, but each byte that is not part of a printable character comes out as \xNN.
 * lines  leaves line ends and tabs of the format as they are */
void printable_vprint(FILE *stream, bool lines, const char *format, va_list arguments)
    __attribute__((format(printf, 3, 0)));

/* printable_vprint for a message of one line. */
void printable_print(FILE *stream, const char *format, ...) __attribute__((format(printf, 2, 3)));
