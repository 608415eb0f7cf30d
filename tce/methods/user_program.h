/* SPDX-License-Identifier: BSD-3-Clause */
/* A user's .tce program over a molecule, in the place of a method's: what has to be checked of it beyond
 * method_bindings.h. */
#pragma once

#include "support/base/status.h"
#include "tce/execution/program_instance.h"

#include <stddef.h>

/* Refuses what a method's program never has: more unknowns than CORRELATION_MAX_UNKNOWNS; a statement
 * that assigns to a bound tensor, which a second solution would need unchanged; two spaces
 * bound to one name but cut into different tiles; integrals in blocks that they do not have; and, of
 * a closed shell (n_orbital_sets 1), a bar over orbitals, because a program over spin orbitals would
 * have a wrong result.
 * Errors: STATUS_INPUT, with the place. */
enum status user_program_check(const struct program *program, int n_orbital_sets);

/* Resets tensors that statements assign to: another solution begins as the first one. Not for programs
 * with `iterate`, which compute all of them by `=`. Collective. Errors: those of
 * program_instance_fill. */
enum status user_program_reset(struct program_instance *instance);

/* The name under which a checkpoint has amplitudes of a program with this text: USER_PROGRAM_PREFIX and digits
 * of the SHA-256 of what decides them, the text before `finally`. Not collective. Errors: those of
 * sha256_create. */
#define USER_PROGRAM_PREFIX "tce-"
enum { USER_PROGRAM_NAME_SIZE = 15 };
enum status user_program_name(const struct program *program, const char *text, size_t length,
                              char name[USER_PROGRAM_NAME_SIZE]);
