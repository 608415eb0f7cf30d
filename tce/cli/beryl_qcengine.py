# SPDX-License-Identifier: BSD-3-Clause
"""Beryl as the program "beryl" of QCEngine (0.26), for `sys.path.append("PREFIX/share/beryl/python")`:

    import beryl_qcengine, qcengine
    result = qcengine.compute(atomic_input, "beryl", task_config={"ncores": 4})

The programs are found on PATH. model.method hf, scf, rhf, uhf or rohf is for beryl-hf, another for
beryl-tce: mp2, ccsd, ccsd(t). keywords are options of these programs. A run starts in a scratch
folder, which goes away: names of files in keywords need their folders.
"""

import json
import os
import subprocess

import qcengine
from qcelemental.models import AtomicResult
from qcelemental.models.results import AtomicResultProperties
from qcelemental.util import safe_version, which
from qcengine.exceptions import ConvergenceError, InputError, ResourceError, UnknownError
from qcengine.programs.model import ProgramHarness
from qcengine.util import create_mpi_invocation, execute

HARTREE_FOCK = ("hf", "scf", "rhf", "uhf", "rohf")
ERRORS = {"not converged": ConvergenceError, "not enough memory": ResourceError,
          "beyond a limit of the program": ResourceError}


class BerylHarness(ProgramHarness):
    """One process of Beryl on each core, or on each config.cores_per_rank of them."""

    _defaults = {"name": "beryl", "scratch": True, "thread_safe": True, "thread_parallel": False,
                 "node_parallel": True, "managed_memory": True}

    @staticmethod
    def found(raise_error=False):
        return all(which(program, return_bool=True, raise_error=raise_error,
                         raise_msg="Add the folder of Beryl's programs to PATH.")
                   for program in ("beryl-hf", "beryl-tce"))

    def get_version(self):
        self.found(raise_error=True)
        answer = subprocess.run(["beryl-hf", "--version"], capture_output=True, text=True, check=True)
        return safe_version(answer.stdout.split()[-1])

    def compute(self, input_data, config):
        self.found(raise_error=True)
        # Beryl runs on processes, not on threads.
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        _, run = execute(self.command(input_data, config), {"input.json": input_data.json()}, ["result.json"],
                         scratch_directory=config.scratch_directory, scratch_messy=config.scratch_messy,
                         environment=environment)
        return self.read_result(run, input_data)

    @staticmethod
    def command(input_data, config):
        method = input_data.model.method.lower()
        program = ["beryl-hf"] if method in HARTREE_FOCK else ["beryl-tce", method]
        on_node = max(1, config.ncores // config.cores_per_rank)
        if config.use_mpiexec:
            program = create_mpi_invocation(program[0], config) + program[1:]
        elif on_node > 1:
            program = ["mpirun", "-np", str(on_node), *program]
        if "memory" not in input_data.keywords:
            program += ["--memory", str(max(1, int(config.memory * 2**30 / 1e6 / on_node)))]
        return [*program, "input.json", "--json", "result.json"]

    @staticmethod
    def read_result(run, input_data):
        """The result of a run; fails with its error."""
        if run["outfiles"]["result.json"] is None:
            error = InputError if run["proc"].returncode == 2 else UnknownError
            raise error(run["stderr"])
        result = json.loads(run["outfiles"]["result.json"])
        if not result["success"]:
            error = ERRORS.get(result["error"]["error_type"], UnknownError)
            raise error(result["error"]["error_message"])
        # QCElemental has no properties of CCD, and no iterations of MP2.
        properties = result["properties"]
        result["properties"] = {key: properties[key] for key in properties
                                if key in AtomicResultProperties.__fields__}
        result["properties"]["return_energy"] = result["return_result"]
        result["extras"]["beryl"]["properties"] = properties
        result.update(molecule=input_data.molecule, protocols=input_data.protocols, stdout=run["stdout"])
        return AtomicResult(**result)


qcengine.register_program(BerylHarness())
