/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles that are chosen for contractions: many tasks, blocks that a cache holds, few passes over the result,
 * and nearly the least of the model's cost. */
#include "tce/language/program.h"
#include "tce/plan/predicted_tasks.h"
#include "tests/cases/plan_case.h"

#include <math.h>
#include <stdio.h>

/* Plans the program with whole spaces, and chooses; tile, PLAN_CASE_SPACES entries: in, what is given. */
static void choose(const char *text, struct plan_case *made, int64_t tile[])
{
    *made = (struct plan_case){0};
    check_ok(program_parse(text, strlen(text), "case.tce", &made->program));
    made->program.tile = 1 << 30;
    plan_case_spaces(made, 1, 1);
    check_ok(plan_case_plan(made));
    check_ok(plan_choose_tiles(made->plan, tile));
}

/* Tasks of the program with these tiles. */
static int64_t count_tasks(struct plan_case *made, const int64_t tile[])
{
    struct predicted_tasks tasks;
    plan_destroy(made->plan);
    for (int s = 0; s < made->program.n_spaces; s++) {
        index_space_destroy(made->space[s]);
        made->program.spaces[s].tile = tile[s];
    }
    plan_case_spaces(made, 1, 1);
    check_ok(plan_case_plan(made));
    check_ok(predicted_tasks_count(made->plan, &tasks));
    return tasks.n;
}

static int64_t n_tiles(const struct plan_case *made, int space, const int64_t tile[])
{
    return (made->space[space]->size + tile[space] - 1) / tile[space];
}

/* One of TCCG or of a like kind: C-A-B, the sizes of a, b, ... */
struct shape {
    const char *C, *A, *B;
    int64_t size[PLAN_CASE_SPACES];
};

static const struct shape shapes[] = {
    {"ba", "ca", "bc", {5136, 5120, 5136}},
    {"ba", "ac", "bc", {97, 103, 500000}},
    {"ba", "dca", "cbd", {312, 296, 296, 312}},
    {"cba", "dca", "bd", {312, 296, 296, 312}},
    {"dcba", "fbea", "ecfd", {72, 72, 72, 72, 72, 72}},
    {"fedcba", "aged", "cbfg", {24, 16, 16, 24, 16, 16, 24}},
    {"cba", "adb", "cd", {312, 312, 24, 312}},
    {"edcba", "dabfe", "fc", {48, 32, 24, 32, 48, 32}},
};

static void add_tensor_text(char *text, size_t size, const char *name, const char *indices)
{
    size_t at = strlen(text);
    at += (size_t)snprintf(text + at, size - at, "tensor %s[", name);
    for (int d = 0; indices[d]; d++)
        at += (size_t)snprintf(text + at, size - at, "%s%c", d > 0 ? "," : "", indices[d]);
    snprintf(text + at, size - at, "]\n");
}

static void add_factor_text(char *text, size_t size, const char *name, const char *indices)
{
    size_t at = strlen(text);
    add_tensor_text(text, size, name, indices);
    memmove(text + at, text + at + strlen("tensor "), strlen(text + at) - strlen("tensor ") + 1);
    text[strlen(text) - 1] = ' ';
}

/* C = A * B over a space for each index. */
static void shape_text(const struct shape *shape, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; shape->size[i]; i++) {
        size_t at = strlen(text);
        snprintf(text + at, size - at, "space s%c = %lld\nindex %c : s%c\n", 'a' + i,
                 (long long)shape->size[i], 'a' + i, 'a' + i);
    }
    add_tensor_text(text, size, "A", shape->A);
    add_tensor_text(text, size, "B", shape->B);
    add_tensor_text(text, size, "C", shape->C);
    add_factor_text(text, size, "C", shape->C);
    strncat(text, "= ", size - strlen(text) - 1);
    add_factor_text(text, size, "A", shape->A);
    strncat(text, "* ", size - strlen(text) - 1);
    add_factor_text(text, size, "B", shape->B);
    strncat(text, "\n", size - strlen(text) - 1);
}

TEST(large_contractions_have_tasks_for_many)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        char text[1000];
        struct plan_case made;
        int64_t tile[PLAN_CASE_SPACES] = {0}, block = 1, summed = 1, all_summed = 1;
        shape_text(&shapes[i], text, sizeof text);
        choose(text, &made, tile);
        for (int s = 0; s < made.program.n_spaces; s++) {
            bool outer = strchr(shapes[i].C, 'a' + s) != NULL;
            block *= outer ? tile[s] : 1;
            summed *= outer ? 1 : tile[s];
            all_summed *= outer ? 1 : shapes[i].size[s];
        }
        assert_true(count_tasks(&made, tile) >= 12);
        assert_true(block <= 3 * 128 * 1024);
        assert_true(summed == all_summed || summed >= 100);
        plan_case_fini(&made);
    }
}

TEST(small_contractions_are_one_task)
{
    struct plan_case made;
    int64_t tile[PLAN_CASE_SPACES] = {0};
    choose("space s = 12\nindex i, j, k : s\ntensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\n"
           "C[i,j] = A[i,k] * B[k,j]\n",
           &made, tile);
    assert_int_equal(tile[0], 12);
    plan_case_fini(&made);
}

TEST(given_tiles_and_unused_spaces_stay)
{
    struct plan_case made;
    int64_t tile[PLAN_CASE_SPACES] = {[1] = 17};
    choose("space s = 2000\nspace t = 900\nspace x = 90\nindex i, j : s\nindex k : t\nindex a : x\n"
           "tensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\ntensor D[a]\n"
           "C[i,j] = A[i,k] * B[k,j]\n",
           &made, tile);
    assert_true(tile[0] > 0 && tile[0] < 1000);
    assert_int_equal(tile[1], 17);
    assert_int_equal(tile[2], PROGRAM_TILE);
    plan_case_fini(&made);
}

TEST(there_are_no_more_tiles_than_may_be)
{
    struct plan_case made;
    int64_t tile[PLAN_CASE_SPACES] = {[2] = 1000};
    choose("space s = 50000000\nspace t = 100000000\nspace u = 400000000\nspace v = 5\n"
           "index i : s\nindex k : v\ntensor A[i,k]\nscalar E\nE = A[i,k] * A[i,k]\n",
           &made, tile);
    int64_t n = 0;
    for (int s = 0; s < 4; s++)
        n += n_tiles(&made, s, tile);
    assert_in_range(n, 400000, INDEX_SPACE_MAX_TILES);
    assert_int_equal(tile[2], 1000);
    plan_case_fini(&made);
}

/* A scalar's tasks are blocks of the first factor. */
TEST(factors_of_large_scalars_are_cut)
{
    struct plan_case made;
    int64_t tile[PLAN_CASE_SPACES] = {0};
    choose(
        "space s = 5000\nspace t = 4000\nindex i : s\nindex j : t\ntensor A[i,j]\ntensor B[i,j]\n"
        "scalar E\nE = A[i,j] * B[i,j]\n",
        &made, tile);
    assert_true(n_tiles(&made, 0, tile) * n_tiles(&made, 1, tile) >= 16);
    plan_case_fini(&made);
}

/* A factor's block of the model of plan_tiles.c, whose last index has m values. */
static double factor_cost(double elements, double m)
{
    double far = elements > 131072 ? 1 - 131072 / elements : 0, large = elements / 1048576;
    return 25 * elements * (1 + 8 / m) * (1.5 * (1 + far) + large * large);
}

/* C[i,j] = A[i,k] * B[k,j], of n[] values in tiles of t[]. */
static double model_cost(const double n[3], const double t[3])
{
    double m[3];
    for (int x = 0; x < 3; x++)
        m[x] = n[x] / ceil(n[x] / t[x]);
    double flops = 2 * n[0] * n[1] * n[2], n_products = flops / 2 / (m[0] * m[1] * m[2]);
    double C = m[0] * m[1];
    double product = 5e4 + factor_cost(m[0] * m[2], m[2]) + factor_cost(m[2] * m[1], m[1]) +
                     25 * C * (1 + 8 / m[1]) * C / (C + 131072);
    return (flops + n_products * product) * (1 + 2 * C / (n[0] * n[1]));
}

TEST(the_models_cost_is_nearly_least)
{
    static const double sizes[][3] = {{60, 80, 100}, {300, 20, 24}, {16, 17, 900}, {250, 260, 40}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const double *n = sizes[i];
        char text[300];
        struct plan_case made;
        int64_t tile[PLAN_CASE_SPACES] = {0};
        double t[3], least = INFINITY;
        snprintf(text, sizeof text,
                 "space s = %.0f\nspace t = %.0f\nspace u = %.0f\nindex i : s\nindex j : t\nindex "
                 "k : u\n"
                 "tensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\nC[i,j] = A[i,k] * B[k,j]\n",
                 n[0], n[1], n[2]);
        choose(text, &made, tile);
        for (t[0] = 1; t[0] <= n[0]; t[0]++)
            for (t[1] = 1; t[1] <= n[1]; t[1]++)
                for (t[2] = 1; t[2] <= n[2]; t[2] += t[2] < 20 ? 1 : 5)
                    least = fmin(least, model_cost(n, t));
        for (int x = 0; x < 3; x++)
            t[x] = (double)tile[x];
        assert_true(model_cost(n, t) <= 1.05 * least);
        plan_case_fini(&made);
    }
}

/* Choices of equal cost, whose sums are rounded in other ways, are not exchanged for ever. */
TEST(equal_costs_end_the_search)
{
    /* Products C[x,x] = A[x,y] * B[y,x], and scalars E = A[x,y] * A[x,y], of spaces x and y. */
    static const char pairs[] =
        "Cvt Cts Cvt Csv Cvt Evu Cvs Cts Est Cvu Cst Evs Cvu Cus Esv Cvs Evt "
        "Csu Csv Csu Euv Cuv Cst Csu Ctv Esu Eus Cuv ";
    char text[8000] = "space s = 60\nindex s, S : s\nspace t = 60\nindex t, T : t\n"
                      "space u = 60\nindex u, U : u\nspace v = 60\nindex v, V : v\n";
    struct plan_case made;
    int64_t tile[PLAN_CASE_SPACES] = {0};
    for (const char *pair = pairs; *pair; pair += 4) {
        int n = (int)(pair - pairs) / 4, x = pair[1], y = pair[2];
        size_t at = strlen(text);
        if (pair[0] == 'E')
            snprintf(text + at, sizeof text - at,
                     "scalar E%d\ntensor A%d[%c,%c]\nE%d = A%d[%c,%c] * A%d[%c,%c]\n", n, n, x, y,
                     n, n, x, y, n, x, y);
        else
            snprintf(text + at, sizeof text - at,
                     "tensor C%d[%c,%c]\ntensor A%d[%c,%c]\ntensor B%d[%c,%c]\n"
                     "C%d[%c,%c] = A%d[%c,%c] * B%d[%c,%c]\n",
                     n, x, x, n, x, y, n, y, x, n, x, x - 'a' + 'A', n, x, y, n, y, x - 'a' + 'A');
    }
    choose(text, &made, tile);
    for (int i = 0; i < made.program.n_spaces; i++)
        assert_in_range(tile[i], 1, 60);
    plan_case_fini(&made);
}
