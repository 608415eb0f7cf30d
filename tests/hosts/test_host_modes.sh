#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Under every mode two and four hosts reproduce one process's digest of the Fock matrix and CCSD
# energy. All modes have the same amplitudes, and beryl-sched runs each task.
#
#     test_host_modes.sh PROGRAMS INPUTS
n_hosts=4
source "$(dirname "$0")/host_test.sh"

fock=("$inputs/water.xyz" --basis cc-pvdz --tile 5 --fock-only 1 --compare all)
ccsd=(ccsd "$inputs/water.xyz" --basis sto-3g)

# of_all KEY...: values of these keys under the modes, or in their last iteration, each once, and the
# number of modes.
of_all() {
    /usr/bin/python3 - "$folder/result.json" "$@" <<'END'
import json, sys
result = json.load(open(sys.argv[1]))
compare = result.get("extras", {}).get("beryl", result)["compare"].values()
modes = [(mode.get("iterations") or [{}])[-1] | mode for mode in compare]
print(*sorted({str(mode[key])[:14] for mode in modes for key in sys.argv[2:]}), len(modes))
END
}

# check WHERE FOUND EXPECTED
check() {
    echo "$1: $2"
    [ "$2" = "$3" ] || complain "$1: '$2', not '$3'"
}

n_modes=$("$programs/beryl-sched" --list-modes | wc -l)
"$programs/beryl-hf" "${fock[@]}" --json "$folder/result.json" >"$folder/output"
digest=$(of_all fock_sha256)
check "Fock matrix of one process" "${digest#* }" "$n_modes"
"$programs/beryl-tce" "${ccsd[@]}" --compare static --json "$folder/result.json" >"$folder/output"
energy=$(of_all correlation_energy)
energy="${energy% *} $n_modes"

for n in 2 4; do
    n_processes=$n
    mpirun_options="--host $(seq -s , -f 'h%g' "$n")"
    run 0 beryl-hf "${fock[@]}" --json "$folder/result.json"
    check "Fock matrix of $n hosts" "$(of_all fock_sha256)" "$digest"
    run 0 beryl-tce "${ccsd[@]}" --compare all --json "$folder/result.json"
    check "CCSD of $n hosts" "$(of_all correlation_energy)" "$energy"
    digests=$(of_all sha256)
    check "amplitudes of $n hosts" "${digests#* }" "$n_modes"
done

run 0 beryl-sched --exponential 1e-4 --tasks 300 --compare all --json "$folder/result.json"
check "tasks that ran on $n_hosts hosts" "$(of_all tasks_run)" "300 $n_modes"
finish
