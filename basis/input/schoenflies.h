/* SPDX-License-Identifier: BSD-3-Clause */
/* The name of a point group that is given by its operations. */
#pragma once

enum { SCHOENFLIES_SIZE = 16 };

/* matrices: n orthogonal ones, a finite group without axes of infinite order; a planar molecule's
 * include the reflection in its plane. Not collective. */
void schoenflies_name(int n, const double (*matrices)[3][3], char name[SCHOENFLIES_SIZE]);
