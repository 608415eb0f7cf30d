/* SPDX-License-Identifier: BSD-3-Clause */
/* The text that a function writes to a descriptor. */
#pragma once

#include <stdio.h>
#include <unistd.h>

/* Valid until the next call. */
static inline const char *captured(int descriptor, void (*write_text)(void))
{
    static char text[8192];
    FILE *file = tmpfile();
    int kept = dup(descriptor);
    fflush(stdout);
    dup2(fileno(file), descriptor);
    write_text();
    fflush(stdout);
    dup2(kept, descriptor);
    close(kept);
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}
