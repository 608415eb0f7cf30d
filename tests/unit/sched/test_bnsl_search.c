/* SPDX-License-Identifier: BSD-3-Clause */
/* Pruning drops only useless parent sets, and the search finds the best of all networks where
 * these can be enumerated. */
#include "tests/cases/bnsl_case.h"
#include "tests/cases/bnsl_graphs.h"

/* Candidates: all others. scores: [variable][bits of its candidates] */
struct scores {
    struct bnsl_candidates candidates;
    double of[BNSL_N][1 << (BNSL_N - 1)];
};

static void make(struct scores *scores, uint64_t seed, bool coarse)
{
    struct random_stream random;
    random_stream_init(&random, seed, 0);
    scores->candidates.n_variables = BNSL_N;
    for (int i = 0; i < BNSL_N; i++) {
        scores->candidates.n[i] = BNSL_N - 1;
        for (int k = 0; k < BNSL_N - 1; k++)
            scores->candidates.list[i][k] = (i + 1 + k) % BNSL_N;
        for (int set = 0; set < 1 << (BNSL_N - 1); set++)
            scores->of[i][set] =
                coarse ? -(double)random_below(&random, 5) : -10 * random_unit(&random);
    }
}

static struct bnsl_families collect(struct scores *scores, int dimension)
{
    struct bnsl_families families = {0};
    bnsl_candidates_cut(&scores->candidates, dimension);
    for (int64_t task = 0; task < bnsl_n_tasks(&scores->candidates); task++) {
        struct bnsl_cube cube = bnsl_cube_of(&scores->candidates, task);
        double of_cube[1 << (BNSL_N - 1)];
        for (uint32_t set = 0; set < UINT32_C(1) << cube.n_free; set++)
            of_cube[set] = scores->of[cube.variable][bnsl_cube_parents(&cube, set)];
        check_ok(bnsl_families_add_cube(&families, &cube, scores->of[cube.variable][0], of_cube));
    }
    bnsl_families_prune(&families);
    return families;
}

static bool is_useful(const double *scores, int set)
{
    for (int subset = 0; subset < set; subset++)
        if ((subset & ~set) == 0 && scores[subset] >= scores[set])
            return false;
    return true;
}

TEST(pruning_drops_only_useless_sets)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct scores scores;
        make(&scores, seed, seed % 2 == 0);
        for (int dimension = 0; dimension <= BNSL_N; dimension++) {
            struct bnsl_families families = collect(&scores, dimension);
            int64_t n_useful = 0;
            for (int i = 0; i < BNSL_N; i++)
                for (int set = 0; set < 1 << (BNSL_N - 1); set++)
                    n_useful += is_useful(scores.of[i], set);
            assert_int_equal(families.n, n_useful);
            for (int64_t i = 0; i < families.n; i++) {
                const struct bnsl_family *family = &families.list[i];
                assert_true(is_useful(scores.of[family->variable], (int)family->parents));
                assert_true(family->score == scores.of[family->variable][family->parents]);
                if (i > 0 && family[-1].variable == family->variable)
                    assert_true(family[-1].score >= family->score);
            }
            free(families.list);
        }
    }
}

static double score_of(const struct scores *scores, const struct bnsl_graph *graph)
{
    double sum = 0;
    for (int i = 0; i < BNSL_N; i++) {
        int set = 0;
        for (int k = 0; k < BNSL_N - 1; k++)
            if (bnsl_graph_has(graph, scores->candidates.list[i][k], i))
                set |= 1 << k;
        sum += scores->of[i][set];
    }
    return sum;
}

TEST(the_best_of_all_networks_is_found)
{
    static struct bnsl_graph dags[BNSL_N_DAGS];
    bnsl_all_dags(dags);
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct scores scores;
        struct bnsl_graph found, again;
        double best = -1e9, score, score_again;
        make(&scores, seed, seed % 2 == 0);
        for (int i = 0; i < BNSL_N_DAGS; i++)
            best = fmax(best, score_of(&scores, &dags[i]));
        struct bnsl_families families = collect(&scores, 2);
        check_ok(bnsl_search(&scores.candidates, &families, 50, seed, &found, &score));
        check_ok(bnsl_search(&scores.candidates, &families, 50, seed, &again, &score_again));
        check_close(score, best, 1e-6);
        check_close(score_of(&scores, &found), score, 1e-12);
        assert_true(bnsl_graph_is_acyclic(&found));
        assert_true(score == score_again);
        assert_memory_equal(found.edge, again.edge, BNSL_N * BNSL_N * sizeof *found.edge);
        bnsl_graph_fini(&found);
        bnsl_graph_fini(&again);
        free(families.list);
    }
    bnsl_free_dags(dags);
}
