#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds results of Beryl's programs against RESULTS.schema.json.

    scripts/check_results.py FILE.json ...    each file is what --json or --calibrate writes

Prints each violation and exits with 1 if there is one. Needs the Debian package
python3-jsonschema, hence /usr/bin/python3.
"""
import json
import pathlib
import sys

import jsonschema

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "RESULTS.schema.json").read_text())

# A result's definition in the schema, by the first of these keys that it has.
KINDS = {"schema_name": "chemistry", "input_data": "failed_operation", "program": "contraction_program",
         "workload": "workload", "node-size": "machine"}


def violations(path):
    try:
        result = json.loads(pathlib.Path(path).read_text())
    except (OSError, ValueError) as error:
        return [f"{path}: {error}"]
    if not isinstance(result, dict):
        return [f"{path}: not an object of JSON"]
    kind = next((kind for key, kind in KINDS.items() if key in result), None)
    if kind is None:
        return [f"{path}: none of the keys {', '.join(KINDS)}"]
    schema = {"$ref": f"#/definitions/{kind}", "definitions": SCHEMA["definitions"]}
    errors = jsonschema.Draft7Validator(schema).iter_errors(result)
    return [f"{path}: {'/'.join(map(str, error.path)) or 'result'}: {error.message[:400]}"
            for error in errors]


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    jsonschema.Draft7Validator.check_schema(SCHEMA)
    found = [line for path in sys.argv[1:] for line in violations(path)]
    print("\n".join(found), end="\n" if found else "")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
