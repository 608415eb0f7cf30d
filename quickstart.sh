#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# From a fresh clone to an energy: installs what is missing, builds, and runs
# Hartree-Fock on benzene and two Fock builds of a beryllium chain, of every integral above the
# threshold, as in Lifflander et al. (2012).
set -eu
cd "$(dirname "$0")"
. scripts/setup.sh

install_missing "$packages"
build release
prepare_run

mkdir -p build/results
echo "Benzene in cc-pVDZ, 2 processes"
mpirun --oversubscribe -np 2 build/release/bin/beryl-hf inputs/benzene.xyz --basis cc-pvdz \
    --json build/results/benzene.json
echo
echo "Fock builds of a chain of 64 Be atoms, 2 processes"
mpirun --oversubscribe -np 2 build/release/bin/beryl-hf inputs/be64.xyz --basis be15s \
    --screen 1e-6 --screening schwarz --fock-only 2 --json build/results/be64.json
echo
build/release/bin/beryl-report build/results/benzene.json build/results/be64.json \
    -o build/results/report.html
echo "Results are in build/results/, programs in build/release/bin/"
echo "The page of both runs is build/results/report.html: open it in a browser"
