#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# A coupled-cluster run resumes from its checkpoint where it stopped, with the amplitudes and
# the very orbitals that they belong to, on any number of processes.
#
#   test_tce_restart.sh BERYL_TCE PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=120
. "$(dirname "$0")/program.sh"

# Degenerate orbitals, which an SCF may mix: pi orbitals; and e orbitals.
printf '2\n\nN 0 0 0\nN 0.3 0.4 0.97\n' > nitrogen.xyz
printf '4\n\nN 0 0 0\nH 0.94 0 0.38\nH -0.47 0.814 0.38\nH -0.47 -0.814 0.38\n' > ammonia.xyz
printf '2\n\nN 0 0 0\nN 0.3 0.4 1.4\n' > stretched.xyz
nitrogen="nitrogen.xyz --basis 6-31g" ammonia="ammonia.xyz --basis cc-pvdz"

# one ARGUMENT...: a run on one process that must end well.
one()
{
    local here=$processes
    processes=1
    run 0 "$@"
    processes=$here
}

# same FIRST SECOND MOST: equal energies, and the second took so many iterations at most.
same()
{
    /usr/bin/python3 - "$@" << 'END' 2> "$folder/errors" || complain "not the same result"
import json, sys
first, second = (json.load(open(name)) for name in sys.argv[1:3])
difference = first["return_result"] - second["return_result"]
assert abs(difference) < 1e-9, difference
method = second["model"]["method"]
iterations = second["properties"][method + "_iterations"]
assert iterations <= int(sys.argv[3]), iterations
END
}

# A converged run is not iterated again, written by one process and read by several and the reverse.
for method in ccd ccsdt ccsd; do
    one $method $nitrogen --frozen-core --checkpoint n2.h5 --json n2.json
    run 0 $method $nitrogen --frozen-core --restart n2.h5 --json again.json
    same n2.json again.json 0
done
run 0 ccsd $ammonia --checkpoint nh3.h5 --json nh3.json
one ccsd $ammonia --restart nh3.h5 --checkpoint copy.h5 --json again.json
same nh3.json again.json 0
run 0 ccsd $ammonia --restart copy.h5 --json again.json
same nh3.json again.json 0

# CCSD(T) begins with the amplitudes of CCSD, and the reverse: all with one energy to the last bit.
bits()
{
    /usr/bin/python3 - "$@" << 'END' 2> "$folder/errors" || complain "not the same bits"
import json, sys
energies = {json.load(open(name))["return_result"] for name in sys.argv[1:]}
assert len(energies) == 1, energies
END
}
run 0 ccsd_t $ammonia --restart nh3.h5 --checkpoint triples.h5 --json triples.json
one ccsd_t $ammonia --restart triples.h5 --json again.json
bits triples.json again.json
rm triples.h5.loop1
run 0 ccsd_t $ammonia --restart triples.h5 --sched dtree --json again.json
bits triples.json again.json
run 0 ccsd $ammonia --restart triples.h5 --json again.json
bits nh3.json again.json

# Other tiles, tighter amplitudes; and the checkpoint continues in the same file.
run 0 ccsd $nitrogen --frozen-core --restart n2.h5 --orbital-tile 3 --json again.json
same n2.json again.json 2
run 0 ccsd $nitrogen --frozen-core --restart n2.h5 --checkpoint n2.h5 --converge-amplitudes 1e-11
run 0 ccsd $nitrogen --frozen-core --restart n2.h5 --converge-amplitudes 1e-11 --json again.json
same n2.json again.json 2

# A run that was stopped has the iterations to go that were left, and at most one more, though the
# amplitudes of a stretched bond need DIIS; also with a checkpoint after every fourth iteration,
# because the last one is written in any case.
stretched="stretched.xyz --basis 6-31g --frozen-core"
run 0 ccsd $stretched --json stretched.json
left=$(/usr/bin/python3 -c 'import json
print(json.load(open("stretched.json"))["properties"]["ccsd_iterations"] - 6)')
for every in 1 4; do
    run 1 ccsd $stretched --max-iter-amplitudes 6 --checkpoint part.h5 --checkpoint-every $every
    run 0 ccsd $stretched --restart part.h5 --json again.json
    same stretched.json again.json $((left + 1))
done

# So it is where the first one is the last: of the SCF, and of the amplitudes.
for most in --max-iter --max-iter-amplitudes; do
    rm -f first.h5
    run 1 ccsd $nitrogen --frozen-core $most 1 --checkpoint first.h5
    run 0 ccsd $nitrogen --frozen-core --restart first.h5 --json again.json
    same n2.json again.json 100
done

# An SCF that iterates further has other orbitals: the amplitudes begin anew, and converge.
one ccsd $nitrogen --frozen-core --converge 1e-4 --checkpoint loose.h5
run 0 ccsd $nitrogen --frozen-core --restart loose.h5 --json again.json
grep -q "amplitudes begin anew" "$folder/output" || complain "nothing said of the amplitudes"
same n2.json again.json 100

# Amplitudes from centres that were moved onto the symmetry begin anew where they are not.
printf '3\n\nO 0 0 0.1192620\nH 0 0.7632400 -0.4770475\nH 0 -0.7632375 -0.4770465\n' > rounded.xyz
one ccsd rounded.xyz --basis 6-31g --checkpoint rounded.h5 --json rounded.json
run 0 ccsd rounded.xyz --basis 6-31g --restart rounded.h5 --json again.json
same rounded.json again.json 0
run 0 ccsd rounded.xyz --basis 6-31g --point-group c1 --restart rounded.h5 --json again.json
grep -q "amplitudes begin anew" "$folder/output" || complain "nothing said of the amplitudes"
same rounded.json again.json 100

# Restart of the SCF alone: of beryl-tce mp2, and of coupled cluster with another method.
one mp2 $nitrogen --checkpoint mp2.h5
run 0 ccsd $nitrogen --frozen-core --restart mp2.h5 --json again.json
same n2.json again.json 100
run 0 ccd $nitrogen --guess n2.h5
run 0 mp2 $nitrogen --restart n2.h5

# Over spin orbitals; a closed shell has both kinds of amplitudes.
printf '3\nmultiplicity=2\nN 0 0 0\nH 0 0.8 0.64\nH 0 -0.8 0.64\n' > radical.xyz
one ccsd radical.xyz --basis 6-31g --checkpoint radical.h5 --json radical.json
run 0 ccsd radical.xyz --basis 6-31g --restart radical.h5 --json again.json
same radical.json again.json 2

# Over semicanonical orbitals of ROHF, pi orbitals among them; not over those of UHF.
printf '2\nmultiplicity=3\nO 0 0 0\nO 0.3 0.4 1.1\n' > oxygen.xyz
shared="oxygen.xyz --basis 6-31g --frozen-core --method rohf"
one ccsd_t $shared --checkpoint shared.h5 --json shared.json
run 0 ccsd_t $shared --restart shared.h5 --json again.json
bits shared.json again.json
rm shared.h5.loop1
run 0 ccsd_t $shared --restart shared.h5 --json again.json
bits shared.json again.json
run 1 ccsd $shared --max-iter-amplitudes 4 --checkpoint shared.h5
run 0 ccsd $shared --restart shared.h5 --json again.json
one ccsd $shared --json shared.json
same shared.json again.json 12
run 0 ccsd ${shared/rohf/uhf} --restart shared.h5
grep -q "amplitudes begin anew" "$folder/output" || complain "amplitudes of ROHF over UHF"

# The number of frozen orbitals counts, however it is given.
run 0 ccsd $nitrogen --freeze 2 --restart n2.h5 --json again.json
same n2.json again.json 2
one ccsd $nitrogen --freeze 1 --freeze-virtuals 2 --checkpoint few.h5 --json few.json
run 0 ccsd $nitrogen --freeze 1 --freeze-virtuals 2 --restart few.h5 --json again.json
same few.json again.json 2

exit $((n_failed > 0))
