#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""No more than four files of a module call each other in a circle: what is larger cannot be read file by file.
usage: circles.py LIST [--all]     a file that names object files, a line each: …/src/<module>/<file>.c.o

Reads what they define and call by nm. Prints each circle of more than four files (--all: of two and more) and exits
with 1 if there is one."""
import collections
import re
import subprocess
import sys

LARGEST = 4


def symbols(paths):
    """What each object file defines and what it calls."""
    found = {path: (set(), set()) for path in paths}
    for line in subprocess.run(["nm", "-A", *paths], capture_output=True, text=True, check=True).stdout.splitlines():
        path, _, rest = line.rpartition(":")
        defined, used = found[path]
        words = rest.split()
        if len(words) == 3 and words[1] in "TDRB":
            defined.add(words[2])
        elif len(words) == 2 and words[0] == "U":
            used.add(words[1])
    return found


def components(graph):
    """Strongly connected components (Tarjan 1972)."""
    index, low, stack, found = {}, {}, [], []

    def visit(node):
        index[node] = low[node] = len(index)
        stack.append(node)
        for other in graph[node]:
            if other not in index:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], index[other])
        if low[node] == index[node]:
            at = stack.index(node)
            found.append(sorted(stack[at:]))
            del stack[at:]

    for node in sorted(graph):
        if node not in index:
            visit(node)
    return found


def main():
    show_all = "--all" in sys.argv
    modules = collections.defaultdict(dict)
    with open(sys.argv[1], encoding="utf-8") as objects:
        names = [re.search(r"^.*/src/(\w+)/(\w+)\.c\.o$", path) for path in objects.read().split("\n")]
    places = {match[0]: (match[1], match[2]) for match in names if match}
    if not places:
        sys.exit("circles.py: no object files")
    for path, called in symbols(places).items():
        module, name = places[path]
        modules[module][name] = called
    large = 0
    for module, files in sorted(modules.items()):
        home = {symbol: name for name, (defined, _) in files.items() for symbol in defined}
        graph = {name: {home[s] for s in used if s in home} - {name} for name, (_, used) in files.items()}
        for circle in components(graph):
            if len(circle) > LARGEST or (show_all and len(circle) > 1):
                print(f"{module}: {len(circle)} files call each other: {' '.join(circle)}")
            large += len(circle) > LARGEST
    sys.exit(1 if large else 0)


main()
