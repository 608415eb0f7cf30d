#include "tce/methods/correlation_checkpoint.h"

#include "hf/checkpoint/checkpoint.h"

#include <stdio.h>
#include <string.h>

struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals)
{
    struct amplitude_origin origin = {.n_core = orbital_spaces_n_core(orbitals),
                                      .n_occupied = orbital_spaces_n_occupied(orbitals),
                                      .n_virtual = orbital_spaces_n_virtual(orbitals)};
    snprintf(origin.method, sizeof origin.method, "%s%s", orbitals->n_spins == 1 ? "" : "u",
             method);
    return origin;
}

static enum status add_amplitudes(const char *path, void *context)
{
    const struct correlation *correlation = context;
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct amplitude_origin origin =
        correlation_checkpoint_origin(correlation->problem.method, correlation->problem.orbitals);
    int n = correlation_unknowns(correlation, x, f);
    return amplitude_file_write(path, &origin, n, x);
}

void correlation_checkpoint_write(const struct correlation_checkpoint *checkpoint,
                                  const struct correlation *correlation)
{
    const struct scf_result *result = checkpoint->result;
    const struct orbital_spaces *spaces = correlation->problem.orbitals;
    int64_t n_pairs = orbital_spaces_n_occupied(spaces) * orbital_spaces_n_virtual(spaces);
    const struct checkpoint_orbitals orbitals = {
        .n_orbitals = (int)result->n_orbitals,
        .orbitals = {result->orbitals[0], result->orbitals[1]},
        .orbital_energies = {result->orbital_energies[0], result->orbital_energies[1]},
        .energy = result->energy,
        .solver = correlation->problem.method,
        .iteration = correlation->n_iterations,
        .add = add_amplitudes,
        .add_context = (void *)correlation,
        .add_bytes = n_pairs * n_pairs * (int64_t)sizeof(double), /* of the doubles, by far most */
    };
    checkpoint_write_or_warn(checkpoint->path, checkpoint->problem, &orbitals);
}

enum status correlation_checkpoint_find(const char *path, const struct amplitude_origin *wanted,
                                        MPI_Comm comm, bool *found)
{
    struct amplitude_origin origin;
    TRY(amplitude_file_find(path, comm, found, &origin));
    if (!*found)
        return STATUS_OK;
    if (strcmp(origin.method, wanted->method) != 0)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of %s, not of %s; --guess %s takes only the orbitals",
                    path, origin.method, wanted->method, path);
    if (origin.n_core != wanted->n_core || origin.n_occupied != wanted->n_occupied)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of %lld occupied orbitals, %lld frozen, not of %lld, "
                    "%lld frozen (--frozen-core); --guess %s takes only the orbitals",
                    path, (long long)origin.n_occupied, (long long)origin.n_core,
                    (long long)wanted->n_occupied, (long long)wanted->n_core, path);
    return STATUS_OK;
}
