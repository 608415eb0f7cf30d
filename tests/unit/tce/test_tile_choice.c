/* SPDX-License-Identifier: BSD-3-Clause */
/* Tiles that are chosen for contractions: many tasks, blocks that a cache holds, few passes over the
 * result. */
#include "tce/plan/predicted_tasks.h"
#include "tests/cases/plan_case.h"

#include <stdio.h>

/* Plans the program with whole spaces, and chooses; tile, PLAN_CASE_SPACES entries: in, what is given. */
static void choose(const char *text, struct plan_case *made, int64_t tile[])
{
    *made = (struct plan_case){0};
    check_ok(program_parse(text, strlen(text), "case.tce", &made->program));
    made->program.tile = 1 << 30;
    plan_case_spaces(made, 1, 1);
    check_ok(plan_case_plan(made, PLAN_PAIRS_AUTO));
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
    check_ok(plan_case_plan(made, PLAN_PAIRS_AUTO));
    check_ok(predicted_tasks_count(made->plan, &tasks));
    return tasks.n;
}

/* Of TCCG or of a like kind: C = A * B, the sizes of a, b, ..., and the tiles that are chosen. */
static const struct {
    const char *C, *A, *B;
    int64_t size[PLAN_CASE_SPACES], tile[PLAN_CASE_SPACES];
} shapes[] = {
    {"b,a", "c,a", "b,c", {5136, 5120, 5136}, {428, 427, 286}},
    {"b,a", "a,c", "b,c", {97, 103, 500000}, {97, 103, 1095}},
    {"b,a", "d,c,a", "c,b,d", {312, 296, 296, 312}, {312, 296, 7, 63}},
    {"c,b,a", "d,c,a", "b,d", {312, 296, 296, 312}, {104, 296, 4, 312}},
    {"d,c,b,a", "f,b,e,a", "e,c,f,d", {72, 72, 72, 72, 72, 72}, {36, 15, 15, 36, 15, 18}},
    {"f,e,d,c,b,a", "a,g,e,d", "c,b,f,g", {24, 16, 16, 24, 16, 16, 24}, {24, 4, 8, 12, 1, 8, 24}},
    {"c,b,a", "a,d,b", "c,d", {312, 312, 24, 312}, {1, 312, 24, 312}},
    {"e,d,c,b,a", "d,a,b,f,e", "f,c", {48, 32, 24, 32, 48, 32}, {12, 2, 24, 1, 48, 32}},
};

TEST(large_contractions_have_tasks_for_many)
{
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        const char *A = shapes[i].A, *B = shapes[i].B, *C = shapes[i].C;
        char text[1000];
        struct plan_case made;
        int64_t tile[PLAN_CASE_SPACES] = {0}, block = 1, summed = 1, all_summed = 1;
        size_t at = 0;
        for (int s = 0; shapes[i].size[s]; s++)
            at +=
                (size_t)snprintf(text + at, sizeof text - at, "space s%c = %lld\nindex %c : s%c\n",
                                 'a' + s, (long long)shapes[i].size[s], 'a' + s, 'a' + s);
        snprintf(text + at, sizeof text - at,
                 "tensor A[%s]\ntensor B[%s]\ntensor C[%s]\nC[%s] = A[%s] * B[%s]\n", A, B, C, C, A,
                 B);
        choose(text, &made, tile);
        for (int s = 0; s < made.program.n_spaces; s++) {
            bool outer = strchr(C, 'a' + s) != NULL;
            block *= outer ? tile[s] : 1;
            summed *= outer ? 1 : tile[s];
            all_summed *= outer ? 1 : shapes[i].size[s];
            assert_int_equal(tile[s], shapes[i].tile[s]);
        }
        assert_true(count_tasks(&made, tile) >= 12);
        assert_true(block <= 3 * 128 * 1024);
        assert_true(summed == all_summed || summed >= 100);
        plan_case_fini(&made);
    }
}

TEST(tiles_of_other_programs)
{
    static const struct {
        const char *text;
        int64_t given[4], chosen[4];
    } cases[] = {
        /* A small one is one task. */
        {"space s = 12\nindex i, j, k : s\ntensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\n"
         "C[i,j] = A[i,k] * B[k,j]\n",
         {0},
         {12}},
        /* Given tiles, and those of spaces without contractions, stay. */
        {"space s = 2000\nspace t = 900\nspace x = 90\nindex i, j : s\nindex k : t\nindex a : x\n"
         "tensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\ntensor D[a]\nC[i,j] = A[i,k] * B[k,j]\n",
         {0, 17},
         {200, 17, PROGRAM_TILE}},
        /* No more tiles than all spaces may have. */
        {"space s = 50000000\nspace t = 100000000\nspace u = 400000000\nspace v = 5\n"
         "index i : s\nindex k : v\ntensor A[i,k]\nscalar E\nE = A[i,k] * A[i,k]\n",
         {0, 0, 1000},
         {14737, 463, 1000, 5}},
        /* The tasks of a large scalar are blocks of its first factor. */
        {"space s = 5000\nspace t = 4000\nindex i : s\nindex j : t\ntensor A[i,j]\n"
         "tensor B[i,j]\nscalar E\nE = A[i,j] * B[i,j]\n",
         {0},
         {43, 2000}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct plan_case made;
        int64_t tile[PLAN_CASE_SPACES] = {0}, n_tiles = 0;
        memcpy(tile, cases[c].given, sizeof cases[c].given);
        choose(cases[c].text, &made, tile);
        for (int s = 0; s < made.program.n_spaces; s++) {
            n_tiles += (made.space[s]->size + tile[s] - 1) / tile[s];
            assert_int_equal(tile[s], cases[c].chosen[s]);
        }
        assert_true(n_tiles <= INDEX_SPACE_MAX_TILES);
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
