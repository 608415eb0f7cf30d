/* SPDX-License-Identifier: BSD-3-Clause */
/* VECTOR_CLONES before a function: it is compiled for several kinds of x86-64 processors, of
 * which the best that the machine has is taken when the program starts. */
#pragma once

/* The sanitizers start too late for the dispatch of clones; clang gives clones other names than
 * the files that call them expect. */
#if defined(__x86_64__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&                \
    !defined(__SANITIZE_THREAD__)
#define VECTOR_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define VECTOR_CLONES
#endif
