/* The words of an XYZ file's comment line that have a meaning; molecule_comment.h says which. */
#ifndef BERYL_BASIS_MOLECULE_COMMENT_KEY_H
#define BERYL_BASIS_MOLECULE_COMMENT_KEY_H

#include "basis/input/molecule.h"
#include "support/io/words.h"

#include <stdbool.h>

enum quantity { CHARGE, MULTIPLICITY, UNPAIRED, SPIN, UNIT };

enum key_kind {
    PLAIN,
    OVERLOADED, /* with other meanings, too: counts only before = and with a value it can have */
    LETTER,     /* a hint before = or : and a number */
    HINT,       /* a hint without a value */
    WEAK_HINT,  /* one if alone, where units are named, or said of a topic */
    TOPIC,      /* something that has units; of it a weak hint says so, */
    COPULA      /*   with only these between */
};

struct comment_key {
    const char *name; /* in lower case, without -, _, dots and blanks */
    enum quantity quantity;
    enum key_kind kind;
};

/* NULL if the word is none. */
const struct comment_key *comment_key_find(struct word word);

/* The unit that a value of units= names; false if it names none. */
bool comment_unit_find(struct word word, enum length_unit *unit);

#endif
