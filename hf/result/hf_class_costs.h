/* SPDX-License-Identifier: BSD-3-Clause */
/* The measurements of --profile-classes, as text and in the result. */
#pragma once

#include "basis/quartets/class_costs.h"

#include <jansson.h>

/* A table of the classes that occurred, by the process that log.h names. */
void hf_class_costs_print(const struct class_costs *costs);

/* The value of extras.beryl.classes; the caller owns it. NULL when out of memory. */
json_t *hf_class_costs_to_json(const struct class_costs *costs);
