/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/io/output_buffer.h"

#include "support/io/output_file.h"

#include <stdlib.h>

static enum status fail_output_memory(const char *path)
{
    return FAIL(STATUS_NO_MEMORY, "%s: no memory for its contents", path);
}

enum status output_buffer_init(struct output_buffer *buffer, const char *path)
{
    *buffer = (struct output_buffer){0};
    buffer->stream = open_memstream(&buffer->bytes, &buffer->length);
    return buffer->stream ? STATUS_OK : fail_output_memory(path);
}

enum status output_buffer_write(struct output_buffer *buffer, const char *path)
{
    bool complete = !ferror(buffer->stream);
    complete = fclose(buffer->stream) == 0 && complete;
    buffer->stream = NULL;
    return complete ? output_file_write(path, buffer->bytes, buffer->length)
                    : fail_output_memory(path);
}

void output_buffer_fini(struct output_buffer *buffer)
{
    if (buffer->stream)
        fclose(buffer->stream);
    free(buffer->bytes);
    *buffer = (struct output_buffer){0};
}
