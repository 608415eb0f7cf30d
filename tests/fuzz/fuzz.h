/* The entry that a fuzzing engine calls with each text: libFuzzer's, or
 * fuzz_main.c where the compiler has none. */
#ifndef BERYL_TESTS_FUZZ_H
#define BERYL_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>

/* Puts one text through the code under test; returns 0. A crash, a sanitizer's
 * report or a failed assertion is a finding. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
