/* Amplitudes in a checkpoint: an HDF5 group in addition to those of TREXIO, whose own group for
 * them is younger than the library at hand and holds single elements with their indices.
 *
 *     /beryl_amplitudes    attributes method, n_core, n_occupied, n_virtual
 *     /beryl_amplitudes/t2 n_occupied x n_occupied x n_virtual x n_virtual doubles
 *
 * and so on for each tensor, by its name: whole and row-major, so that neither tiles nor
 * processes matter. For an unrestricted reference the method's name begins with u, and spin
 * orbitals are counted, alpha ones before beta ones. Process 0 reads and writes, a row of blocks at
 * a time.
 */
#ifndef BERYL_TCE_AMPLITUDE_FILE_H
#define BERYL_TCE_AMPLITUDE_FILE_H

#include "support/base/status.h"
#include "tce/tensor/tensor.h"

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

/* The method and the orbital counts that amplitudes belong to. */
struct amplitude_origin {
    char method[16];
    int64_t n_core, n_occupied, n_virtual; /* frozen and correlated orbitals */
};

/* Whether the file, which is a checkpoint, has amplitudes, and of what. Collective.
 * Errors: STATUS_INPUT (the group is damaged); the same everywhere. */
enum status amplitude_file_find(const char *path, MPI_Comm comm, bool *found,
                                struct amplitude_origin *origin);

/* Adds n tensors, which must not change meanwhile, to a checkpoint that has none. To be called
 * on process 0, while the others wait in MPI. Errors: STATUS_IO, STATUS_NO_MEMORY. */
enum status amplitude_file_write(const char *path, const struct amplitude_origin *origin, int n,
                                 struct tensor *const tensors[]);

/* Sets n tensors to those of the same names. Collective; synchronises.
 * Errors: STATUS_INPUT (one is missing, damaged, or has other sizes), STATUS_NO_MEMORY; the
 * same everywhere. */
enum status amplitude_file_read(const char *path, int n, struct tensor *const tensors[],
                                MPI_Comm comm);

#endif
