# SPDX-License-Identifier: BSD-3-Clause
# Libecpint::Libecpint: integrals of effective core potentials; static archives in C++.
include(FindFromDebian)
find_from_debian(Libecpint PACKAGE libecpint-dev HEADER libecpint.hpp
    LIBRARIES ecpint Faddeeva pugixml
    DEPENDS stdc++ m)
