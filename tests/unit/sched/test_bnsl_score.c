/* SPDX-License-Identifier: BSD-3-Clause */
/* Scores follow the formula, bit for bit the same for every cut into hypercubes; tasks and cubes
 * correspond one to one. */
#include "tests/cases/bnsl_case.h"

#include <math.h>
#include <stdbool.h>

/* A variable and its parents. */
struct family {
    int variable;
    int n_parents;
    const int *parents;
};

static bool same_parents(const struct bnsl_data *data, const struct family *family, int s, int t)
{
    for (int i = 0; i < family->n_parents; i++) {
        const uint8_t *column = bnsl_data_column(data, family->parents[i]);
        if (column[s] != column[t])
            return false;
    }
    return true;
}

/* The formula of bnsl.h as a sum over samples: each adds log(N_jk / N_j) of its own. */
static double reference(const struct bnsl_data *data, const struct family *family)
{
    const uint8_t *values = bnsl_data_column(data, family->variable);
    double sum = 0, q = 1;
    for (int s = 0; s < data->n_samples; s++) {
        int n_j = 0, n_jk = 0;
        for (int t = 0; t < data->n_samples; t++)
            if (same_parents(data, family, s, t)) {
                n_j++;
                n_jk += values[s] == values[t];
            }
        sum += log((double)n_jk / n_j);
    }
    for (int i = 0; i < family->n_parents; i++)
        q *= data->n_states[family->parents[i]];
    return sum - log(data->n_samples) / 2 * q * (data->n_states[family->variable] - 1);
}

/* Both kinds of tables: all configurations of a few parents, those that occur of many. */
TEST(scores_follow_the_formula)
{
    struct bnsl_data data = bnsl_case_data(12, 150, 1);
    struct bnsl_scorer scorer;
    struct random_stream random;
    check_ok(bnsl_scorer_init(&scorer, &data));
    random_stream_init(&random, 1, 1);
    for (int repeat = 0; repeat < 200; repeat++) {
        int parents[12], n = 0;
        int variable = (int)random_below(&random, 12);
        double share = random_unit(&random);
        for (int i = 0; i < 12; i++)
            if (i != variable && random_unit(&random) < share)
                parents[n++] = i;
        struct family family = {variable, n, parents};
        double expected = reference(&data, &family);
        check_close(bnsl_score(&scorer, variable, parents, n), expected, 1e-12 * fabs(expected));
    }
    bnsl_scorer_fini(&scorer);
    free(data.values);
}

/* Every set of parents is in one task, with the score that it has alone. */
static void check_cubes(struct bnsl_candidates *candidates, struct bnsl_scorer *scorer,
                        int dimension)
{
    static bool seen[4][1 << 9];
    double *scores = malloc(sizeof *scores << dimension);
    assert_non_null(scores);
    memset(seen, 0, sizeof seen);
    bnsl_candidates_cut(candidates, dimension);
    int64_t n_sets = 0, expected_sets = 0;
    for (int64_t task = 0; task < bnsl_n_tasks(candidates); task++) {
        struct bnsl_cube cube = bnsl_cube_of(candidates, task);
        bnsl_score_cube(scorer, &cube, scores);
        for (uint32_t set = 0; set < UINT32_C(1) << cube.n_free; set++) {
            int parents[9], n = 0;
            for (int i = 0; i < cube.n_candidates; i++)
                if (bnsl_cube_parents(&cube, set) >> i & 1)
                    parents[n++] = cube.candidates[i];
            assert_true(scores[set] == bnsl_score(scorer, cube.variable, parents, n));
            if (cube.variable < 4) {
                uint32_t bits = bnsl_cube_parents(&cube, set);
                assert_false(seen[cube.variable][bits]);
                seen[cube.variable][bits] = true;
            }
            n_sets++;
        }
    }
    for (int i = 0; i < candidates->n_variables; i++)
        expected_sets += INT64_C(1) << candidates->n[i];
    assert_int_equal(n_sets, expected_sets);
    free(scores);
}

TEST(every_parent_set_is_in_one_cube)
{
    struct bnsl_data data = bnsl_case_data(10, 100, 2);
    struct bnsl_candidates candidates;
    struct bnsl_scorer scorer;
    check_ok(bnsl_scorer_init(&scorer, &data));
    candidates.n_variables = 10;
    /* All others, although bnsl_candidates_choose would leave out some of them. */
    for (int i = 0; i < 10; i++) {
        candidates.n[i] = i == 3 ? 2 : i == 4 ? 0 : 9;
        for (int k = 0; k < 9; k++)
            candidates.list[i][k] = (i + 1 + k) % 10;
    }
    const int dimensions[] = {0, 1, 4, 9, 12};
    for (size_t i = 0; i < sizeof dimensions / sizeof dimensions[0]; i++)
        check_cubes(&candidates, &scorer, dimensions[i]);
    bnsl_scorer_fini(&scorer);
    free(data.values);
}

/* b is a with errors, c is b with more of them, d is on its own. */
TEST(candidates_are_the_best_single_parents)
{
    static char text[200000];
    struct random_stream random;
    int length = sprintf(text, "a,b,c,d\n");
    random_stream_init(&random, 3, 0);
    for (int s = 0; s < 5000; s++) {
        int a = (int)random_below(&random, 2), d = (int)random_below(&random, 2);
        int b = random_unit(&random) < 0.1 ? 1 - a : a;
        int c = random_unit(&random) < 0.2 ? 1 - b : b;
        length += sprintf(text + length, "%d,%d,%d,%d\n", a, b, c, d);
    }
    struct bnsl_data data;
    struct bnsl_candidates candidates;
    struct bnsl_scorer scorer;
    check_ok(bnsl_data_parse(text, (size_t)length, "text", &data));
    check_ok(bnsl_scorer_init(&scorer, &data));
    bnsl_candidates_choose(&candidates, &scorer, 3);
    static const int expected[3][2] = {{1, 2}, {0, 2}, {1, 0}};
    for (int i = 0; i < 3; i++) {
        assert_int_equal(candidates.n[i], 2);
        assert_memory_equal(candidates.list[i], expected[i], sizeof expected[i]);
    }
    assert_int_equal(candidates.n[3], 0);
    bnsl_candidates_choose(&candidates, &scorer, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(candidates.n[i], 1);
        assert_int_equal(candidates.list[i][0], expected[i][0]);
    }
    bnsl_scorer_fini(&scorer);
    free(data.values);
}
