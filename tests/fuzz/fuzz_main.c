/* SPDX-License-Identifier: BSD-3-Clause */
/* For compilers without a fuzzing engine: puts the files of the corpus through the target, so that
 * no finding comes back.
 *   fuzz_X FILE... */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>

int main(int argc, char **argv)
{
    static uint8_t bytes[1 << 24];
    for (int i = 1; i < argc; i++) {
        FILE *file = fopen(argv[i], "rb");
        if (!file) {
            perror(argv[i]);
            return 2;
        }
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        printf("%s\n", argv[i]);
        fflush(stdout);
        LLVMFuzzerTestOneInput(bytes, size);
    }
    return argc < 2;
}
