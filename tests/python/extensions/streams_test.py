# SPDX-License-Identifier: Apache-2.0
"""cli/python/gradproof/candidate/streams.py: which of two runs says that a candidate launches on the default stream."""
import contextlib
import os
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli" / "python"))
from gradproof import tensor_files  # noqa: E402
from gradproof.candidate import layouts, streams  # noqa: E402


def written(first, again):
    return {f"{part}/result0": tensor_files.Data("float32", [1], data) for part, data in (("first", first), ("again", again))}


RIGHT, LATE, OTHER = b"good", b"late", b"next"
# What a run on the caller's stream and one on the default stream write: whether it is found, and which is judged.
RUNS = {
    "alike": (written(RIGHT, RIGHT), written(RIGHT, RIGHT), False, RIGHT),
    "wrong on the caller's alone": (written(LATE, LATE), written(RIGHT, RIGHT), True, RIGHT),
    "other bits in each call there": (written(LATE, OTHER), written(RIGHT, RIGHT), True, RIGHT),
    "other bits in each call anywhere": (written(LATE, OTHER), written(RIGHT, LATE), False, LATE),
}


@pytest.mark.parametrize("name", RUNS)
def test_a_difference_is_the_streams(name, monkeypatch):
    own, default, is_found, judged = RUNS[name]
    monkeypatch.setattr(layouts, "own_stream", lambda device: contextlib.nullcontext())
    runs, tried = iter((own, default)), streams.Streams("cuda", "own")
    found = tried.run(lambda: next(runs))
    assert tried.is_found == tried.is_default == is_found
    assert streams.of_part(found, "first") == {"result0": judged}


@pytest.mark.parametrize("device, stream", [("cuda", "default"), ("cpu", "own")])
def test_where_there_is_no_choice_one_run_is_enough(device, stream):
    tried = streams.Streams(device, stream)
    assert tried.run(lambda: RUNS["alike"][0]) is RUNS["alike"][0] and not tried.is_found
