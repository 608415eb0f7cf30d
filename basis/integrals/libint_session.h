/* SPDX-License-Identifier: BSD-3-Clause */
/* The library of integral code, started once for all engines. */
#ifndef BERYL_BASIS_LIBINT_SESSION_H
#define BERYL_BASIS_LIBINT_SESSION_H

/* Every engine opens the session before it uses libint and closes it when it
 * is destroyed; the first opening starts libint and the last closing ends it.
 * Not to be called by several threads at once. */
void libint_session_open(void);
void libint_session_close(void);

#endif
