#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Bad options of hosts.sh are refused with one line, also where namespaces cannot be made.
#
#     test_hosts_options.sh PROGRAMS INPUTS
set -u
n_failed=0

# refuse MESSAGE ARGUMENT...
refuse() {
    local message=$1 output status=0
    shift
    output=$("$(dirname "$0")/hosts.sh" "$@" 2>&1) || status=$?
    if [ "$status" != 2 ] || [[ $output != "hosts.sh: $message"* ]] || [[ $output == *$'\n'* ]]; then
        echo "hosts.sh $*: exit status $status, $output"
        n_failed=$((n_failed + 1))
    fi
}

for n in x 0 -1 255 2.5 ''; do
    refuse "--hosts expects a number from 1 to 254, found '$n'" --hosts "$n" true
done
for delay in x -1 1ms; do
    refuse "--delay expects milliseconds, found '$delay'" --delay "$delay" true
done
refuse "--hosts expects" --delay 0.5 --hosts
refuse "unknown option --host" --host 2 true
refuse "the command is missing" --hosts 2
exit $((n_failed > 0))
