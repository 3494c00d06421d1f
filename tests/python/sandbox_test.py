# SPDX-License-Identifier: Apache-2.0
"""The sandbox around a candidate (cli/python/gradproof/candidate/sandbox.py), and what is said where there is none."""
import http.server
import os
import pathlib
import re
import shutil
import subprocess
import sys
import threading

import pytest

from trial_support import check, counts
from cheats import CHEATS, HEAD

WORKS = subprocess.run(["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"], capture_output=True, check=False).returncode == 0 \
    if shutil.which("bwrap") else False
needs_bwrap = pytest.mark.skipif(not WORKS, reason="bubblewrap is not installed, or cannot make namespaces here")
ALONE = ("--no-backward", "--steps", "0")


def candidate(act):
    return HEAD.format(reference="reference") + (
        "import pathlib, socket\nclass ModelNew(Right):\n    def forward(self, x):\n"
        "        try:\n            " + act + "\n        except OSError as error:\n"
        "            raise RuntimeError(type(error).__name__ + str(error.errno)) from None\n        return self.right(x)\n")


@pytest.fixture
def server():
    """A port of this machine on which somebody answers."""
    found = http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler)
    threading.Thread(target=found.serve_forever, daemon=True).start()
    yield found.server_address[1]
    found.shutdown()
    found.server_close()


@needs_bwrap
def test_a_candidate_that_writes_into_the_home_folder(tmp_path, monkeypatch):
    home = pathlib.Path.cwd() / f"home_{os.getpid()}"  # not in /tmp, which is another one within
    home.mkdir()
    monkeypatch.setenv("HOME", str(home))
    try:
        act = "pathlib.Path.home().joinpath('left').write_text('behind')"
        said, code = check(tmp_path, candidate(act), *ALONE)
        assert code == 1 and "raised RuntimeError: OSError30" in said and not (home / "left").exists(), said  # EROFS
        said, code = check(tmp_path, candidate(act), "--sandbox", "none", *ALONE)
        assert code == 0 and (home / "left").exists(), said
    finally:
        shutil.rmtree(home)


@needs_bwrap
def test_a_candidate_that_opens_a_socket(tmp_path, server):
    act = f"socket.create_connection(('127.0.0.1', {server}), 5).close()"
    said, code = check(tmp_path, candidate(act), *ALONE)
    assert code == 1 and re.search("raised RuntimeError: ConnectionRefusedError", said), said
    said, code = check(tmp_path, candidate(act), "--sandbox", "none", *ALONE)
    assert code == 0, said


@needs_bwrap
def test_a_folder_of_its_own_for_what_is_temporary(tmp_path):
    act = "pathlib.Path('/tmp/left_by_a_candidate').write_text('within')"
    said, code = check(tmp_path, candidate(act), "--sandbox", "require", *ALONE)
    assert code == 0 and not pathlib.Path("/tmp/left_by_a_candidate").exists() and "no sandbox" not in said, said


@needs_bwrap
def test_inputs_cannot_be_written(tmp_path):
    # Folders of an earlier trial stand there too.
    act = f"[file.write_bytes(b'') for file in pathlib.Path({str(tmp_path)!r}).glob('gradproof-*/*/inputs.safetensors')]"
    said, code = check(tmp_path, candidate(act), *ALONE)
    assert code == 1 and "raised RuntimeError: OSError30" in said, said
    said, code = check(tmp_path, candidate(act), "--sandbox", "none", *ALONE)
    assert code == 1 and "it wrote into the files of its inputs" in said, said


@needs_bwrap
@pytest.mark.parametrize("name", ["segfaults", "exits_at_once", "product_in_bfloat16", "answers_that_are_none"])
def test_what_convicts_a_cheat_is_the_same_without(tmp_path, name):
    text, says = CHEATS[name]
    for sandbox in ("none", "require"):
        said, code = check(tmp_path, HEAD.format(reference="reference") + text, "--sandbox", sandbox)
        assert code == 1 and re.search(says, said), said


def test_without_bubblewrap_it_is_said(tmp_path, monkeypatch):
    """Its own programs alone are on PATH; then a bwrap that can make no namespace."""
    monkeypatch.setenv("PATH", str(tmp_path))
    text = HEAD.format(reference="reference") + "class ModelNew(Right):\n    pass\n"
    no_permission = "bwrap: No permissions to create new namespace"
    for why in ("bubblewrap is not installed (bwrap)", f"bwrap cannot make one here: {no_permission}"):
        said, code = check(tmp_path, text, *ALONE)
        assert code == 0 and counts(said)["failed"] == 0 and f"no sandbox: {why}; the candidate can write what you can" in said, said
        said, code = check(tmp_path, text, "--sandbox", "require")
        assert code == 2 and f"--sandbox=require: {why}" in said and len(said.splitlines()) == 1, said
        (tmp_path / "bwrap").write_text(f"#!{sys.executable}\nimport sys\nsys.exit('{no_permission}')\n")
        (tmp_path / "bwrap").chmod(0o755)
