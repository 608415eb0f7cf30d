/* SPDX-License-Identifier: BSD-3-Clause */
/* A whole file as bytes. */
#pragma once

#include "tests/check.h"

#include <stdio.h>
#include <stdlib.h>

/* The caller frees them; a null byte follows. size: NULL, or out. */
static inline char *file_bytes_read(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    size_t length = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(length + 1);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, length, file), length);
    fclose(file);
    bytes[length] = '\0';
    if (size)
        *size = length;
    return bytes;
}

static inline void file_bytes_write(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}
