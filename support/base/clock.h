/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time. */
#pragma once

/* Seconds since an arbitrary moment, monotonic, resolution about 20 ns. */
double clock_now_s(void);
