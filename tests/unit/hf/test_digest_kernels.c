/* SPDX-License-Identifier: BSD-3-Clause */
/* Digestion of sets of quartets by every kind of vectors that the processor has: as a slow loop does
 * it, and with the same bits whether numbers of functions are constants or not. */
#include "tests/check.h"

#include "hf/digestion/digest_kernels.h"
#include "support/base/random.h"
#include "support/vectors/vector_unit.h"

#include <string.h>

static const struct kernels_case {
    const struct digest_kernels *kernels;
    enum vector_unit unit;
    const char *name;
} cases[] = {
#ifdef __x86_64__
    {&digest_kernels_avx512, VECTOR_UNIT_AVX512, "avx512"},
    {&digest_kernels_avx2, VECTOR_UNIT_AVX2, "avx2"},
#endif
    {&digest_kernels_baseline, VECTOR_UNIT_BASELINE, "baseline"},
};
enum { N_CASES = sizeof cases / sizeof cases[0] };

enum {
    MAX_FUNCTIONS = 7,
    MAX_INTEGRALS = MAX_FUNCTIONS * MAX_FUNCTIONS * MAX_FUNCTIONS * MAX_FUNCTIONS,
    N_BLOCKS = 5, /* of each choice, so that lanes share some */
    BLOCK = MAX_FUNCTIONS * MAX_FUNCTIONS + 2 * BLOCK_CHUNK,
    SIZE = (MAX_FUNCTIONS * MAX_FUNCTIONS + 2 * BLOCK_CHUNK - 1) / BLOCK_CHUNK * BLOCK_CHUNK,
    N_ELEMENTS = N_CHOICES * N_BLOCKS * BLOCK,
    N_MATRICES = 2,
    N_SETS = 3
};

/* Pairs of functions of each choice, of a, b, c and d. */
static const int choice_of[N_CHOICES][2] = {{0, 1}, {2, 3}, {0, 2}, {0, 3}, {1, 2}, {1, 3}};

/* Sets of quartets of one class with all that they read and add to. */
struct quartet_sets {
    struct digest_blocks blocks;
    struct digest_lanes sets[N_SETS];
    double integrals[MAX_INTEGRALS * QUARTET_LANES] __attribute__((aligned(64)));
    double scratch[DIGEST_SCRATCH_BLOCKS * SIZE * QUARTET_LANES] __attribute__((aligned(64)));
    double D_stored[N_MATRICES][N_ELEMENTS], A_stored[N_MATRICES][N_ELEMENTS];
    double *D[N_MATRICES], *A[N_MATRICES];
};

static struct random_stream random_numbers;

/* In [-1, 1). */
static double random_number(void)
{
    return 2 * random_unit(&random_numbers) - 1;
}

static int64_t count_integrals(const int n[4])
{
    return (int64_t)n[0] * n[1] * n[2] * n[3];
}

static void make_numbers(struct quartet_sets *sets)
{
    random_stream_init(&random_numbers, 1, 0);
    for (int i = 0; i < MAX_INTEGRALS * QUARTET_LANES; i++)
        sets->integrals[i] = random_number();
    for (int i = 0; i < N_MATRICES; i++) {
        sets->D[i] = sets->D_stored[i];
        sets->A[i] = sets->A_stored[i];
        for (int k = 0; k < N_ELEMENTS; k++)
            sets->D[i][k] = random_number();
    }
    sets->blocks = (struct digest_blocks){.n_coulomb = 1,
                                          .n_exchange = N_MATRICES,
                                          .D = sets->D,
                                          .A = sets->A,
                                          .scratch = sets->scratch,
                                          .size = SIZE};
}

/* Sets of 8, 8 and 3 quartets; the first one has an open bra. */
static void fill_sets(struct quartet_sets *sets, const int n[4], bool in_order)
{
    memcpy(sets->blocks.n, n, sizeof sets->blocks.n);
    sets->blocks.in_order = in_order;
    for (int s = 0; s < N_SETS; s++) {
        struct digest_lanes *set = &sets->sets[s];
        set->one_bra = s == 0;
        set->n_used = s == 2 ? 3 : QUARTET_LANES;
        for (int lane = 0; lane < QUARTET_LANES; lane++) {
            bool used = lane < set->n_used;
            for (int i = 0; i < N_CHOICES; i++) {
                int block = (int)random_below(&random_numbers, N_BLOCKS);
                int32_t place = (i * N_BLOCKS + block) * BLOCK / BLOCK_CHUNK * BLOCK_CHUNK;
                bool repeats = !used || (i == AB && set->one_bra);
                set->place[i][lane] = repeats && lane > 0 ? set->place[i][0] : place;
            }
            set->weight[lane] = used ? 1.0 / (1 << lane % 3) : 0;
        }
    }
}

static void digest_sets(const struct digest_kernels *kernels, digest_function *digest,
                        struct quartet_sets *sets)
{
    memset(sets->A_stored, 0, sizeof sets->A_stored);
    for (int s = 0; s < N_SETS; s++) {
        const struct digest_lanes *set = &sets->sets[s];
        if (set->one_bra)
            kernels->open_bra(&sets->blocks, set->place[AB][0]);
        digest(&sets->blocks, set, sets->integrals);
        if (set->one_bra)
            kernels->close_bra(&sets->blocks, set->place[AB][0]);
    }
}

/* Index of the pair of functions f[x], f[y] in its block. */
static int element(const struct digest_blocks *blocks, int choice, const int f[4])
{
    int x = choice_of[choice][0], y = choice_of[choice][1];
    bool by_rows = choice == AB || choice == CD || blocks->in_order;
    return by_rows ? f[x] * blocks->n[y] + f[y] : f[y] * blocks->n[x] + f[x];
}

/* A_p += D_q v for the choices p and q of one element each. */
static void add_slowly(const struct quartet_sets *sets, const struct digest_lanes *set, int lane,
                       const int f[4], double v, double A[N_MATRICES][N_ELEMENTS])
{
    static const int other[N_CHOICES] = {CD, AB, BD, BC, AD, AC};
    for (int p = 0; p < N_CHOICES; p++) {
        int q = other[p], n_matrices = p == AB || p == CD ? 1 : N_MATRICES;
        for (int i = 0; i < n_matrices; i++)
            A[i][set->place[p][lane] + element(&sets->blocks, p, f)] +=
                sets->D[i][set->place[q][lane] + element(&sets->blocks, q, f)] * v;
    }
}

static void digest_slowly(const struct quartet_sets *sets, double A[N_MATRICES][N_ELEMENTS])
{
    const int *n = sets->blocks.n;
    for (int s = 0; s < N_SETS; s++)
        for (int lane = 0; lane < sets->sets[s].n_used; lane++)
            for (int64_t i = 0; i < count_integrals(n); i++) {
                int f[4] = {(int)(i / n[3] / n[2] / n[1]), (int)(i / n[3] / n[2] % n[1]),
                            (int)(i / n[3] % n[2]), (int)(i % n[3])};
                double v = sets->integrals[i * QUARTET_LANES + lane];
                add_slowly(sets, &sets->sets[s], lane, f, sets->sets[s].weight[lane] * v, A);
            }
}

/* Returns whether there is a function of constant sizes. */
static bool check_sizes(const struct kernels_case *c, struct quartet_sets *sets, const int n[4],
                        bool in_order)
{
    static double A[N_MATRICES][N_ELEMENTS];
    memset(A, 0, sizeof A);
    fill_sets(sets, n, in_order);
    digest_slowly(sets, A);
    digest_sets(c->kernels, c->kernels->digest, sets);
    for (int i = 0; i < N_MATRICES; i++)
        for (int k = 0; k < N_ELEMENTS; k++)
            check_close(sets->A[i][k], A[i][k], 1e-12);
    digest_function *sized = c->kernels->find(n, in_order);
    if (!sized)
        return false;
    memcpy(A, sets->A_stored, sizeof A);
    digest_sets(c->kernels, sized, sets);
    assert_memory_equal(A, sets->A_stored, sizeof A);
    return true;
}

TEST(all_sizes)
{
    static const int sizes[] = {1, 2, 3, 4, 5, MAX_FUNCTIONS};
    enum { N_SIZES = sizeof sizes / sizeof sizes[0] };
    static struct quartet_sets sets;
    make_numbers(&sets);
    for (int c = 0; c < N_CASES; c++) {
        int n_sized = 0;
        if (cases[c].unit > vector_unit_here())
            continue;
        for (int i = 0; i < N_SIZES * N_SIZES * N_SIZES * N_SIZES * 2; i++) {
            int k = i / 2, n[4];
            for (int p = 0; p < 4; p++, k /= N_SIZES)
                n[p] = sizes[k % N_SIZES];
            if (n[0] >= n[1] && n[2] >= n[3] && count_integrals(n) <= 225)
                n_sized += check_sizes(&cases[c], &sets, n, i % 2);
        }
        print_message("%s: %d functions of constant sizes\n", cases[c].name, n_sized);
        assert_true(n_sized > 0 || cases[c].unit == VECTOR_UNIT_BASELINE);
    }
}
