/* SPDX-License-Identifier: BSD-3-Clause */
/* Text files in memory, their lines, and messages that name the line. */
#pragma once

#include "support/base/status.h"
#include "support/io/words.h"

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Limit of all input files except profiles of tasks: geometries of 10^5 atoms and basis set
 * libraries stay below. */
enum { TEXT_FILE_MAX_BYTES = 16 * 1024 * 1024 };

struct text_file {
    char *bytes;   /* length bytes and a terminating NUL; owned */
    size_t length; /* without the NUL */
};

/* Reads the file; *file is empty after a failure. Errors, each naming the path: STATUS_IO if it
 * cannot be opened or read, STATUS_INPUT if it is empty, larger than
 * TEXT_FILE_MAX_BYTES or holds a NUL byte (so is not text), STATUS_NO_MEMORY. */
enum status text_file_read(const char *path, struct text_file *file);

/* text_file_read with another limit. */
enum status text_file_read_up_to(const char *path, int64_t max_bytes, struct text_file *file);

/* Reads the file on rank 0 and broadcasts it to all processes of comm; *file is empty after a
 * failure. Collective; all processes return the same status. */
enum status text_file_read_all(const char *path, MPI_Comm comm, struct text_file *file);

void text_file_fini(struct text_file *file);

/* Words counted in a line; take_word and take_field of words.h go through longer ones. */
enum { LINE_MAX_WORDS = 64 };

struct line_reader {
    const char *name;     /* of the text, for messages; borrowed */
    const char *comments; /* characters that start a comment; "" for none */
    const char *next;     /* where the next line begins */
    const char *end;      /* of the text */
    char line_end;        /* a line feed, or a carriage return where the text has no line feed */
    int64_t line;         /* number of the current line, from 1; 0 before the first */
    struct word all;      /* the current line without comment and line end */
    int n_words;          /* words of the line, at most LINE_MAX_WORDS counted */
    struct word words[LINE_MAX_WORDS];
    struct text_file file; /* of line_reader_open; else empty */
};

/* The text (length bytes) and the name must outlive the reader. */
void line_reader_init(struct line_reader *reader, const char *text, size_t length, const char *name,
                      const char *comments);

/* Starts reading a file of at most max_bytes, which line_reader_close frees; after a failure there
 * is nothing to close. Errors: as text_file_read. */
enum status line_reader_open(struct line_reader *reader, const char *path, int64_t max_bytes,
                             const char *comments);
void line_reader_close(struct line_reader *reader);

/* Goes to the next line; false at the end of the text. */
bool line_reader_next(struct line_reader *reader);

/* Goes to the next line that has a word; false at the end of the text. */
bool line_reader_next_filled(struct line_reader *reader);

/* Goes to the first line that has a word, the head of a table.
 * what  begins the message: "a profile"
 * head  names between commas, expected in any case
 * Errors: STATUS_INPUT if it is another. */
enum status line_reader_take_head(struct line_reader *reader, const char *what, const char *head);

/* Fails with STATUS_INPUT and "name:line: " before the message; before the first line, line 1. */
enum status line_reader_fail(const struct line_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
