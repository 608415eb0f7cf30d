/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets as their files give them: shells per element, not yet placed on
 * atoms and not yet normalised. */
#pragma once

#include "basis/input/core_potential.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The largest angular momentum of the integral library, h; and the most columns of a shell. */
enum { BASIS_MAX_L = 5, BASIS_MAX_CONTRACTIONS = 62 };

/* One or more contractions over the same primitives. A general contraction has
 * several of one l, an SP shell is two contractions of l = 0 and 1. */
struct basis_contractions {
    int n_primitives;
    int n_contractions;
    int l[BASIS_MAX_CONTRACTIONS];
    int64_t line;         /* of the file, where the shell begins */
    int64_t capacity;     /* primitives there is room for */
    double *exponents;    /* n_primitives, Bohr^-2, > 0 */
    double *coefficients; /* n_primitives x n_contractions, of normalised primitives */
};

enum basis_form { BASIS_FORM_UNSTATED, BASIS_FORM_SPHERICAL, BASIS_FORM_CARTESIAN };

struct basis_element {
    int element;    /* atomic number; 0 is the entry "Bq" for plain ghost centres */
    bool needs_ecp; /* made for use with an effective core potential */
    struct core_potential potential; /* the one that the file gives; line 0: none */
    char *defect;         /* the first error in what the file has for the element, with file and
                             line: then its groups are incomplete; NULL without */
    int64_t section;      /* the line where its block or section begins; 0: no functions */
    enum basis_form form; /* of its section in an NWChem file; UNSTATED: as the set */
    int64_t n_groups, capacity;
    struct basis_contractions *groups;
};

struct basis_set {
    char *name;
    enum basis_form form; /* the first that the file has */
    bool form_stated;     /* by the file; else Cartesian is NWChem's own default */
    char *skipped;        /* an error at the first line that belongs to no element; NULL without */
    int64_t n_elements, capacity;
    struct basis_element *elements;
};

/* Parses the text (length bytes, NUL-terminated) of a Gaussian94 or NWChem
 * basis file; which of the two is seen from the text itself (an NWChem file
 * has a `basis` or `ecp` line and no line `Sym 0`). Comments: `!` and `#`. Numbers
 * may use D exponents.
 * Gaussian94: a line `spherical` or `cartesian` (else BASIS_FORM_UNSTATED, which
 * programs read differently), blocks
 * `Sym 0`, shells `S n scale`, `SP n scale` (or `L`), `l=4 n scale`, ended by
 * `****`; a scale factor multiplies exponents by its square; blocks with a line
 * `Sym-ECP lmax ncore` give the element's potential (core_potential.h).
 * NWChem: `basis ["name"] [spherical|cartesian]` (Cartesian without either word; its other
 * words, such as `print`, are ignored, unknown ones are errors), `Sym S` and rows of exponent and
 * one or more coefficients, `end`; `ecp` sections give potentials; a spin-orbit potential, of a section
 * `so`, is an error; and a line `ASSOCIATED_ECP "name"` marks the elements that the potentials of that name have (all heavier than
 * helium if the name is unknown).
 *
 * An error (also a shell beyond BASIS_MAX_L) is a defect of an element, and does not matter to a
 * molecule without it: shells_create reports it. A line that fits nowhere is a defect of the element
 * that it begins with; data without a block or section are one of the element before them. Another
 * line in a section of an NWChem file is one of all its elements. In a section `ecp` or `so`, and where
 * `Sym-ECP` does not follow its element's `Sym 0`, it is one of all elements from lithium on and of all
 * with a potential. Between blocks or sections it is a title and skipped.
 * Errors: STATUS_INPUT with name and line (the file has no element, both forms, or a section without `end`),
 * STATUS_NO_MEMORY. On failure *set is empty. */
enum status basis_set_parse(const char *text, size_t length, const char *name,
                            struct basis_set *set);

/* The set's entry for an element, or NULL. */
const struct basis_element *basis_set_find(const struct basis_set *set, int element);

void basis_set_fini(struct basis_set *set);
