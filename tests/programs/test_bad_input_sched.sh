#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad input to beryl-sched is refused, see refuse.sh.
#
#   test_bad_input_sched.sh BERYL_SCHED PROCESSES MPIEXEC
set -u
program=$1 processes=$2 mpiexec=$3 seconds=60
. "$(dirname "$0")/refuse.sh"

printf 'task,seconds\n0,0\n1,0\n' > good.csv
printf 'task,seconds\n0,0\n1,-1\n' > negative.csv
: > empty.csv
truncate -s 200M zeros.csv
head -c 4096 "$program" > binary.csv
head -c 4096 "$program" > binary.npy
printf '1 0\n' > zero.speeds
mkdir folder folder.npy
printf 'task,seconds,iteration,worker\n0,0,0,0\n' > long.csv
mkfifo pipe.csv pipe.npy
printf 'a,b\n0,1\n1,0\n' > samples.csv
printf 'a,b\n0,1\n1\n' > ragged.csv
printf 'parent,child\na,c\n' > stranger.csv
machine='"node-size": 2, "overhead": 1e-7'
printf '{%s, "latency": 1e-6}\n' "$machine" > machine.json
printf '{%s, "latency": 1e-6\n' "$machine" > broken.json
printf '{%s}\n' "$machine" > part.json
printf '{%s, "latency": -1e-6}\n' "$machine" > negative.json
printf '{%s, "latency": 1e-6, "color": 3}\n' "$machine" > unknown.json
drawn="--exponential 1e-9 --tasks 2"

# --- Of each file that is read or written one case, and what is found in the midst of the set-up:
# one process finds it or all do, and all end. ---

refuse "one workload only" --uts T1 $drawn
for file in missing.csv negative.csv zeros.csv binary.npy; do
    refuse $file --profile $file
done
refuse_with 1 "MB are available" --jacobi 100000,100000,100000 --sweeps 1
refuse ragged.csv:3 --bnsl ragged.csv
refuse missing.csv --bnsl missing.csv
refuse stranger.csv:2 --bnsl samples.csv --network stranger.csv
refuse "--sched static" --uts T1 --sched static
refuse missing/profile.csv $drawn --write-profile missing/profile.csv
refuse missing/result $drawn --json missing/result
refuse zero.speeds $drawn --speeds zero.speeds
refuse missing/machine.json --calibrate missing/machine.json
if [ "$processes" != 1 ]; then
    refuse "leave out mpirun" $drawn --simulate 4
    # A command line that one process alone cannot take.
    refuse nonsense $drawn --nonsense : -n 1 "$program" $drawn
    refuse nonsense $drawn : -n 1 "$program" $drawn --nonsense
    finish
fi

for file in pipe.csv pipe.npy; do
    refuse "$file: is a named pipe" --profile $file
    refuse "$file: is a named pipe" $drawn --write-profile $file
done

# --- All the ways in which that can be bad. Every process parses the same command line and the
# same texts: one shows it. ---

# Workloads.
refuse "--profile, --gauss" --sched steal
refuse "--tasks is missing" --exponential 1e-9
refuse "--tasks has no effect" --uts T1 --tasks 3
refuse "--tasks has no effect" --profile good.csv --tasks 3
refuse --tasks --exponential 1 --tasks -1
refuse "too many" $drawn good.csv
for file in empty.csv binary.csv folder folder.npy missing.npy missing/profile.csv; do
    refuse $file --profile $file
done
refuse negative.csv:3 --profile negative.csv
printf 'task,seconds\n0,1\n' > data.csv
printf 'task,access,block\n1,r,0\n' > data.blocks.csv
refuse data.sizes.csv --profile data.csv --simulate 2
printf 'block,bytes,owner\n0,8,0\n' > data.sizes.csv
refuse data.blocks.csv:2 --profile data.csv --simulate 2
refuse "--data has no effect with --simulate of tasks" $drawn --simulate 2 --data on
refuse "--node-cache has no effect with --simulate of" $drawn --simulate 2 --node-cache 8
refuse "--node-cache has no effect with --data off" --profile good.csv --simulate 2 --data off \
    --node-cache 8
refuse "--drift has no effect with --uts" --uts T1 --sched steal --drift 0.1
refuse --drift $drawn --drift -1
refuse T6 --uts T6
refuse -q --uts "-t 0 -q 2"
refuse "one workload only" --jacobi 4,4,4 --sweeps 1 --uts T1
refuse "--sweeps is missing" --jacobi 4,4,4
refuse "--sweeps has no effect" $drawn --sweeps 2
refuse "--iterations has no effect" --jacobi 4,4,4 --sweeps 2 --iterations 2
refuse "--tasks has no effect with --jacobi" --jacobi 4,4,4 --sweeps 2 --tasks 4
refuse "--time-scale has no effect" --jacobi 4,4,4 --sweeps 2 --time-scale 2
refuse "--speeds has no effect" --jacobi 4,4,4 --sweeps 2 --speeds zero.speeds
refuse --jacobi --jacobi 4,4,0 --sweeps 1

for file in empty.csv zeros.csv binary.csv folder; do
    refuse $file --bnsl $file
    refuse $file --bnsl samples.csv --network $file
done
refuse missing.csv --bnsl samples.csv --network missing.csv
refuse "--candidates has no effect without --bnsl" $drawn --candidates 3
refuse "--network has no effect without --bnsl" $drawn --network samples.csv
refuse "--time-scale has no effect with --bnsl" --bnsl samples.csv --time-scale 2
refuse "--tasks has no effect with --bnsl" --bnsl samples.csv --tasks 2
refuse "one workload only" --bnsl samples.csv --uts T1
refuse --candidates --bnsl samples.csv --candidates 31
refuse --hypercube --bnsl samples.csv --hypercube -1
refuse --kicks --bnsl samples.csv --kicks many
refuse owner --bnsl samples.csv --sched static --seeding owner

# Modes.
refuse "--sched persist" --uts T1 --sched persist
refuse "--seeding" $drawn --sched static --seeding owner
refuse "--managers has no effect" $drawn --sched steal --managers 2
refuse "--release-every has no effect" $drawn --sched counter --release-every 2
refuse --sched $drawn --sched nonsense
refuse "mode lpt knows all durations" $drawn --sched lpt
refuse "--steal 0: " $drawn --sched steal --steal 0
refuse "--steal x: " $drawn --simulate 4 --sched retentive --steal x
refuse "--steal x: " $drawn --simulate 4 --sched steal --steal x
refuse "--seeding has no effect" --uts T1 --sched steal --seeding cyclic
refuse "--victim has no effect with --sched lifeline" --uts T1 --sched auto --victim random
refuse "--branching has no effect" $drawn --sched persist --balancer central --branching 4
refuse "--time-scale has no effect" --uts T1 --sched steal --time-scale 2

# Files to write, and speeds.
refuse samples.csv --bnsl samples.csv --json samples.csv
refuse "name the same file" $drawn --json a.csv --write-profile a.csv
refuse "name the same file" $drawn --json a.csv --write-profile ./a.csv
refuse "a.txt: the name must end in .csv or .npy" $drawn --write-profile a.txt
refuse "beryl-vt run.csv 'w.%p.json'" $drawn --write-profile w.%p.json
refuse "beryl-vt 'load.%p.json' load.csv" --profile load.%p.json --node-cache 0 --simulate 2
refuse "beryl-vt 'load.0.json.br' load.csv" --profile load.0.json.br
refuse "--all-iterations has no effect" $drawn --all-iterations
refuse "--all-iterations has no effect" $drawn --all-iterations --write-profile a.npy
refuse "long.csv: --null-time" --profile long.csv --null-time 1 --tasks 9
refuse "--write-profile has no effect" --uts T1 --sched steal --write-profile a.csv
refuse folder $drawn --json folder
refuse good.csv --profile good.csv --json good.csv
refuse missing.speeds $drawn --speeds missing.speeds
refuse missing.speeds $drawn --simulate 2 --known-speeds missing.speeds
refuse "--known-speeds has no effect without --simulate" $drawn --known-speeds none
refuse zero.speeds:1 $drawn --simulate 2 --known-speeds zero.speeds
refuse "--speeds has no effect" --uts T1 --sched steal --speeds zero.speeds

# The machine of a simulation.
refuse "--latency has no effect without --simulate" $drawn --latency 1e-6
refuse "--node-size has no effect without --simulate" $drawn --node-size 4
refuse "--machine has no effect without --simulate" $drawn --machine machine.json
refuse "--uts has no effect with --list-modes" --list-modes --uts T1
refuse "--sched has no effect with --list-modes" --list-modes --sched steal
refuse "--json has no effect with --list-modes" --list-modes --json result
refuse "--calibrate has no effect with --list-modes" --list-modes --calibrate other.json
refuse "--simulate has no effect with --list-modes" --list-modes --simulate 2
refuse "--uts has no effect with --calibrate" --uts T1 --calibrate machine.json
refuse "--json has no effect with --calibrate" --json other.json --calibrate machine.json
refuse "--write-profile has no effect" --write-profile a.csv --calibrate other.json
refuse "--iterations has no effect" --iterations 2 --calibrate other.json
refuse "--latency has no effect" --latency 1 --calibrate other.json
for option in latency latency-spread overhead bandwidth node-size; do
    refuse --$option $drawn --simulate 4 --$option -1
    refuse --$option $drawn --simulate 4 --$option nan
done
refuse missing/page $drawn --report missing/page
refuse "same file" $drawn --json result --report result
refuse "same file" $drawn --trace . --json trace.json
refuse --bandwidth $drawn --simulate 4 --bandwidth 0
refuse --node-size $drawn --simulate 4 --node-size 0
refuse_with 1 "MB are available" $drawn --simulate 200000 --threads 10000
refuse "3 points along x" --jacobi 3,9,9 --sweeps 1 --simulate 49
refuse zero.speeds:1 $drawn --simulate 2 --speeds zero.speeds
refuse "--network has no effect with --simulate" --bnsl samples.csv --simulate 2 \
    --network stranger.csv
refuse "--watchdog has no effect with --simulate" $drawn --simulate 2 --watchdog 5
refuse "--watchdog" $drawn --watchdog -1

refuse broken.json:2 $drawn --simulate 2 --machine broken.json
refuse "part.json: there is no \"latency\"" $drawn --simulate 2 --machine part.json
refuse "negative.json: --latency: '-9.9" $drawn --simulate 2 --machine negative.json
refuse "unknown.json: unknown option '--color'" $drawn --simulate 2 --machine unknown.json
refuse missing.json $drawn --simulate 2 --machine missing.json
refuse empty.csv $drawn --simulate 2 --machine empty.csv
refuse binary.csv $drawn --simulate 2 --machine binary.csv
refuse machine.json $drawn --simulate 2 --machine machine.json --json machine.json

printf 'start,seconds\n0,1\n2,1\n' > noise.csv
printf 'start,seconds\n0,1\n0.5,1\n' > overlap.csv
refuse noise.csv $drawn --simulate 2 --noise-trace noise.csv --json noise.csv
refuse overlap.csv:3 $drawn --simulate 2 --noise-trace overlap.csv
refuse "not both" $drawn --simulate 2 --noise-trace noise.csv --noise 1,0.1
for file in empty.csv binary.csv folder missing.csv good.csv; do
    refuse $file $drawn --simulate 2 --noise-trace $file
done
for value in "" 1 1,0 1,1 1,2 1,-1 0,0 nan,1 1,nan inf,1 1,0.1,3 1e-320,1e-321 1,0.9999999999; do
    refuse --noise $drawn --simulate 2 --noise "$value"
done
refuse "number 1 of 'x,1'" $drawn --simulate 2 --noise x,1
refuse "number 2 of '1,x'" $drawn --simulate 2 --noise 1,x
refuse "number 3 of '1,0.1,3'" $drawn --simulate 2 --noise 1,0.1,3
refuse "number 1 of '0,0'" $drawn --simulate 2 --noise 0,0
refuse "number 2 of '1,1'" $drawn --simulate 2 --noise 1,1
refuse --contention-factor $drawn --simulate 2 --contention-factor 0
refuse --contention-factor $drawn --simulate 2 --contention-factor 1.1

# Numbers.
for value in "" " " x -1 1e999 99999999999999999999; do
    refuse --simulate $drawn --simulate "$value"
    refuse --iterations $drawn --iterations "$value"
done
for value in 0 x nan inf -1 "1,2,3" "1 2"; do
    refuse --gauss --tasks 2 --gauss "$value"
    refuse --lognormal --tasks 2 --lognormal "$value"
    refuse --exponential --tasks 2 --exponential "$value"
done
refuse "number 2 is wrong" --tasks 2 --gauss "1,-1"
refuse "number 1 is wrong" --tasks 2 --lognormal "0,1"
refuse "number 2 is wrong" --tasks 2 --gauss 1
refuse --time-scale $drawn --time-scale 0
refuse --iterations $drawn --iterations 0
refuse --sweeps --jacobi 4,4,4 --sweeps 0
for value in "" 4,4 4,4,-1 4,4,4,4 4,4,1e7 4,4,99999999999999999999; do
    refuse --jacobi --sweeps 1 --jacobi "$value"
done
refuse nonsense $drawn --nonsense
refuse "did you mean --simulate?" $drawn --simluate 3
refuse "did you mean exact?" $drawn --simulate 3 --known-costs exakt

finish
