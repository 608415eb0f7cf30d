#include "sched/workloads/workload.h"

#include "support/base/agree.h"

enum status workload_create(const struct workload_settings *settings, int64_t seed, double speed,
                            MPI_Comm comm, struct workload **workload)
{
    if (settings->uts)
        return status_agree(comm, workload_uts_create(settings, workload));
    if (settings->jacobi && settings->n_simulated > 0)
        return status_agree(comm, workload_jacobi_simulate(settings, workload));
    if (settings->jacobi)
        return workload_jacobi_create(settings, comm, workload);
    if (settings->bnsl)
        return workload_bnsl_create(settings, seed, comm, workload);
    return workload_durations_create(settings, seed, speed, comm, workload);
}

void workload_destroy(struct workload *workload)
{
    if (workload)
        workload->functions->destroy(workload);
}
