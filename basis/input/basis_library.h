/* SPDX-License-Identifier: BSD-3-Clause */
/* Basis sets by name: files NAME.gbs in the folders of BERYL_BASIS_PATH (separated by colons), in
 * ../share/beryl/basis from the program's folder and from that of the shared library, and in the
 * source tree's basis/data. An earlier folder's set hides those of the same name in later ones.
 *
 * Two names, of files too, are the same if they have the same normal form:
 *   - case, '-', '_' and blanks do not count: CC-PVDZ and ccpvdz are cc-pvdz;
 *   - '*' is s, as in file names; (d) is '*', and (d,p) is '**': 6-31G(d,p) is 6-31gss;
 *   - all other characters count, such as '+' and parentheses: cc-pV(T+d)Z is not cc-pVTZ,
 *     def2-SV(P) is not def2-SVP.
 * Two files of one folder may have one form; then only their very names are understood. */
#pragma once

#include "basis/input/basis_set.h"
#include "support/base/status.h"

#include <mpi.h>
#include <stdbool.h>

/* Whether the name is a file's: it contains '/' or ends in .gbs or .nw. */
bool basis_set_is_file(const char *name);

/* Reads a set: a path if basis_set_is_file(name), else the set of that name.
 * Collective over comm; same status everywhere. Errors: STATUS_INPUT (unknown or ambiguous
 * name: the message lists known ones, the nearest first; the file is bad), STATUS_IO,
 * STATUS_NO_MEMORY. */
enum status basis_set_read_all(const char *name, MPI_Comm comm, struct basis_set *set);

/* Prints the sets of all folders, each with its elements.
 * element  symbol or atomic number: only sets with functions for it; "": all sets
 * Not collective. Errors: STATUS_USAGE (no element), STATUS_NO_MEMORY. */
enum status basis_library_print(const char *element);
