/* SPDX-License-Identifier: BSD-3-Clause */
/* Wall time, and processor time of this thread. */
#pragma once

/* Seconds since an arbitrary moment, monotonic, resolution about 20 ns. */
double clock_now_s(void);

/* Seconds for which this thread has had a core, monotonic; some 0.3 us a call. */
double clock_thread_s(void);
