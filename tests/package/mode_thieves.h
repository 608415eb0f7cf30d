/* SPDX-License-Identifier: BSD-3-Clause */
/* Two scheduling modes from outside of the library, which balance by stealing. */
#ifndef MODE_THIEVES_H
#define MODE_THIEVES_H

#include <taskpool/mode.h>

extern const struct taskpool_mode mode_thieves, mode_halves;

#endif
