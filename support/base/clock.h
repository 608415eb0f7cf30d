/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time. */
#ifndef BERYL_SUPPORT_CLOCK_H
#define BERYL_SUPPORT_CLOCK_H

/* Seconds since an arbitrary moment, monotonic, resolution about 20 ns. */
double clock_now_s(void);

#endif
