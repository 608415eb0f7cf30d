# SPDX-License-Identifier: BSD-3-Clause
# Shared by the tests of a program as a whole, which source it with
#
#   program=FILE processes=N mpiexec=FILE seconds=N
#
# set: a folder of its own, whose subfolder work is the working directory; the
# program's runs, and complaints about them.
program_name=$(basename "$program")
folder=$(mktemp -d) || exit 1
. "$(dirname "${BASH_SOURCE[0]}")/results.sh"
mkdir "$folder/work"
cd "$folder/work" || exit 1
n_failed=0

# Settings for runs on one process, as env takes them.
alone=""

# Runs the program for at most $seconds; on one process without mpiexec. A result that it writes
# is checked against the schema; after a refusal a file of that name is an input.
launch()
{
    local status=0
    if [ "$processes" = 1 ]; then
        timeout "$seconds" env $alone "$program" "$@" || status=$?
    else
        timeout "$seconds" "$mpiexec" --oversubscribe -n "$processes" "$program" "$@" || status=$?
    fi
    [ "$status" = 2 ] || keep_results "$@"
    return "$status"
}

# Complains of the run whose arguments are in $command and its standard error in $folder/errors.
complain()
{
    echo "$program_name $command: $*"
    echo "    standard error: $(head -c 4000 "$folder/errors")"
    n_failed=$((n_failed + 1))
}

# refuse TEXT ARGUMENT...: status 2, and the message has TEXT in it.
refuse()
{
    local text=$1
    shift
    run 2 "$@"
    grep -qF -- "$text" "$folder/errors" || complain "the message does not name $text"
}

# print PATTERN: the log has this line.
print()
{
    grep -qE -- "$1" "$folder/output" || complain "the log lacks $1"
}

# energy FILE: prints the energy of a result.
energy()
{
    /usr/bin/python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["return_result"])' "$1"
}

# expect CONDITION: Python of r, the result in result.json, its extras b, properties p and energy E; and m, the
# result in method.json.
expect()
{
    /usr/bin/python3 - "$1" << 'END' 2>> "$folder/errors" || complain "not so: $1"
import json, os, sys
r, m = (json.load(open(name)) if os.path.exists(name) else None for name in ("result.json", "method.json"))
b, p, E = r["extras"]["beryl"], r.get("properties"), r["return_result"]
assert eval(sys.argv[1])
END
}

# run STATUS ARGUMENT...
run()
{
    local expected=$1 status
    shift
    printf -v command '%q ' "$@"
    launch "$@" > "$folder/output" 2> "$folder/errors" < /dev/null
    status=$?
    [ "$status" = "$expected" ] || complain "exit status $status, not $expected"
}
