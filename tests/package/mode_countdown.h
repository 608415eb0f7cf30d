/* SPDX-License-Identifier: BSD-3-Clause */
/* A scheduling mode from outside of the library. */
#ifndef MODE_COUNTDOWN_H
#define MODE_COUNTDOWN_H

#include <taskpool/mode.h>

extern const struct taskpool_mode mode_countdown;

#endif
