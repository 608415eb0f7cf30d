/* SPDX-License-Identifier: BSD-3-Clause */
#include "support/base/sha256.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

struct sha256 {
    EVP_MD_CTX *context;
};

enum status sha256_create(struct sha256 **sha256)
{
    *sha256 = calloc(1, sizeof **sha256);
    TRY(CHECK_MEMORY(*sha256, "no memory for a SHA-256 digest"));
    (*sha256)->context = EVP_MD_CTX_new();
    if (!(*sha256)->context || !EVP_DigestInit_ex((*sha256)->context, EVP_sha256(), NULL)) {
        sha256_destroy(*sha256);
        *sha256 = NULL;
        return FAIL(STATUS_LIBRARY, "libcrypto does not offer SHA-256");
    }
    return STATUS_OK;
}

void sha256_destroy(struct sha256 *sha256)
{
    if (sha256)
        EVP_MD_CTX_free(sha256->context);
    free(sha256);
}

void sha256_add(struct sha256 *sha256, const void *bytes, size_t size)
{
    EVP_DigestUpdate(sha256->context, bytes, size);
}

void sha256_finish(struct sha256 *sha256, char hex[SHA256_HEX_SIZE])
{
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned int length = 0;
    EVP_DigestFinal_ex(sha256->context, digest, &length);
    for (size_t i = 0; i < length; i++)
        snprintf(hex + 2 * i, 3, "%02x", digest[i]);
}
