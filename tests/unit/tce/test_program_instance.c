/* SPDX-License-Identifier: BSD-3-Clause */
/* A .tce program is prepared to run: spaces cut or bound, tensors filled, mistakes reported with
 * their place. */
#include "tce/execution/plan_memory.h"
#include "tce/run/products.h"
#include "tests/cases/program_case.h"

#include <stdio.h>

static const struct index_block occupied[] = {{.size = 5, .irrep = 1}};
static const struct index_block virtual[] = {{.size = 7, .irrep = 1}};
static const struct index_block both_spins[] = {{.size = 4, .spin = 1}, {.size = 1, .spin = -1}};
static const struct space_binding bindings[] = {
    {"occupied", 1, occupied, 2},
    {"virtual", 1, virtual, 3},
    {"both_spins", 2, both_spins, 3},
};

static enum status init(const char *text, int n_bindings, struct program_instance *instance)
{
    return program_case_init(text, PLAN_PAIRS_AUTO, n_bindings, bindings, instance);
}

static void check_tiles(const struct index_space *space, int n, const int64_t size[])
{
    assert_int_equal(space->n_tiles, n);
    for (int tile = 0; tile < n; tile++)
        assert_int_equal(index_space_tile_size(space, tile), size[tile]);
}

TEST(spaces_are_cut_as_they_say)
{
    struct program_instance instance;
    check_ok(init("tile 4\n"
                  "space s = 10, 1 irrep 3\n"
                  "space t = 7 tile 2\n"
                  "space o = occupied\n"
                  "space v = virtual tile 7\n"
                  "space both = both_spins\n"
                  "index i : s\nindex j : t\nindex k : o\nindex a : v\nindex b : both\n"
                  "tensor A[i,j,k,a|b] irrep 1\ntensor B[i,j,k,a|b] irrep 1\n"
                  "A[i,j,k,a|b] = B[i,j,k,a|b]\n",
                  3, &instance));
    check_tiles(instance.spaces[0], 4, (int64_t[]){4, 3, 3, 1});
    check_tiles(instance.spaces[1], 4, (int64_t[]){2, 2, 2, 1});
    check_tiles(instance.spaces[2], 3, (int64_t[]){2, 2, 1});
    check_tiles(instance.spaces[3], 1, (int64_t[]){7});
    check_tiles(instance.spaces[4], 3, (int64_t[]){2, 2, 1});
    assert_int_equal(instance.spaces[2]->irrep[1], 1);
    assert_int_equal(instance.spaces[0]->irrep[3], 3);
    assert_int_equal(instance.spaces[4]->spin[1], 1);
    assert_int_equal(instance.spaces[4]->spin[2], -1);
    assert_null(instance.executor);
    program_instance_fini(&instance);
}

TEST(tiles_are_chosen_where_nobody_says_them)
{
    struct program_instance instance;
    check_ok(init("space s = 400, 200 irrep 1\n"
                  "space t = 500\n"
                  "space unused = 100\n"
                  "space given = 600 tile 590\n"
                  "index i : s\nindex j : t\nindex k : given\nindex x : unused\n"
                  "tensor A[i,k]\ntensor B[k,j]\ntensor C[i,j]\ntensor D[x]\n"
                  "C[i,j] = A[i,k] * B[k,j]\n",
                  0, &instance));
    assert_true(instance.spaces[0]->n_tiles > 2 && instance.spaces[0]->max_tile < 400);
    assert_true(instance.spaces[1]->n_tiles > 1);
    check_tiles(instance.spaces[2], 3, (int64_t[]){34, 33, 33});
    check_tiles(instance.spaces[3], 2, (int64_t[]){300, 300});
    program_instance_fini(&instance);
}

/* A tensor that no labels allow once they are known has no blocks, and that is no error. */
TEST(a_bound_space_may_leave_no_blocks)
{
    struct program_instance instance;
    check_ok(init("space o = occupied\nindex i, j : o\n"
                  "tensor A[i] = wave\ntensor B[i,j] = constant\nscalar E = constant(3)\n"
                  "E = A[i] * B[i,j]\n",
                  1, &instance));
    program_case_start(&instance);
    assert_int_equal(program_case_tensor(&instance, "A")->n_elements, 0);
    /* Blocks of tiles of 2, 2 and 1 on the diagonal and below it. */
    assert_int_equal(program_case_tensor(&instance, "B")->n_elements, 17);
    program_case_run(&instance, 0);
    check_close(program_case_scalar(&instance, "E"), 0, 0);
    program_instance_fini(&instance);
}

TEST(tensors_are_filled_as_they_say)
{
    struct program_instance instance;
    double A[9], B[9];
    check_ok(init("space s = 3\nindex i, j : s\n"
                  "tensor A[i,j] = delta\ntensor B[i,j]\nscalar c = constant(-1/4)\n"
                  "B[i,j] += c * A[j,i]\n",
                  0, &instance));
    program_case_start(&instance);
    for (int t = 0; t < 3; t++)
        assert_int_equal(program_instance_is_assigned(&instance, t), t == 1);
    check_close(program_case_scalar(&instance, "c"), -0.25, 0);
    for (int run = 0; run < 2; run++) {
        program_case_run(&instance, 0);
        program_case_get(&instance, "A", A);
        program_case_get(&instance, "B", B);
        for (int i = 0; i < 9; i++) {
            check_close(A[i], i % 4 == 0, 0);
            check_close(B[i], -0.25 * A[i], 0);
        }
        /* Without a function it becomes zero again. */
        check_ok(program_instance_fill(&instance, 1));
    }
    program_instance_fini(&instance);
}

TEST(mistakes_are_reported_with_their_place)
{
    static const struct {
        int n_bindings;
        const char *program, *message;
    } cases[] = {
        {0, "space s = 2\nspace o = occupied\nindex i : o\ntensor A[i]\ntensor B[i]\nA[i] = B[i]\n",
         "2:11: space o is bound to 'occupied', which is unknown here"},
        {2, "space v = vacuum\nindex a : v\nscalar E\ntensor B[a]\nE = B[a]\n",
         "1:11: space v is bound to 'vacuum', which is unknown here"},
        {3, "space o = both_spins\nindex i, j : o\ntensor A[i|j]\ntensor B[i,j]\nA[i|j] = B[i,j]\n",
         "4:8: 'B' needs a bar"},
        {0, "space S = 2 alpha, 2 beta\nindex s : S\ntensor D[s,s]\nscalar E, F\nE = F\n",
         "3:8: 'D' needs a bar '|' between its upper and its lower indices, such as D[a|i], "
         "because "
         "space 'S' has spins"},
        {0, "space s = 2 irrep 1\nindex i, j : s\ntensor A[i,j] irrep 2\nscalar E, F\nE = F\n",
         "3:8: 'A' has no block: no labels of its indices have irrep 2"},
        {0, "space s = 2 alpha\nindex i, j : s\nscalar E, F\ntensor W[i,j|]\nE = F\n",
         "4:8: 'W' has no block"},
        {0, "scalar E\nE = F\n", "2:5: unknown tensor 'F'"},
        {0,
         "tile 1\nspace s = 1000000000, 1000000000, 1000000000\nindex i : s\n"
         "scalar E\ntensor A[i]\nE = A[i]\n",
         "2:7: space s has more than 2^20 tiles of 1"},
        {0,
         "tile 1\nspace s = 1000000\nspace t = 1000000\nindex i : s\n"
         "scalar E\ntensor A[i]\nE = A[i]\n",
         "3:7: all spaces up to this have more than 2^20 tiles"},
        /* Any two of the four share four indices, so that a pair leaves 16. */
        {0,
         "space s = 1\n"
         "index a0,a1,a2,a3, b0,b1,b2,b3, c0,c1,c2,c3 : s\n"
         "index d0,d1,d2,d3, e0,e1,e2,e3, f0,f1,f2,f3 : s\n"
         "tensor P[a0,a1,a2,a3, b0,b1,b2,b3, c0,c1,c2,c3]\nscalar E\n"
         "E = P[a0,a1,a2,a3, b0,b1,b2,b3, c0,c1,c2,c3] * P[a0,a1,a2,a3, d0,d1,d2,d3, "
         "e0,e1,e2,e3] *\n    P[b0,b1,b2,b3, d0,d1,d2,d3, f0,f1,f2,f3] * P[c0,c1,c2,c3, "
         "e0,e1,e2,e3, f0,f1,f2,f3]\n",
         "6:5: "},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        struct program_instance instance;
        char message[200];
        snprintf(message, sizeof message, "test.tce:%s", cases[c].message);
        check_refusal(STATUS_INPUT, init(cases[c].program, cases[c].n_bindings, &instance),
                      message);
        program_instance_fini(&instance);
    }
}

TEST(functions_are_checked_without_tensors)
{
    struct program_instance instance;
    check_ok(init("space s = 3\nindex i : s\ntensor A[i] = wave(1)\ntensor B[i] = wiggle\n"
                  "tensor C[i] = delta(2)\ntensor D[i]\nD[i] = A[i] + B[i] + C[i]\n",
                  0, &instance));
    check_ok(program_instance_check_fill(&instance, 0));
    check_ok(program_instance_check_fill(&instance, 3));
    check_refusal(STATUS_INPUT, program_instance_check_fill(&instance, 1),
                  "test.tce:4:15: there is no function wiggle");
    check_refusal(STATUS_INPUT, program_instance_check_fill(&instance, 2),
                  "test.tce:5:15: delta takes 0 arguments, not 1");
    program_instance_fini(&instance);
}

static struct plan_memory estimate(const char *text)
{
    const struct contraction_settings settings = {.cache_bytes = 1};
    struct program_instance instance;
    struct plan_memory memory;
    check_ok(init(text, 0, &instance));
    check_ok(plan_memory_estimate(instance.plan, &settings, &memory));
    program_instance_fini(&instance);
    return memory;
}

#define LARGE "space s = 300\nspace o = 40\nindex i, j : s\nindex k : o\nscalar E\n"

TEST(scratch_beside_contractions_is_counted)
{
    struct plan_memory none = estimate("tile 300\n" LARGE "tensor S[i,j]\ntensor A[i,j]\n"
                                       "S[i,j] = A[i,j]\n");
    assert_true(none.between == 0 && none.loops == 0);
    /* A block of a tensor that is packed. */
    struct plan_memory packed =
        estimate("tile 20\n" LARGE "index l, m, n, p : o\ntensor V[k,l,m,n] symmetric (k m)(l n)\n"
                 "tensor T[m,n,p,i] antisymmetric m n\ntensor C[k,l,p,i]\n"
                 "C[k,l,p,i] = V[k,m,l,n] * T[m,n,p,i]\n");
    assert_true(packed.between >= sizeof(double) * 20 * 20 * 20 * 20);
    struct plan_memory loop = estimate(LARGE "tensor A[k,i]\nfor k by tile 10\n"
                                             "E = A[k,i] * A[k,i]\nend\n");
    assert_true(loop.loops >= (double)products_bytes());
}

TEST_SETUP(darray_case_start)

TEST_TEARDOWN(darray_case_stop)
