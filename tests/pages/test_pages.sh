#!/usr/bin/env bash
# Pages of a comparison, an SCF, a CCSD and a large simulation in a real browser:
#
#     test_pages.sh BIN INPUTS MPIEXEC [FOLDER]
#
# BIN has Beryl's programs; those of chemistry are left out where they are missing. FOLDER, by
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

page simulation "$bin/beryl-sched" --exponential 0.01 --tasks 213144 --simulate 38400 \
    --sched retentive --iterations 5
page sched "$mpiexec" --oversubscribe -n 2 "$bin/beryl-sched" --gauss 1e-3,2e-4 --tasks 400 \
    --sched steal --iterations 3
if [ -x "$bin/beryl-hf" ]; then
    page compare "$mpiexec" --oversubscribe -n 2 "$bin/beryl-hf" "$inputs/be64.xyz" --basis be15s \
        --screen 1e-6 --compare all --fock-only 3
    page scf "$mpiexec" --oversubscribe -n 2 "$bin/beryl-hf" "$inputs/water.xyz" --basis cc-pvdz
    page ccsd "$mpiexec" --oversubscribe -n 2 "$bin/beryl-tce" ccsd "$inputs/water.xyz" \
        --basis cc-pvdz
    page program "$mpiexec" --oversubscribe -n 2 "$bin/beryl-tce" run "$inputs/lifflander-s.tce" \
        --iterations 2 --compare static,steal
fi
exit $failed
