/* SPDX-License-Identifier: BSD-3-Clause */
/* Lines that divide a program: finally, report, for and end. */
#include "support/base/array.h"
#include "tce/language/parser_private.h"

#include <string.h>

/* finally [energy SCALAR] */
enum status parser_finally(struct parser *parser)
{
    struct program *program = parser->program;
    struct token name;
    TRY(parser_once(parser, "finally", "a program has at most one", &program->finally_place));
    if (program->iterate_place.line == 0)
        return source_fail(parser->file, parser->line_place,
                           "'finally' follows what is iterated, and there is no 'iterate' before "
                           "it: leave it out");
    program->first_final = program->n_statements;
    return parser_accept(parser, "energy")
               ? parser_use_scalar(parser, "energy", &name, &program->final_energy)
               : STATUS_OK;
}

/* report SCALAR "LABEL" */
enum status parser_report(struct parser *parser)
{
    struct program *program = parser->program;
    struct token name;
    struct program_report report = {0};
    TRY(parser_use_scalar(parser, "reported", &name, &report.tensor));
    report.place = name.place;
    for (int r = 0; r < program->n_reports; r++)
        if (program->reports[r].tensor == report.tensor)
            return source_fail(parser->file, name.place, "%s is reported twice: leave one out",
                               token_show(&name).text);
    if (parser->token.kind != TOKEN_TEXT || parser->token.length == strlen("\"\""))
        return parser_unexpected(parser, "what the scalar is, in quotes, as in \"fourth order\"");
    TRY(array_append(&program->reports, &program->n_reports, sizeof *program->reports));
    TRY(parser_copy(parser->token.begin + 1, parser->token.length - 2, &report.label));
    program->reports[program->n_reports - 1] = report;
    parser_step(parser);
    return STATUS_OK;
}

/* --- loops --- */

static enum status read_loop_index(struct parser *parser, struct program_loop *loop)
{
    const struct program_index *indices = parser->program->indices;
    struct token name;
    int index;
    TRY(parser_use(parser, &parser->indices, "the name of an index", &name, &index));
    if (loop->n == PROGRAM_MAX_LOOP_INDICES)
        return source_fail(parser->file, name.place, "a loop has at most %d indices",
                           PROGRAM_MAX_LOOP_INDICES);
    if (program_loop_has_index(loop, index))
        return source_fail(parser->file, name.place, "%s appears in the loop twice: leave one out",
                           token_show(&name).text);
    if (loop->ordered && indices[index].space != indices[loop->index[0]].space)
        return source_fail(parser->file, name.place,
                           "%s and '%s' are of different spaces and have no order: write ','",
                           token_show(&name).text, indices[loop->index[0]].name);
    loop->index[loop->n++] = index;
    return STATUS_OK;
}

/* a >= b >= c, or a, b, c */
static enum status read_loop_indices(struct parser *parser, struct program_loop *loop)
{
    TRY(read_loop_index(parser, loop));
    loop->ordered = token_is(&parser->token, ">=");
    while (parser_accept(parser, loop->ordered ? ">=" : ","))
        TRY(read_loop_index(parser, loop));
    return STATUS_OK;
}

/* for INDICES by tile [VALUES] */
enum status parser_for(struct parser *parser)
{
    struct program *program = parser->program;
    struct program_loop loop = {.place = parser->line_place,
                                .first_statement = program->n_statements};
    TRY(read_loop_indices(parser, &loop));
    TRY(parser_expect(parser, "by",
                      loop.ordered ? "'>=' and another index, or 'by tile'"
                                   : "',' or '>=' and another index, or 'by tile'"));
    TRY(parser_expect(parser, "tile", "'tile'"));
    if (parser->token.kind == TOKEN_NUMBER)
        TRY(parser_integer(parser, "the values in a tile", 1, PROGRAM_MAX_SIZE, &loop.tile));
    TRY(array_append(&program->loops, &program->n_loops, sizeof *program->loops));
    parser->loop = program->n_loops - 1;
    program->loops[parser->loop] = loop;
    return STATUS_OK;
}

enum status parser_end(struct parser *parser)
{
    struct program_loop *loop = parser->loop >= 0 ? &parser->program->loops[parser->loop] : NULL;
    if (!loop)
        return source_fail(
            parser->file, parser->line_place,
            "'end' without a loop before it: leave it out, or begin the loop by 'for'");
    loop->end_statement = parser->program->n_statements;
    if (loop->first_statement == loop->end_statement)
        return source_fail(parser->file, loop->place,
                           "this loop has no statement: sum a scalar in it");
    parser->loop = -1;
    return STATUS_OK;
}
