# SPDX-License-Identifier: BSD-3-Clause
"""Prints macros of the parameters and of the arguments of each function that mpi.h declares, for wrappers of PMPI:

    mpi_signatures.py mpi.h
"""
import pathlib
import re
import sys

for name, parameters in re.findall(r"\bint\s+(MPI_\w+)\(([^()]*)\)", pathlib.Path(sys.argv[1]).read_text()):
    arguments = re.findall(r"(\w+)(?:\[[^]]*\])*\s*(?:,|$)", parameters)
    print(f"#define PARAMETERS_{name} ({' '.join(parameters.split())})\n#define ARGUMENTS_{name} ({', '.join(arguments)})")
