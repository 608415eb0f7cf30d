/* SPDX-License-Identifier: BSD-3-Clause */
/* Properties of a density: a table, over which the SCF, its log and its results loop. A new one is a
 * file with its entry, a line of properties.c, and below its name in enum scf_property and its `extern`. */
#pragma once

#include "hf/fock/scf_problem.h"
#include "support/arrays/darray.h"
#include "support/base/memory.h"
#include "support/base/status.h"

#include <stdbool.h>
#include <stdint.h>

enum scf_property { SCF_DIPOLE, SCF_MULLIKEN, SCF_N_PROPERTIES };

struct property {
    const char *key;     /* in results (RESULTS.md): an array */
    bool is_of_qcschema; /* among the `properties` of QCSchema; else among Beryl's own */
    int64_t (*count)(const struct molecule *molecule); /* its values */

    /* Sets the values, on every process. D: density tiles of each spin; S: overlap. Collective.
     * Errors: STATUS_NO_MEMORY; the same everywhere. */
    enum status (*find)(const struct scf_problem *problem, struct darray *const D[],
                        const struct darray *S, double values[]);

    /* Memory of find on each of n_processes, at most; NULL: next to none. */
    struct memory_need (*bytes)(const struct scf_problem *problem, int n_processes);

    /* Lines of the log. */
    void (*print)(const struct molecule *molecule, const double values[]);
};

extern const struct property property_dipole, property_mulliken;

/* By enum scf_property. */
extern const struct property *const scf_properties[SCF_N_PROPERTIES];

/* Finds all: values[p] is allocated, and the caller's to free. Arguments and errors: as find. */
enum status properties_find(const struct scf_problem *problem, struct darray *const D[],
                            const struct darray *S, double *values[SCF_N_PROPERTIES]);

/* Memory of properties_find on each of n_processes, at most. Not collective. */
struct memory_need properties_bytes(const struct scf_problem *problem, int n_processes);
