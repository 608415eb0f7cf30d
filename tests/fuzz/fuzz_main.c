/* A plain driver for compilers without a fuzzing engine: first every seed file
 * as it is, then random changes of them for some seconds.
 *   fuzz_X SECONDS RANDOM_SEED FILE...
 * A finding ends the program and leaves its text in fuzz_X.last, which can be
 * given as a FILE to see it again. */
#include "support/base/clock.h"
#include "tests/fuzz/fuzz.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_SEEDS = 64, MAX_SIZE = 8192 };

struct text {
    size_t size;
    uint8_t bytes[MAX_SIZE]; /* zero from size on */
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
    size_t rest = text->size - at - size, changed_size = at + n + rest;
    if (changed_size > MAX_SIZE)
        return;
    memmove(text->bytes + at + n, text->bytes + at + size, rest);
    memcpy(text->bytes + at, bytes, n);
    if (changed_size < text->size)
        memset(text->bytes + changed_size, 0, text->size - changed_size);
    text->size = changed_size;
}

static void change(struct text *text, const struct text *other)
{
    static const char *const words[] = {
        "nan",      "-1",       "1e999",     "0",          "99999999999", "1e-300", "1e300",
        "\n",       " ",        "\"",        "=",          "-",           "****\n", "end\n",
        "basis\n",  "ecp\n",    "charge=",   "S 1 1\n",    "SP",          "l=9",    "Bq",
        "\xff",     "#",        "[",         "]",          "|",           ",",      "+=",
        "* ",       "1/2 ",     " irrep 3",  " spin 1",    " alpha",      " from ", "\ntensor ",
        "\nindex ", "\nspace ", "\nscalar ", "\niterate ", "energy ",     "(",      ")",
        " : ",
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
        replace(text, at, random_below(40), piece, 0);
        break;
    case 2:
        replace(text, at, 0, piece, n);
        break;
    case 3:
        replace(text, at, random_below(8), (const uint8_t *)word, strlen(word));
        break;
    default:
        replace(text, at, text->size, piece, 0);
    }
}

static bool read_seed(const char *path, struct text *seed)
{
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return false;
    }
    seed->size = fread(seed->bytes, 1, MAX_SIZE, file);
    fclose(file);
    while (seed->size > 0 && seed->bytes[seed->size - 1] == 0)
        seed->size--;
    return true;
}

/* Memory that is a file: what it holds at a crash stays. */
static uint8_t *map_file(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0644);
    if (file < 0 || ftruncate(file, MAX_SIZE) != 0) {
        perror(path);
        return NULL;
    }
    void *bytes = mmap(NULL, MAX_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

int main(int argc, char **argv)
{
    static struct text seeds[MAX_SEEDS];
    if (argc < 4 || argc > 3 + MAX_SEEDS) {
        fprintf(stderr, "usage: %s SECONDS RANDOM_SEED FILE...\n", argv[0]);
        return 2;
    }
    double end_s = clock_now_s() + atof(argv[1]);
    random_state = strtoull(argv[2], NULL, 10) * 2 + 1;
    size_t n_seeds = (size_t)argc - 3;
    for (size_t i = 0; i < n_seeds; i++) {
        if (!read_seed(argv[3 + i], &seeds[i]))
            return 2;
        LLVMFuzzerTestOneInput(seeds[i].bytes, seeds[i].size);
    }
    char path[4096];
    snprintf(path, sizeof path, "%s.last", argv[0]);
    uint8_t *last = map_file(path);
    if (!last)
        return 2;
    unsigned long n = 0;
    for (; clock_now_s() < end_s; n++) {
        struct text text = seeds[random_below(n_seeds)];
        for (size_t changes = 1 + random_below(6); changes > 0; changes--)
            change(&text, &seeds[random_below(n_seeds)]);
        memcpy(last, text.bytes, MAX_SIZE);
        LLVMFuzzerTestOneInput(text.bytes, text.size);
    }
    remove(path);
    printf("%zu seeds and %lu changed texts\n", n_seeds, n);
    return 0;
}
