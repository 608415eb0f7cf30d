/* SPDX-License-Identifier: BSD-3-Clause */
/* Groups of indices that are exchanged: symmetric (i a)(j b), antisymmetric i j, a b in declarations, and
 * sym(i a, j b), antisym(a / b, c) before products. */
#include "support/base/array.h"
#include "tce/language/parser_private.h"
#include "tce/tensor/odometer.h"

#include <stdlib.h>

/* --- groups --- */

static enum status read_group_index(struct parser *parser, const char *what,
                                    struct index_group *group)
{
    struct token name;
    int index;
    TRY(parser_use(parser, &parser->indices, what, &name, &index));
    if (group->n == MAX_RANK)
        return source_fail(parser->file, name.place,
                           "%s is index %d of its group; at most %d are possible",
                           token_show(&name).text, MAX_RANK + 1, MAX_RANK);
    group->place[group->n] = name.place;
    group->index[group->n++] = index;
    return STATUS_OK;
}

/* Checks that two groups can be exchanged. */
static enum status check_groups(const struct parser *parser, const struct index_group *left,
                                const struct index_group *right)
{
    const struct program_index *indices = parser->program->indices;
    if (left->n != right->n)
        return source_fail(parser->file, right->begin,
                           "this group has %d ind%s, the one before it %d; groups that are "
                           "exchanged have equally many",
                           right->n, right->n == 1 ? "ex" : "ices", left->n);
    for (int i = 0; i < left->n; i++)
        if (indices[left->index[i]].space != indices[right->index[i]].space)
            return source_fail(
                parser->file, right->begin,
                "'%s' and '%s' are of different spaces and cannot be exchanged; what moves "
                "together stands in one group, as in symmetric (i a)(j b) and sym(i a, j b)",
                indices[left->index[i]].name, indices[right->index[i]].name);
    return STATUS_OK;
}

/* Checks that n groups of equal length have an index once. */
static enum status check_different(const struct parser *parser, struct source_place place, int n,
                                   const struct index_group group[])
{
    int length = group[0].n;
    for (int i = 0; i < n * length; i++)
        for (int j = 0; j < i; j++) {
            int index = group[i / length].index[i % length];
            if (index == group[j / length].index[j % length])
                return source_fail(parser->file, place, "'%s' appears twice in what is exchanged",
                                   parser->program->indices[index].name);
        }
    return STATUS_OK;
}

/* --- declarations --- */

/* Not a word that ends the exchanges, or belongs before them. */
static bool begins_group(const struct token *token)
{
    return token_is(token, "(") || (token->kind == TOKEN_NAME && !token_is(token, "symmetric") &&
                                    !token_is(token, "antisymmetric") &&
                                    !token_is(token, "irrep") && !token_is(token, "spin"));
}

static int find_place(const struct parsed_indices *list, int index)
{
    int d = 0;
    while (d < list->n && list->index[d] != index)
        d++;
    return d;
}

/* An index that stands once in the brackets of the declaration. */
static enum status read_exchanged_index(struct parser *parser, const struct parsed_indices *list,
                                        struct index_group *group)
{
    const struct token name = parser->token;
    int n = 0;
    TRY(read_group_index(parser, "the name of an index of this tensor", group));
    for (int d = 0; d < list->n; d++)
        n += list->index[d] == group->index[group->n - 1];
    if (n == 1)
        return STATUS_OK;
    return source_fail(parser->file, name.place,
                       n == 0 ? "%s is no index of this tensor"
                              : "%s stands in the brackets more than once, so that no place is "
                                "meant: name the places differently",
                       token_show(&name).text);
}

/* i, or (i a). */
static enum status read_exchanged_group(struct parser *parser, const struct parsed_indices *list,
                                        const char *what, struct index_group *group)
{
    *group = (struct index_group){.begin = parser->token.place};
    if (!begins_group(&parser->token))
        return parser_unexpected(parser, what);
    const bool open = parser_accept(parser, "(");
    do
        TRY(read_exchanged_index(parser, list, group));
    while (open && parser->token.kind == TOKEN_NAME);
    return open ? parser_expect(parser, ")",
                                "another index or ')'; indices that move together are side by "
                                "side, as in symmetric (i a)(j b)")
                : STATUS_OK;
}

static enum status add_exchange(struct parser *parser, const struct parsed_indices *list, int sign,
                                const struct index_group *left, const struct index_group *right,
                                struct program_tensor *tensor)
{
    const struct index_group groups[] = {*left, *right};
    struct signed_permutation permutation = symmetry_identity();
    TRY(check_groups(parser, left, right));
    TRY(check_different(parser, right->begin, 2, groups));
    for (int i = 0; i < left->n; i++) {
        int l = find_place(list, left->index[i]), r = find_place(list, right->index[i]);
        if (tensor->sign[l] != tensor->sign[r])
            return source_fail(
                parser->file, right->begin,
                "%s and %s are on different sides of the bar and cannot be exchanged",
                token_show(&list->token[l]).text, token_show(&list->token[r]).text);
        permutation.place[l] = (int8_t)r;
        permutation.place[r] = (int8_t)l;
    }
    permutation.sign = (int8_t)sign;
    TRY(array_append(&tensor->exchanges, &tensor->n_exchanges, sizeof *tensor->exchanges));
    tensor->exchanges[tensor->n_exchanges - 1] =
        (struct program_exchange){.place = left->begin, .permutation = permutation};
    return STATUS_OK;
}

/* GROUP GROUP...: all permutations of these, which exchanges of neighbours generate. */
static enum status read_exchanges(struct parser *parser, const struct parsed_indices *list,
                                  int sign, struct program_tensor *tensor)
{
    struct index_group left, right;
    TRY(read_exchanged_group(parser, list, "the name of an index of this tensor", &left));
    do {
        TRY(read_exchanged_group(parser, list,
                                 "the index or group that this one is exchanged with, as in "
                                 "i j or (i a)(j b)",
                                 &right));
        TRY(add_exchange(parser, list, sign, &left, &right, tensor));
        left = right;
    } while (begins_group(&parser->token));
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
    int sign;
    while ((sign = parser_accept_either(parser, "symmetric", "antisymmetric")) != 0) {
        if (tensor->loop >= 0)
            return source_fail(
                parser->file, place,
                "'%s' is local to a loop and exists for one tuple of tiles at a time: "
                "only stored tensors declare symmetries",
                tensor->name);
        do
            TRY(read_exchanges(parser, list, sign, tensor));
        while (parser_accept(parser, ","));
    }
    return tensor->n_exchanges > 0 ? generate_symmetry(parser, place, tensor) : STATUS_OK;
}

/* --- operators --- */

/* One more group, still empty. */
static enum status add_group(const struct parser *parser, struct source_place place,
                             struct parsed_symmetrizer *symmetrizer, struct index_group **group)
{
    if (symmetrizer->n == PROGRAM_MAX_PERMUTED)
        return source_fail(parser->file, place,
                           "group %d of what is permuted; at most %d are possible",
                           PROGRAM_MAX_PERMUTED + 1, PROGRAM_MAX_PERMUTED);
    *group = &symmetrizer->group[symmetrizer->n++];
    **group = (struct index_group){.begin = place};
    return STATUS_OK;
}

/* Groups with commas between them. A single one becomes groups of one index: sym(a b) is sym(a, b). */
static enum status read_groups(struct parser *parser, struct parsed_symmetrizer *symmetrizer)
{
    const int first = symmetrizer->n;
    struct index_group *group = NULL;
    do {
        TRY(add_group(parser, parser->token.place, symmetrizer, &group));
        do
            TRY(read_group_index(parser, "the name of an index", group));
        while (parser->token.kind == TOKEN_NAME);
    } while (parser_accept(parser, ","));
    bool alone = symmetrizer->n == first + 1 && !token_is(&parser->token, "/");
    if (!alone || (first > 0 && symmetrizer->group[0].n > 1))
        return STATUS_OK;
    const struct index_group whole = *group;
    group->n = 1;
    for (int i = 1; i < whole.n; i++) {
        TRY(add_group(parser, whole.place[i], symmetrizer, &group));
        group->n = 1;
        group->index[0] = whole.index[i];
        group->place[0] = whole.place[i];
    }
    return STATUS_OK;
}

enum status parser_symmetrizer(struct parser *parser, struct parsed_symmetrizer *symmetrizer)
{
    struct source_place place = parser->token.place;
    TRY(parser_expect(parser, "(", "'(' and the indices that are permuted, as in antisym(a, b)"));
    TRY(read_groups(parser, symmetrizer));
    symmetrizer->first_alone = symmetrizer->n == 1 && parser_accept(parser, "/");
    if (symmetrizer->first_alone)
        TRY(read_groups(parser, symmetrizer));
    TRY(parser_expect(parser, ")", "another index, ',' or ')'"));
    if (symmetrizer->n == 1)
        return source_fail(parser->file, place,
                           "only one group of indices: there is nothing to exchange it with");
    for (int g = 1; g < symmetrizer->n; g++)
        TRY(check_groups(parser, &symmetrizer->group[g - 1], &symmetrizer->group[g]));
    return check_different(parser, place, symmetrizer->n, symmetrizer->group);
}

/* --- permutations --- */

/* The index that a permutation puts in the place of this one: group number i becomes to[i]. */
static int permuted_index(const struct parsed_symmetrizer *symmetrizer, const int64_t to[],
                          int index)
{
    for (int i = 0; i < symmetrizer->n; i++)
        for (int j = 0; j < symmetrizer->group[i].n; j++)
            if (symmetrizer->group[i].index[j] == index)
                return symmetrizer->group[to[i]].index[j];
    return index;
}

static bool is_odd(int n, const int64_t to[])
{
    bool odd = false;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            odd ^= to[j] > to[i];
    return odd;
}

/* Whether each group comes once, and, where the first is alone, is exchanged with it or stays. */
static bool is_permutation(const struct parsed_symmetrizer *symmetrizer, const int64_t to[])
{
    for (int i = 0; i < symmetrizer->n; i++) {
        bool exchanged = i == 0 || (i == to[0] && to[i] == 0);
        if (symmetrizer->first_alone && to[i] != i && !exchanged)
            return false;
        for (int j = 0; j < i; j++)
            if (to[j] == to[i])
                return false;
    }
    return true;
}

/* Appends product number `from` with its indices permuted. */
static enum status append_permuted(struct parser *parser,
                                   const struct parsed_symmetrizer *symmetrizer, const int64_t to[],
                                   int from, struct program_statement *statement)
{
    const double sign = symmetrizer->antisymmetric && is_odd(symmetrizer->n, to) ? -1 : 1;
    TRY(parser_add_term(parser, statement->terms[from].place,
                        sign * statement->terms[from].coefficient, statement));
    const struct program_term *term = &statement->terms[from];
    struct program_term *permuted = &statement->terms[statement->n_terms - 1];
    permuted->place = term->place;
    for (int f = 0; f < term->n_factors; f++) {
        TRY(array_append(&permuted->factors, &permuted->n_factors, sizeof *permuted->factors));
        struct program_factor *factor = &permuted->factors[f];
        *factor = term->factors[f];
        for (int d = 0; d < parser->program->tensors[factor->tensor].rank; d++)
            factor->index[d] = permuted_index(symmetrizer, to, factor->index[d]);
    }
    return STATUS_OK;
}

/* An index that permutations put into the place of one on the left side has to be in the product, or the
 * latter would be lost. */
static enum status check_permuted_index(const struct parser *parser,
                                        const struct parsed_symmetrizer *symmetrizer, int group,
                                        int i, const struct program_factor *target)
{
    const int index = symmetrizer->group[group].index[i];
    for (int g = 0; g < symmetrizer->n; g++) {
        int other = symmetrizer->group[g].index[i];
        bool exchanged = !symmetrizer->first_alone || g == 0 || group == 0;
        if (g != group && exchanged && program_factor_has_index(parser->program, target, other))
            return source_fail(parser->file, symmetrizer->group[group].place[i],
                               "'%s' takes the place of '%s' here, but no factor of this product "
                               "has it: permute indices of the product",
                               parser->program->indices[index].name,
                               parser->program->indices[other].name);
    }
    return STATUS_OK;
}

enum status parser_symmetrize(struct parser *parser, const struct parsed_symmetrizer *symmetrizer,
                              int first, struct program_statement *statement)
{
    const int end_term = statement->n_terms, n = symmetrizer->n;
    int64_t to[PROGRAM_MAX_PERMUTED], end[PROGRAM_MAX_PERMUTED];
    for (int g = 0; g < n; g++)
        for (int i = 0; i < symmetrizer->group[g].n; i++)
            if (!program_term_has_index(parser->program, &statement->terms[first],
                                        symmetrizer->group[g].index[i]))
                TRY(check_permuted_index(parser, symmetrizer, g, i, &statement->target));
    for (int from = first; from < end_term; from++) {
        for (int i = 0; i < n; i++) {
            to[i] = i;
            end[i] = n;
        }
        while (odometer_next(n, NULL, end, to))
            if (is_permutation(symmetrizer, to))
                TRY(append_permuted(parser, symmetrizer, to, from, statement));
    }
    return STATUS_OK;
}
