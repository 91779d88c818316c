#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes python/mote/_abi.py: the structs, enums, callbacks and functions of mote's public headers, for ctypes.

usage: generate.py [--check]      --check: changes nothing; exit status 1 if the file is not what the headers say
       generate.py --proof FILE   writes a C program that prints every size, offset and value as the compiler has them

The table is committed, so that neither a build nor an installation needs a parser or a compiler, and a change of the
headers shows in the diff of the bindings. Tests run --check, and hold the table against what the proof prints.

The headers are plain: one declaration after the other, no macro but MOTE_API and the list of results. So regular
expressions read them; whatever they do not understand is an error, never left out."""

from __future__ import annotations

import keyword
import pathlib
import re
import sys
from typing import NamedTuple

ROOT = pathlib.Path(__file__).resolve().parent.parent
HEADERS = ROOT / "include" / "mote"
TARGET = ROOT / "python" / "mote" / "_abi.py"
PROOF_END = "    return 0;\n}\n"

SCALARS = {
    "bool": "c_bool",
    "char": "c_char",
    "int": "c_int",
    "float": "c_float",
    "double": "c_double",
    "size_t": "c_size_t",
    "ptrdiff_t": "c_ssize_t",
    "int8_t": "c_int8",
    "uint8_t": "c_uint8",
    "int32_t": "c_int32",
    "uint32_t": "c_uint32",
    "int64_t": "c_int64",
    "uint64_t": "c_uint64",
}
PYTHON_TYPES = {"c_bool": "bool", "c_float": "float", "c_double": "float", "c_char": "bytes"}
NUMBERS = {"UINT32_MAX": "0xFFFFFFFF", "((int64_t)-1)": "-1"}


class Member(NamedTuple):
    name: str
    ctype: str  # as ctypes has it
    annotation: str  # as a reader of the attribute sees it


class Headers:
    """What the public headers declare, in an order in which every type comes before its use."""

    def __init__(self) -> None:
        self.constants: dict[str, str] = {}  # name: value as Python
        self.enums: dict[str, list[str]] = {}  # type: its values' names
        self.structs: dict[str, list[Member]] = {}
        self.callbacks: dict[str, tuple[str, list[str]]] = {}
        self.functions: dict[str, tuple[str, list[str], str]] = {}  # result, parameters, header
        self.opaque: set[str] = set()
        self.version = ""
        for path in in_order():
            self.read(path)

    # ------------------------------------------------------------------------------------------------- types

    def type_of(self, text: str) -> str:
        """The ctypes type of a C type without declarator."""
        words = " ".join(text.replace("const", " ").replace("struct ", " ").split())
        if words.count("*"):
            return "c_char_p" if text.split() == ["const", "char", "*"] else "c_void_p"
        if words == "void":
            return "None"
        if words in SCALARS:
            return SCALARS[words]
        if words in self.enums:
            return "c_int"
        if words in self.structs:
            return words
        raise SystemExit(f"generate.py: unknown type '{text}'")

    def parameter(self, text: str) -> str:
        """The ctypes type of a parameter; arrays and functions are pointers."""
        if text == "void":
            return ""
        if "(*" in text or "[" in text:
            return "c_void_p"
        found = re.fullmatch(r"(.*?)(\w+)", text)
        assert found, text
        kind = found.group(1).strip()
        kind = re.sub(r"\s*\*", " *", kind)
        return self.type_of(kind)

    # ---------------------------------------------------------------------------------------------- declarations

    def read(self, path: pathlib.Path) -> None:
        text = re.sub(r"//[^\n]*", "", path.read_text())
        self.read_macros(text)
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", "", text, flags=re.M)
        text = text.replace('extern "C" {', "")
        for part in declarations(text):
            self.declare(" ".join(part.split()), path.name)

    def read_macros(self, text: str) -> None:
        for name, value in re.findall(r"^#define (MOTE_\w+) (\S.*?)\s*$", text, re.M):
            if value in NUMBERS:
                self.constants[name] = NUMBERS[value]
            elif name == "MOTE_VERSION":
                self.version = value.strip('"')
        results = re.search(r"#define MOTE_RESULTS\(X\)((?:[^\n]*\\\n)*[^\n]*)", text)
        if results:
            self.add_enum("mote_result", re.findall(r"X\((\w+),", results.group(1)) + ["MOTE_RESULT_COUNT"])

    def add_enum(self, name: str, parts: list[str]) -> None:
        following = "0"
        names = []
        for part in parts:
            found = re.fullmatch(r"(\w+)(?:\s*=\s*(.+))?", part.strip())
            assert found, part
            value = str(eval(found.group(2) or following, {}, {k: int(v, 0) for k, v in self.constants.items()}))
            self.constants[found.group(1)] = value
            names.append(found.group(1))
            following = str(int(value) + 1)
        if name:
            self.enums[name] = names

    def declare(self, text: str, header: str) -> None:
        enum = re.fullmatch(r"(?:typedef )?enum ?(\w*) \{(.*?),? ?\} ?(\w*)", text)
        if enum:
            if enum.group(1) != "mote_result":
                self.add_enum(enum.group(3), enum.group(2).split(","))
            return
        struct = re.fullmatch(r"typedef struct (\w+) \{(.*)\} (\w+)", text)
        if struct:
            self.structs[struct.group(3)] = [m for one in declarations(struct.group(2)) for m in self.members(one)]
            return
        opaque = re.fullmatch(r"typedef struct (\w+) (\w+)", text)
        if opaque:
            self.opaque.add(opaque.group(2))
            return
        function = re.fullmatch(r"(MOTE_API|typedef) (.*?)(\w+)\((.*)\)", text)
        if not function:
            raise SystemExit(f"generate.py: {header}: what is this? {text}")
        result = self.type_of(re.sub(r"\s*\*", " *", function.group(2)).strip())
        parameters = [kind for kind in map(self.parameter, split(function.group(4))) if kind]
        if function.group(1) == "typedef":
            self.callbacks[function.group(3)] = (result, parameters)
        else:
            self.functions[function.group(3)] = (result, parameters, header)

    def members(self, text: str) -> list[Member]:
        text = " ".join(text.split())
        pointer = re.fullmatch(r".*\(\*(\w+)\)\(.*\)", text)
        if pointer:
            return [Member(pointer.group(1), "c_void_p", "Optional[int]")]
        found = re.fullmatch(r"((?:const |struct )*\w+) ?(.*)", text)
        assert found, text
        members = []
        for declarator in found.group(2).split(","):
            plain = re.sub(r"\bconst\b", "", declarator).replace(" ", "")
            one = re.fullmatch(r"(\**)(\w+)(?:\[(\w+)\])?", plain)
            assert one, text
            kind = self.type_of(found.group(1) + " " + " ".join(one.group(1)))
            annotation = PYTHON_TYPES.get(kind, "int")
            if kind in self.structs:
                annotation = kind
            elif kind in ("c_void_p", "c_char_p"):
                annotation = "Optional[int]" if kind == "c_void_p" else "Optional[bytes]"
            if one.group(3):
                length = str(self.constants.get(one.group(3), one.group(3)))
                if re.fullmatch(r"MOTE_\w+", length):
                    raise SystemExit(f"generate.py: unknown length in {text}")
                annotation = "bytes" if kind == "c_char" else f"Array[{kind}]"
                kind = f"{kind} * {length}"
            members.append(Member(one.group(2), kind, annotation))
        return members


def in_order() -> list[pathlib.Path]:
    """The headers, each behind those that it includes."""
    found: list[pathlib.Path] = []

    def visit(path: pathlib.Path) -> None:
        for name in re.findall(r'^#include "mote/(\w+\.h)"', path.read_text(), re.M):
            visit(HEADERS / name)
        if path not in found:
            found.append(path)

    for path in sorted(HEADERS.glob("*.h")):
        visit(path)
    return found


def declarations(text: str) -> list[str]:
    """Declarations that end with ';' outside of braces. Functions with a body are for C alone."""
    found, depth, start = [], 0, 0
    for at, character in enumerate(text):
        if character == "{":
            depth += 1
        elif character == "}":
            depth -= 1
            if depth == 0 and "static inline" in text[start:at]:
                start = at + 1
            elif depth < 0:  # the end of extern "C"
                depth, start = 0, at + 1
        elif character == ";" and depth == 0:
            found.append(text[start:at].strip())
            start = at + 1
    # An array's size may be one short of the whole: "[MOST + 1]" is a sum of constants.
    return [re.sub(r"\[MOTE_PROXY_DEEPEST \+ 1\]", "[17]", one) for one in found if one]


def split(parameters: str) -> list[str]:
    found, depth = [""], 0
    for character in parameters:
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [one.strip() for one in found]


# -------------------------------------------------------------------------------------------------------- writing

HEAD = '''# SPDX-License-Identifier: MIT
"""What mote's public headers declare, for ctypes. Written by python/generate.py: do not edit.

All pointers but texts are plain addresses: c_void_p takes NULL, numbers, arrays, functions and byref()."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE, Array, Structure, c_bool, c_char, c_char_p, c_double, c_float, c_int, c_int8, c_int32, c_int64,
    c_size_t, c_ssize_t, c_uint8, c_uint32, c_uint64, c_void_p,
)
from typing import Any, Dict, Optional, Tuple

'''


class Writer:
    """Python text with lines of at most 120 columns."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> None:
        indent = re.match(r" *", text).group() + "    "  # type: ignore[union-attr]
        while len(text) > 120:
            at = text.rfind(", ", 0, 120) + 1
            self.lines.append(text[:at])
            text = indent + text[at + 1 :]
        self.lines.append(text)


def tuple_of(parts: list[str]) -> str:
    return "(" + ", ".join(parts) + ("," if len(parts) == 1 else "") + ")"


def table(headers: Headers) -> str:
    out = Writer()
    add = out.add
    add(f'VERSION = "{headers.version}"')
    add("")
    for name, value in headers.constants.items():
        add(f"{name} = {value}")
    add("")
    add("# The values of each enum, by name.")
    add("ENUMS: Dict[str, Tuple[str, ...]] = {")
    for name, values in headers.enums.items():
        add(f'    "{name}": {tuple_of([chr(34) + one + chr(34) for one in values])},')
    add("}")
    for name, members in headers.structs.items():
        add("")
        add("")
        add(f"class {name}(Structure):")
        for member in members:
            if not keyword.iskeyword(member.name):  # mote_motions.from is reached by setattr alone
                add(f"    {member.name}: {member.annotation}")
        add("    _fields_ = [")
        for member in members:
            add(f'        ("{member.name}", {member.ctype}),')
        add("    ]")
    add("")
    add("")
    add("CALLBACKS: Dict[str, Any] = {")
    for name, (result, parameters) in headers.callbacks.items():
        add(f'    "{name}": CFUNCTYPE({", ".join([result] + parameters)}),')
    add("}")
    add("")
    add("# Each function's header, result and parameters.")
    add("FUNCTIONS: Dict[str, Tuple[str, Any, Tuple[Any, ...]]] = {")
    for name, (result, parameters, header) in headers.functions.items():
        add(f'    "{name}": ("{header}", {result}, {tuple_of(parameters)}),')
    add("}")
    add("")
    add("STRUCTS: Dict[str, Any] = {")
    for name in headers.structs:
        add(f'    "{name}": {name},')
    add("}")
    return HEAD + "\n".join(out.lines) + "\n"


def proof(headers: Headers) -> str:
    """A C program whose lines are "NAME VALUE": sizes, offsets, sizes of members, values."""
    lines = ["// Written by python/generate.py.", "#include <stdio.h>"]
    lines += [f'#include "mote/{path.name}"' for path in in_order()]
    lines += ["", "#define MEMBER_SIZE(type, member) sizeof(((type *)0)->member)", "", "int main(void)", "{"]
    for name in headers.constants:
        lines.append(f'    printf("{name} %lld\\n", (long long){name});')
    for name in headers.enums:
        lines.append(f'    printf("sizeof.{name} %zu\\n", sizeof({name}));')
    for name, members in headers.structs.items():
        lines.append(f'    printf("sizeof.{name} %zu\\n", sizeof({name}));')
        for member in members:
            lines.append(
                f'    printf("{name}.{member.name} %zu %zu\\n", offsetof({name}, {member.name}), '
                f"MEMBER_SIZE({name}, {member.name}));"
            )
    return "\n".join(lines) + "\n" + PROOF_END


def main(arguments: list[str]) -> int:
    headers = Headers()
    if arguments[:1] == ["--proof"]:
        pathlib.Path(arguments[1]).write_text(proof(headers))
        return 0
    text = table(headers)
    if arguments == ["--check"]:
        if TARGET.read_text() == text:
            return 0
        print(f"{TARGET.relative_to(ROOT)} is not what the headers say: run python3 python/generate.py")
        return 1
    TARGET.write_text(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
