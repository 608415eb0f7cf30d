#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# The beryllium chains: numbers of tasks and integrals of Lifflander, Krishnamoorthy and
# Kale (HPDC 2012, table 1) and of two independent counts, and energies on which
# NWChem, Psi4 and a third program agree to 3e-9 hartree.
#   test_be_chain.sh BERYL_HF INPUTS
set -eu
beryl=$1 inputs=$2
folder=$(mktemp -d)
. "$(dirname "$0")/../programs/results.sh"
failed=0

# counts NAME EXPECTED OPTION...: the line that --count-tasks prints.
counts() {
    local name=$1 expected=$2
    shift 2
    local line
    line=$("$beryl" "$inputs/$name.xyz" --basis be15s --count-tasks "$@")
    if [ "$line" != "$expected" ]; then
        echo "$name $*: $line, not $expected"
        failed=1
    fi
}

counts be4 '{"tasks": 16, "non_null": 16, "integrals": 4845492}' --symmetry none --screen 1e-6 \
    --tile 40
counts be16 '{"tasks": 1296, "non_null": 564, "integrals": 117869876}' --symmetry none --screen 1e-6
counts be256 '{"tasks": 84934656, "non_null": 213144, "integrals": 33756943796}' \
    --symmetry none --screen 1e-6
counts be256 '{"tasks": 10841496, "non_null": 39298, "integrals": 4432371787}' --screen 1e-6
counts be256 '{"tasks": 10841496, "non_null": 57557, "integrals": 7853750259}' --screen 1e-10
counts be512 '{"tasks": 1358954496, "non_null": 862488, "integrals": 135516945844}' \
    --symmetry none --screen 1e-6
counts be512 '{"tasks": 21743271936, "non_null": 9103540, "integrals": 135516945844}' \
    --symmetry none --screen 1e-6 --tile 20

# energy FILE EXPECTED: the total energy to 1e-8 hartree.
energy() {
    "$beryl" "$inputs/$1" --basis be15s --screen 1e-12 --json "$folder/out.json" > "$folder/log"
    keep_results --json "$folder/out.json"
    /usr/bin/python3 - "$folder/out.json" "$1" "$2" << 'END' || failed=1
import json, sys
energy = json.load(open(sys.argv[1]))["return_result"]
if abs(energy - float(sys.argv[3])) > 1e-8:
    sys.exit(f"{sys.argv[2]}: {energy}, not {sys.argv[3]}")
END
}

energy be4.xyz -58.2005024989
energy be16_original.xyz -233.0121276168

exit $failed
