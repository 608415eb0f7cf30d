/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/calculation/method_calculation.h"

#include "hf/checkpoint/checkpoint_reader.h"
#include "support/base/agree.h"
#include "support/base/log.h"
#include "tce/execution/finite_check.h"
#include "tce/integrals/fcidump.h"
#include "tce/integrals/frozen_core.h"
#include "tce/methods/method_bindings.h"

#include <stdlib.h>

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
    if (result->semicanonical[0])
        return self->has_amplitudes
                   ? amplitudes_move_semicanonical(checkpoint_reader_stream(file), result)
                   : STATUS_OK;
    return is_solution || self->has_amplitudes
               ? checkpoint_reader_orbitals(file, &self->hf->problem, result->orbitals,
                                            is_solution ? result->orbital_energies : NULL)
               : STATUS_OK;
}

/* core  out: with frozen_core the frozen ones of these orbitals; to be freed in any case */
static enum status find_core(const struct method_calculation *self,
                             const struct scf_orbitals *orbitals, int64_t n_occupied,
                             const char *name, int64_t **core)
{
    const struct hf_calculation *hf = self->hf;
    int64_t n_core = self->counts.spin[0].frozen.n_core;
    *core = NULL;
    if (!self->settings->frozen_core || n_core == 0)
        return STATUS_OK;
    *core = agree_calloc(hf->comm, (size_t)n_core * sizeof **core, "frozen orbitals");
    if (!*core)
        return STATUS_NO_MEMORY;
    return frozen_core_find(&hf->problem, orbitals->C, orbitals->energies, n_occupied, name, n_core,
                            *core);
}

static enum status choose_core(struct method_calculation *self)
{
    static const char *const names[2][2] = {{""}, {"alpha ", "beta "}};
    const struct hf_calculation *hf = self->hf;
    int n_sets = hf->input.n_densities;
    for (int s = 0; s < n_sets; s++) {
        const struct scf_orbitals orbitals = scf_orbitals_of(&hf->result, s);
        TRY(find_core(self, &orbitals, hf->input.n_occupied[s], names[n_sets - 1][s],
                      &self->core[s]));
    }
    return STATUS_OK;
}

/* Plans anew where the SCF went from RHF to UHF. Spin-orbital amplitudes take more memory. */
static enum status plan_unrestricted(struct method_calculation *self)
{
    self->has_amplitudes = false;
    TRY(count_orbitals(self, self->hf->input.n_densities, &self->counts));
    TRY(plan_correlation(self, &self->counts));
    return method_calculation_check_memory(self);
}

/* The doubly occupied orbitals that are frozen are none of the semicanonical ones. */
static enum status create_shared(const struct method_calculation *self, int64_t **core,
                                 struct orbital_spaces **shared)
{
    const struct hf_input *input = &self->hf->input;
    const struct scf_result *result = &self->hf->result;
    const struct scf_orbitals orbitals = {.C = result->orbitals[0],
                                          .energies = result->orbital_energies[0]};
    TRY(find_core(self, &orbitals, input->n_occupied[1], "doubly occupied ", core));
    return orbital_spaces_create(result, 1, input->n_occupied, self->counts.spin[0].frozen, core,
                                 self->hf->comm, shared);
}

/* Integrals over the orbitals of ROHF are those of restricted orbitals, which other programs read. */
static enum status write_dump(const struct method_calculation *self,
                              const struct taskpool_settings *pool)
{
    struct orbital_spaces *shared = NULL;
    int64_t *core = NULL;
    enum status status =
        scf_is_rohf(&self->hf->problem) ? create_shared(self, &core, &shared) : STATUS_OK;
    if (status == STATUS_OK) {
        const struct fcidump dump = describe_dump(self, shared ? shared : self->orbitals);
        status = fcidump_write(&dump, pool);
    }
    orbital_spaces_destroy(shared);
    free(core);
    return status;
}

enum status method_calculation_prepare(struct method_calculation *self,
                                       const struct taskpool_settings *pool)
{
    const struct hf_input *input = &self->hf->input;
    if (input->n_densities != self->counts.n_orbital_sets)
        TRY(plan_unrestricted(self));
    TRY(take_checkpoint_orbitals(self));
    TRY(choose_core(self));
    TRY(orbital_spaces_create(&self->hf->result, input->n_densities, input->n_occupied,
                              self->counts.spin[0].frozen, self->core, self->hf->comm,
                              &self->orbitals));
    if (self->has_amplitudes)
        TRY(correlation_checkpoint_compare_core(self->hf->checkpoint, self->orbitals));
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
    free(self->core[0]);
    free(self->core[1]);
    *self = (struct method_calculation){0};
}
