#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Includes point downward only: the table of the house (docs/ARCHITECTURE.md), held against every include line. Of a
# module's insides tests include src/<module>/tested.h alone, and only they do. Nor do they name what is for others:
# intrinsics belong into base/wide*.h.
# usage: include_levels.sh [ROOT]      prints FILE:LINE: what is wrong; exit status 1 if anything is
#        include_levels.sh ROOT --table     prints the table as docs/ARCHITECTURE.md has it
set -u
self=$(realpath "$0")
cd "${1:-$(dirname "$0")/../..}" || exit 2

# level | module: the modules it may include beside itself | what it is
table='
0|base:|results, errors, contexts, tasks, sorting, random numbers, elementary functions, field tables
1|cells: base|the arithmetic of grids: bounds of a point set, cell coordinates, keys
1|mesh: base|triangle meshes: topology, points spread over the surface, inside or outside
2|neighbors: base cells|fixed-radius search: one interface, a file per method
2|broadphase: base cells|overlapping boxes: queries, pairs and their events; one interface, a file or two per method
2|particles: base|named arrays that grow, shrink, are put into order together and written as bytes
2|response: base|what becomes of the velocity of a particle that meets a surface
3|hits: base mesh response|exact: first triangles along motions, closest points, inside or outside, bounces
3|proxy: base mesh response|an octree that stands for meshes, smaller and approximate, for millions of particles
3|raster: base cells mesh|triangles and edges rasterised into the cells of points
3|surface: base cells mesh neighbors broadphase|surfaces of particles: marching cubes on occupied cells
4|fluid: base cells mesh neighbors broadphase particles hits proxy raster surface|SPH
4|grains: base mesh response particles hits proxy|particles that fall and hit meshes, and do not feel each other
4|cloth: base cells mesh neighbors broadphase particles hits proxy raster surface|cloth (to come)
5|simulation: base mesh broadphase response hits proxy raster surface fluid cloth grains|where all these meet
6|scene: base mesh simulation|scene files (JSON) to defs
6|import: base mesh|files of meshes, points and boxes in
6|output: base mesh|VTK, meshes (PLY, OBJ, STL) and PNG files out
6|render: base mesh|pictures
'
if [ "${2-}" = --table ]; then
    echo '| level | module | what it is | may include |'
    echo '|---|---|---|---|'
    awk -F'|' 'NF == 3 {
        split($2, parts, ": *")
        list = parts[2] == "" ? "the C library" : parts[2]
        gsub(" ", ", ", list)
        if (parts[2] == "") list = "the C library"
        printf "| %s | `%s` | %s | %s |\n", $1, parts[1], $3, list
    }' <<<"$table"
    exit 0
fi
# Public headers beside the one of their module's name, each with its module.
headers='version base rows neighbors expression simulation tension fluid walls fluid opening fluid
boundary simulation'
# libmote is these modules, and needs the C library and the compiler's own headers alone; what differs between
# systems is base/platform.c's business.
library='base cells mesh neighbors broadphase response particles hits proxy raster surface fluid cloth grains
simulation'
system='assert complex ctype errno fenv float inttypes limits math setjmp signal stdalign stdarg stdatomic stdbool
stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar wctype'
# Intrinsics are for base/wide*.h, over which all loops are written: their headers, and their names and types, which a
# file that includes base/wide.h could use. (A pause while waiting is not one of these: base/platform.h.)
intrinsics='emmintrin immintrin arm_neon wasm_simd128'
intrinsic='(^|[^A-Za-z0-9_])(_mm[0-9]*_[a-z]|__m(128|256|512|mask)|__builtin_(ia32|aarch64|neon|wasm)_|wasm_[a-z0-9]+_'
intrinsic+='|v128_t|v[a-z][a-z0-9_]*_[fsu](8|16|32|64) *[(]|(float|u?int)(8|16|32|64)x[0-9])'

# Programs see public headers, and their own beside them; tests see the tested.h of modules, too.
find src include apps bench examples papers tests -type f \
    \( -name '*.c' -o -name '*.h' -o -name '*.cpp' -o -name '*.hpp' -o -name '*.inl' \) 2>/dev/null |
    LC_ALL=C sort | tr '\n' '\0' |
    xargs -0 -r awk -v table="$table" -v headers="$headers" -v library="$library" -v system_headers="$system" \
        -v intrinsic_headers="$intrinsics" -v intrinsic="$intrinsic" '
function complain(text) { printf "%s:%d: %s\n", FILENAME, FNR, text; bad = 1 }

function split_words(text, set,    words, n, k) {
    n = split(text, words, /[ \n]+/)
    for (k = 1; k <= n; ++k) if (words[k] != "") set[words[k]] = 1
}

BEGIN {
    rows = split(table, lines, "\n")
    for (r = 1; r <= rows; ++r) {
        if (split(lines[r], columns, "|") != 3 || split(columns[2], halves, ":") < 2) continue
        known[halves[1]] = 1
        allowed[halves[1], halves[1]] = 1
        n = split(halves[2], words, " ")
        for (k = 1; k <= n; ++k) allowed[halves[1], words[k]] = 1
    }
    n = split(headers, words, /[ \n]+/)
    for (k = 1; k < n; k += 2) module_of[words[k]] = words[k + 1]
    split_words(library, in_library)
    split_words(system_headers, is_system)
    split_words(intrinsic_headers, is_intrinsic)
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

/mote_cpu_has\(/ && (own in in_library) && own != "base" {
    complain("which processor this is, only base asks: others ask for mote_context_simd")
}

own != "" && $0 ~ intrinsic && FILENAME !~ /^src\/base\/(wide[^\/]*|platform)\.h$/ {
    complain("intrinsics are for base/wide*.h: write loops over base/wide.h")
}

/^[ \t]*#[ \t]*include/ {
    header = $0
    sub(/^[ \t]*#[ \t]*include[ \t]*/, "", header)
    bracket = substr(header, 1, 1)
    header = substr(header, 2)
    sub(/[">].*/, "", header)

    if (path[1] == "tests") {
        parts = split(header, part, "/")
        if (header ~ /\.\./) complain("\"" header "\" climbs out of its folder")
        else if ((part[1] in known) && header != part[1] "/tested.h")
            complain("\"" header "\" is not for tests: of " part[1] " they include \"" part[1] "/tested.h\" alone")
        next
    }
    if (bracket == "<") {
        name = header
        if (header ~ /^mote\//) complain("<" header "> is ours: write \"" header "\"")
        else if (FILENAME == "src/base/platform.c" &&
                 header ~ /^(windows|sys\/mman|sched|unistd|pthread)\.h$/) next
        else if (own in in_library) {
            is_header = sub(/\.h$/, "", name)
            if (is_header && (name in is_intrinsic)) {
                if (FILENAME !~ /^src\/base\/wide[^\/]*\.h$/)
                    complain("intrinsics are for base/wide*.h: write loops over base/wide.h")
            } else if (!is_header || !(name in is_system)) complain("libmote may not need <" header ">")
        }
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
    if (header ~ /\.c$/ && (FILENAME !~ /\/lanes_[a-z0-9]+\.c$/ || part[1] != own)) {
        complain("\"" header "\": C files are for lanes_*.c of their own module, which compile them once more")
        next
    }
    if (part[parts] == "tested.h") { complain("\"" header "\" is for tests alone"); next }
    module = part[1]
    if (path[3] == "tested.h" && module != own) {
        complain("\"" header "\": a tested.h includes headers of its own module alone")
        next
    }
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
page=docs/ARCHITECTURE.md
[ -f $page ] || exit 0
diff <(bash "$self" . --table) <(sed -n '/^| level |/,/^$/p' $page | sed '/^$/d') || {
    echo "$page: its table of levels is not this script's (--table)"
    exit 1
}
