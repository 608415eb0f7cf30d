/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a .tce program becomes the data that it says; every mistake is reported with its
 * line, its column and what was expected, and no text makes the parser hang or fail. */
#include "tce/language/program.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* The first seven lines of most bad programs. */
#define PREAMBLE                                                                                   \
    "space O = 6, 4 irrep 1\n"                                                                     \
    "space V = 8\n"                                                                                \
    "index i, j, k, l : O\n"                                                                       \
    "index a, b : V\n"                                                                             \
    "tensor A[i,j,a] = wave(1)\n"                                                                  \
    "tensor C[i,j]\n"                                                                              \
    "scalar E\n"
#define ITERATE "tensor R[i,j]\niterate C from R, energy E\n"

static enum status parse(const char *text, struct program *program)
{
    return program_parse(text, strlen(text), "x.tce", program);
}

/* --- what a text means --- */

static const char everything[] =
    "\xEF\xBB\xBF\n# caf\xC3\xA9\n\ttile 30\r\n"
    "space O = 24 irrep 3, 18, 7 irrep 7 alpha, 1 beta tile 10\n"
    "space v=virtual\r\n"
    "space w = occupied tile 5\n"
    "index i,\n\nj, k :\nw # three\nindex a, b : v\nindex x : O\n"
    "tensor T[x,i|j] irrep 1 spin 2 = wave(0.3, -1/2, 1e-3)\n"
    "tensor U[|x] spin -1 = wave()\n"
    "tensor t [ # the\n\n i, # index\n j,a,b\n] symmetric (i a)(j b)\n"
    "tensor r[i,j|a,b] antisymmetric i j,\n a b\n"
    "tensor A[a,a]\n"
    "scalar E, F, G, H, Q = half\n"
    "r[i,j|a,b] = antisym(i / j) antisym(a, b) t[i,j,a,b]\n"
    "iterate F from G, H from E, energy Q\n"
    "G\t= 2 * F -  # why\n\n   - 1/2*A[a,b] * t[i,j,b,a] * 3 # end\n"
    "E =\n  F\n"
    "Q = 2.5e-1 * - A[a,a] * 1/8\n"
    "finally energy G\n"
    "for i >= j by tile 7\n"
    "    tensor W[i,k|j]\n"
    "    W[i,k|j] = sym(i, k) t[k,j,a,b] * t[i,j,b,a]\n"
    "    G = W[i,k|j] * t[i,j,a,a]\n"
    "end\n"
    "for a by tile\nG += A[a,a]\nend\n"
    "A[b,a] = U[|x] * T[x,i|i] * t[j,k,b,a]\nA[b,a] -= T[x,i|i] * U[|x] * t[j,k,a,b]\n"
    "report G \"the sum\" # end";

static void show_place(FILE *to, const char *name, struct source_place place)
{
    fprintf(to, " %s@%d:%d", name, place.line, place.column);
}

static void show_declarations(FILE *to, const struct program *program)
{
    for (int s = 0; s < program->n_spaces; s++) {
        const struct program_space *space = &program->spaces[s];
        show_place(to, space->name, space->place);
        if (space->binding)
            show_place(to, space->binding, space->binding_place);
        for (int b = 0; b < space->n_blocks; b++)
            fprintf(to, " %lld/%d/%d", (long long)space->blocks[b].size, space->blocks[b].irrep,
                    space->blocks[b].spin);
        fprintf(to, " tile %d%s\n", space->tile, space->has_irreps ? " irreps" : "");
    }
    for (int t = 0; t < program->n_tensors; t++) {
        const struct program_tensor *tensor = &program->tensors[t];
        show_place(to, tensor->name, tensor->place);
        for (int d = 0; d < tensor->rank; d++)
            fprintf(to, " %c%d:%d", tensor->sign[d] > 0 ? '+' : '-', tensor->space[d],
                    tensor->loop >= 0 ? tensor->loop_index[d] : -1);
        fprintf(to, " bar %d irrep %d spin %d loop %d order %d", tensor->has_bar, tensor->irrep,
                tensor->spin, tensor->loop, tensor->symmetry.n);
        for (int e = 0; e < tensor->n_exchanges; e++)
            show_place(to, tensor->exchanges[e].permutation.sign > 0 ? "even" : "odd",
                       tensor->exchanges[e].place);
        if (tensor->fill)
            show_place(to, tensor->fill, tensor->fill_place);
        for (int n = 0; n < tensor->n_arguments; n++)
            fprintf(to, " %g", tensor->arguments[n]);
        fprintf(to, "\n");
    }
}

static void show_factor(FILE *to, const struct program *program,
                        const struct program_factor *factor)
{
    show_place(to, program->tensors[factor->tensor].name, factor->place);
    for (int d = 0; d < program->tensors[factor->tensor].rank; d++)
        fprintf(to, "%s%s", d == 0 ? " " : "", program->indices[factor->index[d]].name);
}

static void show_statements(FILE *to, const struct program *program)
{
    for (int s = 0; s < program->n_statements; s++) {
        const struct program_statement *statement = &program->statements[s];
        show_place(to, statement->text, statement->place);
        fprintf(to, " loop %d labels %d\n ", statement->loop, statement->keeps_labels);
        show_factor(to, program, &statement->target);
        fprintf(to, statement->add ? " +=" : " =");
        for (int t = 0; t < statement->n_terms; t++) {
            fprintf(to, " %+g", statement->terms[t].coefficient);
            for (int f = 0; f < statement->terms[t].n_factors; f++)
                show_factor(to, program, &statement->terms[t].factors[f]);
        }
        fprintf(to, "\n");
    }
}

static void show_program(FILE *to, const struct program *program)
{
    show_declarations(to, program);
    show_statements(to, program);
    for (int u = 0; u < program->n_unknowns; u++)
        fprintf(to, "%d from %d, ", program->unknowns[u].tensor, program->unknowns[u].residual);
    fprintf(to, "energy %d from %d", program->energy, program->first_iterated);
    show_place(to, "iterate", program->iterate_place);
    fprintf(to, ", %d from %d", program->final_energy, program->first_final);
    show_place(to, "finally", program->finally_place);
    for (int n = 0; n < program->n_loops; n++) {
        const struct program_loop *loop = &program->loops[n];
        show_place(to, "loop", loop->place);
        fprintf(to, " of %d, %d %d ordered %d tile %d statements %d %d", loop->n, loop->index[0],
                loop->index[loop->n - 1], loop->ordered, loop->tile, loop->first_statement,
                loop->end_statement);
    }
    for (int r = 0; r < program->n_reports; r++)
        show_place(to, program->reports[r].label, program->reports[r].place);
    fprintf(to, " of %d tile %d\n", program->reports[0].tensor, program->tile);
}

/* A tensor: its places (sign, space, index of the loop), and its symmetry (order of the group). A term:
 * the coefficient, factors with the names of their indices. */
static const char meaning[] =
    " O@4:7 24/3/0 18/0/0 7/7/1 1/0/-1 tile 10 irreps\n"
    " v@5:7 virtual@5:9 tile 0 irreps\n"
    " w@6:7 occupied@6:11 tile 5 irreps\n"
    " T@13:8 +0:-1 +2:-1 -2:-1 bar 1 irrep 1 spin 2 loop -1 order 0 wave@13:34 0.3 -0.5 0.001\n"
    " U@14:8 -0:-1 bar 1 irrep 0 spin -1 loop -1 order 0 wave@14:24\n"
    " t@15:8 +2:-1 +2:-1 +1:-1 +1:-1 bar 0 irrep 0 spin 0 loop -1 order 2 even@19:13\n"
    " r@20:8 +2:-1 +2:-1 -1:-1 -1:-1 bar 1 irrep 0 spin 0 loop -1 order 4 odd@20:33 odd@21:2\n"
    " A@22:8 +1:-1 +1:-1 bar 0 irrep 0 spin 0 loop -1 order 0\n"
    " E@23:8 bar 0 irrep 0 spin 0 loop -1 order 0\n"
    " F@23:11 bar 0 irrep 0 spin 0 loop -1 order 0\n"
    " G@23:14 bar 0 irrep 0 spin 0 loop -1 order 0\n"
    " H@23:17 bar 0 irrep 0 spin 0 loop -1 order 0\n"
    " Q@23:20 bar 0 irrep 0 spin 0 loop -1 order 0 half@23:24\n"
    " W@34:12 +2:0 +2:-1 -2:1 bar 1 irrep 0 spin 0 loop 0 order 0\n"
    " r[i,j|a,b] = antisym(i / j) antisym(a, b) t[i,j,a,b]@24:1 loop -1 labels 0\n"
    "  r@24:1 ijab = +1 t@24:43 ijab -1 t@24:43 ijba -1 t@24:43 jiab +1 t@24:43 jiba\n"
    " G = 2 * F - - 1/2*A[a,b] * t[i,j,b,a] * 3@26:1 loop -1 labels 1\n"
    "  G@26:1 = +2 F@26:9 +1.5 A@28:10 ab t@28:19 ijba\n"
    " E = F@29:1 loop -1 labels 1\n"
    "  E@29:1 = +1 F@30:3\n"
    " Q = 2.5e-1 * - A[a,a] * 1/8@31:1 loop -1 labels 1\n"
    "  Q@31:1 = -0.03125 A@31:16 aa\n"
    " W[i,k|j] = sym(i, k) t[k,j,a,b] * t[i,j,b,a]@35:5 loop 0 labels 0\n"
    "  W@35:5 ikj = +1 t@35:26 kjab t@35:39 ijba +1 t@35:26 ijab t@35:39 kjba\n"
    " G = W[i,k|j] * t[i,j,a,a]@36:5 loop 0 labels 1\n"
    "  G@36:5 = +1 W@36:9 ikj t@36:20 ijaa\n"
    " G += A[a,a]@39:1 loop 1 labels 1\n"
    "  G@39:1 += +1 A@39:6 aa\n"
    " A[b,a] = U[|x] * T[x,i|i] * t[j,k,b,a]@41:1 loop -1 labels 0\n"
    "  A@41:1 ba = +1 U@41:10 x T@41:18 xii t@41:29 jkba\n"
    " A[b,a] -= T[x,i|i] * U[|x] * t[j,k,a,b]@42:1 loop -1 labels 0\n"
    "  A@42:1 ba += -1 T@42:11 xii U@42:22 x t@42:30 jkab\n"
    "6 from 7, 8 from 5, energy 9 from 1 iterate@25:1, 7 from 4 finally@32:1"
    " loop@33:1 of 2, 0 1 ordered 1 tile 7 statements 4 6"
    " loop@38:1 of 1, 3 3 ordered 0 tile 0 statements 6 7 the sum@43:8 of 7 tile 30\n";

TEST(every_part_of_a_program_is_read)
{
    struct program program;
    char *text;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    check_ok(parse(everything, &program));
    show_program(stream, &program);
    fclose(stream);
    assert_string_equal(text, meaning);
    free(text);
    program_fini(&program);
}

static const struct bad_program {
    const char *text, *message; /* message: after the name of the file */
} after_preamble[] = {
    /* Names. */
    {"C[i,x] = A[i,j,a]\n", "8:5: unknown index 'x'; it must be declared"},
    {"C[i,j] = X[i,j]\n", "8:10: unknown tensor 'X'; it must be declared"},
    {"index x : W\n", "8:11: unknown space 'W'"},
    {"space O = 3\n", "8:7: space 'O' was declared before, in line 1"},
    {"index x, a : V\n", "8:10: index 'a' was declared before, in line 4"},
    {"tensor A[i]\n", "8:8: tensor 'A' was declared before, in line 5"},
    {"scalar tile\n", "8:8: 'tile' is a word of the language"},
    {"tile 3\ntile 4\n", "9:1: 'tile' appears in line 8 already; a space has a tile of its own"},
    /* Indices. */
    {"C[i,j] = A[i,j]\n", "8:10: 'A' has rank 2 here, but rank 3 in its declaration, line 5"},
    {"C[i,a] = A[i,j,a]\n", "8:5: index 'a' is of space 'V', but index 2 of 'C' is of space 'O'"},
    {"C[i,i] = A[i,j,a]\n", "8:5: index 'i' is repeated on the left side"},
    {"C[i,j] = A[i,k,a]\n", "8:10: index 'j' of 'C', on the left side, is missing"},
    {"E = C[|i,j]\n", "8:7: '|' is not where the declaration of 'C', in line 6, has it"},
    {"tensor D[a,a,a,a,a,a,a,a,a,a,a,a,b]\n", "8:34: 'b' is index 13 of this tensor; at most 12"},
    /* Recursion on the output. */
    {"C[i,j] = C[j,i]\n", "8:10: 'C' is computed from itself; use '+='"},
    {"C[i,j] += A[i,j,a] - C[i,j] * E\n", "8:22: 'C' is computed from itself"},
    /* Brackets. */
    {"C[i,j = A[i,j,a]\n", "8:7: expected ',' or ']' in the brackets opened at 8:2, found '='"},
    {"E = C[i,j", "8:10: expected ',' or ']' in the brackets opened at 8:6, found the end of"},
    {"E = C[]\n", "8:7: expected the name of an index, for a scalar is written without"},
    {"tensor D[i|j|k]\n", "8:13: expected ',' or ']' in the brackets opened at 8:9, found '|'"},
    {"E = C[i,j]]\n", "8:11: expected '*', '+', '-' or the end of the line, found ']'"},
    {"E = (C[i,i] + C[i,j]) * 2\n", "8:5: expected a number or a tensor; the language has no"},
    /* Coefficients and numbers. */
    {"E = 1/0 * C[i,j]\n", "8:7: division by zero in a coefficient"},
    {"E = C[i,j] / 2\n", "8:12: expected '*', '+', '-' or the end of the line; only a number can"},
    {"E = 1e999 * C[i,j]\n", "8:5: '1e999' is beyond double precision"},
    {"E = 1e-999 * C[i,j]\n", "8:5: '1e-999' is beyond double precision"},
    {"E = 1e300 * 1e300 * C[i,j]\n", "8:13: the coefficient is beyond double precision"},
    {"E = 1e-300 * C[i,j] * 1e-300\n", "8:23: the coefficient is beyond double precision"},
    {"E = 2C[i,j]\n", "8:5: '2C' is neither a number nor a name"},
    {"E = 1.2.3 * C[i,j]\n", "8:5: '1.2.3' is neither a number nor a name"},
    {"E = 0x10 * C[i,j]\n", "8:5: '0x10' is neither a number nor a name"},
    {"E = 2 * 3\n", "8:5: a product of numbers alone; expected a tensor"},
    {"E = 2 A[i,i]\n", "8:7: expected '*' between a number and a tensor, found 'A'"},
    {"tile 0\n",
     "8:6: expected the values in a tile, a whole number from 1 to 1000000000, found '0'"},
    {"tile -3\n",
     "8:6: expected the values in a tile, a whole number from 1 to 1000000000, found '-' and '3'"},
    {"tile 99999999999999999999999999\n", "8:6: expected the values in a tile"},
    {"space W = 1000000001\n", "8:11: expected the size of a block, a whole number from 1 to 1000"},
    {"space W = 2.5\n", "8:11: expected the size of a block"},
    {"space W = 3 irrep 8\n", "8:19: expected an irrep, a whole number from 0 to 7, found '8'"},
    {"tensor D[i] spin 2\n", "8:18: expected a spin, a whole number from -1 to 1, found '2'"},
    {"tensor D[i] = wave(\n1, x)\n", "9:4: expected a number such as 0.5, 1/2 or -3, found 'x'"},
    {"tensor D[i] = wave(1\n", "9:1: expected ',' or ')' in the numbers of a function, found"},
    /* Grammar. */
    {"C[i,j]\n", "8:7: expected '=', '+=' or '-=', found the end of the line"},
    {"E =\n", "9:1: expected a number or a tensor, found the end of the file"},
    {"E = C[i,j] E\n", "8:12: expected '*', '+', '-' or the end of the line, found 'E'"},
    {"E = C[i,j] ? E\n", "8:12: '?' is not part of the language"},
    {"[i,j] = E\n", "8:1: expected a declaration (tile, space, index, tensor, scalar, iterate"},
    {"space W 5\n", "8:9: expected '=' and the blocks of the space"},
    {"space W = 5 7\n", "8:13: expected ',' and the next block, 'irrep'"},
    {"space W = virtual, 7\n", "8:18: expected 'tile' or the end of the line, found ','"},
    {"index x y : V\n", "8:9: expected ',' and another index, or ':' and their space, found 'y'"},
    {"tensor D\n", "8:9: expected '[' and the indices of the tensor; one without indices is"},
    {"tensor D[i] spin 0 irrep 1\n", "8:20: expected 'irrep', 'spin', 'symmetric'"},
    {"tensor D[i] = 3\n", "8:15: expected the name of what fills the tensor, found '3'"},
    {"tile 5 6\n", "8:8: expected the end of the line, found '6'"},
    {"scalar D[i]\n", "8:9: expected a scalar without indices; others are declared by 'tensor'"},
    /* Labels. */
    {"tensor D[i,j] irrep 1\nE = D[i,j] * C[j,i]\n",
     "9:5: the labels of this product can never be met: the irreps of"},
    {"space S = 2 alpha, 2 beta\nindex s, t : S\ntensor D[s|t] spin 2\nE = D[s,s]\n",
     "11:5: the labels of this product can never be met: the spins of its tensors"},
    /* Iteration. */
    {"iterate C from A, energy E\n", "8:16: 'A' and its unknown 'C' differ in their indices"},
    {"iterate C energy E\n", "8:11: expected 'from' and the residual of the unknown"},
    {"tensor R[i,j]\ntensor T[i,j] = constant(0)\niterate T from R, energy E\n",
     "10:9: 'T' is filled with 'constant', but iterated: begin with a statement before 'iterate' "
     "instead, or at zero"},
    {"tensor R[i,j]\niterate C from R\n", "9:17: expected ',' and another unknown, or ', energy'"},
    {"tensor R[i,j]\niterate C from R, energy A\n", "9:26: the energy 'A' has indices"},
    {"tensor R[i,j]\niterate C from R, C from R, energy E\n",
     "9:19: 'C' appears in 'iterate' twice"},
    {ITERATE "E = C[i,j]\n", "9:1: no statement after 'iterate' computes the residual 'R'"},
    {ITERATE "R[i,j] = C[i,j]\n", "9:1: no statement after 'iterate' computes the energy 'E'"},
    {ITERATE "R[i,j] += C[i,j]\n", "10:1: 'R' would grow with every iteration; compute it by"},
    {ITERATE "E = C[i,j]\niterate C from R, energy E\n",
     "11:1: 'iterate' appears in line 9 already"},
    /* Symmetrizers. */
    {"E = sym(i, k) \n", "8:15: expected a tensor after what is permuted"},
    {"E = sym A[i,j,a]\n", "8:9: expected '(' and the indices that are permuted, as in antisym(a"},
    {"E = sym(i) A[i,j,a]\n", "8:8: only one group of indices: there is nothing to exchange it"},
    {"E = sym() A[i,j,a]\n", "8:9: expected the name of an index, found ')'"},
    {"E = sym(i / j / k) A[i,j,a]\n", "8:15: expected another index, ',' or ')', found '/'"},
    {"E = sym(i, a) A[i,j,a]\n", "8:12: 'i' and 'a' are of different spaces and cannot be"},
    {"E = sym(i a, j) A[i,j,a]\n", "8:14: this group has 1 index, the one before it 2; groups"},
    {"E = sym(i / j k, l i) A[i,j,a]\n", "8:13: this group has 2 indices, the one before it 1"},
    {"E = sym(i j, j k) A[i,j,a]\n", "8:8: 'j' appears twice in what is exchanged"},
    {"index m, n, o : O\nE = sym(i,j,k,l,m,n,o) A[i,j,a]\n",
     "9:21: group 7 of what is permuted; at most 6 are possible"},
    {"E = sym(i,j) sym(k,l) sym(i,j) sym(k,l) sym(i,j) A[i,j,a]\n",
     "8:41: sym(...) or antisym(...) number 5 of this product; at most 4 are possible"},
    {"E = sym(i,j) 2 * A[i,j,a]\n", "8:14: expected a tensor after what is permuted; a number"},
    {"C[i,j] = sym(i,k) A[i,j,a]\n", "8:16: 'k' takes the place of 'i' here, but no factor of"},
    {"C[i,j] = antisym(i / j, k) sym(k, l) A[i,j,a]\n", "8:25: 'k' takes the place of 'i' here"},
    /* Loops. */
    {"for a by tile\nE = A[i,i,a]\n", "8:1: this loop has no 'end': write it after its last"},
    {"end\nE = C[i,i]\n", "8:1: 'end' without a loop before it: leave it out"},
    {"for a by tile\nend\n", "8:1: this loop has no statement: sum a scalar in it"},
    {"for a by tile\nfor b by tile\nE = A[i,i,a]\nend\nend\n",
     "9:1: 'for' cannot stand in the loop of line 8"},
    {"for a\n", "8:6: expected ',' or '>=' and another index, or 'by tile', found the end of"},
    {"for a by 3\n", "8:10: expected 'tile', found '3'"},
    {"for a by tile 0\n",
     "8:15: expected the values in a tile, a whole number from 1 to 1000000000, found '0'"},
    {"for a >= i by tile\n", "8:10: 'i' and 'a' are of different spaces and have no order"},
    {"for i >= j, k by tile\n", "8:11: expected '>=' and another index, or 'by tile', found ','"},
    {"for a, a by tile\n", "8:8: 'a' appears in the loop twice: leave one out"},
    {"for i,j,k,l,a,b,i by tile\n", "8:17: a loop has at most 6 indices"},
    {"for a by tile\nC[i,j] = A[i,j,a]\nend\n", "9:1: 'C' is stored: a loop over tiles computes"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[a]\nend\nE += W[a]\n",
     "13:6: 'W' is local to the loop of line 8; declare a tensor outside of it"},
    {"for a by tile\ntensor W[a]\nE = W[a]\nend\n", "10:5: 'W' has no value yet: compute it by"},
    {"for a by tile\ntensor W[a]\nW[a] += A[i,i,a]\nE = W[a]\nend\n",
     "10:1: 'W' has no value yet: compute it by '=' in a line before this one"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[b]\nend\n",
     "11:5: place 1 of 'W' holds one tile of 'a', by its declaration in line 9: 'b' cannot stand"},
    {"for a by tile\ntensor W[b]\nW[a] = A[i,i,a]\nE = W[a]\nend\n",
     "10:1: place 1 of 'W' holds all values of 'V', by its declaration in line 9: 'a' cannot"},
    {"for a by tile\ntensor W[i,j]\nW[i,j] = A[i,j,a]\nE = W[i,i]\nend\n",
     "10:10: 'W' would have the sum over one tile of 'a', of the loop, alone: declare 'W' with "
     "'a'"},
    {"for a, b by tile\nE = A[i,i,a]\nend\n", "9:5: index 'b' of the loop is missing in this"},
    {"scalar F\nfor i by tile\nE = C[i,i]\nF = E * C[i,i]\nend\n",
     "11:5: 'E' is summed over the whole loop: its value is known after 'end'"},
    {"for a by tile\nspace W = 3\n", "9:1: 'space' cannot stand in the loop of line 8, which"},
    /* Words of the language. */
    {"scalar sym\n", "8:8: 'sym' is a word of the language; choose another name"},
    /* Reports and texts. */
    {"report C \"c\"\n", "8:8: the reported 'C' has indices; expected a scalar"},
    {"report E\n", "8:9: expected what the scalar is, in quotes, as in \"fourth order\", found"},
    {"report E \"\"\n", "8:10: expected what the scalar is, in quotes"},
    {"report E \"e\nE = C[i,i]\n", "8:10: '\"e' is a text without '\"' at its end, in the same"},
    {"report E \"e\"\nreport E \"f\"\n", "9:8: 'E' is reported twice: leave one out"},
    {"scalar F\nreport F \"f\"\nE = C[i,i]\n", "9:8: no statement of the program computes the"},
    /* `finally`. */
    {"E = C[i,i]\nfinally\n", "9:1: 'finally' follows what is iterated, and there is no 'iterate'"},
    {ITERATE "R[i,j] = C[i,j]\nE = C[i,i]\nfinally\nfinally\n",
     "13:1: 'finally' appears in line 12 already"},
    {ITERATE "R[i,j] = C[i,j]\nE = C[i,i]\nscalar F\nfinally energy F\nE = C[i,i]\n",
     "13:1: no statement after 'finally' computes the energy 'F'"},
    {ITERATE "R[i,j] = C[i,j]\nE = C[i,i]\nscalar F\nfinally\nF += E\n",
     "14:1: 'F' would grow with every run; compute it by '=' after 'iterate', line 9"},
    {ITERATE "R[i,j] = C[i,j]\nfinally\nE = C[i,i]\n",
     "9:1: no statement between 'iterate' and 'finally' computes the energy"},
    {ITERATE "E = C[i,i]\nfinally\nR[i,j] = C[i,j]\n",
     "9:1: no statement between 'iterate' and 'finally' computes the residual"},
    /* Nothing to do. */
    {"", "8:1: expected at least one statement"},
};

/* The message is "x.tce:" and what is expected of it. */
static void check_message(const char *bytes, size_t length, const char *expected)
{
    struct program program;
    /* Not NUL-terminated, and nothing to read beyond it. */
    char *text = malloc(length > 0 ? length : 1);
    assert_non_null(text);
    memcpy(text, bytes, length);
    check_status(STATUS_INPUT, program_parse(text, length, "x.tce", &program));
    assert_null(program.tensors);
    assert_int_equal(strncmp(status_text(), "x.tce:", 6), 0);
    if (strncmp(status_text() + 6, expected, strlen(expected)) != 0)
        fail_msg("\n%s\ndoes not begin with\nx.tce:%s", status_text(), expected);
    free(text);
}

TEST(bad_programs_are_refused_with_place_and_reason)
{
    for (size_t b = 0; b < sizeof after_preamble / sizeof after_preamble[0]; b++) {
        char text[1024];
        int length = snprintf(text, sizeof text, PREAMBLE "%s", after_preamble[b].text);
        check_message(text, (size_t)length, after_preamble[b].message);
    }
}

TEST(binary_files_are_refused)
{
    static const struct {
        const char *bytes;
        size_t length;
        const char *message;
    } cases[] = {
        {"", 0, "1:1: expected at least one statement"},
        {"\n# nothing\n", 11, "3:1: expected at least one statement"},
        {"scalar E\nE = \0E\n", 16, "2:5: byte 0x00 found"},
        {"\x7F\x45LF\x02\x01", 6, "1:1: byte 0x7F found"},
        {"scalar \xC3\xA9\n", 10, "1:8: byte 0xC3 found"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++)
        check_message(cases[c].bytes, cases[c].length, cases[c].message);
}

/* A beginning, n times a piece with a running number, and an end; accepted without a message. */
static void check_repeated(const char *begin, const char *piece, int n, const char *end,
                           const char *message)
{
    char *text;
    size_t length;
    struct program program;
    FILE *stream = open_memstream(&text, &length);
    assert_non_null(stream);
    fputs(begin, stream);
    for (int i = 0; i < n; i++)
        fprintf(stream, piece, i);
    fputs(end, stream);
    fclose(stream);
    if (message) {
        check_message(text, length, message);
    } else {
        check_ok(parse(text, &program));
        program_fini(&program);
    }
    free(text);
}

TEST(large_programs_are_parsed_or_refused_soon)
{
    check_repeated("space O = 2\nindex i", ", i%d", 10000, " : O\n",
                   "2:33893: index 'i4999' is beyond the limit of 5000 such names");
    check_repeated("", "scalar E%d\n", 10000, "", "5001:8: tensor 'E5000' is beyond the limit");
    check_repeated(PREAMBLE "E = C[i,j]", " * C[i,j]", 10000, "\n",
                   "8:77: 'C' is tensor 9 of this");
    check_repeated("scalar E, F\nE = F", " + F", 100000, "\n",
                   "2:400005: this begins product 100001");
    check_repeated("space O = 1", ", 1", 1000000, "\nscalar E, F\nE = F", NULL);
    check_repeated(PREAMBLE "E = ", "x", 1000000, "\n",
                   "8:5: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has more than 60");
    check_repeated(PREAMBLE "E = ", "1", 1000000, " * C[i,j]\n",
                   "8:5: '111111111111111111111111111111111111111111...' has more than");
    check_repeated(PREAMBLE "E = C", "[", 1000000, "\n", "8:7: expected the name of an index");
}
