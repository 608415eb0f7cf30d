#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad input to beryl-tce is refused, see refuse.sh.
#
#   test_bad_input_tce.sh BERYL_TCE PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/refuse.sh"

# The first four lines of most programs.
declarations='space s = 4 irrep 0, 3 irrep 1\nspace t = 5\nindex i, j, k : s\nindex x, y : t\n'

# bad NAME PLACE TEXT PROGRAM: lines of a program; the message begins with its place, and has
# TEXT in it.
bad()
{
    local name=$1 place=$2 text=$3
    printf "$4" > "$name.tce"
    refuse "$name.tce:$place: " run "$name.tce"
    grep -qF -- "$text" "$folder/message" || complain "the message does not say: $text"
}

# bad_after NAME PLACE TEXT PROGRAM: as bad, the program following the declarations.
bad_after() { bad "$1" "$2" "$3" "$declarations$4"; }

printf "${declarations}tensor A[i,j]\ntensor B[i,j] = wave\nA[i,j] = B[j,i]\n" > good.tce
run 0 run good.tce

# --- Of each file that is read or written one case, and what is found in the midst of the set-up:
# one process finds it or all do, and all end. ---

head -c 4096 "$program" > binary.tce
refuse binary.tce: run binary.tce
: > empty.tce
refuse "empty.tce: the file is empty" run empty.tce
bad tiles 2:7 "space s has more than 2^20 tiles of 1" \
    'tile 1\nspace s = 1000000000, 1000000000, 1000000000\nindex i : s\nscalar E\ntensor A[i]\nE = A[i]\n'
mkdir folder folder.tce folder.csv
cp good.tce good.csv
for file in missing.tce folder.tce; do
    refuse "$file" run "$file"
done
for option in json write-profile; do
    refuse missing/result.csv run good.tce --$option missing/result.csv
done
refuse "not a command" walk good.tce

printf '3\n\nO 0 0 0\nH 0 0.757 0.587\nH 0 -0.757 0.587\n' > water.xyz
printf '2\n\nO 0 0 0\nH 0 0 0.97\n' > radical.xyz
printf '2\nmultiplicity=3\nO 0 0 0\nO 0 0 1.2\n' > oxygen.xyz
printf '1\n\nHe 0 0 0\n' > helium.xyz
printf '1\n\nH 0 0 0\n' > hydrogen.xyz
printf '1\n\nBe 0 0 0\n' > beryllium.xyz
printf '1\ncharge=3 multiplicity=2\nBe 0 0 0\n' > trication.xyz
printf '1\ncharge=2\nBe 0 0 0\n' > dication.xyz
with_basis="--basis sto-3g"

refuse missing.xyz ccsd missing.xyz $with_basis
refuse nosuchset ccsd water.xyz --basis nosuchset
refuse hydrogen.xyz ccsd hydrogen.xyz $with_basis
refuse "closed shells" ccsd oxygen.xyz $with_basis --method rhf
refuse --verify ccsd water.xyz $with_basis --verify
refuse missing/result ccsd water.xyz $with_basis --json missing/result
refuse "virtual" ccsd helium.xyz $with_basis

# --- Failures during the run: status 1, one message, and a result that records why. ---

# fail TEXT ARGUMENT...
fail()
{
    local text=$1
    shift
    rm -f result.json
    run 1 "$@" --json result.json
    without_banner "$folder/errors" > "$folder/message"
    [ "$(wc -l < "$folder/message")" = 1 ] || complain "not one line on standard error"
    grep -qF -- "$text" "$folder/message" || complain "the message does not say $text"
    /usr/bin/python3 - "$text" << 'END' 2>> "$folder/errors" || complain "the result is not as it should be"
import json, sys
result = json.load(open("result.json"))
assert result["schema_name"] == "qcschema_output" and result["success"] is False
assert sys.argv[1] in result["error"]["error_message"], result["error"]
assert result["molecule"]["symbols"] and result["extras"]["beryl"]["workers"] >= 1
END
    rm -f result.json
    n_checked=$((n_checked + 1))
}

fail "--max-iter-amplitudes" ccsd water.xyz $with_basis --max-iter-amplitudes 1
fail "--max-iter-amplitudes" ccd water.xyz $with_basis --max-iter-amplitudes 2
fail "allow more with --max-iter" ccsd water.xyz $with_basis --max-iter 1
fail "MB are available" ccsd water.xyz $with_basis --memory 1

# A number that is not finite fails the run under all options.
printf "${declarations}tensor A[i,j]\ntensor B[i,j] = constant(1e308)\nscalar E\n" > infinite.tce
printf 'A[i,j] = B[i,j]\nE = A[i,j] * B[i,j]\n' >> infinite.tce
for options in "" "--json result.json" "--iterations 2 --sched steal" "--compare static,auto" --verify; do
    run 1 run infinite.tce $options
    rm -f result.json
    without_banner "$folder/errors" > "$folder/message"
    grep -q "infinite.tce:9:1: E is not finite" "$folder/message" || complain "no message"
    n_checked=$((n_checked + 1))
done

# In a loop the statement is named that adds what is not finite, not the loop's first one.
{
    printf "${declarations}tensor A[i] = constant(1e308)\nscalar E, F\nfor i by tile 2\n"
    printf 'E = 1e-300 * A[i]\nF = A[i] * A[i]\nend\nE += F\n'
} > infinite_loop.tce
run 1 run infinite_loop.tce
without_banner "$folder/errors" > "$folder/message"
grep -q "infinite_loop.tce:9:1: F is not finite" "$folder/message" || complain "no message"
n_checked=$((n_checked + 1))

# An ordered loop over an unsymmetric summand is refused: status 2.
for ordered in "j >= i" "i >= j >= k"; do
    {
        printf "${declarations}tensor A[i,j,k] = random(1)\nscalar E\nfor $ordered by tile 2\n"
        printf '    tensor W[i,j,k]\n    W[i,j,k] = antisym(i, j) A[i,j,k]\n'
        printf '    E = W[i,j,k] * W[i,j,k]\nend\n'
    } > unsymmetric.tce
    expected=0 # where i and j alone are exchanged
    [ "$ordered" = "j >= i" ] || expected=2
    run $expected run unsymmetric.tce
    without_banner "$folder/errors" > "$folder/message"
    [ $expected = 0 ] || grep -q "unsymmetric.tce:10:5: the sum into 'E' changes when 'j' and 'k'" \
        "$folder/message" || complain "no message"
    n_checked=$((n_checked + 1))
done

# A program whose tensors do not fit is refused before anything is allocated.
printf 'space s = 100000\nindex i, j, k : s\ntensor A[i,j,k]\ntensor B[i] = wave\n' > large.tce
printf 'A[i,j,k] = B[i] * B[j] * B[k]\n' >> large.tce
run 1 run large.tce
without_banner "$folder/errors" > "$folder/message"
[ "$(wc -l < "$folder/message")" = 1 ] || complain "not one line on standard error"
grep -q "large.tce needs .* MB are missing" "$folder/message" || complain "no message"
# The memory of a loop is the size of its local tensors: here one of 42 MB for a tuple.
cat > loop.tce << 'END'
space s = 48
index a, b, d, i, j : s
tensor A[a,d,i]
scalar E
for a, b by tile 48
    tensor W[a,b,i,j]
    W[a,b,i,j] = A[a,d,i] * A[b,d,j]
    E = W[a,b,i,j] * W[a,b,j,i]
end
END
run 1 run loop.tce --cache 1 --memory 40
grep -q "loop.tce needs .* 40 MB are available" "$folder/errors" || complain "no message"
run 0 run loop.tce --cache 1 --memory 40 --dry-run
run 0 run loop.tce --cache 1 --memory 400

[ "$(find . -newer dication.xyz -type f | sort | tr '\n' ' ')" = "./infinite.tce ./infinite_loop.tce ./large.tce ./loop.tce ./unsymmetric.tce " ] ||
    complain "left behind: $(find . -newer dication.xyz)"

# --- All the ways in which that can be bad. Every process parses the same command line and the
# same texts: one shows it. ---
[ "$processes" = 1 ] || finish

# --- Programs. ---

# Names.
bad_after index 5:12 "unknown index 'q'" 'tensor A[i,q]\n'
bad_after tensor 6:8 "unknown tensor 'B'" 'tensor A[i,j]\nA[i,j]=B[i,j]\n'
bad space 1:11 "unknown space 'u'" 'index i : u\n'
bad_after again 6:8 "declared before, in line 5" 'tensor A[i,j]\ntensor A[i,j]\n'
bad_after word 5:8 "word of the language" 'tensor index[i,j]\n'
bad_after function 5:15 "there is no function wiggle" \
    'tensor A[i] = wiggle\ntensor B[i]\nB[i] = A[i]\n'
bad_after arguments 5:15 "wave takes 1 argument, not 2" \
    'tensor A[i] = wave(1, 2)\ntensor B[i]\nB[i] = A[i]\n'
bad_after seed 5:15 "whole number" 'tensor A[i] = random(0.5)\ntensor B[i]\nB[i] = A[i]\n'
bad_after integrals 5:15 "there is no function integrals" \
    'tensor A[i] = integrals\ntensor B[i]\nB[i] = A[i]\n'
bad bound 1:11 "space o is bound to 'occupied'" \
    'space o = occupied\nindex i : o\ntensor A[i]\ntensor B[i]\nA[i] = B[i]\n'
bad unbound 1:11 "which is unknown here" 'space o = occupied\nscalar E, F\nE = F\n'

# Indices and labels.
bad_after size 7:5 "index 'x' is of space 't'" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,x]=B[i,x]\n'
bad_after repeated 7:5 "index 'i' is repeated" 'tensor A[i,j]\ntensor B[i,j]\nA[i,i]=B[i,j]\n'
bad_after lacking 7:8 "is missing in this product" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j]=B[i,i]\n'
bad_after rank 7:8 "rank 1 here, but rank 2" 'tensor A[i,j]\ntensor B[i,j]\nA[i,j]=B[i]\n'
bad_after recursion 7:17 "computed from itself" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = B[i,j]*A[i,j]\n'
bad_after recursion_add 7:11 "computed from itself; use another tensor" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] += A[j,i]\n'
bad_after labels 7:10 "can never be met" \
    'tensor A[i,j] irrep 1\ntensor B[i,j]\nA[i,j] = B[i,j]\n'
bad_after no_block 5:8 "has no block" 'tensor A[i,j] irrep 2\nscalar E, F\nE = F\n'
bad spins 3:8 "needs a bar" 'space s = 2 alpha, 2 beta\nindex i, j : s\ntensor A[i,j]\nscalar E, F\nE = F\n'
bad_after bar 7:13 "'|' is not where" 'tensor A[i|j]\ntensor B[i,j]\nA[i,j] = B[i|j]\n'

# Text.
bad blank 4:1 "at least one statement" '\n \n\t\n'
bad comment 2:1 "at least one statement" '# nothing\n'
bad declared 5:1 "at least one statement" "$declarations"
bad_after parentheses 7:10 "no parentheses" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = (B[i,j] + B[j,i])\n'
bad_after divided 8:16 "only a number" \
    'tensor A[i,j]\ntensor B[i,j]\nscalar c\nA[i,j] = B[i,j]/c\n'
bad_after number 7:10 "product of numbers alone" 'tensor A[i,j]\nscalar c\nA[i,j] = 2\n'
bad_after cut 7:15 "found the end of the file" 'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = B[i,j'
bad_after character 7:16 "not part of the language" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = B[i,j]^2\n'
bad_after assignment 7:8 "expected '=', '+=' or '-='" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] : B[i,j]\n'
bad_after equation 7:9 "found '='" 'tensor A[i,j]\ntensor B[i,j]\nA[i,j] == B[i,j]\n'
bad iterated 1:9 "unknown tensor 'x'" 'iterate x from y, energy E\n'
head -c 100000 /dev/urandom > noise.tce
refuse noise.tce: run noise.tce
truncate -s 200M zeros.tce
refuse zeros.tce: run zeros.tce

# Numbers.
bad zero 1:11 "whole number from 1" 'space s = 0\n'
bad negative 1:11 "whole number from 1" 'space s = -4\n'
bad fraction 1:11 "whole number from 1" 'space s = 2.5\n'
bad huge 1:11 "from 1 to 1000000000" 'space s = 99999999999999999999999999\n'
bad irrep 1:19 "from 0 to 7" 'space s = 4 irrep 8\n'
bad tile 1:6 "whole number from 1" 'tile 0\n'
bad spin 5:20 "from -2 to 2" "${declarations}tensor A[i,j] spin 3\n"
bad_after coefficient 7:10 "beyond double precision" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = 1e999 * B[i,j]\n'
bad_after division 7:12 "division by zero" \
    'tensor A[i,j]\ntensor B[i,j]\nA[i,j] = 1/0 * B[i,j]\n'

# Many of everything.
{
    printf 'space s = 2\nindex i0'
    printf ', i%d' $(seq 9999)
    printf ' : s\n'
} > indices.tce
refuse "indices.tce:2:" run indices.tce
{
    printf 'space s = 2\nindex i0'
    printf ', i%d' $(seq 4000)
    printf ' : s\ntensor A[i0'
    printf ', i%d' $(seq 4000)
    printf ']\n'
} > tensor.tce
refuse "at most 12" run tensor.tce
{
    printf "${declarations}tensor A[i]\nscalar E\nE = A[i]"
    printf ' * A[i]%.0s' $(seq 64)
    printf '\n'
} > factors.tce
refuse "factors.tce:7:" run factors.tce
printf 'a%.0s' $(seq 100000) > name.tce
refuse "name.tce:1:1: " run name.tce

# `iterate` is for methods and programs over a molecule.
printf "${declarations}tensor A[i]\ntensor B[i]\nscalar E\niterate A from B, energy E\n" > iterate.tce
printf 'E = A[i] * A[i]\nB[i] = 2 * A[i]\n' >> iterate.tce
refuse "iterate.tce:8:1: 'iterate' is for methods" run iterate.tce
refuse iterate.tce:8:1: run iterate.tce --count-tasks

# Files.
for file in missing/program.tce folder good.tce/program.tce; do
    refuse "$file" run "$file"
done
for option in json write-profile; do
    refuse --$option run good.tce --$option ""
    refuse folder.csv run good.tce --$option folder.csv
    refuse "both an input and an output" run good.csv --$option good.csv
done
refuse "same file" run good.tce --json one.csv --write-profile one.csv
refuse "same file" run good.tce --json one.csv --write-profile ./one.csv
refuse "same file" run good.tce --trace . --json trace.json
refuse "one.txt: the name must end in .csv or .npy" run good.tce --write-profile one.txt

# --- Options of run. ---

refuse "command comes first" --verify run good.tce
refuse "run FILE.tce" good.tce
refuse FILE.tce run
refuse "--basis is missing" run good.tce good.tce
refuse "'--frozen-core' (beryl-tce run FILE.tce --help-all lists all)" run good.tce --frozen-core
refuse "'--verify' (beryl-tce run FILE.tce MOLECULE.xyz --help-all lists all)" \
    run good.tce water.xyz $with_basis --verify
refuse --basis run good.tce --basis sto-3g
refuse "did you mean ccsd_t?" ccsd-t water.xyz $with_basis
refuse "did you mean run?" RUN good.tce
for option in freeze-core frozencore frozen_core; do
    refuse "'--$option' (beryl-tce ccsd --help-all lists all): did you mean --frozen-core?" \
        CCSD water.xyz $with_basis --$option
done
refuse "did you mean --iterations?" run good.tce --iteratoins=3
refuse --iterations run good.tce --iterations 0
refuse --cache run good.tce --cache -1
refuse --sched run good.tce --sched nonsense
refuse "--seeding has no effect" run good.tce --sched counter --seeding cyclic
refuse "--sched: 'lpt' is not one of static, " run good.tce --sched lpt
refuse "--steal 0: " run good.tce --sched steal --steal 0
refuse "--steal x: " run good.tce --compare static,steal --steal x
refuse "missing.speeds" run good.tce --sched dtree --speeds missing.speeds
refuse "--dry-run" run good.tce --dry-run --verify
refuse "--dry-run" run good.tce --dry-run --iterations 2
refuse "--dry-run" run good.tce --dry-run --compare all
refuse "--dry-run" run good.tce --dry-run --json result.json
refuse "--dry-run" run good.tce --dry-run --watchdog 5
refuse "--count-tasks" run good.tce --count-tasks --json result.json
refuse "--count-tasks" run good.tce --count-tasks --write-profile result.csv
for option in "iterations 2" "compare all" "rounds 2" dry-run verify "cache 1" no-prefetch \
    "watchdog 5"; do
    refuse "--${option% *} has no effect with --count-tasks" run good.tce --count-tasks --$option
done
refuse "--compare" run good.tce --compare ""
refuse "--compare: '" run good.tce --compare static,nonsense
refuse "--rounds has no effect without --compare" run good.tce --rounds 3
refuse "--rounds: '1001'" run good.tce --compare all --rounds 1001
refuse "leave --sched out" run good.tce --compare all --sched static
refuse "--write-profile has no effect with --compare" run good.tce --compare all --write-profile result.csv
refuse "--fan-out has no effect" run good.tce --compare static,steal --fan-out 2

# --- Methods. ---

for method in mp2 ccd ccsd; do
    refuse MOLECULE $method
    refuse --basis $method water.xyz
    refuse missing.xyz $method missing.xyz $with_basis
    refuse nosuchset $method water.xyz --basis nosuchset
    refuse radical.xyz $method radical.xyz $with_basis
    refuse hydrogen.xyz $method hydrogen.xyz $with_basis
    refuse "closed shells" $method oxygen.xyz $with_basis --method rhf
    for option in "fock-only 1" verify "rounds 2"; do
        refuse "--${option% *}" $method water.xyz $with_basis --$option
    done
    refuse "command comes first" --basis sto-3g $method water.xyz
done
refuse "--fock-only" mp2 water.xyz $with_basis --fock-only 0
refuse --orbital-tile ccsd water.xyz $with_basis --orbital-tile -1
for option in converge-amplitudes max-iter-amplitudes diis-amplitudes tile converge max-iter; do
    refuse --$option ccsd water.xyz $with_basis --$option 0
    refuse --$option ccsd water.xyz $with_basis --$option x
done
refuse "number from 1e-15 to 1" ccsd water.xyz $with_basis --converge-amplitudes 1e-300
refuse water.xyz ccsd water.xyz $with_basis --json water.xyz
refuse "--watchdog has no effect with --dry-run" ccsd water.xyz $with_basis \
    --dry-run --watchdog 5
refuse "leave --sched out" mp2 water.xyz $with_basis --compare all --sched static
refuse "--steal x: " mp2 water.xyz $with_basis --sched persist --steal x
refuse "missing.speeds" mp2 water.xyz $with_basis --sched dtree --speeds missing.speeds

for method in mp2 ccsd; do
    refuse "virtual" $method helium.xyz $with_basis
    refuse "virtual" $method helium.xyz $with_basis --frozen-core
    refuse "occupied" $method dication.xyz --basis 6-31g --frozen-core
    refuse "by beta electrons" $method trication.xyz --basis 6-31g --frozen-core
    refuse "freeze at most 4" $method water.xyz $with_basis --freeze 5
    refuse "freeze at most 1" $method water.xyz $with_basis --freeze-virtuals 2
    refuse "freeze at most 1" $method water.xyz $with_basis --freeze-virtuals 2 --method uhf
    refuse "leave one out" $method water.xyz $with_basis --freeze 0 --frozen-core
    refuse "--freeze" $method water.xyz $with_basis --freeze -1
done

finish
