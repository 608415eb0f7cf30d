/* SPDX-License-Identifier: BSD-3-Clause */
/* What a target of fuzzing defines, and helpers that targets share. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Puts one input through the code under test. A crash, a sanitizer's report or a failed assertion is
 * a finding.
 * text  in memory of its own, with a zero byte after it, so that a read beyond its end is found */
void fuzz_one(const char *text, size_t size);

/* Called by libFuzzer or fuzz_main.c with each input; calls fuzz_one and returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Starts MPI with this process alone; any number of calls. */
void fuzz_start_mpi(void);

/* The input as a file of this name in a folder of this process, which goes away at the end; starts
 * MPI, for readers that are collective. Returns its path, valid until the next call. */
const char *fuzz_file(const char *name, const char *bytes, size_t size);
