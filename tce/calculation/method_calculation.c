/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/calculation/method_calculation.h"

#include "hf/checkpoint/checkpoint_reader.h"
#include "support/base/log.h"
#include "tce/execution/finite_check.h"
#include "tce/integrals/fcidump.h"
#include "tce/methods/method_bindings.h"

#include <math.h>

enum status method_settings_check(const struct method_settings *settings)
{
    if (settings->frozen_core && settings->freeze != METHOD_NOT_GIVEN)
        return FAIL(STATUS_USAGE, "--frozen-core and --freeze both say which occupied orbitals are "
                                  "frozen: leave one out");
    return STATUS_OK;
}

static enum status plan_correlation(struct method_calculation *self,
                                    const struct orbital_spaces *orbitals)
{
    const struct correlation_problem problem = {.settings = self->settings,
                                                .screening = self->hf->screening,
                                                .orbitals = orbitals,
                                                .memory_bytes =
                                                    self->hf->settings->memory_megabytes * 1000000,
                                                .comm = self->hf->comm};
    correlation_fini(&self->correlation);
    return correlation_init(&problem, &self->correlation);
}

static enum status find_amplitudes(struct method_calculation *self)
{
    struct amplitude_origin wanted =
        correlation_checkpoint_origin(self->correlation.amplitudes_name, &self->counts);
    if (!self->hf->settings->restart || self->correlation.instance.program.n_unknowns == 0)
        return STATUS_OK;
    return correlation_checkpoint_find(self->hf->checkpoint, &wanted, &self->has_amplitudes,
                                       &self->progress);
}

static struct frozen_orbitals count_frozen(const struct method_settings *settings,
                                           const struct molecule *molecule)
{
    struct frozen_orbitals frozen = {.n_virtual = settings->freeze_virtuals};
    if (settings->frozen_core)
        frozen.n_core = frozen_core_count(molecule);
    else if (settings->freeze != METHOD_NOT_GIVEN)
        frozen.n_core = settings->freeze;
    return frozen;
}

/* The numbers of orbitals before the SCF, which may drop dependent ones. */
static enum status count_orbitals(const struct method_calculation *self, int n_orbital_sets,
                                  struct orbital_spaces *counts)
{
    const struct hf_input *input = &self->hf->input;
    int64_t n_functions = input->shells->n_functions;
    return orbital_spaces_count(n_functions, n_functions, n_orbital_sets, input->n_occupied,
                                count_frozen(self->settings, &input->molecule), counts);
}

enum status method_calculation_plan(const struct method_settings *settings,
                                    struct hf_calculation *hf, struct method_calculation *self)
{
    *self = (struct method_calculation){.settings = settings, .hf = hf};
    TRY(count_orbitals(self, self->hf->input.n_densities, &self->counts));
    TRY(plan_correlation(self, &self->counts));
    const struct program *program = &self->correlation.instance.program;
    if (hf->input.n_orbital_sets < hf->input.n_densities && !method_binds(program, BINDING_FOCK))
        log_warn("%s: no tensor is bound to '" BINDING_FOCK
                 "', whose elements between occupied and virtual orbitals are not zero over ROHF",
                 program->file);
    return find_amplitudes(self);
}

/* Orbitals in a tile of the tensors that are only written: the size of their blocks. */
enum { DUMP_TILE = 20 };

/* The dump that settings ask for; before the SCF the orbitals are only counted. */
static struct fcidump describe_dump(const struct method_calculation *self,
                                    const struct orbital_spaces *orbitals)
{
    const struct hf_settings *scf = self->hf->settings;
    int64_t tile = self->settings->orbital_tile;
    return (struct fcidump){.path = self->settings->fcidump,
                            .screening = self->hf->screening,
                            .orbitals = orbitals,
                            .tile = tile > 0 ? tile : DUMP_TILE,
                            .memory_bytes = scf->memory_megabytes * 1000000,
                            .comm = self->hf->comm,
                            .scf_energy = self->hf->result.energy,
                            .nuclear_repulsion = self->hf->result.nuclear_repulsion,
                            .scf_bytes =
                                fock_cache_bytes(self->hf->tiling, &self->hf->settings->fock)};
}

enum status method_calculation_check_memory(struct method_calculation *self)
{
    self->correlation.problem.screening = self->hf->screening;
    self->correlation.problem.scf_bytes =
        (int64_t)fock_cache_bytes(self->hf->tiling, &self->hf->settings->fock);
    TRY(correlation_memory_check(&self->correlation));
    if (!self->settings->fcidump)
        return STATUS_OK;
    struct orbital_spaces counts;
    TRY(count_orbitals(self, self->hf->input.n_orbital_sets, &counts));
    const struct fcidump dump = describe_dump(self, &counts);
    return fcidump_check_memory(&dump);
}

/* Whether the SCF that was resumed had nothing to do, and the file has its orbitals. One of RHF or ROHF, which a
 * run of UHF resumed, has no canonical ones. */
static bool has_file_orbitals(const struct method_calculation *self)
{
    const struct scf_problem *problem = &self->hf->problem;
    const struct scf_result *result = &self->hf->result;
    const struct checkpoint_reader *file = self->hf->checkpoint;
    return self->hf->settings->restart && result->iterations == 1 &&
           checkpoint_reader_orbital_sets(file) == problem->n_orbital_sets &&
           checkpoint_reader_has_orbitals(file, problem, result->n_orbitals);
}

/* Takes the orbitals of the file, if they are the solution: an SCF mixes orbitals of one energy, and rounds as
 * its number of processes has it, but amplitudes belong to the very orbitals that they were found with. */
static enum status take_checkpoint_orbitals(struct method_calculation *self)
{
    struct scf_result *result = &self->hf->result;
    const struct checkpoint_reader *file = self->hf->checkpoint;
    if (self->has_amplitudes && !has_file_orbitals(self)) {
        log_print("\nThe orbitals differ from the ones in %s: the amplitudes begin anew\n",
                  self->hf->settings->restart);
        self->has_amplitudes = false;
    }
    bool is_solution = has_file_orbitals(self) && checkpoint_reader_is_solution(file);
    if (is_solution && self->has_amplitudes && self->progress.scf_energy != 0)
        result->energy = self->progress.scf_energy;
    if (self->has_amplitudes && result->semicanonical[0])
        TRY(amplitudes_move_semicanonical(checkpoint_reader_stream(file), result));
    return is_solution || self->has_amplitudes
               ? checkpoint_reader_orbitals(file, &self->hf->problem, result->orbitals,
                                            is_solution ? result->orbital_energies : NULL)
               : STATUS_OK;
}

/* Hartree. Orbitals of a frozen core that are nearer to correlated ones are no core; shells of a core are
 * farther above the next deeper ones. */
#define LEAST_CORE_GAP 0.1
#define SHELL_GAP      1.0

/* From the occupied orbital n of a spin, counted from 1, to the next; INFINITY where one is missing. */
static double occupied_gap(const struct hf_calculation *hf, int spin, int64_t n)
{
    const double *energies = scf_orbitals_of(&hf->result, spin).energies;
    return n > 0 && n < hf->input.n_occupied[spin] ? energies[n] - energies[n - 1] : INFINITY;
}

/* Warns where --frozen-core cuts through orbitals of nearly the same energy. The number that it offers
 * is the next smaller one with a SHELL_GAP above it. */
static void warn_of_core_gap(const struct hf_calculation *hf, int64_t n_core)
{
    static const char *const names[2][2] = {{"", ""}, {"alpha ", "beta "}};
    int n_orbital_sets = hf->input.n_densities;
    int64_t fewer = n_core;
    while (occupied_gap(hf, 0, fewer) < SHELL_GAP ||
           occupied_gap(hf, n_orbital_sets - 1, fewer) < SHELL_GAP)
        fewer--;
    for (int spin = 0; spin < n_orbital_sets; spin++) {
        const double *energies = scf_orbitals_of(&hf->result, spin).energies;
        double gap = occupied_gap(hf, spin, n_core);
        if (gap < LEAST_CORE_GAP)
            log_warn("--frozen-core freezes %sorbital %lld (%.4f hartree) and correlates orbital "
                     "%lld (%.4f), %.4f hartree above: --freeze %lld ends at a gap of more than "
                     "%g hartree",
                     names[n_orbital_sets - 1][spin], (long long)n_core, energies[n_core - 1],
                     (long long)n_core + 1, energies[n_core], gap, (long long)fewer, SHELL_GAP);
    }
}

/* Plans anew where the SCF went from RHF to UHF. Spin-orbital amplitudes take more memory. */
static enum status plan_unrestricted(struct method_calculation *self)
{
    self->has_amplitudes = false;
    TRY(count_orbitals(self, self->hf->input.n_densities, &self->counts));
    TRY(plan_correlation(self, &self->counts));
    return method_calculation_check_memory(self);
}

/* Integrals over the orbitals of ROHF are those of restricted orbitals, which other programs read. */
static enum status write_dump(struct method_calculation *self, const struct taskpool_settings *pool)
{
    const struct hf_input *input = &self->hf->input;
    struct orbital_spaces *shared = NULL;
    if (scf_is_rohf(&self->hf->problem))
        TRY(orbital_spaces_create_shared(&self->hf->result, input->shells, input->n_occupied,
                                         self->counts.spin[0].frozen, self->hf->comm, &shared));
    const struct fcidump dump = describe_dump(self, shared ? shared : self->orbitals);
    enum status status = fcidump_write(&dump, pool);
    orbital_spaces_destroy(shared);
    return status;
}

enum status method_calculation_prepare(struct method_calculation *self,
                                       const struct taskpool_settings *pool)
{
    const struct hf_input *input = &self->hf->input;
    if (input->n_densities != self->counts.n_orbital_sets)
        TRY(plan_unrestricted(self));
    TRY(take_checkpoint_orbitals(self));
    if (self->settings->frozen_core)
        warn_of_core_gap(self->hf, self->counts.spin[0].frozen.n_core);
    TRY(orbital_spaces_create(&self->hf->result, input->n_densities, input->n_occupied,
                              self->counts.spin[0].frozen, self->hf->comm, &self->orbitals));
    int64_t n_virtual = orbital_spaces_n_virtual(self->orbitals);
    if (n_virtual < orbital_spaces_n_virtual(&self->counts))
        log_print("\n%lld virtual orbitals are left\n", (long long)n_virtual);
    if (self->settings->fcidump)
        TRY(write_dump(self, pool));
    TRY(plan_correlation(self, self->orbitals));
    TRY(correlation_prepare(&self->correlation, pool));
    log_print("\nIntegrals over orbitals took %.3f s\n", self->correlation.integral_seconds);
    return STATUS_OK;
}

enum status method_calculation_solve(struct method_calculation *self,
                                     const struct taskpool_settings *pool)
{
    const struct correlation_files files = {.problem = &self->hf->problem,
                                            .result = &self->hf->result,
                                            .restart =
                                                self->has_amplitudes ? self->hf->checkpoint : NULL,
                                            .restart_path = self->hf->settings->restart};
    TRY(correlation_solve(&self->correlation, pool, &files));
    return finite_check_run(&self->correlation.instance);
}

void method_calculation_fini(struct method_calculation *self)
{
    correlation_fini(&self->correlation);
    orbital_spaces_destroy(self->orbitals);
    *self = (struct method_calculation){0};
}
