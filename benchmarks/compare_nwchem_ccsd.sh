#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Seconds per CCSD iteration of Beryl and of NWChem's two programs for it, on this machine, one
# after the other.
#
#   benchmarks/compare_nwchem_ccsd.sh [--np "1 2"] [--cases "water/cc-pvtz c2h4/cc-pvdz"]
#       [--beryl PROGRAM] [--symmetry] [--out DIR]
#
#   --np        numbers of processes, each run in turn                         (default "1 2")
#   --cases     MOLECULE/BASIS: files of inputs/ in Angstrom, without .xyz
#               (default "water/cc-pvtz c2h4/cc-pvdz")
#   --beryl     program to compare                     (default build/release/bin/beryl-tce)
#   --symmetry  let NWChem's tce also find the symmetry of the molecule, which Beryl does not use
#   --out       where inputs, outputs and results are kept   (default: a temporary folder)
#
# All electrons, spherical functions, no symmetry, amplitudes converged to 1e-7; seconds are the
# median of the iterations (seconds_per_iteration.py). NWChem's `tce` module, generated
# spin-orbital code, runs with its defaults and with its manual's recommendations for speed:
# two-electron integrals over spatial orbitals (2eorb, 2emet 13) and larger tiles. Beryl is compared with
# the fastest. NWChem's `ccsd` module is written by hand for closed shells.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/.." && pwd)
processes="1 2" cases="water/cc-pvtz c2h4/cc-pvdz"
beryl=$root/build/release/bin/beryl-tce out='' symmetry=''

# shellcheck source=benchmarks/nwchem.sh
source "$here/nwchem.sh"
while [ $# -gt 0 ]; do
    case $1 in
        --help) usage; exit 0 ;;
        --symmetry) symmetry=yes ;;
        --np | --cases | --beryl | --out)
            [ $# -ge 2 ] || die "$1 needs a value"
            case $1 in
                --np) processes=$2 ;;
                --cases) cases=$2 ;;
                --beryl) beryl=$2 ;;
                --out) out=$2 ;;
            esac
            shift ;;
        *) die "unknown option $1 (see --help)" ;;
    esac
    shift
done
[ -x "$beryl" ] || die "no program $beryl: build Beryl first"
prepare_nwchem
out=$(folder_for_results "$out")

# Options of NWChem's block tce, for each way to run it.
tce_options() {
    case $1 in
        tce) ;;
        tce-symmetry | tce-2eorb) printf ' 2eorb\n 2emet 13\n' ;;
        tce-2eorb-tile) printf ' 2eorb\n 2emet 13\n tilesize 40\n' ;;
    esac
}

# nwchem_input WAY NAME MOLECULE BASIS: the input file, on standard output.
nwchem_input() {
    local geometry=''
    [ "$1" != tce-symmetry ] || geometry=noautoz
    nwchem_head "$2" "$3" "$4" "$out" "$geometry"
    cat << END
scf
 tol2e 1e-10
 thresh 1e-8
end
END
    if [ "$1" = ccsd ]; then
        printf 'ccsd\n thresh 1e-7\nend\ntask ccsd energy\n'
    else
        printf 'tce\n scf\n ccsd\n thresh 1e-7\n io ga\n%s\nend\ntask tce energy\n' \
            "$(tce_options "$1")"
    fi
}

# time_nwchem WAY MOLECULE BASIS NP: "SECONDS ENERGY"; nothing if it fails.
time_nwchem() {
    local name=$1_$2_$3_$4
    nwchem_input "$1" "$name" "$2" "$3" > "$out/$name.nw"
    run_nwchem "$name" "$4" "$out" | python3 "$here/seconds_per_iteration.py" "$out/$name.log" |
        awk '{ print $2, $3 }'
    rm -f "$out/$name".{db,movecs,cfock,p,c,zmat} "$out/$name".*ints.* "$out/$name"*.t[12]
}

time_beryl() {
    local name=beryl_$1_$2_$3
    { mpirun --oversubscribe -np "$3" "$beryl" ccsd "$root/inputs/$1.xyz" --basis "$2" \
        --converge-amplitudes 1e-7 2>&1 || true; } |
        python3 "$here/seconds_per_iteration.py" "$out/$name.log" | awk '{ print $2, $3 }'
}

ways="tce tce-2eorb tce-2eorb-tile"
[ -z "$symmetry" ] || ways+=" tce-symmetry"
echo "Seconds per CCSD iteration, all electrons (load average at the start: $(load_average))"
printf '%-16s %3s %-21s %10s %16s %14s\n' molecule np program seconds "correlation" "times Beryl's"
for case in $cases; do
    molecule=${case%/*} basis=${case#*/}
    [ -r "$root/inputs/$molecule.xyz" ] || die "no inputs/$molecule.xyz"
    for np in $processes; do
        read -r own energy <<< "$(time_beryl "$molecule" "$basis" "$np")"
        [ -n "$own" ] || die "beryl-tce failed, see $out/beryl_${molecule}_${basis}_$np.log"
        printf '%-16s %3s %-21s %10s %16s\n' "$case" "$np" Beryl "$own" "$energy"
        for way in $ways ccsd; do
            read -r seconds energy <<< "$(time_nwchem "$way" "$molecule" "$basis" "$np")"
            ratio=$(awk -v n="${seconds:-0}" -v b="$own" 'BEGIN { printf "%.2f", n / b }')
            printf '%-16s %3s %-21s %10s %16s %14s\n' "$case" "$np" "NWChem $way" \
                "${seconds:-failed}" "${energy:--}" "$ratio"
        done
    done
done | tee "$out/table.txt"
echo "inputs and outputs: $out"
