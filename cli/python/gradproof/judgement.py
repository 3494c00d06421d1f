# SPDX-License-Identifier: Apache-2.0
"""Given tensors to a verdict: the program judges files, those of all sets in one process."""
import dataclasses
import os
import pathlib
import shutil
import warnings
import weakref

from gradproof import arguments, failures, lines, messages, program, resident, seen, tensor_files
from gradproof.errors import Convicted, Inconclusive, MistrustedWarning, ProgramError

__tracebackhide__ = True  # pytest shows the line of the test as the last one

GIVEN = "given"
# Which elements of a product that takes long are judged.
ELEMENTS = ("sampled", "all")


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
    def keep(folder, *cases):
        """The Cases of the tensors in that folder."""
        (folder / CASE).write_text("".join(f"{case}\n" for case in cases))

    def cases(self):
        """Of all processes of this run, in the order of their folders."""
        paths = sorted(self.part.glob(f"*/{CASE}"), key=lambda path: int(path.parent.name))
        return [case for path in paths for case in path.read_text().splitlines()]


# The file beside a check's tensors that has its Cases.
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


# What the running test run keeps; None outside of one.
kept = None


@dataclasses.dataclass(frozen=True)
class Set:
    """Tensors by name: what the line is given, and what was made of it. how: in what it is not what the user gave.

    said: what the file of what was made says of itself (docs/given-tensors.md). truth, sentences: of a set without a line, what is
    right, by how much it may be missed ("y.bound"), and why, by name. numbers_of: the name of an earlier set with the same given tensors.
    is_further: of a further call, whose cotangents lie otherwise; such sets stand behind the given one.
    """
    name: str
    given: dict
    got: dict
    how: str = ""
    said: dict = None
    truth: dict = None
    sentences: dict = None
    numbers_of: str = ""
    is_further: bool = False

    def size(self):
        """Bytes at most."""
        return sum(tensor_files.size_of(tensor) for tensor in (*self.given.values(), *self.got.values()))


class Folders:
    """A folder with one folder for each set. It goes when nobody has this value any more, but for what keep() moves."""

    # The key of a Case that names the folder of its set, and what stands behind its path.
    key, behind = "answers", ""

    def __init__(self, size):
        """size: of what the sets will hold, in bytes."""
        self.folder = kept.new_folder() if kept else resident.new_folder(size)
        self.names = {}
        self._end = weakref.finalize(self, _remove, self.folder, os.getpid())
        if kept:
            self._end.detach()

    def add(self, name):
        """The folder of one more set."""
        self.names[name] = self.folder / name.replace(":", "_")
        self.names[name].mkdir()
        return self.names[name]

    def name_of(self, case):
        """The set that the Case is of."""
        return next(name for name, path in self.names.items() if f"{self.key}={path}{self.behind}" in case)

    def keep(self, said):
        """The judgement, with the files where they stay: those of the sets of which something is wrong."""
        wrong = self._with_inputs({record["set"] for record in said.records if program.is_wrong(record)})
        named = [path for name, path in self.names.items() if name in wrong]
        if kept:
            return dataclasses.replace(said, replay=messages.replay(self.folder / CASE))
        if not named:
            return said
        try:
            into = failures.keep(named)
        except OSError as error:
            lost = f"its tensors cannot be kept for a replay: {error}"
            return dataclasses.replace(said, text=f"{said.text}{lost}\n", replay=lost)
        before, self.folder = f"{self.folder}/", into
        self._moved_to(into)
        self._end()
        records, causes = ([{key: value.replace(before, f"{into}/") if isinstance(value, str) else value for key, value in one.items()}
                            for one in those] for those in (said.records, said.causes))
        Kept.keep(into, *dict.fromkeys(record["case"] for record in records if program.is_wrong(record)))
        return dataclasses.replace(said, text=said.text.replace(before, f"{into}/") + failures.said(into) + "\n", records=records,
                                   causes=causes, replay=messages.replay(into / CASE))


    def _with_inputs(self, names):
        """Those sets, and the ones whose files they take too."""
        return names

    def _moved_to(self, into):
        self.names = {name: into / path.name for name, path in self.names.items()}


class Files(Folders):
    """Tensors of sets that a line is judged by, in files."""

    key, behind = "outputs", "/"

    def __init__(self, line, size):
        super().__init__(size)
        self.line = line
        self.dtype = None  # of the first output of the first set, as a Case has it
        self.inputs = {}
        self.witnessed = []
        self.further = []

    def write(self, one):
        path = self.add(one.name)
        self.further += [one.name] if one.is_further else []
        self.dtype = self.dtype or tensor_files.CASE_WORDS.get(tensor_files.type_name(next(iter(one.got.values()))))
        self.inputs[one.name] = self.names[one.numbers_of or one.name] / "inputs.safetensors"
        if not one.numbers_of:
            tensor_files.write(self.inputs[one.name], one.given)
        tensor_files.write(path / "outputs.safetensors", one.got, one.said)
        if one.truth is not None:
            tensor_files.write(path / "truth.safetensors", one.truth, one.sentences)
            self.witnessed.append(one.name)

    def _with_inputs(self, names):
        folders = {self.inputs[name].parent for name in names}
        return names | {name for name, path in self.names.items() if path in folders}

    def _moved_to(self, into):
        super()._moved_to(into)
        self.inputs = {name: into / path.parent.name / path.name for name, path in self.inputs.items()}


def _remove(folder, process):
    """A forked child has the value too, and the folder is not its."""
    if os.getpid() == process:
        shutil.rmtree(folder, ignore_errors=True)


@dataclasses.dataclass(frozen=True, repr=False)
class Judgement:
    """What the program said: its text, and a record for each tensor as docs/records.md has them. It prints as a table of the tensors.

    A record's "set" is "given" for the numbers that were given, else the name of a set of docs/inputs.md. left_out: names of sets
    that were not judged because they take long. causes: of what is wrong, the most severe first. replay: how it is judged again.
    """
    text: str
    records: list
    left_out: tuple = ()
    files: Files = dataclasses.field(default=None, compare=False)
    causes: list = dataclasses.field(default_factory=list, compare=False)
    replay: str = dataclasses.field(default="", compare=False)

    def __str__(self):
        return messages.table(self)

    def __repr__(self):
        return messages.short(self)

    def tensors(self, verdict):
        """Names of the tensors with that verdict: "Passed", "Mistrusted", "Failed",
        "Improbable", "Skipped"; that of record()."""
        names = dict.fromkeys(record["tensor"] for record in self.records)
        return [name for name in names if self.record(name)["verdict"] == verdict]

    def record(self, tensor, of=None):
        """Of a set by its name; else one that is wrong, if there is one, or that of the given numbers.

        Raises KeyError for a tensor that was not judged.
        """
        found = [record for record in self.records if record["tensor"] == tensor and of in (None, record["set"])]
        if not found:
            raise KeyError(tensor)
        return next((record for record in found if program.is_wrong(record)), found[0])

    def sees(self):
        """Of each number of the line, such as "y.eps", by which factor it may be off and is seen: docs/python.md."""
        there = [record for record in self.records if self.files.names[record["set"]].exists()]
        if not there:
            raise ProgramError(f"its tensors are gone: {self.files.folder}")
        return seen.factors(there)


def judge(tensors, pipeline, *, contract=None, name=None, elements="sampled"):
    """Judges tensors by name: inputs and parameters, cotangents (dy of the output y), outputs, gradients (d_x of x).

    pipeline: a line of docs/graphs.md. contract: of what computed them (docs/given-tensors.md). elements: "all"
    judges all of a product that takes long; "sampled", the default, a part of it (docs/samples.md).
    Raises Convicted with the evidence, Inconclusive where an output or a gradient is missing among others, ProgramError
    for a line or a name that fits nothing. Warns with MistrustedWarning of a pass that proves little.
    """
    arguments.one_of(ELEMENTS, "elements", elements)
    resident.start()
    line = resident.line_of(pipeline)
    for key, tensor in tensors.items():
        tensor_files.require_usable(key, tensor)
    given = {key: tensor for key, tensor in tensors.items() if line.is_given(key)}
    got = {key: tensor for key, tensor in tensors.items() if not line.is_given(key)}
    return judge_sets(line, [Set(GIVEN, given, got)], contract=lines.contract_of(contract, pipeline), name=name, elements=elements)


class Begun:
    """A question whose first set is judged while the function is still called for the others."""

    def __init__(self, line, contract=None, name=None, elements=None):
        self.line, self.said = line, (contract, name, elements)
        self.files = None

    def begin(self, one, count):
        """count: of sets that there will be at most."""
        self.files = Files(self.line, count * one.size())
        self.files.write(one)
        resident.begin(*_given(self.files, *self.said))


def judge_sets(line, sets, *, contract=None, name=None, left_out=(), note="", elements=None, begun=None):
    """Writes them, lets the program judge them; the files that its text names, in a replay line, are kept (gradproof/failures.py).

    note: what the text begins with. begun: of the same line and options.

    The first is what was given: only of a pass of that one which proves little a warning is given, at the place two calls above
    this one.
    """
    files = written(line, sets, begun and begun.files)
    judgement = judged(files, contract, name, left_out, note, elements)
    if kept and judgement.records:
        kept.keep(files.folder, *dict.fromkeys(record["case"] for record in judgement.records))
    judgement = files.keep(judgement)
    _raise_or_warn(judgement, {one.name: one.how for one in sets})
    return judgement


def written(line, sets, files=None):
    """The files of the sets; files: where some of them are."""
    files = files or Files(line, sum(one.size() for one in sets))
    for one in sets:
        if one.name not in files.names:
            files.write(one)
    return files


def judged(files, contract=None, name=None, left_out=(), note="", elements=None):
    """What the program says of the files, whatever that is."""
    answer = resident.run(*(_witnessed(files, name) if files.witnessed else _given(files, contract, name, elements)))
    records = [{**record, "set": files.name_of(record["case"])} for record in answer.records]
    order = list(files.names)
    records.sort(key=lambda record: order.index(record["set"]))
    said = f"left out, as they take long (inputs=\"all\"): {' '.join(left_out)}\n" if left_out else ""
    return Judgement(note + said + answer.output, records, left_out, files, answer.causes)


def _given(files, contract, name, elements):
    """The words of the command line that judges by the line."""
    words = ["judge", "--pipeline", files.line.text]
    for of, path in files.names.items():
        words += ["--inputs", files.inputs[of], "--outputs", path / "outputs.safetensors"]
    further = len(files.further)
    words += ["--further", further] if further else []
    words += ["--contract", contract] if contract else []
    words += ["--elements", elements] if elements else []
    return words + (["--name", name] if name else [])


def _witnessed(files, name):
    """The words of the command line that judges by truths."""
    cases = [f"witnessed dtype={files.dtype} outputs={path}/outputs.safetensors truth={path}/truth.safetensors"
             f" name={name or 'outputs'}" for path in files.names.values()]
    return ["check", *cases, "--no-shrink"]


def _raise_or_warn(judgement, hows):
    """hows: of each set in what it is not what was given."""
    if any(program.is_wrong(record) for record in judgement.records):
        raise Convicted(messages.conviction(judgement, hows), judgement)
    # Where no gradient was given at all, the program says so of the execution: forward alone was asked about.
    missing = [tensor for tensor in judgement.tensors("Skipped") if tensor != "execution"]
    if missing:
        raise Inconclusive(f"not judged: {' '.join(missing)}\n{judgement}", judgement)
    for text in messages.doubts([record for record in judgement.records
                                 if record["set"] == GIVEN and record["verdict"] == "Mistrusted"]):
        warnings.warn(text, MistrustedWarning, stacklevel=4)
