/* SPDX-License-Identifier: BSD-3-Clause */
/* The end of all processes from one of them, without MPI in sight. */
#pragma once

/* Prints the message after the program's name and ends all processes. For a rank that cannot
 * reach the next collective call: nothing else ends the others. Does not return. */
_Noreturn void die(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* die for want of memory: the message says how to need less. */
_Noreturn void die_no_memory(const char *format, ...) __attribute__((format(printf, 1, 2)));
