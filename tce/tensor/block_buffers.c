/* SPDX-License-Identifier: BSD-3-Clause */
#include "tce/tensor/block_buffers.h"

#include <assert.h>
#include <stdlib.h>

/* Sizes are rounded up to 4, 5, 6 or 7 times a power of two, so that blocks of about the
 * same size can take each other's place. */
enum { ALIGNMENT = 64, N_QUARTERS = 4, N_CLASSES = 64 * N_QUARTERS };

/* In front of the numbers; the rest of the line is empty. */
struct buffer {
    struct buffer *next; /* in the list of spare ones of its class */
    int64_t class;
};

struct block_buffers {
    struct buffer *spare[N_CLASSES];
    int64_t used, held, most; /* bytes: lent; lent and spare; the most that was ever lent */
};

/* The smallest class of at least this many lines. */
static int64_t class_of(int64_t n_lines)
{
    int64_t lines = n_lines < N_QUARTERS ? N_QUARTERS : n_lines;
    int64_t power = 61 - __builtin_clzll((uint64_t)lines); /* lines >> power is 4 to 7 */
    int64_t quarters = (lines + ((int64_t)1 << power) - 1) >> power;
    return N_QUARTERS * power + quarters - N_QUARTERS;
}

static int64_t class_bytes(int64_t class)
{
    return ALIGNMENT * ((N_QUARTERS + class % N_QUARTERS) << (class / N_QUARTERS));
}

static int64_t class_for(int64_t n)
{
    const int64_t in_line = ALIGNMENT / (int64_t)sizeof(double);
    return class_of((n + in_line - 1) / in_line + 1);
}

int64_t block_buffers_bytes(int64_t n)
{
    return class_bytes(class_for(n));
}

enum status block_buffers_create(struct block_buffers **buffers)
{
    *buffers = calloc(1, sizeof **buffers);
    return CHECK_MEMORY(*buffers, "no memory for buffers");
}

/* Frees spare ones until at most `bytes` are held, or none is left. */
static void shrink(struct block_buffers *buffers, int64_t bytes)
{
    for (int64_t class = N_CLASSES - 1; class >= 0; class --)
        while (buffers->spare[class] && buffers->held > bytes) {
            struct buffer *buffer = buffers->spare[class];
            buffers->spare[class] = buffer->next;
            buffers->held -= class_bytes(class);
            free(buffer);
        }
}

void block_buffers_destroy(struct block_buffers *buffers)
{
    if (!buffers)
        return;
    assert(buffers->used == 0);
    shrink(buffers, 0);
    free(buffers);
}

double *block_buffers_take(struct block_buffers *buffers, int64_t n)
{
    int64_t class = class_for(n), bytes = class_bytes(class);
    struct buffer *buffer = buffers->spare[class];
    if (buffer) {
        buffers->spare[class] = buffer->next;
    } else {
        shrink(buffers, buffers->most - bytes);
        buffer = aligned_alloc(ALIGNMENT, (size_t)bytes);
        if (!buffer)
            return NULL;
        buffer->class = class;
        buffers->held += bytes;
    }
    buffers->used += bytes;
    buffers->most = buffers->used > buffers->most ? buffers->used : buffers->most;
    return (double *)((char *)buffer + ALIGNMENT);
}

void block_buffers_give_back(struct block_buffers *buffers, double *numbers)
{
    if (!numbers)
        return;
    struct buffer *buffer = (struct buffer *)((char *)numbers - ALIGNMENT);
    buffers->used -= class_bytes(buffer->class);
    buffer->next = buffers->spare[buffer->class];
    buffers->spare[buffer->class] = buffer;
}
