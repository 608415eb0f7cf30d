# SPDX-License-Identifier: BSD-3-Clause
# Bad input neither crashes nor hangs: a program ends with status 2 and one line that names
# the file or option at fault, prints no result and leaves no file behind. To be sourced,
# with the variables of program.sh set.
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
n_checked=0

# One run at a time, in a folder of its own: a single process needs no daemon, which takes
# Open MPI 0.1 s to start, nor memory shared with others.
alone="OMPI_MCA_ess_singleton_isolated=1 OMPI_MCA_btl=self TMPDIR=$folder"

# Leaves out the report of mpiexec that a program failed, which begins with a line of dashes and
# may be cut anywhere; the program's own lines count wherever they are. A program alone has none.
without_banner()
{
    local lines
    if [ "$processes" = 1 ]; then
        mapfile -t lines < "$1"
        [ "${#lines[@]}" = 0 ] || printf '%s\n' "${lines[@]}"
        return
    fi
    sed -e '/^-----/,$d' -e '/^\[.*\] .*help message/d' -e '/^$/d' "$1"
    sed -e '1,/^-----/d' "$1" | grep "^$program_name: "
}

# refuse TEXT ARGUMENT...: the message begins with the program's name and has TEXT in it.
refuse()
{
    refuse_with 2 "$@"
}

# refuse_with STATUS TEXT ARGUMENT... Hundreds of calls, so that it starts few processes.
refuse_with()
{
    local status=$1 text=$2 before lines
    shift 2
    before=$(ls -lAR --time-style=full-iso)
    run "$status" "$@"
    n_checked=$((n_checked + 1))
    without_banner "$folder/errors" > "$folder/message"
    mapfile -t lines < "$folder/message"
    [ "${#lines[@]}" = 1 ] || complain "not one line on standard error"
    [[ ${lines[0]-} == "$program_name: "?* ]] || complain "no message"
    [[ ${lines[*]} == *"$text"* ]] || complain "the message does not name $text"
    [ ! -s "$folder/output" ] || complain "standard output: $(head -n 5 "$folder/output")"
    [ "$(ls -lAR --time-style=full-iso)" = "$before" ] || complain "files changed: $(ls -A)"
}

# The exit status of the test.
finish()
{
    echo "$n_checked cases, $n_failed complaints"
    exit $((n_failed > 0))
}
