/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/array.h"
#include "tce/language/parser_private.h"

enum status parser_tile(struct parser *parser)
{
    TRY(parser_once(parser, "tile", "a space has a tile of its own if 'tile' ends its line",
                    &parser->tile_place));
    return parser_integer(parser, "the values in a tile", 1, PROGRAM_MAX_SIZE,
                          &parser->program->tile);
}

/* The name of what fills a tensor or is bound to a space. */
static enum status copy_name(struct parser *parser, const char *what, struct source_place *place,
                             char **copy)
{
    const struct token name = parser->token;
    if (name.kind != TOKEN_NAME)
        return parser_unexpected(parser, what);
    *place = name.place;
    parser_step(parser);
    return parser_copy(name.begin, name.length, copy);
}

/* SIZE [irrep N] [alpha | beta], ... */
static enum status parse_blocks(struct parser *parser, struct program_space *space)
{
    do {
        int size, irrep = 0;
        TRY(parser_integer(parser, "the size of a block", 1, PROGRAM_MAX_SIZE, &size));
        TRY(parser_option(parser, "irrep", "an irrep", 0, N_IRREPS - 1, &irrep));
        int spin = parser_accept_either(parser, "alpha", "beta");
        TRY(array_append(&space->blocks, &space->n_blocks, sizeof *space->blocks));
        space->blocks[space->n_blocks - 1] =
            (struct index_block){.size = size, .irrep = irrep, .spin = spin};
        space->has_irreps = space->has_irreps || irrep > 0;
    } while (parser_accept(parser, ","));
    return STATUS_OK;
}

enum status parser_space(struct parser *parser)
{
    struct program *program = parser->program;
    TRY(parser_declare(parser, &parser->spaces, "the name of a space"));
    struct program_space *space = &program->spaces[program->n_spaces - 1];
    TRY(parser_expect(parser, "=", "'=' and the blocks of the space, such as 10 irrep 0, 8"));
    if (parser->token.kind == TOKEN_NAME) {
        space->has_irreps = true;
        TRY(copy_name(parser, "what the space is bound to", &space->binding_place,
                      &space->binding));
    } else {
        TRY(parse_blocks(parser, space));
    }
    TRY(parser_option(parser, "tile", "the values in a tile", 1, PROGRAM_MAX_SIZE, &space->tile));
    if (!parser_at_line_end(parser))
        return parser_unexpected(parser, space->binding
                                             ? "'tile' or the end of the line"
                                             : "',' and the next block, 'irrep', then 'alpha' or "
                                               "'beta', 'tile' or the end of the line");
    return STATUS_OK;
}

enum status parser_index(struct parser *parser)
{
    struct program *program = parser->program;
    const int first = program->n_indices;
    struct token name;
    int space;
    do
        TRY(parser_declare(parser, &parser->indices, "the name of an index"));
    while (parser_accept(parser, ","));
    TRY(parser_expect(parser, ":", "',' and another index, or ':' and their space"));
    TRY(parser_use(parser, &parser->spaces, "the name of a space", &name, &space));
    for (int i = first; i < program->n_indices; i++)
        program->indices[i].space = space;
    return STATUS_OK;
}

static enum status declare_tensor(struct parser *parser, struct program_tensor **tensor)
{
    TRY(parser_declare(parser, &parser->tensors, "the name of a tensor"));
    *tensor = &parser->program->tensors[parser->program->n_tensors - 1];
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

/* [= FUNCTION [(NUMBERS)]] */
static enum status parse_fill(struct parser *parser, struct program_tensor *tensor)
{
    if (!parser_accept(parser, "="))
        return STATUS_OK;
    TRY(copy_name(parser, "the name of what fills the tensor", &tensor->fill_place, &tensor->fill));
    if (!parser_accept(parser, "(") || parser_accept(parser, ")"))
        return STATUS_OK;
    do {
        TRY(array_append(&tensor->arguments, &tensor->n_arguments, sizeof *tensor->arguments));
        double *argument = &tensor->arguments[tensor->n_arguments - 1];
        *argument = 1;
        TRY(parser_real(parser, argument));
    } while (parser_accept(parser, ","));
    return parser_expect(parser, ")", "',' or ')' in the numbers of a function");
}

enum status parser_tensor(struct parser *parser)
{
    struct program_tensor *tensor;
    struct parsed_indices list;
    TRY(declare_tensor(parser, &tensor));
    TRY(parse_tensor_spaces(parser, &list, tensor));
    TRY(parser_option(parser, "irrep", "an irrep", 0, N_IRREPS - 1, &tensor->irrep));
    TRY(parser_option(parser, "spin", "a spin", -tensor->rank, tensor->rank, &tensor->spin));
    TRY(parser_symmetry(parser, &list, tensor));
    TRY(parse_fill(parser, tensor));
    if (!parser_at_line_end(parser))
        return parser_unexpected(parser, tensor->fill ? "the end of the line"
                                                      : "'irrep', 'spin', 'symmetric', "
                                                        "'antisymmetric' and '=', in this order, "
                                                        "or the end of the line");
    return STATUS_OK;
}

enum status parser_scalar(struct parser *parser)
{
    do {
        struct program_tensor *scalar;
        TRY(declare_tensor(parser, &scalar));
        if (token_is(&parser->token, "["))
            return parser_unexpected(parser, "a scalar without indices; others are declared by "
                                             "'tensor'");
        TRY(parse_fill(parser, scalar));
    } while (parser_accept(parser, ","));
    return STATUS_OK;
}
