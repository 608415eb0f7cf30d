#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Pages of comparisons, an SCF, a CCSD(T) and a large simulation in a real browser, and whether a
# page that is spoilt on purpose is found out:
#
#     test_pages.sh BIN INPUTS MPIEXEC [FOLDER]
#
# BIN has Beryl's programs; chemistry is left out without its programs. FOLDER, by
# default one that is removed, keeps results, pages and screenshots. Needs Debian's chromium and
# Node; playwright-core comes from npm at the first time. Without them exit status 77: skipped.
set -u
bin=$1 inputs=$2 mpiexec=$3
folder=${4:-}
here=$(cd "$(dirname "$0")" && pwd)

for program in chromium node npm; do
    command -v "$program" >/dev/null || { echo "$program is missing: skipped"; exit 77; }
done
modules=$(dirname "$bin")/tests/pages
mkdir -p "$modules" || exit 1
cp "$here"/package.json "$here"/*.mjs "$modules" || exit 1
if [ ! -d "$modules/node_modules/playwright-core" ]; then
    (cd "$modules" && npm install --no-audit --no-fund --silent) ||
        { echo "npm cannot install playwright-core: skipped"; exit 77; }
fi

work=$folder
if [ -z "$folder" ]; then
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work" && cd "$work" || exit 1
failed=0

# page NAME COMMAND...: the page of a run, checked.
page() {
    local name=$1
    shift
    if ! timeout 900 "$@" --json "$name.json" > "$name.log" 2>&1 ||
        ! "$bin/beryl-report" "$name.json" -o "$name.html"; then
        echo "$name: exit status not 0:"
        tail -n 5 "$name.log"
        failed=1
    elif ! node "$modules/check_page.mjs" "$name.html" "$name.json" ${folder:+"$work"}; then
        failed=1
    fi
}

# several NAME...: the page of these results, which exist, side by side.
several() {
    local name
    { printf '{"runs": ['; for name; do [ "$name" = "$1" ] || printf ,; cat "$name.json"; done; printf ']}'; } > several.json
    "$bin/beryl-report" "${@/%/.json}" -o several.html &&
        node "$modules/check_page.mjs" several.html several.json ${folder:+"$work"} || failed=1
}

# spoilt WORDS SED [NAME]: what must be said of a page, by default of the run on two processes, that
# is changed by a script.
spoilt() {
    local name=${3:-sched}
    sed -E "$2" "$name.html" > spoilt.html
    cmp -s "$name.html" spoilt.html && { echo "nothing spoilt by $2"; failed=1; }
    if node "$modules/check_page.mjs" spoilt.html "$name.json" > spoilt.log ||
        ! grep -q "$1" spoilt.log; then
        echo "a spoilt page ($1) passes by $2"
        failed=1
    fi
}

page simulation "$bin/beryl-sched" --exponential 0.01 --tasks 213144 --simulate 38400 \
    --sched retentive --iterations 5
page rounds "$bin/beryl-sched" --gauss 1e-3,5e-4 --tasks 300 --simulate 16 --iterations 3 \
    --compare static,steal,steal,auto --rounds 5
page once "$bin/beryl-sched" --gauss 1e-3,5e-4 --tasks 300 --simulate 16 --compare static,steal,lpt
page sched "$mpiexec" --oversubscribe -n 2 "$bin/beryl-sched" --gauss 1e-3,2e-4 --tasks 400 \
    --sched steal --iterations 4
several simulation sched
spoilt 'run1, 0, makespan' '0,/^<tbody><tr><td >0<\/td><td >[0-9.]*/s//<tbody><tr><td >0<\/td><td >7.7777/'
spoilt 'answer: 77.7' '0,/workers took [0-9.]+/s//workers took 77.7/'
spoilt 'answer: 5' '0,/on 2 workers took/s//on 5 workers took/'
spoilt 'basis: ' 's/means over iterations 2/means over iterations 1/'
spoilt '^spoilt.html: Tasks: 401' '0,/(>Tasks<\/th><td>)400/s//\1401/'
spoilt 'marks, its data' '0,/^<rect class="k0"/{/^<rect class="k0"/d}'
spoilt ': mark 0 is' '0,/(<title>task ).*<\/title>/s//\177.7 at 0<\/title>/'
spoilt 'marks, its data' '0,/^<circle/{/^<circle/d}' rounds
spoilt 'has a contrast of' 's/--faint:#5b6570/--faint:#a0a8b0/'
spoilt 'mark: .* has a contrast of' 's/--k1:#e9b53a/--k1:#33302a/'
spoilt 'request: ' 's/<h1>/<img src="other.png" alt=""><h1>/'
spoilt 'script: ' 's/ArrowLeft: .*/)/'
spoilt 'the right arrow does not move' 's/ArrowRight: \(\) => .*/ArrowRight: () => {}};/'
spoilt 'the wheel does not zoom' 's/zoom\(event.deltaY.*//'
spoilt 'dragging does not move' 's/if \(held\) move.*//'
spoilt 'pixels: "0.0.*" is cut' 's/<text x="69.0"/<text x="20.0"/'
spoilt 'pixels wide' 's/<h1>/<p style="white-space:nowrap;width:900px">x<\/p><h1>/'
if [ -x "$bin/beryl-hf" ]; then
    page compare "$mpiexec" --oversubscribe -n 2 "$bin/beryl-hf" "$inputs/be64.xyz" --basis be15s \
        --screen 1e-6 --compare all --fock-only 3
    page scf "$mpiexec" --oversubscribe -n 2 "$bin/beryl-hf" "$inputs/water.xyz" --basis cc-pvdz
    spoilt 'is broken in "Total energy' 's/td\.text\{/td{/;s/(\.cards th\{)width:[0-9]*%/\1width:90%/' scf
    page ccsd "$mpiexec" --oversubscribe -n 2 "$bin/beryl-tce" ccsd_t "$inputs/water.xyz" \
        --basis cc-pvdz
    spoilt 'Total energy: .* its parts' 's/(Correlation<\/span><\/th><td>[^0]*)0/\11/' ccsd
    spoilt 'run1, 3, correlation energy' '0,/^<tr><td >3<\/td><td >.0.2/s//<tr><td >3<\/td><td >0.3/' ccsd
    page program "$mpiexec" --oversubscribe -n 2 "$bin/beryl-tce" run "$inputs/lifflander-s.tce" \
        --iterations 2 --compare static,steal
fi
exit $failed
