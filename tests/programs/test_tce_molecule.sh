#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A program of the user's runs over a molecule as a method does: copies of the methods' programs have
# their energies to the last bit; every scalar is reported; a checkpoint of another program is
# refused.
#
#   test_tce_molecule.sh BERYL_TCE PROCESSES MPIEXEC METHODS
set -u
program=$1 processes=$2 mpiexec=$3 methods=$4 seconds=120
. "$(dirname "$0")/program.sh"

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\nmultiplicity=2\nBe 0 0 0\nH 0 0 1.34\n' > radical.xyz
water="water.xyz --basis 6-31g" radical="radical.xyz --basis 6-31g"

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

# A frozen core is chosen by character: F 2s, orbital 8 of KF, lies below K 3p. Orbitals of KO that mix core
# and valence are said, of either spin.
printf '2\n\nK 0 0 0\nF 0 0 2.17\n' > kf.xyz
printf '2\n\nK 0 0 0\nO 0 0 2.168\n' > ko.xyz
kf='kf.xyz --basis def2-svp'
run 0 ccsd $kf --frozen-core --checkpoint kf.h5 --json result.json
[ ! -s "$folder/errors" ] || complain "a warning of a good core"
expect 'b["frozen_orbital_numbers"] == [[1, 2, 3, 4, 5, 6, 7, 9, 10, 11]]'
print '^ *7 .* 0\.99[0-9]*  *1 K$'
print '^ *9 .* 0\.99[0-9]*  *1 K$'
mv result.json method.json
run 0 ccsd $kf --frozen-core --restart kf.h5 --json result.json
expect 'r["return_result"] == m["return_result"] and len(b["iterations"]) <= 2'
run 0 mp2 ko.xyz --basis def2-svp --multiplicity 2 --frozen-core --json result.json
expect 'b["frozen_orbital_numbers"] == [[1, 2, 3, 4, 5, 6, 7, 9, 10, 11], list(range(1, 11))]'
[ "$(grep -cE '^warning: --frozen-core (freezes|correlates) beta orbital (8|11) ' "$folder/errors")" = 2 ] ||
    complain "not the two warnings"
printf '3\n\n@K 0 0 6\nK 0 0 0\nF 0 0 2.17\n' > ghost.xyz # has no core, whatever stands first
run 0 mp2 ghost.xyz --basis def2-svp --frozen-core --json result.json
expect 'b["frozen_orbital_numbers"] == [[1, 2, 3, 4, 5, 6, 7, 9, 10, 11]]'
run 0 mp2 $water --frozen-core
[ ! -s "$folder/errors" ] || complain "a warning of the core of water"

# A program without the Fock matrix is wrong over ROHF; the method's own has it.
sed '/fock/d; /^t1/d; /^E +=/d' ump2.tce > lacking.tce
printf '2\nmultiplicity=2\nO 0 0 0\nH 0 0 0.97\n' > hydroxyl.xyz
for program_over in ump2 lacking; do
    run 0 run $program_over.tce hydroxyl.xyz --basis 6-31g --method rohf
    grep -c "no tensor is bound to 'fock'" "$folder/errors"
done > warnings
[ "$(paste -sd " " warnings)" = "0 1" ] || complain "not one warning of a program without fock"

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

exit $((n_failed > 0))
