/* SPDX-License-Identifier: BSD-3-Clause */
/* Places in the text of a program, and messages about them. */
#ifndef BERYL_TCE_SOURCE_PLACE_H
#define BERYL_TCE_SOURCE_PLACE_H

#include "support/base/status.h"

/* Both from 1; a column is a byte. */
struct source_place {
    int line, column;
};

/* Records "FILE:LINE:COLUMN: ..." and returns STATUS_INPUT. */
enum status source_fail(const char *file, struct source_place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
