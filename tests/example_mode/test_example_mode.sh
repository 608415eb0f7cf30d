#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A mode of one file and one line is in --help-all with its option, in --help-modes, in
# --list-modes and in --compare all, where all modes have one Fock matrix.
#
#   test_example_mode.sh BERYL_HF BERYL_SCHED MPIEXEC INPUTS
set -eu
beryl_hf=$1 beryl_sched=$2 mpiexec=$3 inputs=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

for program in "$beryl_hf" "$beryl_sched"; do
    "$program" --help-all > "$folder/help"
    tr -s ' \n' ' ' < "$folder/help" | grep -q 'awf-b, af, example[^;]*; default: auto'
    tr -s ' \n' ' ' < "$folder/help" | grep -q -- '--example-grant N example: tasks given together'
    "$program" --help-modes | grep -q '^example: a worker without tasks'
done
"$beryl_sched" --list-modes | grep -q "^example	static	a worker without tasks"
"$mpiexec" --oversubscribe -n 3 "$beryl_hf" "$inputs/be16.xyz" --basis be15s --screen 1e-6 \
    --fock-only 1 --compare all --json "$folder/all.json" > "$folder/table"
grep -q '^example ' "$folder/table"
[ "$(grep -c '"fock_sha256"' "$folder/all.json")" -gt 9 ]
[ "$(grep -o '"fock_sha256": "[0-9a-f]*"' "$folder/all.json" | sort -u | wc -l)" = 1 ]
if "$beryl_sched" --gauss 1,0 --tasks 9 --simulate 2 --sched static --example-grant 2 \
    2> "$folder/refused"; then
    echo "--example-grant was accepted with --sched static"
    exit 1
fi
grep -q 'has no effect with --sched static: it is for example' "$folder/refused"
echo "mode example is in --help-all, in --help-modes, in --list-modes and in --compare all"
