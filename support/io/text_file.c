/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/text_file.h"

#include "support/base/agree.h"
#include "support/base/array.h"
#include "support/io/file_open.h"

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
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

/* --- lines --- */

void line_reader_init(struct line_reader *reader, const char *text, size_t length, const char *name,
                      const char *comments)
{
    *reader = (struct line_reader){.name = name,
                                   .comments = comments,
                                   .next = text,
                                   .end = text + length,
                                   .line_end = memchr(text, '\n', length) ? '\n' : '\r'};
    reader->next += text_mark_length(text, length);
}

enum status line_reader_open(struct line_reader *reader, const char *path, int64_t max_bytes,
                             const char *comments)
{
    struct text_file file;
    TRY(text_file_read_up_to(path, max_bytes, &file));
    line_reader_init(reader, file.bytes, file.length, path, comments);
    reader->file = file;
    return STATUS_OK;
}

void line_reader_close(struct line_reader *reader)
{
    text_file_fini(&reader->file);
}

static void split_words(struct line_reader *reader)
{
    struct word rest = reader->all;
    reader->n_words = 0;
    while (reader->n_words < LINE_MAX_WORDS && take_word(&rest, &reader->words[reader->n_words]))
        reader->n_words++;
}

bool line_reader_next(struct line_reader *reader)
{
    if (reader->next == reader->end)
        return false;
    const char *begin = reader->next;
    const char *end = memchr(begin, reader->line_end, (size_t)(reader->end - begin));
    reader->next = end ? end + 1 : reader->end;
    if (!end)
        end = reader->end;

    const char *stop = begin;
    while (stop < end && !(*stop && strchr(reader->comments, *stop)))
        stop++;
    reader->line++;
    reader->all = (struct word){begin, (size_t)(stop - begin)};
    split_words(reader);
    return true;
}

bool line_reader_next_filled(struct line_reader *reader)
{
    while (line_reader_next(reader))
        if (reader->n_words > 0)
            return true;
    return false;
}

static bool has_names(struct word line, struct word head)
{
    struct word name, field;
    while (take_field(&head, &name))
        if (!take_field(&line, &field) || field.length != name.length ||
            strncasecmp(field.begin, name.begin, name.length) != 0)
            return false;
    return !take_field(&line, &field);
}

enum status line_reader_take_head(struct line_reader *reader, const char *what, const char *head)
{
    if (line_reader_next_filled(reader) && has_names(reader->all, word_from_text(head)))
        return STATUS_OK;
    return line_reader_fail(reader, "%s begins with the line '%s'", what, head);
}

enum status line_reader_fail(const struct line_reader *reader, const char *format, ...)
{
    char message[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    long long line = reader->line > 0 ? reader->line : 1;
    return FAIL(STATUS_INPUT, "%s:%lld: %s", reader->name, line, message);
}
