#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Holds the public headers against docs/api.md.
usage: api.py SOURCE_FOLDER

Prints what breaks a rule, a line each, and exits with 1 if anything does."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
rules = (root / "docs/api.md").read_text()
PARTS = {"tank", "block", "solid", "gauge", "look", "damping"}  # signed by the def that holds them
NO_FIELDS = {"context", "simulation", "spheres", "isosurface"}
NO_INSIDES = {"row_scratch", "kept_lists"}  # memory alone
MADE_OF_OTHERS = {"simulation", "context", "mesh"}  # counters: see the page
broken = []


def declarations(text):
    """(return type, name, parameters) of every function."""
    for found in re.finditer(r"^MOTE_API\s+([^;(]*?)(\w+)\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\);", text, re.M):
        kind, name, inside = found.groups()
        yield kind.strip(), name, split(" ".join(inside.split()))


def split(parameters):
    """Parameters, whose own parentheses hold commas, too."""
    found, depth = [""], 0
    for character in parameters:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [one.strip() for one in found]


def check_errors(header, kind, name, parameters):
    fails, last = kind == "mote_result", parameters[-1]
    if fails and last != "mote_error *error":
        broken.append(f"{header}: {name} can fail, but mote_error *error is not its last parameter")
    if not fails and any("mote_error" in one for one in parameters):
        broken.append(f"{header}: {name} takes an error, but does not return a mote_result")


def check_ends(header, kind, name, parameters):
    if re.search(r"_(destroy|release)$", name) and (len(parameters) != 1 or kind != "void"):
        broken.append(f"{header}: {name} needs more than what it ends")
    if name.endswith("_create") and kind != "mote_result":
        broken.append(f"{header}: {name} does not return a mote_result")
    if name.endswith("_create") and parameters[0] != "mote_context *context" and name != "mote_context_create":
        broken.append(f"{header}: {name} does not take a context first")


def check_enums(header, name, parameters):
    for one in parameters:
        if re.search(r"\bu?int\w* (kind|rule|mode|method|type|variation|layout|scalar)$", one):
            broken.append(f"{header}: {name}: {one} should be an enum")


def check_defs(texts, functions):
    for header, text in texts.items():
        for name, members in re.findall(r"^typedef struct mote_(\w+)_def \{(.*?)^\} mote_\1_def;", text, re.M | re.S):
            if f"mote_{name}_default_def" not in functions and name != "spheres":
                broken.append(f"{header}: mote_{name}_def has no default function")
            if f"mote_{name}_fields" not in functions and name not in NO_FIELDS:
                broken.append(f"{header}: mote_{name}_def has no field table")
            if "uint32_t cookie;" not in members and name not in PARTS | {"spheres"}:
                broken.append(f"{header}: mote_{name}_def is not signed by a cookie")


def check_objects(functions):
    """Objects of libmote, whose headers do not belong to files and pictures, can be measured and checked."""
    for name, header in functions.items():
        if not name.endswith("_destroy") or header in ("render.h", "output.h", "scene.h"):
            continue
        stem = name.removesuffix("_destroy")
        short = stem.removeprefix("mote_")
        wanted = [["_byte_count"]]
        if short not in MADE_OF_OTHERS | NO_INSIDES:
            wanted += [["_get_counters", "_get_stats"]]
        if short not in {"context", "mesh"} | NO_INSIDES:
            wanted += [["_validate"]]
        for forms in wanted:
            if not any(stem + form in functions for form in forms):
                broken.append(f"{header}: {stem} has no {' or '.join(forms)}")


def check_verbs(functions):
    """A verb is used by the modules that the page names, and by no others."""
    rows = re.findall(r"^\| (`.*?`) \| (.*?) \| .* \|$", rules, re.M)
    if len(rows) < 10:
        broken.append("docs/api.md: the table of verbs was not found")
    for verbs, where in rows:
        allowed = {f"{one.strip()}.h" for one in where.split(",")}
        for verb in re.findall(r"`(\w+)`", verbs):
            users = {h for name, h in functions.items() if re.search(rf"^mote_[a-z]+_{verb}(_|$)", name)}
            for header in sorted(users - allowed) if where != "all" else []:
                broken.append(f"{header}: the verb {verb} is not this module's, see docs/api.md")


def main():
    texts = {path.name: path.read_text() for path in sorted((root / "include/mote").glob("*.h"))}
    functions = {}
    for header, text in texts.items():
        for kind, name, parameters in declarations(text):
            functions[name] = header
            check_errors(header, kind, name, parameters)
            check_ends(header, kind, name, parameters)
            check_enums(header, name, parameters)
    if len(functions) < 250:
        broken.append(f"only {len(functions)} functions were found: the check has gone blind")
    check_defs(texts, functions)
    check_objects(functions)
    check_verbs(functions)
    print("\n".join(broken))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
