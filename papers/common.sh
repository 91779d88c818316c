# SPDX-License-Identifier: MIT
# papers/common.sh: what the run.sh of every experiment begins and ends with; sourced in the experiment's folder.
export LC_ALL=C.UTF-8

# Sets `program` to the experiment's program, and builds it unless it is there.
find_program() { # NAME
    local root=../..
    program=$root/build/release/bin/$1
    [ -x "$program" ] || (cd "$root" && cmake --preset release && cmake --build --preset release --target "$1")
}

# Sets `arguments`, in which files have their whole path, and `shown`, in which they have none.
take_arguments() { # [ARGUMENT]...
    local argument
    arguments=()
    shown=""
    for argument; do
        if [ -f "$argument" ]; then
            shown+=" ${argument##*/}"
            argument=$(realpath "$argument")
        else
            shown+=" $argument"
        fi
        arguments+=("$argument")
    done
}

# What experiments on meshes begin with: goes to their folder, runs their program with files as they were named from
# elsewhere, and keeps what it prints. Sets `shown`.
run_on_meshes() { # FOLDER PROGRAM CSV [ARGUMENT]...
    local folder=$1 name=$2 csv=$3
    shift 3
    take_arguments "$@"
    cd "$folder"
    find_program "$name"
    mkdir -p out
    "$program" "${arguments[@]}" >"out/$csv"
    mv "out/$csv" "$csv"
}

# Puts the file between README.md's lines <!-- tables --> and <!-- tables end -->, and draws the plot.
finish() { # FILE
    awk -v file="$1" '
        /^<!-- tables end -->/ { inside = 0 }
        !inside { print }
        /^<!-- tables -->/ { inside = 1; print ""; while ((getline line <file) > 0) print line; print "" }' \
        README.md | cat -s >README.new
    mv README.new README.md
    gnuplot plot.gnuplot
    echo "Look at README.md and plot.png in $PWD."
}
