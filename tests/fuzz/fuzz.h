/* SPDX-License-Identifier: BSD-3-Clause */
/* The function that a fuzzing engine (libFuzzer or fuzz_main.c) calls with each input, and helpers
 * that targets share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Puts one input through the code under test; returns 0. A crash, a sanitizer's report or a
 * failed assertion is a finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input as text, a zero byte after it, to be freed with free: in memory of its own, so that a
 * read beyond its end is found. NULL without memory. */
char *fuzz_text(const uint8_t *data, size_t size);

/* Starts MPI with this process alone; any number of calls. */
void fuzz_start_mpi(void);

/* The input as a file of this name in a folder of this process, which goes away at the end; starts
 * MPI, for readers that are collective. Returns its path, valid until the next call. */
const char *fuzz_file(const char *name, const uint8_t *data, size_t size);
