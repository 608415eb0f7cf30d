/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes of this library, in the order of --help: MODE(NAME) stands for mode_NAME, which the
 * file mode_NAME.c in this folder defines. A new mode is that file and a line here; the build reads
 * this list too. Bounds to compare modes with (mode.h, is_bound) come last. */
MODE(static)
MODE(counter)
MODE(fsc)
MODE(guided)
MODE(factoring)
MODE(wf)
MODE(awf_b)
MODE(af)
MODE(trapezoid)
MODE(share)
MODE(steal)
MODE(lifeline)
MODE(retentive)
MODE(persist)
MODE(diffusion)
MODE(dtree)
MODE(hybrid)
MODE(auto)
MODE(lpt)
