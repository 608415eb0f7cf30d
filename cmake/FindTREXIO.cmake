# SPDX-License-Identifier: BSD-3-Clause
# TREXIO::TREXIO: files of orbitals and integrals.
include(FindFromDebian)
find_from_debian(TREXIO PACKAGE libtrexio-dev HEADER trexio.h LIBRARIES trexio)
