#include "support/base/array.h"
#include "tce/language/parser_private.h"

static enum status parse_tensor_name(struct parser *parser, const char *what, struct token *name,
                                     int *tensor)
{
    TRY(parser_name(parser, what, name));
    return parser_find(parser, &parser->tensors, "tensor", name, tensor);
}

static bool same_form(const struct program_tensor *a, const struct program_tensor *b)
{
    bool same = a->rank == b->rank && a->irrep == b->irrep && a->spin == b->spin;
    for (int d = 0; same && d < a->rank; d++)
        same = a->space[d] == b->space[d] && a->sign[d] == b->sign[d];
    return same;
}

/* Among what is iterated a tensor has one part to play. */
static bool is_iterated(const struct program *program, int tensor)
{
    for (int u = 0; u < program->n_unknowns; u++)
        if (program->unknowns[u].tensor == tensor || program->unknowns[u].residual == tensor)
            return true;
    return false;
}

static enum status check_new(const struct parser *parser, const struct token *name, int tensor)
{
    if (!is_iterated(parser->program, tensor))
        return STATUS_OK;
    return source_fail(parser->file, name->place, "%s stands in 'iterate' twice",
                       token_show(name).text);
}

/* UNKNOWN from RESIDUAL */
static enum status parse_unknown(struct parser *parser, int64_t *capacity)
{
    struct program *program = parser->program;
    struct token tensor, residual;
    struct program_unknown unknown;
    TRY(parse_tensor_name(parser, "the name of an unknown tensor, or 'energy' and a scalar",
                          &tensor, &unknown.tensor));
    TRY(parser_expect(parser, "from", "'from' and the residual of the unknown"));
    TRY(parse_tensor_name(parser, "the name of a residual", &residual, &unknown.residual));
    TRY(check_new(parser, &tensor, unknown.tensor));
    TRY(check_new(parser, &residual, unknown.residual));
    if (unknown.tensor == unknown.residual)
        return source_fail(parser->file, residual.place,
                           "%s cannot be the residual of itself; expected another tensor",
                           token_show(&residual).text);
    if (!same_form(&program->tensors[unknown.tensor], &program->tensors[unknown.residual]))
        return source_fail(parser->file, residual.place,
                           "%s and its unknown %s differ in their indices, bar or labels; declare "
                           "them alike",
                           token_show(&residual).text, token_show(&tensor).text);
    TRY(array_reserve(&program->unknowns, program->n_unknowns + 1, capacity,
                      sizeof *program->unknowns));
    program->unknowns[program->n_unknowns++] = unknown;
    return STATUS_OK;
}

static enum status parse_energy(struct parser *parser)
{
    struct program *program = parser->program;
    struct token name;
    TRY(parse_tensor_name(parser, "the scalar that is the energy", &name, &program->energy));
    if (program->tensors[program->energy].rank != 0)
        return source_fail(parser->file, name.place, "the energy %s has indices; expected a scalar",
                           token_show(&name).text);
    return check_new(parser, &name, program->energy);
}

enum status parser_iterate(struct parser *parser)
{
    struct program *program = parser->program;
    if (program->iterate_place.line > 0)
        return source_fail(parser->file, parser->line_place,
                           "'iterate' stands in line %d already; a program has one at most",
                           program->iterate_place.line);
    program->iterate_place = parser->line_place;
    program->first_iterated = program->n_statements;
    int64_t capacity = 0;
    bool energy;
    do {
        TRY(parse_unknown(parser, &capacity));
        TRY(parser_expect(parser, ",", "',' and another unknown, or ', energy' and a scalar"));
        TRY(parser_accept(parser, "energy", &energy));
    } while (!energy);
    return parse_energy(parser);
}
