/* SPDX-License-Identifier: BSD-3-Clause */
/* Checkpoints that a test damages: on one process. */
#pragma once

#include "tests/cases/file_bytes.h"

#include <hdf5.h>
#include <stdlib.h>
#include <string.h>

/* Inverts a bit of the file. */
static inline void file_bit_flip(const char *path, size_t bit)
{
    FILE *file = fopen(path, "r+b");
    assert_non_null(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    int byte = fgetc(file);
    fseek(file, (long)(bit / 8), SEEK_SET);
    fputc(byte ^ 1 << bit % 8, file);
    fclose(file);
}

/* The title and the digest at the end. */
enum { CHECKPOINT_SEAL_SIZE = 27 + 64 };

static inline void checkpoint_cut_seal(const char *path)
{
    size_t size;
    char *bytes = file_bytes_read(path, &size);
    assert_true(size > CHECKPOINT_SEAL_SIZE);
    size -= CHECKPOINT_SEAL_SIZE;
    assert_memory_equal(bytes + size, "\nBeryl checkpoint", 17);
    file_bytes_write(path, bytes, size);
    free(bytes);
}

/* Makes it a file of another program: without a seal and the group that speaks of it. */
static inline void checkpoint_unseal(const char *path)
{
    checkpoint_cut_seal(path);
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "beryl", H5P_DEFAULT) >= 0);
    H5Fclose(file);
}

/* Where the elements of a data set begin in the file, and their number. */
static inline size_t checkpoint_set_find(const char *path, const char *name, size_t *n)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT), space = H5Dget_space(set);
    haddr_t offset = H5Dget_offset(set);
    assert_true(set >= 0 && offset != HADDR_UNDEF);
    *n = (size_t)H5Sget_simple_extent_npoints(space);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return (size_t)offset;
}
