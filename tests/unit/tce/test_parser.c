/* SPDX-License-Identifier: BSD-3-Clause */
/* The text of a .tce program becomes the data that it says; every mistake is reported with its
 * line, its column and what was expected, and no text makes the parser hang or fail. */
#include "support/io/text_file.h"
#include "tce/language/program.h"
#include "tests/check.h"

#include <stdlib.h>
#include <string.h>

/* The first PREAMBLE_LINES lines of most bad programs. */
#define PREAMBLE                                                                                   \
    "space O = 6, 4 irrep 1\n"                                                                     \
    "space V = 8\n"                                                                                \
    "index i, j, k, l : O\n"                                                                       \
    "index a, b : V\n"                                                                             \
    "tensor A[i,j,a] = wave(1)\n"                                                                  \
    "tensor C[i,j]\n"                                                                              \
    "scalar E\n"
enum { PREAMBLE_LINES = 7 };

static enum status parse(const char *text, struct program *program)
{
    return program_parse(text, strlen(text), "x.tce", program);
}

static void check_place(struct source_place place, int line, int column)
{
    assert_int_equal(place.line, line);
    assert_int_equal(place.column, column);
}

TEST(spaces_have_blocks_or_a_binding)
{
    struct program program;
    check_ok(parse("tile 30\n"
                   "space O = 240 irrep 3, 180, 7 irrep 7 alpha, 1 beta tile 10\n"
                   "space v = virtual\n"
                   "space w = virtual tile 5\n"
                   "scalar E, F\nE = F\n",
                   &program));
    assert_int_equal(program.tile, 30);
    assert_int_equal(program.n_spaces, 3);
    const struct program_space *O = &program.spaces[0];
    const struct index_block expected[] = {{240, 3, 0}, {180, 0, 0}, {7, 7, 1}, {1, 0, -1}};
    assert_string_equal(O->name, "O");
    check_place(O->place, 2, 7);
    assert_null(O->binding);
    assert_int_equal(O->n_blocks, 4);
    assert_memory_equal(O->blocks, expected, sizeof expected);
    assert_int_equal(O->tile, 10);
    assert_true(O->has_irreps);
    assert_string_equal(program.spaces[1].binding, "virtual");
    check_place(program.spaces[1].binding_place, 3, 11);
    assert_int_equal(program.spaces[1].tile, 0);
    assert_int_equal(program.spaces[2].tile, 5);
    assert_string_equal(program.file, "x.tce");
    program_fini(&program);
}

TEST(tensors_have_spaces_signs_labels_and_a_fill)
{
    struct program program;
    check_ok(parse("space O = 3 irrep 1 alpha, 3 beta\nspace V = 2\n"
                   "index i, j : O\nindex a : V\n"
                   "tensor T[a,i|j] irrep 1 spin 2 = wave(0.3, -1/2, 1e-3)\n"
                   "tensor U[|i] irrep 1 spin -1 = wave()\n"
                   "tensor Z[a,a]\n"
                   "tensor g[a] = integrals\n"
                   "scalar E = half\n"
                   "E = T[a,i|j] * U[|i]\n",
                   &program));
    const struct program_tensor *T = &program.tensors[0], *U = T + 1, *Z = T + 2;
    assert_int_equal(T->rank, 3);
    assert_true(T->has_bar);
    const int spaces[] = {1, 0, 0};
    const int8_t signs[] = {1, 1, -1};
    const double arguments[] = {0.3, -0.5, 1e-3};
    assert_memory_equal(T->space, spaces, sizeof spaces);
    assert_memory_equal(T->sign, signs, sizeof signs);
    assert_int_equal(T->irrep, 1);
    assert_int_equal(T->spin, 2);
    assert_string_equal(T->fill, "wave");
    check_place(T->fill_place, 5, 34);
    assert_int_equal(T->n_arguments, 3);
    assert_memory_equal(T->arguments, arguments, sizeof arguments);
    assert_int_equal(U->sign[0], -1);
    assert_int_equal(U->spin, -1);
    assert_int_equal(U->n_arguments, 0);
    assert_int_equal(Z->rank, 2);
    assert_false(Z->has_bar);
    assert_null(Z->fill);
    assert_string_equal(program.tensors[3].fill, "integrals");
    assert_int_equal(program.tensors[4].rank, 0);
    assert_string_equal(program.tensors[4].fill, "half");
    program_fini(&program);
}

TEST(a_statement_is_a_sum_of_products)
{
    struct program program;
    check_ok(parse(PREAMBLE "tensor D[i,j] = wave\ntensor f[a]\n"
                            "C[j,i] -= - 1/2*A[i,j,a] * f[a] * 3 +  # why\n"
                            "\n"
                            "   D[i,k]*D[k,j] # end\n"
                            "E = 2.5e-1 * -D[i,i] * 1/8 * D[j,k]",
                   &program));
    assert_int_equal(program.n_statements, 2);
    const struct program_statement *C = &program.statements[0], *E = C + 1;
    assert_string_equal(C->text, "C[j,i] -= - 1/2*A[i,j,a] * f[a] * 3 + D[i,k]*D[k,j]");
    check_place(C->place, PREAMBLE_LINES + 3, 1);
    assert_true(C->add);
    assert_int_equal(C->target.index[0], 1);
    assert_int_equal(C->target.index[1], 0);
    assert_int_equal(C->n_terms, 2);
    check_close(C->terms[0].coefficient, 1.5, 0);
    assert_int_equal(C->terms[0].n_factors, 2);
    check_close(C->terms[1].coefficient, -1, 0);
    check_place(C->terms[1].factors[1].place, PREAMBLE_LINES + 5, 11);
    assert_string_equal(program.tensors[C->terms[1].factors[1].tensor].name, "D");
    assert_string_equal(E->text, "E = 2.5e-1 * -D[i,i] * 1/8 * D[j,k]");
    assert_false(E->add);
    check_close(E->terms[0].coefficient, -1.0 / 32, 0);
    assert_int_equal(program.energy, -1);
    assert_int_equal(program.n_unknowns, 0);
    assert_int_equal(program.first_iterated, 2);
    program_fini(&program);
}

TEST(iterate_names_unknowns_residuals_and_the_energy)
{
    struct program program;
    check_ok(parse("space o = occupied\nindex i : o\n"
                   "tensor h[i]\ntensor t[i]\ntensor r[i]\nscalar s, q, energy\n"
                   "h[i] = t[i]\n"
                   "iterate t from r, s from q, energy energy\n"
                   "r[i] = h[i]\nr[i] += t[i]\nq = s\nenergy = h[i] * t[i]\n",
                   &program));
    assert_int_equal(program.first_iterated, 1);
    assert_int_equal(program.n_unknowns, 2);
    assert_int_equal(program.unknowns[0].tensor, 1);
    assert_int_equal(program.unknowns[0].residual, 2);
    assert_int_equal(program.unknowns[1].tensor, 3);
    assert_int_equal(program.unknowns[1].residual, 4);
    assert_int_equal(program.energy, 5);
    program_fini(&program);
}

TEST(line_ends_blanks_and_comments_do_not_matter)
{
    static const char *const texts[] = {
        "space O=6\nindex i:O\ntensor A[i]\nscalar E\nE=A[i]",
        "space O=6\r\nindex i:O\r\ntensor A[i]\r\nscalar E\r\nE=A[i]\r\n",
        ("\xEF\xBB\xBF\n\n# caf\xC3\xA9\n\tspace O = 6 # six\n\nindex i : O\ntensor A [ i ]\n"
         "scalar E\nE\t= A[ # the\n\n i # index\n ]\n\n# end"),
        "space O =\n6\nindex i,\n\ni2 :\nO\ntensor A[\ni\n]\nscalar E,\nF\nE =\n  A[i]\n",
    };
    for (size_t t = 0; t < sizeof texts / sizeof texts[0]; t++) {
        struct program program;
        check_ok(parse(texts[t], &program));
        assert_int_equal(program.n_statements, 1);
        program_fini(&program);
    }
}

static const struct bad_program {
    const char *text, *message; /* message: after the name of the file */
} after_preamble[] = {
    /* Names. */
    {"C[i,x] = A[i,j,a]\n", "8:5: unknown index 'x'; it must be declared"},
    {"C[i,j] = X[i,j]\n", "8:10: unknown tensor 'X'; it must be declared"},
    {"tensr D[i,j]\n", "8:1: unknown tensor 'tensr'"},
    {"index x : W\n", "8:11: unknown space 'W'"},
    {"space O = 3\n", "8:7: space 'O' was declared before, in line 1"},
    {"index x, a : V\n", "8:10: index 'a' was declared before, in line 4"},
    {"index x, x : V\n", "8:10: index 'x' was declared before, in line 8"},
    {"tensor A[i]\n", "8:8: tensor 'A' was declared before, in line 5"},
    {"scalar A\n", "8:8: tensor 'A' was declared before, in line 5"},
    {"scalar tile\n", "8:8: 'tile' is a word of the language"},
    {"tile 3\ntile 4\n", "9:1: 'tile' appears in line 8 already; a space has a tile of its own"},
    /* Indices. */
    {"C[i,j] = A[i,j]\n", "8:10: 'A' has rank 2 here, but rank 3 in its declaration, line 5"},
    {"C[i,j] = A\n", "8:10: 'A' has rank 0 here, but rank 3"},
    {"E[i] = C[i,j]\n", "8:1: 'E' has rank 1 here, but rank 0"},
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
    {"C[i,j] = A[i,j,\ntensor D[i]\n", "9:1: unknown index 'tensor'"},
    {"C[i,j] = A[i,j\ntensor D[i]\n", "9:1: expected ',' or ']' in the brackets opened at 8:11, "
                                      "found 'tensor'"},
    {"E = C[i,j", "8:10: expected ',' or ']' in the brackets opened at 8:6, found the end of the "
                  "file"},
    {"E = C[[i,j]\n", "8:7: expected the name of an index, found '['"},
    {"E = C[i,,j]\n", "8:9: expected the name of an index, found ','"},
    {"E = C[]\n",
     "8:7: expected the name of an index, for a scalar is written without brackets, found"},
    {"tensor D[|]\n", "8:11: expected the name of an index, found ']'"},
    {"tensor D[i|j|k]\n", "8:13: expected ',' or ']' in the brackets opened at 8:9, found '|'"},
    {"E = C[i,j]]\n", "8:11: expected '*', '+', '-' or the end of the line, found ']'"},
    {"E = (C[i,i] + C[i,j]) * 2\n", "8:5: expected a number or a tensor; the language has no "
                                    "parentheses"},
    {"E = ((((((((\n", "8:5: expected a number or a tensor; the language has no parentheses"},
    /* Coefficients and numbers. */
    {"E = 1/0 * C[i,j]\n", "8:7: division by zero in a coefficient"},
    {"E = 1/0.0e5 * C[i,j]\n", "8:7: division by zero in a coefficient"},
    {"E = C[i,j] / 2\n", "8:12: expected '*', '+', '-' or the end of the line; only a number can"},
    {"E = 1e999 * C[i,j]\n", "8:5: '1e999' is beyond double precision"},
    {"E = 1e-999 * C[i,j]\n", "8:5: '1e-999' is beyond double precision"},
    {"E = 1e300 * 1e300 * C[i,j]\n", "8:13: the coefficient is beyond double precision"},
    {"E = 1e-300 * C[i,j] * 1e-300\n", "8:23: the coefficient is beyond double precision"},
    {"E = 2C[i,j]\n", "8:5: '2C' is neither a number nor a name"},
    {"E = 1.2.3 * C[i,j]\n", "8:5: '1.2.3' is neither a number nor a name"},
    {"E = 0x10 * C[i,j]\n", "8:5: '0x10' is neither a number nor a name"},
    {"E = nan * C[i,j]\n", "8:5: unknown tensor 'nan'"},
    {"E = 2 * 3\n", "8:5: a product of numbers alone; expected a tensor"},
    {"E = 2 A[i,i]\n", "8:7: expected '*' between a number and a tensor, found 'A'"},
    {"tile 0\n", "8:6: expected the values in a tile, a whole number from 1 to 1000000000, found "
                 "'0'"},
    {"tile -3\n", "8:6: expected the values in a tile, a whole number from 1 to 1000000000, found "
                  "'-' and '3'"},
    {"tile 99999999999999999999999999\n", "8:6: expected the values in a tile"},
    {"space W = 1000000001\n", "8:11: expected the size of a block, a whole number from 1 to 1000"},
    {"space W = 2.5\n", "8:11: expected the size of a block"},
    {"space W = 3 irrep 8\n", "8:19: expected an irrep, a whole number from 0 to 7, found '8'"},
    {"tensor D[i] irrep -1\n", "8:19: expected an irrep, a whole number from 0 to 7"},
    {"tensor D[i] spin 2\n", "8:18: expected a spin, a whole number from -1 to 1, found '2'"},
    {"tensor D[i] = wave(\n1, x)\n", "9:4: expected a number such as 0.5, 1/2 or -3, found 'x'"},
    {"tensor D[i] = wave(1/0)\n", "8:22: division by zero"},
    {"tensor D[i] = wave(1\n", "9:1: expected ',' or ')' in the numbers of a function, found the "
                               "end of the file"},
    /* Grammar. */
    {"C[i,j]\n", "8:7: expected '=', '+=' or '-=', found the end of the line"},
    {"C[i,j] * E\n", "8:8: expected '=', '+=' or '-=', found '*'"},
    {"E =\n", "9:1: expected a number or a tensor, found the end of the file"},
    {"E = C[i,j] +\n+", "9:2: expected a number or a tensor, found the end of the file"},
    {"E = C[i,j] E\n", "8:12: expected '*', '+', '-' or the end of the line, found 'E'"},
    {"E = C[i,j] ? E\n", "8:12: '?' is not part of the language"},
    {"[i,j] = E\n", "8:1: expected a declaration (tile, space, index, tensor, scalar, iterate, "
                    "finally, report, for) or"},
    {"space W 5\n", "8:9: expected '=' and the blocks of the space"},
    {"space W = 5 7\n", "8:13: expected ',' and the next block, 'irrep'"},
    {"space W = virtual, 7\n", "8:18: expected 'tile' or the end of the line, found ','"},
    {"space = 7\n", "8:7: expected the name of a space, found '='"},
    {"index x y : V\n", "8:9: expected ',' and another index, or ':' and their space, found 'y'"},
    {"index x\n", "8:8: expected ',' and another index, or ':' and their space, found the end of "
                  "the line"},
    {"tensor D\n", "8:9: expected '[' and the indices of the tensor; one without indices is "
                   "declared by 'scalar', found the end of the line"},
    {"tensor D[i] spin 0 irrep 1\n",
     "8:20: expected 'irrep', 'spin', 'symmetric', 'antisymmetric' and '='"},
    {"tensor D[i] = 3\n", "8:15: expected the name of what fills the tensor, found '3'"},
    {"scalar D[i]\n", "8:9: expected a scalar without indices; others are declared by 'tensor'"},
    {"tile 5 6\n", "8:8: expected the end of the line, found '6'"},
    /* Labels. */
    {"tensor D[i,j] irrep 1\nE = D[i,j] * C[j,i]\n",
     "9:5: the labels of this product can never be met: the irreps of its tensors do not give that "
     "of 'E'"},
    {"E = C[i,j]\ntensor D[i,j] irrep 1\nC[i,j] = A[i,j,a] - 2 * D[i,k] * C[k,j]\n",
     "10:34: 'C' is computed from itself"},
    {"tensor D[i,j] irrep 1\nD[i,j] = A[k,i,a] - 2 * A[i,k,a] * A[k,j,a]\n",
     "9:10: index 'j' of 'D'"},
    {"tensor D[i,j] irrep 1\nD[i,j] = 2 * A[i,k,a] * A[k,j,a]\n",
     "9:10: the labels of this product can never be met"},
    {"space S = 2 alpha, 2 beta\nindex s, t : S\ntensor D[s|t] spin 2\nE = D[s,s]\n",
     "11:5: the labels of this product can never be met: the spins of its tensors"},
    /* Iteration. */
    {"iterate C from C, energy E\n",
     "8:16: 'C' appears in 'iterate' twice; expected another tensor"},
    {"iterate C from A, energy E\n", "8:16: 'A' and its unknown 'C' differ in their indices"},
    {"iterate C energy E\n", "8:11: expected 'from' and the residual of the unknown"},
    {"tensor R[i,j]\ntensor T[i,j] = constant(0)\niterate T from R, energy E\n",
     "10:9: 'T' is filled with 'constant', but iterated: begin with a statement before 'iterate' "
     "instead, or at zero"},
    {"tensor R[i,j]\niterate C from R\n", "9:17: expected ',' and another unknown, or ', energy'"},
    {"tensor R[i,j]\niterate C from R, energy A\n", "9:26: the energy 'A' has indices"},
    {"tensor R[i,j]\niterate C from R, C from R, energy E\n",
     "9:19: 'C' appears in 'iterate' twice"},
    {"tensor R[i,j]\niterate C from R, energy E\nE = C[i,j]\n",
     "9:1: no statement after 'iterate' computes the residual 'R'"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\n",
     "9:1: no statement after 'iterate' computes the energy 'E'"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] += C[i,j]\n",
     "10:1: 'R' would grow with every iteration; compute it by '=' after 'iterate', line 9"},
    {"tensor R[i,j]\niterate C from R, energy E\nE = C[i,j]\niterate C from R, energy E\n",
     "11:1: 'iterate' appears in line 9 already"},
    /* Symmetrizers. */
    {"E = sym(i, k) \n", "8:15: expected a tensor after what is permuted"},
    {"E = sym A[i,j,a]\n",
     "8:9: expected '(' and the indices that are permuted, as in antisym(a, b), found 'A'"},
    {"E = antisym[i,j] A[i,j,a]\n", "8:12: expected '(' and the indices that are permuted"},
    {"E = sym(i) A[i,j,a]\n",
     "8:8: only one group of indices: there is nothing to exchange it with"},
    {"E = sym() A[i,j,a]\n", "8:9: expected the name of an index, found ')'"},
    {"E = sym(i, ) A[i,j,a]\n", "8:12: expected the name of an index, found ')'"},
    {"E = sym(/ i) A[i,j,a]\n", "8:9: expected the name of an index, found '/'"},
    {"E = sym(i / ) A[i,j,a]\n", "8:13: expected the name of an index, found ')'"},
    {"E = sym(i / j / k) A[i,j,a]\n", "8:15: expected another index, ',' or ')', found '/'"},
    {"E = sym(i, j / k) A[i,j,a]\n", "8:14: expected another index, ',' or ')', found '/'"},
    {"E = sym(i, j A[i,j,a]\n", "8:14: unknown index 'A'"},
    {"E = sym(i, a) A[i,j,a]\n",
     "8:12: 'i' and 'a' are of different spaces and cannot be exchanged"},
    {"E = sym(i a, b j) A[i,j,a]\n",
     "8:14: 'i' and 'b' are of different spaces and cannot be exchanged"},
    {"E = sym(i a, j) A[i,j,a]\n",
     "8:14: this group has 1 index, the one before it 2; groups that are exchanged have "},
    {"E = sym(i / j k, l i) A[i,j,a]\n",
     "8:13: this group has 2 indices, the one before it 1; groups"},
    {"E = sym(i, i) A[i,j,a]\n", "8:8: 'i' appears twice in what is exchanged"},
    {"E = sym(i j, j k) A[i,j,a]\n", "8:8: 'j' appears twice in what is exchanged"},
    {"index m, n, o : O\nE = sym(i,j,k,l,m,n,o) A[i,j,a]\n",
     "9:21: group 7 of what is permuted; at most 6 are possible"},
    {"index m, n, o : O\nE = sym(i j k l m n o) A[i,j,a]\n",
     "9:21: group 7 of what is permuted; at most 6 are possible"},
    {"E = sym(i,j) sym(k,l) sym(i,j) sym(k,l) sym(i,j) A[i,j,a]\n",
     "8:41: sym(...) or antisym(...) number 5 of this product; at most 4 are possible"},
    {"E = sym(i,j) 2 * A[i,j,a]\n",
     "8:14: expected a tensor after what is permuted; a number stands before it, as in 1/2 * sym"},
    {"E = sym(i,j) (A[i,j,a] + A[i,i,a])\n", "8:14: expected a tensor after what is permuted"},
    {"E = sym(i,j) - A[i,j,a]\n", "8:14: expected a tensor after what is permuted"},
    {"C[i,j] = sym(i,k) A[i,j,a]\n",
     "8:16: 'k' takes the place of 'i' here, but no factor of this product has it: permute"},
    {"C[i,j] = antisym(i / j, k) sym(k, l) A[i,j,a]\n", "8:25: 'k' takes the place of 'i' here"},
    /* Loops. */
    {"for a by tile\nE = A[i,i,a]\n",
     "8:1: this loop has no 'end': write it after its last statement"},
    {"end\nE = C[i,i]\n", "8:1: 'end' without a loop before it: leave it out"},
    {"for a by tile\nE = A[i,i,a]\nend\nend\n", "11:1: 'end' without a loop before it"},
    {"for a by tile\nE = A[i,i,a]\nend end\n", "10:5: expected the end of the line, found 'end'"},
    {"for a by tile\nend\n", "8:1: this loop has no statement: sum a scalar in it"},
    {"for a by tile\nfor b by tile\nE = A[i,i,a]\nend\nend\n",
     "9:1: 'for' cannot stand in the loop of line 8"},
    {"for x by tile\nE = C[i,i]\nend\n", "8:5: unknown index 'x'; it must be declared"},
    {"for A by tile\nE = C[i,i]\nend\n", "8:5: unknown index 'A'; it must be declared"},
    {"for\n", "8:4: expected the name of an index, found the end of the line"},
    {"for a\n",
     "8:6: expected ',' or '>=' and another index, or 'by tile', found the end of the line"},
    {"for a tile\n", "8:7: expected ',' or '>=' and another index, or 'by tile', found 'tile'"},
    {"for a by 3\n", "8:10: expected 'tile', found '3'"},
    {"for a by tile 0\n",
     "8:15: expected the values in a tile, a whole number from 1 to 1000000000, found '0'"},
    {"for a by tile -2\n", "8:15: expected the end of the line, found '-'"},
    {"for a by tile 2.5\n", "8:15: expected the values in a tile, a whole number"},
    {"for a by tile E = A[i,i,a]\n", "8:15: expected the end of the line, found 'E'"},
    {"for a >= i by tile\n",
     "8:10: 'i' and 'a' are of different spaces and have no order: write ','"},
    {"for i >= j, k by tile\n", "8:11: expected '>=' and another index, or 'by tile', found ','"},
    {"for i, j >= k by tile\n",
     "8:10: expected ',' or '>=' and another index, or 'by tile', found '>='"},
    {"for i > j by tile\n", "8:7: '>' is not part of the language"},
    {"for a, a by tile\n", "8:8: 'a' appears in the loop twice: leave one out"},
    {"for i >= j >= i by tile\n", "8:15: 'i' appears in the loop twice"},
    {"for i,j,k,l,a,b,i by tile\n", "8:17: a loop has at most 6 indices"},
    {"for a by tile\nC[i,j] = A[i,j,a]\nend\n",
     "9:1: 'C' is stored: a loop over tiles computes tensors that are declared in it, and scalars"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[a]\nend\nE += W[a]\n",
     "13:6: 'W' is local to the loop of line 8; declare a tensor outside of it"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[a]\nend\nW[a] = A[i,i,a]\n",
     "13:1: 'W' is local to the loop of line 8"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[a]\nend\ntensor W[a]\n",
     "13:8: tensor 'W' was declared before, in line 9"},
    {"for a by tile\ntensor W[a]\nE = W[a]\nend\n",
     "10:5: 'W' has no value yet: compute it by '=' in a line before this one"},
    {"for a by tile\ntensor W[a]\nW[a] += A[i,i,a]\nE = W[a]\nend\n",
     "10:1: 'W' has no value yet: compute it by '=' in a line before this one"},
    {"for a by tile\ntensor W[a]\nW[a] = A[i,i,a]\nE = W[b]\nend\n",
     "11:5: place 1 of 'W' holds one tile of 'a', by its declaration in line 9: 'b' cannot stand"},
    {"for a by tile\ntensor W[b]\nW[a] = A[i,i,a]\nE = W[a]\nend\n",
     "10:1: place 1 of 'W' holds all values of 'V', by its declaration in line 9: 'a' cannot"},
    {"for i by tile\ntensor W[i,j]\nW[i,j] = C[i,j]\nE = W[i,i]\nend\n",
     "11:5: place 2 of 'W' holds all values of 'O'"},
    {"for a by tile\ntensor W[i,j]\nW[i,j] = A[i,j,a]\nE = W[i,i]\nend\n",
     "10:10: 'W' would have the sum over one tile of 'a', of the loop, alone: declare 'W' with "
     "'a'"},
    {"for a, b by tile\nE = A[i,i,a]\nend\n",
     "9:5: index 'b' of the loop is missing in this product, which would be added to 'E' once for "
     "each of its tiles: leave 'b' out of the loop"},
    {"for i by tile\nE = C[i,i] - A[j,j,a]\nend\n",
     "9:14: index 'i' of the loop is missing in this product"},
    {"scalar F\nfor i by tile\nE = C[i,i]\nF = E * C[i,i]\nend\n",
     "11:5: 'E' is summed over the whole loop: its value is known after 'end'"},
    {"for a by tile\nspace W = 3\n",
     "9:1: 'space' cannot stand in the loop of line 8, which has tensors of its own and statements "
     "only: move it before the loop, or write 'end' first"},
    {"for a by tile\nindex x : V\n", "9:1: 'index' cannot stand in the loop of line 8"},
    {"for a by tile\nscalar F\n", "9:1: 'scalar' cannot stand in the loop of line 8"},
    {"for a by tile\ntile 3\n", "9:1: 'tile' cannot stand in the loop of line 8"},
    {"for a by tile\niterate C from C, energy E\n",
     "9:1: 'iterate' cannot stand in the loop of line 8"},
    {"for a by tile\nfinally\n", "9:1: 'finally' cannot stand in the loop of line 8"},
    {"for a by tile\nreport E \"x\"\n", "9:1: 'report' cannot stand in the loop of line 8"},
    {"for a by tile\ntensor C[i,a]\n", "9:8: tensor 'C' was declared before, in line 6"},
    {"for a by tile\ntensor W\n", "9:9: expected '[' and the indices of the tensor"},
    /* Words of the language. */
    {"scalar sym\n", "8:8: 'sym' is a word of the language; choose another name"},
    {"index antisym : V\n", "8:7: 'antisym' is a word of the language"},
    {"tensor for[i]\n", "8:8: 'for' is a word of the language"},
    {"space end = 3\n", "8:7: 'end' is a word of the language"},
    {"scalar report\n", "8:8: 'report' is a word of the language"},
    {"scalar finally\n", "8:8: 'finally' is a word of the language"},
    /* Reports and texts. */
    {"report C \"c\"\n", "8:8: the reported 'C' has indices; expected a scalar"},
    {"report\n", "8:7: expected the name of a scalar, found the end of the line"},
    {"report \"e\" E\n", "8:8: expected the name of a scalar, found '\"e\"'"},
    {"report E\n",
     "8:9: expected what the scalar is, in quotes, as in \"fourth order\", found the end of"},
    {"report E \"\"\n", "8:10: expected what the scalar is, in quotes"},
    {"report E energy\n", "8:10: expected what the scalar is, in quotes"},
    {"report E \"e\nE = C[i,i]\n",
     "8:10: '\"e' is a text without '\"' at its end, in the same line"},
    {"report E \"e\" \"e\"\n", "8:14: expected the end of the line, found '\"e\"'"},
    {"report E \"e\"\nreport E \"f\"\n", "9:8: 'E' is reported twice: leave one out"},
    {"report F \"f\"\n", "8:8: unknown tensor 'F'"},
    {"scalar F\nreport F \"f\"\nE = C[i,i]\n", "9:8: no statement of the program computes the "
                                               "reported 'F': compute it there, or name another"},
    {"E = \"e\"\n", "8:5: expected a number or a tensor, found '\"e\"'"},
    /* `finally`. */
    {"E = C[i,i]\nfinally\n",
     "9:1: 'finally' follows what is iterated, and there is no 'iterate' before it: leave it out"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nfinally\nfinally\n",
     "13:1: 'finally' appears in line 12 already"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nfinally energy C\n",
     "12:16: the energy 'C' has indices; expected a scalar"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nfinally energy\n",
     "12:15: expected the name of a scalar, found the end of the line"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nfinally E\n",
     "12:9: expected the end of the line, found 'E'"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nscalar F\nfinally "
     "energy F\nE = C[i,i]\n",
     "13:1: no statement after 'finally' computes the energy 'F'"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nE = C[i,i]\nscalar F\nfinally\nF "
     "+= E\n",
     "14:1: 'F' would grow with every run; compute it by '=' after 'iterate', line 9"},
    {"tensor R[i,j]\niterate C from R, energy E\nR[i,j] = C[i,j]\nfinally\nE = C[i,i]\n",
     "9:1: no statement between 'iterate' and 'finally' computes the energy 'E'"},
    {"tensor R[i,j]\niterate C from R, energy E\nE = C[i,i]\nfinally\nR[i,j] = C[i,j]\n",
     "9:1: no statement between 'iterate' and 'finally' computes the residual 'R'"},
    /* Nothing to do. */
    {"", "8:1: expected at least one statement"},
};

/* The message is "x.tce:" and what is expected of it. */
static void check_message(const char *text, size_t length, const char *expected)
{
    struct program program;
    check_status(STATUS_INPUT, program_parse(text, length, "x.tce", &program));
    assert_null(program.tensors);
    assert_int_equal(strncmp(status_text(), "x.tce:", 6), 0);
    if (strncmp(status_text() + 6, expected, strlen(expected)) != 0)
        fail_msg("\n%s\ndoes not begin with\nx.tce:%s", status_text(), expected);
}

TEST(bad_programs_are_refused_with_place_and_reason)
{
    for (size_t b = 0; b < sizeof after_preamble / sizeof after_preamble[0]; b++) {
        char text[1024];
        int length = snprintf(text, sizeof text, PREAMBLE "%s", after_preamble[b].text);
        check_message(text, (size_t)length, after_preamble[b].message);
    }
}

static void check_bytes(const char *bytes, size_t length, const char *message)
{
    /* Not NUL-terminated, and nothing to read beyond it. */
    char *text = malloc(length > 0 ? length : 1);
    assert_non_null(text);
    memcpy(text, bytes, length);
    check_message(text, length, message);
    free(text);
}

TEST(binary_files_are_refused)
{
    check_bytes("", 0, "1:1: expected at least one statement");
    check_bytes("\n# nothing\n", 11, "3:1: expected at least one statement");
    check_bytes("\0\0\0\0", 4, "1:1: byte 0x00 found");
    check_bytes("scalar E\nE = \0E\n", 16, "2:5: byte 0x00 found");
    check_bytes("scalar E # \0\n", 13, "1:12: byte 0x00 found");
    check_bytes("\x7F"
                "ELF\x02\x01",
                6, "1:1: byte 0x7F found");
    check_bytes("scalar \xC3\xA9\n", 10, "1:8: byte 0xC3 found");
    char rubbish[256];
    for (int i = 0; i < 256; i++)
        rubbish[i] = (char)(i * 167 + 129);
    check_bytes(rubbish, sizeof rubbish, "1:1: byte 0x81 found");
}

/* A text of a beginning, n times a piece with a running number, and an end. */
static char *repeat(const char *begin, const char *piece, int n, const char *end)
{
    size_t room = strlen(begin) + strlen(end) + (size_t)n * (strlen(piece) + 12) + 1;
    char *text = malloc(room);
    assert_non_null(text);
    size_t length = (size_t)snprintf(text, room, "%s", begin);
    for (int i = 0; i < n; i++)
        for (const char *c = piece; *c; c++)
            if (*c == '@')
                length += (size_t)snprintf(text + length, room - length, "%d", i);
            else
                text[length++] = *c;
    snprintf(text + length, room - length, "%s", end);
    return text;
}

static void check_repeated(const char *begin, const char *piece, int n, const char *end,
                           const char *message)
{
    char *text = repeat(begin, piece, n, end);
    if (message) {
        check_message(text, strlen(text), message);
    } else {
        struct program program;
        check_ok(parse(text, &program));
        program_fini(&program);
    }
    free(text);
}

TEST(large_programs_are_parsed_or_refused_soon)
{
    check_repeated(PREAMBLE "tensor D[i", ",j", 10000, "]\n", "8:34: 'j' is index 13 of this");
    check_repeated("space O = 2\nindex i", ", i@", 10000, " : O\n",
                   "2:33893: index 'i4999' is beyond the limit of 5000 such names");
    check_repeated("", "scalar E@\n", 10000, "", "5001:8: tensor 'E5000' is beyond the limit");
    check_repeated(PREAMBLE "E = C[i,j]", " * C[i,j]", 10000, "\n",
                   "8:77: 'C' is tensor 9 of this");
    check_repeated(PREAMBLE, "E += C[i,j]\n", 10000, "", NULL);
    check_repeated("scalar E, F\nE = F", " + F", 100000, "\n",
                   "2:400005: this begins product 100001");
    check_repeated(PREAMBLE, "\n", 1000000, "E = C[i,j]", NULL);
    check_repeated("space O = 1", ", 1", 1000000, "\nscalar E, F\nE = F", NULL);
    check_repeated(PREAMBLE "# ", "long ", 1000000, "\nE = C[i,j]", NULL);
    check_repeated(PREAMBLE "E = ", "x", 1000000, "\n",
                   "8:5: 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...' has more than 60");
    check_repeated(PREAMBLE "E = ", "1", 1000000, " * C[i,j]\n",
                   "8:5: '111111111111111111111111111111111111111111...' has more than");
    check_repeated(PREAMBLE "E = C", "[", 1000000, "\n", "8:7: expected the name of an index");
    check_repeated(PREAMBLE "E = ", "- ", 1000000, "C[i,j]\n", "8:7: expected a number or a");
}

/* The programs that come with Beryl; their paths are the arguments of this program. */
static int n_files;
static char **files;

TEST(shipped_programs_are_accepted)
{
    assert_true(n_files > 0);
    for (int f = 0; f < n_files; f++) {
        struct text_file text;
        struct program program;
        check_ok(text_file_read(files[f], &text));
        check_ok(program_parse(text.bytes, text.length, files[f], &program));
        text_file_fini(&text);
        program_fini(&program);
    }
}

int main(int argc, char **argv)
{
    n_files = argc - 1;
    files = argv + 1;
    return check_run(argc, argv);
}
