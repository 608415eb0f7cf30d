# SPDX-License-Identifier: BSD-3-Clause
# OTF2::OTF2: Open Trace Format 2, for timelines.
include(FindFromDebian)
find_from_debian(OTF2 PACKAGE libopen-trace-format2-dev HEADER otf2/otf2.h LIBRARIES open-trace-format2)
