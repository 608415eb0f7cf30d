/* SPDX-License-Identifier: BSD-3-Clause */
/* Resources that a process holds: memory, files and threads by the kernel's count, objects of MPI
 * by PMPI, which counts all calls of Beryl and of Global Arrays. */
#pragma once

#include <stdint.h>

struct load_counts {
    int64_t windows, communicators, types, groups, requests; /* made and not freed */
    int64_t files, threads;
    int64_t resident_bytes;
    int64_t windows_made; /* since the program began */
};

struct load_counts load_counts_now(void);
