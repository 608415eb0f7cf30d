/* SPDX-License-Identifier: BSD-3-Clause */
/* The comment line of an XYZ file, which may give charge, multiplicity and units:
 *
 *   charge=-1 multiplicity=2 units=bohr   key=value, in any case, anywhere in the line: also
 *                                         chrg=, mult=, 2S+1=, uhf= (unpaired electrons, the
 *                                         multiplicity minus 1), unit=. Other keys, as of
 *                                         extended XYZ, are skipped with their values.
 *   0 3                                   two small whole numbers alone: charge and multiplicity
 *
 * Values may stand in quotes, and blanks around the =. Other text is a comment, where words like
 * charge, triplet or bohr are kept for a warning unless the line or the command line gives what
 * they are about. */
#ifndef BERYL_BASIS_MOLECULE_COMMENT_H
#define BERYL_BASIS_MOLECULE_COMMENT_H

#include "basis/input/molecule.h"
#include "support/base/status.h"
#include "support/io/line_reader.h"

/* Reads the reader's current line.
 * settings  the *_given fields alone: what they settle is not refused
 * Errors: STATUS_INPUT with name and line (a value that the key does not take, or that differs from
 * an earlier one). */
enum status molecule_comment_read(const struct line_reader *reader,
                                  const struct molecule_settings *settings,
                                  struct molecule_comment *comment);

#endif
