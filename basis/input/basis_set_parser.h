/* SPDX-License-Identifier: BSD-3-Clause */
/* Common parts of the parsers of the two basis-set formats; private to them. */
#pragma once

#include "basis/input/basis_set.h"
#include "support/io/line_reader.h"

/* Limits that no sensible set reaches; beyond them a number is a slip. */
enum { BASIS_MAX_PRIMITIVES = 1000 };
#define BASIS_MIN_EXPONENT 1e-15
#define BASIS_MAX_EXPONENT 1e15

/* The two formats. The reader stands before the first line; the set is empty
 * and, on failure, left for the caller to free. */
enum status basis_set_parse_gaussian94(struct line_reader *reader, struct basis_set *set);
enum status basis_set_parse_nwchem(struct line_reader *reader, struct basis_set *set);

/* The element of a line "Sym 0" (also "-Sym 0", which asks programs to ignore the
 * block if the molecule lacks the element), which begins a block of a Gaussian94
 * file and stands in no NWChem file; -1 for any other line. */
int basis_gaussian94_element(const struct line_reader *reader);

/* Finds the set's entry for an element or adds an empty one. The pointer is
 * valid until the next addition. */
enum status basis_set_add_element(struct basis_set *set, int element, struct basis_element **entry);

/* Makes the failure `status` of reading an element, whose text is status_text(), a defect of the
 * element, unless it has one. Returns STATUS_OK; any failure but STATUS_INPUT is passed on. */
enum status basis_set_add_defect(struct basis_set *set, int element, enum status status);

/* Keeps the failure at a line that belongs to no element, unless an earlier one is kept.
 * Returns STATUS_OK, STATUS_NO_MEMORY. */
enum status basis_set_skip(struct basis_set *set);

/* The lowest atomic number that has a potential under this name, in or without quotation marks, in
 * NWChem's library; that of lithium if the name is unknown. */
int basis_first_potential(struct word name);

/* Adds a group of n_contractions contractions without primitives.
 * l holds n_contractions entries. Pointer as above. */
enum status basis_element_add_group(struct basis_element *entry, int n_contractions, const int *l,
                                    struct basis_contractions **group);

/* Adds one primitive, read from the line's words: an exponent and one
 * coefficient for each contraction. Checks the numbers and their count.
 * While primitives are added, coefficients is n_primitives x n_contractions;
 * basis_group_finish turns it round. */
enum status basis_group_add_primitive(const struct line_reader *reader,
                                      struct basis_contractions *group);

/* Checks that no contraction is empty or all zero, and lays the coefficients
 * out as in basis_set.h.
 * shell_line  at the first line of the shell, which a failure names */
enum status basis_group_finish(const struct line_reader *shell_line,
                               struct basis_contractions *group);

/* Reads the type of a shell from a word of the line: letters such as S, P, SP, L (same as SP) or
 * "l=4". Puts the angular momenta into l (at most BASIS_MAX_L + 1) and
 * their number into *n. element appears in the message about l > BASIS_MAX_L. */
enum status basis_parse_shell_type(const struct line_reader *reader, int word, int element, int *l,
                                   int *n);

/* Whether the word can begin a shell: basis_parse_shell_type accepts it, apart from the
 * limit of l. */
bool basis_is_shell_type(struct word type);
