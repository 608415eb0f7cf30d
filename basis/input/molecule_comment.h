/* The comment line of an XYZ file: what it says about charge, multiplicity and units. What has one
 * meaning is read, what may have several is refused or kept for a warning, and other text is left
 * alone:
 *
 *   charge=-1 multiplicity=2   key=value or "key: value" anywhere in the line, also in quotes or
 *                              brackets, keys in any case, with - _ and dots or without; a key
 *                              with no sign after it counts if a whole number follows:
 *                              charge -1 mult 2
 *     charge        total charge, net charge, molecular charge, chrg, q=
 *     multiplicity  mult, spin multiplicity, molecular multiplicity, 2S+1
 *     uhf=          unpaired, n unpaired, unpaired electrons, nopen, 2S: the multiplicity minus 1;
 *                   xtb's --uhf 2
 *     units         unit: angstrom, angstroms, ang, A; bohr, au, a.u., atomic, atomic units
 *   0 3                        two whole numbers alone, also (0 3), [0,3] or # 0 3: charge and
 *                              multiplicity
 *
 * Refused: spin=, total_spin=, S=, Ms= and Sz= other than 0 (S, 2S or 2S+1?) without a
 * multiplicity; two small whole numbers, the first not above 0, before other text; a number alone
 * with a sign; values that are no whole numbers; two that differ. What the command line gives is
 * not refused. A number that cannot be what its key says (q=0.4, uhf=-150.2, S=45.1, S=300,
 * "charge: 0.123") is other text; so is the quoted value of another key.
 *
 * A hint at what neither the line's keys nor the command line give, other than the value that is
 * used, is kept for a warning: doublet to septet and bohr anywhere; au (the element is Au) and
 * atomic alone or with the word units, and after coordinates, geometry or the like with only "in"
 * and brackets between; M= and C= with a small whole number, C= where no other element has one; 0/3
 * alone; 1 4 or -2 before other text, 0 3 or -1 2 after it.
 *
 * Conventions: extended XYZ (ASE, github.com/libAtoms/extxyz); charge and multiplicity alone as
 * Psi4 reads them; chrg and uhf as xtb; q and S as the data set tmQM. */
#ifndef BERYL_BASIS_MOLECULE_COMMENT_H
#define BERYL_BASIS_MOLECULE_COMMENT_H

#include "basis/input/molecule.h"
#include "support/base/status.h"
#include "support/io/line_reader.h"

/* Reads the reader's current line. settings: the *_given fields alone. Errors: STATUS_INPUT with
 * name and line. */
enum status molecule_comment_read(const struct line_reader *reader,
                                  const struct molecule_settings *settings,
                                  struct molecule_comment *comment);

#endif
