/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/language/parser_private.h"
#include "tce/language/program_check.h"

enum status parser_tile(struct parser *parser)
{
    if (parser->tile_place.line > 0)
        return source_fail(parser->file, parser->line_place,
                           "'tile' was declared before, in line %d; a space has a tile of its own "
                           "if 'tile' ends its line",
                           parser->tile_place.line);
    parser->tile_place = parser->line_place;
    return parser_integer(parser, "the values in a tile", 1, PROGRAM_MAX_SIZE,
                          &parser->program->tile);
}

/* SIZE [irrep N] [alpha | beta] */
static enum status parse_block(struct parser *parser, struct index_block *block)
{
    int64_t irrep = 0;
    TRY(parser_integer(parser, "the size of a block", 1, PROGRAM_MAX_SIZE, &block->size));
    TRY(parser_option(parser, "irrep", "an irrep", 0, N_IRREPS - 1, &irrep));
    TRY(parser_accept_either(parser, "alpha", "beta", &block->spin));
    block->irrep = (int)irrep;
    return STATUS_OK;
}

static enum status parse_blocks(struct parser *parser, struct program_space *space)
{
    for (bool more = true; more;) {
        TRY(array_append(&space->blocks, &space->n_blocks, sizeof *space->blocks));
        struct index_block *block = &space->blocks[space->n_blocks - 1];
        TRY(parse_block(parser, block));
        space->labels |= UINT32_C(1) << (3 * block->irrep + block->spin + 1);
        TRY(parser_accept(parser, ",", &more));
    }
    return STATUS_OK;
}

static enum status parse_binding(struct parser *parser, struct program_space *space)
{
    struct token name;
    TRY(parser_name(parser, "the size of a block, or what the space is bound to", &name));
    space->binding_place = name.place;
    return parser_copy(name.begin, name.length, &space->binding);
}

enum status parser_space(struct parser *parser)
{
    struct program *program = parser->program;
    TRY(array_append(&program->spaces, &program->n_spaces, sizeof *program->spaces));
    struct program_space *space = &program->spaces[program->n_spaces - 1];
    struct token name;
    TRY(parser_name(parser, "the name of a space", &name));
    TRY(parser_declare(parser, &parser->spaces, "space", &name, &space->name));
    space->place = name.place;
    TRY(parser_expect(parser, "=", "'=' and the blocks of the space, such as 10 irrep 0, 8"));
    if (parser->token.kind == TOKEN_NAME)
        TRY(parse_binding(parser, space));
    else
        TRY(parse_blocks(parser, space));
    TRY(parser_option(parser, "tile", "the values in a tile", 1, PROGRAM_MAX_SIZE, &space->tile));
    if (!parser_at_line_end(parser))
        return parser_unexpected(parser, space->binding
                                             ? "'tile' or the end of the line"
                                             : "',' and the next block, 'irrep', then 'alpha' or "
                                               "'beta', 'tile' or the end of the line");
    return STATUS_OK;
}

static enum status parse_index_names(struct parser *parser)
{
    struct program *program = parser->program;
    for (bool more = true; more;) {
        TRY(array_append(&program->indices, &program->n_indices, sizeof *program->indices));
        struct program_index *index = &program->indices[program->n_indices - 1];
        struct token name;
        TRY(parser_name(parser, "the name of an index", &name));
        TRY(parser_declare(parser, &parser->indices, "index", &name, &index->name));
        index->place = name.place;
        TRY(parser_accept(parser, ",", &more));
    }
    return STATUS_OK;
}

enum status parser_index(struct parser *parser)
{
    struct program *program = parser->program;
    int first = program->n_indices, space;
    TRY(parse_index_names(parser));
    TRY(parser_expect(parser, ":", "',' and another index, or ':' and their space"));
    struct token name;
    TRY(parser_name(parser, "the name of a space", &name));
    TRY(parser_find(parser, &parser->spaces, "space", &name, &space));
    for (int i = first; i < program->n_indices; i++)
        program->indices[i].space = space;
    return STATUS_OK;
}

static enum status declare_tensor(struct parser *parser, struct program_tensor **tensor)
{
    struct program *program = parser->program;
    TRY(array_append(&program->tensors, &program->n_tensors, sizeof *program->tensors));
    *tensor = &program->tensors[program->n_tensors - 1];
    struct token name;
    TRY(parser_name(parser, "the name of a tensor", &name));
    TRY(parser_declare(parser, &parser->tensors, "tensor", &name, &(*tensor)->name));
    (*tensor)->place = name.place;
    (*tensor)->loop = parser->loop;
    return STATUS_OK;
}

static enum status parse_tensor_spaces(struct parser *parser, struct parsed_indices *list,
                                       struct program_tensor *tensor)
{
    const struct program_loop *loop =
        parser->loop >= 0 ? &parser->program->loops[parser->loop] : NULL;
    if (!token_is(&parser->token, "["))
        return parser_unexpected(parser, "'[' and the indices of the tensor; one without indices "
                                         "is declared by 'scalar'");
    TRY(parser_indices(parser, list));
    tensor->rank = list->n;
    tensor->has_bar = list->bar >= 0;
    for (int d = 0; d < list->n; d++) {
        bool held = loop && program_loop_has_index(loop, list->index[d]);
        tensor->loop_index[d] = held ? list->index[d] : -1;
        tensor->space[d] = parser->program->indices[list->index[d]].space;
        tensor->sign[d] = tensor->has_bar && d >= list->bar ? -1 : 1;
    }
    return STATUS_OK;
}

/* [irrep N] [spin N] */
static enum status parse_labels(struct parser *parser, struct program_tensor *tensor)
{
    int64_t irrep = 0, spin = 0;
    TRY(parser_option(parser, "irrep", "an irrep", 0, N_IRREPS - 1, &irrep));
    TRY(parser_option(parser, "spin", "a spin", -tensor->rank, tensor->rank, &spin));
    tensor->irrep = (int)irrep;
    tensor->spin = (int)spin;
    return STATUS_OK;
}

static enum status parse_arguments(struct parser *parser, struct program_tensor *tensor)
{
    for (bool more = !token_is(&parser->token, ")"); more;) {
        TRY(array_append(&tensor->arguments, &tensor->n_arguments, sizeof *tensor->arguments));
        TRY(parser_real(parser, &tensor->arguments[tensor->n_arguments - 1]));
        TRY(parser_accept(parser, ",", &more));
    }
    return parser_expect(parser, ")", "',' or ')' in the numbers of a function");
}

/* [= FUNCTION [(NUMBERS)]] */
static enum status parse_fill(struct parser *parser, struct program_tensor *tensor)
{
    bool filled, arguments;
    TRY(parser_accept(parser, "=", &filled));
    if (!filled)
        return STATUS_OK;
    struct token name;
    TRY(parser_name(parser, "the name of what fills the tensor", &name));
    tensor->fill_place = name.place;
    TRY(parser_copy(name.begin, name.length, &tensor->fill));
    TRY(parser_accept(parser, "(", &arguments));
    return arguments ? parse_arguments(parser, tensor) : STATUS_OK;
}

enum status parser_tensor(struct parser *parser)
{
    struct program_tensor *tensor;
    struct parsed_indices list;
    TRY(declare_tensor(parser, &tensor));
    TRY(parse_tensor_spaces(parser, &list, tensor));
    TRY(parse_labels(parser, tensor));
    TRY(parser_symmetry(parser, &list, tensor));
    TRY(parse_fill(parser, tensor));
    if (!parser_at_line_end(parser))
        return parser_unexpected(parser, tensor->fill ? "the end of the line"
                                                      : "'irrep', 'spin', 'symmetric', "
                                                        "'antisymmetric' and '=', in this order, "
                                                        "or the end of the line");
    return program_check_tensor(parser->program, tensor);
}

enum status parser_scalar(struct parser *parser)
{
    for (bool more = true; more;) {
        struct program_tensor *scalar;
        TRY(declare_tensor(parser, &scalar));
        if (token_is(&parser->token, "["))
            return parser_unexpected(parser, "a scalar without indices; others are declared by "
                                             "'tensor'");
        TRY(parse_fill(parser, scalar));
        TRY(parser_accept(parser, ",", &more));
    }
    return STATUS_OK;
}
