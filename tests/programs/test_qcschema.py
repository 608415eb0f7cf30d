#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Runs over AtomicInputs of QCSchema have the energies of the same commands over XYZ files, and results that
RESULTS.schema.json permits; failed ones leave a FailedOperation. The same by qcengine.compute, whose models check
the results, too; skipped without python3-qcengine.

    test_qcschema.py files|qcengine BERYL_HF BERYL_TCE MPIEXEC
"""

import json
import os
import pathlib
import sys
import tempfile

from running import check, complaints, run_result, started

# Symbols (@: a ghost), coordinates in Bohr, charge, multiplicity; method and keywords; the same options.
WATER = "O 0 0 0.1 H 0 1.43 1.2 H 0 -1.43 1.2", 0, 1
MOLECULES = {
    "water": (WATER, "hf", {"max_iter": 40, "converge": 1e-8}, ["--converge", "1e-8"]),
    "radical": (("O 0 0 0 H 0 0 1.83", 0, 2), "UHF", {}, ["--method", "uhf"]),
    "cation": (WATER[:1] + (1, 2), "scf", {"all-orbitals": False}, []),
    "ghosts": (("He 0 0 0 @O 0 0 3", 0, 1), "mp2", {"frozen_core": True}, []),
    "hydride": (("Li 0 0 0 H 0 0 3", 0, 1), "CCSD(T)", {"frozen_core": True}, ["--frozen-core"]),
}


def atoms(molecule):
    words = molecule[0].split()
    return [(words[i], [float(word) for word in words[i + 1:i + 4]]) for i in range(0, len(words), 4)]


def atomic_input(molecule, method, keywords):
    """As QCElemental writes it."""
    return {"schema_name": "qcschema_input", "schema_version": 1, "id": "7", "driver": "energy",
            "molecule": {"schema_name": "qcschema_molecule", "schema_version": 2, "validated": True,
                         "symbols": [symbol.strip("@") for symbol, _ in atoms(molecule)],
                         "geometry": [x for _, position in atoms(molecule) for x in position],
                         "real": [symbol[0] != "@" for symbol, _ in atoms(molecule)],
                         "molecular_charge": float(molecule[1]), "molecular_multiplicity": molecule[2],
                         "name": "X", "fix_com": True, "fix_orientation": True,
                         "provenance": {"creator": "test"}},
            "model": {"method": method, "basis": "6-31g"}, "keywords": keywords, "protocols": {},
            "extras": {"mine": [1]}, "provenance": {"creator": "test"}}


def command_of(method, programs):
    """The program of a method, and its words."""
    if method.lower() in ("hf", "scf", "uhf"):
        return [programs[0]]
    return [programs[1], method.lower()]


def expected(name, programs):
    """The result over an XYZ file."""
    molecule, method, _, options = MOLECULES[name]
    lines = [f"{symbol} {x!r} {y!r} {z!r}" for symbol, (x, y, z) in atoms(molecule)]
    comment = f"charge={molecule[1]} multiplicity={molecule[2]} units=bohr"
    pathlib.Path("molecule.xyz").write_text("\n".join([str(len(lines)), comment, *lines, ""]), encoding="utf-8")
    frozen = [] if name != "ghosts" else ["--frozen-core"]
    return run_result([*command_of(method, programs), "molecule.xyz", "--basis", "6-31g", *options, *frozen])[0]


def check_files(programs, mpiexec):
    for n_processes, (name, (molecule, method, keywords, _)) in enumerate(MOLECULES.items()):
        document = atomic_input(molecule, method, keywords)
        pathlib.Path("in.json").write_text(json.dumps(document), encoding="utf-8")
        command = started(mpiexec, 1 + n_processes % 2, *command_of(method, programs), "in.json")
        result, _, _ = run_result(command)
        energy = expected(name, programs)["return_result"]
        check(abs(result["return_result"] - energy) < 1e-9, name, result["return_result"], energy)
        check(result["extras"]["mine"] == [1], name, result["extras"].keys())
        for key in ("id", "keywords"):
            check(result[key] == document[key], name, key, result[key])
        check(result["molecule"].items() <= document["molecule"].items(), name, result["molecule"])
    document = {**atomic_input(WATER, "rhf", {"max_iter": 1}), "driver": "properties"}
    pathlib.Path("in.json").write_text(json.dumps(document), encoding="utf-8")
    failed, _, _ = run_result([programs[0], "in.json"], status=1)
    check(failed["input_data"] == document and failed["success"] is False, failed)
    check(set(failed) == {"id", "input_data", "success", "error", "extras"}, failed.keys())
    check(failed["error"]["error_type"] == "not converged", failed["error"])
    result, _, _ = run_result([programs[0], "in.json", "--max-iter", "40", "--basis", "sto-3g"])
    check(result["return_result"] == result["properties"], result["return_result"])
    check(result["model"] == {"method": "rhf", "basis": "sto-3g"}, result["model"])
    # What is not read is not in the result, which stays valid.
    document["molecule"].update(fragments="foo", masses=7, fix_symmetry=[], name=1)
    document.update(protocols={"stdout": "x"}, id=None, keywords=None)
    pathlib.Path("in.json").write_text(json.dumps(document), encoding="utf-8")
    result, _, _ = run_result([programs[0], "in.json"])
    check(result["molecule"].items() <= atomic_input(WATER, "hf", {})["molecule"].items(), result["molecule"])
    check(result["keywords"] == {} and not {"id", "protocols"} & result.keys(), result.keys())


def check_qcengine(programs):
    try:
        import qcengine  # pylint: disable=import-outside-toplevel
    except ImportError:
        print("skipped: python3-qcengine is missing")
        sys.exit(77)
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    os.environ["PATH"] = f"{pathlib.Path(programs[0]).parent}:{os.environ['PATH']}"
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tce/cli"))
    import beryl_qcengine  # pylint: disable=import-outside-toplevel,unused-import
    check("beryl" in qcengine.list_available_programs(), "the programs are not found")
    for ncores, (name, (molecule, method, keywords, _)) in enumerate(MOLECULES.items()):
        task = {"ncores": 1 + ncores % 2, "memory": 1}
        result = qcengine.compute(atomic_input(molecule, method, keywords), "beryl", task_config=task)
        check(result.success, name, result)
        energy = expected(name, programs)["return_result"]
        check(result.success and abs(result.return_result - energy) < 1e-9, name, result, energy)
        workers = result.extras["beryl"]["workers"] if result.success else 0
        check(workers == task["ncores"], name, workers)
        check(not result.success or result.molecule.name == "X", name, result.molecule)
    for keywords, error_type in (({"max_iter": 1}, "convergence_error"), ({"nonsense": 1}, "input_error"),
                                 ({"memory": 1}, "resource_error")):
        failed = qcengine.compute(atomic_input(WATER, "hf", keywords), "beryl")
        check(not failed.success and failed.error.error_type == error_type, failed)
        check(failed.input_data["keywords"] == keywords, failed.input_data)


def main():
    kind, programs, mpiexec = sys.argv[1], sys.argv[2:4], sys.argv[4]
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        if kind == "files":
            check_files(programs, mpiexec)
        else:
            check_qcengine(programs)
        os.chdir("/")
    return len(complaints) > 0


if __name__ == "__main__":
    sys.exit(main())
