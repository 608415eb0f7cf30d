/* SPDX-License-Identifier: BSD-3-Clause */
#include "basis/integrals/libint_session.h"

#include <assert.h>
#include <libint2.h>

/* libint keeps its tables of functions in globals, so the count must be one too. */
static int n_open;

void libint_session_open(void)
{
    if (n_open++ == 0)
        libint2_static_init();
}

void libint_session_close(void)
{
    assert(n_open > 0);
    if (--n_open == 0)
        libint2_static_cleanup();
}
