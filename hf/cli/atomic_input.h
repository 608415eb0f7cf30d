/* SPDX-License-Identifier: BSD-3-Clause */
/* Molecule files of QCSchema: an AtomicInput, version 1, with model and keywords, or a molecule
 * alone, version 2. Their names end in .json.
 * Source: the schema, molssi-qc-schema.readthedocs.io, as QCElemental 0.25 writes it. */
#pragma once

#include "basis/input/molecule.h"
#include "support/base/status.h"

#include <jansson.h>
#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct atomic_input {
    const char *name;   /* of the file, borrowed */
    json_t *document;   /* owned; NULL: nothing is read */
    json_t *options;    /* owned: path -> text (options.h), of basis, reference and keywords */
    bool has_model;     /* it is an AtomicInput */
    struct atom *atoms; /* owned */
    int64_t n_atoms;
    int charge, multiplicity;
};

/* Whether a molecule file is of QCSchema, by its name. */
bool atomic_input_has_name(const char *path);

/* Reads the text (length bytes). name appears in messages. Read from the molecule are the symbols,
 * the geometry in Bohr, real (false: a ghost), charge and multiplicity; fragments must have the
 * charge of the molecule. Masses, labels, connectivity and names do not change an energy; fix_* is
 * always so: coordinates are used as they are given. The types of what is not read are not checked.
 * Errors: STATUS_INPUT, with the line of what is not JSON, else with the path of the value: a key
 * that the schema does not have, or a type or value of what is read that it does not have, or that
 * Beryl cannot do, such as a gradient; STATUS_NO_MEMORY. On failure *input is empty. */
enum status atomic_input_parse(const char *text, size_t length, const char *name,
                               struct atomic_input *input);

/* Reads the file of this name. Collective; the same status on every process. Errors: as
 * atomic_input_parse and text_file_read_all. */
enum status atomic_input_read(const char *name, MPI_Comm comm, struct atomic_input *input);
void atomic_input_fini(struct atomic_input *input);

/* model.method; NULL: none. */
const char *atomic_input_method(const struct atomic_input *input);

/* Whether model.method is hf, scf, rhf, uhf or rohf, in any case, or there is none. */
bool atomic_input_is_hartree_fock(const struct atomic_input *input);

/* Fails with STATUS_INPUT unless the model fits the command. */
enum status atomic_input_check_method(const struct atomic_input *input, bool fits,
                                      const char *command);
