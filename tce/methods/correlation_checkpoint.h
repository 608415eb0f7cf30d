/* The checkpoint of a method: that of the SCF, with the amplitudes over its orbitals. */
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
    const struct scf_problem *problem;
    const struct scf_result *result; /* the orbitals of all amplitudes */
};

/* The origin of a method's amplitudes over these orbitals. Not collective. */
struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals);

/* Writes the amplitudes that the next iteration begins with; a failure is a warning.
 * Collective. */
void correlation_checkpoint_write(const struct correlation_checkpoint *checkpoint,
                                  const struct correlation *correlation);

/* Whether a checkpoint, which fits the SCF, has amplitudes. Collective.
 * wanted  the run that is to resume; n_virtual, known only after the SCF, is not compared
 * Errors: STATUS_INPUT (they are of another method or of other orbitals: the message says
 * which), those of amplitude_file_find; the same everywhere. */
enum status correlation_checkpoint_find(const char *path, const struct amplitude_origin *wanted,
                                        MPI_Comm comm, bool *found);

#endif
