/* A plain driver for compilers without a fuzzing engine: first every seed file
 * as it is, then random changes of them for some seconds.
 *   fuzz_X SECONDS RANDOM_SEED FILE...
 * A finding ends the program; the text is then in fuzz_X.last. */
#include "support/clock.h"
#include "tests/fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_SEEDS = 64, MAX_SIZE = 8192 };

struct text {
    size_t size;
    uint8_t bytes[MAX_SIZE];
};

static uint64_t random_state;

/* A number below n; Marsaglia, J. Stat. Softw. 8 (14) (2003), xorshift64. */
static size_t random_below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % n);
}

/* Replaces size bytes at a place by others, as far as there is room. */
static void replace(struct text *text, size_t at, size_t size, const uint8_t *bytes, size_t n)
{
    if (at + size > text->size)
        size = text->size - at;
    size_t rest = text->size - at - size;
    if (at + n + rest > MAX_SIZE)
        return;
    memmove(text->bytes + at + n, text->bytes + at + size, rest);
    memcpy(text->bytes + at, bytes, n);
    text->size = at + n + rest;
}

static void change(struct text *text, const struct text *other)
{
    static const char *const words[] = {
        "nan", "-1", "1e999", "0", "99999999999", "1e-300", "1e300", "\n", " ", "\"", "=", "-",
        "****\n", "end\n", "basis\n", "ecp\n", "charge=", "S 1 1\n", "SP", "l=9", "Bq", "\xff", "#",
    };
    size_t at = random_below(text->size + 1);
    uint8_t byte = (uint8_t)random_below(256);
    uint8_t piece[64];
    size_t n = random_below(sizeof piece), from = random_below(other->size + 1);
    if (n > other->size - from)
        n = other->size - from;
    memcpy(piece, other->bytes + from, n);
    const char *word = words[random_below(sizeof words / sizeof words[0])];
    switch (random_below(5)) {
    case 0:
        replace(text, at, 1, &byte, 1);
        break;
    case 1:
        replace(text, at, random_below(40), NULL, 0);
        break;
    case 2:
        replace(text, at, 0, piece, n);
        break;
    case 3:
        replace(text, at, random_below(8), (const uint8_t *)word, strlen(word));
        break;
    default:
        text->size = at;
    }
}

static void keep(const char *path, const struct text *text)
{
    FILE *file = fopen(path, "wb");
    if (!file)
        return;
    fwrite(text->bytes, 1, text->size, file);
    fclose(file);
}

int main(int argc, char **argv)
{
    static struct text seeds[MAX_SEEDS], text;
    if (argc < 4 || argc > 3 + MAX_SEEDS) {
        fprintf(stderr, "usage: %s SECONDS RANDOM_SEED FILE...\n", argv[0]);
        return 2;
    }
    double end_s = clock_now_s() + atof(argv[1]);
    random_state = strtoull(argv[2], NULL, 10) * 2 + 1;
    size_t n_seeds = (size_t)argc - 3;
    for (size_t i = 0; i < n_seeds; i++) {
        FILE *file = fopen(argv[3 + i], "rb");
        if (!file) {
            perror(argv[3 + i]);
            return 2;
        }
        seeds[i].size = fread(seeds[i].bytes, 1, MAX_SIZE, file);
        fclose(file);
        LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s.last", argv[0]);
    unsigned long n = 0;
    for (; clock_now_s() < end_s; n++) {
        text = seeds[random_below(n_seeds)];
        for (size_t changes = 1 + random_below(6); changes > 0; changes--)
            change(&text, &seeds[random_below(n_seeds)]);
        /* Only a crash makes the file worth having; writing it is most of the time,
         * but a crash may leave no other chance. */
        keep(path, &text);
        LLVMFuzzerTestOneInput(text.bytes, text.size);
    }
    remove(path);
    printf("%zu seeds and %lu changed texts\n", n_seeds, n);
    return 0;
}
