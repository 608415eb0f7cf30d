/* The correlated orbitals of a closed shell: the canonical orbitals of a converged field
 * without those that are frozen, on every process. */
#ifndef BERYL_TCE_ORBITAL_SPACE_H
#define BERYL_TCE_ORBITAL_SPACE_H

#include "hf/scf.h"
#include "support/status.h"

#include <mpi.h>
#include <stdint.h>

struct orbital_space {
    int64_t n_functions;
    int64_t n_core; /* frozen orbitals, which are not here */
    int64_t n_occupied;
    int64_t n_virtual;
    int64_t n_orbitals; /* n_occupied + n_virtual */
    double *C;          /* n_functions x n_orbitals, row-major: occupied ones first */
    double *energies;   /* n_orbitals, hartree; occupied ones ascending, virtual ones ascending */
};

/* The counts alone, C and energies NULL, of so many functions and orbitals.
 * Not collective. Errors: STATUS_INPUT (no occupied or no virtual orbital is left). */
enum status orbital_space_count(int64_t n_functions, int64_t n_orbitals, int64_t n_occupied,
                                int64_t n_core, struct orbital_space *space);

/* The first of the largest elements of each orbital is made positive, elements that differ
 * by a millionth counting as equally large: so signs do not depend on rounding, and thus on
 * the number of processes. The last bits do, and how orbitals of one energy are mixed.
 * result      of a closed shell (n_spins 1); its orbitals are canonical within the occupied
 *             and within the virtual ones
 * n_occupied  doubly occupied orbitals, the first n_core of which are left out
 * Collective over comm, which is that of the orbitals' grid.
 * Errors: those of orbital_space_count, STATUS_NO_MEMORY; the same everywhere. */
enum status orbital_space_create(const struct scf_result *result, int64_t n_occupied,
                                 int64_t n_core, MPI_Comm comm, struct orbital_space **space);
void orbital_space_destroy(struct orbital_space *space);

#endif
