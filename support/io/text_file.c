/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/text_file.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/file_open.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Least room for the next read. */
enum { READ_BYTES = 1 << 16 };

/* Names the place of the first zero byte, if there is one. */
static enum status check_text(const char *path, const char *bytes, size_t length)
{
    const char *zero = memchr(bytes, '\0', length), *start = bytes;
    int64_t line = 1;
    if (!zero)
        return STATUS_OK;
    for (const char *end; (end = memchr(start, '\n', (size_t)(zero - start))); start = end + 1)
        line++;
    return FAIL(STATUS_INPUT, "%s:%lld:%lld: a zero byte: this is not a text file", path,
                (long long)line, (long long)(zero - start) + 1);
}

/* Reads at most max_bytes and one more, so that an endless pipe is noticed too. */
static enum status read_bytes(FILE *stream, const char *path, int64_t max_bytes,
                              struct text_file *file)
{
    int64_t capacity = 0;
    size_t n_read = 1;
    while (n_read > 0 && (int64_t)file->length <= max_bytes) {
        int64_t length = (int64_t)file->length;
        if (capacity < length + 2)
            TRY(array_reserve(&file->bytes, length + READ_BYTES, &capacity, 1));
        int64_t wanted = capacity - 1 < max_bytes + 1 ? capacity - 1 : max_bytes + 1;
        n_read = fread(file->bytes + length, 1, (size_t)(wanted - length), stream);
        file->length += n_read;
    }
    file->bytes[file->length] = '\0';
    return ferror(stream) ? FAIL(STATUS_IO, "%s: %s", path, strerror(errno)) : STATUS_OK;
}

static enum status read_stream(FILE *stream, const char *path, int64_t max_bytes,
                               struct text_file *file)
{
    struct stat information;
    if (fstat(fileno(stream), &information) != 0)
        return FAIL(STATUS_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(information.st_mode))
        return FAIL(STATUS_IO, "%s: is a directory, not a file", path);
    if (information.st_size > max_bytes)
        return FAIL(STATUS_INPUT, "%s: %lld bytes, more than the %lld that an input file may have",
                    path, (long long)information.st_size, (long long)max_bytes);
    TRY(read_bytes(stream, path, max_bytes, file));
    if (file->length == 0)
        return FAIL(STATUS_INPUT, "%s: the file is empty", path);
    if ((int64_t)file->length > max_bytes)
        return FAIL(STATUS_INPUT, "%s: more than the %lld bytes that an input file may have", path,
                    (long long)max_bytes);
    return check_text(path, file->bytes, file->length);
}

enum status text_file_read_up_to(const char *path, int64_t max_bytes, struct text_file *file)
{
    *file = (struct text_file){0};
    FILE *stream;
    TRY(file_open_stream(path, &stream));
    enum status status = read_stream(stream, path, max_bytes, file);
    fclose(stream);
    if (status != STATUS_OK)
        text_file_fini(file);
    return status;
}

enum status text_file_read(const char *path, struct text_file *file)
{
    return text_file_read_up_to(path, TEXT_FILE_MAX_BYTES, file);
}

enum status text_file_read_all(const char *path, MPI_Comm comm, struct text_file *file)
{
    int rank;
    MPI_Comm_rank(comm, &rank);
    *file = (struct text_file){0};
    enum status status = STATUS_OK;
    if (rank == 0)
        status = text_file_read(path, file);
    TRY(status_agree(comm, status));

    unsigned long long length = file->length;
    MPI_Bcast(&length, 1, MPI_UNSIGNED_LONG_LONG, 0, comm);
    if (rank != 0) {
        file->bytes = malloc(length + 1);
        file->length = length;
    }
    status = status_agree(comm, CHECK_MEMORY(file->bytes, "%s: no memory to read it", path));
    if (status != STATUS_OK) {
        text_file_fini(file);
        return status;
    }
    MPI_Bcast(file->bytes, (int)length + 1, MPI_BYTE, 0, comm);
    return STATUS_OK;
}

void text_file_fini(struct text_file *file)
{
    free(file->bytes);
    *file = (struct text_file){0};
}
