/* SPDX-License-Identifier: BSD-3-Clause */
/* Words and comma-separated fields of a text, and the numbers that they spell. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters of a text, borrowed; not NUL-terminated. */
struct word {
    const char *begin;
    size_t length;
};

/* All characters of a C string. */
struct word word_from_text(const char *text);

/* Bytes of the byte order mark with which some editors begin a text in UTF-8; 0 without. */
size_t text_mark_length(const char *text, size_t length);

/* Takes the first word of the rest, ended by white space; false if only white space is left. */
bool take_word(struct word *rest, struct word *word);

/* The word without white space around it. */
struct word trim_word(struct word word);

/* Takes the first field of the rest, up to a comma or the end, without white space and quotation
 * marks around it; false after the last field, when rest->begin is NULL. An empty text has one
 * empty field. A comma within quotation marks separates fields, too. */
bool take_field(struct word *rest, struct word *field);

/* Whether the text has exactly n fields; if so, sets them. */
bool split_fields(struct word text, int n, struct word *fields);

/* Whether the word is this text, in any case. */
bool word_equals(struct word word, const char *text);

/* Whether two words have the same characters. */
bool words_match(struct word a, struct word b);

/* The number a word spells: decimal, exponents with E, D or *^; false if it is
 * not a finite number, when *value is not changed. */
bool word_to_real(struct word word, double *value);
bool word_to_integer(struct word word, int64_t *value);

/* word_to_integer that also takes whole numbers in the forms of a real: 1e15, 2.5e3. Exact. */
bool word_to_whole(struct word word, int64_t *value);

/* The n numbers of a text "1.5,2", finite. Returns 0; otherwise which of them, counted from 1, is
 * the first that is missing or no such number, or n + 1 if there are more. */
int text_to_reals(const char *text, int n, double *values);

/* The numbers of "3" or "3-5": at least 1, in ascending order; false if it is not such a range. */
bool word_to_range(struct word word, int64_t *first, int64_t *last);

/* Edits from one word to another: a letter replaced, left out, put in, or exchanged with the next; case
 * does not count. INT_MAX if one is longer than 32 letters. */
int word_edits(struct word a, struct word b);

/* The known name nearest to a mistyped word, for the end of a message:
 *     struct suggestion suggestion = {.typed = word_from_text("stael")};
 *     suggestion_add(&suggestion, "static,steal");   text becomes ": did you mean steal?" */
struct suggestion {
    struct word typed;
    const char *dashes; /* before the name; NULL: none */
    int n_edits;        /* from the word to the name */
    char text[64];      /* "": no name is near */
};

/* Takes the nearest of the names, which ',', '|' or spaces separate, if it is nearer by
 * word_edits than those before. */
void suggestion_add(struct suggestion *suggestion, const char *names);

/* A word as a message can show it: shortened, unprintable characters replaced. */
struct word_text {
    char text[41];
};
struct word_text word_show(struct word word);
