#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program of the user's runs over a molecule as a method does: copies of the methods' programs have
# their energies to the last bit; every scalar is reported; what cannot be right is refused with its
# place before the SCF.
#
#   test_tce_molecule.sh BERYL_TCE PROCESSES MPIEXEC METHODS
set -u
program=$1 processes=$2 mpiexec=$3 methods=$4 seconds=120
. "$(dirname "$0")/refuse.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\nmultiplicity=2\nBe 0 0 0\nH 0 0 1.34\n' > radical.xyz
water="water.xyz --basis 6-31g" radical="radical.xyz --basis 6-31g"

# expect CONDITION: on r, the result in result.json, b, its extras, and m, a method's result.
expect()
{
    /usr/bin/python3 - "$1" << 'END' 2>> "$folder/errors" || complain "not so: $1"
import json, os, sys
result = json.load(open("result.json"))
method = json.load(open("method.json")) if os.path.exists("method.json") else None
assert eval(sys.argv[1], {"r": result, "b": result["extras"]["beryl"], "m": method})
END
}

# print TEXT: the log has this line.
print()
{
    grep -qE -- "$1" "$folder/output" || complain "the log lacks $1"
}

# --- as a method ---

for method in mp2 ccd ccsd; do
    cp "$methods/$method.tce" "$methods/u$method.tce" .
    for options in "$method $water" "$method $water --frozen-core --orbital-tile 3" "u$method $radical"; do
        run 0 $method ${options#* } --json method.json
        run 0 run "${options%% *}.tce" ${options#* } --json result.json
        expect 'r["return_result"] == m["return_result"]'
        expect 'b["scalars"]["E"] == m["properties"]["'$method'_correlation_energy"]'
    done
    expect 'r["model"]["method"] == "u'$method'.tce" and "'$method'_iterations" not in r["properties"]'
    expect '"command" in b and b["command"].startswith("beryl-tce run --basis 6-31g u'$method'.tce radical.xyz")'
done
print '^  total energy  *-15\.'
print '^E  *-0\.0'
run 0 run --basis 6-31g ccsd.tce --frozen-core water.xyz --dry-run
run 0 run ccsd.tce $water --explain --dry-run
print 'stage '
run 0 run ccsd.tce $water --explain=tile --dry-run
print '^space  *values'
run 0 run uccd.tce $water --method uhf
run 0 run ccd.tce $water --compare static,steal --json result.json --report result.html
expect 'len({mode["sha256"] for mode in b["compare"].values()}) == 1'
grep -q 'ccd\.tce energy of' result.html || complain "the page does not name the program"

# Methods are known under the field's names, too.
run 0 ccsd_t $water --json method.json
for method in "CCSD(T)" 'ccsd(t)' CCSD_T; do
    run 0 "$method" $water --json result.json
    expect 'r["model"]["method"] == "ccsd(t)" and r["return_result"] == m["return_result"]'
done

# A frozen core that ends among orbitals of nearly the same energy, of F and K, is said; not one that
# ends at a gap.
printf '2\n\nK 0 0 0\nF 0 0 2.17\n' > kf.xyz
# core ARGUMENT...: the warnings of the frozen core, shortened.
apart='orbital 10 \(-[0-9.]+ hartree\) and correlates orbital 11 \(-[0-9.]+\), 0\.0[0-9]* hartree above: --freeze 6'
core()
{
    run 0 mp2 kf.xyz --basis def2-svp "$@"
    grep '^warning: --frozen-core' "$folder/errors" | sed -E "s/$apart .*/apart/"
}
[ "$(core --frozen-core)" = "warning: --frozen-core freezes apart" ] || complain "not the one warning"
[ "$(core --frozen-core --charge 1 --multiplicity 2)" = "warning: --frozen-core freezes alpha apart
warning: --frozen-core freezes beta apart" ] || complain "not a warning for each spin"
[ -z "$(core --freeze 6)" ] || complain "a warning of a good core"
run 0 mp2 $water --frozen-core
[ ! -s "$folder/errors" ] || complain "a warning of the core of water"

# A checkpoint identifies amplitudes by the program's text before `finally`.
cp ccsd.tce again.tce
run 0 run ccsd.tce $water --checkpoint ccsd.h5 --json method.json
run 0 run again.tce $water --restart ccsd.h5 --json result.json
expect 'abs(r["return_result"] - m["return_result"]) < 1e-9 and len(b["iterations"]) <= 2'
# Statements after the iterations may differ: converged amplitudes are taken as they are.
printf '\nfinally\nscalar norm\nnorm = t1[i,a] * t1[i,a]\n' >> again.tce
run 0 run again.tce $water --restart ccsd.h5 --json result.json
expect 'r["return_result"] == m["return_result"] and b["scalars"]["norm"] > 1e-5'
expect '[i["final"] for i in b["iterations"]] == [True]'
sed -i '1i # another text' again.tce
refuse "ccsd.h5: its amplitudes are of another .tce program: one whose text before 'finally'" \
    run again.tce $water --restart ccsd.h5
refuse "its amplitudes are of a .tce program, not of ccsd" ccsd $water --restart ccsd.h5

# --- programs that no method has ---

# Without an energy: the result is the SCF's. Of the virtual orbitals nothing is asked.
cat > energies.tce << 'END'
space o = occupied
index i, j : o
tensor g[i,i,j,j] = integrals
scalar coulomb, exchange, double
coulomb = 2 * g[i,i,j,j]
exchange -= g[i,j,i,j]
double += 2 * coulomb
END
for options in "--compare static,auto --rounds 2" ""; do
    run 0 run energies.tce $water --json result.json $options
    expect 'r["return_result"] == r["properties"]["scf_total_energy"]'
    expect 'abs(sum(b["scalars"][x] for x in ("coulomb", "exchange")) -
                r["properties"]["scf_two_electron_energy"]) < 1e-8'
    expect 'b["scalars"]["double"] == 2 * b["scalars"]["coulomb"]'
done
print '^exchange  *-'
# Spaces and functions of its own; E without iterate.
cat > own.tce << 'END'
space v = virtual
space s = 3, 4
index a, b : v
index p : s
tensor one[a,b] = delta
tensor A[p] = constant(2)
scalar E
E = one[a,a] * A[p] * A[p]
END
run 0 run own.tce $water --json result.json
expect 'b["scalars"] == {"E": 28.0 * b["virtual_orbitals"]}'
expect 'r["return_result"] == r["properties"]["scf_total_energy"] + b["scalars"]["E"]'

# --- refusals ---

refuse "--basis is missing" run energies.tce water.xyz
refuse "MOLECULE.xyz is missing" run energies.tce --basis 6-31g
refuse "one argument too many" run energies.tce $water water.xyz
refuse missing.xyz run energies.tce missing.xyz --basis 6-31g
refuse missing.tce run missing.tce $water
refuse "energies.tce:1:11: space o is bound to 'occupied', which is unknown here" run energies.tce
refuse "--iterations" run energies.tce $water --iterations 2
refuse "--verify" run energies.tce $water --verify
refuse "both an input and an output" run energies.tce $water --json energies.tce

# bad NAME PLACE TEXT SED [MOLECULE]: energies.tce changed.
bad()
{
    local name=$1 place=$2 text=$3
    sed "$4" energies.tce > "$name.tce"
    refuse "$name.tce:$place: " run "$name.tce" "${5:-water}.xyz" --basis 6-31g
    grep -qF -- "$text" "$folder/message" || complain "the message does not say: $text"
}

bad space 1:11 "'active', which is unknown" 's/occupied/active/'
bad order 3:8 "integrals are dirac_integrals there" 's/g\[i,i,j,j\] = /g[i,i|j,j] = /' radical
# Symmetries are checked before the SCF, which would not converge.
lacking()
{
    { cat "$methods/ccsd.tce"; printf 'finally\n%s\n' "$2"; } > lacking.tce
    local line=$(($(wc -l < "$methods/ccsd.tce") + 1 + $1))
    refuse "lacking.tce:$line:1: $3" run lacking.tce $water --max-iter 1
}
lacking 2 $'tensor X2[i,j,a,b] symmetric (i a)(j b)\nX2[i,j,a,b] = t2[j,i,a,b] * t1[i,a]' \
    'this does not make X2[j,i,b,a] equal to X2[i,j,a,b], as line'
lacking 3 $'scalar X\nfor a >= b by tile\nX = t2[i,j,a,b] * t1[i,a] * t1[j,b] * t1[k,b] * t1[k,b]\nend' \
    "the sum into 'X' changes when 'a' and 'b' exchange their roles"
# Every process checks the same text: one shows the rest.
[ "$processes" = 1 ] || finish
bad binding 3:21 "cannot be bound to 'fock'" 's/integrals/fock/'
bad function 3:21 "wave takes 1 argument" 's/integrals/wave(1, 2)/'
bad rank 3:8 "'g' has 2 indices, but integrals have 4" 's/g\[i,i,j,j\] = /g[i,j] = /; s/g\[.*\]$/g[i,j]/'
bad index 5:19 "unknown index 'x'" 's/g\[i,i,j,j\]$/g[i,x,j,j]/'
bad tiles 2:7 "with other tiles" 's/^index .*/space p = occupied tile 2\nindex i : o\nindex j : p/; /^exchange/d'
bad assigned 7:1 "cannot be computed" '4a index k, l : o\ntensor h[i,j]\ng[i,j,k,l] = h[i,j] * h[k,l]'
bad bar 3:8 "run the program with --method uhf" 's/g\[i,i,j,j\] = /g[i,i|j,j] = /'
bad spins 3:8 "needs a bar" '' radical
bad unrestricted 3:8 "unrestricted reference: write the program over spin orbitals" '' radical
bad middle 3:8 "with the bar in the middle" 's/g\[i,i,j,j\] = /g[i|i,j,j] = dirac_/' radical
bad irrep 3:8 "has labels" \
    's/\] = integrals/] irrep 1 = integrals/; s/^\(coulomb\|exchange\|double\) .*/double = coulomb/'
{
    printf 'space o = occupied\nindex i : o\nscalar E\n'
    for n in $(seq 17); do printf 'tensor x%d[i]\ntensor y%d[i]\n' "$n" "$n"; done
    printf 'iterate %s energy E\nE = x1[i] * x1[i]\n' "$(for n in $(seq 17); do printf 'x%d from y%d, ' "$n" "$n"; done)"
    for n in $(seq 17); do printf 'y%d[i] = x%d[i]\n' "$n" "$n"; done
} > many.tce
refuse "many.tce:38:1: 17 tensors are iterated" run many.tce $water
finish
