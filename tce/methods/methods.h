/* The programs of methods/: what `beryl-tce mp2` and its kin run. */
#ifndef BERYL_TCE_METHODS_H
#define BERYL_TCE_METHODS_H

#include <stddef.h>

/* "mp2, ccd or ccsd". */
extern const char tce_method_names[];

/* The text of a method's program, NULL if there is no such method.
 * n_spins  of the field: 1 for closed shells, 2 for a program over spin orbitals
 * length   out, unless NULL: without the NUL at the end */
const char *tce_method_text(const char *name, int n_spins, size_t *length);

#endif
