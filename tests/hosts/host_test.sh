# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by the tests that run on several hosts, whose arguments are the folder of the programs
# and the project's inputs:
#
#     test_NAME.sh PROGRAMS INPUTS [HOSTS]
#
# They run themselves again on the first of $n_hosts hosts (hosts.sh).
# shellcheck disable=SC2034 # inputs is for the tests
set -u
programs=$1 inputs=$2
n_hosts=${3:-${n_hosts:-2}}
if [ -z "${on_host:-}" ]; then
    exec "$(dirname "$0")/hosts.sh" --hosts "$n_hosts" "$0" "$programs" "$inputs" "$n_hosts"
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
n_failed=0

# complain MESSAGE: with the output of the last run.
complain() {
    echo "$command: $*"
    echo "    output: $(head -c 4000 "$folder/output")"
    n_failed=$((n_failed + 1))
}

# run STATUS PROGRAM [ARGUMENT...]: a process on each host, $n_processes if that is set. Of
# mpirun's own complaint of a failed program only the first is looked at, the program's.
run() {
    local expected=$1 status=0
    shift
    command="$*"
    # shellcheck disable=SC2086 # options of mpirun
    timeout 60 mpirun ${mpirun_options:-} -n "${n_processes:-$n_hosts}" "$programs/$1" "${@:2}" \
        >"$folder/output" 2>&1 </dev/null || status=$?
    [ "$status" = "$expected" ] || complain "exit status $status, not $expected"
}

# prints PATTERN: the last run printed a line with it.
prints() {
    grep -q -e "$1" "$folder/output" || complain "no line with '$1'"
}

finish() {
    exit $((n_failed > 0))
}
