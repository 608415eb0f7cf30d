/* SPDX-License-Identifier: BSD-3-Clause */
/* One option of a scheduling mode: a row of a table that mode.h hands to the settings. C and C++;
 * the macros at the end in C. */
#ifndef TASKPOOL_OPTION_H
#define TASKPOOL_OPTION_H

#include <stdbool.h>
#include <stddef.h>

enum taskpool_option_kind {
    TASKPOOL_OPTION_FLAG,    /* bool: true when given, or as --name=true|false says */
    TASKPOOL_OPTION_INTEGER, /* int64_t in [min, max]; with an exponent, too: 1e15 */
    TASKPOOL_OPTION_REAL,    /* double in [min, max]; finite; exponents with E or D */
    TASKPOOL_OPTION_TEXT,    /* const char *, points at what was set, or the default */
    TASKPOOL_OPTION_CHOICE,  /* int: index into choices */
    TASKPOOL_OPTION_WORD /* const char *: one of choices; points at what was set, or the default */
};

/* One option: its name, the field that it fills, default, range and help. */
struct taskpool_option {
    const char *name; /* without the dashes */
    enum taskpool_option_kind kind;
    size_t offset;            /* of the field in the struct of the mode's options */
    double min, max;          /* numbers only, inclusive; both 0: any number */
    const char *choices;      /* "a,b,c", of TASKPOOL_OPTION_CHOICE and TASKPOOL_OPTION_WORD only */
    const char *default_text; /* as if typed; NULL: a flag is false, others stay as they were */
    const char *value;        /* what --help calls the value, with its unit; NULL: WORD */
    const char *help;
    bool min_excluded; /* the number must be larger than min */
    bool expert;       /* --help-all shows it, --help does not */
};

/* A row of each kind, in C: the name of the option, the offset of its field, the range of numbers
 * or the words to choose from, and other members with their names:
 *     TASKPOOL_INTEGER_OPTION("grain", offsetof(struct settings, grain), 1, 1e6,
 *                             .default_text = "40", .value = "N", .help = "tasks in a grain"), */
#define TASKPOOL_OPTION_OF_KIND(kind_, name_, offset_, ...)                                        \
    {                                                                                              \
        .name = name_, .kind = kind_, .offset = offset_, __VA_ARGS__                               \
    }
#define TASKPOOL_FLAG_OPTION(name_, offset_, ...)                                                  \
    TASKPOOL_OPTION_OF_KIND(TASKPOOL_OPTION_FLAG, name_, offset_, __VA_ARGS__)
#define TASKPOOL_TEXT_OPTION(name_, offset_, ...)                                                  \
    TASKPOOL_OPTION_OF_KIND(TASKPOOL_OPTION_TEXT, name_, offset_, __VA_ARGS__)
#define TASKPOOL_CHOICE_OPTION(name_, offset_, words_, ...)                                        \
    TASKPOOL_OPTION_OF_KIND(TASKPOOL_OPTION_CHOICE, name_, offset_, .choices = words_, __VA_ARGS__)
#define TASKPOOL_INTEGER_OPTION(name_, offset_, min_, max_, ...)                                   \
    TASKPOOL_OPTION_OF_KIND(TASKPOOL_OPTION_INTEGER, name_, offset_, .min = min_, .max = max_,     \
                            __VA_ARGS__)
#define TASKPOOL_REAL_OPTION(name_, offset_, min_, max_, ...)                                      \
    TASKPOOL_OPTION_OF_KIND(TASKPOOL_OPTION_REAL, name_, offset_, .min = min_, .max = max_,        \
                            __VA_ARGS__)

#endif
