#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A run that loses a process, or that mpirun ends, is over within 10 s and leaves a checkpoint. Where mpirun
# itself is killed its processes end as well.
#
#     test_killed.sh beryl-hf mpiexec beryl-tce INPUTS
set -u
hf=$1 mpiexec=$2 tce=$3 inputs=$4
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1
export OMPI_MCA_odls_base_sigkill_timeout=1 # Open MPI's default: time to print

complain() {
    echo "$run: $*"
    sed 's/^/    /' errors | head -30
    n_failed=$((n_failed + 1))
}

# Waits up to $1 tenths of a second for a condition.
await() {
    local tenths=$1
    shift
    for ((i = 0; i < tenths; i++)); do
        "$@" && return 0
        sleep 0.1
    done
    return 1
}

# shellcheck disable=SC2317 # called by await
all_ended() {
    local pid
    for pid in $ranks; do
        ! kill -0 "$pid" 2> /dev/null || return 1
    done
}

# shellcheck disable=SC2317 # called by await
has_text() { grep -q -- "$1" "$2" 2> /dev/null; }

# begin PATTERN COMMAND...: starts three processes; the output then matches the pattern, the line of
# an iteration, which follows the checkpoint of the one before.
begin() {
    local pattern=$1
    shift
    rm -f c.h5* output
    "$mpiexec" --oversubscribe -n 3 "$@" --checkpoint c.h5 > output 2> errors < /dev/null &
    mpirun=$!
    await 600 has_text "$pattern" output || complain "no checkpoint after a minute"
    ranks=$(pgrep -P "$mpirun")
}

# ended STATUS: the run ends in time, and so.
ended() {
    await 100 all_ended || complain "processes live 10 s later"
    wait "$mpirun" 2> /dev/null
    local status=$?
    [ "$status" = "$1" ] || complain "exit status $status, not $1"
}

has_checkpoint() { [ -s c.h5 ] || complain "there is no checkpoint"; }

rank() { echo "$ranks" | sed -n "$(($1 + 1))p"; }

benzene=("$hf" "$inputs/benzene.xyz" --basis 6-31g)
for killed in 0 2; do
    run="kill -9 of process $killed"
    begin '^ *3 ' "${benzene[@]}"
    kill -9 "$(rank "$killed")"
    ended 137
    has_checkpoint
done
for signal in TERM INT; do
    run="$signal to mpirun"
    begin '^ *3 ' "${benzene[@]}"
    kill -s "$signal" "$mpirun"
    ended 1
    has_checkpoint
done
run="kill -9 of mpirun"
begin '^ *3 ' "${benzene[@]}"
kill -9 "$mpirun"
ended 137
has_checkpoint
run="kill -9 in CCSD"
begin 'correlation energy' "$tce" ccsd "$inputs/c2h4.xyz" --basis cc-pvdz
await 600 has_text '^ *3  *-0' output
kill -9 "$(rank 1)"
ended 137
has_checkpoint

exit $((n_failed > 0))
