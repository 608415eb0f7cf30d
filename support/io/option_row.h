/* SPDX-License-Identifier: BSD-3-Clause */
/* One option: its name, the field that it fills, default, range and help. options.h says how
 * tables of rows are read. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,    /* bool: true when given, or as --name=true|false says */
    OPTION_INTEGER, /* int64_t in [min, max]; with an exponent, too: 1e15 */
    OPTION_REAL,    /* double in [min, max]; finite; exponents with E or D */
    OPTION_TEXT,    /* const char *, points into argv or the default */
    OPTION_CHOICE,  /* int: index into choices */
    OPTION_WORD,    /* const char *: one of choices; points into argv or the default */
};

struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* `-o` for 'o'; 0 for none */
    enum option_kind kind;
    size_t offset;                     /* of the field in the table's struct */
    const char *default_text;          /* as if typed; NULL: a flag is false, others stay as they
                                        * were */
    double min, max;                   /* numbers only, inclusive; both 0: any number */
    bool min_excluded;                 /* the number must be larger than min */
    const char *choices;               /* "a,b,c", OPTION_CHOICE and OPTION_WORD only */
    const char *(*list_choices)(void); /* the same from a registry, in place of choices */
    const char *(*describe_choice)(const char *choice); /* the choices are scheduling modes, which
                                                         * --help-modes lists with this text */
    const char *modes; /* "a,b": only these modes read it: --help-modes and --help-all show it,
                        * --help does not; NULL: it is not an option of modes */
    bool expert;       /* --help-all shows it, --help does not */
    const char *bare; /* the value of the option without one, as if typed; NULL: it must have one */
    bool answers; /* the program prints an answer instead of running; the operand, if any, is the
                        * value */
    const char *value; /* what --help calls the value, with its unit; NULL: WORD */
    const char *help;
};

/* A row of each kind: the name of the option, the offset of its field, the range of numbers or the
 * words to choose from, and other members with their names:
 *     INTEGER_OPTION("tile", offsetof(struct settings, tile), 1, 1e6, .default_text = "40",
 *                    .value = "N", .help = "basis functions in a tile"), */
#define OPTION_OF_KIND(kind_, name_, offset_, ...)                                                 \
    {                                                                                              \
        .name = name_, .kind = kind_, .offset = offset_, __VA_ARGS__                               \
    }
#define FLAG_OPTION(name_, offset_, ...) OPTION_OF_KIND(OPTION_FLAG, name_, offset_, __VA_ARGS__)
#define TEXT_OPTION(name_, offset_, ...) OPTION_OF_KIND(OPTION_TEXT, name_, offset_, __VA_ARGS__)
#define CHOICE_OPTION(name_, offset_, words_, ...)                                                 \
    OPTION_OF_KIND(OPTION_CHOICE, name_, offset_, .choices = words_, __VA_ARGS__)
#define INTEGER_OPTION(name_, offset_, min_, max_, ...)                                            \
    OPTION_OF_KIND(OPTION_INTEGER, name_, offset_, .min = min_, .max = max_, __VA_ARGS__)
#define REAL_OPTION(name_, offset_, min_, max_, ...)                                               \
    OPTION_OF_KIND(OPTION_REAL, name_, offset_, .min = min_, .max = max_, __VA_ARGS__)
