/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling mode from outside of the library. */
#pragma once

#include <taskpool/mode.h>

extern const struct taskpool_mode mode_countdown;
