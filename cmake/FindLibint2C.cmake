# SPDX-License-Identifier: BSD-3-Clause
# Libint2C::Libint2C: libint 2 as plain C sees it, without Eigen and the C++
# headers.
include(FindFromDebian)
find_from_debian(Libint2C PACKAGE libint2-dev HEADER libint2.h LIBRARIES int2)
