/* SPDX-License-Identifier: BSD-3-Clause */
/* The .tce programs of the methods bind only what there is; a program that binds a tensor to an
 * unknown name, or to one of another form, is refused with its place. */
#include "tce/language/program.h"
#include "tce/methods/method_bindings.h"
#include "tce/methods/methods.h"
#include "tests/check.h"

#include <string.h>

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

static void refuse_text(const char *text, const char *message)
{
    check_status(STATUS_INPUT, check_text(text, strlen(text)));
    if (!strstr(status_text(), message))
        fail_msg("'%s' does not say '%s'", status_text(), message);
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

TEST(unknown_names_are_refused_with_those_known)
{
    refuse_text(SPACES "tensor A[i,a] = ripple(1)\nscalar E\nE = A[i,a] * A[i,a]\n",
                "x.tce:7:17: tensor 'A' cannot be bound to 'ripple'");
    refuse_text(SPACES "tensor A[i,a] = fock\nscalar E\nE = A[i,a] * A[i,a]\n",
                "denominators (1 / ");
}

TEST(functions_fill_tensors_too)
{
    const char *text = SPACES "tensor A[i,p] = wave(1)\nscalar E\nE = A[i,p] * A[i,p]\n";
    check_ok(check_text(text, strlen(text)));
    refuse_text(SPACES "tensor A[i,p] = wave(1, 2)\nscalar E\nE = A[i,p] * A[i,p]\n",
                "x.tce:7:17: wave takes 1 argument, not 2");
}

TEST(tensors_have_the_form_of_their_binding)
{
    refuse_text(SPACES "tensor g[i,a] = integrals\nscalar E\nE = g[i,a] * g[i,a]\n",
                "'g' has 2 indices, but integrals have 4");
    refuse_text(SPACES "tensor d[i,p] = denominators\nscalar E\nE = d[i,p] * d[i,p]\n",
                "index 2 of 'd' is neither occupied nor virtual");
}
