# SPDX-License-Identifier: BSD-3-Clause
# GlobalArrays::GlobalArrays: Global Arrays over ARMCI-MPI over Open MPI; static
# archives, which need ScaLAPACK, LAPACK and the Fortran run-time library after
# them. (Debian's libga-dev is another library altogether.)
include(FindFromDebian)
find_package(ScaLAPACK REQUIRED)
find_from_debian(GlobalArrays PACKAGE "libglobalarrays-dev libarmci-mpi-dev gfortran"
    HEADER ga.h
    LIBRARIES ga-openmpi armci-openmpi
    DEPENDS ScaLAPACK::ScaLAPACK MPI::MPI_C gfortran m)
