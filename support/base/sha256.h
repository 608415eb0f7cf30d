/* SPDX-License-Identifier: BSD-3-Clause */
/* SHA-256 of data that arrives in pieces. */
#pragma once

#include "support/base/status.h"

#include <stddef.h>

enum { SHA256_HEX_SIZE = 65 }; /* 64 digits and a NUL */

struct sha256;

/* Errors: STATUS_NO_MEMORY, STATUS_LIBRARY. */
enum status sha256_create(struct sha256 **sha256);
void sha256_destroy(struct sha256 *sha256);

/* Appends size bytes to the data. */
void sha256_add(struct sha256 *sha256, const void *bytes, size_t size);

/* The digest of all that was added, in lower-case hexadecimal; nothing can be
 * added after it. */
void sha256_finish(struct sha256 *sha256, char hex[SHA256_HEX_SIZE]);
