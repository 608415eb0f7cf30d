# SPDX-License-Identifier: BSD-3-Clause
"""Hartree-Fock and MP2 by the library beryl from Python, by ctypes alone:

    energies.py LIBRARY MOLECULE.xyz BASIS

Prints the energies in hartree. The test adds two results of beryl-hf and beryl-tce, FOCK.json and MP2.json, which
must have the same energies, and the same bits of density and Fock matrix.
"""

import ctypes
import hashlib
import json
import sys


class Settings(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("basis", ctypes.c_char_p),
                ("charge", ctypes.c_int), ("multiplicity", ctypes.c_int),
                ("reference", ctypes.c_int), ("functions", ctypes.c_int),
                ("screen", ctypes.c_double), ("converge", ctypes.c_double),
                ("max_iter", ctypes.c_int64),
                ("guess", ctypes.c_char_p), ("checkpoint", ctypes.c_char_p),
                ("sched", ctypes.c_char_p), ("cache", ctypes.c_int64), ("memory", ctypes.c_int64),
                ("frozen_core", ctypes.c_int), ("converge_amplitudes", ctypes.c_double),
                ("max_iter_amplitudes", ctypes.c_int64), ("log", ctypes.c_int),
                ("integrals", ctypes.c_int), ("keep_occupation", ctypes.c_int),
                ("guess_flip", ctypes.c_char_p), ("freeze", ctypes.c_int64),
                ("freeze_virtuals", ctypes.c_int64),
                ("follow", ctypes.c_int), ("frame", ctypes.c_int)]


def main():
    if len(sys.argv) not in (4, 6):
        sys.exit(__doc__.strip())
    beryl = ctypes.CDLL(sys.argv[1])
    beryl.beryl_error_text.restype = ctypes.c_char_p
    beryl.beryl_energy.restype = ctypes.c_double
    beryl.beryl_n_functions.restype = ctypes.c_int64

    def call(name, *arguments):
        if getattr(beryl, name)(*arguments) != 0:
            sys.exit(f"{name}: {beryl.beryl_error_text().decode()}")

    settings, calculation, mp2 = Settings(), ctypes.c_void_p(), ctypes.c_double()
    call("beryl_start")
    beryl.beryl_settings_init(ctypes.byref(settings), ctypes.c_size_t(ctypes.sizeof(settings)))
    settings.basis = sys.argv[3].encode()
    settings.frame = -1  # the last
    call("beryl_create_from_file", sys.argv[2].encode(), ctypes.byref(settings),
         ctypes.byref(calculation))
    call("beryl_solve", calculation)
    matrix = ctypes.c_double * beryl.beryl_n_functions(calculation)**2
    density, fock = matrix(), matrix()
    call("beryl_density", calculation, 0, density)
    call("beryl_fock", calculation, density, fock)
    call("beryl_correlate", calculation, b"mp2", ctypes.byref(mp2))
    energy = beryl.beryl_energy(calculation)
    beryl.beryl_destroy(calculation)
    call("beryl_end")

    print(f"hf {energy:.15f}\nmp2 {energy + mp2.value:.15f}")
    if len(sys.argv) == 6:
        compare(sys.argv[4:], energy, mp2.value, [density, fock])


def compare(paths, energy, mp2, matrices):
    builds, expected = (json.load(open(path, encoding="utf-8")) for path in paths)
    digests = [hashlib.sha256(bytes(values)).hexdigest() for values in matrices]
    wanted = [builds["extras"]["beryl"][key] for key in ("density_sha256", "fock_sha256")]
    if digests != wanted:
        sys.exit(f"digests of density and Fock matrix: {digests}, not {wanted}")
    energies = expected["properties"]["scf_total_energy"], expected["return_result"]
    if abs(energy - energies[0]) > 1e-12 or abs(energy + mp2 - energies[1]) > 1e-12:
        sys.exit(f"energies are not {energies}")


if __name__ == "__main__":
    main()
