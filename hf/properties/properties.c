/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/properties/properties.h"

#include "support/base/agree.h"

const struct property *const scf_properties[SCF_N_PROPERTIES] = {
    [SCF_DIPOLE] = &property_dipole,
    [SCF_MULLIKEN] = &property_mulliken,
};

enum status properties_find(const struct scf_problem *problem, struct darray *const D[],
                            const struct darray *S, double *values[SCF_N_PROPERTIES])
{
    for (int p = 0; p < SCF_N_PROPERTIES; p++) {
        size_t n = (size_t)scf_properties[p]->count(problem->molecule);
        values[p] = agree_calloc(problem->comm, n * sizeof(double), scf_properties[p]->key);
        if (!values[p])
            return STATUS_NO_MEMORY;
        TRY(scf_properties[p]->find(problem, D, S, values[p]));
    }
    return STATUS_OK;
}

struct memory_need properties_bytes(const struct scf_problem *problem, int n_processes)
{
    struct memory_need most = {0};
    for (int p = 0; p < SCF_N_PROPERTIES; p++)
        if (scf_properties[p]->bytes)
            most = memory_need_larger(most, scf_properties[p]->bytes(problem, n_processes));
    return most;
}
