/* SPDX-License-Identifier: BSD-3-Clause */
/* Two scheduling modes from outside of the library, which balance by stealing. */
#pragma once

#include <taskpool/mode.h>

extern const struct taskpool_mode mode_thieves, mode_halves;
