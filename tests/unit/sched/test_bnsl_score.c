/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores follow the formula, bit for bit the same for every cut into hypercubes; tasks and cubes
 * correspond one to one; candidates are the best single parents. */
#include "sched/lab/workloads/bnsl.h"
#include "support/base/random.h"
#include "tests/check.h"

#include <string.h>

/* Variable i, of 2 + i % 3 states, is mostly a function of variables i - 1 and i - 2. */
static struct bnsl_data draw_data(int n_variables, int n_samples, uint64_t seed)
{
    struct bnsl_data data = {.n_variables = n_variables, .n_samples = n_samples};
    struct random_stream random;
    data.values = malloc((size_t)(n_variables * n_samples));
    assert_non_null(data.values);
    random_stream_init(&random, seed, 0);
    for (int s = 0; s < n_samples; s++) {
        uint64_t last = 0, before = 0;
        for (int i = 0; i < n_variables; i++) {
            uint64_t n = 2 + (uint64_t)i % 3, state = (last + before * last) % n;
            if (random_unit(&random) < 0.3)
                state = random_below(&random, n);
            data.n_states[i] = (int)n;
            data.values[i * n_samples + s] = (uint8_t)state;
            before = last;
            last = state;
        }
    }
    return data;
}

static bool same_parents(const struct bnsl_data *data, const int *parents, int n, int s, int t)
{
    for (int i = 0; i < n; i++)
        if (bnsl_data_column(data, parents[i])[s] != bnsl_data_column(data, parents[i])[t])
            return false;
    return true;
}

/* The formula of bnsl.h as a sum over samples: each adds log(N_jk / N_j) of its own. */
static double reference(const struct bnsl_data *data, int variable, const int *parents, int n)
{
    const uint8_t *values = bnsl_data_column(data, variable);
    double sum = 0, q = 1;
    for (int s = 0; s < data->n_samples; s++) {
        int n_j = 0, n_jk = 0;
        for (int t = 0; t < data->n_samples; t++)
            if (same_parents(data, parents, n, s, t)) {
                n_j++;
                n_jk += values[s] == values[t];
            }
        sum += log((double)n_jk / n_j);
    }
    for (int i = 0; i < n; i++)
        q *= data->n_states[parents[i]];
    return sum - log(data->n_samples) / 2 * q * (data->n_states[variable] - 1);
}

/* Both kinds of tables: all configurations of a few parents, those that occur of many. */
TEST(scores_follow_the_formula)
{
    struct bnsl_data data = draw_data(12, 150, 1);
    struct bnsl_scorer scorer;
    struct random_stream random;
    check_ok(bnsl_scorer_init(&scorer, &data));
    random_stream_init(&random, 1, 1);
    for (int repeat = 0; repeat < 200; repeat++) {
        int parents[12], n = 0, variable = (int)random_below(&random, 12);
        double share = random_unit(&random);
        for (int i = 0; i < 12; i++)
            if (i != variable && random_unit(&random) < share)
                parents[n++] = i;
        double expected = reference(&data, variable, parents, n);
        check_close(bnsl_score(&scorer, variable, parents, n), expected, 1e-12 * fabs(expected));
    }
    bnsl_scorer_fini(&scorer);
    free(data.values);
}

/* Every set of parents is in one task, with the score that it has alone. */
TEST(every_parent_set_is_in_one_cube)
{
    enum { N = 10 };
    static const int dimensions[] = {0, 1, 4, 9, 12};
    struct bnsl_data data = draw_data(N, 100, 2);
    struct bnsl_candidates candidates = {.n_variables = N};
    struct bnsl_scorer scorer;
    check_ok(bnsl_scorer_init(&scorer, &data));
    /* All others, although bnsl_candidates_choose would leave out some of them. */
    for (int i = 0; i < N; i++) {
        candidates.n[i] = i == 3 ? 2 : i == 4 ? 0 : N - 1;
        for (int k = 0; k < N - 1; k++)
            candidates.list[i][k] = (i + 1 + k) % N;
    }
    for (size_t d = 0; d < sizeof dimensions / sizeof dimensions[0]; d++) {
        bool seen[N][1 << (N - 1)] = {{false}};
        double scores[1 << (N - 1)];
        int n_sets = 0;
        bnsl_candidates_cut(&candidates, dimensions[d]);
        for (int64_t task = 0; task < bnsl_n_tasks(&candidates); task++) {
            struct bnsl_cube cube = bnsl_cube_of(&candidates, task);
            bnsl_score_cube(&scorer, &cube, scores);
            for (uint32_t set = 0; set < UINT32_C(1) << cube.n_free; set++, n_sets++) {
                uint32_t bits = bnsl_cube_parents(&cube, set);
                int parents[N], n = 0;
                for (int i = 0; i < cube.n_candidates; i++)
                    if (bits >> i & 1)
                        parents[n++] = cube.candidates[i];
                assert_true(scores[set] == bnsl_score(&scorer, cube.variable, parents, n));
                assert_false(seen[cube.variable][bits]);
                seen[cube.variable][bits] = true;
            }
        }
        assert_int_equal(n_sets, 8 * 512 + 4 + 1);
    }
    bnsl_scorer_fini(&scorer);
    free(data.values);
}

/* The best come first; parents that are no better than none are no candidates. */
TEST(candidates_are_the_best_single_parents)
{
    enum { N = 10 };
    struct bnsl_data data = draw_data(N, 40, 3);
    struct bnsl_candidates candidates;
    struct bnsl_scorer scorer;
    check_ok(bnsl_scorer_init(&scorer, &data));
    for (int most = 1; most < N; most += 4) {
        bnsl_candidates_choose(&candidates, &scorer, most);
        for (int i = 0; i < N; i++) {
            const int *list = candidates.list[i], n = candidates.n[i];
            double none = bnsl_score(&scorer, i, NULL, 0), last = INFINITY;
            int n_better = 0;
            for (int c = 0; c < n; c++) {
                double score = bnsl_score(&scorer, i, &list[c], 1);
                assert_true(score <= last && score > none);
                last = score;
            }
            for (int k = 0; k < N; k++)
                n_better += k != i && bnsl_score(&scorer, i, &k, 1) > (n < most ? none : last);
            assert_in_range(n_better, n < most ? n : n - 1, n);
        }
    }
    bnsl_scorer_fini(&scorer);
    free(data.values);
}
