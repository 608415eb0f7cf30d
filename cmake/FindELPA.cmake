# SPDX-License-Identifier: BSD-3-Clause
# ELPA::ELPA: the distributed symmetric eigenproblem.
include(FindFromDebian)
find_package(ScaLAPACK REQUIRED)
find_from_debian(ELPA PACKAGE libelpa-dev
    HEADER elpa/elpa.h HEADER_SUFFIX elpa
    LIBRARIES elpa
    DEPENDS ScaLAPACK::ScaLAPACK)
