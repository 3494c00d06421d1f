# SPDX-License-Identifier: Apache-2.0
"""The program that stays and judges (cli/python/gradproof/resident.py): its verdicts, its life and its files."""
import json
import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch

from function_support import PACKAGE, normal, program  # noqa: F401 (the fixture)

import gradproof  # isort: skip
from gradproof import failures, resident  # isort: skip
from resident_support import LINE, check, children, is_there, norm, process, tensors, wait_until, wrong  # isort: skip

def judged_by_both(tmp_path, program, function):
    """What the resident and a process of its own say of the same files: exit code, text and records."""
    given = tensors()
    leaves = {name: tensor.requires_grad_() for name, tensor in given.items()}
    y, dy = function(**leaves), normal(6, 32, seed=5)
    y.backward(dy)
    paths = tmp_path / "inputs.safetensors", tmp_path / "outputs.safetensors"
    gradproof.tensor_files.write(paths[0], {**leaves, "dy": dy})
    gradproof.tensor_files.write(paths[1], {"y": y, **{f"d_{name}": leaf.grad for name, leaf in leaves.items()}})
    words = ["judge", "--pipeline", LINE, "--inputs", str(paths[0]), "--outputs", str(paths[1])]
    answer = resident.run(*words, "--records", str(tmp_path / "kept"))  # so that LibTorch is asked by both
    done = subprocess.run([program, *words, "--records", tmp_path / "records"], capture_output=True, text=True, check=False)
    lines = next((tmp_path / "records").glob("*.jsonl")).read_text().splitlines()
    records = [record for record in map(json.loads, lines) if record.get("tensor")]
    return (answer.code, answer.output, answer.records), (done.returncode, done.stdout, records)


def without_times(said):
    code, text, records = said
    lines = [line.partition(" seconds=")[0] for line in text.splitlines() if not line.startswith("peak memory")]
    passing = ("seconds", "part", "sum", "crc")  # of the clock, and of the file of a run
    return code, lines, [{key: value for key, value in record.items() if key not in passing} for record in records]


@pytest.mark.parametrize("function, code", [(norm, 0), (wrong, 1)])
def test_it_says_what_a_process_of_its_own_says(tmp_path, program, function, code):
    by_it, alone = map(without_times, judged_by_both(tmp_path, program, function))
    assert by_it == alone
    assert by_it[0] == code and len(by_it[2]) == 3


def test_nothing_starts_before_the_first_use():
    text = ("import sys, os, pathlib; before = set(sys.modules); import gradproof; "
            "print([name for name in ('torch', 'numpy') if name in sys.modules], gradproof.resident._keeper.resident)")
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE)})
    assert done.stdout == "[] None\n"


def test_it_stays_from_one_check_to_the_next():
    check()
    first = process().pid, children(process().pid)
    check()
    assert (process().pid, children(process().pid)) == first


def test_a_worker_that_is_killed_costs_nothing():
    check()
    before, (worker, *others) = process().pid, children(process().pid)
    os.kill(worker, signal.SIGKILL)
    check()
    with pytest.raises(gradproof.Convicted):
        check(wrong)
    assert process().pid == before
    later = children(before)
    assert worker not in later and set(others) < set(later) and len(later) == 1 + len(others)
    check()
    assert children(before) == later, "the new one stays too"


def test_sets_have_a_worker_for_each_core_and_no_more_than_four():
    check(inputs="hard")
    assert len(children(process().pid)) == min(4, len(os.sched_getaffinity(0)))


def test_a_process_of_xdist_has_one_worker(monkeypatch):
    gradproof.resident._keeper.end()
    gradproof.resident._keeper.forget()
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    check(inputs="hard")
    assert len(children(process().pid)) == 1
    gradproof.resident._keeper.end()
    gradproof.resident._keeper.forget()


def test_one_that_is_killed_is_started_anew_and_files_of_before_are_there():
    found = check()
    before = process().pid
    os.kill(before, signal.SIGKILL)
    with pytest.raises(gradproof.Convicted):
        check(wrong)
    check()
    assert process().pid != before
    assert found.sees() == {"y.eps": 10.0}


def test_one_that_cannot_stay_is_named(tmp_path, monkeypatch):
    path = tmp_path / "gradproof"
    path.write_text("#!/bin/sh\necho no such library >&2\nexit 127\n")
    path.chmod(0o755)
    monkeypatch.setenv("GRADPROOF", str(path))
    with pytest.raises(gradproof.ProgramError, match="serve: no such library"):
        check()
    own, other = tmp_path / "gradproof-serve-1", tmp_path / "other"
    own.mkdir()
    other.mkdir()
    path.write_text(f'#!/bin/sh\necho \'{{"serve":3,"folders":["{other}"]}}\'\nread line\n')
    with pytest.raises(gradproof.ProgramError, match="or names folders that are not its own"):
        check()
    path.write_text(f'#!/bin/sh\necho \'{{"serve":3,"folders":["{own}"]}}\'\nread line\nkill -9 $$\n')
    with pytest.raises(gradproof.ProgramError, match="asked 'python' twice: it was ended by SIGKILL"):
        gradproof.check(norm, LINE + " ", **tensors())


def test_a_forked_child_has_one_of_its_own():
    check()
    before = process().pid
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        told = "nothing"
        try:
            check()
            check(wrong)
        except gradproof.Convicted:
            told = f"convicted {process().pid != before}"
        finally:
            os.write(writer, told.encode())
            resident._keeper.end()
            os._exit(0)
    os.close(writer)
    assert os.read(reader, 100) == b"convicted True"
    os.waitpid(child, 0)
    os.close(reader)
    check()
    assert process().pid == before


def test_threads_share_it():
    said = []

    def run(function):
        try:
            check(function)
            said.append(function)
        except gradproof.Convicted:
            said.append(None)

    threads = [threading.Thread(target=run, args=(function,)) for function in (norm, wrong) * 4]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert said.count(norm) == said.count(None) == 4


def test_an_answer_that_was_not_waited_for_is_not_the_next_ones():
    check()

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.2)
            for _ in range(1000):
                resident.run("check", "{" + LINE + "} rows=2048 cols=1024", "--no-shrink")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    found = check()
    assert found.tensors("Passed") == ["y", "d_x", "d_weight"]


BUSY = """
import os, sys, threading, torch, gradproof
from gradproof import resident
gradproof.check(torch.tanh, "y = tanh(x)", x=torch.randn(4, 8), inputs="given")
kept = resident._keeper.resident
print(kept.process.pid, *kept.folders, flush=True)
if sys.argv[1] == "busy":
    resident.run("check", "{y = linear(x, weight)} rows=2048 cols=2048 out=2048", "--no-shrink")
sys.stdin.read()
"""


@pytest.mark.parametrize("how", ["idle", "busy", "orderly", "its program was killed"])
def test_nothing_stays_behind_a_python_that_ends(how, tmp_path):
    other = subprocess.Popen([sys.executable, "-c", BUSY, how], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                             env={**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path)})
    pid, *folders = other.stdout.readline().split()
    processes = [int(pid), *children(int(pid))]
    assert len(processes) == 2 and all(map(is_there, processes)) and all(pathlib.Path(folder).is_dir() for folder in folders)
    if how == "busy":
        time.sleep(1)
        assert other.poll() is None, "its judge is at work"
    if how == "its program was killed":
        os.kill(processes[0], signal.SIGKILL)
    if how in ("orderly", "its program was killed"):
        other.stdin.close()
    else:
        other.kill()
    other.wait()
    assert wait_until(lambda: not any(map(is_there, processes)))
    assert not any(pathlib.Path(folder).exists() for folder in folders)
    assert not list(tmp_path.iterdir())


def test_what_all_of_them_left_goes_with_the_next_start(tmp_path):
    with subprocess.Popen([sys.executable, "-c", BUSY, "idle"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
                          env={**os.environ, "PYTHONPATH": str(PACKAGE), "TMPDIR": str(tmp_path)}) as other:
        pid, *folders = other.stdout.readline().split()
        os.kill(int(pid), signal.SIGKILL)
        time.sleep(0.2)
        next_one = [os.environ["GRADPROOF"], "serve"]
        subprocess.run(next_one, stdin=subprocess.DEVNULL, capture_output=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
        assert all(pathlib.Path(folder).is_dir() for folder in folders), "this Python has them still"
        other.kill()
    subprocess.run(next_one, stdin=subprocess.DEVNULL, capture_output=True, check=True, env={**os.environ, "TMPDIR": str(tmp_path)})
    assert not any(pathlib.Path(folder).exists() for folder in folders)


def test_files_go_where_there_is_room(monkeypatch):
    check()
    folders = resident._keeper.resident.folders
    assert resident.new_folder(0).parent == folders[0]
    monkeypatch.setattr(resident, "ROOM", 1 << 50)
    assert resident.new_folder(1).parent == folders[-1]
    check()


def failing(count, size=32):
    for k in range(count):
        with pytest.raises(gradproof.Convicted) as convicted:
            gradproof.judge({"x": torch.zeros(1, size), "y": torch.ones(1, size)}, "y = tanh(x)")
        yield convicted.value


def test_failing_runs_stay_in_one_place_up_to_a_number(tmp_path, monkeypatch):
    monkeypatch.setattr(failures.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(failures, "MOST_RUNS", 5)
    last = list(failing(8))[-1]
    place = failures.place()
    assert list(tmp_path.iterdir()) == [place] and place.stat().st_mode & 0o777 == 0o700
    assert len(list(place.iterdir())) == 5
    assert f"\ntensors: {last.judgement.files.folder}, one of the last 5 that failed" in last.judgement.text
    replay = str(last).partition("  replay   ")[2]
    done = subprocess.run(replay, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "RESULT passed=0 failed=1" in done.stdout, done.stdout + done.stderr


def test_failing_runs_stay_up_to_a_size_and_the_newest_always(tmp_path, monkeypatch):
    monkeypatch.setattr(failures.tempfile, "tempdir", str(tmp_path))
    monkeypatch.setattr(failures, "MOST_BYTES", 3 * 8000)
    for _ in failing(4, size=1000):
        pass
    assert len(list(failures.place().iterdir())) == 2
    for last in failing(1, size=10000):
        assert [path.name for path in failures.place().iterdir()] == [last.judgement.files.folder.name]


def test_what_is_gone_cannot_be_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(failures.tempfile, "tempdir", str(tmp_path))
    (failed,) = failing(1)
    assert failed.judgement.sees() == {}
    gradproof.judgement.shutil.rmtree(failed.judgement.files.folder)
    with pytest.raises(gradproof.ProgramError, match="its tensors are gone: "):
        failed.judgement.sees()


def test_a_place_that_is_somebody_elses_takes_nothing(tmp_path, monkeypatch):
    monkeypatch.setattr(failures.tempfile, "tempdir", str(tmp_path))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / f"gradproof-failures-{os.getuid()}").symlink_to(tmp_path / "elsewhere")
    for last in failing(1):
        assert "cannot be kept for a replay: " in str(last) and "is somebody else's" in str(last)
    assert not list((tmp_path / "elsewhere").iterdir())


def test_requests_that_are_none_are_answered():
    check()
    kept = resident._keeper.resident
    assert kept.ask(["bench", "oracle"]).code == 2 and "is a command of its own" in kept.ask(["check", "--python", "x.py"]).errors
    assert "no verb" in kept.ask([]).errors
    process().stdin.write(b"nonsense\n")
    assert kept.conversation.line()["code"] == 2
    assert check().tensors("Passed")


def test_a_line_is_read_once_and_a_fault_of_it_every_time():
    assert resident.line_of(LINE) is resident.line_of(LINE)
    for _ in range(2):
        with pytest.raises(gradproof.ProgramError, match="did you mean 'rms_norm'"):
            resident.line_of("y = rms_nrm(x)")
