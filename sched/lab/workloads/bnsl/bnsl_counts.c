/* SPDX-License-Identifier: BSD-3-Clause */
#include "sched/lab/workloads/bnsl/bnsl_counts.h"

#include "support/base/vector_clones.h"

#include <stdlib.h>
#include <string.h>

/* Codes are renumbered when they would become larger than this many times the samples: often
 * enough that the list of numbers stays in the cache, seldom enough to cost little. */
enum { CODES_PER_SAMPLE = 8 };

enum status bnsl_counter_init(struct bnsl_counter *counter, const struct bnsl_data *data)
{
    int64_t per_sample = CODES_PER_SAMPLE;
    for (int i = 0; i < data->n_variables; i++)
        if (data->n_states[i] > per_sample)
            per_sample = data->n_states[i];
    *counter = (struct bnsl_counter){.data = data, .n_numbers = per_sample * data->n_samples};
    counter->codes = malloc((size_t)data->n_samples * sizeof *counter->codes);
    counter->numbers = malloc((size_t)counter->n_numbers * sizeof *counter->numbers);
    return CHECK_MEMORY(counter->codes && counter->numbers, "no memory to count %d samples",
                        data->n_samples);
}

void bnsl_counter_fini(struct bnsl_counter *counter)
{
    free(counter->codes);
    free(counter->numbers);
    *counter = (struct bnsl_counter){0};
}

double bnsl_configurations(const struct bnsl_data *data, const struct bnsl_family_of *family)
{
    double product = 1;
    for (int i = 0; i < family->n_parents; i++)
        product *= data->n_states[family->parents[i]];
    return product;
}

/* --- codes --- */

/* codes[s] = codes[s] n + values[s] */
VECTOR_CLONES static void append_digit(uint32_t *restrict codes, const uint8_t *restrict values,
                                       uint32_t n, int n_samples)
{
    for (int s = 0; s < n_samples; s++)
        codes[s] = codes[s] * n + values[s];
}

static void append_variable(struct bnsl_counter *counter, int variable)
{
    const struct bnsl_data *data = counter->data;
    append_digit(counter->codes, bnsl_data_column(data, variable),
                 (uint32_t)data->n_states[variable], data->n_samples);
}

static void clear_codes(struct bnsl_counter *counter)
{
    memset(counter->codes, 0, (size_t)counter->data->n_samples * sizeof *counter->codes);
}

/* Numbers the codes that occur, all of them below `bound`; returns how many there are. */
static int64_t renumber_codes(struct bnsl_counter *counter, int64_t bound)
{
    uint32_t n = 0;
    memset(counter->numbers, 0xff, (size_t)bound * sizeof *counter->numbers);
    for (int s = 0; s < counter->data->n_samples; s++) {
        uint32_t *number = &counter->numbers[counter->codes[s]];
        if (*number == UINT32_MAX)
            *number = n++;
        counter->codes[s] = *number;
    }
    return n;
}

/* --- tables --- */

static void tally_codes(struct bnsl_counter *counter, int variable, int64_t n_rows, uint32_t *table)
{
    const struct bnsl_data *data = counter->data;
    append_variable(counter, variable);
    memset(table, 0, (size_t)(n_rows * data->n_states[variable]) * sizeof *table);
    for (int s = 0; s < data->n_samples; s++)
        table[counter->codes[s]]++;
}

void bnsl_count_all(struct bnsl_counter *counter, const struct bnsl_family_of *family,
                    uint32_t *table)
{
    clear_codes(counter);
    for (int i = family->n_parents - 1; i >= 0; i--)
        append_variable(counter, family->parents[i]);
    tally_codes(counter, family->variable, (int64_t)bnsl_configurations(counter->data, family),
                table);
}

int64_t bnsl_count_occurring(struct bnsl_counter *counter, const struct bnsl_family_of *family,
                             uint32_t *table)
{
    int64_t n_codes = 1;
    clear_codes(counter);
    for (int i = family->n_parents - 1; i >= 0; i--) {
        int n_states = counter->data->n_states[family->parents[i]];
        if (n_codes * n_states > counter->n_numbers)
            n_codes = renumber_codes(counter, n_codes);
        append_variable(counter, family->parents[i]);
        n_codes *= n_states;
    }
    n_codes = renumber_codes(counter, n_codes);
    tally_codes(counter, family->variable, n_codes, table);
    return n_codes;
}

VECTOR_CLONES void bnsl_count_sum_out(const uint32_t *in, size_t outer, int n_states, size_t inner,
                                      uint32_t *restrict out)
{
    for (size_t o = 0; o < outer; o++, out += inner) {
        memcpy(out, in, inner * sizeof *out);
        in += inner;
        for (int state = 1; state < n_states; state++, in += inner)
            for (size_t i = 0; i < inner; i++)
                out[i] += in[i];
    }
}
