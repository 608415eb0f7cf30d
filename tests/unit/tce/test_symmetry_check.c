/* SPDX-License-Identifier: BSD-3-Clause */
/* Ordered loops and declared symmetries are accepted where they hold for any numbers, sizes and labels, and
 * refused with their place where they do not. */
#include "tce/language/program.h"
#include "tce/language/symmetry_check.h"
#include "tce/methods/method_bindings.h"
#include "tests/cases/program_case.h"

static enum status prove(const char *text)
{
    struct program program;
    check_ok(program_parse(text, strlen(text), "x.tce", &program));
    enum status status = symmetry_check_program(&program, METHOD_N_FILLS, method_fill_symmetries);
    program_fini(&program);
    return status;
}

/* Spaces of a loop and of sums, without labels, with irreps and with spins. */
#define PLAIN                                                                                      \
    "space s = 6 tile 2\nspace t = 4\nindex a, b, c, d : s\nindex i, j, k, l : t\nscalar E\n"
#define IRREPS                                                                                     \
    "space s = 3 irrep 0, 3 irrep 1, 3 irrep 2\nspace t = 4 irrep 0, 2 irrep 1\n"                  \
    "index a, b, c, d : s\nindex i, j, k, l : t\nscalar E\n"
#define SPINS                                                                                      \
    "space s = 3 alpha, 3 beta\nspace t = 2 alpha, 2 beta\n"                                       \
    "index a, b, c, d : s\nindex i, j, k, l : t\nscalar E\n"
#define ORBITALS                                                                                   \
    "space t = occupied\nspace s = virtual\nindex a, b, c, d : s\nindex i, j, k, l : t\nscalar "   \
    "E\n"

#define TWO   "for a >= b by tile\n"
#define THREE "for a >= b >= c by tile\n"

/* R without symmetry, and U with one. */
#define DECLARED                                                                                   \
    "space s = 5 irrep 0, 4 irrep 1 tile 3\nindex i, j, k, l : s\n"                                \
    "tensor R[i,j] = random(1)\ntensor U[i,j] symmetric i j\n"                                     \
    "tensor S[i,j] symmetric i j\ntensor A[i,j,k] antisymmetric i k\nU[i,j] = R[i,j] + R[j,i]\n"

/* --- right --- */

TEST(what_holds_for_any_numbers_is_accepted)
{
    static const char *const programs[] = {
        /* A factor of each index. */
        PLAIN "tensor A[a] = wave(1)\n" THREE "E = A[a] * A[b] * A[c]\nend\n",
        /* By an operator, also on both sides. */
        PLAIN
        "tensor A[a,i] = random(1)\ntensor B[a,j] = random(2)\n" THREE
        "tensor W[a,b,c,i,j,k]\nW[a,b,c,i,j,k] = sym(a i, b j, c k) A[a,i] * B[b,j] * B[c,k]\n"
        "E = W[a,b,c,i,j,k] * W[a,b,c,i,j,k]\nend\n",
        /* Declared by a stored tensor, computed for a local one. */
        PLAIN "tensor A[a,b] = random(1)\ntensor S[a,b] symmetric a b\n"
              "S[a,b] = A[a,b] + A[b,a]\n" TWO "tensor W[a,b]\nW[a,b] = A[a,b] + A[b,a]\n"
              "E = S[a,b] * W[a,b]\nend\n",
        /* Statements that are symmetric together. */
        PLAIN "tensor A[a] = random(1)\ntensor B[a] = random(2)\n" TWO
              "E = A[a] * B[b]\nE += A[b] * B[a]\nend\n",
        /* Labels that every statement conserves, local tensors on the way. */
        IRREPS "tensor A[a,i] irrep 1 = random(1)\n" TWO
               "tensor W[a,b,i,j]\ntensor V[a,b,i,j]\nW[a,b,i,j] = A[b,i] * A[a,j]\n"
               "V[a,b,i,j] = W[a,b,i,j] + A[a,i] * A[b,j]\nE = V[a,b,i,j] * V[a,b,i,j]\nend\n",
        SPINS "tensor A[a|] spin 1 = constant(1)\n" THREE
              "tensor W[a,b,c|] spin 3\nW[a,b,c|] = A[a|] * A[b|] * A[c|]\n"
              "E = W[a,b,c|] * W[a,b,c|]\nend\n",
        /* An index that labels do not conserve: the result keeps a part. */
        IRREPS "tensor A[a,i] = random(1)\n" TWO
               "tensor W[a,b]\nW[a,b] = A[a,i] * A[b,j]\nE = W[a,b]\nend\n",
        /* One kind of integrals read in several orders. */
        ORBITALS "tensor g[i,a,j,b] = integrals\ntensor h[a,i,b,j] = integrals\n"
                 "tensor d[i,j,a,b] = dirac_integrals\n" TWO
                 "E = g[i,a,j,b] * h[b,j,a,i] - 2 * g[i,a,j,b] * d[i,j,b,a]\nend\n",
        /* Declared; each statement for itself. */
        DECLARED "S[i,j] = U[i,k] * U[k,l] * U[l,j]\nS[i,j] += U[i,j]\n",
        DECLARED "A[i,j,k] = U[i,j] * R[k,l] * R[k,l] - U[j,k] * R[i,l] * R[i,l]\n",
        /* Many factors. */
        PLAIN "tensor A[a,b] = random(1)\ntensor S[a,d] symmetric a d\nscalar x = constant(2)\n"
              "S[a,d] = A[a,b] * A[d,b] * x * x * x * x * x * x\n",
    };
    for (size_t p = 0; p < sizeof programs / sizeof programs[0]; p++)
        if (prove(programs[p]) != STATUS_OK)
            fail_msg("%s%s", programs[p], status_text());
}

/* --- wrong --- */

TEST(the_rest_is_refused_with_its_place)
{
    static const struct {
        const char *text, *place;
    } cases[] = {
        {PLAIN "tensor A[a] = random(1)\ntensor B[a] = random(2)\n" TWO "E = A[a] * B[b]\nend\n",
         "x.tce:9:1: the sum into 'E' changes when 'a' and 'b' exchange their roles"},
        /* The sum over all orders vanishes. */
        {PLAIN "tensor A[a] = random(1)\ntensor B[a] = random(2)\ntensor C[a] = random(3)\n" THREE
               "tensor W[a,b,c]\nW[a,b,c] = antisym(a, b, c) A[a] * B[b] * C[c]\n"
               "E = W[a,b,c]\nend\n",
         "x.tce:12:1: "},
        /* With two values of a, b, c it would seem symmetric. */
        {PLAIN "tensor A[a] = random(1)\ntensor B[a] = random(2)\ntensor C[a] = random(3)\n" THREE
               "E = A[a] * B[b] * C[c] + A[b] * B[c] * C[a] + A[c] * B[a] * C[b]\nend\n",
         "x.tce:10:1: "},
        /* With three values of i, j, k, l the asymmetric part would vanish. */
        {PLAIN "tensor A[a,i,j,k,l] = random(1)\n" TWO
               "tensor W[a,i,j,k,l]\ntensor V[a,b,i,j,k,l]\n"
               "W[a,i,j,k,l] = antisym(i, j, k, l) A[a,i,j,k,l]\n"
               "E = W[a,i,j,k,l] * A[b,i,j,k,l] * A[a,i,i,i,i]\nend\n",
         "x.tce:11:1: "},
        /* The labels of few tuples allow anything at all. */
        {IRREPS "tensor A[a,b] irrep 1 = random(1)\n" TWO
                "tensor W[a,b] irrep 1\nW[a,b] = A[a,b]\nE = W[a,b] * W[a,b]\nend\n",
         "x.tce:10:1: "},
        /* Equal numbers with other labels. */
        {SPINS "tensor P[a|] spin 1 = constant(1)\ntensor Q[a|] spin -1 = constant(1)\n" THREE
               "tensor W[a,b,c|] spin 1\nW[a,b,c|] = P[a|] * P[b|] * Q[c|]\n"
               "E = W[a,b,c|] * W[a,b,c|]\nend\n",
         "x.tce:11:1: the sum into 'E' changes when 'b' and 'c' exchange"},
        /* Declared symmetries. */
        {DECLARED "tensor V[i,j]\nV[i,j] = U[i,j]\nS[i,j] = V[i,j]\n",
         "x.tce:10:1: this does not make S[j,i] equal to S[i,j], as line 5 declares: permute its "
         "products by sym(...) or antisym(...), declare symmetries of their factors"},
        {DECLARED "S[i,j] = U[i,j]\nS[l,k] -= R[l,k]\nS[i,j] -= R[j,i]\n",
         "x.tce:9:1: this does not make S[k,l] equal to S[l,k]"},
        {DECLARED "A[i,j,k] = U[i,j] * R[k,k]\n",
         "x.tce:8:1: this does not make A[k,j,i] equal to -A[i,j,k], as line 6 declares: "},
        {DECLARED "tensor P[i,j,k,l] symmetric (i j)(k l)\nP[i,j,k,l] = R[i,j] * U[k,l]\n",
         "x.tce:9:1: this does not make P[k,l,i,j] equal to P[i,j,k,l], as line 8 declares"},
        {DECLARED "tensor Q[i,j,k] antisymmetric i j k\nQ[k,j,i] = R[i,j] * R[i,k]\n",
         "x.tce:9:1: this does not make Q[j,k,i] equal to -Q[k,j,i], as line 8 declares"},
        /* With three values of a, b, c, d the even permutations are all. */
        {PLAIN "tensor A[a,b,c,d] = random(1)\ntensor S[a,b,c,d] symmetric a b c d\n"
               "S[a,b,c,d] = A[a,b,c,d] + A[a,c,d,b] + A[a,d,b,c] + A[b,a,d,c] +\n A[b,c,a,d] + "
               "A[b,d,c,a] + A[c,a,b,d] + A[c,b,d,a] + A[c,d,a,b] + A[d,a,c,b] + A[d,b,a,c] + "
               "A[d,c,b,a]\n",
         "x.tce:8:1: this does not make"},
        {PLAIN "index e, f, g, h, m, n, o, p, q, r, u, v : t\n"
               "tensor A[a,e,f,g,h,m,n,o,p,q,r] = random(1)\n" TWO "tensor W[a,b]\nW[a,b] = "
               "A[a,e,f,g,h,m,n,o,p,q,r] * A[b,e,f,g,h,m,n,o,p,i,j] * A[a,k,l,u,v,e,f,g,h,i,j]\n"
               "E = W[a,b]\nend\n",
         "x.tce:8:1: this has too many indices to show its symmetry"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        check_refusal(STATUS_INPUT, prove(cases[c].text), cases[c].place);
}
