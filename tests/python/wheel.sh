#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The wheel is what it should be, installs into an empty environment without network, and passes tests from there.
# usage: wheel.sh ROOT WORK      exit status 77: not a long test, or the build back end cannot be had
set -euo pipefail
export PYTHONNOUSERSITE=1
root=$1 work=$2 python=/usr/bin/python3
[ "${MOTE_LONG_TESTS-}" ] || { echo 'a long test: MOTE_LONG_TESTS=1 runs it'; exit 77; }
mkdir -p "$work"
rm -rf "$work/environment"
$python -m venv --system-site-packages "$work/environment" || { echo 'no venv'; exit 77; }  # whose numpy serves
status=0
PYTHON=$work/environment/bin/python bash "$root/scripts/wheel.sh" "$work" || status=$?
[ $status -ne 2 ] || exit 77
[ $status -eq 0 ] || exit 1
"$work/environment/bin/python" -m pip install -q --no-index --no-deps --force-reinstall "$work"/mote-*.whl
cd "$root/tests/python"
unset PYTHONPATH MOTE_PYTHON_FOLDER
MOTE_TEST_INSTALLED=1 "$work/environment/bin/python" -m pytest -q -p no:cacheprovider \
    test_neighbors.py test_points.py test_objects.py test_threads.py
