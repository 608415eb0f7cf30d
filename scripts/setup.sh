# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=bash
# Sourced by quickstart.sh and test.sh: installs what is missing, then builds.
# Prints nothing when there is nothing to do.

# shellcheck disable=SC2034 # both lists are for the scripts that source this one

# For building, running and testing (names of Debian 12).
packages="gcc g++ gfortran cmake ninja-build pkg-config
    openmpi-bin libopenmpi-dev
    libglobalarrays-dev libarmci-mpi-dev libscalapack-openmpi-dev
    libint2-dev libopenblas-dev libelpa-dev
    libjansson-dev libtrexio-dev libhdf5-dev libssl-dev libopen-trace-format2-dev otf2-tools
    libcmocka-dev
    python3 python3-numpy python3-jsonschema help2man iproute2 procps"

# For `./test.sh --ci` in addition: the target lint, the presets tsan and fuzz, the test of QCEngine.
lint_packages="clang libclang-rt-14-dev clang-format clang-tidy shellcheck codespell python3-qcengine"

as_root() {
    if [ "$(id -u)" = 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "Not root and no sudo: ask your administrator to run: $*" >&2
        exit 1
    fi
}

# install_missing PACKAGES: those of the list that are not installed yet.
install_missing() {
    local package log missing=()
    for package in $1; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q "install ok installed" ||
            missing+=("$package")
    done
    [ ${#missing[@]} = 0 ] && return
    if ! command -v apt-get >/dev/null; then
        echo "This script installs Debian packages; on this system, install the equivalents of:" \
            "${missing[*]}" >&2
        exit 1
    fi
    echo "Installing: ${missing[*]}"
    log=$(mktemp)
    if ! { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        echo "apt-get could not install: ${missing[*]}" >&2
        exit 1
    fi
    rm -f "$log"
}

# build PRESET [TARGET [OPTION of cmake...]]: configures, and builds all or one target into
# build/PRESET.
build() {
    local preset=$1 target=${2:-} log
    shift $(($# > 1 ? 2 : 1))
    log=$(mktemp)
    if ! { cmake --preset "$preset" "$@" &&
        cmake --build --preset "$preset" ${target:+--target "$target"}; } >"$log" 2>&1; then
        grep -E "error|warning|FAILED|CMake Error|violation" -A 5 "$log" | tail -n 40 >&2
        echo "The build failed; the whole log is in $log" >&2
        exit 1
    fi
    rm -f "$log"
}

# The environment of MPI programs. Open MPI refuses to start as root, as is usual in containers,
# unless both variables are set; one thread per process, because Beryl runs on processes.
prepare_run() {
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
    # hwloc looks for graphics cards by asking X displays at localhost, which takes seconds where
    # no name server answers.
    export HWLOC_COMPONENTS="${HWLOC_COMPONENTS--gl}"
}
