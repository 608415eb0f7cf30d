#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Help: --help of the chemistry programs fits on 60 lines and ends by pointing to --help-modes, which
has each mode and each of their options once, and to --help-all, which has every option. No mode is
offered where it is refused.

    test_help.py BERYL_SCHED [BERYL_HF BERYL_TCE]
"""

import json
import pathlib
import re
import sys
import tempfile

from running import check, complaints, run, run_well

LINES = 60


def entries_of(text):
    """The options in their order, each with its text on one line."""
    parts = re.split(r"^  (?:-\w, )?--(?=\w)", text, flags=re.MULTILINE)[1:]
    return [(re.match(r"[\w-]+", part)[0], " ".join(part.split())) for part in parts]


def options_of(text):
    return [name for name, _ in entries_of(text)]


def refusal_of(command, mode):
    """The error message of the program with a mode and no other option."""
    return run([*command, "--sched", mode])[2]


def check_program(command, modes, offers_bounds, fits):
    basic = run_well([*command, "--help"])
    by_mode = run_well([*command, "--help-modes"])
    every = run_well([*command, "--help-all"])
    name = " ".join(map(str, command))
    n_lines = len(basic.splitlines())
    check(n_lines <= LINES or not fits, f"{name} --help has {n_lines} lines")
    check(options_of(basic)[-2:] == ["help-modes", "help-all"], f"{name} --help ends with {basic[-200:]}")

    expected = modes + ["lpt"] * offers_bounds
    listed = re.findall(r"^([a-z-]+): ", by_mode, re.MULTILINE)
    check(sorted(listed) == sorted(expected), f"{name} --help-modes lists {listed}")
    choices = re.search(r"\(one of ([^;]*);", dict(entries_of(every))["sched"])[1]
    check(choices.split(", ") == listed, f"{name} --sched offers {choices}")
    for mode in listed:
        check("--sched" not in refusal_of(command, mode), f"{name} refuses {mode}")
    check(offers_bounds or "--sched: 'lpt' is not one of" in refusal_of(command, "lpt"),
          f"{name} takes lpt")

    named = options_of(by_mode)
    check(len(named) == len(set(named)), f"{name} --help-modes repeats an option: {named}")
    found = options_of(every)
    check(len(found) == len(set(found)), f"{name} --help-all repeats an option: {found}")
    check(set(options_of(basic)) <= set(found), f"{name} --help has more than --help-all")
    of_modes = [option for option, text in entries_of(every)
                if re.match(rf"[\w-]+ (\S+ )?({'|'.join(modes)})(, [\w-]+)*: ", text)]
    check(len(of_modes) > 20, f"{name} has few options of modes")
    check(set(of_modes) <= set(named), f"{name} --help-modes lacks", set(of_modes) - set(named))
    return set(found)


def check_all_options(found, result, *command):
    """--help-all lists the options of a run's result."""
    run_well([*command, "--json", result])
    text = json.loads(pathlib.Path(result).read_text())
    ran = text.get("extras", {}).get("beryl", text)
    accepted = set(ran["options"]) | set(ran.get("machine", {}))
    check(len(accepted) > 20 and accepted <= found, "--help-all lacks", accepted - found)


def main():
    sched, *chemistry = sys.argv[1:]
    modes = [line.split("\t")[0] for line in run_well([sched, "--list-modes"]).splitlines()]
    with tempfile.TemporaryDirectory() as folder:
        molecule, result = folder + "/h2.xyz", folder + "/result.json"
        pathlib.Path(molecule).write_text("2\n\nH 0 0 0\nH 0 0 0.74\n")
        found = check_program([sched], modes, True, False)
        check_all_options(found, result, sched, "--gauss", "1,0", "--tasks", "2", "--simulate", "2")
        if chemistry:
            hf, tce = chemistry
            found = check_program([hf], modes, False, True)
            check_all_options(found, result, hf, molecule, "--basis", "sto-3g", "--fock-only", "1")
            for method in "mp2", "ccd", "ccsd", "ccsdt":
                found = check_program([tce, method], modes, False, True)
            check_all_options(found, result, tce, "ccsd", molecule, "--basis", "sto-3g")
            check_program([tce, "run"], modes, False, True)
    sys.exit(bool(complaints))


main()
