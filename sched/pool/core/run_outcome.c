/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/pool/core/run_outcome.h"

static void combine_outcomes(void *other_void, void *outcome_void, int *n, MPI_Datatype *type)
{
    const struct run_outcome *other = other_void;
    struct run_outcome *outcome = outcome_void;
    (void)type;
    for (int i = 0; i < *n; i++, other++, outcome++) {
        statistics_totals_add(&outcome->totals, &other->totals);
        task_census_join(&outcome->there, &other->there);
        task_census_join(&outcome->ran, &other->ran);
        outcome->undelivered_before += other->undelivered_before;
        outcome->undelivered += other->undelivered;
        outcome->n_failed += other->n_failed;
    }
}

void run_outcome_reduce(MPI_Comm comm, struct run_outcome *outcome)
{
    const int commutes = 1;
    MPI_Datatype type;
    MPI_Op combine;
    MPI_Type_contiguous((int)sizeof *outcome, MPI_BYTE, &type);
    MPI_Type_commit(&type);
    MPI_Op_create(combine_outcomes, commutes, &combine);
    MPI_Allreduce(MPI_IN_PLACE, outcome, 1, type, combine, comm);
    MPI_Op_free(&combine);
    MPI_Type_free(&type);
}

enum status run_outcome_check(const struct run_outcome *all, const char *mode)
{
    if (all->undelivered_before != 0 || all->undelivered != 0)
        return FAIL(STATUS_PROTOCOL, "mode %s: finished with undelivered messages", mode);
    return task_census_check(mode, &all->there, &all->ran);
}
