#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Builds, and appends the times of a few benchmarks of this commit to a file, so that drift is seen:
#
#     scripts/bench.sh [FILE]        build/bench.jsonl of the project
#
# Each line is a JSON object: commit (followed by + if files differ from it), date, machine, and
# seconds (of wall clock, the least of three runs) by the name of the benchmark. Compare lines of
# one machine only, on which nothing else runs. It takes about a minute. fock_be64_schwarz: every
# integral above the threshold, whatever the density.
set -euo pipefail
if [ $# -gt 1 ] || [[ ${1:-} == -* ]]; then
    sed -n '/^#!/d; /SPDX/d; /^#/!q; s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
file=${1:+$(realpath -m "$1")}
cd "$(dirname "$0")/.."
file=${file:-$PWD/build/bench.jsonl}
. scripts/setup.sh
build release
prepare_run
bin=build/release/bin
run2=(mpirun --oversubscribe -np 2)

# least COMMAND...: seconds; a command that fails ends the script.
least() {
    local start end best="" _
    for _ in 1 2 3; do
        start=$(date +%s.%N)
        "$@" >/dev/null || exit 1
        end=$(date +%s.%N)
        best=$(awk -v a="$start" -v b="$end" -v best="$best" \
            'BEGIN { s = b - a; if (best == "" || s < best) best = s; printf "%.3f", best }')
    done
    echo "$best"
}

fock=$(least "${run2[@]}" $bin/beryl-hf inputs/be64.xyz --basis be15s --screen 1e-6 --fock-only 2 \
    --screening schwarz)
scf=$(least "${run2[@]}" $bin/beryl-hf inputs/benzene.xyz --basis cc-pvdz)
ccsd=$(least "${run2[@]}" $bin/beryl-tce ccsd inputs/water.xyz --basis cc-pvdz)
uts=$(least "${run2[@]}" $bin/beryl-sched --uts T1 --sched steal)
simulation=$(least $bin/beryl-sched --exponential 0.01 --tasks 1000000 --simulate 16384 --sched auto)

commit=$(git rev-parse --short HEAD)
git diff --quiet HEAD || commit=$commit+
machine=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)
mkdir -p "$(dirname "$file")"
printf '{"commit": "%s", "date": "%s", "machine": "%s, %d cores", "seconds": {"fock_be64_schwarz": %s, "scf_benzene": %s, "ccsd_water": %s, "uts_t1": %s, "simulation_16384": %s}}\n' \
    "$commit" "$(date -u +%FT%TZ)" "$machine" "$(env -u OMP_NUM_THREADS nproc)" \
    "$fock" "$scf" "$ccsd" "$uts" "$simulation" | tee -a "$file"
