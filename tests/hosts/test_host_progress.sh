#!/usr/bin/env bash
# A process whose task polls serves another host's gets at once, not at the task's end, also in
# modes that send no messages while tasks run.
#
#     test_host_progress.sh PROGRAMS INPUTS
source "$(dirname "$0")/host_test.sh"

# A second of computing, twenty gets: 0.05 s each where they wait for its end.
run 0 ../tests/bin/host_progress static counter
cat "$folder/output"
awk '$2 > 0 && $2 < 0.02 { n++ } END { exit n != 2 }' "$folder/output" ||
    complain "a get waits for the other host's task"
finish
