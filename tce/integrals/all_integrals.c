/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/integrals/all_integrals.h"

#include "support/arrays/darray.h"
#include "support/base/agree.h"
#include "tce/integrals/mo_integrals.h"
#include "tce/integrals/mo_plan.h"

static const char *const kind_patterns[N_INTEGRAL_KINDS] = {"oooo", "vooo", "vovo",
                                                            "vvoo", "vvvo", "vvvv"};

/* Values of a spin that a space lacks are left out. */
static enum status cut_orbital_space(const struct all_integrals_problem *problem, bool is_virtual,
                                     struct index_space **space)
{
    static const int labels[] = {1, -1};
    const struct orbital_spaces *orbitals = problem->orbitals;
    struct index_block blocks[2];
    int n = 0;
    for (int s = 0; s < orbitals->n_orbital_sets; s++) {
        int64_t size = is_virtual ? orbitals->spin[s].n_virtual : orbitals->spin[s].n_occupied;
        if (size > 0)
            blocks[n++] = (struct index_block){
                .size = size, .spin = orbitals->n_orbital_sets == 1 ? 0 : labels[s]};
    }
    return index_space_create(is_virtual ? "v" : "o", n, blocks, problem->tile, space);
}

static enum status cut_orbital_spaces(const struct all_integrals_problem *problem,
                                      struct all_integrals *self)
{
    TRY(cut_orbital_space(problem, false, &self->spaces[MO_OCCUPIED]));
    return cut_orbital_space(problem, true, &self->spaces[MO_VIRTUAL]);
}

/* Signs of the spins: p and q alike, and r and s. */
static struct block_labels labels_of_kind(const struct all_integrals *self, int kind)
{
    struct block_labels labels = {.rank = 4, .sign = {1, -1, 1, -1}};
    for (int d = 0; d < 4; d++)
        labels.space[d] = self->spaces[kind_patterns[kind][d] == 'o' ? MO_OCCUPIED : MO_VIRTUAL];
    return labels;
}

static void list_all_targets(const struct all_integrals *self,
                             struct mo_target targets[N_INTEGRAL_KINDS])
{
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        targets[kind] =
            (struct mo_target){.tensor = self->tensors[kind], .pattern = kind_patterns[kind]};
}

static struct mo_integrals_problem
describe_transformation(const struct all_integrals_problem *problem,
                        const struct all_integrals *self, const struct mo_target *targets)
{
    return (struct mo_integrals_problem){.screening = problem->screening,
                                         .orbitals = problem->orbitals,
                                         .occupied = self->spaces[MO_OCCUPIED],
                                         .virtual = self->spaces[MO_VIRTUAL],
                                         .threshold = MO_INTEGRALS_THRESHOLD,
                                         .memory_bytes = problem->memory_bytes,
                                         .n_targets = N_INTEGRAL_KINDS,
                                         .targets = targets};
}

/* --- memory --- */

/* Elements over all processes, and the index that each has. */
static enum status add_kind_bytes(const struct all_integrals *self, int kind,
                                  struct memory_need *need)
{
    struct block_index *blocks;
    struct block_labels labels = labels_of_kind(self, kind);
    TRY(block_index_create(&labels, &blocks));
    need->shared_bytes += sizeof(double) * tensor_count_elements(&labels);
    need->own_bytes += tensor_index_bytes(block_index_n(blocks));
    block_index_destroy(blocks);
    return STATUS_OK;
}

/* shared_bytes over all processes. */
static enum status count_integral_bytes(const struct all_integrals_problem *problem,
                                        struct all_integrals *self, struct memory_need *need)
{
    struct mo_target targets[N_INTEGRAL_KINDS];
    struct mo_plan *plan = NULL;
    TRY(cut_orbital_spaces(problem, self));
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        TRY(add_kind_bytes(self, kind, need));
    list_all_targets(self, targets);
    const struct mo_integrals_problem transformation =
        describe_transformation(problem, self, targets);
    enum status status = mo_plan_create(&transformation, &plan);
    if (status == STATUS_OK) {
        need->shared_bytes += mo_plan_half_bytes(plan);
        need->own_bytes += mo_plan_process_bytes(plan);
    }
    mo_plan_destroy(plan);
    return status;
}

enum status all_integrals_bytes(const struct all_integrals_problem *problem,
                                struct memory_need *need)
{
    struct all_integrals self = {0};
    int n_processes;
    MPI_Comm_size(problem->comm, &n_processes);
    *need = (struct memory_need){0};
    enum status status = status_agree(problem->comm, count_integral_bytes(problem, &self, need));
    need->shared_bytes =
        need->shared_bytes / n_processes + darray_overhead_bytes(N_INTEGRAL_KINDS + 1);
    all_integrals_fini(&self);
    return status;
}

/* --- the integrals --- */

static enum status create_tensors_of_kinds(struct all_integrals *self, MPI_Comm comm)
{
    struct block_labels labels[N_INTEGRAL_KINDS];
    struct tensor_shape shapes[N_INTEGRAL_KINDS];
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++) {
        labels[kind] = labels_of_kind(self, kind);
        shapes[kind] = (struct tensor_shape){kind_patterns[kind], &labels[kind]};
    }
    return tensor_create_several(N_INTEGRAL_KINDS, shapes, comm, self->tensors);
}

enum status all_integrals_create(const struct all_integrals_problem *problem,
                                 const struct taskpool_settings *pool, struct all_integrals *self)
{
    struct mo_target targets[N_INTEGRAL_KINDS];
    struct mo_integrals *transformation = NULL;
    *self = (struct all_integrals){0};
    TRY(status_agree(problem->comm, cut_orbital_spaces(problem, self)));
    TRY(create_tensors_of_kinds(self, problem->comm));
    list_all_targets(self, targets);
    const struct mo_integrals_problem described = describe_transformation(problem, self, targets);
    enum status status = mo_integrals_create(&described, pool, problem->comm, &transformation);
    if (status == STATUS_OK)
        status = mo_integrals_run(transformation);
    mo_integrals_destroy(transformation);
    return status;
}

void all_integrals_fini(struct all_integrals *self)
{
    for (int kind = 0; kind < N_INTEGRAL_KINDS; kind++)
        tensor_destroy(self->tensors[kind]);
    for (int s = 0; s < N_MO_SPACES; s++)
        index_space_destroy(self->spaces[s]);
    *self = (struct all_integrals){0};
}
