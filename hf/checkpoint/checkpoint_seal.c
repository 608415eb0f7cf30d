/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/checkpoint/checkpoint_seal.h"

#include "support/base/sha256.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>

/* The seal is this and the digest. */
static const char title[] = "\nBeryl checkpoint, SHA-256 ";
enum { TITLE_SIZE = sizeof title - 1, SEAL_SIZE = TITLE_SIZE + SHA256_HEX_SIZE - 1 };

/* Digest of the first `size` bytes. */
static enum status digest_of_file(FILE *file, off_t size, const char *path,
                                  char hex[SHA256_HEX_SIZE])
{
    struct sha256 *sha256;
    char piece[1 << 16];
    size_t n = 1;
    rewind(file);
    TRY(sha256_create(&sha256));
    for (off_t left = size; left > 0 && n > 0; left -= (off_t)n) {
        n = fread(piece, 1, left < (off_t)sizeof piece ? (size_t)left : sizeof piece, file);
        sha256_add(sha256, piece, n);
    }
    sha256_finish(sha256, hex);
    sha256_destroy(sha256);
    return n > 0 ? STATUS_OK : FAIL(STATUS_IO, "%s: cannot be read: %s", path, strerror(errno));
}

static off_t file_size(FILE *file)
{
    return fseeko(file, 0, SEEK_END) == 0 ? ftello(file) : -1;
}

static enum status append_seal(FILE *file, const char *path)
{
    char hex[SHA256_HEX_SIZE];
    off_t size = file_size(file);
    TRY(digest_of_file(file, size, path, hex));
    bool written = fseeko(file, 0, SEEK_END) == 0 && fputs(title, file) >= 0 &&
                   fputs(hex, file) >= 0 && fflush(file) == 0;
    return written ? STATUS_OK : FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
}

enum status checkpoint_seal(const char *path)
{
    FILE *file = fopen(path, "r+b");
    if (!file)
        return FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    enum status status = append_seal(file, path);
    if (fclose(file) != 0 && status == STATUS_OK)
        status = FAIL(STATUS_IO, "cannot write %s: %s", path, strerror(errno));
    return status;
}

static enum status verify_seal(FILE *file, const char *path, bool *sealed)
{
    char seal[SEAL_SIZE], hex[SHA256_HEX_SIZE];
    off_t size = file_size(file) - SEAL_SIZE;
    *sealed = size >= 0 && fseeko(file, size, SEEK_SET) == 0 &&
              fread(seal, 1, SEAL_SIZE, file) == SEAL_SIZE && memcmp(seal, title, TITLE_SIZE) == 0;
    if (!*sealed)
        return STATUS_OK;
    TRY(digest_of_file(file, size, path, hex));
    if (memcmp(seal + TITLE_SIZE, hex, SHA256_HEX_SIZE - 1) != 0)
        return FAIL(STATUS_INPUT, "%s: damaged since it was written: its SHA-256 does not match",
                    path);
    return STATUS_OK;
}

enum status checkpoint_seal_verify(const char *path, bool *sealed)
{
    struct stat information;
    bool is_there = stat(path, &information) == 0;
    /* Nothing may ever come through a pipe. */
    if (is_there && !S_ISREG(information.st_mode))
        return FAIL(STATUS_INPUT, "%s: not a checkpoint: it is not a regular file", path);
    FILE *file = is_there ? fopen(path, "rb") : NULL;
    if (!file)
        return FAIL(STATUS_IO, "cannot read %s: %s", path, strerror(errno));
    enum status status = verify_seal(file, path, sealed);
    fclose(file);
    return status;
}
