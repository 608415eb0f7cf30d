/* SPDX-License-Identifier: BSD-3-Clause */
/* JSON in C source without backslashes: ' stands for ". */
#pragma once

#include "tests/check.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

/* A new reference. */
static inline json_t *parse_quoted(const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    json_t *value = json_loads(copy, 0, NULL);
    assert_non_null(value);
    free(copy);
    return value;
}
