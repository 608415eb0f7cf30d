/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up and tear-down of tests that use distributed arrays. */
#pragma once

#include "support/arrays/darray.h"
#include "tests/check.h"

static inline void darray_case_start(void)
{
    check_ok(darray_start());
}

static inline void darray_case_stop(void)
{
    darray_stop();
}
