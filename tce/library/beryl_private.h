/* SPDX-License-Identifier: BSD-3-Clause */
/* A calculation of the library. Private to tce/library. */
#pragma once

#include "basis/quartets/quartet_batches.h"
#include "hf/calculation/hf_calculation.h"
#include "support/base/status.h"
#include "tce/library/beryl.h"

#include <stdbool.h>

enum { BERYL_TEXTS = 6 };

struct beryl_calculation {
    struct beryl_settings given; /* whose texts are those below */
    char *texts[BERYL_TEXTS];
    struct atom *atoms;
    struct hf_settings settings;
    struct hf_calculation hf;
    struct quartet_batches *batches; /* for single quartets; NULL before the first */
    bool solved;
    bool failed; /* may only be destroyed */
};

/* Refuses NULL and a calculation that has failed, and lets the log print, or not, as its settings
 * say. function: the public one; given: whether all its pointers are. Errors: STATUS_USAGE. */
enum status beryl_enter(const char *function, const struct beryl_calculation *calculation,
                        bool given);

/* The code for the caller; notes a failure in the calculation. */
enum beryl_error beryl_leave(struct beryl_calculation *calculation, enum status status);
