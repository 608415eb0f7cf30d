/* Lines and words of an input text, and messages that name the line. */
#ifndef BERYL_SUPPORT_LINE_READER_H
#define BERYL_SUPPORT_LINE_READER_H

#include "support/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of the text between white space; not NUL-terminated. */
struct word {
    const char *begin;
    size_t length;
};

/* No file format here has as many words in a line that matter. */
enum { LINE_MAX_WORDS = 64 };

struct line_reader {
    const char *name;     /* of the text, for messages; borrowed */
    const char *comments; /* characters that start a comment; "" for none */
    const char *next;     /* where the next line begins */
    const char *end;      /* of the text */
    int64_t line;         /* number of the current line, from 1; 0 before the first */
    struct word all;      /* the current line without comment and line end */
    int n_words;          /* words of the line, at most LINE_MAX_WORDS counted */
    struct word words[LINE_MAX_WORDS];
};

/* The text (length bytes) and the name must outlive the reader. */
void line_reader_init(struct line_reader *reader, const char *text, size_t length, const char *name,
                      const char *comments);

/* Goes to the next line; false at the end of the text. */
bool line_reader_next(struct line_reader *reader);

/* Goes to the next line that has a word; false at the end of the text. */
bool line_reader_next_filled(struct line_reader *reader);

/* Fails with STATUS_INPUT and "name:line: " before the message. */
enum status line_reader_fail(const struct line_reader *reader, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Whether the word is this text, in any case. */
bool word_equals(struct word word, const char *text);

/* The number a word spells: decimal, exponents with E or D; false if it is not
 * a finite number, when *value is not changed. */
bool word_to_real(struct word word, double *value);
bool word_to_integer(struct word word, int64_t *value);

/* A word as a message can show it: shortened, unprintable characters replaced. */
struct word_text {
    char text[41];
};
struct word_text word_show(struct word word);

#endif
