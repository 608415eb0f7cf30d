#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Long simulations print how far they are where somebody looks on: on a terminal, and nowhere else.
# Skipped where no pseudo-terminal can be opened.
#
#   test_progress.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1

if ! script -qec true /dev/null < /dev/null > terminal.txt 2>&1; then
    echo "skipped: no pseudo-terminal (is /dev/pts mounted?): $(cat terminal.txt)"
    exit 77
fi

simulation="$beryl_sched --gauss 1e-6,0 --tasks 4 --simulate 100000 --sched steal"
progress='Simulation of 100000 workers: .* s, [0-9]* tasks run'
script -qec "timeout 60 $simulation" /dev/null < /dev/null > terminal.txt
grep -q "$progress" terminal.txt ||
    complain "no progress of a simulation: $(cat -v terminal.txt)"
timeout 60 $simulation > output.txt 2>&1 < /dev/null
grep -q "$progress" output.txt && complain "progress in a file: $(cat -v output.txt)"

exit $((n_failed > 0))
