/* SPDX-License-Identifier: BSD-3-Clause */
/* The modes of this library, in the order of --help: first those for use, then those for comparison
 * with the literature, last the bounds (mode.h, is_bound). MODE(NAME) stands for mode_NAME, which
 * the file mode_NAME.c in this folder defines, or the one that is named beside it. A new mode is that
 * file and a line here; the build reads this list too. */
MODE(static)
MODE(counter) /* shared_counter.c */
MODE(steal)
MODE(lifeline)
MODE(retentive)
MODE(persist)
MODE(dtree)
MODE(hybrid)
MODE(auto)

MODE(share)
MODE(diffusion)
MODE(guided)    /* shared_counter.c */
MODE(factoring) /* shared_counter.c */
MODE(fsc)       /* shared_counter.c */
MODE(trapezoid) /* shared_counter.c */
MODE(wf)        /* weighted_factoring.c */
MODE(awf_b)     /* weighted_factoring.c */
MODE(af)        /* weighted_factoring.c */

MODE(lpt)
