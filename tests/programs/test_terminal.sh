#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Text of an input that programs print cannot steer the terminal, and a run on several processes fails if
# printed output does not arrive. All programs of a folder are tested, known by their names.
#
#   test_terminal.sh BERYL_SCHED MPIEXEC
set -u
beryl_sched=$1 mpiexec=$2 bin=$(dirname "$1")
folder=$(mktemp -d) || exit 1
. "$(dirname "$0")/results.sh"
cd "$folder" || exit 1
drawn="--gauss 1e-6,0 --tasks 4"
printf '1\n\nHe 0 0 0\n' > he.xyz

# The standard output of a process is a pipe to mpiexec: a shell opens the device or a pipe without a reader.
cat > unread.py << 'END'
import os, subprocess, sys
reader, writer = os.pipe()
os.close(reader)
sys.exit(subprocess.call(sys.argv[1:], stdout=writer))
END
for command in '"$@" > /dev/full' '/usr/bin/python3 unread.py "$@"'; do
    echo "$command 2> errors.\$OMPI_COMM_WORLD_RANK; printf %s, \$?" > wrapped.sh
    statuses=$(timeout 60 "$mpiexec" --oversubscribe -n 3 sh wrapped.sh "$beryl_sched" $drawn)
    [ "$statuses" = "1,1,1," ] || complain "$command on three processes: exit statuses $statuses"
    [ "$(cat errors.? | wc -l)" = 1 ] || complain "$command on three processes: $(cat errors.?)"
done

# shown COMMAND...: nothing that a terminal takes for a command, in UTF-8 or not. The name is
# shown, its letters as they are.
shown()
{
    local shown
    timeout 60 "$@" > output.txt 2> errors.txt < /dev/null
    shown=$(cat output.txt errors.txt)
    LC_ALL=C grep -q $'[\001-\010\013-\037\177]' output.txt errors.txt &&
        complain "$*: control characters: $(cat -v output.txt errors.txt)"
    LC_ALL=C grep -q $'\302\233\|[^\303]\233' output.txt errors.txt &&
        complain "$*: C1 control characters: $(cat -v output.txt errors.txt)"
    [[ $shown == *é\\x1b*\\xc2\\x9b* ]] || complain "$*: prints $(cat -v output.txt errors.txt)"
}

name=$'é\033]0;title\a\302\2331m\377'
shown "$beryl_sched" --profile "missing$name"
shown "$beryl_sched" $drawn --sched "$name"
printf 'task,seconds\n0,0\n1,0\n' > "$name.csv"
shown "$beryl_sched" --profile "$name.csv"
printf '{"latency": 1, "%s": 1}\n' $'é\\u001b\302\233' > machine.json
shown "$beryl_sched" $drawn --simulate 2 --machine machine.json
shown "$bin/beryl-report" "$name.json" -o page.html
if [ -x "$bin/beryl-hf" ]; then
    cp he.xyz "$name.xyz"
    shown "$bin/beryl-hf" "$name.xyz" --basis sto-3g
    shown "$bin/beryl-hf" he.xyz --basis "$name"
    shown "$bin/beryl-tce" mp2 "$name.xyz" --basis 6-31g
    printf 'space o = 2\nindex i : o\ntensor a[i]\ntensor b[i]\na[i] += b[i] # %s\n' "$name" > "$name.tce"
    shown "$bin/beryl-tce" run "$name.tce" --explain
fi

# A line end in a name is one.
folded=$'two\nlines'
cp "$name.csv" "$folded.csv"
runs=("beryl-sched --profile $folded.csv" "beryl-sched --profile missing$folded")
if [ -x "$bin/beryl-hf" ]; then
    cp he.xyz "$folded.xyz"
    cp "$name.tce" "$folded.tce"
    runs+=("beryl-hf $folded.xyz --basis sto-3g --checkpoint $folded.h5" "beryl-tce run $folded.tce"
        "beryl-tce mp2 he.xyz --basis 6-31g --restart $folded.h5")
fi
for run in "${runs[@]}"; do
    IFS=' ' read -r -d '' -a words <<< "$run"
    words[-1]=${words[-1]%$'\n'}
    timeout 60 "$bin/${words[0]}" "${words[@]:1}" > output.txt 2>&1 < /dev/null
    grep -q 'two\\x0alines' output.txt || complain "$run: prints $(cat output.txt)"
    grep -q '^lines' output.txt && complain "$run: a line end of a name: $(cat output.txt)"
done

# On a page too, within texts of a result.
"$beryl_sched" $drawn --json result.json > /dev/null
sed 's/"sched": "[a-z]*"/"sched": "a\\u001b[1m\\u009bz\\u007f<\&é"/' result.json > changed.json
timeout 60 "$bin/beryl-report" changed.json -o page.html || complain "no page of texts with control characters"
grep -q 'a \[1m z &lt;&amp;é' page.html || complain "another text on the page: $(grep -o 'a.\[1m[^/]*' page.html | cat -v)"
LC_ALL=C grep -q $'[\001-\010\013-\037\177]\|\302\233' page.html &&
    complain "control characters on the page"

exit $((n_failed > 0))
