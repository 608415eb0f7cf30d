/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/methods/correlation_checkpoint.h"

#include "basis/integrals/shells.h"
#include "hf/checkpoint/checkpoint.h"
#include "hf/checkpoint/checkpoint_stream.h"
#include "tce/methods/user_program.h"

#include <stdio.h>
#include <string.h>

struct amplitude_origin correlation_checkpoint_origin(const char *method,
                                                      const struct orbital_spaces *orbitals)
{
    struct amplitude_origin origin = {.frozen = orbital_spaces_n_frozen(orbitals),
                                      .n_occupied = orbital_spaces_n_occupied(orbitals),
                                      .n_virtual = orbital_spaces_n_virtual(orbitals)};
    snprintf(origin.method, sizeof origin.method, "%s%s", orbitals->n_orbital_sets == 1 ? "" : "u",
             method);
    return origin;
}

/* Elements of the unknowns as they are in the file: those of blocks that do not exist, too. */
static double count_dense_elements(const struct correlation *correlation)
{
    const struct program *program = &correlation->instance.program;
    double sum = 0;
    for (int i = 0; i < program->n_unknowns; i++) {
        const struct block_labels *labels =
            &correlation->instance.plan->tensors[program->unknowns[i].tensor].labels;
        double n = 1;
        for (int d = 0; d < labels->rank; d++)
            n *= (double)labels->space[d]->size;
        sum += n;
    }
    return sum;
}

static int64_t amplitude_bytes(const struct correlation *correlation, int n_steps)
{
    double n = count_dense_elements(correlation);
    return (int64_t)(sizeof(double) * (n + amplitude_solver_count_elements(n, n_steps)));
}

int64_t correlation_checkpoint_bytes(const struct scf_problem *problem,
                                     const struct correlation *correlation, int diis_size)
{
    return checkpoint_bytes(problem, problem->shells->n_functions,
                            amplitude_bytes(correlation, diis_size));
}

/* --- writing --- */

struct writing {
    const struct correlation *correlation;
    const struct amplitude_solver *solver;
    double scf_energy;
};

static enum status add_amplitudes(const struct checkpoint_stream *stream, void *context)
{
    const struct writing *writing = context;
    const struct correlation *correlation = writing->correlation;
    struct tensor *x[CORRELATION_MAX_UNKNOWNS], *f[CORRELATION_MAX_UNKNOWNS];
    struct amplitude_origin origin =
        correlation_checkpoint_origin(correlation->amplitudes_name, correlation->problem.orbitals);
    int n_steps;
    struct amplitude_tensors tensors = {.n = correlation_unknowns(correlation, x, f), .x = x};
    tensors.steps = amplitude_solver_steps(writing->solver, &n_steps);
    tensors.n_steps = n_steps;
    const struct amplitude_progress progress = {.iteration = correlation->n_before +
                                                             correlation->n_iterations,
                                                .n_steps = n_steps,
                                                .energy = correlation_energy(correlation),
                                                .is_solution = correlation->is_solution,
                                                .change = correlation->change,
                                                .energy_change = correlation->energy_change,
                                                .scf_energy = writing->scf_energy};
    return amplitude_file_write(stream, &origin, &progress, &tensors);
}

void correlation_checkpoint_write(const struct correlation_checkpoint *checkpoint,
                                  const struct correlation *correlation,
                                  const struct amplitude_solver *solver)
{
    const struct scf_result *result = checkpoint->result;
    struct writing writing = {correlation, solver, result->energy};
    int n_steps;
    amplitude_solver_steps(solver, &n_steps);
    const struct checkpoint_orbitals orbitals = {
        .n_orbitals = (int)result->n_orbitals,
        .orbitals = {result->orbitals[0], result->orbitals[1]},
        .orbital_energies = {result->orbital_energies[0], result->orbital_energies[1]},
        .energy = result->energy,
        .converged = result->converged,
        .add = add_amplitudes,
        .add_context = &writing,
        .add_bytes = amplitude_bytes(correlation, n_steps),
    };
    checkpoint_write_or_warn(checkpoint->path, checkpoint->problem, &orbitals);
}

/* --- reading --- */

enum status correlation_checkpoint_read(const struct checkpoint_reader *reader, int n,
                                        struct tensor *const x[], int diis_size,
                                        struct amplitude_solver *solver,
                                        struct amplitude_progress *progress)
{
    const struct checkpoint_stream *stream = checkpoint_reader_stream(reader);
    struct amplitude_origin origin;
    bool found;
    int n_now;
    TRY(amplitude_file_find(stream, &found, &origin, progress));
    int64_t n_steps = progress->n_steps < diis_size ? progress->n_steps : diis_size;
    const struct amplitude_tensors tensors = {n, x, n_steps,
                                              amplitude_solver_steps(solver, &n_now)};
    TRY(amplitude_file_read(stream, &tensors, progress->n_steps - n_steps));
    return amplitude_solver_resume(solver, (int)n_steps);
}

/* "ccsd", or "a .tce program". */
struct method_words {
    char text[64];
};

static struct method_words show_amplitude_method(const char *method)
{
    struct method_words words;
    bool has_spins = method[0] == 'u';
    const char *name = method + has_spins;
    bool is_program = strncmp(name, USER_PROGRAM_PREFIX, strlen(USER_PROGRAM_PREFIX)) == 0;
    if (is_program)
        snprintf(words.text, sizeof words.text, "a .tce program%s",
                 has_spins ? " over spin orbitals" : "");
    else
        snprintf(words.text, sizeof words.text, "%s", method);
    return words;
}

static enum status compare_methods(const char *path, const char *wanted, const char *method)
{
    struct method_words now = show_amplitude_method(wanted), then = show_amplitude_method(method);
    if (strcmp(method, wanted) == 0)
        return STATUS_OK;
    if (strcmp(now.text, then.text) == 0)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of another .tce program: one whose text before "
                    "'finally' differs from this one's; --guess %s takes only the orbitals",
                    path, path);
    return FAIL(STATUS_INPUT,
                "%s: its amplitudes are of %s, not of %s; --guess %s takes only the orbitals", path,
                then.text, now.text, path);
}

static enum status compare_origins(const char *path, const struct amplitude_origin *wanted,
                                   const struct amplitude_origin *origin)
{
    TRY(compare_methods(path, wanted->method, origin->method));
    if (origin->frozen.n_core != wanted->frozen.n_core || origin->n_occupied != wanted->n_occupied)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes are of %lld occupied orbitals, %lld frozen, not of %lld, "
                    "%lld frozen (--frozen-core, --freeze); --guess %s takes only the orbitals",
                    path, (long long)origin->n_occupied, (long long)origin->frozen.n_core,
                    (long long)wanted->n_occupied, (long long)wanted->frozen.n_core, path);
    if (origin->frozen.n_virtual != wanted->frozen.n_virtual)
        return FAIL(STATUS_INPUT,
                    "%s: its amplitudes leave %lld virtual orbitals out, not %lld "
                    "(--freeze-virtuals); --guess %s takes only the orbitals",
                    path, (long long)origin->frozen.n_virtual, (long long)wanted->frozen.n_virtual,
                    path);
    return STATUS_OK;
}

enum status correlation_checkpoint_find(const struct checkpoint_reader *reader,
                                        const struct amplitude_origin *wanted, bool *found,
                                        struct amplitude_progress *progress)
{
    struct amplitude_origin origin;
    TRY(amplitude_file_find(checkpoint_reader_stream(reader), found, &origin, progress));
    return *found ? compare_origins(checkpoint_reader_path(reader), wanted, &origin) : STATUS_OK;
}
