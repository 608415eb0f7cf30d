#!/usr/bin/env bash
# Seconds per full Fock build of Beryl and of NWChem, on this machine, one after the other.
#
#   tests/benchmarks/compare_nwchem.sh [--np "1 2"] [--molecules "water10 c24h12"]
#       [--modules "scf dft"] [--beryl PROGRAM] [--without-beryl] [--out DIR]
#
#   --np             numbers of processes, each run in turn           (default "1 2")
#   --molecules      files of inputs/ in Angstrom, without .xyz       (default "water10 c24h12")
#   --modules        NWChem modules to time; the faster one is the rival ("scf dft")
#   --beryl          program to compare               (default build/release/bin/beryl-hf)
#   --without-beryl  time NWChem alone
#   --out            where inputs, outputs and results are kept (default: a temporary folder)
#
# cc-pVDZ, spherical, thresholds 1e-10, no symmetry, everything recomputed in every build.
# NWChem (Debian's nwchem-openmpi, installed if missing) runs its quadratically convergent SCF
# for two iterations, then its DFT module with Hartree-Fock exchange alone, which makes one build
# per iteration, from the SCF's orbitals; nwchem_builds.py says which builds are counted. NWChem is
# given its fastest build, Beryl the median of three. The defaults take about half an hour.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
processes="1 2" molecules="water10 c24h12" modules="scf dft"
beryl=$root/build/release/bin/beryl-hf out=

# shellcheck source=tests/benchmarks/nwchem.sh
source "$here/nwchem.sh"
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --without-beryl) beryl= ;;
        --np | --molecules | --modules | --beryl | --out)
            [ $# -ge 2 ] || die "$1 needs a value"
            case $1 in
                --np) processes=$2 ;;
                --molecules) molecules=$2 ;;
                --modules) modules=$2 ;;
                --beryl) beryl=$2 ;;
                --out) out=$2 ;;
            esac
            shift ;;
        *) die "unknown option $1 (see --help)" ;;
    esac
    shift
done
[ -z "$beryl" ] || [ -x "$beryl" ] || die "no program $beryl: build Beryl first, or use --without-beryl"

prepare_nwchem
out=$(folder_for_results "$out")

# nwchem_input MOLECULE NAME: the input file, on standard output.
nwchem_input() {
    nwchem_head "$2" "$1" cc-pvdz "$out"
    cat << END
scf
 direct
 tol2e 1e-10
 thresh 1e-8
 maxiter 2
 print "screening statistics"
end
task scf energy ignore
END
    if has_word "$modules" dft; then
        cat << END
dft
 direct
 xc HFexch
 vectors input $2.movecs
 iterations 4
 tolerances accCoul 10
 convergence nolevelshifting
 print "screening statistics"
end
task dft energy ignore
END
    fi
}

# time_nwchem MOLECULE NP: lines "scf SECONDS" and "dft SECONDS".
time_nwchem() {
    local name=nwchem_$1_$2
    nwchem_input "$1" "$name" > "$out/$name.nw"
    # Two iterations do not converge, and NWChem then ends with a failure.
    run_nwchem "$name" "$2" "$out" |
        python3 "$here/nwchem_builds.py" "$out/$name.log" > "$out/$name.seconds"
    rm -f "$out/$name".{db,movecs,cfock,p,c,zmat}
    [ -s "$out/$name.seconds" ] || die "NWChem reported no Fock build, see $out/$name.log"
    cat "$out/$name.seconds"
}

# time_beryl MOLECULE NP: the median of the builds, in seconds, with the density of a few
# iterations: NWChem's builds are timed with such a one too, and a guess is sparser.
time_beryl() {
    local name=beryl_$1_$2
    local run=(mpirun --oversubscribe -np "$2" "$beryl" "$root/inputs/$1.xyz" --basis cc-pvdz
        --screen 1e-10)
    # A few iterations do not converge, and the program says so by its exit status.
    "${run[@]}" --max-iter 4 --checkpoint "$out/$name.h5" > "$out/$name.log" 2>&1 || true
    "${run[@]}" --density "$out/$name.h5" --fock-only 3 --json "$out/$name.json" \
        >> "$out/$name.log" 2>&1 || die "beryl-hf failed, see $out/$name.log"
    python3 -c 'import json, statistics, sys
builds = json.load(open(sys.argv[1]))["extras"]["beryl"]["iterations"]
print("%.2f" % statistics.median(b["fock_seconds"] for b in builds))' "$out/$name.json"
}

echo "Seconds per full Fock build, cc-pVDZ, threshold 1e-10 (load average at the start: $(load_average))"
printf '%-10s %5s %12s %12s %10s %14s\n' molecule np "NWChem scf" "NWChem dft" Beryl Beryl/NWChem
for molecule in $molecules; do
    [ -r "$root/inputs/$molecule.xyz" ] || die "no inputs/$molecule.xyz"
    for np in $processes; do
        seconds=$(time_nwchem "$molecule" "$np")
        has_word "$modules" scf || seconds=${seconds#scf*$'\n'}
        scf=$(awk '$1 == "scf" { print $2 }' <<< "$seconds")
        dft=$(awk '$1 == "dft" { print $2 }' <<< "$seconds")
        best=$(awk '{ print $2 }' <<< "$seconds" | sort -g | head -n 1)
        if [ -n "$beryl" ]; then
            own=$(time_beryl "$molecule" "$np")
            ratio=$(awk -v b="$own" -v n="$best" 'BEGIN { printf "%.2f", b / n }')
        else
            own=- ratio=-
        fi
        printf '%-10s %5s %12s %12s %10s %14s\n' "$molecule" "$np" "${scf:--}" "${dft:--}" "$own" "$ratio"
    done
done | tee "$out/table.txt"
echo "inputs and outputs: $out"
