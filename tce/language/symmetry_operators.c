/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/language/symmetry_operators.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Text is cut at its end. */
__attribute__((format(printf, 2, 3))) static void add_operator_text(struct operators_text *shown,
                                                                    const char *format, ...)
{
    size_t n = strlen(shown->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(shown->text + n, sizeof shown->text - n, format, arguments);
    va_end(arguments);
}

/* The end of the exchanges of one list of groups: i j k are (i j) and (j k). */
static int end_of_list(const struct program_tensor *tensor, int first)
{
    int x = first + 1;
    for (; x < tensor->n_exchanges; x++) {
        const struct program_exchange *left = &tensor->exchanges[x - 1],
                                      *right = &tensor->exchanges[x];
        if (left->n_of_group != right->n_of_group ||
            left->permutation.sign != right->permutation.sign ||
            memcmp(left->right, right->left, (size_t)left->n_of_group) != 0)
            break;
    }
    return x;
}

static void add_group_text(const struct program *program, int n, const int8_t at[],
                           const int index[], struct operators_text *shown)
{
    for (int i = 0; i < n; i++)
        add_operator_text(shown, "%s%s", i > 0 ? " " : "", program->indices[index[at[i]]].name);
}

struct operators_text symmetry_operators_for(const struct program *program,
                                             const struct program_tensor *tensor,
                                             const bool lacks[], const int index[])
{
    struct operators_text shown = {""};
    for (int first = 0, end; first < tensor->n_exchanges; first = end) {
        const struct program_exchange *exchanges = tensor->exchanges;
        bool lacking = false;
        end = end_of_list(tensor, first);
        for (int x = first; x < end; x++)
            lacking = lacking || lacks[x];
        if (!lacking)
            continue;
        add_operator_text(&shown, "%s%s(", shown.text[0] ? " " : "",
                          exchanges[first].permutation.sign > 0 ? "sym" : "antisym");
        add_group_text(program, exchanges[first].n_of_group, exchanges[first].left, index, &shown);
        for (int x = first; x < end; x++) {
            add_operator_text(&shown, ", ");
            add_group_text(program, exchanges[x].n_of_group, exchanges[x].right, index, &shown);
        }
        add_operator_text(&shown, ")");
    }
    return shown;
}
