/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/parser_private.h"

#include "support/base/array.h"
#include "tce/tensor/odometer.h"

#include <string.h>

/* --- reading --- */

/* One index of the last group. */
static enum status read_group_index(struct parser *parser, struct parsed_symmetrizer *symmetrizer,
                                    int *n)
{
    int group = symmetrizer->n - 1;
    struct token name;
    TRY(parser_name(parser, "the name of an index", &name));
    if (*n == MAX_RANK)
        return source_fail(parser->file, name.place,
                           "%s is index %d of its group; at most %d are "
                           "possible",
                           token_show(&name).text, MAX_RANK + 1, MAX_RANK);
    symmetrizer->place[group][*n] = name.place;
    return parser_find(parser, &parser->indices, "index", &name,
                       &symmetrizer->index[group][(*n)++]);
}

/* Checks the last group, which has n indices. */
static enum status check_group(const struct parser *parser, struct source_place place, int n,
                               const struct parsed_symmetrizer *symmetrizer)
{
    const struct program_index *indices = parser->program->indices;
    const int *first = symmetrizer->index[0], *group = symmetrizer->index[symmetrizer->n - 1];
    if (n != symmetrizer->n_of_group)
        return source_fail(
            parser->file, place,
            "this group has %d ind%s, the first one %d; groups that are exchanged have "
            "equally many",
            n, n == 1 ? "ex" : "ices", symmetrizer->n_of_group);
    for (int i = 0; i < n; i++)
        if (indices[group[i]].space != indices[first[i]].space)
            return source_fail(parser->file, place,
                               "'%s' and '%s' are of different spaces and cannot be exchanged",
                               indices[first[i]].name, indices[group[i]].name);
    return STATUS_OK;
}

/* INDEX...; n: their number */
static enum status read_permuted_group(struct parser *parser,
                                       struct parsed_symmetrizer *symmetrizer, int *n)
{
    if (symmetrizer->n == PROGRAM_MAX_PERMUTED)
        return source_fail(parser->file, parser->token.place,
                           "group %d of what is permuted; at most %d are possible",
                           PROGRAM_MAX_PERMUTED + 1, PROGRAM_MAX_PERMUTED);
    symmetrizer->n++;
    *n = 0;
    do
        TRY(read_group_index(parser, symmetrizer, n));
    while (parser->token.kind == TOKEN_NAME);
    return STATUS_OK;
}

/* The indices of the last group, from number `first` on, become groups of their own: sym(a b) is
 * sym(a, b). */
static enum status split_last_group(struct parser *parser, struct source_place place, int n,
                                    struct parsed_symmetrizer *symmetrizer)
{
    int from = symmetrizer->n - 1;
    if (symmetrizer->n + n - 1 > PROGRAM_MAX_PERMUTED)
        return source_fail(parser->file, place, "%d indices are permuted; at most %d are possible",
                           symmetrizer->n + n - 1, PROGRAM_MAX_PERMUTED);
    symmetrizer->n_of_group = 1;
    TRY(check_group(parser, place, 1, symmetrizer));
    for (int i = 1; i < n; i++) {
        symmetrizer->index[symmetrizer->n][0] = symmetrizer->index[from][i];
        symmetrizer->place[symmetrizer->n++][0] = symmetrizer->place[from][i];
        TRY(check_group(parser, place, 1, symmetrizer));
    }
    return STATUS_OK;
}

static enum status check_different(const struct parser *parser, struct source_place place,
                                   const struct parsed_symmetrizer *symmetrizer)
{
    int n = symmetrizer->n * symmetrizer->n_of_group;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++) {
            int left = symmetrizer->index[i / symmetrizer->n_of_group][i % symmetrizer->n_of_group];
            if (left ==
                symmetrizer->index[j / symmetrizer->n_of_group][j % symmetrizer->n_of_group])
                return source_fail(parser->file, place, "'%s' appears twice among what is permuted",
                                   parser->program->indices[left].name);
        }
    return STATUS_OK;
}

/* Groups with commas between them, which may be left out where each has one index. */
static enum status read_groups(struct parser *parser, struct parsed_symmetrizer *symmetrizer)
{
    int first = symmetrizer->n;
    for (bool more = true; more;) {
        struct source_place place = parser->token.place;
        int n = 0;
        TRY(read_permuted_group(parser, symmetrizer, &n));
        bool is_first = symmetrizer->n == first + 1;
        TRY(parser_accept(parser, ",", &more));
        bool alone = is_first && !more && !token_is(&parser->token, "/");
        if (alone && n > 1 && (first == 0 || symmetrizer->n_of_group == 1)) {
            TRY(split_last_group(parser, place, n, symmetrizer));
            continue;
        }
        if (symmetrizer->n == 1)
            symmetrizer->n_of_group = n;
        TRY(check_group(parser, place, n, symmetrizer));
    }
    return STATUS_OK;
}

enum status parser_symmetrizer(struct parser *parser, struct parsed_symmetrizer *symmetrizer)
{
    struct source_place place = parser->token.place;
    TRY(parser_expect(parser, "(", "'(' and the indices that are permuted, as in antisym(a, b)"));
    TRY(read_groups(parser, symmetrizer));
    if (symmetrizer->n == 1)
        TRY(parser_accept(parser, "/", &symmetrizer->first_alone));
    if (symmetrizer->first_alone)
        TRY(read_groups(parser, symmetrizer));
    TRY(parser_expect(parser, ")", "another index, ',' or ')'"));
    if (symmetrizer->n == 1)
        return source_fail(parser->file, place,
                           "only one group of indices: there is nothing to exchange it with");
    return check_different(parser, place, symmetrizer);
}

/* --- permutations --- */

/* The index that a permutation puts in the place of this one: group number i becomes to[i]. */
static int permuted_index(const struct parsed_symmetrizer *symmetrizer, const int64_t to[],
                          int index)
{
    for (int i = 0; i < symmetrizer->n; i++)
        for (int j = 0; j < symmetrizer->n_of_group; j++)
            if (symmetrizer->index[i][j] == index)
                return symmetrizer->index[to[i]][j];
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
    if (parser->n_terms++ == PROGRAM_MAX_TERMS)
        return source_fail(parser->file, statement->terms[from].place,
                           "with the permutations of this product the program has more than %d "
                           "products: compute part of it in a statement of its own",
                           PROGRAM_MAX_TERMS);
    TRY(array_append(&statement->terms, &statement->n_terms, sizeof *statement->terms));
    const struct program_term *term = &statement->terms[from];
    struct program_term *permuted = &statement->terms[statement->n_terms - 1];
    bool negative = symmetrizer->antisymmetric && is_odd(symmetrizer->n, to);
    permuted->place = term->place;
    permuted->coefficient = negative ? -term->coefficient : term->coefficient;
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
                                        int i, const struct program_factor *target,
                                        const struct program_term *term)
{
    int index = symmetrizer->index[group][i];
    for (int f = 0; f < term->n_factors; f++)
        if (program_factor_has_index(parser->program, &term->factors[f], index))
            return STATUS_OK;
    for (int g = 0; g < symmetrizer->n; g++) {
        int other = symmetrizer->index[g][i];
        bool exchanged = !symmetrizer->first_alone || g == 0 || group == 0;
        if (g != group && exchanged && program_factor_has_index(parser->program, target, other))
            return source_fail(parser->file, symmetrizer->place[group][i],
                               "'%s' takes the place of '%s' here, but no factor of this product "
                               "has it: permute indices of the product",
                               parser->program->indices[index].name,
                               parser->program->indices[other].name);
    }
    return STATUS_OK;
}

static enum status check_permuted_indices(const struct parser *parser,
                                          const struct parsed_symmetrizer *symmetrizer,
                                          const struct program_factor *target,
                                          const struct program_term *term)
{
    for (int g = 0; g < symmetrizer->n; g++)
        for (int i = 0; i < symmetrizer->n_of_group; i++)
            TRY(check_permuted_index(parser, symmetrizer, g, i, target, term));
    return STATUS_OK;
}

enum status parser_symmetrize(struct parser *parser, const struct parsed_symmetrizer *symmetrizer,
                              int first, struct program_statement *statement)
{
    const int end_term = statement->n_terms, n = symmetrizer->n;
    int64_t to[PROGRAM_MAX_PERMUTED], end[PROGRAM_MAX_PERMUTED];
    TRY(check_permuted_indices(parser, symmetrizer, &statement->target, &statement->terms[first]));
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
