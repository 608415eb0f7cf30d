/* SPDX-License-Identifier: BSD-3-Clause */
#include "hf/scf/scf_curvature.h"

const char *scf_space_name(enum scf_space space)
{
    return space == SCF_REAL_RHF ? "RHF" : "UHF";
}

const char *scf_point_name(enum scf_point point)
{
    static const char *const names[] = {"local minimum", "saddle", "not settled", "not tested"};
    return names[point];
}

enum scf_verdict scf_curvature_verdict(const struct scf_curvature *curvature)
{
    if (curvature->n_products == 0)
        return SCF_VERDICT_NOT_TESTED;
    if (curvature->eigenvalue < -curvature->noise)
        return SCF_VERDICT_UNSTABLE;
    return curvature->eigenvalue > curvature->error ? SCF_VERDICT_STABLE : SCF_VERDICT_NOT_SETTLED;
}
