/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/file_open.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

/* Pipes without a name lie in a file system of their own. */
static bool has_pipe_name(const struct stat *information, const struct statfs *disk)
{
    return S_ISFIFO(information->st_mode) && disk->f_type != PIPEFS_MAGIC;
}

bool file_is_named_pipe(const char *path)
{
    struct stat information;
    struct statfs disk;
    return stat(path, &information) == 0 && statfs(path, &disk) == 0 &&
           has_pipe_name(&information, &disk);
}

/* Asks for the open file: the path may name another one meanwhile. */
static bool is_open_named_pipe(int descriptor)
{
    struct stat information;
    struct statfs disk;
    return fstat(descriptor, &information) == 0 && fstatfs(descriptor, &disk) == 0 &&
           has_pipe_name(&information, &disk);
}

int file_open(const char *path, int access)
{
    int descriptor = open(path, access | O_NONBLOCK);
    if (descriptor < 0 && errno == ENXIO && file_is_named_pipe(path)) /* without a reader */
        errno = ESPIPE;
    if (descriptor < 0)
        return descriptor;
    if (!is_open_named_pipe(descriptor)) {
        fcntl(descriptor, F_SETFL, access); /* reading and writing may wait */
        return descriptor;
    }
    close(descriptor);
    errno = ESPIPE;
    return -1;
}

const char *file_open_error(void)
{
    return errno == ESPIPE ? "is a named pipe, not a file" : strerror(errno);
}

enum status file_open_stream(const char *path, FILE **stream)
{
    int descriptor = file_open(path, O_RDONLY);
    *stream = descriptor >= 0 ? fdopen(descriptor, "rb") : NULL;
    if (*stream)
        return STATUS_OK;
    enum status status = FAIL(STATUS_IO, "%s: %s", path, file_open_error());
    if (descriptor >= 0)
        close(descriptor);
    return status;
}
