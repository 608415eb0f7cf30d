/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/line_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

void line_reader_init(struct line_reader *reader, const char *text, size_t length, const char *name,
                      const char *comments)
{
    *reader = (struct line_reader){
        .name = name, .comments = comments, .next = text, .end = text + length};
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
    const char *end = memchr(begin, '\n', (size_t)(reader->end - begin));
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
