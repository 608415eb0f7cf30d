#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Long work prints how far it is where somebody looks on: on a terminal, and elsewhere only a
# simulation, on standard error, a line every ten seconds. Of a piece of work the fraction never goes
# back, on one process or several.
# Skipped where no pseudo-terminal can be opened.
#
#   test_progress.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1 mpiexec=$2 bin=$(dirname "$1") inputs=$(realpath "$(dirname "$0")/../../inputs")
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1

if ! script -qec true /dev/null < /dev/null > terminal.txt 2>&1; then
    echo "skipped: no pseudo-terminal (is /dev/pts mounted?): $(cat terminal.txt)"
    exit 77
fi

simulation="$beryl_sched --gauss 1e-6,0 --tasks 4 --simulate 40000 --sched steal"
progress='Simulation of 40000 workers: iteration 0, .* s, [0-4] of 4 tasks run, [0-9.]* million events/s'
script -qec "timeout 60 $simulation" /dev/null < /dev/null > terminal.txt
grep -q "$progress" terminal.txt ||
    complain "no progress of a simulation: $(cat -v terminal.txt)"
timeout 60 $simulation > output.txt 2> errors.txt < /dev/null
grep -q "Simulation" output.txt && complain "progress in a file: $(cat -v output.txt)"
grep -q $'\r' errors.txt && complain "a bar in a file: $(cat -v errors.txt)"

# A line after ten seconds.
timeout 120 "$beryl_sched" --exponential 1 --tasks 4000000 --simulate 100000 --sched steal \
    > output.txt 2> errors.txt < /dev/null &
long=$!
for _ in {1..110}; do
    grep -q 'tasks run' errors.txt || sleep 1
done
kill $long
wait $long 2> kill.txt
grep -Eq '^Simulation of 100000 workers: iteration 0, [0-9.e-]+ s, [0-9]+ of 4000000 tasks run, ' \
    errors.txt || complain "no line of a long simulation: $(cat errors.txt)"

cat > fractions.py << 'END'
"""fractions.py FILE: the bars that a terminal was given rise within each piece of work."""
import re, sys
lines = re.split(r"[\r\n]+", open(sys.argv[1], errors="replace").read())
n_bars, piece, before = 0, None, 0
for line in lines:
    bar = re.match(r"(\w.*) \[#*\.*\] +(\d+) %(, \d+ (s|min|h) left)?\x1b\[K$", line)
    if " %" in line and "[" in line:
        assert bar, repr(line)
    if not bar:
        piece = None
        continue
    assert bar[1] != piece or before <= int(bar[2]), (line, before)
    assert int(bar[2]) < 100, line
    piece, before = bar[1], int(bar[2])
    n_bars += 1
assert n_bars > 0, "no bar"
END

# The errors of a process that mpiexec starts are no terminal, its output is one.
cat > on_terminal.sh << 'END'
exec "$@" 2>&1
END

# bars COMMAND...: the command, alone and as two processes. Its first piece of work is drawn, others
# where they take long enough.
bars()
{
    local processes
    for processes in 1 2; do
        script -qec "timeout 120 '$mpiexec' --oversubscribe -n $processes sh on_terminal.sh $*" \
            /dev/null < /dev/null > terminal.txt
        /usr/bin/python3 fractions.py terminal.txt 2> errors.txt ||
            complain "$* on $processes: $(cat errors.txt)"
    done
    timeout 120 "$@" > output.txt 2>&1 < /dev/null
    grep -q '\[#*\.*\] ' output.txt && complain "$*: a bar in a file: $(cat -v output.txt)"
}

if [ -x "$bin/beryl-hf" ]; then
    bars "$bin/beryl-hf" "$inputs/benzene.xyz" --basis 6-31g --fock-only 2 --screening schwarz
    bars "$bin/beryl-tce" ccsd "$inputs/benzene.xyz" --basis sto-3g --max-iter-amplitudes 2 --tile 4
    bars "$bin/beryl-tce" ccsd_t "$inputs/water.xyz" --basis cc-pvtz
fi

exit $((n_failed > 0))
