#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A killed process ends the others on all hosts within 10 s. A link that is cut ends all of them
# within 60 s, on both its sides, mpirun and its daemons too, with Open MPI's message that names the
# host: by the parameters that hosts.sh sets.
#
#     test_host_lost.sh PROGRAMS INPUTS
source "$(dirname "$0")/host_test.sh"

# begin: a run that would last for minutes, and leaves the cores to others.
begin() {
    command=$1
    : >"$folder/output" # or the last run's lines would be taken for this one's
    nice -n 19 mpirun -n "$n_hosts" "$programs/beryl-hf" "$inputs/benzene.xyz" --basis cc-pvtz \
        --fock-only 1000 >"$folder/output" 2>&1 </dev/null &
    for ((i = 0; i < 300; i++)); do
        ! grep -q '^build' "$folder/output" || return
        sleep 0.1
    done
    complain "has not begun"
}

# All processes of the hosts are of this test.
alive() {
    pgrep -l 'beryl-hf|orted' || pgrep -l mpirun
}

# ends SECONDS: all of the run.
ends() {
    local start_s=$SECONDS
    while alive >/dev/null && [ $((SECONDS - start_s)) -lt "$1" ]; do
        sleep 0.2
    done
    echo "$command: ended after $((SECONDS - start_s)) s"
    ! alive >/dev/null || complain "processes live after $1 s: $(alive | xargs)"
}

begin "killed process"
kill -9 "$(pgrep -n beryl-hf)"
ends 10
begin "cut link"
$on_host switch ip link set h2 down
ends 60
prints "lost communication with a remote daemon"
prints "on node h2"
finish
