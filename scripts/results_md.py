#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes RESULTS.md from RESULTS.schema.json.

    scripts/results_md.py [--check]

Each definition with a title becomes a section: its description, a table of its keys, and the lines
of its `text`. A key has its own description, else the one of its $ref. With --check nothing is
written: exits with 1 if RESULTS.md is not current. A key without a description is an error.
"""
import itertools
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
SCHEMA = json.loads((ROOT / "RESULTS.schema.json").read_text(encoding="utf-8"))
BEGIN = "<!-- scripts/results_md.py writes this file from RESULTS.schema.json. -->\n\n"


def resolve(part):
    """A part of the schema with what its $ref adds."""
    if "$ref" in part:
        name = part["$ref"].rpartition("/")[2]
        return {**resolve(SCHEMA["definitions"][name]), **part}
    return part


def content(part):
    """Path to the objects within a part, and their schema: items of an array, values of a map."""
    if part.get("type") == "array":
        path, inner = content(resolve(part["items"]))
        return f"[]{path}", inner
    values = [*part.get("patternProperties", {}).values(), part.get("additionalProperties")]
    return (".NAME", resolve(values[0])) if values[0] else ("", part)


def kind(part):
    part = resolve(part)
    if "anyOf" in part:
        return " or ".join(map(kind, part["anyOf"]))
    if "const" in part or "enum" in part:
        return " or ".join(map(json.dumps, part.get("enum", [part.get("const")])))
    if part["type"] == "array":
        return f"array of {kind(part['items'])}"
    return part["type"] if isinstance(part["type"], str) else " or ".join(part["type"])


def link(title):
    return f"[{title}](#{re.sub(r'[^a-z0-9 _-]', '', title.lower()).replace(' ', '-')})"


def rows(part, prefix, seen):
    """Type, meaning and path of each key; keys of an object that was seen before are left out."""
    for key, own in part.get("properties", {}).items():
        whole = resolve(own)
        path, inner = content(whole)
        title = whole.get("title", inner.get("title"))
        words = [own.get("description")] if title else [whole.get("description")]
        if title:
            words.append(link(title))
        elif not words[0]:
            sys.exit(f"RESULTS.schema.json: no description of {prefix}{key}")
        keys = inner.get("properties")
        if id(keys) in seen and not title:
            words.append("keys as above")
        meaning = ": ".join(filter(None, words)).replace("|", "\\|")
        yield kind(whole), meaning, f"`{prefix}{key}`"
        if keys and not title and id(keys) not in seen:
            seen.add(id(keys))
            yield from rows(inner, f"{prefix}{key}{path}.", seen)


def table(part, seen):
    """Table of a definition's keys: a row for consecutive ones of one type and meaning."""
    path, inner = content(part)
    same = itertools.groupby(rows(inner, f"{path[1:]}." if path else "", seen), lambda row: row[:2])
    lines = [f"| {', '.join(path for _, _, path in found)} | {type_name} | {meaning} |"
             for (type_name, meaning), found in same]
    return "\n".join(["| key | type | meaning |", "| --- | --- | --- |", *lines]) if lines else ""


def section(part, heading, keys):
    text = "\n".join(part.get("text", []))
    parts = [f"{heading} {part['title']}", part["description"], keys, text]
    return "\n\n".join(filter(None, parts))


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        sys.exit(__doc__)
    seen = set()
    sections = [section(part, "##", table(part, seen))
                for part in SCHEMA["definitions"].values() if "title" in part]
    text = BEGIN + "\n\n".join([section(SCHEMA, "#", ""), *sections]) + "\n"
    file = ROOT / "RESULTS.md"
    if not sys.argv[1:]:
        file.write_text(text, encoding="utf-8")
    elif file.read_text(encoding="utf-8") != text:
        sys.exit("RESULTS.md is not what scripts/results_md.py writes: run it")


if __name__ == "__main__":
    main()
