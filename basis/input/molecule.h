/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecules: nuclei and ghost centres. */
#pragma once

#include "support/base/status.h"
#include "support/io/words.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* 1 Bohr in Angstrom, CODATA 2018. */
#define BOHR_IN_ANGSTROM 0.529177210903

enum length_unit { LENGTH_ANGSTROM, LENGTH_BOHR };

/* Atomic numbers go from 1 (H) to MAX_ATOMIC_NUMBER (Og); 0 stands for a ghost
 * centre that borrows no element's functions ("Bq"). */
enum { MAX_ATOMIC_NUMBER = 118 };

struct core_potential;

/* A centre with basis functions of `element`; made by atom_of_element. */
struct atom {
    int element;        /* atomic number whose basis functions it carries, 0 for plain Bq */
    int charge;         /* of its nucleus less its core potential's electrons, e; 0 for a ghost */
    bool ghost;         /* no nucleus, no electrons */
    double position[3]; /* Bohr */
    int basis;          /* index of its set among the basis sets of the molecule; 0 of one */
    const struct core_potential *potential; /* borrowed from that set; NULL: none */
};

/* A nucleus with the charge of its element, or a ghost, at the origin. */
static inline struct atom atom_of_element(int element, bool ghost)
{
    return (struct atom){.element = element, .charge = ghost ? 0 : element, .ghost = ghost};
}

/* Electrons that the atom's core potential replaces. */
static inline int atom_n_core(const struct atom *atom)
{
    return atom->ghost ? 0 : atom->element - atom->charge;
}

/* A number for the element and the basis set: alike atoms have the same functions. */
static inline int64_t atom_kind(const struct atom *atom)
{
    return (int64_t)atom->basis * (MAX_ATOMIC_NUMBER + 1) + atom->element;
}

/* Values that the comment line gives, or the line before it a unit, whether they are used or not;
 * the charge is 0 and the multiplicity 1 where it does not. */
struct molecule_comment {
    int64_t line; /* its number in the file */
    bool charge_given, multiplicity_given, unit_given;
    int charge, multiplicity;
    enum length_unit unit;
    bool periodic; /* by pbc= or, without it, Lattice= of extended XYZ: the caller warns */
    struct word_text unread; /* text that may specify a value which is not given otherwise, but was
                              * not understood: the caller warns; empty: none */
};

struct molecule {
    int64_t n_atoms;
    struct atom *atoms; /* owned */
    int charge;
    int multiplicity;  /* 2S + 1 */
    bool bare_numbers; /* every centre was named by its atomic number, and the comment line was
                        * blank: the form of the original Be benchmark (hf_input.c) */
    bool has_isotopes; /* a centre was named D or T */
    int64_t frame, n_frames; /* of the file, from 1 */
    int64_t unread_line;     /* the first after the centres that is no part of a frame; 0: none */
    struct molecule_comment comment;
};

/* Values where the file leaves them open, and overrides from the command line. */
struct molecule_settings {
    enum length_unit unit; /* of the coordinates, unless the comment line has units= */
    bool unit_given;       /* the command line named the unit: it wins over the comment */
    int charge;            /* used if charge_given, else comment line, else 0 */
    bool charge_given;
    int multiplicity; /* used if multiplicity_given, else comment line, else 1 */
    bool multiplicity_given;
    int64_t frame; /* from 1, or from -1, the last, backwards; of a file of several it is given */
    bool frame_given;
};

/* Reads XYZ text (length bytes, NUL-terminated) of one or several frames:
 *   line 1  number of centres; a unit may follow, as psi4 writes it ("3 au")
 *   line 2  comment: charge, multiplicity and units as molecule_xyz.c says, unless the
 *           settings give them
 *   then    symbol x y z, one line per centre; more columns are ignored. If line 2 has
 *           Properties= of extended XYZ, it names the columns; species:S:1 (else Z:I:1) and
 *           pos:R:3 are read
 *   then    perhaps other lines, such as the frequencies and SMILES of QM9, and frames. A whole
 *           number alone, or with a unit, begins a frame; a symbol and a number are a
 *           centre too many, an error; others are no part of a frame (unread_line).
 * Blank lines after the comment are ignored, exponents may be written with D or *^.
 * A symbol is an element ("O", any case, or its atomic number), D or T for hydrogen; "Bq" (ghost
 * without element), X, Xx or *; or a ghost of an element: "BqO", "Bq-O", "XO", "@O" or
 * "Gh(O)". A label may follow the element: "O1", "H_w", "BqO2".
 * All frames are read and must be right; *molecule is the one that the settings choose.
 * name appears in messages, which give line numbers.
 * Does not check that charge and multiplicity fit (molecule_check does).
 * Errors: STATUS_INPUT, STATUS_NO_MEMORY. On failure *molecule is empty. */
enum status molecule_parse(const char *text, size_t length, const char *name,
                           const struct molecule_settings *settings, struct molecule *molecule);

/* STATUS_INPUT if two centres that are not both plain ghosts ("Bq") are closer than
 * 1e-3 Bohr, if there are no electrons or their number does not fit the multiplicity.
 * name appears in messages. */
enum status molecule_check(const struct molecule *molecule, const char *name);

/* After each nucleus, adds six plain ghost centres displaced by +-distance
 * (Bohr) along x, then y, then z: the centres that the original input file of the Be chain
 * benchmark of Lifflander et al. (2012) leaves implicit. */
enum status molecule_add_displaced_ghosts(struct molecule *molecule, double distance);

/* Errors: STATUS_NO_MEMORY; *copy is empty then. */
enum status molecule_copy(const struct molecule *molecule, struct molecule *copy);
void molecule_fini(struct molecule *molecule);

/* Larger than atom_kind of every atom. */
int64_t molecule_n_kinds(const struct molecule *molecule);

/* Nuclear charges minus the molecular charge. */
int64_t molecule_n_electrons(const struct molecule *molecule);

/* sum_{A<B} Z_A Z_B / R_AB, hartree. */
double molecule_nuclear_repulsion(const struct molecule *molecule);

/* "H", "He", ...; "Bq" for 0. */
const char *element_symbol(int element);

/* Atomic number of a symbol (any case) of length letters, also of a systematic one, Uun (110) to Uuo
 * (118), or -1. */
int element_number(const char *symbol, size_t length);

/* Takes the mark of a ghost from a name: O is left of @O, Gh(O), Bq-O, BqO or XO. False, and the name as it
 * was, without one. Whether what is left is an element is not checked: Xe has a mark, too. */
bool ghost_mark_take(struct word *name);
