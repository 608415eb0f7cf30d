/* SPDX-License-Identifier: BSD-3-Clause */
/* The tiles that the tasks of a Fock build read and write, for simulations of the build. */
#ifndef BERYL_HF_FOCK_BLOCKS_H
#define BERYL_HF_FOCK_BLOCKS_H

#include "hf/fock/fock_tasks.h"
#include "hf/tiles/tiling.h"
#include "sched/lab/profiles/task_data_write.h"
#include "support/base/status.h"

/* Adds the blocks of the task at a position, under its id: each of its quartets reads D and writes
 * F in all pairs of its tiles. A block is a tile of all spins; tile p of D is block p, of F block
 * tiling_n_pairs + p, and the owner of both has the number p. Bounds of integrals, which processes
 * keep from build to build, are left out. Errors: STATUS_NO_MEMORY. */
enum status fock_blocks_add(const struct fock_tasks *tasks, const struct tiling *tiling,
                            int n_spins, int64_t position, struct data_records *records);

#endif
