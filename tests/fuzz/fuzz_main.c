/* SPDX-License-Identifier: BSD-3-Clause */
/* For compilers without a fuzzing engine: puts the files of the corpus through the target, so that
 * no finding comes back.
 *   fuzz_X FILE... */
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

static uint8_t *read_input(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) {
        perror(path);
        exit(2);
    }
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *bytes = malloc(*size); /* no larger, for the sanitizers */
    if (fread(bytes, 1, *size, file) != *size) {
        perror(path);
        exit(2);
    }
    fclose(file);
    return bytes;
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fprintf(stderr, "usage: %s FILE...\n", argv[0]);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        size_t size;
        uint8_t *bytes = read_input(argv[i], &size);
        printf("%s\n", argv[i]);
        fflush(stdout);
        LLVMFuzzerTestOneInput(bytes, size);
        free(bytes);
    }
    return 0;
}
