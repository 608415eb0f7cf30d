# SPDX-License-Identifier: BSD-3-Clause
# HDF5Serial::HDF5Serial: what TREXIO files are made of, of the same kind that TREXIO uses.
include(FindFromDebian)
find_from_debian(HDF5Serial PACKAGE libhdf5-dev HEADER hdf5.h HEADER_SUFFIX hdf5/serial
    LIBRARIES hdf5_serial)
