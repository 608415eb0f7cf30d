#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad input to beryl-hf is refused, see refuse.sh.
#
#   test_bad_input_hf.sh BERYL_HF PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/refuse.sh"

# Files; the good ones are for what is wrong elsewhere.
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '3\ncharge=1\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > cation.xyz
: > empty.xyz
printf '\n\n\n' > blank.xyz
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\n' > too_few.xyz
printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.7' > truncated.xyz
printf '3' > one_line.xyz
printf '2\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > too_many.xyz
printf '0\n\n' > no_atoms.xyz
printf -- '-3\n\nO 0 0 0\n' > negative.xyz
printf '99999999999999999999\n\nO 0 0 0\n' > huge_count.xyz
printf '4000000000\n\nO 0 0 0\n' > large_count.xyz
printf '1\n\nXx 0 0 0\n' > unknown_element.xyz
printf '1\n\n119 0 0 0\n' > element_119.xyz
printf '1\n\nXe 0 0 0\n' > xenon.xyz
printf '1\n\nNe 0 0 0\n' > neon.xyz
printf '1\n\nBq 0 0 0\n' > ghost.xyz
printf '2\n\nH 0 0 0\nH 0 0 0\n' > coincident.xyz
printf '2\n\nH 0 0 nan\nH 0 0 1\n' > nan.xyz
printf '2\n\nH 0 0 inf\nH 0 0 1\n' > infinite.xyz
printf '2\n\nH 0 0 1e999\nH 0 0 1\n' > overflow.xyz
printf '2\n\nH 0 0 0\nH 0 one 1\n' > word.xyz
printf '1\nunits=parsec\nHe 0 0 0\n' > units.xyz
printf '1\ncharge=x\nHe 0 0 0\n' > charge.xyz
printf '1\nmultiplicity=0\nHe 0 0 0\n' > multiplicity.xyz
printf '2\nmult=triplet\nO 0 0 0\nO 0 0 1.2\n' > word.xyz
printf '2\nmult=3 uhf=1\nO 0 0 0\nO 0 0 1.2\n' > pair.xyz
truncate -s 200M zeros.xyz
head -c 4096 "$program" > binary.xyz
{ printf '2\n\nH 0 0 0\n'; printf 'H 0 0 1\0\n'; } > nul.xyz
mkdir folder folder.gbs folder.csv
mkfifo pipe.h5

printf 'H 0\nI 1 1\n1 1\n****\nO 0\nS 1 1\n1 1\n****\n' > i_shell.gbs
printf 'H 0\nl=6 1 1\n1 1\n****\nO 0\nS 1 1\n1 1\n****\n' > l6_shell.gbs
printf 'basis\nH I\n1 1\nO S\n1 1\nend\n' > i_shell.nw
printf 'H 0\nS 1 1\n1 1\n****\n' > no_oxygen.gbs
printf 'H 0\nS 3 1\n1 1\n' > truncated.gbs
printf 'H 0\nS 1 1\n-1 1\n****\nO 0\nS 1 1\n1 1\n****\n' > negative.gbs
printf 'H 0\nS 1 1\nnan 1\n****\nO 0\nS 1 1\n1 1\n****\n' > nan.gbs
printf 'H 0\nS 1 1\n1 0\n****\nO 0\nS 1 1\n1 1\n****\n' > zero.gbs
printf 'H 0\nS 1000000000 1\n1 1\n****\n' > huge.gbs
: > empty.gbs
truncate -s 200M zeros.gbs
head -c 4096 "$program" > binary.gbs

with_basis="--basis sto-3g"

# Atoms by number, to which ghosts would be added; an electron too many.
printf '2\n\n4 0 0 0\n4 0 0 4\n' > numbers.xyz

# Damaged checkpoints, as a full disk or an interrupted copy leaves them.
processes=1 launch water.xyz $with_basis --checkpoint good.h5 > "$folder/output" || exit 1
size=$(stat -c %s good.h5)
head -c $((size - 1)) good.h5 > cut_last.h5
head -c $((size / 2)) good.h5 > cut_half.h5
head -c 100 good.h5 > cut_start.h5
{ head -c $((size / 3)) good.h5; head -c $((size - size / 3)) /dev/zero; } > zeroed.h5

# --- Of each file that is read or written one case, and what is found in the midst of the set-up:
# one process finds it or all do, and all end. ---

for name in missing truncated zeros binary; do
    refuse $name.xyz $name.xyz $with_basis
done
refuse Xe xenon.xyz --basis cc-pvdz
refuse water.xyz water.xyz $with_basis --charge 1
for name in missing.gbs truncated.gbs i_shell.gbs folder.gbs; do
    refuse $name water.xyz --basis $name
done
refuse nosuchset water.xyz --basis nosuchset
for option in json checkpoint write-profile; do
    refuse missing/result.csv water.xyz $with_basis --$option missing/result.csv
done
for option in guess restart; do
    refuse missing.h5 water.xyz $with_basis --$option missing.h5
    refuse cut_half.h5 water.xyz $with_basis --$option cut_half.h5
    refuse good.h5 neon.xyz $with_basis --$option good.h5
done
refuse missing.h5 numbers.xyz --basis be15s --restart missing.h5
for file in missing empty.xyz; do
    refuse $file water.xyz $with_basis --sched dtree --speeds $file
done
refuse "--speeds has no effect" water.xyz $with_basis --sched static --speeds water.xyz
refuse --tile water.xyz $with_basis --tile 0
refuse MOLECULE $with_basis
refuse "--fan-out has no effect" water.xyz $with_basis --compare static,steal --fan-out 2

# --- All the ways in which that can be bad. Every process parses the same command line and the
# same texts: one shows it. ---
[ "$processes" = 1 ] || finish

# Molecules.
for name in empty blank too_few one_line too_many no_atoms negative huge_count \
    large_count unknown_element element_119 ghost coincident nan infinite overflow word units \
    charge multiplicity nul; do
    refuse $name.xyz $name.xyz $with_basis
done
refuse "word.xyz:2: mult= expects a whole number, found 'triplet'" word.xyz $with_basis
refuse "pair.xyz:2: uhf=1 differs" pair.xyz $with_basis
refuse folder folder $with_basis
refuse "pipe.h5: is a named pipe" pipe.h5 $with_basis
refuse "pipe.h5: is a named pipe" water.xyz $with_basis --json pipe.h5
refuse missing/water.xyz missing/water.xyz $with_basis
refuse water.xyz water.xyz $with_basis --multiplicity 2
refuse water.xyz water.xyz $with_basis --multiplicity 13
refuse water.xyz water.xyz $with_basis --charge 10
refuse water.xyz water.xyz $with_basis --charge 11
refuse water.xyz water.xyz $with_basis --charge -20
refuse cation.xyz cation.xyz $with_basis
refuse numbers.xyz numbers.xyz --basis be15s --charge 1
refuse --method water.xyz $with_basis --multiplicity 3 --method rhf

# Basis sets.
for name in l6_shell.gbs i_shell.nw negative.gbs nan.gbs zero.gbs huge.gbs empty.gbs zeros.gbs \
    binary.gbs missing/set.nw; do
    refuse $name water.xyz --basis $name
done
refuse no_oxygen.gbs water.xyz --basis no_oxygen.gbs
refuse --basis water.xyz --basis ""
refuse ../water water.xyz --basis ../water

# Files to write and to go on from.
for option in json checkpoint write-profile; do
    refuse --$option water.xyz $with_basis --$option ""
    refuse folder.csv water.xyz $with_basis --$option folder.csv
    refuse water.xyz/result.csv water.xyz $with_basis --$option water.xyz/result.csv
done
for option in guess restart; do
    refuse water.xyz water.xyz $with_basis --$option water.xyz
    refuse empty.xyz water.xyz $with_basis --$option empty.xyz
    refuse folder water.xyz $with_basis --$option folder
    refuse pipe.h5 water.xyz $with_basis --$option pipe.h5
    for name in cut_last cut_start zeroed; do
        refuse $name.h5 water.xyz $with_basis --$option $name.h5
    done
done
for guess in sad core good.h5; do
    refuse "--restart and --guess" water.xyz $with_basis --restart good.h5 --guess $guess
done

# Numbers.
for option in screen max-iter converge diis multiplicity poll-every; do
    refuse --$option water.xyz $with_basis --$option 0
done
for option in tile screen max-iter converge diis multiplicity poll-every chunk seed cache \
    fock-only memory damping level-shift dependence; do
    refuse --$option water.xyz $with_basis --$option -1
done
refuse "number from 1e-15 to 1" water.xyz $with_basis --converge 1e-300
refuse --charge water.xyz $with_basis --charge x
for option in tile screen max-iter converge diis multiplicity charge poll-every chunk seed \
    cache fock-only memory damping level-shift dependence; do
    refuse --$option water.xyz $with_basis --$option nan
    refuse --$option water.xyz $with_basis --$option 1e999
done
for value in "" " " two 4x inf -inf 1e-400x 99999999999999999999 0x10; do
    refuse --tile water.xyz $with_basis --tile "$value"
    refuse --screen water.xyz $with_basis --screen "$value"
done
refuse --tile water.xyz $with_basis --tile 2.5
refuse --tile water.xyz $with_basis --tile

# Words and operands.
for option in sched seeding method units decomposition symmetry prune screening accumulate second-order \
    stability; do
    refuse --$option water.xyz $with_basis --$option nonsense
done
refuse nonsense water.xyz $with_basis --nonsense
refuse "did you mean --max-iter?" water.xyz $with_basis --maxiter 3
refuse "did you mean uhf?" water.xyz $with_basis --method UHF
refuse "did you mean steal?" water.xyz $with_basis --sched Steal
refuse "did you mean steal?" water.xyz $with_basis --compare static,stael
refuse "did you mean cc-pvdz?" water.xyz --basis cc-pvdzz
refuse -z water.xyz $with_basis -z
refuse --basis water.xyz
refuse cation.xyz water.xyz cation.xyz $with_basis
refuse MOLECULE "" $with_basis
refuse --spherical water.xyz $with_basis --spherical --cartesian
for density in guess good.h5; do
    refuse --checkpoint water.xyz $with_basis --fock-only 1 --density $density --checkpoint result.h5
done
refuse --checkpoint water.xyz $with_basis --fock-only 1 --checkpoint result.h5
for density in guess converged good.h5; do
    refuse "no effect without --fock-only" water.xyz $with_basis --density $density
done
for option in "guess core" "restart good.h5" "dependence 1e-3"; do
    refuse "--${option% *} has no effect with --density FILE" water.xyz $with_basis --fock-only 1 \
        --density good.h5 --$option
done
refuse good.h5 water.xyz --basis 6-31g --fock-only 1 --density good.h5
refuse "good.h5: a density of" water.xyz $with_basis --compare all --density good.h5 --charge 2
refuse "cannot read sad" water.xyz $with_basis --fock-only 1 --density sad
refuse good.h5 water.xyz $with_basis --fock-only 1 --density good.h5 --json good.h5
refuse "no effect without --checkpoint" water.xyz $with_basis --checkpoint-every 2
refuse "--follow has no effect with --stability never" water.xyz $with_basis --stability never \
    --follow none
for name in result result.txt result.csv.gz csv npy; do
    refuse "$name: the name must end in .csv or .npy" water.xyz $with_basis --write-profile $name
done
refuse "same file" water.xyz $with_basis --json result --report ./result
refuse "same file" water.xyz $with_basis --trace . --json trace.json
refuse "same file" water.xyz $with_basis --json result --report ../"${PWD##*/}"/result

# Options that a run without SCF, or without builds, would ignore.
for option in "converge 1e-3" "max-iter 3" "diis 2" "damping 0.1" "level-shift 0.1" \
    "second-order never" "stability never" "follow none" all-orbitals; do
    for run in "fock-only 1" "compare static,steal" count-tasks; do
        refuse "--${option% *} has no effect with --${run% *}" water.xyz $with_basis --$run \
            --$option
    done
done
for option in "guess core" "restart good.h5" "dependence 1e-3" "accumulate float" "cache 1" \
    "fock-only 1" "density guess" "watchdog 5"; do
    refuse "--${option% *} has no effect with --count-tasks" water.xyz $with_basis --count-tasks \
        --$option
done

# Options for which a dry run has no use.
for option in count-tasks "compare static,steal" "fock-only 1" \
    "write-profile result.csv" "report result" "checkpoint result.h5" profile-classes "watchdog 5" \
    "trace ."; do
    refuse "--dry-run" water.xyz $with_basis --dry-run --$option
done

# Options that the mode would ignore.
refuse "--seeding has no effect with --sched counter" water.xyz $with_basis --sched counter \
    --seeding cyclic
refuse "--chunk has no effect with --sched static" water.xyz $with_basis --sched static --chunk 4
refuse "--sched: 'lpt' is not one of static, " water.xyz $with_basis --sched lpt
refuse "mode lpt knows all durations" water.xyz $with_basis --compare static,lpt

# Values that the mode cannot use.
for value in 0 x -1 1.5 all; do
    refuse "--steal $value: " water.xyz $with_basis --sched steal --steal $value
    refuse "--steal $value: " water.xyz $with_basis --compare static,steal --steal $value
done

# Modes to compare.
refuse --compare water.xyz $with_basis --compare ""
for modes in , nonsense static, ,static static,nonsense all,nonsense all,all; do
    refuse "--compare: '" water.xyz $with_basis --compare "$modes"
done
refuse "--rounds has no effect without --compare" water.xyz $with_basis --fock-only 2 --rounds 3
refuse --sched water.xyz $with_basis --compare all --sched static
refuse --count-tasks water.xyz $with_basis --compare all --count-tasks
refuse --write-profile water.xyz $with_basis --compare all --write-profile result.csv
refuse --profile-classes water.xyz $with_basis --compare all --profile-classes
refuse --checkpoint water.xyz $with_basis --compare all --checkpoint result.h5
refuse "--chunk has no effect" water.xyz $with_basis --compare static --chunk 4
refuse --fock-only water.xyz $with_basis --compare all --fock-only -1

# Outputs with the names of guesses and basis sets.
for name in sad 6-31g; do
    run 0 water.xyz --basis 6-31g --guess sad --json $name
    [ -s $name ] || complain "no result in $name"
done

finish
