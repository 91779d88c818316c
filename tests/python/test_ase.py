# SPDX-License-Identifier: MIT
"""mote.neighbor_list against ASE's own."""

import importlib
import os

import numpy as np
import pytest

import mote
from oracle import random_cell

ase = pytest.importorskip("ase")
neighborlist = pytest.importorskip("ase.neighborlist")


def pairs_of(i, j, S, *more):
    return {(a, b, *s): values for a, b, s, *values in zip(i.tolist(), j.tolist(), S.tolist(), *more)}


def compare(atoms, cutoff, **keywords):
    ours = mote.neighbor_list("ijSdD", atoms, cutoff, **keywords)
    theirs = neighborlist.neighbor_list("ijSdD", atoms, cutoff, **keywords)
    for a, b in zip(ours, theirs):
        assert a.dtype == b.dtype and a.shape == b.shape
    i, j, S, d, D = ours
    assert np.all(np.diff(i) >= 0)
    found, expected = pairs_of(i, j, S, d), pairs_of(theirs[0], theirs[1], theirs[2], theirs[3])
    assert found.keys() == expected.keys()
    assert all(abs(found[key][0] - expected[key][0]) < 1e-12 for key in found)
    assert (
        np.abs(D - (atoms.positions[j] - atoms.positions[i] + S @ np.asarray(atoms.get_cell(complete=True)))).max(
            initial=0
        )
        < 1e-12
    )
    return len(i)


@pytest.mark.parametrize("block", range(10))
def test_random_cells(block):
    """Skewed, flat, periodic in some directions, atoms outside, cutoffs up to twice the cell; 200 in long runs."""
    for seed in range(20 * block, 20 * block + (20 if "MOTE_LONG_TESTS" in os.environ else 4)):
        random = np.random.default_rng(seed)
        cell = random_cell(random, flat=seed % 4 == 0)
        count = int(random.integers(1, 12))
        atoms = ase.Atoms(
            numbers=random.integers(1, 4, count),
            positions=random.uniform(-1, 2, (count, 3)),
            cell=cell,
            pbc=random.integers(0, 2, 3),
        )
        size = np.cbrt(abs(np.linalg.det(cell)))
        compare(atoms, random.uniform(0.2, 2.0) * size)


# The cell of seed 0 is so thin that ASE takes seconds for it.
@pytest.mark.parametrize("seed", range(20) if "MOTE_LONG_TESTS" in os.environ else range(1, 8))
@pytest.mark.parametrize("own", [False, True])
def test_cutoffs(seed, own):
    random = np.random.default_rng(seed)
    count = 15
    atoms = ase.Atoms(
        numbers=random.choice([1, 6, 8], count),
        positions=random.uniform(0, 3, (count, 3)),
        cell=random_cell(random) * 2,
        pbc=random.integers(0, 2, 3),
    )
    for cutoff in (
        1.0,
        {("H", "H"): 1.1, ("C", "H"): 1.3, (8, 6): 1.5, ("Au", "H"): 3.0, (6, 6): 0.9},
        random.uniform(0.0, 0.8, count),
        {("H", 1): 0.0},
        list(random.uniform(0.1, 0.8, count)),
    ):
        compare(atoms, np.asarray(cutoff) if isinstance(cutoff, list) else cutoff, self_interaction=own)


def test_crystals():
    build = pytest.importorskip("ase.build")
    for atoms in (
        build.bulk("Cu"),
        build.bulk("NaCl", "rocksalt", a=5.64),
        build.bulk("Si", cubic=True) * (2, 1, 1),
        build.molecule("CH3CH2OH"),
        build.fcc111("Al", (2, 2, 3), vacuum=5),
    ):
        assert compare(atoms, 4.1) > 0
        compare(atoms, np.asarray(neighborlist.natural_cutoffs(atoms)))
    # Atoms at exactly the cutoff are not neighbours, in both.
    atoms = ase.Atoms("H2", positions=[[0, 0, 0], [1, 0, 0]])
    assert compare(atoms, 1.0) == 0 and compare(atoms, np.nextafter(1.0, 2)) == 2


def test_forms():
    atoms = ase.Atoms("H3", positions=[[0, 0, 0], [1, 0, 0], [0, 1, 0]])
    i = mote.neighbor_list("i", atoms, 1.2)
    assert isinstance(i, np.ndarray) and i.tolist() == [0, 0, 1, 2]
    a, b = mote.neighbor_list("jj", atoms, 1.2)
    assert a.tolist() == b.tolist() == [1, 2, 0, 0]
    for empty in (ase.Atoms(), atoms[:1]):
        assert (
            compare(empty, 1.0) == 0
            if len(empty)
            else [len(x) for x in mote.neighbor_list("ijdDS", empty, 1.0)] == [0] * 5
        )
    cell, scaled = np.diag([2.0, 3, 4]), np.random.default_rng(0).random((20, 3))
    ours = mote.primitive_neighbor_list("ijd", [True] * 3, cell, scaled, 1.0, use_scaled_positions=True)
    theirs = neighborlist.primitive_neighbor_list("ijd", [True] * 3, cell, scaled, 1.0, use_scaled_positions=True)
    assert sorted(zip(ours[0], ours[1])) == sorted(zip(theirs[0], theirs[1]))
    assert len(mote.neighbor_list("i", atoms, 0.0)) == 0


def primitive(atoms, **changed):
    given = dict(pbc=True, cell=np.eye(3), positions=atoms.positions, cutoff=0.1)
    return mote.primitive_neighbor_list("ij", **{**given, **changed})


@pytest.mark.parametrize(
    "call, text",
    [
        (lambda a: mote.neighbor_list("ijx", a, 1.0), "quantity 'x'"),
        (lambda a: mote.neighbor_list("", a, 1.0), "no quantity"),
        (lambda a: mote.neighbor_list("ij", a, -1.0), "cutoff is -1.0, expected a finite number, 0 or more"),
        (lambda a: mote.neighbor_list("ij", a, np.nan), "cutoff"),
        (lambda a: mote.neighbor_list("ij", a, [1.0]), "radius for each atom"),
        (lambda a: mote.neighbor_list("ij", a, None), "cutoff is None, expected a finite number, 0 or more"),
        (lambda a: mote.neighbor_list("ij", a, "1"), "cutoff is '1', expected a finite"),
        (lambda a: mote.neighbor_list("ij", a, 1j), "cutoff is 1j, expected a finite"),
        (lambda a: mote.neighbor_list("ij", a, ["1", "2"]), "cutoff: .*, expected a radius for each atom"),
        (lambda a: mote.neighbor_list("ij", 3, 1.0), "a: 3, expected atoms, with positions, cell and pbc"),
        (lambda a: mote.neighbor_list(["i"], a, 1.0), r"quantities are \['i'\], expected a text"),
        (lambda a: mote.neighbor_list("ij", a, {("H", None): 1}), "cutoff: species is None, expected a chemical"),
        (lambda a: mote.neighbor_list("ij", a, {("H", "H"): None}), "cutoff of .* is None, expected a finite"),
        (lambda a: primitive(a, pbc=[1, 1]), r"pbc: \[1, 1\], expected True, False, or one of them for each of 3"),
        (lambda a: primitive(a, pbc="abc"), "pbc: 'abc', expected"),
        (lambda a: primitive(a, pbc=None), "pbc: None, expected"),
        (lambda a: primitive(a, cell=None), "cell: None, expected its vectors as rows"),
        (lambda a: primitive(a, cell=np.eye(2)), r"cell: shape \(2, 2\), expected its vectors as rows"),
        (lambda a: primitive(a, cell=np.eye(3) * 1j), "cell: .*complex128, expected its vectors"),
        (lambda a: primitive(a, positions=None), "positions: None, expected numbers of shape"),
        (lambda a: primitive(a, positions=a.positions + 0j), "positions: .*complex128, expected numbers"),
        (lambda a: primitive(a, positions=a.positions.astype(str)), "positions: .*, expected numbers"),
        (lambda a: primitive(a, positions=a.positions[:, :2]), r"positions: shape \(2, 2\), expected \(n, 3\)"),
        (lambda a: primitive(a, cutoff={(1, 1): 1}, numbers=[1, 2, 3]), r"numbers: .* for each atom, shape \(2,\)"),
        (lambda a: mote.neighbor_list("ij", a, {("H", "Xx"): 1}), "species 'Xx'"),
        (lambda a: mote.neighbor_list("ij", a, {"H": 1}), "pair of species"),
        (lambda a: mote.neighbor_list("ij", a, {("H", "H"): -1}), "cutoff of"),
        (
            lambda a: mote.primitive_neighbor_list("ij", [1, 1, 1], np.zeros((3, 3)), a.positions, {(1, 1): 1}),
            "atomic numbers",
        ),
    ],
)
def test_refused(call, text):
    with pytest.raises(ValueError, match=text):
        call(ase.Atoms("H2", positions=[[0, 0, 0], [1, 0, 0]]))


def test_plugin():
    """ASE's plug-ins find mote where ASE has them; elsewhere nothing breaks."""
    from mote import _ase_plugin

    try:
        importlib.import_module("ase._4.plugins.neighborlist")
    except ImportError:
        assert _ase_plugin.__ase_plugins__ == set()
    else:
        assert {plugin.name for plugin in _ase_plugin.__ase_plugins__} == {"mote"}
    atoms = ase.Atoms("H2", positions=[[0, 0, 0], [1, 0, 0]])
    assert _ase_plugin.neighbor_list("ij", atoms, 1.5, self_interaction=True)[0].tolist() == [0, 0, 1, 1]
