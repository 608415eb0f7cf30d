#include "basis/input/molecule_comment_key.h"

#include <ctype.h>
#include <string.h>

static const struct comment_key comment_keys[] = {
    {"charge", CHARGE, PLAIN},
    {"totalcharge", CHARGE, PLAIN},
    {"netcharge", CHARGE, PLAIN},
    {"molecularcharge", CHARGE, PLAIN},
    {"chrg", CHARGE, PLAIN},
    {"q", CHARGE, OVERLOADED},
    {"multiplicity", MULTIPLICITY, PLAIN},
    {"mult", MULTIPLICITY, PLAIN},
    {"spinmultiplicity", MULTIPLICITY, PLAIN},
    {"molecularmultiplicity", MULTIPLICITY, PLAIN},
    {"2s+1", MULTIPLICITY, PLAIN},
    {"unpaired", UNPAIRED, PLAIN},
    {"nunpaired", UNPAIRED, PLAIN},
    {"unpairedelectrons", UNPAIRED, PLAIN},
    {"nopen", UNPAIRED, PLAIN},
    {"uhf", UNPAIRED, OVERLOADED},
    {"2s", UNPAIRED, OVERLOADED},
    {"spin", SPIN, PLAIN},
    {"totalspin", SPIN, PLAIN},
    {"s", SPIN, OVERLOADED},
    {"ms", SPIN, OVERLOADED},
    {"sz", SPIN, OVERLOADED},
    {"units", UNIT, PLAIN},
    {"unit", UNIT, PLAIN},
    {"c", CHARGE, LETTER},
    {"m", MULTIPLICITY, LETTER},
    {"doublet", MULTIPLICITY, HINT},
    {"triplet", MULTIPLICITY, HINT},
    {"quartet", MULTIPLICITY, HINT},
    {"quintet", MULTIPLICITY, HINT},
    {"sextet", MULTIPLICITY, HINT},
    {"septet", MULTIPLICITY, HINT},
    {"bohr", UNIT, HINT},
    {"au", UNIT, WEAK_HINT},
    {"atomic", UNIT, WEAK_HINT},
    {"coordinates", UNIT, TOPIC},
    {"coords", UNIT, TOPIC},
    {"xyz", UNIT, TOPIC},
    {"geometry", UNIT, TOPIC},
    {"positions", UNIT, TOPIC},
    {"distances", UNIT, TOPIC},
    {"are", UNIT, COPULA},
    {"given", UNIT, COPULA},
    {"in", UNIT, COPULA},
};

static const struct {
    const char *name;
    enum length_unit unit;
} unit_names[] = {
    {"angstrom", LENGTH_ANGSTROM}, {"angstroms", LENGTH_ANGSTROM}, {"ang", LENGTH_ANGSTROM},
    {"a", LENGTH_ANGSTROM},        {"bohr", LENGTH_BOHR},          {"au", LENGTH_BOHR},
    {"atomic", LENGTH_BOHR},       {"atomicunits", LENGTH_BOHR},
};

static bool key_matches(struct word word, const char *name)
{
    for (size_t i = 0; i < word.length; i++) {
        if (word.begin[i] && strchr("-_. ", word.begin[i]))
            continue;
        /* A NUL in the file would match the end of the name. */
        if (!*name || tolower((unsigned char)word.begin[i]) != *name++)
            return false;
    }
    return *name == '\0';
}

const struct comment_key *comment_key_find(struct word word)
{
    for (size_t k = 0; k < sizeof comment_keys / sizeof comment_keys[0]; k++)
        if (key_matches(word, comment_keys[k].name))
            return &comment_keys[k];
    return NULL;
}

bool comment_unit_find(struct word word, enum length_unit *unit)
{
    for (size_t u = 0; u < sizeof unit_names / sizeof unit_names[0]; u++)
        if (key_matches(word, unit_names[u].name)) {
            *unit = unit_names[u].unit;
            return true;
        }
    return false;
}
