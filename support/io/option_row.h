/* One option: its name, the field that it fills, default, range and help. options.h says how
 * tables of rows are read. */
#ifndef BERYL_SUPPORT_OPTION_ROW_H
#define BERYL_SUPPORT_OPTION_ROW_H

#include <stdbool.h>
#include <stddef.h>

enum option_kind {
    OPTION_FLAG,    /* bool: set to true when given */
    OPTION_INTEGER, /* int64_t in [min, max] */
    OPTION_REAL,    /* double in [min, max]; finite */
    OPTION_TEXT,    /* const char *, points into argv or the default */
    OPTION_CHOICE,  /* int: index into choices */
    OPTION_WORD,    /* const char *: one of choices; points into argv or the default */
};

struct option_row {
    const char *name; /* without the dashes */
    char letter;      /* `-o` for 'o'; 0 for none */
    enum option_kind kind;
    size_t offset;                     /* of the field in the table's struct */
    const char *default_text;          /* as if typed; NULL leaves the field as it was */
    double min, max;                   /* numbers only, inclusive; both 0: any number */
    bool min_excluded;                 /* the number must be larger than min */
    const char *choices;               /* "a,b,c", OPTION_CHOICE and OPTION_WORD only */
    const char *(*list_choices)(void); /* the same from a registry, in place of choices */
    bool expert;                       /* --help-all shows it, --help does not */
    const char *value;                 /* what --help calls the value, with its unit; NULL: WORD */
    const char *help;
};

#endif
