/* SPDX-License-Identifier: BSD-3-Clause */
/* The .tce programs of the methods bind only what there is; a program that binds a tensor to an
 * unknown name, or to one of another form, is refused with its place. */
#include "tce/language/program.h"
#include "tce/methods/method_bindings.h"
#include "tce/methods/methods.h"
#include "tests/cases/program_case.h"

#include <stdio.h>

#define SPACES                                                                                     \
    "space o = occupied\nspace v = virtual\nspace x = 4\nindex i, j : o\nindex a, b : v\nindex p " \
    ": x\n"

static enum status check_text(const char *text, size_t length)
{
    struct program program;
    check_ok(program_parse(text, length, "x.tce", &program));
    enum status status = method_bindings_check(&program);
    program_fini(&program);
    return status;
}

TEST(methods_bind_what_there_is)
{
    char names[] = TCE_METHOD_CHOICES;
    for (char *name = strtok(names, "|"); name; name = strtok(NULL, "|"))
        for (int n_orbital_sets = 1; n_orbital_sets <= 2; n_orbital_sets++) {
            size_t length;
            const char *text = tce_method_text(name, n_orbital_sets, &length);
            assert_non_null(text);
            check_ok(check_text(text, length));
        }
    assert_null(tce_method_text("fci", 1, NULL));
}

TEST(other_names_and_forms_are_refused)
{
    static const struct {
        const char *statements, *message;
    } cases[] = {
        {"tensor A[i,a] = ripple(1)\nscalar E\nE = A[i,a] * A[i,a]\n",
         "x.tce:7:17: tensor 'A' cannot be bound to 'ripple'"},
        {"tensor A[i,a] = dipole\nscalar E\nE = A[i,a] * A[i,a]\n", "denominators (1 / "},
        {"tensor A[i,p] = wave(1)\nscalar E\nE = A[i,p] * A[i,p]\n", NULL},
        {"tensor A[i,p] = wave(1, 2)\nscalar E\nE = A[i,p] * A[i,p]\n",
         "x.tce:7:17: wave takes 1 argument, not 2"},
        {"tensor g[i,a] = integrals\nscalar E\nE = g[i,a] * g[i,a]\n",
         "'g' has 2 indices, not the 4 of integrals"},
        {"tensor d[i,p] = denominators\nscalar E\nE = d[i,p] * d[i,p]\n",
         "index 2 of 'd' is neither occupied nor virtual"},
        {"tensor f[i,j,a,b] = fock\nscalar E\nE = f[i,j,a,b] * f[i,j,a,b]\n",
         "'f' has 4 indices, not the 2 of fock"},
        {"tensor f[i,a] = fock\ntensor o[i,j] = fock\nscalar E\nE = f[i,a] * f[i,a]\n", NULL},
    };
    for (size_t c = 0; c < sizeof cases / sizeof cases[0]; c++) {
        char text[500];
        int length = snprintf(text, sizeof text, SPACES "%s", cases[c].statements);
        const char *message = cases[c].message;
        check_refusal(message ? STATUS_INPUT : STATUS_OK, check_text(text, (size_t)length),
                      message ? message : "");
    }
}
