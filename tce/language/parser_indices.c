#include "tce/language/parser_private.h"

/* Names with commas between them, at least one. */
static enum status read_names(struct parser *parser, struct index_list *list)
{
    for (bool more = true; more;) {
        struct token name;
        TRY(parser_name(parser, "the name of an index", &name));
        if (list->n == MAX_RANK)
            return source_fail(parser->file, name.place,
                               "%s is index %d of this tensor; at most %d are possible",
                               token_show(&name).text, MAX_RANK + 1, MAX_RANK);
        TRY(parser_find(parser, &parser->indices, "index", &name, &list->index[list->n]));
        list->token[list->n++] = name;
        TRY(parser_accept(parser, ",", &more));
    }
    return STATUS_OK;
}

enum status parser_index_list(struct parser *parser, struct index_list *list)
{
    struct source_place open = parser->token.place;
    *list = (struct index_list){.bar = -1};
    TRY(parser_step(parser));
    if (token_is(&parser->token, "]"))
        return source_fail(parser->file, parser->token.place,
                           "expected the name of an index, found ']'; a scalar is written "
                           "without brackets");
    /* A side of the bar can be empty, as in [|i] and [i|]. */
    if (!token_is(&parser->token, "|"))
        TRY(read_names(parser, list));
    bool bar;
    list->bar_place = parser->token.place;
    TRY(parser_accept(parser, "|", &bar));
    if (bar) {
        list->bar = list->n;
        if (list->n == 0 || !token_is(&parser->token, "]"))
            TRY(read_names(parser, list));
    }
    if (!token_is(&parser->token, "]"))
        return source_fail(parser->file, parser->token.place,
                           "expected ',' or ']' in the brackets opened at %d:%d, found %s",
                           open.line, open.column, token_show(&parser->token).text);
    return parser_step(parser);
}
