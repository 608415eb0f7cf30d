# SPDX-License-Identifier: BSD-3-Clause
# Shared by the comparisons with NWChem, which source it with `root` set to the project's folder.

die() { echo "$(basename "$0"): $*" >&2; exit 2; }

# The head comment of the script that sources this, from its second line on.
usage() { sed -n '3,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"; }

as_root() { if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi; }

# Debian's nwchem-openmpi, installed if missing; one thread for each process.
prepare_nwchem() {
    if ! command -v nwchem.openmpi > /dev/null; then
        as_root apt-get update -qq
        as_root apt-get install -y -qq --no-install-recommends nwchem-openmpi python3 > /dev/null
    fi
    if [ "$(id -u)" = 0 ]; then
        export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    fi
    export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
}

# folder_for_results DIR: makes it, or a temporary one if DIR is empty, and prints its full name.
folder_for_results() {
    local folder=${1:-$(mktemp -d)}
    mkdir -p "$folder"
    cd "$folder" && pwd
}

has_word() { case " $1 " in *" $2 "*) return 0 ;; *) return 1 ;; esac; }

load_average() { cut -d' ' -f1 /proc/loadavg; }

# nwchem_head NAME MOLECULE BASIS OUT [GEOMETRY_OPTIONS]: how every input file begins, with the
# molecule of inputs/ in Angstrom; the orientation is kept, and nothing is symmetric, unless
# GEOMETRY_OPTIONS say otherwise.
nwchem_head() {
    cat << END
start $1
scratch_dir $4
permanent_dir $4
memory total 1500 mb
geometry units angstroms ${5:-noautosym nocenter noautoz}
$(tail -n +3 "$root/inputs/$2.xyz")
end
basis spherical
 * library $3
end
END
}

# run_nwchem NAME NP OUT: its output as it appears, every line flushed.
run_nwchem() {
    (cd "$3" && GFORTRAN_UNBUFFERED_PRECONNECTED=y \
        mpirun --oversubscribe -np "$2" nwchem.openmpi "$1.nw" 2>&1) || true
}
