#!/usr/bin/env bash
# Includes point downward only: the table of the house (docs/ARCHITECTURE.md), held against every include line.
# usage: include_levels.sh [ROOT]      prints FILE:LINE: what is wrong; exit status 1 if anything is
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2

# module: the modules it may include beside itself
table='
base:
cells: base
mesh: base
neighbors: base cells
broadphase: base cells
response: base
particles: base
hits: base cells mesh neighbors broadphase response
proxy: base cells mesh response
raster: base cells mesh
surface: base cells mesh neighbors broadphase
fluid: base cells mesh neighbors broadphase particles hits proxy raster surface
grains: base mesh response particles hits proxy
cloth: base cells mesh neighbors broadphase particles hits proxy raster surface
simulation: base cells mesh neighbors broadphase response particles hits proxy raster surface fluid cloth grains
scene: base mesh simulation
import: base mesh
output: base mesh
render: base mesh
'
# Public headers beside the one of their module's name, each with its module.
headers='version base'
# libmote is these modules, and needs the C library and the compiler's own headers alone; what differs between
# systems is base/platform.c's business.
library='base cells mesh neighbors broadphase response particles hits proxy raster surface fluid cloth grains
simulation'
system='assert complex ctype errno fenv float inttypes limits math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype emmintrin immintrin arm_neon'

# Tests may include anything; programs see public headers, and their own beside them.
find src include apps bench examples papers -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.inl' \) 2>/dev/null |
    LC_ALL=C sort | tr '\n' '\0' |
    xargs -0 -r awk -v table="$table" -v headers="$headers" -v library="$library" -v system_headers="$system" '
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

function split_words(text, set,    words, n, k) {
    n = split(text, words, /[ \n]+/)
    for (k = 1; k <= n; ++k) if (words[k] != "") set[words[k]] = 1
}

BEGIN {
    rows = split(table, lines, "\n")
    for (r = 1; r <= rows; ++r) {
        if (split(lines[r], halves, ":") < 2) continue
        known[halves[1]] = 1
        allowed[halves[1], halves[1]] = 1
        n = split(halves[2], words, " ")
        for (k = 1; k <= n; ++k) allowed[halves[1], words[k]] = 1
    }
    n = split(headers, words, /[ \n]+/)
    for (k = 1; k < n; k += 2) module_of[words[k]] = words[k + 1]
    split_words(library, in_library)
    split_words(system_headers, is_system)
}

FNR == 1 {
    split(FILENAME, path, "/")
    if (path[1] == "src") own = path[2]
    else if (path[1] == "include") own = path[3]
    else own = ""                               # a program
    sub(/\.h$/, "", own)
    if (path[1] == "include" && (own in module_of)) own = module_of[own]
    if (own != "" && !(own in known)) complain("module \"" own "\" has no level")
}

/^[ \t]*#[ \t]*include/ {
    header = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
    bracket = substr(header, 1, 1)
    header = substr(header, 2)
    sub(/[">].*/, "", header)

    if (bracket == "<") {
        name = header
        if (header ~ /^mote\//) complain("<" header "> is ours: write \"" header "\"")
        else if (FILENAME == "src/base/platform.c" &&
                 header ~ /^(windows|sys\/mman|sched|unistd|pthread)\.h$/) next
        else if ((own in in_library) && !(sub(/\.h$/, "", name) && (name in is_system)))
            complain("libmote may not need <" header ">")
        next
    }
    if (bracket != "\"") { if (own in in_library) complain("libmote may not include a macro"); next }
    if (header ~ /\.\./) { complain("\"" header "\" climbs out of its folder"); next }

    parts = split(header, part, "/")
    if (own == "") {
        if (parts > 1 && part[1] != "mote" && (part[1] in known))
            complain("\"" header "\" is not public: programs include \"mote/...\" alone")
        next
    }
    if (parts < 2) { complain("\"" header "\" lacks its module: write \"" own "/" header "\""); next }
    module = part[1]
    if (module == "mote") {
        module = part[2]
        sub(/\.h$/, "", module)
        if (module in module_of) module = module_of[module]
    } else if (path[1] == "include") { complain("a public header may not include \"" header "\""); next }
    if (!(module in known)) complain("\"" header "\" belongs to no module")
    else if (!((own, module) in allowed)) complain(own " may not include " module " (\"" header "\")")
}

END { exit bad }
'
# xargs answers 123 where a command failed.
[ "${PIPESTATUS[3]}" -eq 0 ] || exit 1
