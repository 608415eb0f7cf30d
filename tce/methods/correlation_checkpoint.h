/* The checkpoint of a method: the field's, with the amplitudes that belong to its orbitals. */
#ifndef BERYL_TCE_CORRELATION_CHECKPOINT_H
#define BERYL_TCE_CORRELATION_CHECKPOINT_H

#include "hf/scf/scf.h"
#include "support/base/status.h"
#include "tce/methods/amplitude_file.h"
#include "tce/methods/correlation.h"

#include <mpi.h>
#include <stdbool.h>

/* All borrowed. */
struct correlation_checkpoint {
    const char *path;
    const struct scf_problem *field;
    const struct scf_result *result; /* the orbitals of all amplitudes */
};

/* What a method's amplitudes over these orbitals belong to. Not collective. */
struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals);

/* Writes the amplitudes that the next iteration begins with. Collective.
 * Errors: those of checkpoint_write. */
enum status correlation_checkpoint_write(const struct correlation_checkpoint *checkpoint,
                                         const struct correlation *correlation);

/* Whether a checkpoint, which fits the field, has amplitudes. Collective.
 * wanted  what is to go on; n_virtual, which only the field tells, is not looked at
 * Errors: STATUS_INPUT (they are of another method or of other orbitals: the message says
 * which), those of amplitude_file_find; the same everywhere. */
enum status correlation_checkpoint_find(const char *path, const struct amplitude_origin *wanted,
                                        MPI_Comm comm, bool *found);

#endif
