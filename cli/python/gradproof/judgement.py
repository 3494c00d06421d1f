# SPDX-License-Identifier: Apache-2.0
"""Given tensors to a verdict: the program judges files, in a process of its own."""
import dataclasses
import json
import pathlib
import shutil
import tempfile
import warnings

from gradproof import program, tensor_files
from gradproof.errors import Convicted, Inconclusive, MistrustedWarning


class Kept:
    """Where a test run keeps the tensors of all its checks (gradproof/pytest_plugin.py), and the Cases of them.

    Each run into a folder has a part of its own, and several processes may share one: what they made is found in files.
    """

    def __init__(self, folder, part=None):
        """part: of a run that another process began."""
        self.folder = pathlib.Path(folder).resolve()
        self.part = pathlib.Path(part) if part else _numbered(self.folder / "tensors", 1)
        self.count = 0

    def new_folder(self):
        self.count += 1
        return _numbered(self.part, self.count)

    @staticmethod
    def keep(folder, case):
        """The Case of the tensors in that folder."""
        (folder / CASE).write_text(f"{case}\n")

    def cases(self):
        """Of all processes of this run, in the order of their folders."""
        paths = sorted(self.part.glob(f"*/{CASE}"), key=lambda path: int(path.parent.name))
        return [path.read_text().strip() for path in paths]


# The file beside a check's tensors that has its Case.
CASE = "check.case"


def _numbered(folder, number):
    """A new folder within, called by the first number from this one on that nobody has taken."""
    folder.mkdir(parents=True, exist_ok=True)
    while True:
        try:
            (folder / str(number)).mkdir()
            return folder / str(number)
        except FileExistsError:
            number += 1


# Of the test run that there is.
kept = None


@dataclasses.dataclass(frozen=True)
class Judgement:
    """What the program said: its text, and a record for each tensor as docs/records.md has them."""
    text: str
    records: list

    def tensors(self, verdict):
        """Names of the tensors with that verdict: "Passed", "Mistrusted", "Failed",
        "Improbable", "Skipped"."""
        return [record["tensor"] for record in self.records if record["verdict"] == verdict]

    def record(self, tensor):
        """Raises KeyError for a tensor that was not judged."""
        for record in self.records:
            if record["tensor"] == tensor:
                return record
        raise KeyError(tensor)


def judge(tensors, pipeline, *, contract=None, name=None):
    """Judges tensors by name: inputs and parameters, cotangents (dy of the output y), outputs, gradients (d_x of x).

    pipeline: a line of docs/graphs.md. contract: of what computed them (docs/given-tensors.md).
    Raises Convicted with the evidence, Inconclusive where an output or a gradient is missing among others, ProgramError
    for a line or a name that fits nothing. Warns with MistrustedWarning of a pass that proves little.
    """
    line = program.Line(pipeline)
    given = {key: tensor for key, tensor in tensors.items() if line.is_given(key)}
    got = {key: tensor for key, tensor in tensors.items() if not line.is_given(key)}
    return judge_files(line, given, got, contract=contract, name=name)


def new_folder():
    return kept.new_folder() if kept else pathlib.Path(tempfile.mkdtemp(prefix="gradproof-"))


def discard(folder):
    if not kept:
        shutil.rmtree(folder, ignore_errors=True)


def judge_files(line, given, got, *, contract=None, name=None, folder=None, warn=True):
    """Writes both, lets the program judge them; the files that its text names, in a replay line, stay.

    folder: of new_folder(). warn: of a pass that proves little, at the place two calls above this one; else nobody is told of it.
    """
    folder = folder or new_folder()
    keep = kept is not None
    try:
        inputs, outputs = folder / "inputs.safetensors", folder / "outputs.safetensors"
        tensor_files.write(inputs, given)
        tensor_files.write(outputs, got)
        judgement = _judged(line, folder, contract, name)
        if kept and judgement.records:
            kept.keep(folder, judgement.records[0]["case"])
        is_said = warn or bool(judgement.tensors("Failed") + judgement.tensors("Improbable"))
        keep = keep or is_said and str(folder) in judgement.text  # a replay line of it names the files
        _raise_or_warn(judgement, warn)
        return judgement
    finally:
        if not keep:
            discard(folder)


def _judged(line, folder, contract, name):
    arguments = ["judge", "--pipeline", line.text, "--inputs", folder / "inputs.safetensors",
                 "--outputs", folder / "outputs.safetensors"]
    arguments += ["--contract", contract] if contract else []
    arguments += ["--name", name] if name else []
    with tempfile.TemporaryDirectory(prefix="gradproof-") as records:
        done = program.run(*arguments, "--records", records)
        (run,) = pathlib.Path(records).glob("*.jsonl")
        lines = [json.loads(text) for text in run.read_text().splitlines()]
    return Judgement(done.stdout + done.stderr, [entry for entry in lines if entry.get("tensor")])


def _raise_or_warn(judgement, warn):
    wrong = [record for record in judgement.records
             if record["verdict"] not in ("Passed", "Mistrusted", "Skipped")]
    if wrong:
        raise Convicted(judgement.text, judgement)
    # Where no gradient was given at all, the program says so of the execution: forward alone was asked about.
    missing = [tensor for tensor in judgement.tensors("Skipped") if tensor != "execution"]
    if missing:
        raise Inconclusive(f"not judged: {' '.join(missing)}\n{judgement.text}", judgement)
    for record in judgement.records if warn else ():
        if record["verdict"] == "Mistrusted":
            warnings.warn(f"{record['tensor']} passed, and that proves little: {record['reason']}", MistrustedWarning,
                          stacklevel=4)
