/* SPDX-License-Identifier: BSD-3-Clause */
/* The basis sets of a molecule, by element and centre:
 *     cc-pvdz                                 one set for all centres
 *     cc-pvdz,O=aug-cc-pvdz,3=sto-3g,H=a.gbs  others for an element, or for a centre, from 1
 * A centre's own set (3=, 4-6=) goes before that of ghosts of its element (@O=, or another mark of
 * ghost_mark_take), that before its element's (O=, also for ghosts), and that before the one for all
 * others, which may be missing. Names and files are those of basis_library.h; a comma in parentheses
 * does not separate, and an '=' after a '/' belongs to a path. */
#pragma once

#include "basis/input/basis_set.h"
#include "basis/input/molecule.h"
#include "support/base/status.h"
#include "support/io/words.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct basis_rule {
    struct word selector, name; /* borrowed from the text; the selector is empty for all others */
    int64_t first, last;        /* centres, from 1; 0: by element */
    int element;                /* -1: all others */
    bool ghosts;                /* of the element alone */
    int set;
};

struct basis_choice {
    int n_sets, n_rules;
    struct basis_set *sets;   /* owned, each file once; atom.basis is the index of one */
    struct basis_rule *rules; /* owned, as in the text */
};

/* Takes the next rule of a text; false after the last. Not collective. */
bool basis_choice_take(struct word *rest, struct word *selector, struct word *name);

/* Reads the sets that a text names, which must outlive *choice. Collective over comm; same status
 * everywhere. On failure *choice is empty.
 * Errors: STATUS_USAGE (what comes before an '=' is neither element nor centre); as basis_set_read_all. */
enum status basis_choice_read_all(const char *text, MPI_Comm comm, struct basis_choice *choice);
void basis_choice_fini(struct basis_choice *choice);

/* Sets atom.basis of every centre. Not collective.
 * Errors: STATUS_USAGE (the molecule lacks an element or centre that the text names; two sets for
 * one; none); then atom.basis is undefined. */
enum status basis_choice_assign(const struct basis_choice *choice, struct molecule *molecule);

/* The name of a set as the text has it first. */
struct word basis_choice_name(const struct basis_choice *choice, int set);
