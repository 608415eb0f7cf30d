# SPDX-License-Identifier: BSD-3-Clause
# ScaLAPACK::ScaLAPACK: distributed dense linear algebra over Open MPI, called
# through the Fortran ABI: it has no header.
include(FindFromDebian)
find_package(OpenBLAS REQUIRED)
find_from_debian(ScaLAPACK PACKAGE libscalapack-openmpi-dev
    LIBRARIES scalapack-openmpi
    DEPENDS OpenBLAS::OpenBLAS MPI::MPI_C)
