#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The whole experiment: runs, tables, plot. Builds the program unless it is there.
# usage: run.sh [OPTION]...      options go to the program (--threads N)
# Results go to out/; front.csv, lead.csv, the tables in README.md and plot.png are refreshed from there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
. ../common.sh
find_program dam_break_front

resolutions=(20 40 80)
densities=(summation continuity)
for density in "${densities[@]}"; do
    mkdir -p "out/$density"
    "$program" --out "out/$density" --references . "density=$density" "$@" "${resolutions[@]}"
done

# What changes the front: one parameter at a time, and other resolutions.
variants=('36' '38' '42' '44' 'viscosity_alpha=0.05 40' 'viscosity_alpha=0.2 40' 'viscosity_alpha=0.4 40'
    'sound_speed=21.178 40' 'wall_viscosity=1 40')
for density in "${densities[@]}"; do
    echo
    for variant in "${variants[@]}"; do
        read -ra words <<<"$variant"
        "$program" "density=$density" "$@" "${words[@]}" |
            awk -v name="$density, ${variant% *}" '/^\| a\/d/ { sub(/^/, "| run "); print; getline; print $0 "---|" }
                                                 /^\| [0-9]/ { print "| " name " " $0; exit }'
    done
done | awk 'NF && !(/^\| run|^\|---/ && seen[$0]++)' >out/variants.md

join() { # FILE: one table of all densities, named in the first column
    local density header='density,'
    for density in "${densities[@]}"; do
        sed -e "1s/^/$header/;1!s/^/$density,/" "out/$density/$1" | if [ "$header" ]; then cat; else tail -n +2; fi
        header=
    done >"out/$1"
    mv "out/$1" "$1"
}
join front.csv
join lead.csv
for density in "${densities[@]}"; do
    printf '### %s\n\n' "density: $density"
    cat "out/$density/table.md"
    echo
done >out/tables.md
printf '### One parameter at a time\n\n' >>out/tables.md
cat out/variants.md >>out/tables.md
echo >>out/tables.md
finish out/tables.md
