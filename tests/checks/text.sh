#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# What the repository's text must not hold: paths and hosts of one machine, notes to self, tabs and endless lines. And
# what each source must: a line that names its licence.
# usage: text.sh [ROOT]
set -u
cd "${1:-$(dirname "$0")/../..}" || exit 2
export LC_ALL=C.UTF-8  # columns are characters, not bytes
failed=0

mapfile -t files < <(git ls-files 2>/dev/null)
if [ ${#files[@]} -eq 0 ]; then  # not a clone
    mapfile -t files < <(find . \( -path ./build -o -path ./out \) -prune -o -type f -print)
fi
sources=() texts=() pages=()
for file in "${files[@]}"; do
    [ -f "$file" ] || continue
    case $file in
    *.png | *.jpg | *.mp4 | *.gz) ;;
    *) texts+=("$file") ;;
    esac
    case $file in
    *.c | *.h | *.cpp | *.hpp | *.sh | *.py | *.cmake | *CMakeLists.txt) sources+=("$file") ;;
    *.md) pages+=("$file") ;;
    esac
done

refuse() { # WHAT PATTERN FILE...
    local what=$1 pattern=$2
    shift 2
    if grep -nIHE -- "$pattern" "$@"; then
        echo "^ $what"
        failed=1
    fi
}

# Bracketed letters keep these lines from finding themselves.
refuse 'a path of one machine' \
    '(^|[^[:alnum:]_.<>}-])/([w]ork|[h]ome|[r]oot)/|\.\./[s]hared(/|\>)|[.][l]ibrary' "${texts[@]}"
refuse 'a host that others do not see' \
    'https?://([0-9]+(\.[0-9]+){3}|[l]ocalhost|[[:alnum:]-]+[:/]|[[:alnum:].-]+\.([i]nternal|[l]ocal|[l]an)\>)' \
    "${texts[@]}"
refuse 'a note to self' '\<(TO[D]O|FIX[M]E|X[X]X)\>' "${sources[@]}"
refuse 'longer than 120 columns' '^.{121}' "${sources[@]}"
refuse 'longer than 120 columns' '^[^|].{120}' "${pages[@]}"  # lines of tables cannot be broken
# One program for all files: two for each took four seconds.
awk 'FNR == 1 || FNR == 2 { if (/SPDX-License-Identifier: MIT$/) has[FILENAME] = 1 }
    FNR == 2 { nextfile }
    END {
        for (k = 1; k < ARGC; ++k)
            if (!(ARGV[k] in has)) { print ARGV[k] ":1: lacks the line SPDX-License-Identifier: MIT"; failed = 1 }
        exit failed
    }' "${sources[@]}" || failed=1
refuse 'a tab' $'\t' "${sources[@]}"
refuse 'space at the end of the line' ' $' "${sources[@]}"
exit $failed
