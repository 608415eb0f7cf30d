/* SPDX-License-Identifier: BSD-3-Clause */
/* symmetric (i a)(j b), antisymmetric i j, a b: the exchanges that a declaration lists. */
#include "support/base/array.h"
#include "tce/language/parser_private.h"

#include <stdlib.h>

/* Places that are exchanged together with those of another group. */
struct place_group {
    struct source_place place;
    int n, at[MAX_RANK];
};

/* A word that ends the exchanges, or belongs before them. */
static bool is_word_of_declaration(const struct token *token)
{
    return token_is(token, "symmetric") || token_is(token, "antisymmetric") ||
           token_is(token, "irrep") || token_is(token, "spin");
}

/* The place of a name in the brackets of the declaration. */
static enum status read_exchanged_place(struct parser *parser, const struct parsed_indices *list,
                                        int *at)
{
    struct token name;
    int index, n = 0;
    if (is_word_of_declaration(&parser->token))
        return parser_unexpected(parser, "the name of an index of this tensor");
    TRY(parser_name(parser, "the name of an index of this tensor", &name));
    TRY(parser_find(parser, &parser->indices, "index", &name, &index));
    for (int d = 0; d < list->n; d++)
        if (list->index[d] == index) {
            *at = d;
            n++;
        }
    if (n == 1)
        return STATUS_OK;
    return source_fail(parser->file, name.place,
                       n == 0 ? "%s is no index of this tensor"
                              : "%s stands in the brackets more than once, so that no place is "
                                "meant: name the places differently",
                       token_show(&name).text);
}

static bool begins_group(const struct token *token)
{
    return token_is(token, "(") || (token->kind == TOKEN_NAME && !is_word_of_declaration(token));
}

/* i, or (i a). */
static enum status read_place_group(struct parser *parser, const struct parsed_indices *list,
                                    struct place_group *group)
{
    bool open;
    *group = (struct place_group){.place = parser->token.place};
    TRY(parser_accept(parser, "(", &open));
    do {
        if (group->n == MAX_RANK)
            return source_fail(parser->file, parser->token.place, "more than %d indices in a group",
                               MAX_RANK);
        TRY(read_exchanged_place(parser, list, &group->at[group->n++]));
    } while (open && parser->token.kind == TOKEN_NAME);
    if (open && token_is(&parser->token, ","))
        return source_fail(parser->file, parser->token.place,
                           "no comma stands within a group: indices that move together are side "
                           "by side, as in symmetric (i a)(j b)");
    return open ? parser_expect(parser, ")", "another index or ')'") : STATUS_OK;
}

/* Checks one place of each of two groups. */
static enum status check_exchanged_places(const struct parser *parser, struct source_place at,
                                          const struct program_tensor *tensor,
                                          const struct parsed_indices *list, int left, int right)
{
    struct token_text l = token_show(&list->token[left]), r = token_show(&list->token[right]);
    if (tensor->space[left] != tensor->space[right])
        return source_fail(parser->file, at,
                           "%s and %s are of different spaces and cannot be exchanged; what moves "
                           "together stands in parentheses, as in symmetric (i a)(j b)",
                           l.text, r.text);
    if (tensor->sign[left] != tensor->sign[right])
        return source_fail(parser->file, at,
                           "%s and %s are on different sides of the bar and cannot be exchanged",
                           l.text, r.text);
    return STATUS_OK;
}

/* Every place once, or the exchange would be none. */
static enum status check_places_differ(const struct parser *parser,
                                       const struct parsed_indices *list,
                                       const struct place_group *left,
                                       const struct place_group *right)
{
    bool met[MAX_RANK] = {false};
    for (int i = 0; i < left->n + right->n; i++) {
        int at = i < left->n ? left->at[i] : right->at[i - left->n];
        if (met[at])
            return source_fail(parser->file, right->place, "%s appears twice in what is exchanged",
                               token_show(&list->token[at]).text);
        met[at] = true;
    }
    return STATUS_OK;
}

static enum status add_exchange(struct parser *parser, const struct parsed_indices *list, int sign,
                                const struct place_group *left, const struct place_group *right,
                                struct program_tensor *tensor)
{
    struct signed_permutation permutation = symmetry_identity();
    if (left->n != right->n)
        return source_fail(parser->file, right->place,
                           "this group has %d ind%s, the one before it %d; groups that are "
                           "exchanged have equally many",
                           right->n, right->n == 1 ? "ex" : "ices", left->n);
    TRY(check_places_differ(parser, list, left, right));
    for (int i = 0; i < left->n; i++) {
        TRY(check_exchanged_places(parser, right->place, tensor, list, left->at[i], right->at[i]));
        permutation.place[left->at[i]] = (int8_t)right->at[i];
        permutation.place[right->at[i]] = (int8_t)left->at[i];
    }
    permutation.sign = (int8_t)sign;
    TRY(array_append(&tensor->exchanges, &tensor->n_exchanges, sizeof *tensor->exchanges));
    tensor->exchanges[tensor->n_exchanges - 1] =
        (struct program_exchange){.place = left->place, .permutation = permutation};
    return STATUS_OK;
}

/* GROUP GROUP...: all permutations of these, which exchanges of neighbours generate. */
static enum status read_exchanges(struct parser *parser, const struct parsed_indices *list,
                                  int sign, struct program_tensor *tensor)
{
    struct place_group left, right;
    TRY(read_place_group(parser, list, &left));
    if (!begins_group(&parser->token))
        return parser_unexpected(parser,
                                 "the index or group that this one is exchanged with, as in "
                                 "i j or (i a)(j b)");
    while (begins_group(&parser->token)) {
        TRY(read_place_group(parser, list, &right));
        TRY(add_exchange(parser, list, sign, &left, &right, tensor));
        left = right;
    }
    return STATUS_OK;
}

/* The group of all exchanges. */
static enum status generate_symmetry(const struct parser *parser, struct source_place place,
                                     struct program_tensor *tensor)
{
    bool contradicts;
    struct signed_permutation *generators =
        calloc((size_t)tensor->n_exchanges + 1, sizeof *generators);
    TRY(CHECK_MEMORY(generators, "no memory for the symmetry of a tensor"));
    for (int g = 0; g < tensor->n_exchanges; g++)
        generators[g] = tensor->exchanges[g].permutation;
    enum status status = symmetry_generate(tensor->rank, tensor->n_exchanges, generators,
                                           &tensor->symmetry, &contradicts);
    free(generators);
    if (status == STATUS_LIMIT)
        return source_fail(parser->file, place,
                           "one after another, these exchanges permute the indices of '%s' in more "
                           "than %d ways, which is the limit: declare fewer, the tensor may have "
                           "more",
                           tensor->name, SYMMETRY_MAX);
    if (status == STATUS_OK && contradicts)
        return source_fail(
            parser->file, place,
            "these exchanges contradict each other: one that changes the sign is also "
            "one that does not, so that '%s' would be zero",
            tensor->name);
    return status;
}

enum status parser_symmetry(struct parser *parser, const struct parsed_indices *list,
                            struct program_tensor *tensor)
{
    const struct source_place place = parser->token.place;
    for (;;) {
        const struct token word = parser->token;
        int sign;
        bool more;
        TRY(parser_accept_either(parser, "symmetric", "antisymmetric", &sign));
        if (sign == 0)
            break;
        if (tensor->loop >= 0)
            return source_fail(
                parser->file, word.place,
                "'%s' is local to a loop and exists for one tuple of tiles at a time: "
                "only stored tensors declare symmetries",
                tensor->name);
        do {
            TRY(read_exchanges(parser, list, sign, tensor));
            TRY(parser_accept(parser, ",", &more));
        } while (more);
    }
    if (tensor->n_exchanges > 0 &&
        (token_is(&parser->token, "irrep") || token_is(&parser->token, "spin")))
        return source_fail(parser->file, parser->token.place,
                           "%s stands before the symmetry, as in `tensor S[i,j] irrep 1 symmetric "
                           "i j`",
                           token_show(&parser->token).text);
    return tensor->n_exchanges > 0 ? generate_symmetry(parser, place, tensor) : STATUS_OK;
}
