/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/execution/program_instance.h"
#include "tce/language/program.h"
#include "tce/plan/plan_loops.h"
#include "tce/plan/predicted_tasks.h"
#include "tests/fuzz/fuzz.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_place(struct source_place place)
{
    assert(place.line > 0 && place.column > 0);
}

static void check_spaces(const struct program *program)
{
    for (int s = 0; s < program->n_spaces; s++) {
        const struct program_space *space = &program->spaces[s];
        assert(space->name[0] && space->tile >= 0);
        assert((space->binding != NULL) == (space->n_blocks == 0));
        assert(!space->binding || space->has_irreps);
        for (int64_t b = 0; b < space->n_blocks; b++) {
            const struct index_block *block = &space->blocks[b];
            assert(block->size > 0 && block->irrep >= 0 && block->irrep < N_IRREPS);
            assert(space->has_irreps || block->irrep == 0);
        }
    }
    for (int i = 0; i < program->n_indices; i++)
        assert(program->indices[i].name[0] && program->indices[i].space < program->n_spaces);
}

static void check_tensors(const struct program *program)
{
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        assert(tensor->name[0] && tensor->rank >= 0 && tensor->rank <= MAX_RANK);
        assert(tensor->irrep >= 0 && tensor->irrep < N_IRREPS && abs(tensor->spin) <= MAX_RANK);
        for (int d = 0; d < tensor->rank; d++) {
            assert(tensor->space[d] >= 0 && tensor->space[d] < program->n_spaces);
            assert(abs(tensor->sign[d]) == 1 && (tensor->has_bar || tensor->sign[d] == 1));
        }
        for (int a = 0; a < tensor->n_arguments; a++)
            assert(tensor->fill && isfinite(tensor->arguments[a]));
    }
}

/* A local tensor, in its loop, has the loop's index where the declaration has it. */
static void check_factor(const struct program *program, const struct program_factor *factor,
                         int loop)
{
    check_place(factor->place);
    assert(factor->tensor >= 0 && factor->tensor < program->n_tensors);
    const struct program_tensor *tensor = &program->tensors[factor->tensor];
    assert(tensor->loop < 0 || tensor->loop == loop);
    for (int d = 0; d < tensor->rank; d++) {
        assert(factor->index[d] >= 0 && factor->index[d] < program->n_indices);
        assert(program->indices[factor->index[d]].space == tensor->space[d]);
        assert(tensor->loop < 0 || tensor->loop_index[d] < 0 ||
               tensor->loop_index[d] == factor->index[d]);
    }
}

static void check_loops(const struct program *program)
{
    int end = 0;
    for (int l = 0; l < program->n_loops; l++) {
        const struct program_loop *loop = &program->loops[l];
        check_place(loop->place);
        assert(loop->n > 0 && loop->n <= PROGRAM_MAX_LOOP_INDICES && loop->tile >= 0);
        assert(loop->first_statement >= end && loop->end_statement > loop->first_statement);
        end = loop->end_statement;
        assert(end <= program->n_statements);
        for (int i = 1; i < loop->n; i++)
            assert(!loop->ordered || program->indices[loop->index[i]].space ==
                                         program->indices[loop->index[0]].space);
        for (int s = loop->first_statement; s < end; s++)
            assert(program->statements[s].loop == l);
    }
    for (int r = 0; r < program->n_reports; r++)
        assert(program->reports[r].label[0] &&
               program->tensors[program->reports[r].tensor].rank == 0);
}

static void check_statements(const struct program *program)
{
    for (int s = 0; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        check_factor(program, &statement->target, statement->loop);
        assert(statement->text[0] && !strpbrk(statement->text, "\n#"));
        assert(statement->n_terms > 0);
        for (int t = 0; t < statement->n_terms; t++) {
            const struct program_term *term = &statement->terms[t];
            check_place(term->place);
            assert(isfinite(term->coefficient));
            assert(term->n_factors >= 1 && term->n_factors <= PROGRAM_MAX_FACTORS);
            for (int f = 0; f < term->n_factors; f++) {
                check_factor(program, &term->factors[f], statement->loop);
                assert(term->factors[f].tensor != statement->target.tensor);
            }
        }
    }
}

static void check_iteration(const struct program *program)
{
    assert(program->n_statements > 0 && program->first_iterated <= program->n_statements);
    assert(program->first_final >= program->first_iterated &&
           program->first_final <= program->n_statements);
    assert((program->n_unknowns > 0) == (program->energy >= 0));
    for (int u = 0; u < program->n_unknowns; u++)
        assert(program->unknowns[u].tensor != program->unknowns[u].residual);
}

static void check_place_of_failure(void)
{
    struct source_place place;
    assert(sscanf(status_text(), "fuzz:%d:%d: ", &place.line, &place.column) == 2);
    check_place(place);
}

/* Plans as beryl-tce run --dry-run --explain does, and cuts loops into tiles. */
static void plan(const char *text, size_t size)
{
    const struct program_source source = {
        .text = text, .length = size, .file = "fuzz", .pairs = PLAN_PAIRS_ALWAYS};
    struct program_instance instance;
    static FILE *null;
    if (!null)
        null = fopen("/dev/null", "w");
    fuzz_start_mpi();
    if (program_instance_init(&source, MPI_COMM_SELF, &instance) == STATUS_OK && null)
        plan_print(instance.plan, PLAN_PASS_ALL, null);
    for (int l = 0; instance.plan && l < instance.program.n_loops; l++) {
        struct plan_loop_problem problem;
        if (plan_loop_problem_init(instance.plan, l, &problem) == STATUS_INPUT)
            check_place_of_failure();
        plan_loop_problem_fini(&problem);
    }
    program_instance_fini(&instance);
}

void fuzz_one(const char *data, size_t size)
{
    /* Not a byte more than the text, so that a sanitizer sees reads beyond it. */
    char *text = malloc(size > 0 ? size : 1);
    if (!text)
        return;
    memcpy(text, data, size);
    struct program program;
    enum status status = program_parse(text, size, "fuzz", &program);
    if (status == STATUS_OK) {
        check_spaces(&program);
        check_tensors(&program);
        check_statements(&program);
        check_iteration(&program);
        check_loops(&program);
        plan(text, size);
    } else {
        static const struct program empty;
        assert(memcmp(&program, &empty, sizeof empty) == 0);
        if (status == STATUS_INPUT)
            check_place_of_failure();
    }
    program_fini(&program);
    free(text);
}
