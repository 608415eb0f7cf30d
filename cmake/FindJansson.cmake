# SPDX-License-Identifier: BSD-3-Clause
# Jansson::Jansson: reading and writing JSON.
include(FindFromDebian)
find_from_debian(Jansson PACKAGE libjansson-dev HEADER jansson.h LIBRARIES jansson)
