#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A process whose task polls, or that has a progress thread, serves another host's gets at once, not
# at the task's end, also in modes that send no messages while tasks run. Over TCP only UCX takes
# several threads.
#
#     test_host_progress.sh PROGRAMS INPUTS
source "$(dirname "$0")/host_test.sh"

# A second of computing, ten gets: 0.1 s each where they wait for its end.
# serves PROGRESS
serves() {
    run 0 ../tests/bin/host_progress "$1" static counter
    cat "$folder/output"
    awk '$2 > 0 && $2 < 0.07 { n++ } END { exit n != 2 }' "$folder/output" ||
        complain "a get waits for the other host's task"
}
serves poll
mpirun_options="--mca osc ucx" serves thread
finish
