# SPDX-License-Identifier: BSD-3-Clause
# OpenBLAS::OpenBLAS: BLAS and LAPACK.
include(FindFromDebian)
find_from_debian(OpenBLAS PACKAGE libopenblas-dev LIBRARIES openblas)
