#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The mote program as a user meets it: exit statuses, messages, files.
# usage: program.sh CASE MOTE ROOT      runs one case in a folder of its own; 77: it cannot be run here
# With MOTE_SANITIZED in the environment runs that have to last for a while are of fewer particles, and of several
# that differ in a value there is one.
set -u
name=$1 mote=$(realpath "$2") root=$(realpath "$3")
scene=$root/tests/scenes/drop.json
base=$(mktemp -d) || exit 2
trap 'rm -rf "$base"' EXIT
out=$base/out err=$base/err
mkdir "$base/here" && cd "$base/here" || exit 2
unset NO_COLOR MOTE_MESH_PATH
# Each case has a cache of its own, but for the shaders that Mesa compiles, a second or two for each kind of picture:
# these stay where Mesa keeps those of all programs.
export MESA_SHADER_CACHE_DIR=${MESA_SHADER_CACHE_DIR:-${XDG_CACHE_HOME:-${HOME:-$base}/.cache}}
export XDG_CACHE_HOME=$base/cache

fail() {
    printf 'FAILED: %s\n' "$*"
    tail -v -n 20 "$out" "$err"
    exit 1
}

# run STATUS WORD...: mote with these words exits with this status; what it printed is in $out and $err.
run() {
    local expected=$1 status
    shift
    "$mote" "$@" >"$out" 2>"$err" </dev/null
    status=$?
    [ "$status" -eq "$expected" ] || fail "mote $* exits with $status, expected $expected"
}

# refuse LINE WORD...: bad input: status 2, this one line on standard error, nothing on standard output.
refuse() {
    local line=$1
    shift
    run 2 "$@"
    [ "$(cat "$err")" = "$line" ] || fail "mote $*: expected the line: $line"
    [ -s "$out" ] && fail "mote $* prints to standard output"
    return 0
}

# changed.json: the scene with a sed expression applied to it.
changed() {
    sed "$1" "$scene" >changed.json || fail "sed does not know $1"
    cmp -s "$scene" changed.json && fail "$1 changes nothing"
    return 0
}

# What a run without pictures leaves in a folder, N frames.
expected_files() {
    printf '%s\n' boundary.vtp particles.pvd run.json
    for ((k = 0; k < $1; ++k)); do printf 'particles_%04d.vtp\n' "$k"; done
    for ((k = 0; k < $1 && k < 2; ++k)); do printf 'checkpoint_%04d.bin\n' "$k"; done
}

check_files() {
    diff <(expected_files "$2" | LC_ALL=C sort) <(ls -A "$1" | LC_ALL=C sort) || fail "files in $1"
}

# Waits until a file is there.
wait_for() {
    for ((k = 0; k < 600; ++k)); do
        [ -e "$1" ] && return
        sleep 0.05
    done
    fail "$1 does not appear"
}

# --------------------------------------------------------------------------------------------------- command line

case_version_is_the_headers() {
    run 0 --version
    local version
    version=$(sed -n 's/^#define MOTE_VERSION "\(.*\)"/\1/p' "$root/include/mote/version.h")
    [ "$(cat "$out")" = "mote $version" ] || fail "expected mote $version"
}

case_help_is_complete() {
    run 0 --help
    for word in run scene validate converge neighbors broadphase mesh bench --version --help 130; do
        grep -q -e "$word" "$out" || fail "no $word in mote --help"
    done
    run 0 run --help
    for word in SCENE --output --frames --threads --no-images --overwrite --quiet out/; do
        grep -q -e "$word" "$out" || fail "no $word in mote run --help"
    done
    run 0 scene --help
    for word in end_time spacing open_z_max velocity translate width; do
        grep -q -e "$word" "$out" || fail "no $word in mote scene --help"
    done
    awk 'length($0) > 130 { exit 1 }' "$out" || fail "lines too long"
    run 0 run -h
    cp "$out" run_help
    run 0 help run
    cmp "$out" run_help || fail "mote help run is not mote run --help"
    refuse 'mote: unknown command rnu, did you mean run?' help rnu
}

case_no_command_shows_help() {
    run 2
    grep -q Usage "$err" || fail "no help on standard error"
}

case_bad_command_lines_are_refused() {
    refuse 'mote: unknown command rnu, did you mean run?' rnu
    refuse 'mote: unknown command simulate, see mote --help' simulate
    refuse 'mote: unknown option --versoin, did you mean --version?' --versoin
    refuse 'mote run: SCENE is missing, see mote run --help' run
    refuse 'mote run: b.json is one word too many, expected mote run SCENE' run a.json b.json
    refuse 'mote run: unknown option --framse, did you mean --frames?' run "$scene" --framse 3
    refuse 'mote run: unknown option -x, see mote run --help' run "$scene" -x
    refuse 'mote run: --frames is none, expected a whole number from 1 to 1000000' run "$scene" --frames none
    refuse 'mote run: --frames is 0, expected a whole number from 1 to 1000000' run "$scene" --frames=0
    refuse 'mote run: --threads is 99999999999999999999, expected a whole number from 1 to 4096' \
        run "$scene" --threads 99999999999999999999
    refuse 'mote run: --frames is the last word, expected N behind it' run "$scene" --frames
    refuse 'mote run: --quiet takes no value, not 1' run "$scene" --quiet=1
    refuse 'mote run: --output is empty, expected DIR' run "$scene" -o ''
    refuse 'mote scene: FILE is missing, see mote scene --help' scene
}

# ---------------------------------------------------------------------------------------------------------- scenes

case_scene_prints_all_that_is_resolved() {
    run 0 scene "$scene"
    for line in 'spacing            0.05 m' 'support            0.1 m' 'rest_density       1000 kg/m^3' \
        'max                [0.6, 0.4, 0.6] m' 'particles          288' 'sqrt(gH)           1.71'; do
        grep -q -F -e "$line" "$out" || fail "no '$line'"
    done
}

case_an_estimate_leaves_nothing() {
    mkdir tmp
    export TMPDIR=$PWD/tmp
    run 0 scene "$scene" --estimate --no-images
    for line in 'particles          288 particles, 1920 wall particles' 'memory   ' 'time step          about 0.00' \
        'steps              about 1[34]' 'time of all steps  about .* s, .* s each by 16 real ones' \
        'written without pictures' \
        'wall time          about '; do
        grep -q "$line" "$out" || fail "no '$line'"
    done
    run 0 scene "$scene" --estimate --threads 1
    grep -q ' with 1 thread$' "$out" || fail "not with one thread"
    changed 's/"spacing": 0.05/&, "sound_speed": 1e-3/; s/"max": \[0.3, 0.4, 0.3\]/&, "velocity": [0, 0, 1e6]/'
    run 1 scene changed.json --estimate
    grep -q '^changed.json: step 0 of 20 for an estimate: simulation: unstable at' "$err" || fail "no reason"
    [ -z "$(ls tmp)" ] || fail "left behind: $(ls tmp)"
}

# forecasts FILE: the particle-steps of an estimate are within a factor of two of those of the run, which are printed.
forecasts() {
    local told made
    run 0 scene "$1" --estimate --no-images
    grep -q ' and those of a small copy, with' "$out" || fail "no copy of $1 was run"
    told=$(sed -n 's/^  particle-steps *about //p' "$out")
    run 0 run "$1" --no-images --quiet --overwrite -o out
    made=$(sed -n 's/.*"particle_steps": \([0-9]*\).*/\1/p' out/run.json)
    awk -v told="$told" -v made="$made" 'BEGIN { exit !(told > made / 2 && told < 2 * made) }' ||
        fail "$1: forecast are $told particle-steps, the run took $made"
}

case_estimates_count_what_comes_in_later() {
    # Water that comes in by a jet, and leaves by a drain; grains that are poured.
    printf '{"dimensions": 2, "end_time": 0.6, "frames": 4, "fluid": {"spacing": 0.01, "preset": "engineering"},
        "tank": {"min": [0, 0, 0], "max": [0.5, 0, 0.4], "open_z_max": true},
        "inlets": [{"name": "jet", "center": [0, 0, 0.25], "normal": [1, 0, 0], "width": 0.08, "velocity": 0.8}],
        "drains": [{"name": "hole", "center": [0.4, 0, 0], "normal": [0, 0, 1], "radius": 0.06}]}\n' >jet.json
    forecasts jet.json
    printf '{"end_time": 0.5, "frames": 6, "tank": {"min": [0, 0, 0], "max": [1, 1, 1]}, "grains": {"count": 4000,
        "min": [0.4, 0.4, 0.5], "max": [0.6, 0.6, 0.6], "duration": 0.4}}\n' >grains.json
    forecasts grains.json
    # A few grains, all of them at once: the copy is the scene itself.
    sed 's/4000/40/; s/"duration": 0.4/"duration": 0/' grains.json >few.json
    forecasts few.json
    # No coarser particles can be made of those that a file has.
    printf 'x,y,z\n0.2,0,0.1\n0.21,0,0.1\n' >points.csv
    sed 's/"drains"/"blocks": [{"shape": "points", "points": "points.csv"}], &/' jet.json >points.json
    run 0 scene points.json --estimate --no-images
    grep -q '^  note  *particles that come in later are not counted' "$out" || fail "no note"
}

case_estimates_say_what_a_step_takes() {
    # All steps take as many times what is printed of one as there are steps, with and without a copy.
    printf '{"end_time": 0.5, "frames": 6, "tank": {"min": [0, 0, 0], "max": [1, 1, 1]}, "grains": {"count": 4000,
        "min": [0.4, 0.4, 0.5], "max": [0.6, 0.6, 0.6], "duration": 0.4}}\n' >grains.json
    for file in "$scene" grains.json; do
        run 0 scene "$file" --estimate --no-images
        sed -n 's/^  steps *about //p; s/^  time of all steps *about \(.*\) s, \(.*\) s each by 16 .*/\1 \2/p' "$out" |
            tr '\n' ' ' >numbers
        awk '{ exit !(NF == 3 && $2 > 0.8 * $1 * $3 && $2 < 1.25 * $1 * $3) }' numbers ||
            fail "$file: steps, their time and that of one: $(cat numbers)"
    done
}

# A frame with all grains needs a second simulation. Without memory for it, what was measured counts.
case_estimates_do_without_a_full_frame() {
    # Sanitizers lay claim to more than all of this for themselves.
    (ulimit -v 60000 && "$mote" --version >"$out" 2>"$err") || exit 77
    printf '{"end_time": 0.5, "frames": 6, "tank": {"min": [0, 0, 0], "max": [1, 1, 1]}, "grains": {"count": 400000,
        "min": [0.4, 0.4, 0.5], "max": [0.6, 0.6, 0.6], "duration": 0.4}}\n' >grains.json
    local kilobytes status=1
    for ((kilobytes = 30000; kilobytes <= 120000 && status > 0; kilobytes += 5000)); do
        (ulimit -v $kilobytes && exec "$mote" scene grains.json --estimate --no-images --threads 1) >"$out" 2>"$err"
        status=$?
        [ $status -eq 0 ] || [ -s "$err" ] || fail "not a word, given $kilobytes kB"
    done
    [ $status -eq 0 ] || fail "120 MB are not enough for one simulation"
    [ ! -s "$err" ] || fail "it complains: $(cat "$err")"
    grep -q '^  note  *frames with all grains may take longer: none could be made$' "$out" || fail "no note"
    grep -q '^  wall time  *about ' "$out" || fail "no time"
    run 0 scene grains.json --estimate --no-images --threads 1
    grep -q 'may take longer' "$out" && fail "a note where there is memory"
    :
}

case_bad_scenes_are_refused_and_nothing_is_written() {
    refuse 'none.json: cannot be opened: there is no such file' run none.json
    refuse '.: cannot be read: it is a folder, expected a file' run .
    changed 's/"spacing"/"spacin"/'
    refuse 'changed.json:6:15: fluid has the unknown key "spacin", expected "spacing"' run changed.json
    refuse 'changed.json:6:15: fluid has the unknown key "spacin", expected "spacing"' scene changed.json
    changed 's/"end_time": 0.2/"end_time": -1/'
    refuse 'changed.json:4:17: end_time is -1, expected a number above 0 [s]' run changed.json
    changed 's/"tank"/"picture": {"width": 1}, "tank"/'
    refuse 'changed.json:7:26: picture.width is 1, expected a whole number from 16 to 8192 [pixel]' run changed.json
    changed '$d'
    refuse "changed.json:9:1: broken JSON: '}' expected near end of file" run changed.json
    # A NUL behind a number: the walk to the value's end must get past it.
    printf '{"frames":9\0}' >nul.json
    for command in scene run; do
        timeout 20 "$mote" "$command" nul.json >"$out" 2>"$err"
        [ $? -eq 2 ] || fail "mote $command of a scene with a NUL"
    done
    rm nul.json
    [ "$(ls)" = changed.json ] || fail "something was written: $(ls)"
}

# What nobody can wait for is refused, what takes days is said.
# bad_fluid LINE SED: the scene in 2D with the engineering preset, changed by SED, is refused with that line.
bad_fluid() {
    changed 's/"end_time"/"dimensions": 2, &/; s/"spacing": 0.05/&, "preset": "engineering"/; '"$2"
    refuse "changed.json:$1" run changed.json --no-images -o none
}

# What is asked of a fluid and cannot be had: where that stands, what was found, and what was expected.
case_bad_fluids_have_their_place() {
    bad_fluid '6:42: fluid.preset is "enginering", expected "fast", "document" or "engineering"; did you mean '\
'"engineering"?' 's/"engineering"/"enginering"/'
    for support in 0.059 0.31; do
        bad_fluid "6:68: fluid: support is $support, expected 1.2 to 6 spacings of 0.05" \
            's/"engineering"/&, "support": '$support'/'
        bad_fluid "6:61: fluid: support is $support, expected 1.2 to 6 spacings of 0.05" \
            's/"engineering"/"fast", "support": '$support'/'
    done
    bad_fluid '6:69: fluid.shifting is "transport", expected "free_surface" or "none" where there is a free surface: '\
'around the particle at (0.275, 0, 0.2735) 47 % are filled' 's/"engineering"/&, "shifting": "transport"/'
    bad_fluid '6:69: fluid.shifting is "transprt", expected "none", "transport" or "free_surface"; did you mean '\
'"transport"?' 's/"engineering"/&, "shifting": "transprt"/'
    local box='"periodic": {"min": [0, 0, 0], "max": [0.6, 0, 0.6], "x": true}'
    bad_fluid '7:13: tank: has a side across x, along which the fluid is periodic, expected open_x_min and open_x_max' \
        's/"blocks"/'"$box"', &/'
    bad_fluid '7:74: tank.velocity_z_min is 1 along z, expected 0: the side runs along itself; motion_z_min moves it' \
        's/"max": \[0.6, 0.4, 0.6\]/&, "velocity_z_min": [1, 0, 1]/'
    bad_fluid '7:80: tank.velocity_z_min[0] is no expression: the end at column 5, expected a number, a name or "("' \
        's/"max": \[0.6, 0.4, 0.6\]/&, "velocity_z_min": ["2*t+", 0, 0]/'
    bad_fluid '7:74: tank.velocity_z_min is an expression along z, expected 0: the side runs along itself; '\
'motion_z_min moves it' 's/"max": \[0.6, 0.4, 0.6\]/&, "velocity_z_min": [0, 0, "t"]/'
    bad_fluid '7:58: gauges[0].at[0] is no expression: "ts" at column 3, expected "t"' \
        's/"tank"/"gauges": [{"name": "h", "kind": "height", "at": ["2*ts", 0, 0]}], &/'
    bad_fluid '7:56: gauges[0].at is [1, 0, 0.1], which is outside everything, expected a place from -0.05 to 0.65 '\
'along x' 's/"tank"/"gauges": [{"name": "p", "kind": "pressure", "at": ["1 + t", 0, 0.1]}], &/'
    bad_fluid '7:17: periodic: none of x, y and z is true, expected the axes along which the fluid repeats itself' \
        's/"tank".*$/'"${box/, \"x\": true/}"',/'
    bad_fluid '7:17: periodic: the box is 0.35 wide along x, expected at least two supports of 0.2' \
        's/"tank".*$/'"${box/0.6/0.35}"',/'
    bad_fluid '8:16: blocks[0]: 0.3 wide along z, expected at most 0.2, the width of the periodic box' \
        's/"tank".*$/"periodic": {"min": [0, 0, 0], "max": [1, 0, 0.2], "z": true},/; s/: 0.05/: 0.02/'
    bad_fluid '8:75: blocks[0].velocity[0] is no expression: "*" at column 3, expected a number, a name or "("' \
        's/\(0.3\)\]}]/\1], "velocity": ["1+*x", 0, 0]}]/'
    bad_fluid '8:72: blocks[0].velocity[0] is inf for the particle at (0.125, 0, 0.025), expected a number from '\
'-1000000 to 1000000' 's/\(0.3\)\]}]/\1], "velocity": ["1\/(x-0.125)", 0, 0]}]/'
    bad_fluid '6:14: fluid: sound_speed is not set, and ten times the highest speed of blocks, inlets and falling '\
'water is 1e+07, expected at most 1e+06 [m/s]' 's/\(0.3\)\]}]/\1], "velocity": [1e6, 0, 0]}]/'
    bad_fluid '7:27: output.fields[0] is "velocty", expected a list of at most 16 of "position", "id", "velocity", '\
'"acceleration", "density", "pressure", "rate", "shift", "excess", "surface" or "phase"; did you mean "velocity"?' \
        's/"tank"/"output": {"fields": ["velocty"]}, &/'
    bad_fluid '7:38: gauges[0].kind is "hieght", expected "pressure", "wall_pressure", "velocity", "height", "front", '\
'"flow", "energy", "extremes", "force" or "moment"; did you mean "height"?' \
        's/"tank"/"gauges": [{"name": "h", "kind": "hieght", "at": [0.1, 0, 0]}], &/'
    [ "$(ls)" = changed.json ] || fail "something was written: $(ls)"
}

# A wall that leaps ends the run at once, and no other setting of the fluid is blamed.
case_walls_that_are_too_fast_are_named() {
    changed 's/"end_time"/"dimensions": 2, &/; s/"spacing": 0.05/&, "preset": "engineering"/;
        s/"max": \[0.6, 0.4, 0.6\]/&, "motion_x_min": "1e6*t"/'
    run 1 run changed.json --no-images -o leap
    grep -q ' by walls (usually [0-9.]*); a wall moves too fast for the fluid; ' "$err" || fail "not named"
}

# A floor stays where it is: a tank that tilts, or rises, would sink into it.
case_tanks_that_leave_the_floor_have_none() {
    local motion
    printf 't,x\n0,0\n1,0.1\n' >along.csv
    printf 't,z\n0,0\n1,0.1\n' >up.csv
    printf 't,turn\n0,0\n1,5\n' >tilt.csv
    for motion in '"motion": ["0.1*sin(6*t)", 0, 0] true' '"turn": "4*sin(6*t)" false' \
        '"motion": [0, 0, "0.1*sin(6*t)"] false' '"turn": "4*sin(6*t)", "turn_axis": [0, 0, 1] true' \
        '"motion_table": "along.csv" true' '"motion_table": "up.csv" false' '"motion_table": "tilt.csv" false'; do
        changed 's/"spacing": 0.05/&, "preset": "engineering"/; s/"max": \[0.6, 0.4, 0.6\]/&, '"${motion% *}/"
        run 0 scene changed.json
        [ "$(sed -n 's/^  floor  *//p' "$out")" = "${motion##* }" ] || fail "the floor below $motion"
    done
    sed 's/"tank"/"picture": {"floor": true}, "tank"/' changed.json >wanted.json
    run 0 scene wanted.json
    grep -q '^  floor  *true$' "$out" || fail "a floor that is asked for"
}

# Energy can only fall where none is brought in: only there a run says whether it did.
case_energy_is_judged_where_none_comes_in() {
    run 0 run "$scene" --no-images --frames 2 -o still
    grep -q '; energy at most .* % of its start$' "$out" || fail "no word of energy"
    changed 's/"spacing": 0.05/&, "gravity": ["sin(9*t)", 0, -9.81]/'
    run 0 run changed.json --no-images --frames 2 -o shaken
    ! grep -q 'energy at most' "$out" || fail "a shaken tank is said to keep its energy"
    local face='"center": [0, 0.2, 0.45], "normal": [1, 0, 0], "width": 0.1, "height": 0.1'
    changed 's/"blocks"/"inlets": [{"name": "jet", '"$face"', "velocity": 1}], &/'
    run 0 run changed.json --no-images --frames 2 -o fed
    ! grep -q 'energy at most' "$out" || fail "what comes in has energy"
    local more tank='"max": \[0.6, 0.4, 0.6\]'
    for more in "s/$tank/&, \"velocity_x_max\": [0, 0, 1]/" "s/$tank/&, \"motion_x_min\": \"0.1*t\"/" \
        "s/$tank/&, \"motion\": {\"x\": \"0.01*t\"}/" \
        's/"blocks"/"solids": [{"name": "ball", "shape": "ball", "center": [0.45, 0.2, 0.3], "radius": 0.1, '\
'"motion": {"z": "0.01*t"}}], &/' \
        's/"tank".*$/"periodic": {"min": [0, 0, 0], "max": [0.6, 0.4, 0.6], "x": true, "y": true, "z": true},/' \
        's/\(0.3\)\]}]/\1], "pressure": "1000*x"}]/' \
        's/"tank"/"tensions": [{"between": ["water"], "sigma": 0.07, "model": "document_curvature"}], &/; '\
's/"tank"/"fluids": [{"name": "water"}], &/; s/"blocks": \[{/&"fluid": "water", /'; do
        changed "s/\"end_time\": 0.2/\"end_time\": 0.002/; s/\"spacing\": 0.05/&, \"preset\": \"engineering\"/"
        run 0 run changed.json --no-images --frames 2 -o plain --overwrite
        grep -q 'energy at most' "$out" || fail "no word of energy for a moment"
        sed -i "$more" changed.json
        run 0 run changed.json --no-images --frames 2 -o more --overwrite
        ! grep -q 'energy at most' "$out" || fail "energy is judged in spite of $more"
    done
}

# What is asked of several fluids, openings, motions and fields and cannot be had: one line, with its place, and nothing
# is written.
case_bad_mixtures_have_their_place() {
    cat >mixture.json <<'END'
{"title": "Two", "dimensions": 2, "end_time": 0.02, "frames": 2,
 "fluid": {"spacing": 0.05, "preset": "engineering"},
 "fluids": [{"name": "water"}, {"name": "air", "rest_density": 100, "gamma": 1.4}],
 "tensions": [{"between": ["water", "air"], "sigma": 0.072}],
 "tank": {"min": [0, 0, 0], "max": [2, 0, 1]},
 "blocks": [{"fluid": "water", "min": [0, 0, 0], "max": [1, 0, 0.4]},
            {"fluid": "air", "min": [0, 0, 0.4], "max": [1, 0, 0.8]}],
 "inlets": [{"name": "jet", "fluid": "water", "center": [2, 0, 0.5], "normal": [-1, 0, 0], "width": 0.2, "level": 1}],
 "solids": [{"name": "plate", "shape": "box", "min": [1.3, 0, 0.3], "max": [1.5, 0, 0.7], "motion": {"x": "t"}}]}
END
    printf 't,x\n0,0\n0.01,0\n0.010001,0.3\n0.2,0.3\n' >jump.csv
    printf 't,x\n0,0\n0.1,0.001\n0.05,0\n' >back.csv
    run 0 scene mixture.json
    [ "$(grep -c 'sound_speed  *[0-9.]* m/s' "$out")" -eq 3 ] || fail "fluids without their speeds of sound"
    local table='s/"motion": {.*$/"motion_table": "NAME.csv"}]}/' line expression
    while IFS='|' read -r line expression; do
        sed "$expression" mixture.json >changed.json
        cmp -s mixture.json changed.json && fail "$expression changes nothing"
        run 2 run changed.json --no-images -o none
        [ "$(wc -l <"$err")" -eq 1 ] && grep -qF "$line" "$err" || fail "expected the line: $line"
        [ ! -e none ] || fail "something was written: $expression"
    done <<END
changed.json:7:23: blocks[1].fluid is "oil", expected the name of a fluid|s/"fluid": "air"/"fluid": "oil"/
changed.json:8:38: inlets[0].fluid is "oil", expected the name of a fluid|s/"water", "center"/"oil", "center"/
changed.json:8:13: inlets[0].fluid is missing, expected the name of a fluid|s/"fluid": "water", "center"/"center"/
changed.json:4:27: tensions[0].between has "oil", expected the name of a fluid|s/\["water", "air"/["water", "oil"/
tensions[1].between has the fluids of tensions[0]|s/0.072}/&, {"between": ["air", "water"], "sigma": 1}/
changed.json:4:54: tensions[0].sigma is -1, expected a number from 0|s/0.072/-1/
rest_density is 0.09 beside 1000, expected a ratio of at most 10000: |s/"rest_density": 100/"rest_density": 0.09/
changed.json:3:78: fluids[1].gamma is 0.9, expected a number from 1 to 7|s/1.4/0.9/
inlets[0] touches no side of the tank from outside|s/"center": \[2/"center": [1.9/
inlets[1] overlaps the buffer of inlets[0]|s/"inlets": \[\(.*\)\],/"inlets": [\1, \1],/; s/"jet"/"gush"/
solids[0].motion_table jumps: from row 2 to row 3|${table/NAME/jump}
back.csv:4: t is 0.05, expected more than 0.1, the time of the row before|${table/NAME/back}
with a support of 3.4 spacings in 2D, expected|s/0.072/&, "model": "curvature"/; s/"spacing"/"support": 0.17, &/
END
}

case_runs_without_end_are_refused() {
    changed 's/"end_time": 0.2/"end_time": 1e300/'
    run 2 run changed.json --no-images -o endless
    grep -q '^changed.json:4:17: end_time is 1e+300, expected one of at most 2^53 steps, not about ' "$err" ||
        fail "no word of it"
    [ -e endless ] && fail "something was written"
    changed 's/"end_time": 0.2/"end_time": 1e7/'
    "$mote" run changed.json --no-images -o long >"$out" 2>"$err" </dev/null &
    for ((k = 0; k < 600; ++k)); do
        grep -q '^note: about .* steps of .* particles take days' "$out" && break
        sleep 0.05
    done
    kill $!
    wait $!
    [ $k -lt 600 ] || fail "no note of it"
}

# Faults that only the simulation sees are told with their place, too.
case_faults_found_later_have_a_place() {
    changed 's/"spacing": 0.05/"spacing": 0.05, "gamma": 3/'
    run 2 run changed.json
    grep -q '^changed.json:6:41: fluid.* gamma is 3, expected' "$err" || fail "gamma"
    changed 's/"spacing": 0.05/"spacing": 0.05, "neighbors": "magic"/'
    run 2 run changed.json
    grep -q '^changed.json:6:45: fluid.neighbors is "magic", expected the name of a method' "$err" || fail "neighbors"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "more than one line"
}

case_missing_meshes_are_named() {
    changed 's/"blocks"/"solids": [{"name": "hare", "mesh": "hare.obj"}], "blocks"/'
    run 2 run changed.json
    grep -q '^changed.json:8:41: solids\[0\].mesh: .*hare.obj' "$err" || fail "no place, or no name"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "more than one line"
}

case_meshes_are_found_placed_and_written() {
    mkdir meshes
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >meshes/corner.obj
    local solid='{"name": "corner", "mesh": "corner.obj", "scale": 0.1, "translate": [0.4, 0.15, 0.1]}'
    changed "s/\"blocks\"/\"solids\": [$solid], &/"
    MOTE_MESH_PATH=nowhere:meshes run 0 run changed.json --no-images --frames 2 -q -o made
    [ -s made/mesh_corner.ply ] || fail "no mesh_corner.ply"
    grep -q '"inside_solids": 0, "beyond_walls": 0' made/run.json || fail "nothing was checked"
    cp meshes/corner.obj .
    run 0 run changed.json --no-images --frames 2 -q -o again
    cmp made/particles_0001.vtp again/particles_0001.vtp || fail "another place of the mesh, other particles"
}

case_spheres_are_placed_and_kept_clear_of() {
    run 0 run "$root/tests/scenes/spheres.json" --no-images --frames 3 --threads 1 -q -o made
    [ -s made/mesh_spheres.ply ] || fail "no mesh_spheres.ply"
    grep -q '"inside_solids": 0, "beyond_walls": 0' made/run.json || fail "nothing was checked"
    sed 's/"spheres": 20,/"spheres": 2000,/' "$root/tests/scenes/spheres.json" >many.json
    run 2 run many.json --threads 1
    grep -q '^many.json:9:43: solids\[0\].spheres: spheres: no place for number' "$err" || fail "no place, or no reason"
}

# ------------------------------------------------------------------------------------------------------------ runs

case_surfaces_are_written_beside_the_particles() {
    changed 's/"blocks"/"surface": {"smooth": 2, "cleanup": true, "smooth_normals": 1}, "blocks"/'
    run 0 run changed.json --no-images --frames 3 -q -o made
    for frame in 0000 0001 0002; do [ -s "made/surface_$frame.vtp" ] || fail "no surface_$frame.vtp"; done
    grep -q 'file="surface_0002.vtp"' made/surface.pvd || fail "surface.pvd does not name the last surface"
    for array in normal velocity density pressure; do
        grep -q "Name=\"$array\"" made/surface_0000.vtp || fail "no $array at the vertices"
    done
    grep -q '"surface": {' made/run.json || fail "run.json does not tell how surfaces are made"
    # mote surface takes the section as its defaults.
    local points
    points=$(grep -a -o 'NumberOfPoints="[0-9]*" .*NumberOfPolys="[0-9]*"' made/surface_0002.vtp)
    mkdir after
    run 0 surface made -o after
    grep -a -q "$points" after/surface_0002.vtp || fail "other surfaces than those of the run, with $points"
    run 0 surface made -o after --smooth 0 --cell 1
    ! grep -a -q "$points" after/surface_0002.vtp || fail "options do not count for a run"
    run 0 run changed.json --no-images --frames 3 --threads 1 -q -o again
    cmp made/surface_0002.vtp again/surface_0002.vtp || fail "another number of threads, another surface"
    run 0 run changed.json --no-images --frames 2 -q --overwrite -o again
    [ ! -e again/surface_0002.vtp ] || fail "a surface of the earlier run is left"
    changed 's/"blocks"/"surface": {"cell": 5}, "blocks"/'
    refuse 'changed.json:8:25: surface.cell is 5, expected a number from 0.015625 to 4 [spacings]' scene changed.json
    changed 's/"blocks"/"surface": {"files": "stl"}, "blocks"/'
    refuse 'changed.json:8:26: surface.files is "stl", expected "none" or "vtp"' scene changed.json
}

# Fluids are told apart by colours: their own, or different ones that the picture chooses.
case_fluids_have_colors() {
    local drawn=0 fluid='"rest_density": 1000, "viscosity": 1'
    for colors in 'none,none' '[0.3; 0.55; 0.8],[0.9; 0.62; 0.2]' '[0.3; 0.55; 0.8],[0.3; 0.55; 0.8]'; do
        local first=${colors%,*} second=${colors#*,}
        printf '{"title": "Two", "dimensions": 2, "end_time": 0.01, "frames": 2, "fluids": [
            {"name": "below", %s, "color": %s}, {"name": "above", %s, "color": %s}],
            "fluid": {"spacing": 0.1, "preset": "engineering"}, "tank": {"min": [0, 0, 0], "max": [1, 0, 1]},
            "picture": {"width": 160, "height": 90, "samples": 1}, "blocks": [
            {"fluid": "below", "min": [0, 0, 0], "max": [1, 0, 0.5]},
            {"fluid": "above", "min": [0, 0, 0.5], "max": [1, 0, 1]}]}\n' "$fluid" "${first//;/,}" "$fluid" \
            "${second//;/,}" | sed 's/, "color": none//g' >two.json
        run 0 run two.json -q --overwrite -o two
        cp two/frames/0000.png "picture$((++drawn)).png"
    done
    cmp picture1.png picture2.png || fail "the colours that pictures choose are not blue and amber"
    ! cmp -s picture2.png picture3.png || fail "a fluid's colour cannot be seen"
}

# Each fluid has its surface, in files told apart at the vertices. In pictures a colour makes water opaque, and a gas is
# not drawn: its colour changes nothing.
case_fluids_have_surfaces() {
    local colored color='"color": [0.1, 0.7, 0.2],' variants='none water air'
    [ -z "${MOTE_SANITIZED-}" ] || variants=air
    for colored in $variants; do
        printf '{"title": "Three", "dimensions": 3, "end_time": 0.01, "frames": 2, "fluids": [
            {"name": "water", %s "rest_density": 1000}, {"name": "oil", "rest_density": 900},
            {"name": "air", %s "rest_density": 1}],
            "fluid": {"spacing": 0.1, "preset": "engineering"}, "tank": {"min": [0, 0, 0], "max": [1, 0.5, 1]},
            "surface": {}, "picture": {"width": 160, "height": 90, "samples": 1}, "blocks": [
            {"fluid": "water", "min": [0, 0, 0], "max": [1, 0.5, 0.4]},
            {"fluid": "oil", "min": [0, 0, 0.4], "max": [0.5, 0.5, 0.7]},
            {"fluid": "air", "min": [0.5, 0, 0.4], "max": [1, 0.5, 0.7]}]}\n' \
            "$([ $colored = water ] && echo "$color")" "$([ $colored = air ] && echo "$color")" >three.json
        # Pictures are of the start; the last run goes on.
        run 0 run three.json -q --overwrite --frames "$([ $colored = air ] && echo 2 || echo 1)" -o three
        cp three/frames/0000.png "$colored.png"
    done
    grep -q 'Name="phase"' three/surface_0000.vtp || fail "the fluids of the surface are not told apart"
    run 0 surface three --start 1 -o . --check
    for fluid in 0 1 2; do
        grep -q "surface_0001_$fluid.vtp: .*, closed" "$out" || fail "mote surface makes no mesh of fluid $fluid"
    done
    if [ "$variants" != air ]; then
        ! cmp -s none.png water.png || fail "water with a colour is clear"
        cmp none.png air.png || fail "a gas is drawn"
    fi
    sed -i 's/"surface": {}/"surface": {"cleanup": true}/' three.json
    local reason='expected false: their meshes would no longer touch'
    refuse "three.json:5:36: surface.cleanup is true with 3 fluids, $reason" scene three.json
}

# One frame drawn in each style: three different pictures, and surfaces for the pictures alone are not written.
case_pictures_have_a_style() {
    local styles='particles surface water'
    [ -z "${MOTE_SANITIZED-}" ] || styles='water'
    for style in $styles; do
        changed 's/"blocks"/"picture": {"style": "'$style'", "width": 160, "height": 90, "samples": 1}, "blocks"/'
        run 0 run changed.json --frames 1 -q -o $style
        [ -s $style/frames/0000.png ] || fail "no picture of $style"
        [ ! -e $style/surface_0000.vtp ] || fail "a surface that was not asked for"
        grep -q '"style": "'$style'"' $style/run.json || fail "run.json does not tell the style"
    done
    if [ "$styles" != water ]; then
        ! cmp -s particles/frames/0000.png surface/frames/0000.png || fail "particles look like a surface"
        ! cmp -s water/frames/0000.png surface/frames/0000.png || fail "water looks opaque"
    fi
    changed 's/"blocks"/"picture": {"style": "glass"}, "blocks"/'
    refuse 'changed.json:8:26: picture.style is "glass", expected "particles", "surface" or "water"' scene changed.json
}

case_run_writes_what_it_promises() {
    run 0 run "$scene" --no-images
    check_files out/drop 5
    [ "$(grep -c '^frame [1-5]/5 ' "$out")" -eq 5 ] || fail "not a line for each frame"
    grep -q '^  ParaView   out/drop/particles.pvd$' "$out" || fail "the ParaView file is not named"
    grep -q "$(printf '\033')" "$out" && fail "escape sequences in a pipe"
    grep -q '"status": "done"' out/drop/run.json || fail "run.json is not done"
}

# A cube of six faces with corners of their own: open, until its vertices are merged. The proxy follows.
case_scenes_weld_meshes() {
    local solid='{"name": "cube", "mesh": "cube.obj", "scale": 0.1, "translate": [0.4, 0.15, 0.1]}'
    local d=0.0005
    face() { printf "v %s\nv %s\nv %s\nv %s\nf -4 -3 -2\nf -4 -2 -1\n" "$@"; }
    { face '0 0 0' '0 1 0' '1 1 0' '1 0 0'
        face '0 0 1' '1 0 1' '1 1 1' '0 1 1'
        face '0 0 0' '1 0 0' '1 0 1' '0 0 1'
        face '0 1 0' '0 1 1' '1 1 1' '1 1 0'
        face '0 0 0' '0 0 1' '0 1 1' '0 1 0'
        face "1 $d 0" '1 1 0' '1 1 1' '1 0 1'; } >near.obj
    sed "s/$d/0/" near.obj >cube.obj
    changed "s/\"blocks\"/\"solids\": [$solid], \"blocks\"/"
    local open='8:16: solids[0] (cube): the mesh has 24 open, 0 non-manifold and 0 flipped edges, expected a closed one'
    refuse "changed.json:$open, which \"weld\": true makes of it" scene changed.json
    sed -i 's/"scale"/"weld": true, "scale"/' changed.json
    run 0 scene changed.json
    grep -q '^  weld  *true$' "$out" || fail "no word of weld"
    run 0 run changed.json --no-images --frames 2 -q -o made
    grep -q '"weld": true' made/run.json || fail "run.json does not tell"
    grep -a -q '^element vertex 8$' made/mesh_cube.ply || fail "it is not welded"
    # A tolerance in metres: of the placed mesh, a tenth of the file's.
    sed -i 's/cube.obj/near.obj/' changed.json
    run 2 scene changed.json
    grep -q 'expected a closed one$' "$err" || fail "advice that does not help"
    sed -i 's/"weld": true/"weld": 0.00004/' changed.json
    run 2 scene changed.json
    sed -i 's/"weld": 0.00004/"weld": 0.00006/' changed.json
    run 0 scene changed.json
    grep -q '^  weld  *6e-05 m$' "$out" || fail "no word of the tolerance"
    sed -i 's/"weld": 0.00006/"weld": 1/' changed.json
    refuse 'changed.json:8:61: solids[0].weld: it leaves no triangle of the mesh, expected a smaller tolerance' \
        scene changed.json
    sed -i 's/"weld": 1/"weld": "yes"/' changed.json
    refuse 'changed.json:8:61: solids[0].weld is "yes", expected true, false or a number from 0 to 1000000 [m]' \
        scene changed.json
    run 0 scene --help
    grep -q '^  weld  *true, false or a number from 0 to 1000000 \[m\]; default false$' "$out" || fail "no help"
    # Grains collide with open meshes, too: their proxies are kept apart.
    cat >grains.json <<'END'
{"end_time": 0.1, "frames": 2, "grains": {"count": 5, "min": [0, 0, 0.5], "max": [0.1, 0.1, 0.6],
 "collision": "proxy"}, "solids": [{"name": "cube", "mesh": "cube.obj", "scale": 0.1}]}
END
    rm -rf "$XDG_CACHE_HOME"
    run 0 run grains.json --no-images -q -o open
    [ "$(ls "$XDG_CACHE_HOME/mote" | wc -l)" -eq 1 ] || fail "no proxy is kept"
    sed -i 's/"scale"/"weld": true, "scale"/' grains.json
    run 0 run grains.json --no-images -q -o closed
    [ "$(ls "$XDG_CACHE_HOME/mote" | wc -l)" -eq 2 ] || fail "welded or not, the same proxy"
}

# Grains over a cut mesh, by both kinds of collision, alone and beside water.
case_grains_in_walls_are_removed() {
    cat >walls.json <<'EOF'
{"end_time": 0.05, "frames": 2,
 "solids": [{"name": "ball", "spheres": 1, "radius_min": 0.4, "radius_max": 0.4,
             "box_min": [-0.5, -0.5, -0.5], "box_max": [0.5, 0.5, 0.5]}],
 "tank": {"min": [-1, -1, -1], "max": [1, 1, 1]},
 "grains": {"count": 1000, "min": [-0.5, -0.5, -0.5], "max": [0.5, 0.5, 0.5]}}
EOF
    run 0 run walls.json --no-images -o made
    local removed
    removed=$(sed -n 's/^walls: [0-9]* grains, \([0-9]*\) grains removed, .*/\1/p' "$out")
    [ "${removed:-0}" -gt 100 ] || fail "none of a thousand starts in the ball"
    grep -q "^  at end     $((1000 - removed)) grains, " "$out" || fail "the summary has other numbers"
    grep -q "\"grains\": $((1000 - removed)), \"grains_removed\": $removed" made/run.json || fail "run.json has others"
    grep -q '^grains meet walls and solids, and pass through each other$' "$out" || fail "it does not say so"
    sed -i 's/\[0.5, 0.5, 0.5\]}}/[0.5, 0.5, 1.5]}}/' walls.json
    run 2 run walls.json --no-images -o more
    grep -q 'grains.max is \[0.5, 0.5, 1.5\], expected a box inside the tank' "$err" || fail "grains beyond a wall"
}

case_grains_fall_on_cut_meshes() {
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    local box='"min": [0.1, 0.1, 0.4], "max": [0.5, 0.3, 0.5]' solid
    solid='{"name": "corner", "mesh": "corner.obj", "scale": 0.3, "translate": [0.2, 0.1, 0.1],
            "cut_point": [0, 0, 0.15], "cut_normal": [0, 0, 1]}'
    for collision in exact proxy; do
        printf '{"end_time": 0.3, "frames": 4, "tank": {"min": [0, 0, 0], "max": [0.6, 0.4, 0.6]},
            "solids": [%s], "grains": {"count": 500, %s, "duration": 0.1, "collision": "%s"}}\n' \
            "$solid" "$box" "$collision" >$collision.json
        run 0 run $collision.json --no-images
        grep -q '^  at end     500 grains, ' "$out" || fail "the grains are not counted"
        [ "$(ls out/$collision/grains_*.vtp | wc -l)" -eq 4 ] || fail "not a file for each frame"
        [ "$(ls out/$collision/*.vtp out/$collision/*.p* | grep -c -v grains)" -eq 1 ] ||
            fail "there is no fluid, but files of its particles: $(ls out/$collision)"
        [ -s out/$collision/mesh_corner.ply ] || fail "no mesh"
        [ "$(grep -c '<DataSet' out/$collision/grains.pvd)" -eq 4 ] || fail "grains.pvd of $collision"
        grep -q '"grains": 500, "grain_bounces": [1-9]' out/$collision/run.json || fail "nothing was hit"
        for threads in 1 3; do
            run 0 run $collision.json --no-images --threads "$threads" -o "$collision$threads" -q
        done
        cmp "${collision}1/grains_0003.vtp" "${collision}3/grains_0003.vtp" || fail "threads change the grains"
    done
    cmp -s out/exact/grains_0003.vtp out/proxy/grains_0003.vtp && fail "a proxy changes nothing"
    changed "s/\"blocks\"/\"grains\": {\"count\": 50, $box}, &/"
    run 0 run changed.json --no-images --frames 2 -o both
    [ -s both/grains_0001.vtp ] && [ -s both/particles_0001.vtp ] || fail "water and grains do not go together"
    changed "s/\"blocks\"/\"grains\": {\"count\": 0, $box}, &/"
    refuse 'changed.json:8:25: grains.count is 0, expected a whole number from 1 to 100000000' run changed.json
    changed "s/\"blocks\"/\"grains\": {\"count\": 5, $box, \"collision\": \"none\"}, &/"
    run 2 run changed.json
    grep -q 'grains.collision is "none", expected' "$err" || fail "an unknown collision"
}

# What a run says of its proxy.
proxy_line() {
    grep '^proxy ' "$out"
}

# grains.json: grains over a mesh by a proxy.
grain_scene() {
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    printf '{"end_time": 0.2, "frames": 2, "tank": {"min": [0, 0, 0], "max": [0.6, 0.4, 0.6]},
        "solids": [{"name": "corner", "mesh": "corner.obj", "scale": 0.3, "translate": [%s, 0.1, 0.1]}],
        "grains": {"count": 200, "min": [0.1, 0.1, 0.4], "max": [0.5, 0.3, 0.5], "proxy_depth": %s,
            "collision": "proxy"}}\n' "$1" "$2" >grains.json
}

case_proxies_are_kept_for_later_runs() {
    local kept files
    grain_scene 0.2 6
    run 0 run grains.json --no-images -o built
    proxy_line | grep -q '^proxy built in [0-9.e-]* s$' || fail "it does not say that it built a proxy"
    files=$(ls -A "$XDG_CACHE_HOME/mote")
    [[ $files =~ ^[0-9a-f]{32}\.proxy$ ]] || fail "in the cache: $files"
    kept=$XDG_CACHE_HOME/mote/$files
    cp "$kept" first.proxy
    run 0 run grains.json --no-images -o read
    [ "$(proxy_line)" = "proxy read from $kept" ] || fail "it does not read $kept"
    cmp built/grains_0001.vtp read/grains_0001.vtp || fail "a proxy that was read moves grains otherwise"
    # Damaged, cut short, empty, none at all: built anew, and whole again.
    for damage in 'printf x | dd of=%s bs=1 seek=200 conv=notrunc status=none' 'truncate -s -8 %s' ': >%s' 'rm %s' \
        'rm %s; mkdir %s'; do
        eval "${damage//%s/\"\$kept\"}"
        run 0 run grains.json --no-images -o read --overwrite
        proxy_line | grep -q '^proxy built in ' || fail "after '$damage' it is not built"
        cmp built/grains_0001.vtp read/grains_0001.vtp || fail "after '$damage' other grains"
        [ -d "$kept" ] && continue
        cmp "$kept" first.proxy || fail "after '$damage' another file"
    done
    rmdir "$kept"
    [ "$(stat -c %a "$XDG_CACHE_HOME/mote")" = 700 ] || fail "others may look into the cache"
    [ -z "$(ls -A "$XDG_CACHE_HOME/mote")" ] || fail "something is left in the cache"
    run 0 run grains.json --no-images -o quiet -q
    [ -s "$out" ] && fail "--quiet prints"
    # Another mesh's file under this one's name, and a link to the right one, are not taken.
    grain_scene 0.23 6
    XDG_CACHE_HOME=$PWD/elsewhere run 0 run grains.json --no-images -o other -q
    mv elsewhere/mote/*.proxy foreign.proxy
    grain_scene 0.2 6
    for trick in 'cp foreign.proxy %s' 'ln -s "$PWD/first.proxy" %s' 'truncate -s 3G %s' 'mkfifo %s' \
        'cp first.proxy %s; truncate -s 3G %s'; do
        rm -f "$kept"
        eval "${trick//%s/\"\$kept\"}"
        run 0 run grains.json --no-images -o read --overwrite
        proxy_line | grep -q '^proxy built in ' || fail "after '$trick' it is not built"
        cmp built/grains_0001.vtp read/grains_0001.vtp || fail "after '$trick' other grains"
        cmp "$kept" first.proxy || fail "after '$trick' the right proxy is not kept"
    done
    # Another place of the mesh, and other parameters, have a proxy of their own.
    grain_scene 0.21 6 && run 0 run grains.json --no-images -o moved -q
    grain_scene 0.2 5 && run 0 run grains.json --no-images -o coarse -q
    [ "$(ls "$XDG_CACHE_HOME/mote" | wc -l)" -eq 3 ] || fail "not a proxy each"
    sed -i 's/"proxy"}/"exact"}/' grains.json
    run 0 run grains.json --no-images -o exact
    proxy_line && fail "an exact run speaks of a proxy"
    return 0
}

case_fields_are_kept_for_later_runs() {
    local kept files
    printf '{"end_time": 0.02, "frames": 2, "dimensions": 2, "fluid": {"spacing": 0.02, "preset": "engineering"},
        "tank": {"min": [0, 0, 0], "max": [0.6, 0, 0.6]}, "blocks": [{"min": [0, 0, 0], "max": [0.3, 0, 0.3]}],
        "solids": [{"name": "disc", "shape": "disc", "center": [0.36, 0, 0.1], "radius": 0.1, "boundary": "field"}]}
        ' >field.json
    run 0 run field.json --no-images -o built
    grep -q '^fields of solids: 0 read from the cache, 1 built$' "$out" || fail "it does not say that it built a field"
    files=$(ls -A "$XDG_CACHE_HOME/mote")
    [[ $files =~ ^[0-9a-f]{32}\.field$ ]] || fail "in the cache: $files"
    kept=$XDG_CACHE_HOME/mote/$files
    cp "$kept" first.field
    for damage in : 'printf x | dd of=%s bs=1 seek=200 conv=notrunc status=none' 'truncate -s -8 %s' ': >%s' 'rm %s' \
        'truncate -s 3G %s' 'rm %s; mkfifo %s' 'rm %s; ln -s "$PWD/first.field" %s'; do
        eval "${damage//%s/\"\$kept\"}"
        run 0 run field.json --no-images -o read --overwrite -q
        cmp built/particles_0001.vtp read/particles_0001.vtp || fail "after '$damage' other particles"
        [ -f "$kept" ] && [ ! -L "$kept" ] || fail "after '$damage' no file is kept"
        cmp "$kept" first.field || fail "after '$damage' another file"
    done
    run 0 run field.json --no-images -o read --overwrite
    grep -q '^fields of solids: 1 read from the cache, 0 built$' "$out" || fail "it does not say that it read a field"
    # A run goes on alike without the field of the cache.
    run 0 run field.json --no-images -o resumed -q
    run 0 run --resume read -q --end-time 0.04
    rm "$kept"
    run 0 run --resume resumed -q --end-time 0.04
    cmp read/particles_0002.vtp resumed/particles_0002.vtp || fail "resumed without the cache: other particles"
    run 0 run field.json --no-images -o started -q --from built --overwrite
    rm -r "$XDG_CACHE_HOME"
    run 0 run field.json --no-images -o restarted -q --from built --overwrite
    cmp started/particles_0001.vtp restarted/particles_0001.vtp || fail "from a state without the cache: others"
    return 0
}

# Names that come from files reach the terminal as text, whatever is in them, and JSON stays JSON.
case_names_cannot_drive_the_terminal() {
    local evil=$'a\e[31m\xc2\x9bb\x7f\xffc\xe2\x80\xae'
    changed 's/"blocks"/"solids": [{"name": "a", "mesh": "\\u001b[31mx.obj"}], "blocks"/'
    run 2 run changed.json
    printf 'ply\nformat ascii 1.0\nelement \e[31mRED 5\nend_header\n' >red.ply
    cat "$err" >all
    "$mote" mesh red.ply >>all 2>&1
    printf '{"end_time": \x7f}' >del.json
    "$mote" scene del.json >>all 2>&1
    "$mote" run "$evil.json" >>all 2>&1
    printf 'x,y,z\n0,0,0\n0.1,0,0\n' >"$evil.csv"
    "$mote" neighbors "$evil.csv" --radius 0.2 --lists "$evil.2.csv" >>all 2>&1 || fail "an odd name is refused"
    LC_ALL=C grep -aqP '[\x00-\x09\x0b-\x1f\x7f\xff]|\xc2[\x80-\x9f]|\xe2\x80\xae' all && fail "$(cat -v all)"
    grep -aq '\\x1b\[31mx.obj' all || fail "the mesh is not named: $(cat -v all)"
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' >"$evil.obj"
    run 0 mesh "$evil.obj" --json --no-cache
    /usr/bin/python3 -c 'import json, sys; json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))' "$out" ||
        fail "--json is no JSON"
}

# Links that somebody has laid where temporary files are written: what they lead to stays as it is.
case_no_link_is_written_through() {
    printf 'precious\n' >victim
    cp victim before
    grain_scene 0.2 6
    run 0 run grains.json --no-images -o first -q
    local kept
    kept=$(echo "$XDG_CACHE_HOME/mote/"*.proxy)
    rm "$kept"
    ln -s "$PWD/victim" "$kept.partial"
    run 0 run grains.json --no-images -o second -q
    cmp victim before || fail "the cache writes through a link"
    [ -L "$kept" ] && fail "a link is kept"
    printf 'x,y,z\n0,0,0\n0.1,0,0\n' >points.csv
    ln -s victim lists.csv.partial
    run 0 neighbors points.csv --radius 0.2 --lists lists.csv
    cmp victim before || fail "--lists writes through a link"
    ln -s ../victim second/run.json.partial
    ln -s ../victim second/grains_0000.vtp.partial
    run 0 run grains.json --no-images -o second -q --overwrite
    cmp victim before || fail "run writes through a link"
    [ -z "$(find . -name '*.partial')" ] || fail "left behind: $(find . -name '*.partial')"
    # What is no file is written to, and stays what it is.
    mkfifo pipe.csv
    timeout 20 cat pipe.csv >through &
    run 0 neighbors points.csv --radius 0.2 --lists pipe.csv
    wait
    [ -p pipe.csv ] && [ -s through ] || fail "a pipe is replaced, or nothing comes through"
}

# What another user could have written is not read: files in a folder that others may write to, or of other users.
case_caches_of_others_are_not_trusted() {
    local cache=$XDG_CACHE_HOME/mote
    grain_scene 0.2 6
    sed -i 's/"solids": \[{"name": "corner",/& "boundary": "field",/;
        s/"tank": {/"fluid": {"spacing": 0.04}, "blocks": [{"min": [0, 0, 0], "max": [0.08, 0.4, 0.2]}], &/
        s/"end_time": 0.2/"end_time": 0.002/' grains.json
    run 0 run grains.json --no-images -o made
    chmod g+w "$cache"
    run 0 run grains.json --no-images -o made --overwrite
    is_all_built || fail "a folder is trusted that others may write to"
    chmod g-w "$cache"
    mv "$cache" elsewhere && ln -s "$PWD/elsewhere" "$cache"
    run 0 run grains.json --no-images -o made --overwrite
    is_all_built || fail "a link to a folder is trusted"
    rm "$cache" && mv elsewhere "$cache"
    run 0 run grains.json --no-images -o made --overwrite
    is_all_built && fail "one's own folder is not read"
    [ "$(id -u)" -eq 0 ] || return 0
    chown 12345 "$cache"/*  # only root gives files away
    run 0 run grains.json --no-images -o made --overwrite
    is_all_built || fail "files of another user are read"
    chown 12345 "$cache"/* "$cache"
    run 0 run grains.json --no-images -o made --overwrite
    is_all_built || fail "a folder of another user is read"
}

is_all_built() {
    proxy_line | grep -q '^proxy built in ' && grep -q '^fields of solids: 0 read from the cache, 1 built$' "$out"
}

case_a_cache_that_cannot_be_had_is_no_failure() {
    grain_scene 0.2 6
    printf 'a file\n' >file
    for cache in "$PWD/file" /dev/null; do
        XDG_CACHE_HOME=$cache run 0 run grains.json --no-images -o made --overwrite
        proxy_line | grep -q '^proxy built in ' || fail "no proxy without a cache in $cache"
        [ -s "$err" ] && fail "it complains of $cache"
    done
    if [ "$(id -u)" -ne 0 ]; then
        mkdir -m 555 closed
        XDG_CACHE_HOME=$PWD/closed run 0 run grains.json --no-images -o made --overwrite
        [ -s "$err" ] && fail "it complains of a folder that it may not write to"
        rmdir closed
    fi
    # Without XDG_CACHE_HOME, or with a relative one, it is HOME's; without HOME there is none.
    (unset XDG_CACHE_HOME && HOME=$PWD/house run 0 run grains.json --no-images -o made --overwrite) || exit 1
    ls house/.cache/mote/*.proxy >"$err" || fail "nothing is kept in HOME"
    (XDG_CACHE_HOME=here HOME=$PWD/house run 0 run grains.json --no-images -o made --overwrite) || exit 1
    proxy_line | grep -q '^proxy read from .*/house/.cache/mote/' || fail "a relative folder is taken"
    for setting in 'unset HOME' 'HOME='; do
        (unset XDG_CACHE_HOME && eval "$setting" && run 0 run grains.json --no-images -o made --overwrite) || exit 1
        proxy_line | grep -q '^proxy built in ' || fail "no proxy after $setting"
        [ -s "$err" ] && fail "it complains after $setting"
    done
    [ "$(LC_ALL=C ls -A | tr '\n' ' ')" = 'corner.obj file grains.json house made ' ] || fail "other files: $(ls -A)"
}

case_frames_are_exact() {
    for count in 1 2 7; do
        run 0 run "$scene" --no-images --frames "$count" -o "n$count" -q
        check_files "n$count" "$count"
        [ "$(grep -c '<DataSet' "n$count/particles.pvd")" -eq "$count" ] || fail "particles.pvd of $count frames"
        [ "$(grep -c '{"frame": ' "n$count/run.json")" -eq "$count" ] || fail "run.json of $count frames"
    done
}

case_a_shortened_run_is_the_beginning_of_the_whole() {
    run 0 run "$scene" --no-images -o whole -q
    run 0 run "$scene" --no-images --frames 3 -o part -q
    for file in particles_0000.vtp particles_0001.vtp particles_0002.vtp boundary.vtp; do
        cmp "whole/$file" "part/$file" || fail "$file differs"
    done
}

case_threads_change_no_byte() {
    for threads in 1 2 5; do run 0 run "$scene" --no-images --frames 3 --threads "$threads" -o "t$threads" -q; done
    for file in particles_0000.vtp particles_0001.vtp particles_0002.vtp particles.pvd boundary.vtp; do
        cmp "t1/$file" "t2/$file" && cmp "t1/$file" "t5/$file" || fail "$file depends on the number of threads"
    done
    for threads in 1 2 5; do sed '/"summary"/d' "t$threads/run.json" >"t$threads.json"; done
    cmp t1.json t2.json && cmp t1.json t5.json || fail "run.json depends on the number of threads"
}

case_a_folder_with_content_is_refused() {
    mkdir empty full
    touch full/precious full/particles_0009.vtp full/0042.png full/particles_x.vtp full/drop.mp4
    mkdir full/frames
    touch full/frames/0099.png full/frames/mine.png full/2024.png
    run 0 run "$scene" --no-images --frames 1 -o empty/ -q
    refuse 'full: the folder is not empty, expected an empty or a new one, or --overwrite' run "$scene" -o full
    refuse 'full/precious: cannot be written to: it is a file, expected a folder' run "$scene" -o full/precious
    [ -e full/particles_0009.vtp ] || fail "a refused run removed something"
    run 0 run "$scene" --no-images --frames 1 -o full --overwrite -q
    for file in precious particles_0009.vtp particles_x.vtp 2024.png 0042.png frames/mine.png frames/0099.png drop.mp4
    do
        [ -e "full/$file" ] || fail "$file is gone"
    done
    [ -e full/particles_0000.vtp ] || fail "nothing was written"
}

# What run.json lists goes, with what a killed run has left of it; all else stays.
case_overwrite_removes_an_earlier_run_alone() {
    sed "$small" "$scene" >drop.json
    run 0 run drop.json --frames 4 -o made -q
    touch made/particles_0002.vtp.partial made/particles_0004.vtp made/frames/0004.png made/mesh_dragon.ply
    run 0 run "$scene" --no-images --frames 2 -o made -q --overwrite
    for file in particles_0002.vtp particles_0003.vtp particles_0002.vtp.partial frames/0003.png drop.mp4; do
        [ -e "made/$file" ] && fail "$file is stale"
    done
    for file in particles_0004.vtp frames/0004.png mesh_dragon.ply; do
        [ -e "made/$file" ] || fail "$file, which no run made, is gone"
    done
    # What would be written over and is not of an earlier run is somebody's: nothing is written, nothing removed.
    ls -l made >before
    refuse "made/particles_0004.vtp: would be written over, but was not made by the run that run.json there tells of" \
        run "$scene" --no-images -o made --overwrite
    ls -l made | diff before - || fail "a refused run changed something"
    # The run's own input.
    cp "$scene" made/run2.json
    changed 's/"blocks"/"solids": [{"name": "dragon", "mesh": "made\/mesh_dragon.ply"}], "blocks"/'
    printf '%s\n' ply 'format ascii 1.0' 'element vertex 4' 'property float x' 'property float y' 'property float z' \
        'element face 4' 'property list uchar int vertex_indices' end_header '0.5 0.5 0.5' '0.7 0.5 0.5' '0.5 0.7 0.5' \
        '0.5 0.5 0.7' '3 0 2 1' '3 0 1 3' '3 0 3 2' '3 1 2 3' >made/mesh_dragon.ply
    cp made/mesh_dragon.ply before
    refuse "made/mesh_dragon.ply: would be written over, but is an input of this run" \
        run changed.json --no-images --frames 2 -o made --overwrite
    cmp before made/mesh_dragon.ply || fail "the input has changed"
}

# A run.json may lie: only plain names of regular files in the folder and its frames/ are removed, through no link.
case_a_lying_report_removes_nothing_else() {
    mkdir -p made/deep photos
    touch victim made/deep/file photos/0000.png photos/0001.png
    ln -s ../victim made/particles_0007.vtp
    printf '{"files": [%s"run.json", "../victim", "%s/victim", "deep/file", "", ".", "..", "deep", "particles_0007.vtp",
        ["frames/../../vic", 1, "tim"], ["frames/", 2, ".png"], ["x", 1e99, ""], ["y", -5, ""], 7, null, {}]}\n' \
        "$(printf '"mesh_%d.ply", ' {1..100})" "$PWD" >made/run.json
    touch made/mesh_100.ply
    run 0 run "$scene" --no-images --frames 1 -o made -q --overwrite
    [ -e made/mesh_100.ply ] && fail "a name far down in the list is not read"
    [ -e victim ] && [ -e made/deep/file ] && [ -L made/particles_0007.vtp ] || fail "a lie was believed"
    ln -s ../photos made/frames
    for options in --no-images ''; do
        # shellcheck disable=SC2086
        refuse 'made/frames: is a link or a file, expected a folder or nothing' \
            run "$scene" $options --frames 1 -o made --overwrite
    done
    [ "$(ls photos | wc -l)" -eq 2 ] || fail "photos behind a link are gone"
    rm made/frames
    printf '{"files": [' >made/run.json
    refuse "made/run.json: would be written over, but was not made by the run that run.json there tells of" \
        run "$scene" --no-images --frames 1 -o made --overwrite
}

# Of two runs started at once into one folder one is refused; so is one that would overwrite a run that goes on.
case_two_runs_never_share_a_folder() {
    local child status
    mkdir empty
    for folder in new/deep empty; do
        "$mote" run "$scene" --no-images -q -o "$folder" 2>"$err" &
        child=$!
        "$mote" run "$scene" --no-images -q -o "$folder" 2>"$err.2"
        status=$?
        wait $child
        status=$status,$?
        [ $status = 0,2 ] || [ $status = 2,0 ] || fail "two runs into $folder exit with $status"
        [ "$(cat "$err" "$err.2" | wc -l)" -eq 1 ] || fail "not one line about it"
        check_files "$folder" 5
    done
    changed 's/"end_time": 0.2/"end_time": 400/; s/"frames": 5/"frames": 10001/'
    "$mote" run changed.json --no-images -q -o long 2>"$err.2" &
    child=$!
    wait_for long/particles_0002.vtp
    refuse 'long: another mote is writing to this folder, expected one that nobody else writes to' \
        run "$scene" --no-images -o long --overwrite
    kill -KILL $child
    wait $child 2>"$err.2"
    run 0 run "$scene" --no-images -q -o long --overwrite
    check_files long 5
}

# Settings of pictures that do not go together, or a font that is not there: told before anything is removed or made,
# with their place in the scene.
case_bad_pictures_are_refused_and_nothing_is_written() {
    changed 's/"tank"/"picture": {"speed_min": 5, "speed_max": 1}, "tank"/'
    mkdir old
    touch old/run.json
    local line='changed.json:7:46: picture: speed_max is 1, expected above speed_min (5)'
    refuse "$line" run changed.json --frames 1 -o old --overwrite
    refuse "$line" run changed.json --frames 1 -o old --overwrite --no-images
    refuse "$line" scene changed.json
    [ "$(ls -A old)" = run.json ] || fail "something was removed or made"
    changed 's/"tank"/"picture": {"font": "nowhere.ttf"}, "tank"/'
    refuse 'changed.json:7:25: picture: font is "nowhere.ttf", expected a TrueType file that can be read' \
        run changed.json --frames 1
    [ "$(ls -A)" = "$(printf 'changed.json\nold')" ] || fail "something was written"
}

# Memory that is not granted: a line on standard error whatever it was wanted for, and no more than that happens.
case_memory_that_runs_out_is_told() {
    # Sanitizers lay claim to more than all of this for themselves.
    (ulimit -v 60000 && "$mote" --version >"$out" 2>"$err") || exit 77
    local status=1
    changed 's/"spacing": 0.05/"spacing": 0.015/'
    for ((kilobytes = 6000; kilobytes <= 60000 && status > 0; kilobytes += kilobytes / 12)); do
        (ulimit -v $kilobytes && exec "$mote" run changed.json --no-images --frames 1 --threads 1 -q -o v) \
            >"$out" 2>"$err"
        status=$?
        [ $status -le 127 ] || fail "exits with $status, given $kilobytes kB"
        [ $status -eq 0 ] || [ -s "$err" ] || fail "not a word, given $kilobytes kB"
        ls -A v 2>/dev/null | grep partial && fail "half a file is left, given $kilobytes kB"
        rm -rf v
    done
    [ $status -eq 0 ] || fail "60 MB are not enough"
}

case_output_that_is_lost_is_told() {
    [ -w /dev/full ] || exit 77
    "$mote" scene "$scene" >/dev/full 2>"$err"
    [ $? -eq 1 ] || fail "not 1"
    [ "$(cat "$err")" = 'mote: standard output cannot be written' ] || fail "it does not say so"
}

# A stream that the caller closed is not taken for the next file that is opened.
case_closed_streams_spoil_no_file() {
    run 0 run "$scene" --no-images --frames 2 -o good -q
    "$mote" run "$scene" --no-images --frames 2 -o no_out >&- 2>"$err" <&-
    [ $? -eq 1 ] || fail "not 1"
    [ "$(cat "$err")" = 'mote: standard output cannot be written' ] || fail "it does not say so"
    "$mote" run "$scene" --no-images --frames 2 -o no_err -q >&- 2>&- <&- || fail "a quiet run needs no streams"
    for file in boundary.vtp particles.pvd particles_0000.vtp particles_0001.vtp; do
        cmp good/$file no_out/$file && cmp good/$file no_err/$file || fail "$file differs"
    done
}

# mote run | head: quietly, with whole frames only.
case_readers_may_leave() {
    changed 's/"end_time": 0.2/"end_time": 400/; s/"frames": 5/"frames": 10001/'
    { "$mote" run changed.json --no-images -o long 2>"$err"; echo $? >status; } | head -n 3 >"$out"
    [ "$(cat status)" -eq 141 ] || fail "exits with $(cat status), expected 141"
    [ -s "$err" ] && fail "it complains"
    [ "$(wc -l <"$out")" -eq 3 ] || fail "three lines were asked for"
    local frames
    frames=$(ls long | grep -c '^particles_....\.vtp')
    check_files long "$frames"
    [ "$(grep -c '<DataSet' long/particles.pvd)" -eq "$frames" ] || fail "particles.pvd has other frames"
    grep -q '"message": "interrupted by SIGPIPE' long/run.json || fail "run.json does not say so"
    { "$mote" scene "$scene" 2>"$err"; } | true
    [ -s "$err" ] && fail "mote scene complains"
    return 0
}

case_one_is_no_plural() {
    run 0 run "$scene" --no-images --frames 1
    grep -q ': 1 frame, ' "$out" || fail "1 frame"
}

case_quiet_prints_nothing() {
    run 0 run "$scene" --no-images --frames 2 --quiet
    [ -s "$out" ] || [ -s "$err" ] && fail "something was printed"
    return 0
}

case_pictures_and_a_video_are_made() {
    changed 's/"tank"/"picture": {"width": 161, "height": 91}, "tank"/'
    run 0 run changed.json --frames 3 -o made
    if grep -q '^note: no pictures: ' "$out"; then
        check_files made 3
        exit 77
    fi
    [ "$(ls made/frames | tr '\n' ' ')" = '0000.png 0001.png 0002.png ' ] || fail "files in made/frames"
    command -v ffmpeg >/dev/null || exit 77
    [ -s made/changed.mp4 ] || fail "no video"
    ls -A made made/frames | grep partial && fail "something is left behind"
    return 0
}

# A small picture, for tests that look at it.
small='s/"tank"/"picture": {"width": 161, "height": 91}, "tank"/'

# video_is CHANGES SPEED RATE: what run.json says of the video of a scene that is changed so.
video_is() {
    changed "$1"
    run 0 run changed.json --no-images --frames 1 -o video --overwrite
    grep -q "\"video_speed\": $2, \"video_frame_rate\": $3}" video/run.json || fail "expected $2 and $3 after $1"
}

case_videos_run_in_real_time() {
    video_is 's/"end_time": 0.2/"end_time": 0.4/; s/"frames": 5/"frames": 21/' 1 50
    video_is 's/"frames": 5/"frames": 5, "video_speed": 0.25/' 0.25 5
    video_is 's/"frames": 5/"frames": 5, "frame_rate": 10/' 0.5 10
    video_is 's/"frames": 5/"frames": 5, "video_speed": 2, "frame_rate": 30/' 2 30
    video_is 's/"end_time": 0.2/"end_time": 0.5/; s/"frames": 5/"frames": 101/' 0.3 60
    run 0 scene changed.json
    grep -q 'video  *0.3 × real time, 60 frames/s (slow motion' "$out" || fail "mote scene does not say so"
    changed 's/"frames": 5/"frames": 5, "video_speed": 0/'
    run 2 run changed.json
    grep -q 'video_speed is 0, expected a number above 0' "$err" || fail "speed 0"

    changed 's/"end_time": 0.2/"end_time": 0.1/; s/"frames": 5/"frames": 101/;'"$small"
    run 0 run changed.json --frames 6 -o made
    grep -q '^note: no pictures: ' "$out" && exit 77
    grep -q '^video in slow motion, 0.06 × real time: ' "$out" || fail "slow motion is not said"
    command -v ffprobe >/dev/null || exit 77
    [ "$(ffprobe -v error -show_entries stream=r_frame_rate,nb_frames -of csv=p=0 made/changed.mp4)" = '60/1,6' ] ||
        fail "not six frames, 60 in a second"
}

# What ended before its time has a video of the frames that there are, all whole.
case_interrupted_runs_have_a_video() {
    command -v ffprobe >/dev/null || exit 77
    changed 's/"end_time": 0.2/"end_time": 40/; s/"frames": 5/"frames": 2001/;'"$small"
    "$mote" run changed.json -o long >"$out" 2>"$err" </dev/null &
    local child=$! frames
    wait_for long/particles_0003.vtp
    grep -q '^note: no pictures: ' "$out" && kill $child && exit 77
    kill -INT $child
    wait $child
    [ $? -eq 130 ] || fail "another status"
    grep -q '^making a video of them' "$out" || fail "it does not say what it does"
    frames=$(ls long/frames | wc -l)
    [ "$(ffprobe -v error -show_entries stream=nb_frames -of csv=p=0 long/changed.mp4)" = "$frames" ] ||
        fail "not a video of $frames frames"
    ls -A long long/frames | grep partial && fail "something is left behind"

    changed 's/"end_time": 0.2/"end_time": 1/; s/"frames": 5/"frames": 101/; s/"spacing": 0.05/&, "sound_speed": 3/;
        '"$small"
    run 1 run changed.json -o up
    frames=$(ls up/frames | wc -l)
    [ "$frames" -ge 2 ] || fail "it blew up too early for a video"
    [ "$(ffprobe -v error -show_entries stream=nb_frames -of csv=p=0 up/changed.mp4)" = "$frames" ] ||
        fail "not a video of $frames frames"
    grep -q "; $frames frames were written until then" "$err" || fail "the frames are not told"
}

# in_view FOLDER: every particle of every frame is in its picture.
in_view() {
    if grep -q '^note: no pictures: ' "$out"; then exit 77; fi
    /usr/bin/python3 "$root/tests/support/in_view.py" "$1" >"$out" 2>"$err"
    local status=$?
    [ "$status" -eq 77 ] && exit 77
    [ "$status" -eq 0 ] || fail "something is not in the pictures of $1"
}

# Water that is thrown and falls, and grains that a mesh throws off: nothing holds them.
case_nothing_leaves_the_picture_without_a_tank() {
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    local size='"picture": {"width": 160, "height": 90}'
    local solid='"solids": [{"name": "corner", "mesh": "corner.obj", "scale": 0.3, "translate": [0.2, 0.1, 0]}]'
    printf '{"end_time": 0.9, "frames": 10, "fluid": {"spacing": 0.06, "sound_speed": 20}, %s, %s,
        "blocks": [{"min": [0, 0, 0.5], "max": [0.6, 0.5, 0.9], "velocity": [2, -1, 1]}]}\n' \
        "$size" "$solid" >water.json
    printf '{"end_time": 0.9, "frames": 10, %s, %s, "grains": {"count": 300, "min": [0.2, 0.1, 0.6],
        "max": [0.5, 0.4, 0.7], "duration": 0.2, "restitution": 0.8}}\n' "$size" "$solid" >grains.json
    printf '{"end_time": 0.5, "frames": 6, %s, "grains": {"count": 9, "min": [1, 2, 3], "max": [1, 2, 3]}}\n' \
        "$size" >spout.json
    local names='water grains spout'
    [ -z "${MOTE_SANITIZED-}" ] || names=water
    for name in $names; do
        run 0 run $name.json --threads 1
        in_view out/$name
        "$mote" run $name.json --threads 3 -q -o again_$name || fail "with 3 threads"
        for file in out/$name/frames/*.png; do
            cmp "$file" "again_$name/frames/${file##*/}" || fail "threads change the pictures"
        done
    done
    # A camera of the scene's own stands where it is told.
    sed 's/"width"/"eye": [2, -4, 1], &/' water.json >own.json
    run 0 run own.json -q
    [ "$(grep -c '"momentum".*"eye": \[2, -4, 1\]' out/own/run.json)" -eq 10 ] || fail "the camera moves"
}

# What solids look like is read, refused where it is wrong, drawn, and changes nothing else.
case_solids_look_as_they_are_told() {
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    local solid='"solids": [{"name": "corner", "mesh": "corner.obj", "scale": 0.2, "translate": [0.35, 0.1, 0]'
    local size='"picture": {"width": 160, "height": 90}'
    local looks=('' ', "opacity": 0.4' ', "opacity": 0' ', "visible": false' ', "color": [0.2, 0.9, 0.3]'
        ', "crease_angle": 180')
    # Sanitizers see what draws each look; that each can be seen by itself is for others.
    [ -z "${MOTE_SANITIZED-}" ] ||
        looks=('' ', "opacity": 0.4, "color": [0.2, 0.9, 0.3], "crease_angle": 180' ', "opacity": 0')
    for k in "${!looks[@]}"; do
        changed "s/\"blocks\"/$size, $solid${looks[$k]}}], &/"
        run 0 run changed.json --frames 3 -o "made$k"
        if grep -q '^note: no pictures: ' "$out"; then exit 77; fi
        cmp "made$k/particles_0002.vtp" made0/particles_0002.vtp || fail "${looks[$k]} changes the particles"
        cmp -s "made$k/mesh_corner.ply" made0/mesh_corner.ply || fail "${looks[$k]} changes the mesh"
    done
    for k in 1 2 4 5; do
        [ -n "${looks[$k]-}" ] || continue
        cmp -s "made$k/frames/0002.png" made0/frames/0002.png && fail "${looks[$k]} cannot be seen"
    done
    [ -n "${MOTE_SANITIZED-}" ] || cmp made2/frames/0002.png made3/frames/0002.png ||
        fail "opacity 0 and invisible differ"
    cmp -s made1/frames/0002.png made2/frames/0002.png && fail "glass cannot be seen"
    run 0 scene --help
    for field in color opacity crease_angle visible; do
        grep -q "^  $field " "$out" || fail "scene --help does not name $field"
    done
    changed "s/\"blocks\"/$solid, \"opacity\": 2}], &/"
    refuse 'changed.json:8:111: solids[0].opacity is 2, expected a number from 0 to 1' run changed.json
}

case_without_a_display_driver_the_run_goes_on() {
    # No EGL vendor at all: the loader of libglvnd finds none.
    export __EGL_VENDOR_LIBRARY_FILENAMES=/dev/null EGL_PLATFORM=surfaceless
    run 0 run "$scene" --frames 1 -o made
    [ "$(grep -c '^note: no pictures: ' "$out")" -eq 1 ] || fail "no note about it"
    [ -e made/particles_0000.vtp ] || fail "no particles"
}

# On a terminal: the line that keeps changing; colours unless NO_COLOR is set.
case_terminals_are_honoured() {
    command -v script >/dev/null || exit 77
    # Where there are no pseudo-terminals (a bare chroot), there is nothing to look at.
    script -qec true /dev/null >/dev/null 2>&1 </dev/null || exit 77
    local colour
    colour=$(printf '\033[1m')
    TERM=xterm script -qec "'$mote' run '$scene' --no-images -o a" /dev/null >"$out" </dev/null
    grep -q -F "$colour" "$out" || fail "no colours on a terminal"
    grep -q "$(printf '\r')" "$out" || fail "no line that changes"
    NO_COLOR=1 TERM=xterm script -qec "'$mote' run '$scene' --no-images -o b" /dev/null >"$out" </dev/null
    grep -q -F "$colour" "$out" && fail "colours in spite of NO_COLOR"
    grep -q 'ParaView' "$out" || fail "no summary"
}

interrupt() {
    local signal=$1 expected=$2 status frames
    changed 's/"end_time": 0.2/"end_time": 400/; s/"frames": 5/"frames": 10001/'
    "$mote" run changed.json --no-images -o long >"$out" 2>"$err" </dev/null &
    local child=$!
    wait_for long/particles_0002.vtp
    kill "-$signal" "$child"
    wait "$child"
    status=$?
    [ "$status" -eq "$expected" ] || fail "exits with $status, expected $expected"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "not one line about it"
    ls -A long | grep partial && fail "half a file is left"
    frames=$(ls long | grep -c '^particles_....\.vtp')
    check_files long "$frames"
    [ "$(grep -c '<DataSet' long/particles.pvd)" -eq "$frames" ] || fail "particles.pvd has other frames"
    grep -q '"status": "interrupted"' long/run.json || fail "run.json does not say so"
    python3 -m json.tool long/run.json >/dev/null 2>&1 || ! command -v python3 >/dev/null || fail "run.json is broken"
}

case_sigint_leaves_whole_frames() {
    interrupt INT 130
}

case_sigterm_leaves_whole_frames() {
    interrupt TERM 143
}

case_sighup_leaves_whole_frames() {
    interrupt HUP 129
}

# A limit on the size of files, and a disk that is full: whole frames, no half ones, and a run.json that says so.
case_a_full_disk_leaves_whole_frames() {
    local status
    (ulimit -f 4 && exec "$mote" run "$scene" --no-images -q -o limited) >"$out" 2>"$err" </dev/null
    status=$?
    [ $status -eq 1 ] || fail "exits with $status where files may not grow"
    grep -q 'cannot be written: .*File too large' "$err" || fail "no cause"
    [ -z "$(find limited -name '*.partial')" ] || fail "half a file is left"
    [ ! -e limited/run.json ] || ! grep -q '"status": "running"' limited/run.json || fail "run.json says it is running"

    mkdir disk
    mount -t tmpfs -o size=64k none disk 2>/dev/null || exit 77
    "$mote" run "$scene" --no-images -q --frames 200 -o disk/made >"$out" 2>"$err" </dev/null
    status=$?
    ls -A disk/made >files
    cp disk/made/run.json disk/made/particles.pvd . 2>>"$err"
    umount disk
    [ $status -eq 1 ] || fail "exits with $status on a full disk"
    grep -q 'No space left on device' "$err" || fail "no cause"
    grep -q partial files && fail "half a file is left"
    grep -q '"status": "failed"' run.json || fail "run.json does not say so"
    for named in $(grep -o 'particles_[0-9]*\.vtp' particles.pvd); do
        grep -qx "$named" files || fail "particles.pvd names $named, which is not there"
    done
}

# same_run A B: two folders hold the same bytes, but for the times in run.json, and for what is saved.
same_run() {
    diff <(ls -A "$1") <(ls -A "$2") || fail "other files in $2 than in $1"
    diff -r -x run.json -x 'checkpoint_*' "$1" "$2" >"$out" || fail "$2 differs from $1"
    local times='s/"(wall_seconds|solver_seconds|particle_steps_per_second|search_share)": [0-9.e+-]*//g'
    diff <(sed -E "$times" "$1/run.json") <(sed -E "$times" "$2/run.json") >"$out" || fail "other numbers in $2"
}

# Killed at any moment, and in runs that go on as well, with other numbers of threads: the end is the same. Every other
# run is saved after each step, so that most kills come while a checkpoint is written.
case_killed_runs_are_resumed() {
    local rounds=2 round child
    [ -z "${MOTE_LONG_TESTS-}" ] || rounds=50
    changed 's/"spacing": 0.05/"spacing": 0.03/; s/"frames": 5/"frames": 21, "checkpoints": {"frames": 5}/'
    mv changed.json saved_0.json
    sed 's/{"frames": 5}/{"minutes": 1e-9}/' saved_0.json >saved_1.json
    run 0 run saved_0.json --no-images -q -o whole_0
    run 0 run saved_1.json --no-images -q -o whole_1
    for ((round = 0; round < rounds; ++round)); do
        rm -rf killed
        "$mote" run saved_$((round % 2)).json --no-images -q -o killed 2>"$err" &
        child=$!
        wait_for killed/checkpoint_0000.bin
        for ((n = 0; n < 3; ++n)); do
            sleep "0.0$((RANDOM % 90 + 10))"
            kill -KILL $child 2>"$err"
            wait $child 2>"$err"
            "$mote" run --resume killed -q --threads $((n % 2 + 1)) 2>"$err" &
            child=$!
        done
        wait $child || fail "it cannot be resumed in round $round"
        same_run whole_$((round % 2)) killed
    done
}

# With pictures, whose camera widens as water splashes.
case_terminated_runs_are_resumed() {
    local child spacing=0.02
    [ -z "${MOTE_SANITIZED-}" ] || spacing=0.03
    changed "s/\"spacing\": 0.05/\"spacing\": $spacing/; s/\"frames\": 5/\"frames\": 9/;$small"
    run 0 run changed.json -q -o whole
    "$mote" run changed.json -q -o ended 2>"$err" &
    child=$!
    wait_for ended/particles_0002.vtp
    kill -TERM $child
    wait $child
    [ $? -eq 143 ] || fail "not ended by SIGTERM"
    grep -q '; --resume goes on' "$err" || fail "it does not say that it can be resumed"
    mkdir elsewhere
    (cd elsewhere && run 0 run --resume ../ended -q) || exit 1
    same_run whole ended
}

case_checkpoints_of_another_scene_are_refused() {
    changed 's/"spacing": 0.05/"spacing": 0.06/'
    run 0 run "$scene" --no-images -q -o one --frames 2
    run 0 run changed.json --no-images -q -o other --frames 2
    cp one/checkpoint_*.bin other
    cp -r other before
    local line='other: its checkpoints are of another scene than its run.json, expected those of this run; --from'
    refuse "$line starts a scene from the state of another" run --resume other -q --frames 3
    diff -r before other >/dev/null || fail "the folder was changed"
}

case_ended_runs_are_prolonged() {
    run 0 run "$scene" --no-images -q -o whole
    run 0 run "$scene" --no-images -q -o longer --frames 2
    run 0 run --resume longer -q --end-time 0.1
    check_files longer 3
    run 0 run --resume longer -q --frames 5
    same_run whole longer
    run 0 run "$scene" --no-images -q -o timed --end-time 0.2
    same_run whole timed
    run 0 run --resume longer -q
    same_run whole longer
}

# Every preset in 2D and 3D, in a tank and in a box that repeats itself, with and without gauges: all files are the same
# after a run was resumed, with another number of threads.
case_all_presets_are_resumed() {
    local side box name seed=$RANDOM
    changed 's/"end_time": 0.2/"end_time": 0.04/'
    mv changed.json base.json
    for preset in fast document engineering; do
        for dimensions in 2 3; do
            for side in tank periodic; do
                [ "$preset $side" != "fast periodic" ] && [ "$preset $side" != "document periodic" ] || continue
                box=
                [ $side = tank ] || box='"periodic": {"min": [0, 0, 0], "max": [0.6, 0.4, 0.6], "x": true},'
                for measured in '' "$gauges"; do
                    name=$preset-$dimensions-$side-${#measured}
                    sed 's/"spacing": 0.05/&, "preset": "'$preset'"/; s/"end_time"/"dimensions": '$dimensions', &/
                        s/"tank"/'"$box$measured"' &/' base.json >own.json
                    [ $side = tank ] || sed -i 's/"tank": {/&"open_x_min": true, "open_x_max": true, /' own.json
                    [ $preset != engineering ] ||
                        sed -i 's/"tank": {/&"velocity_z_min": ["sin(20*t)", 0, 0], /' own.json
                    run 0 run own.json --no-images -q --threads 1 -o whole
                    run 0 run own.json --no-images -q --threads 2 -o part --frames $(((seed + ${#name}) % 3 + 2))
                    run 0 run --resume part -q --frames 5 --threads 2
                    same_run whole part
                    rm -rf whole part
                done
            done
        done
    done
}

# A checkpoint that is damaged gives way to the one before it.
case_damaged_checkpoints_are_noticed() {
    changed 's/"frames": 5/"frames": 5, "checkpoints": {"frames": 1}/'
    run 0 run changed.json --no-images -q -o whole
    local size step at
    for name in checkpoint_0000.bin checkpoint_0001.bin; do
        size=$(stat -c %s whole/$name)
        step=$((size / 4))
        for ((k = 0; k < 4; ++k)); do
            at=$((k * step + (k > 0 ? (RANDOM * 32768 + RANDOM) % step : 0)))
            echo "$name, byte $at" >"$out"
            rm -rf cut && cp -r whole cut && truncate -s $at cut/$name
            run 0 run --resume cut -q
            same_run whole cut
            rm -rf bent && cp -r whole bent
            printf '\x5a\xa5' | dd of=bent/$name bs=1 seek=$at conv=notrunc 2>"$err"
            run 0 run --resume bent -q
            same_run whole bent
        done
    done
    truncate -s 1000 cut/checkpoint_000?.bin
    cp -r cut before
    refuse 'cut/checkpoint_0000.bin: it is damaged or cut short, expected a checkpoint of mote run' run --resume cut
    diff -r before cut || fail "something was changed"
    # The first byte is the form's number.
    for name in 0 1; do printf 1 | dd of=whole/checkpoint_000$name.bin bs=1 seek=2 conv=notrunc 2>"$err"; done
    refuse 'whole/checkpoint_0000.bin: it has the form of another version of mote, expected a checkpoint of mote run' \
        run --resume whole
}

# A state that cannot be written is told once, the run goes on, and the last whole state is kept.
case_checkpoints_that_cannot_be_written_are_told() {
    changed 's/"spacing": 0.05/"spacing": 0.03/; s/"frames": 5/"frames": 9, "checkpoints": {"frames": 1}/'
    run 0 run changed.json --no-images -q -o whole
    run 0 run changed.json --no-images -q -o made --frames 3
    cp made/checkpoint_000?.bin .
    (ulimit -f 90 && trap '' XFSZ && exec "$mote" run --resume made -q --frames 7) >"$out" 2>"$err" </dev/null ||
        fail "the run does not go on"
    [ "$(cat "$err")" = 'mote run: made: a checkpoint cannot be written: File too large; the run goes on' ] ||
        fail "not told, or not in one line"
    for name in 0 1; do cmp checkpoint_000$name.bin made/checkpoint_000$name.bin || fail "the state is lost"; done
    [ -z "$(find made -name '*.partial')" ] || fail "half a file is left"
    run 0 run --resume made -q --frames 9
    same_run whole made
}

# The folder is taken away while a run writes to it.
case_a_folder_that_goes_away_is_told() {
    local child
    changed 's/"end_time": 0.2/"end_time": 4/; s/"frames": 5/"frames": 10001/'
    "$mote" run changed.json --no-images -q -o made >"$out" 2>"$err" &
    child=$!
    wait_for made/particles_0003.vtp
    mv made elsewhere
    wait $child
    [ $? -eq 1 ] || fail "another status"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "not one line"
    grep -q '^changed.json: .*made/.* cannot be [a-z]*: ' "$err" || fail "no cause"
    run 0 run --resume elsewhere -q --frames 30
}

case_what_cannot_be_resumed_is_refused() {
    cp "$root/tests/scenes/drop.json" own.json
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n' >corner.obj
    sed -i 's/"tank"/"solids": [{"name": "c", "mesh": "corner.obj", "scale": 0.1, "translate": [0.4, 0.2, 0.1]}], &/' \
        own.json
    run 0 run own.json --no-images -q -o made --frames 3
    refuse 'nowhere/checkpoint_0000.bin: No such file or directory, expected a checkpoint of mote run' \
        run --resume nowhere
    refuse 'mote run: --resume made goes on with the scene in that folder, expected no SCENE: own.json; --from '\
'made starts it from that state' \
        run own.json --resume made
    refuse 'mote run: expected --resume or --from, not both' run --resume made --from made
    refuse 'mote run: --resume made goes on in that folder, expected no --output or --overwrite' \
        run --resume made -o other
    refuse 'mote run: expected --frames or --end-time, not both' run --resume made --frames 4 --end-time 1
    refuse 'mote run: --end-time is soon, expected seconds, at most a million frames of 0.05 s' \
        run --resume made --end-time soon
    refuse 'made: 3 frames are there, expected a run to be resumed to at least as many, not 2' \
        run --resume made --frames 2
    cp -r made before
    touch made/particles_0003.vtp
    refuse 'made/particles_0003.vtp: would be written over, but was not made by the run that run.json there tells of' \
        run --resume made --frames 4
    rm made/particles_0003.vtp
    sed -i 's/v 0 0 1/v 0 0 2/' corner.obj
    refuse 'made: the run cannot be resumed: a mesh of its scene has changed since' run --resume made --frames 4
    diff -r before made || fail "something was changed"
    sed -i 's/v 0 0 2/v 0 0 1/' corner.obj
    echo '{}' >own.json
    run 0 run --resume made -q --frames 4
}

case_points_that_changed_are_noticed() {
    printf 'x y z\n0.1 0.1 0.1\n0.15 0.1 0.1\n0.1 0.15 0.1\n0.1 0.1 0.15\n' >points.txt
    sed 's/"blocks": \[{[^}]*}/"blocks": [{"shape": "points", "points": "points.txt"}/' "$scene" >own.json
    run 0 run own.json --no-images -q -o made --frames 3
    cp -r made before
    sed -i 's/0.15$/0.16/' points.txt
    refuse 'made: the run cannot be resumed: a file of points of its scene has changed since' run --resume made \
        --frames 4
    diff -r before made || fail "something was changed"
    run 0 run own.json --from made --no-images -o other
    grep -q '^  a file of points of its scene has changed since$' "$out" || fail "it does not say what differs"
}

# Water settles in a narrow tank, then in a wider one.
case_another_scene_starts_from_a_state() {
    changed 's/"end_time": 0.2/"end_time": 0.4/; s/"max": \[0.6, 0.4, 0.6\]/"max": [0.3, 0.4, 0.6]/'
    mv changed.json settle.json
    run 0 run settle.json --no-images -q -o settled
    changed 's/"spacing": 0.05/&, "viscosity_alpha": 0.3/; s/"title"/'"$gauges"' &/'
    sed 's/"spacing": 0.05/"spacing": 0.04/' changed.json >finer.json
    run 0 run changed.json --from settled --no-images -o opened
    grep -q '^starts from settled, frame 4, t = 0.4 s; what differs from the scene there:$' "$out" || fail "no origin"
    for line in 'end_time: 0.2, was 0.4' 'fluid.viscosity_alpha: 0.3, was default' \
        'tank.max: \[0.6, 0.4, 0.6\], was \[0.3, 0.4, 0.6\]' 'gauges\[3\] (gate): new'; do
        grep -q "^  $line\$" "$out" || fail "no $line"
    done
    grep -q 'title\|blocks' "$out" && fail "it lists what does not differ"
    grep -q '"from": {"folder": "settled", "frame": 4, "time": 0.4}' opened/run.json || fail "run.json has no origin"
    # Resumed it ends with the same bytes, and it is the same run from a frame by its number.
    run 0 run changed.json --from settled@4 --no-images -q -o again --frames 3
    run 0 run --resume again -q --frames 5 --threads 2
    same_run opened again
    run 0 run settle.json --from settled@0 --no-images -o same
    grep -q '^starts from settled, frame 0, t = 0 s; the scene is the same$' "$out" || fail "something differs"
    cmp settled/particles_0000.vtp same/particles_0000.vtp || fail "frame 0 is another"
    refuse 'settled: there is no state of frame 2, expected frame 0 or 4' run changed.json --from settled@2 -o none
    refuse 'nowhere/checkpoint_0000.bin: No such file or directory, expected a checkpoint of mote run' \
        run changed.json --from nowhere@3 -o none
    refuse 'mote run: --from settled is the folder to be written to, expected another' \
        run changed.json --from settled --overwrite -o settled
    refuse 'settled: finer.json cannot start from it: fluid: a state with a spacing of 0.05 m, expected 0.04 m' \
        run finer.json --from settled -o none
    refuse 'opened: settle.json cannot start from it: a state with 0 particles inside a solid and 80 beyond a wall, '\
'expected none' run settle.json --from opened -o none
    [ ! -e none ] || fail "something was written"
}

# Settings that the solver does not read are told; there are none in the scene of the tests.
case_settings_without_effect_are_told() {
    cat >idle.json <<'END'
{"dimensions": 2, "end_time": 0.01, "frames": 2,
 "fluid": {"spacing": 0.05, "shifting": "free_surface", "xsph": 0.3},
 "tank": {"min": [0, 0, 0], "max": [1, 0, 1], "velocity_z_min": [1, 0, 0]},
 "blocks": [{"min": [0, 0, 0], "max": [1, 0, 0.5]}]}
END
    local line='without effect with solver "onderik": fluid.shifting, fluid.xsph'
    for command in scene 'run --no-images'; do
        run 0 $command idle.json
        grep -q "^ *$line$" "$out" || fail "nothing about settings of the fluid"
        grep -q "^ *without effect with solver \"onderik\": velocities of the tank's sides$" "$out" ||
            fail "nothing of belts"
    done
    sed 's/0.05,/0.05, "preset": "engineering", "wall_viscosity": 0.5,/' idle.json >other.json
    run 0 scene other.json
    grep -q '^ *without effect with solver "weak": fluid.wall_viscosity$' "$out" || fail "nothing about wall_viscosity"
    grep -q "velocities of the tank" "$out" && fail "belts have an effect there"
    sed 's/"wall_viscosity": 0.5/"neighbor_lists": "none"/; s/"xsph": 0.3/"xsph": 0/' other.json >none.json
    run 0 scene none.json
    grep -q 'lists are kept' "$out" && fail "lists are said to be kept that are not"
    sed 's/"xsph": 0/"xsph": 0.3/' none.json >kept.json
    run 0 scene kept.json
    grep -q '^ *fluid.neighbor_lists is none, but lists are kept, as summed' "$out" || fail "nothing about lists"
    run 0 scene "$scene"
    grep -q 'without effect' "$out" && fail "the scene has no such settings"
    return 0
}

# Beside "fluid" as in it.
case_steps_stand_beside_fluids() {
    cat >inner.json <<'END'
{"dimensions": 2, "end_time": 0.01, "frames": 2,
 "fluid": {"spacing": 0.05, "preset": "engineering", "steps": "individual"},
 "tank": {"min": [0, 0, 0], "max": [1, 0, 1]}, "blocks": [{"min": [0, 0, 0], "max": [0.5, 0, 0.5]}]}
END
    sed 's/, "steps": "individual"}/},\n "steps": "individual"/' inner.json >outer.json
    for where in inner outer; do run 0 scene $where.json; cp "$out" $where.txt; done
    grep -q 'steps  *"individual"' inner.txt || fail "no individual steps"
    diff <(grep ' steps ' inner.txt) <(grep ' steps ' outer.txt) || fail "other steps"
    sed 's/"tank"/"steps": "global", "tank"/' inner.json >both.json
    refuse 'both.json:3:11: steps is "global", expected steps here or in fluid, not both' scene both.json
    sed 's/"individual"/"single"/' outer.json >wrong.json
    local line='wrong.json:3:11: steps is "single", expected "global", "individual" or "individual_positions"'
    refuse "$line" scene wrong.json
}

# What passes openings is told for each by its name, and no two have the same.
case_openings_have_names() {
    cat >two.json <<'END'
{"dimensions": 2, "end_time": 0.1, "frames": 2, "fluid": {"spacing": 0.05, "preset": "engineering"},
 "tank": {"min": [0, 0, 0], "max": [1, 0, 1]}, "blocks": [{"min": [0, 0, 0], "max": [1, 0, 0.5]}],
 "inlets": [{"name": "a", "center": [0, 0, 0.7], "normal": [1, 0, 0], "width": 0.2, "velocity": 1},
  {"name": "b", "center": [1, 0, 0.7], "normal": [-1, 0, 0], "width": 0.1, "velocity": 1}],
 "drains": [{"name": "sink", "center": [0.5, 0, 0.1], "radius": 0.07}]}
END
    run 0 run two.json --no-images
    grep -q '^  at end     a: [0-9]* particles in, 0 particles out; b: .* in, 0 particles out; sink: ' "$out" ||
        fail "openings are not told by their names"
    grep -q '"a.mass_in": [0-9.]*, "a.mass_out": 0, "b.particles_in"' out/two/run.json ||
        fail "no a.mass_in in run.json"
    grep -q '"sink.particles_out": [0-9]*, "sink.mass_out"' out/two/run.json || fail "no sink.mass_out in run.json"
    run 0 scene two.json
    grep -q '^  particle mass  *2.5 kg/m$' "$out" || fail "masses in 2D are not those of a metre along y"
    sed 's/"sink"/"b"/' two.json >bad.json
    refuse 'bad.json:5:22: drains[0].name is "b", expected another name than that of inlets[1]' scene bad.json
    sed 's/"sink"/"a b"/' two.json >bad.json
    refuse 'bad.json:5:22: drains[0].name is "a b", expected 1 to 64 of the characters a–z, A–Z, 0–9, _ and -' \
        scene bad.json
}

# The greatest Mach number and compression, at the end and once before.
case_compression_is_told() {
    run 0 run "$scene" --no-images -o made
    local words='Mach number at most 0.[0-9]*, density at most 1.[0-9]* % above the rest density; '
    words+='"sound_speed": [0-9.]* '
    grep -q "^  sound      ${words}would keep it under 1 % (now 17.2)\$" "$out" || fail "not told at the end"
    [ "$(grep -c "^note: at t = 0.05 s: $words" "$out")" -eq 1 ] || fail "not told once before"
    changed 's/"spacing": 0.05/&, "sound_speed": 60/'
    run 0 run changed.json --no-images -o faster
    grep -q '^  sound .* above the rest density$' "$out" || fail "no good word"
    grep -q '^note' "$out" && fail "a note without need"
    return 0
}

# Some gauges for the scene; some have a row after each step, and some do not. One leaves the wall that it begins at.
gauges='"gauges": [{"name": "h", "kind": "height", "at": ["0.45 - 0.5*t", 0.2, 0]},'\
' {"name": "E", "kind": "energy", "every": 0.01}, {"name": "p", "kind": "wall_pressure", "at": [0.1, 0.2, "t"]},'\
' {"name": "gate", "kind": "flow", "min": [0.31, 0, 0],'\
' "max": [0.31, 0.4, 0.6], "every": 0.013}],'

case_gauges_have_their_table() {
    changed 's/"tank"/'"$gauges"' &/'
    run 0 run changed.json --no-images -q -o plain
    local header='time [s],h [m],E.kinetic [J],E.potential [J],E.elastic [J],E.total [J],p [Pa],gate.rate [m^3/s],'
    [ "$(head -n 1 plain/gauges.csv)" = "${header}gate.volume [m^3]" ] || fail "header: $(head -n 1 plain/gauges.csv)"
    local steps rows
    steps=$(sed -n 's/.*"steps": \([0-9]*\), "particle_steps".*/\1/p' plain/run.json)
    rows=$(wc -l <plain/gauges.csv)
    [ "$rows" -eq $((steps + 2)) ] || fail "$rows lines after $steps steps"
    awk -F, 'NF != 9 { exit 1 } $3 != "" { ++energies } END { exit energies != 22 }' plain/gauges.csv ||
        fail "not 9 columns, or not 21 rows of energies"
    awk -F, 'NR == 2 && $7 > 0 { ++ends } END { exit ends != 1 || $7 != "nan" }' plain/gauges.csv ||
        fail "no pressure at the floor, or one where there is no wall"
    tail -n 1 plain/gauges.csv | grep -q '^0\.2,' || fail "no row at the end"
    [ ! -e plain/gauges.png ] || fail "a picture that was not wanted"
    run 0 run changed.json --no-images -q -o other --threads 2
    cmp plain/gauges.csv other/gauges.csv || fail "other rows with other threads"
    grep -q '"gauges", *"gauges"' plain/run.json && fail "listed twice"
    grep -q '"gauges.csv"' plain/run.json || fail "run.json does not list gauges.csv"
    run 0 run "$scene" --no-images -q -o without
    [ ! -e without/gauges.csv ] || fail "a table without gauges"
}

case_gauges_are_drawn() {
    command -v gnuplot >"$out" || exit 77
    changed 's/"tank"/'"$gauges"' &/; '"$small"
    run 0 run changed.json -q -o drawn --frames 2
    head -c 8 drawn/gauges.png | cmp - <(printf '\x89PNG\r\n\x1a\n') || fail "no picture"
    (cd drawn && rm gauges.png && gnuplot gauges.gnuplot) || fail "the script does not work by itself"
    [ -s drawn/gauges.png ] || fail "no picture by the script"
    mkdir empty
    PATH=$base/here/empty run 0 run changed.json -o alone --frames 2
    grep -q 'no plot: gnuplot is not installed' "$out" || fail "it does not say why there is no plot"
}

# Whatever was written after the checkpoint is written again.
case_gauges_of_killed_runs_go_on() {
    local child spacing=0.02 frames='0001 0011'
    [ -z "${MOTE_SANITIZED-}" ] || spacing=0.03 frames=0004
    changed "s/\"spacing\": 0.05/\"spacing\": $spacing/; s/\"tank\"/$gauges &/; "\
's/"frames": 5/"frames": 21, "checkpoints": {"frames": 3}/'
    run 0 run changed.json --no-images -q -o whole
    for wanted in $frames; do
        rm -rf killed
        "$mote" run changed.json --no-images -q -o killed 2>"$err" &
        child=$!
        wait_for killed/particles_$wanted.vtp
        kill -KILL $child
        wait $child 2>"$err"
        run 0 run --resume killed -q --threads 2
        same_run whole killed
    done
    run 0 run changed.json --no-images -q -o longer --frames 8
    run 0 run --resume longer -q --frames 21
    same_run whole longer
    echo '1,2,3' >>longer/gauges.csv
    run 0 run --resume longer -q
    same_run whole longer
    cp -r longer bent
    sed -i '5s/0/1/' bent/gauges.csv
    refuse 'bent: the run cannot be resumed: gauges.csv is not there, or has changed since' run --resume bent
    rm bent/gauges.csv
    refuse 'bent: the run cannot be resumed: gauges.csv is not there, or has changed since' run --resume bent
    run 0 run changed.json --no-images -q -o longer --overwrite
    same_run whole longer
}

# bad_gauge LINE GAUGE: the scene with this gauge is refused with that line.
bad_gauge() {
    printf '{"end_time": 1, "fluid": {"spacing": 0.05},\n' >bad.json
    printf ' "blocks": [{"min": [0, 0, 0], "max": [0.3, 0.4, 0.3]}],\n' >>bad.json
    printf ' "tank": {"min": [0, 0, 0], "max": [0.6, 0.4, 0.6]},\n "gauges": [%s]}\n' "$2" >>bad.json
    refuse "bad.json:$1" scene bad.json
    refuse "bad.json:$1" run bad.json -o bad
    [ ! -e bad ] || fail "a folder was made"
}

case_bad_gauges_have_their_place() {
    bad_gauge '4:35: gauges[0].kind is "presure", expected "pressure", "wall_pressure", "velocity", "height", '\
'"front", "flow", "energy", "extremes", "force" or "moment"; did you mean "pressure"?' \
        '{"name": "p", "kind": "presure"}'
    bad_gauge '4:53: gauges[0].at is [5, 0, 0], which is outside everything, expected a place from -0.05 to 0.65 '\
'along x' '{"name": "p", "kind": "pressure", "at": [5, 0, 0]}'
    bad_gauge '4:55: gauges[1].name is "E", expected another name than that of gauges[0]' \
        '{"name": "E", "kind": "energy"}, {"name": "E", "kind": "energy"}'
    bad_gauge '4:22: gauges[0].name is "a b", expected 1 to 64 of the characters a–z, A–Z, 0–9, _ and -' \
        '{"name": "a b", "kind": "energy"}'
    bad_gauge '4:13: gauges[0].at is missing, expected three numbers, each from -1000000 to 1000000, or '\
'expressions in t [m], as kind '\
'"height" needs it' '{"name": "h", "kind": "height"}'
    bad_gauge '4:50: gauges[0].of is "left", expected a closed side of the tank, as "x_min", or the name of a solid' \
        '{"name": "F", "kind": "force", "of": "left"}'
    bad_gauge '4:54: gauges[0].every is -1, expected a number from 0 to 1000000000 [s]' \
        '{"name": "E", "kind": "energy", "every": -1}'
}

# Killed at any moment: what is there is whole, and the lists name only what is there.
case_a_killed_run_leaves_whole_files() {
    changed 's/"end_time": 0.2/"end_time": 4/; s/"frames": 5/"frames": 10001/'
    for last in 0003 0090 0200; do
        "$mote" run changed.json --no-images -q -o long --overwrite 2>"$err" &
        local child=$! frames named
        wait_for long/particles_$last.vtp
        kill -KILL $child
        wait $child 2>"$err"
        frames=$(ls long | grep -c '^particles_.*\.vtp$')
        named=$(grep -c '<DataSet' long/particles.pvd)
        tail -n 1 long/particles.pvd | grep -q '^</VTKFile>$' || fail "particles.pvd is broken"
        [ "$named" -le "$frames" ] && [ $((frames - named)) -le $((2 + frames / 65)) ] ||
            fail "particles.pvd names $named of $frames frames"
        [ "$(tail -n 1 long/run.json)" = '}' ] || fail "run.json is broken"
        [ "$(grep -c '{"frame": ' long/run.json)" -ge $((frames - 3 - frames / 65)) ] || fail "run.json lacks frames"
    done
}

# Fluid so fast that no step is short enough for it.
case_a_run_that_blows_up_exits_with_1() {
    changed 's/"max": \[0.3, 0.4, 0.3\]/&, "velocity": [0, 0, 1e6]/; s/"spacing": 0.05/&, "sound_speed": 1e-3/'
    run 1 run changed.json --no-images -o up
    [ "$(grep -c ': unstable at t = ' "$err")" -eq 1 ] || fail "it does not say so"
    grep -q ' step 0: particle 0 at (.*) m: speed 1e+06 m/s (limit 0.0005), density .* kg/m^3 (limit 1500), step '\
'3e-08 s by speed; try "sound_speed": 1e+07; 0 frames were written until then; failed.vtp shows' "$err" ||
        fail "it does not say what to try"
    grep -q 'Name="velocity"' up/failed.vtp || fail "no failed.vtp"
    grep -q '"status": "failed"' up/run.json || fail "run.json does not say so"
}

# Too low a speed of sound, which shows only as the water falls: frames until then, and the last good state.
case_the_last_good_state_is_saved() {
    changed 's/"spacing": 0.05/&, "sound_speed": 3/; s/"frames": 5/"frames": 21/; s/"end_time": 0.2/"end_time": 1/'
    run 1 run changed.json --no-images -o up
    grep -q '; the last good state is saved; failed.vtp shows what surrounds the particle$' "$err" ||
        fail "it does not say what is there"
    cp "$err" first
    run 1 run --resume up --no-images
    local words='s/.*: unstable/unstable/; s/; try .*//'
    cmp -s <(sed "$words" first) <(sed "$words" "$err") ||
        fail "resumed it ends otherwise"
}

# More than can be numbered or held is refused at once, by its numbers, and not tried.
case_what_nobody_could_hold_is_refused() {
    local box='"box_min": [-3e3, -3e3, -3e3], "box_max": [3e3, 3e3, 3e3]' most='expected at most 2^32 - 2$'
    local ball='{"name": "ball", "spheres": 1, "radius_min": 1000, "radius_max": 1000, '"$box}"
    changed 's/"tank"/"solids": ['"$ball"'], "tank"/; s/"spacing": 0.05/"spacing": 0.005/'
    run 2 run changed.json
    grep -q "solids\\[0\\] (ball): about 5.*e+11 wall particles at a spacing of 0.005 m, $most" "$err" ||
        fail "a sphere of a kilometre"
    changed 's/"spacing": 0.05/"spacing": 1e-5/'
    run 2 run changed.json
    grep -q 'fluid.spacing is 1e-5, expected at most 4294967294 particles in all blocks, not 3.6e+13$' "$err" ||
        fail "small particles"
    changed 's/"spacing": 0.05/"spacing": 1e-5/; s/0.3, 0.4, 0.3/1e-4, 1e-4, 1e-4/'
    run 2 run changed.json
    grep -q "tank: about .* wall particles at a spacing of 1e-05 m, $most" "$err" ||
        fail "small wall particles"
    changed 's/"spacing": 0.05/"spacing": 0.0003/'
    run 1 run changed.json
    grep -q "fluid.spacing: about .* wall particles need at least .* GB of memory, expected at most " "$err" ||
        fail "more memory than there is"
    [ ! -e out ] || fail "something is written"
    return 0
}

# ------------------------------------------------------------------------------------------------------- neighbors

# points.csv: a lattice of 5 x 5 x 5 points.
lattice() {
    awk 'BEGIN { print "x,y,z"; for (i = 0; i < 125; ++i) print i % 5 "," int(i / 5) % 5 "," int(i / 25) }' >points.csv
}

case_neighbors_counts_lists_and_checks() {
    lattice
    run 0 neighbors points.csv --radius 1 --check --lists pairs.csv
    for line in '125 in 3D, float' 'auto: cell_grid' '600 in all; 3 to 6 per point, mean 4.8' \
        'holds: 125 rows'; do
        grep -q -F -e "$line" "$out" || fail "no '$line'"
    done
    [ "$(wc -l <pairs.csv)" -eq 601 ] || fail "not 600 pairs"
    grep -q -x '0,1' pairs.csv || fail "0 and 1 are no pair"
    run 0 neighbors points.csv --nearest=3 --double --method kd_tree --check --lists pairs.npy
    grep -q -F 'holds: 125 rows' "$out" || fail "no check of the nearest"
    [ "$(stat -c %s pairs.npy)" -eq $((128 + 8 * 375)) ] || fail "pairs.npy has another size"
    run 0 neighbors points.csv --radius 1 --json --check --threads 1
    grep -q '"neighbors": 600, "least": 3, "most": 6, "mean": 4.79' "$out" || fail "JSON"
    grep -q '"checked": 125, "holds": true}' "$out" || fail "JSON's check"
    [ "$(LC_ALL=C ls | tr '\n' ' ')" = 'pairs.csv pairs.npy points.csv ' ] || fail "other files: $(ls)"
    run 0 neighbors --help
    for word in --radius --nearest --periodic --frame --method --lists --check --json --threads .npy .lammpstrj .txt \
        kd_tree; do
        grep -q -e "$word" "$out" || fail "no $word in mote neighbors --help"
    done
}

# A lattice of 5 x 5 x 5 points of spacing 1: closed meshes in every format, and what is refused in one line.
case_surface_makes_closed_meshes() {
    lattice
    run 0 surface points.csv --spacing 1 --check
    grep -q -F -e 'points_surface.vtp: ' "$out" || fail "no line for the file"
    grep -q -F -e ', closed' "$out" || fail "not examined"
    [ -s points_surface.vtp ] || fail "no mesh"
    for kind in ply obj stl; do
        run 0 surface points.csv --radius 0.5 --smooth 5 --weights --normals angle --min-particles 2 --check \
            --threads 1 -o mesh.$kind
        run 0 mesh mesh.$kind --weld --no-images --no-cache
        grep -q 'wrong       nothing' "$out" || fail "mesh.$kind is not closed"
    done
    run 0 surface points.csv --spacing 1 --json --tank -0.4,-0.4,-0.4,4.4,4.4,9
    grep -q '"particles": 125, "vertices": ' "$out" || fail "JSON"
    run 2 surface points.csv
    run 2 surface points.csv --spacing 0
    run 2 surface points.csv --spacing 1 --cell 0.001
    run 2 surface points.csv --spacing 1 --support 0.5
    grep -q 'no two neighbours would meet' "$err" || fail "a narrow support"
    run 0 run "$scene" --no-images --frames 3 -q -o fall
    run 0 surface fall --check
    [ "$(grep -c '^fall/surface_000[0-2].vtp: .*, closed' "$out")" -eq 3 ] || fail "not three surfaces"
    grep -q 'timestep="0.1" .*file="surface_0002.vtp"' fall/surface.pvd || fail "surface.pvd has not all frames"
    run 0 surface 'fall/particles_{}.vtp' --spacing 0.05 --format stl
    [ -s fall/particles_0002_surface.stl ] || fail "no mesh of the last file of the pattern"
    refuse 'fall/none_{}.vtp: there is no such file, expected some with a number in place of {}' \
        surface 'fall/none_{}.vtp' --spacing 0.05
    refuse 'mote surface: fall is a folder, expected it to be the only INPUT' surface fall points.csv
    refuse '.: it has no run.json of a run with a fluid, expected the folder of such a run' surface .
    run 0 surface points.csv --spacing 1 -o points.glb --normals field --check
    run 0 surface points.csv --spacing 1 -o normals.vtp --normals angle
    grep -a -q '<PointData Normals="Normals">' normals.vtp || fail "ParaView would not shade by the normals"
    run 0 neighbors normals.vtp --radius 1
    [ "$(head -c 4 points.glb)" = glTF ] || fail "no GLB"
    refuse 'mote surface: the format is png, expected one of ply, obj, stl, vtp, glb' \
        surface points.csv --spacing 1 --format png
    printf 'x,y,z,heat,age\n0,0,0,1,2\n1,0,0,2,3\n' >warm.csv
    run 0 surface warm.csv --spacing 1 --arrays heat
    grep -q 'Name="heat"' warm_surface.vtp || fail "no heat at the vertices"
    run 0 surface warm.csv --spacing 1 --arrays heat -o warm.glb
    grep -a -q '"COLOR_0"' warm.glb || fail "no colours by heat"
    run 0 surface warm.csv --spacing 1 --arrays heat -o warm.ply
    grep -a -q '^property uchar red' warm.ply || fail "no colours by heat in PLY"
    refuse 'mote surface: --arrays with several names without --format vtp, expected both' \
        surface warm.csv --spacing 1 --arrays heat,age -o warm.glb
    refuse 'warm.csv: it has no array cold, expected one of its arrays: heat, age' \
        surface warm.csv --spacing 1 --arrays heat,cold
    refuse 'mote surface: --arrays without --format vtp, expected both' \
        surface warm.csv --spacing 1 --arrays heat -o warm.stl
    refuse 'mote surface: --weights without --smooth, expected both' surface warm.csv --spacing 1 --weights
    refuse 'mote surface: --smooth-normals without --normals, expected both' \
        surface warm.csv --spacing 1 --smooth-normals 2
    run 2 surface nothing.csv --spacing 1
    refuse 'mote surface: --normals is up, expected one of none, angle, field' \
        surface points.csv --spacing 1 --normals up
    printf 'x,y,z\n0,0,0\n1,nan,0\n' >bad.csv
    mkdir -p one other
    cp points.csv one
    cp points.csv other
    refuse 'mote surface: new/points_surface.vtp would be written to for both one/points.csv and other/points.csv, '\
'expected files with different names' surface one/points.csv other/points.csv --spacing 1 -o new
    [ ! -e new ] || fail "a folder without meshes"
    cp mesh.ply own.ply
    refuse 'mote surface: own.ply is an INPUT, and would be written to for own.ply' \
        surface own.ply --spacing 1 -o own.ply
    refuse 'mote surface: own.ply is an INPUT, and would be written to for ./own.ply' \
        surface ./own.ply --spacing 1 -o own.ply
    printf 'x,y,z,phase\n0,0,0,0\n3,0,0,1\n' >own_0.csv
    run 0 surface own_0.csv --spacing 1 --phase phase -o own.ply
    cmp mesh.ply own.ply || fail "the input is gone"
    cp own_0.ply own_1.ply
    refuse 'mote surface: own_0.ply is an INPUT, and would be written to for own_0.ply' \
        surface own_0.ply --spacing 1 --phase phase -o own.ply
    run 2 surface points.csv ./points.csv --spacing 1
    grep -q 'would be written to for both ./points.csv and points.csv' "$err" || fail "a file written twice"
    run 2 surface bad.csv --spacing 1
    grep -q 'bad.csv:3' "$err" || fail "the line of the bad point"
    [ ! -e bad_surface.vtp ] || fail "a mesh of bad points"
}

# Floats alone, of any name.
case_surface_reads_raw_floats() {
    lattice
    /usr/bin/python3 -c 'import array
rows = [line.split(",") for line in open("points.csv") if line[0] not in "x#"]
array.array("f", [float(x) for row in rows for x in row[:3]]).tofile(open("points.bin", "wb"))'
    run 0 surface points.csv --spacing 1 -o a.ply
    run 0 surface points.bin --raw --spacing 1 -o b.ply
    cmp a.ply b.ply || fail "another mesh"
    refuse 'mote surface: both --raw and --read-as, expected one of them' \
        surface points.bin --raw --read-as .raw --spacing 1
}

# What cuts a surface, what is chosen of a series, pictures, slivers.
case_surface_cuts_chooses_and_draws() {
    lattice
    run 0 surface points.csv --spacing 1 --check --cleanup --normals angle --smooth-normals 2
    grep -q ', closed$' "$out" || fail "not closed without slivers"
    printf 'v %s\n' '1 1 1' '5 1 1' '1 5 1' '1 1 9' >wedge.obj
    printf 'f %s\n' '1 3 2' '1 2 4' '1 4 3' '2 3 4' >>wedge.obj
    run 0 surface points.csv --spacing 1 --check --cut wedge.obj --json
    grep -q '"closed": true' "$out" || fail "not closed where a mesh cuts"
    grep -q '"volume": 10[5-8][.]' "$out" || fail "the wedge takes another part of the volume"
    sed '$d' wedge.obj >open.obj
    refuse 'open.obj: it has 3 open edges, 0 non-manifold and 0 flipped ones, expected a closed mesh to cut with' \
        surface points.csv --spacing 1 --cut open.obj
    refuse 'none.obj: there is no such file' surface points.csv --spacing 1 --cut none.obj
    run 0 surface points.csv --spacing 1 --check --box 1,1,1,3,3,3
    grep -q 'volume \(8\|8.0000[0-9]*\|7.9999[0-9]*\) m^3' "$out" || fail "not the volume of the box"
    refuse 'mote surface: --box is 1,1,1,3,3, expected the lower and the upper corner, X,Y,Z,X,Y,Z' \
        surface points.csv --spacing 1 --box 1,1,1,3,3
    cp points.csv at_1.csv; cp points.csv at_2.csv; cp points.csv at_13.csv
    run 0 surface 'at_{}.csv' --spacing 1 --start 2 --end 13
    [ "$(grep -c '^at_' "$out")" -eq 2 ] || fail "not two files"
    [ ! -e at_1_surface.vtp ] || fail "a file before the start"
    run 0 surface 'at_{}.csv' --spacing 1 -o new/place
    [ -s new/place/at_13_surface.vtp ] || fail "no mesh in a new folder"
    run 1 surface 'at_{}.csv' --spacing 1 -o points.csv/place
    grep -q '^points.csv/place: the folder cannot be made: ' "$err" || fail "a folder below a file"
    refuse 'at_{}.csv: there is no such file with a number of 20 or more in place of {}' \
        surface 'at_{}.csv' --spacing 1 --start 20
    refuse 'at_{}.csv: there is no such file with a number from 3 to 7 in place of {}' \
        surface 'at_{}.csv' --spacing 1 --start 3 --end 7
    refuse "mote surface: --start and --end choose files of a series, expected a name with {} or a run's folder" \
        surface points.csv --spacing 1 --start 1
    refuse 'mote surface: --picture is one.png for 3 files, expected a name with {} in place of theirs' \
        surface 'at_{}.csv' --spacing 1 --picture one.png
    refuse 'mote surface: --picture is one.jpg, expected a name that ends with .png' \
        surface points.csv --spacing 1 --picture one.jpg
    refuse 'mote surface: --spacing is 1e+300, expected a number above 0 and at most 1e+100 [m]' \
        surface points.csv --spacing 1e300
    run 0 surface 'at_{}.csv' --spacing 1 --end 1 --picture 'seen_{}.png'
    [ -s seen_at_1.png ] || fail "no picture"
    # A drop far away is not what the camera moves back for. In a picture of the floor alone there is little to pack.
    if [ -z "${MOTE_SANITIZED-}" ]; then
        { cat points.csv; echo 900,900,400; } >far.csv
        run 0 surface far.csv --spacing 1 --picture far.png
        [ "$(stat -c %s far.png)" -gt $(($(stat -c %s seen_at_1.png) * 2 / 3)) ] || fail "nothing but floor"
    fi
    printf 'x,y,z\n' >none.csv
    run 0 surface none.csv --spacing 1 --picture none.png --check
    grep -q 'none.csv: there is no surface, and so no picture' "$err" || fail "no word of the missing picture"
    run 0 surface points.csv --spacing 1 --box 70,70,70,71,71,71 --check
    grep -q ': 0 vertices, 0 triangles, .*, closed$' "$out" || fail "nothing in the box is not a mesh"
}

# Two fluids in layers, of an array of the file: a closed mesh each.
case_surface_makes_a_mesh_of_each_phase() {
    lattice
    awk -F, 'NR == 1 { print $0 ",kind" } NR > 1 { print $0 "," ($3 > 1.5 ? 3 : 0) }' points.csv >two.csv
    run 0 surface two.csv --spacing 1 --phase kind --check --smooth 2 --picture two.png
    [ "$(grep -c '^two_surface_[03].vtp: .*, closed$' "$out")" -eq 2 ] || fail "not two closed meshes"
    [ "$(ls two_surface_*.vtp | wc -l)" -eq 2 ] && [ -s two.png ] || fail "other files: $(ls)"
    run 0 surface two.csv --spacing 1 --phase kind --json -o water.ply
    grep -q '"file": "water_0.ply", "particles": 50, .*"phase": 0,' "$out" || fail "the lower layer"
    grep -q '"file": "water_3.ply", "particles": 75, .*"phase": 3,.*}]$' "$out" || fail "the upper layer"
    refuse 'two.csv: it has no array sort, expected one of its arrays: kind' surface two.csv --spacing 1 --phase sort
    refuse 'two.csv: surface: cleanup with 4 phases, expected one of the two' \
        surface two.csv --spacing 1 --phase kind --cleanup
    awk -F, '{ print NR == 9 ? $1 "," $2 "," $3 ",0.5" : $0 }' two.csv >half.csv
    refuse 'half.csv: surface: the phase of particle 7 is 0.5, expected a whole number from 0 to 31' \
        surface half.csv --spacing 1 --phase kind
}

# Points and runs in 2D have closed outlines, with lines in VTP and OBJ.
case_surface_makes_outlines_in_2d() {
    printf 'x,y\n0,0\n1,0\n0,1\n' >flat.csv
    run 0 surface flat.csv --spacing 1 --check
    grep -q '16 lines, area 3.1[0-9]* m^2 (.* of particles x spacing^2), .*, closed$' "$out" || fail "no outline"
    grep -q 'NumberOfLines="16"' flat_surface.vtp || fail "no lines in the VTP file"
    run 0 surface flat.csv --spacing 1 --json -o flat.obj
    grep -q '"lines": 16, "area": 3.1' "$out" || fail "JSON"
    [ "$(grep -c '^l ' flat.obj)" -eq 16 ] || fail "no lines in the OBJ file"
    refuse 'flat.csv: its particles are in 2D, expected 3D for --smooth' surface flat.csv --spacing 1 --smooth 2
    refuse 'flat.csv: its particles are in 2D, expected 3D for --kernel anisotropic' surface flat.csv --spacing 1 \
        --kernel anisotropic
    sed 's/"spacing": [0-9.]*/"spacing": 0.05/; s/"frames_per_second": [0-9.]*/"frames_per_second": 20/' \
        "$root/scenes/dam-break-2d.json" >dam.json
    run 0 run dam.json --no-images -q --frames 2 -o dam
    run 0 surface dam --check
    [ "$(grep -c '^dam/surface_000[01].vtp: .* lines, area 0.[45][0-9]* m^2 .*, closed' "$out")" -eq 2 ] ||
        fail "not two outlines of the run"
    grep -q 'file="surface_0001.vtp"' dam/surface.pvd || fail "surface.pvd does not name the last one"
    run 0 surface dam/particles_0001.vtp --spacing 0.05 -o alone.obj
    grep -q ' lines, area ' "$out" || fail "a file of a 2D run counts as 3D"
    sed 's/"blocks"/"surface": {}, "blocks"/' dam.json >own.json
    run 0 run own.json --no-images -q --frames 2 -o own
    cmp own/surface_0001.vtp dam/surface_0001.vtp || fail "a run writes other outlines than mote surface makes"
}

# The lattice again, as a table among blanks, in a dump and as NPY: the same neighbours.
case_neighbors_reads_tables_dumps_and_arrays() {
    lattice
    run 0 neighbors points.csv --radius 1 --lists expected.csv
    sed -e 's/,/   /g' -e '1s/^/# /' points.csv >blanks.txt
    sed -e 's/,/\t/g' points.csv >tabs.dat
    sed -e 's/,/ ; /g' points.csv >semicolons.txt
    { printf 'ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n125\nITEM: BOX BOUNDS pp ff pp\n0 5\n0 5\n0 5\n'
        printf 'ITEM: ATOMS id zs ys xs\n'
        awk -F, 'NR > 1 { printf "%d %.17g %.17g %.17g\n", 126 - NR, $3 / 5, $2 / 5, $1 / 5 }' points.csv; } >once
    { cat once; sed 's/ATOMS$/&/; s/^ITEM: TIMESTEP/&/; s/^0$/100/' once | sed 's/^0 5$/0 10/'; } >points.lammpstrj
    cp points.lammpstrj dump.melt
    for file in blanks.txt tabs.dat semicolons.txt points.lammpstrj dump.melt once; do
        run 0 neighbors "$file" --radius 1 --check --lists found.csv
        diff expected.csv found.csv || fail "other neighbours in $file"
    done
    run 0 neighbors points.lammpstrj --radius 2 --frame 1 --json
    grep -q '"neighbors": 600, "least": 3, "most": 6' "$out" || fail "the second snapshot is not twice as wide"
    run 0 neighbors points.lammpstrj --radius 2 --frame last --json --periodic file
    grep -q '"periodic": \[10, null, 10\], .*"neighbors": 700, "least": 5' "$out" || fail "not the box of the dump"
    refuse 'points.lammpstrj: there is no frame 2, for it holds 2, expected 0 to 1' \
        neighbors points.lammpstrj --radius 1 --frame 2
    refuse 'points.csv: there is no frame 1, for it holds one set of points, expected frame 0' \
        neighbors points.csv --radius 1 --frame 1
    refuse 'mote neighbors: --frame is first, expected a whole number from 0 on, or last' \
        neighbors points.csv --radius 1 --frame first
    # A list is a legal array of pairs: points in 2D.
    run 0 neighbors points.csv --radius 1 --lists pairs.npy
    run 0 neighbors pairs.npy --radius 2 --check
    grep -q -F '600 in 2D, float' "$out" || fail "pairs.npy are no points"
}

case_neighbors_are_found_in_periodic_boxes() {
    lattice
    run 0 neighbors points.csv --radius 1 --periodic 5,5,5 --check --lists pairs.csv
    grep -q '^neighbours  750 in all; 6 to 6 per point' "$out" || fail "not 6 neighbours each"
    grep -q '^box         periodic: x 0 to 5, y 0 to 5, z 0 to 5$' "$out" || fail "no box"
    grep -q -x '0,4,-1,0,0' pairs.csv || fail "no shift"
    run 0 neighbors points.csv --radius 1 --periodic=-,0:5,- --check --json
    grep -q '"periodic": \[null, 5, null\], .*"neighbors": 650, ' "$out" || fail "one axis alone"
    run 0 neighbors points.csv --radius 1 --periodic -2.5:2.5,1:6,-1e1:-5 --double --check --lists pairs.npy
    grep -q '^neighbours  750 in all' "$out" || fail "points outside the box"
    [ "$(stat -c %s pairs.npy)" -eq $((128 + 40 * 750)) ] || fail "pairs.npy has another size"
    run 0 neighbors points.csv --nearest 7 --periodic 5,5,- --check --double
    grep -q '^check  *holds: 125 rows' "$out" || fail "the nearest"
    # A box smaller than the radius: the point's own images count.
    run 0 neighbors points.csv --radius 1.5 --periodic 1,-,- --method cell_grid --check
    cut -d, -f1,2 points.csv >flat.csv
    run 0 neighbors flat.csv --radius 1 --periodic 5,5 --check
    grep -q '^neighbours .* 24 to 24 per point' "$out" || fail "in 2D"
    run 0 neighbors flat.csv --radius 1 --periodic 5,5,- --check
    refuse 'mote neighbors: --periodic is 5,5,5, but the points of flat.csv have no z, expected LX,LY' \
        neighbors flat.csv --radius 1 --periodic 5,5,5
    local rest='expected LX,LY,LZ, each a length above 0, MIN:MAX or - for an open axis'
    for box in 5,5 5,5,0 5,5,-1 5,5,x 5,5,5,5 5,5,2:1 5,5,1: , '5,5,5 ' nan,1,1 5,5,inf 1e308:-1e308,1,1; do
        refuse "mote neighbors: --periodic is $box, $rest" neighbors points.csv --radius 1 "--periodic=$box"
    done
    refuse 'points.csv: it has no box, expected one for --periodic file, or --periodic LX,LY,LZ' \
        neighbors points.csv --radius 1 --periodic file
    refuse 'mote neighbors: method kd_tree does not offer periodic' \
        neighbors points.csv --radius 1 --periodic 5,5,5 --method kd_tree
    echo 0,0,0 >one.csv
    run 1 neighbors one.csv --radius 1e6 --periodic 1,1,1
    grep -q '^one.csv: a radius of 1e+06 reaches over .* there is no memory for the lists$' "$err" || fail "no refusal"
    refuse 'points.csv: radius: a reach of 10000 is 1e+13 periods of the box along edge 0, expected fewer than 2^29' \
        neighbors points.csv --radius 1e4 --periodic 1e-9,-,-
}

case_neighbors_refuses_bad_input() {
    lattice
    refuse 'mote neighbors: neither --radius nor --nearest, expected one of them' neighbors points.csv
    refuse 'mote neighbors: both --radius and --nearest, expected one of them' neighbors points.csv -r 1 -k 1
    refuse 'mote neighbors: --radius is 1m, expected a number above 0' neighbors points.csv --radius 1m
    refuse 'mote neighbors: radius is 1e+30, expected 2^-50 to 2^63 for float points' \
        neighbors points.csv --radius 1e30
    refuse 'mote neighbors: method cell_hash does not offer nearest' neighbors points.csv -k 2 --method cell_hash
    refuse 'mote neighbors: --method is kdtree, did you mean kd_tree?' neighbors points.csv -r 1 --method kdtree
    refuse 'mote neighbors: --lists is a.txt, expected a name that ends with .csv or .npy' \
        neighbors points.csv -r 1 --lists a.txt
    refuse 'none.csv: there is no such file' neighbors none.csv --radius 1
    local kinds='.ply, .csv, .txt, .xyz, .vtp, .vtu, .vtk, .bgeo, .raw, .npy or a LAMMPS dump'
    refuse "points.obj: unknown kind of points, expected $kinds" \
        neighbors points.obj --radius 1
    echo '%PDF-1.4' >points.doc
    refuse "points.doc: unknown kind of points, expected $kinds" \
        neighbors points.doc --radius 1
    refuse 'points.txt: there is no such file' neighbors points.txt --radius 1
    echo '1,2' >>points.csv
    refuse 'points.csv:127: 2 fields, expected 3 as in the first line' neighbors points.csv --radius 1
    printf '1e300 0 0\n' >far.xyz
    refuse 'far.xyz:1: x is 1e+300, beyond what float points hold, expected at most 3.4e38 or the option --double' \
        neighbors far.xyz --radius 1
    run 0 neighbors far.xyz --radius 1 --double
    printf '# nothing\n' >empty.csv
    refuse 'empty.csv: there is no point in it, expected at least one' neighbors empty.csv --radius 1
    lattice
    run 1 neighbors points.csv -r 1 --lists none/pairs.csv
    grep -q 'none/pairs.csv cannot be written' "$err" || fail "it does not say so"
}

# ------------------------------------------------------------------------------------------------------ broadphase

# boxes.csv: a lattice of 5 x 5 x 5 boxes that touch their neighbours, corners and all, and a large one around them.
# flat.json: a row of 60 squares, each of which overlaps the next.
boxes() {
    awk 'BEGIN { print "min_x,min_y,min_z,max_x,max_y,max_z"; print "-1,-1,-1,9,9,9"
                 for (i = 0; i < 125; ++i) { x = i % 5; y = int(i / 5) % 5; z = int(i / 25)
                     print x "," y "," z "," x + 1 "," y + 1 "," z + 1 } }' >boxes.csv
    awk 'BEGIN { print "["; for (i = 0; i < 60; ++i) { c = i < 59 ? "," : ""
                 if (i % 2) printf "[%g, 0, %g, 1]%s\n", i, i + 1.5, c
                 else printf "{\"min\": [%g, 0], \"max\": [%g, 1]}%s\n", i, i + 1.5, c } print "]" }' >flat.json
}

case_broadphase_counts_writes_and_checks() {
    boxes
    run 0 broadphase boxes.csv --check --pairs pairs.csv --threads 1
    for line in 'boxes       126 in 3D' 'x -1 to 9, y -1 to 9, z -1 to 9' '            1-2  ' ' 125' \
        'auto: box_join, the fastest ' '1161 in all, 9.214 per box' 'holds: the pairs of 126 boxes' 'suits       auto' \
        'fastest  '; do
        grep -q -F -e "$line" "$out" || fail "no '$line'"
    done
    for method in auto brute_force uniform_hash multilevel_hash hierarchical_hash bvh8 box_join; do
        grep -q "^$method  *[0-9]" "$out" || fail "no row of $method"
    done
    grep -q 'other pairs' "$out" && fail "the methods differ"
    [ "$(wc -l <pairs.csv)" -eq 1162 ] || fail "not 1161 pairs"
    [ "$(head -n 2 pairs.csv | tr '\n' ' ')" = 'a,b 0,1 ' ] || fail "0 and 1 are no pair"
    run 0 broadphase flat.json --json --check --method=bvh8,box_join
    grep -q '"boxes": 60, "dimensions": 2, "min": \[0, 0\], "max": \[60.5, 1\]' "$out" || fail "JSON"
    grep -q '"histogram": \[{"from": 1, "boxes": 60}\], "pairs": 59, ' "$out" || fail "JSON's pairs"
    grep -q '"method": "box_join", [^}]*"pairs": 59, "agrees": true}' "$out" || fail "JSON's methods"
    grep -q '"checked": 60, "holds": true}' "$out" || fail "JSON's check"
    grep -q 'uniform_hash' "$out" && fail "a method that was not named"
    run 0 broadphase --help
    for word in --method --all --threads --pairs --check --cells --picture --json box_join; do
        grep -q -e "$word" "$out" || fail "no $word in mote broadphase --help"
    done
}

case_broadphase_skips_what_takes_too_long() {
    local count=200000
    [ -z "${MOTE_SANITIZED-}" ] || count=60000
    awk -v count=$count 'BEGIN { for (i = 0; i < count; ++i) { x = i * 7919 % 200003; y = i * 104729 % 200017
                                 print x "," y "," x + 1 "," y + 1 } }' >many.csv
    run 0 broadphase many.csv --threads 1
    grep -q '^brute_force .*skipped: would take about .* s, --all runs it' "$out" || fail "brute force is not skipped"
    run 0 broadphase many.csv --threads 1 --method box_join,bvh8
    [ "$(grep -c '^box_join  *[0-9]\|^bvh8  *[0-9]' "$out")" -eq 2 ] || fail "not the two that were named"
    grep -q '^brute_force' "$out" && fail "a method that was not named"
    boxes
    run 0 broadphase boxes.csv --method bvh8 --all
    grep -q '^uniform_hash  *[0-9]' "$out" || fail "--all leaves out methods"
}

case_broadphase_draws_cells() {
    boxes
    for method in auto uniform_hash multilevel_hash hierarchical_hash bvh8 box_join; do
        run 0 broadphase boxes.csv --threads 1 --method $method --cells $method.vtp --picture $method.png
        [ "$(head -c 8 $method.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "$method.png is no PNG"
        cells=$(sed -n 's/^cells  *\([0-9]*\) of .*/\1/p' "$out")
        grep -a -q "NumberOfPoints=\"$((8 * cells))\".* NumberOfPolys=\"$((6 * cells))\"" $method.vtp ||
            fail "$method.vtp does not hold $cells cells"
        grep -a -q 'Name="class"' $method.vtp || fail "no classes in $method.vtp"
    done
    cmp auto.vtp hierarchical_hash.vtp || fail "auto does not show the hierarchical hash"
    run 0 broadphase flat.json --cells flat.vtp
    grep -a -q 'NumberOfPoints="0"' flat.vtp && fail "nothing in flat.vtp"
    [ "$(ls ./*.partial 2>/dev/null)" = '' ] || fail "partial files: $(ls)"
}

# Boxes and triangles in one place: a line that says what is too much, not all memory that there is.
case_too_much_in_one_place_is_counted() {
    # Sanitizers lay claim to more than that for themselves.
    (ulimit -v 3000000 && "$mote" --version >"$out" 2>&1) && ulimit -v 3000000
    awk 'BEGIN { for (i = 0; i < 200000; ++i) print "0,0,0,1,1,1" }' >same.csv
    run 1 broadphase same.csv --threads 2
    grep -q '^same.csv: broadphase: no memory for 19999900000 pairs, which take 640 GB; the byte budget is' "$err" ||
        fail "the pairs are not counted"
    grep -q '; expected fewer boxes, or smaller ones$' "$err" || fail "it is not said what to do"
    local count=20000
    [ -z "${MOTE_SANITIZED-}" ] || count=1000
    awk -v count=$count 'BEGIN { print "v 0 0 0\nv 1 0 0\nv 0 1 0"
                                 for (i = 0; i < count; ++i) print "f 1 2 3" }' >same.obj
    run 0 mesh same.obj --no-cache
    grep -q "duplicates *$((count - 1)) " "$out" || fail "the triangles are not counted"
    [ $count -eq 20000 ] || return 0
    grep -q '^proxy *none: it would take more than 306 MB; expected fewer triangles in the same place$' "$out" ||
        fail "a proxy of 20 million triangles in nodes"
}

case_broadphase_refuses_bad_input() {
    boxes
    refuse 'mote broadphase: --method is bhv8, did you mean bvh8?' broadphase boxes.csv --method bhv8
    refuse 'mote broadphase: --pairs is a.npy, expected a name that ends with .csv' \
        broadphase boxes.csv --pairs a.npy
    refuse 'mote broadphase: --cells is a.vtu, expected a name that ends with .vtp' \
        broadphase boxes.csv --cells a.vtu
    refuse 'mote broadphase: --picture is a.jpg, expected a name that ends with .png' \
        broadphase boxes.csv --picture a.jpg
    refuse 'mote broadphase: --method is brute_force, which has no cells to write or draw, expected another one' \
        broadphase boxes.csv --method brute_force --cells a.vtp
    refuse 'none.csv: there is no such file' broadphase none.csv
    refuse 'boxes.txt: unknown kind of boxes, expected .csv or .json' broadphase boxes.txt
    printf '# nothing\n' >empty.csv
    refuse 'empty.csv: there is no box in it, expected at least one' broadphase empty.csv
    echo '3,0,0,2,1,1' >>boxes.csv
    refuse 'boxes.csv:128: box 126: min x is 3, expected at most max x, which is 2' \
        broadphase boxes.csv --pairs pairs.csv --cells cells.vtp --picture picture.png
    sed -i 's/^{"min": \[4, 0\]/{"min": [4, "low"]/' flat.json
    refuse 'flat.json:6: box 4: min: number 2 is "low", expected a finite number' broadphase flat.json
    [ "$(LC_ALL=C ls | tr '\n' ' ')" = 'boxes.csv empty.csv flat.json ' ] || fail "other files: $(ls)"
    boxes
    for words in '--pairs none/a.csv' '--cells none/a.vtp' '--picture none/a.png'; do
        # shellcheck disable=SC2086
        run 1 broadphase boxes.csv $words
        grep -q 'none/a.* cannot be ' "$err" || fail "it does not say so"
    done
}

# ------------------------------------------------------------------------------------------------------------ mesh

# corner.obj: a tetrahedron. faulty.obj: two of its triangles, one of them turned round, one twice, and one without
# area; a vertex twice, and one that nothing uses.
meshes() {
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 0 1\nv 9 9 9\nf 1 3 2\nf 2 1 4\nf 3 2 1\nf 1 4 5\n' >faulty.obj
}

case_mesh_reports_and_checks() {
    meshes
    run 0 mesh corner.obj --check --threads 1
    for line in 'mesh        4 vertices, 4 triangles, 1 part' 'x 0 to 1, y 0 to 1, z 0 to 1' \
        'edges       1 to 1.414, mean 1.207' 'area        2.36603' 'volume      0.166667' \
        'wrong       nothing' 'leaves with triangles, the finest 0.0' 'depth 6  ####' 'size        nodes 0.0' \
        ' ms to build it'; do
        grep -q -F -e "$line" "$out" || fail "no '$line'"
    done
    run 0 mesh faulty.obj
    for line in 'volume      none, for the mesh is not closed' 'open edges          3' 'flipped edges       3' \
        'non-manifold edges  1' 'degenerate          1' 'duplicates          1' \
        '1 vertex lies at the place of another' '1 vertex belongs to no triangle'; do
        grep -q -F -e "$line" "$out" || fail "no '$line'"
    done
    run 1 mesh faulty.obj --check
    grep -q '^mote mesh: faulty.obj has [0-9]* faults$' "$err" || fail "it does not say so"
    run 0 mesh faulty.obj --weld
    grep -q 'welded      2 vertices fewer' "$out" || fail "not welded"
    run 0 mesh corner.obj -o corner.vtp
    run 0 mesh corner.vtp --check
    grep -q 'mesh        4 vertices, 4 triangles, 1 part' "$out" || fail "another mesh from corner.vtp"
    run 0 mesh corner.obj --json --max-depth 3
    grep -q '"vertices": 4, "triangles": 4, "parts": 1, "closed": true, "open_edges": 0, ' "$out" || fail "JSON"
    grep -q '"proxy": {"min_depth": 2, "max_depth": 3, .*"by_depth": \[0, 0, 0, [0-9]*\], ' "$out" ||
        fail "JSON's proxy"
    if command -v python3 >"$err"; then python3 -m json.tool <"$out" >"$err" || fail "that is no JSON"; fi
    run 0 mesh --help
    for word in --output --overwrite --no-images --max-depth --min-depth --tolerance --no-cache --weld --check --json \
        leaves.vtp; do
        grep -q -e "$word" "$out" || fail "no $word in mote mesh --help"
    done
}

case_mesh_writes_leaves_and_normals() {
    local leaves
    meshes
    run 0 mesh corner.obj -o made --no-images
    leaves=$(sed -n 's/^proxy  *\([0-9]*\) leaves.*/\1/p' "$out")
    grep -a -q "NumberOfPoints=\"$((8 * leaves))\".* NumberOfPolys=\"$((6 * leaves))\"" made/leaves.vtp ||
        fail "leaves.vtp does not hold $leaves leaves"
    grep -a -q "NumberOfPoints=\"$leaves\" NumberOfVerts=\"$leaves\"" made/normals.vtp || fail "normals.vtp"
    grep -a -q 'NumberOfPolys="4"' made/mesh.vtp || fail "mesh.vtp"
    for array in depth node two_sided; do
        grep -a -q "Name=\"$array\"" made/leaves.vtp || fail "no $array in leaves.vtp"
    done
    grep -a -q 'Name="normal"' made/normals.vtp || fail "no normals"
    [ "$(LC_ALL=C ls made | tr '\n' ' ')" = 'leaves.vtp mesh.vtp normals.vtp ' ] || fail "other files: $(ls made)"
    refuse 'made: the folder is not empty, expected an empty or a new one, or --overwrite' mesh corner.obj -o made
    run 0 mesh corner.obj -o made --no-images --overwrite
    run 0 mesh corner.obj -o drawn
    if grep -q '^note: no pictures' "$err"; then return 77; fi
    for picture in mesh leaves; do
        [ "$(head -c 8 drawn/$picture.png | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "$picture.png"
    done
}

case_mesh_reads_its_proxy_again() {
    meshes
    run 0 mesh corner.obj
    grep -q '^time .* ms to build it$' "$out" || fail "it is not built"
    grep -v '^time' "$out" >built
    run 0 mesh corner.obj -o made --no-images
    grep -q "^time .* ms to read it from $XDG_CACHE_HOME/mote/[0-9a-f]*\\.proxy$" "$out" || fail "it is not read"
    grep -v -e '^time' -e '^written' "$out" | diff built - || fail "what is read is another proxy"
    run 0 mesh corner.obj --json
    grep -q '"read_ms": [0-9]' "$out" || fail "JSON: it is not read"
    run 0 mesh corner.obj --json --no-cache
    grep -q '"build_ms": [0-9]' "$out" || fail "--no-cache does not build it"
    run 0 mesh corner.obj --max-depth 5
    grep -q '^time .* ms to build it$' "$out" || fail "a proxy of other depth is read"
    rm -r "$XDG_CACHE_HOME"
    run 0 mesh corner.obj --no-cache
    [ -e "$XDG_CACHE_HOME" ] && fail "--no-cache keeps it"
    return 0
}

case_mesh_refuses_bad_input() {
    meshes
    refuse 'none.obj: there is no such file' mesh none.obj
    refuse 'mote mesh: FILE is missing, see mote mesh --help' mesh
    refuse 'mote mesh: --min-depth is 6, expected less than --max-depth, which is 6' mesh corner.obj --min-depth 6
    refuse 'mote mesh: --max-depth is 17, expected a whole number from 2 to 16' mesh corner.obj --max-depth 17
    refuse 'mote mesh: --tolerance is -1, expected a number from 0 on' mesh corner.obj --tolerance -1
    refuse 'mote mesh: unknown option --wled, did you mean --weld?' mesh corner.obj --wled
    sed -i 's/^f 2 3 4/f 2 3 5/' corner.obj
    run 2 mesh corner.obj
    grep -q '^corner.obj:8' "$err" || fail "no place"
    [ "$(wc -l <"$err")" -eq 1 ] || fail "more than one line"
    # Their volumes would be no numbers.
    printf 'v 0 0 0\nv 1e200 0 0\nv 0 1e200 0\nf 1 2 3\n' >vast.obj
    refuse 'vast.obj: vertex 2 is (1e+200, 0, 0), expected coordinates of at most 1e+90' mesh vast.obj
    printf 'v 0 0 0\nv 2e60 0 0\nv 0 2e60 0\nv 0 0 3e60\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >large.obj
    run 0 mesh large.obj
    grep -q '^volume      2e+180$' "$out" || fail "no volume"
    printf 'v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n' >line.obj
    run 0 mesh line.obj -o line --no-images
    grep -q '^proxy  *0 leaves with triangles' "$out" || fail "a proxy of something"
    cp line.obj line.dat
    refuse 'line.dat: cannot be written to: it is a file, expected a folder' mesh line.obj -o line.dat
    for weld in -1 x 1e999 nan 1x; do
        refuse "mote mesh: --weld is $weld, expected a number from 0 on, or nothing" mesh corner.obj --weld=$weld
    done
    refuse 'mote mesh: --weld is empty, expected X' mesh line.obj --weld=
    refuse 'large.obj: --weld=1e70 leaves no triangle of it, expected a smaller tolerance' mesh large.obj --weld=1e70
}

# What is written is read again as the same mesh, whatever it is written as.
case_mesh_writes_meshes() {
    meshes
    sed -e 's/^v 0 0 1$/v 0 0.1 0.333333333333333314/' faulty.obj >third.obj
    "$mote" mesh third.obj --weld --json --no-cache | sed 's/"file": "[^"]*", //; s/"proxy".*//' >welded
    for kind in ply obj STL; do
        run 0 mesh third.obj --weld -o made.$kind --no-cache
        grep -q "^written     made.$kind\$" "$out" || fail "it does not say what it wrote"
        [ -e made.$kind.partial ] && fail "a partial file is left"
        run 0 mesh made.$kind --json --no-cache
        sed 's/"file": "[^"]*", //; s/"proxy".*//' "$out" >again
        if [ $kind != STL ]; then diff welded again || fail "another mesh in made.$kind"; fi
        refuse "made.$kind: the file is there already, expected a new name, or --overwrite" mesh third.obj -o made.$kind
        run 0 mesh third.obj --weld -o made.$kind --overwrite --no-cache
    done
    run 0 mesh made.ply -o again.obj
    cmp made.obj again.obj || fail "OBJ by way of PLY is another"
    run 0 mesh made.STL -o again.ply
    run 0 mesh again.ply -o again.stl
    cmp made.STL again.stl || fail "STL by way of PLY is another"
    # Without --weld it is a conversion; a tolerance merges what lies near, and drops what collapses.
    run 0 mesh faulty.obj -o kept.obj
    [ "$(grep -c '^v' kept.obj)" -eq 6 ] || fail "vertices are lost without --weld"
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 0.001 0\nv 1 1 0\nv 0 1.001 0\nf 1 2 3\nf 4 5 6\nf 2 4 5\n' >near.obj
    run 0 mesh near.obj --weld=0.01 -o joined.obj
    grep -q '^welded      2 vertices fewer' "$out" || fail "not welded"
    grep -q '^dropped     1 triangle whose corners were merged$' "$out" || fail "no word of the triangle"
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n' | diff - joined.obj || fail "joined.obj"
    run 0 mesh near.obj --weld
    grep -q '^welded' "$out" && fail "without a tolerance, they are not at the same place"
    run 0 mesh faulty.obj
    grep -q -F -- '--weld merges them (with -o FILE.ply for good), in a scene "weld": true' "$out" || fail "no advice"
    # Never over the input, a folder of that name is a folder, and nothing is left where it fails.
    cp corner.obj input.obj
    ln input.obj link.obj
    for name in input.obj link.obj ./input.obj; do
        refuse "$name: would be written over, but is the file that is read, expected another name" \
            mesh input.obj -o $name --overwrite
    done
    cmp corner.obj input.obj || fail "the input has changed"
    mkdir folder.ply
    run 0 mesh corner.obj -o folder.ply --no-images
    [ -s folder.ply/mesh.vtp ] || fail "a folder is no folder"
    printf 'v 0 0 0\nv 1e60 0 0\nv 0 1e60 0\nf 1 2 3\n' >far.obj
    local line='mote mesh: far.stl: vertex 1 is (1e+60, 0, 0), beyond what the floats of STL hold'
    refuse "$line, expected at most 3.4e38; PLY and OBJ hold it" mesh far.obj -o far.stl --json
    run 1 mesh corner.obj -o none/a.ply
    grep -q '^mote mesh: none/a.ply: cannot be created' "$err" || fail "it does not say so"
    mkfifo pipe.stl
    cat pipe.stl >piped.stl &
    run 0 mesh corner.obj -o pipe.stl
    wait
    run 0 mesh piped.stl --check
}

# corner.off: the same as corner.obj.
off_mesh() {
    printf 'OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n' >corner.off
}

case_meshes_of_other_kinds_are_read() {
    [ -x "$(dirname "$mote")/mote-assimp" ] || exit 77
    off_mesh
    run 0 mesh corner.off --check
    grep -q '^mesh  *4 vertices, 4 triangles, 1 part' "$out" || fail "another mesh"
    local solid='{"name": "corner", "mesh": "corner.off", "scale": 0.1, "translate": [0.4, 0.15, 0.1]}'
    changed "s/\"blocks\"/\"solids\": [$solid], \"blocks\"/"
    run 0 run changed.json --no-images --frames 1 -q -o made
    [ -s made/mesh_corner.ply ] || fail "no mesh_corner.ply"
    MOTE_IMPORT_SECONDS=0.001 refuse 'corner.off: Assimp takes longer than 0.001 s to read it (MOTE_IMPORT_SECONDS)' \
        mesh corner.off
    MOTE_IMPORT_MEGABYTES=x refuse 'MOTE_IMPORT_MEGABYTES is x, expected a number from 1 to 1e+09' mesh corner.off
    refuse 'none.off: there is no such file' mesh none.off
    cp corner.off corner.what
    refuse 'corner.what: unknown kind of mesh, also to Assimp' mesh corner.what
    sed -i '2s/4/5/' corner.off
    run 2 mesh corner.off
    [ "$(wc -l <"$err")" -eq 1 ] || fail "not one line"
    run 2 run changed.json --no-images --frames 1 -q -o broken
    [ -e broken ] && fail "something was written"
    return 0
}

case_meshes_of_other_kinds_need_a_program() {
    off_mesh
    cp "$mote" ./mote
    "$base/here/mote" mesh corner.off >"$out" 2>"$err"
    [ $? -eq 2 ] || fail "not 2"
    local line='corner.off: unknown kind of mesh, expected .obj, .ply, .stl or .vtp; other kinds take mote-assimp'
    [ "$(cat "$err")" = "$line, which is built where Assimp is found (Debian: libassimp-dev)" ] || fail "another line"
    mkdir ../libexec
    printf '#!/bin/sh\necho "it says: $1, $2, $3"\nexit 1\n' >../libexec/mote-assimp
    chmod +x ../libexec/mote-assimp
    "$base/here/mote" mesh corner.off >"$out" 2>"$err"
    [ $? -eq 2 ] || fail "not 2"
    [ "$(cat "$err")" = 'corner.off: it says: 60, 4096, corner.off' ] || fail "not what is installed"
}

# -------------------------------------------------------------------------------------------------------- validate

# json_check FILE EXPRESSION: the object x that the file holds fulfils it.
json_check() {
    local check='import json, sys; x = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))'
    /usr/bin/python3 -c "$check" "$1" "$2" || fail "not: $2"
}

case_validate_lists_its_cases() {
    run 0 validate --list
    for word in '^hydrostatic ' '^taylor-green ' 'wave-re2500 ' '50 (quick)' '≤ 0.007' 'Ghia, Ghia & Shin 1982'; do
        grep -q -e "$word" "$out" || fail "no $word"
    done
    # Every scene has its file, every case its page and its plot, and every folder is a case.
    run 0 validate --list --json
    json_check "$out" 'all(c["meaning"] and s["checks"] and s["resolutions"] for c in x["cases"] for s in c["scenes"])'
    /usr/bin/python3 -c 'import json, sys
for c in json.load(open(sys.argv[1]))["cases"]:
    files = [s["scene"] + ".json" for s in c["scenes"]] + ["README.md", "plot.gnuplot"]
    for name in files: print(c["case"] + "/" + name)' \
        "$out" >wanted || fail "no cases"
    while read -r name; do [ -s "$root/scenes/validation/$name" ] || fail "no $name"; done <wanted
    diff <(cut -d/ -f1 wanted | sort -u) <(ls "$root/scenes/validation") || fail "folders are not cases"
}

case_validate_refuses_what_it_does_not_know() {
    refuse 'mote validate: unknown case hydrostatik, did you mean hydrostatic?' validate hydrostatik
    refuse 'mote validate: unknown case wave-re50, did you mean wave-re500?' validate drop wave-re50
    refuse 'mote validate: unknown case everything, expected one of those that mote validate --list names' \
        validate everything
    local expected="expected the folder scenes/validation of mote's sources; --scenes names it"
    refuse "mote validate: none has no case hydrostatic, $expected" validate drop --scenes none
    refuse 'mote validate: unknown option --ful, did you mean --full?' validate --ful
    expected='no chosen case has it, expected one that mote validate --list names'
    refuse "mote validate: --resolution 7: $expected" validate drop --resolution 7
    refuse "mote validate: --resolution 2: $expected" validate cylinder --resolution 2
    expected='expected one of those that mote scene --help names'
    refuse "mote validate: --preset is enginering, $expected; did you mean engineering?" validate --preset enginering
    refuse "mote validate: --preset is x, $expected" validate drop --preset x
    refuse 'mote validate: no chosen case is in the quick set, expected --full or --resolution' validate sloshing
}

# A forecast is that of the runs that are wanted, and says how many of them there are.
case_validate_forecasts_the_runs_that_are_wanted() {
    run 0 validate taylor-green --full --resolution 25 --preset engineering
    grep -q '^all 1 run: about .*, by the first steps of each$' "$err" || fail "not one run"
    run 0 validate taylor-green --full --resolution 25
    grep -q '^all 1 run: about .*, by the first steps of each$' "$err" || fail "others cannot run it"
    run 0 validate hydrostatic-2d --full --resolution 20
    grep -q '^all 3 runs: about .*, by the first steps of each$' "$err" || fail "not those of three presets"
    run 0 validate taylor-green --full --resolution 25 --preset document
    grep -q '^none of 1 run can be made$' "$err" || fail "not none"
}

# Other presets are told beside the one that is judged, unless one is named; and which scenes they cannot run.
case_validate_tells_other_presets_beside() {
    run 0 validate hydrostatic-2d taylor-green
    local preset
    for preset in fast document; do
        grep -q "^hydrostatic-2d  *$preset .* told " "$out" || fail "$preset is not told beside"
        grep -q "^taylor-green  *$preset " "$out" && fail "taylor-green has no row of $preset"
        grep -qx "$preset cannot run taylor-green" "$out" || fail "it does not say that $preset cannot run taylor-green"
    done
    grep -Eq '(fast|document) .* (pass|fail) ' "$out" && fail "they are judged"
    [ -s "$err" ] && fail "there are messages"
    run 0 validate hydrostatic-2d --preset engineering
    grep -Eq 'fast|document' "$out" && fail "another preset than the one that was named"
    run 0 validate taylor-green --json
    python3 -c 'import json, sys
made = json.load(open(sys.argv[1]))
assert made["cannot_run"] == {"fast": ["taylor-green"], "document": ["taylor-green"]}, made["cannot_run"]
assert {row["preset"] for row in made["rows"]} == {"engineering"}' "$out" || fail "not so in JSON"
    # Three resolutions, and all but the finest with each of the others.
    "$mote" validate hydrostatic-3d --full >"$out" 2>"$err" &
    local run=$! k
    for ((k = 0; k < 600; ++k)); do
        grep -q 'by the first steps' "$err" && break
        sleep 0.1
    done
    kill -TERM $run
    wait $run
    grep -q '^all 7 runs: about ' "$err" || fail "not 7 runs"
}

case_converge_finds_orders() {
    refuse 'mote converge: SCENE is missing, see mote converge --help' converge
    local expected='expected three lengths above 0, from the largest: 0.02,0.01,0.005'
    refuse "mote converge: --spacing is missing, $expected" converge "$scene"
    refuse "mote converge: --spacing is 0.1,0.2,0.05, $expected" converge "$scene" --spacing 0.1,0.2,0.05
    refuse "mote converge: --spacing is 0.1,0.05, $expected" converge "$scene" --spacing 0.1,0.05
    run 2 converge none.json --spacing 0.1,0.05,0.025
    # What is wrong with one of the spacings only stands in a line of the file, too.
    changed 's/"end_time"/"dimensions": 2, &/; s/"spacing": 0.05/&, "preset": "engineering"/
        s/"tank".*$/"periodic": {"min": [0, 0, 0], "max": [0.6, 0, 0.6], "x": true},/'
    refuse 'changed.json:7:17: periodic: the box is 0.6 wide along x, expected at least two supports of 0.4' \
        converge changed.json --spacing 0.1,0.05,0.025
    changed 's/0.3, 0.4, 0.3/0.3, 0.4, 0.07/'
    run 2 converge changed.json --spacing 0.1,0.05,0.025
    grep -q '^changed.json:8:42: blocks\[0\].max is .*, expected at least fluid.spacing more than ' \
        "$err" || fail "no place of the block"
    run 0 converge "$scene" --spacing 0.1,0.0666,0.05
    grep -q '^kinetic_energy  *J ' "$out" || fail "no kinetic energy"
    changed 's/"tank"/'"$gauges"' &/'
    run 0 converge changed.json --spacing 0.1,0.0666,0.05
    grep -q '^E.total  *J ' "$out" && grep -q '^h  *m ' "$out" || fail "no gauges"
    run 0 converge "$scene" --spacing 0.1,0.0666,0.05 --json
    json_check "$out" 'len(x["spacings"]) == 3 and all(len(r["values"]) == 3 for r in x["rows"])'
    # Two refinements: p = ln(e32/e21)/ln 2 where both halve, and the value tends to f + (f - f2)/(2^p - 1).
    run 0 converge "$scene" --spacing 0.2,0.1,0.05 --json
    json_check "$out" 'all(r["order"] is None or
        abs(2 ** r["order"] * (r["values"][1] - r["values"][2]) / (r["values"][0] - r["values"][1]) - 1) < 1e-4 and
        abs(r["extrapolated"] - r["values"][2] - (r["values"][2] - r["values"][1]) / (2 ** r["order"] - 1)) <
        1e-6 * abs(r["values"][2]) for r in x["rows"])'
}

# ----------------------------------------------------------------------------------------------------------- bench

case_an_installed_mote_has_its_bench() {
    local build
    build=$(dirname "$(dirname "$mote")")
    [ -x "$build/bin/mote-bench" ] || exit 77
    cmake --install "$build" --prefix "$PWD/prefix" --component program >"$out" 2>&1 || fail "it cannot be installed"
    mote=$PWD/prefix/bin/mote refuse 'mote bench: NAME is missing, see mote bench --help' bench
    mote=$PWD/prefix/bin/mote run 0 bench --help
    grep -q 'Benchmarks:' "$out" || fail "no help of the benchmark"
}

case_bench_needs_its_program() {
    cp "$mote" ./mote
    "$base/here/mote" bench neighbors >"$out" 2>"$err"
    [ $? -eq 1 ] || fail "not 1"
    grep -q 'mote-bench is not there' "$err" || fail "it does not say what is missing"
    printf '#!/bin/sh\necho "$*"\nexit 7\n' >mote-bench
    chmod +x mote-bench
    "$base/here/mote" bench neighbors --count 3 >"$out" 2>"$err"
    [ $? -eq 7 ] || fail "the status of mote-bench is lost"
    [ "$(cat "$out")" = 'neighbors --count 3' ] || fail "the words are lost"
}

# Verified rows of a benchmark with a workload.
run_rows() { # BENCH WORKLOAD
    "$mote" bench "$1" --json --count 500 --threads 1 --repeat 1 --method cell_grid --workload "$2" |
        grep -c '"verified": true'
}

# Into a pipe, too: the first row can be read while the benchmark still runs.
case_bench_prints_rows_as_they_come() {
    [ -x "$(dirname "$mote")/mote-bench" ] || exit 77
    mkfifo pipe
    "$mote" bench neighbors --method cell_grid --workload lattice,uniform --count 100000 --threads 1 --repeat 50 \
        >pipe 2>"$err" &
    local child=$! heading row
    exec 3<pipe
    read -r heading <&3
    read -r row <&3
    kill $child || fail "it ended before its first row could be read"
    wait $child
    [ "${heading%% *} ${row%% *}" = 'workload lattice' ] || fail "not a heading and a row: $heading $row"
    run 0 bench neighbors --method cell_grid --workload lattice,uniform --count 500 --threads 1 --repeat 1 --json
    python3 -m json.tool "$out" >"$err" || ! command -v python3 >"$err" || fail "rows are no JSON"
}

case_bench_refuses_what_it_does_not_know() {
    [ -x "$(dirname "$mote")/mote-bench" ] || exit 77
    refuse "mote bench: no row is called 'octopus', expected methods or peers of neighbors" \
        bench neighbors --count 100 --method octopus
    refuse "mote bench: unknown workload 'sea', expected one of those of mote bench --help" \
        bench neighbors --workload sea
    refuse "mote bench: --count is '0', expected a number from 1 to 100000000" bench neighbors --count 0
    refuse "mote bench: --workload has no value, expected names of workloads, separated by commas" \
        bench neighbors --workload
    for benchmark in broadphase hits raster; do
        refuse "mote bench: unknown workload 'lattice', expected one of those of mote bench --help" \
            bench $benchmark --workload lattice
    done
    refuse "mote bench: unknown workload 'sparse', expected one of those of mote bench --help" \
        bench neighbors --workload lattice,sparse
    run 0 bench -h
    run 0 bench neighbors --count 100 --method all_pairs --workload uniform
    [ "$(run_rows neighbors sparse2d)" -eq 3 ] || fail "sparse2d does not name its three workloads"
    [ "$(run_rows visitor sparse2d_5)" -eq 2 ] || fail "no row of visitor"
    [ "$(run_rows knn uniform)" -eq 1 ] || fail "no row of knn"
    grep -q '^uniform  *all_pairs  *100 ' "$out" || fail "no row"
    run 0 bench neighbors --count 500 --threads 1 --workload moving --method auto,cell_hash_incremental
    grep -q '^moving  *cell_hash_incremental .* x auto$' "$out" || fail "no ratio to auto"
    grep -q 'NOT VERIFIED' "$out" && fail "not verified"
    return 0
}

case_bench_checks_hits_and_pairs() {
    [ -x "$(dirname "$mote")/mote-bench" ] || exit 77
    printf 'v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n' >corner.obj
    run 0 bench hits --mesh corner.obj --count 5000 --threads 1 --repeat 1
    for row in 'box  *hits' 'surface  *proxy (approx, no labels)' 'surface  *proxy (approx) .* for each true'; do
        grep -q "^$row" "$out" || fail "no row '$row'"
    done
    grep -q 'NOT VERIFIED' "$out" && fail "not verified"
    run 0 bench hits --json --mesh corner.obj --count 5000 --threads 1 --repeat 1 --workload box --method proxy
    [ "$(grep -c '"verified": true}' "$out")" -eq 2 ] || fail "not two rows that were checked"
    run 0 bench raster --count 500 --threads 2 --repeat 1 --workload mixed
    for row in raster neighbors brute_force scan_line; do grep -q "^mixed  *$row " "$out" || fail "no row $row"; done
    grep -q 'NOT VERIFIED' "$out" && fail "not verified"
    return 0
}

declare -F "case_$name" >/dev/null || { echo "no case $name"; exit 2; }
"case_$name"
