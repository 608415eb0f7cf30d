#include "support/io/text_file.h"

#include "support/base/agree.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

static enum status read_stream(FILE *stream, const char *path, struct text_file *file)
{
    struct stat information;
    if (fstat(fileno(stream), &information) != 0)
        return FAIL(STATUS_IO, "%s: %s", path, strerror(errno));
    if (S_ISDIR(information.st_mode))
        return FAIL(STATUS_IO, "%s: is a directory, not a file", path);
    if (information.st_size > TEXT_FILE_MAX_BYTES)
        return FAIL(STATUS_INPUT, "%s: %lld bytes, more than the %d that an input file may have",
                    path, (long long)information.st_size, TEXT_FILE_MAX_BYTES);

    /* One byte more than allowed, so that an endless pipe is noticed too. */
    char *bytes = malloc((size_t)TEXT_FILE_MAX_BYTES + 2);
    TRY(CHECK_MEMORY(bytes, "%s: no memory to read it", path));
    size_t length = fread(bytes, 1, (size_t)TEXT_FILE_MAX_BYTES + 1, stream);
    enum status status = STATUS_OK;
    if (ferror(stream))
        status = FAIL(STATUS_IO, "%s: %s", path, strerror(errno));
    else if (length == 0)
        status = FAIL(STATUS_INPUT, "%s: the file is empty", path);
    else if (length > TEXT_FILE_MAX_BYTES)
        status = FAIL(STATUS_INPUT, "%s: more than the %d bytes that an input file may have", path,
                      TEXT_FILE_MAX_BYTES);
    else
        status = check_text(path, bytes, length);
    if (status != STATUS_OK) {
        free(bytes);
        return status;
    }
    bytes[length] = '\0';
    char *trimmed = realloc(bytes, length + 1);
    file->bytes = trimmed ? trimmed : bytes;
    file->length = length;
    return STATUS_OK;
}

enum status text_file_read(const char *path, struct text_file *file)
{
    *file = (struct text_file){0};
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return FAIL(STATUS_IO, "%s: %s", path, strerror(errno));
    enum status status = read_stream(stream, path, file);
    fclose(stream);
    return status;
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
