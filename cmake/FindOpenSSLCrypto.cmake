# SPDX-License-Identifier: BSD-3-Clause
# OpenSSLCrypto::OpenSSLCrypto: SHA-1 and SHA-256 from libcrypto.
include(FindFromDebian)
find_from_debian(OpenSSLCrypto PACKAGE libssl-dev HEADER openssl/evp.h LIBRARIES crypto)
