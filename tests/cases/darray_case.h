/* SPDX-License-Identifier: BSD-3-Clause */
/* Set-up and tear-down of tests that use distributed arrays. */
#pragma once

#include "support/arrays/darray.h"
#include "tests/check.h"

static inline int darray_case_start(void **state)
{
    (void)state;
    return darray_start() != STATUS_OK;
}

static inline int darray_case_stop(void **state)
{
    (void)state;
    darray_stop();
    return 0;
}
