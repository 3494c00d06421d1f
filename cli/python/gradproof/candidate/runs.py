# SPDX-License-Identifier: Apache-2.0
"""The candidate's processes from the outside: one runs set after set; one that is lost costs its set, and the next goes on."""
import importlib.util
import json
import pathlib
import signal
import struct
import sys

from gradproof import tensor_files
from gradproof.candidate import carried
from gradproof.candidate.examination import Findings, NoGradient, examined
from gradproof.candidate.front import Front
from gradproof.candidate.loading import Refused
from gradproof.candidate.processes import Child, Ended, Interrupted, Silent, adopt_orphans, end_when_told
from gradproof.errors import ProgramError

# A short deadline is meant for the candidate.
TRUSTED_SECONDS = 120

# The descriptor on which the program that started this answers (cli/front/candidates/python_process.h).
ASKING = 3

# So many sets may take their whole deadline; a candidate that hangs does so in each.
MOST_SILENT = 2


DEFAULT_STREAM = "launches on the default stream, not on the caller's: wrong when called under another stream (--stream default)"


class Runs:
    """findings: sentences by outcome of each set; answers: the last message of each set that is done."""

    def __init__(self, spec, folder, within, compiler=None):
        """within: of sandbox.py. compiler: of the candidate's CUDA text, where the executor runs that."""
        self.spec = spec
        self.compiler = compiler
        self.is_on_default_stream = False
        self.within = within
        self.folder = folder
        self.answers = {}
        # It imports torch meanwhile, and nothing of the candidate's before it is told.
        self.waiting = Child(spec["python"], "host", within)

    def end(self):
        if self.waiting:
            self.waiting.end()

    def run(self, sets, told):
        """told: of host.py's specification what is the same for all sets."""
        self.findings = {name: {} for name in sets}
        left = list(sets)
        before = self._inputs()
        told = {**told, "stream": self.spec["stream"]}
        if self.compiler:
            told["executor"] = self._prepared()
        while left:
            host, self.waiting = self.waiting or Child(self.spec["python"], "host", self.within), None
            host.send(json.dumps({**told, "folder": str(self.folder), "seed": self.spec["seed"], "sets": left}))
            if not self.compiler:  # it may ask
                host.process.stdin.close()
            try:
                left = self._sets_of(host, left, left == list(sets))
            finally:
                host.end()
            if sum("TimedOut" in found for found in self.findings.values()) == MOST_SILENT:
                for name in left:
                    self.findings[name]["Skipped"] = f"not run: {MOST_SILENT} sets before were silent"
                left = []
        if self._inputs() != before:
            for found in self.findings.values():
                Findings(found).add("Failed", "it wrote into the files of its inputs")
            for path, data in before.items():
                path.parent.mkdir(exist_ok=True)
                path.write_bytes(data)
        return self.findings

    def of_steps(self, is_first):
        """Findings of a training step: those of all of them are said of the first; that none has gradients is said of each."""
        found, answered = self.findings[carried.STEPS], self.answers.get(carried.STEPS, {})
        return dict(found) if is_first or "backward" in answered else {}

    def _inputs(self):
        """Files that the candidate's process can reach without a sandbox, and that the program reads later."""
        return {path: path.read_bytes() for path in sorted(self.folder.glob("*/inputs.safetensors"))}

    def _sets_of(self, host, left, is_first):
        """Those that are still to be run behind what this process did. is_first: what is refused there is refused at all."""
        left = list(left)
        before = True  # no set has begun
        while left:
            try:
                host.await_ready(TRUSTED_SECONDS)
                message = host.message(self.spec["deadline"])
            except Silent:
                seconds = self.spec["deadline"] if host.is_ready else TRUSTED_SECONDS
                for name in left if before else left[:1]:
                    self.findings[name]["TimedOut"] = f"silent for {seconds:g} s"
                return [] if before else left[1:]
            except Ended as how:
                if before and is_first:
                    raise Refused(f"the candidate ended as it was imported: {how}") from None
                self.findings[left[0]]["Crashed"] = f"ended before its results were there: {how}"
                return left[1:]
            if "refused" in message and before and is_first:
                raise Refused(message["refused"])
            if "build" in message and self.compiler:
                host.send(json.dumps(self.compiler.answer(message["build"])))
                continue
            before = False
            if "begins" in message:
                continue
            self._take(left[0], message)
            left = left[1:]
        return left

    def _take(self, name, message):
        """What the candidate's process says of a set that it has run."""
        executed = [str(one) for one in message.get("found", [])]
        if executed:
            Findings(self.findings[name]).add("Failed", "; ".join(executed))
        if message.get("done") == name:
            self.answers[name] = message
            if "backward" in message:
                self.findings[name]["Crashed"] = str(message["backward"])
        elif not executed:
            self.findings[name]["Crashed"] = str(message.get("raised", f"it answered {message}"))
        if message.get("default_stream") and not self.is_on_default_stream:
            self.is_on_default_stream = True  # once: all else is judged as if it were the caller's
            if self.spec["stream"] != "default":
                Findings(self.findings[name]).add("Failed", DEFAULT_STREAM)

    def _prepared(self):
        from gradproof.executor import builder  # as in trial.py
        try:
            return self.compiler.prepared()
        except builder.Unbuilt as why:
            raise Refused(str(why)) from None


def results_of(folder, facts, found, done):
    """The set's results that are of the right kind, as examined() has them; what is wrong is added to `found`. done: the candidate
    said it was."""
    if done:
        try:
            return examined(facts, folder, found)
        except (OSError, ValueError, KeyError, struct.error) as error:
            found["Crashed"] = f"what it wrote of its results is no file of tensors: {error}"
    elif not found:
        found["Crashed"] = "it left no results"
    return {}


def write_judged(folder, facts, judged, found, done, device=""):
    """Writes outputs.safetensors, with `found`, and given.safetensors where a line judges. device: what records say, if that is no
    matter of course."""
    tensors = results_of(folder, facts, found, done)
    says = dict(found)
    if not facts["gradients"]:
        says["gradients"] = "not asked for"  # of which the program says nothing
    none = [name for name, data in tensors.items() if isinstance(data, NoGradient)]
    if none:
        says["no_gradient"] = " ".join(judged.outputs(dict.fromkeys(none)))
    if device:
        says["device"] = device
    tensor_files.write(folder / "outputs.safetensors", judged.outputs(tensors), says)
    if judged.line:
        given = judged.inputs(tensor_files.read_data(folder / "inputs.safetensors"))
        tensor_files.write(folder / "given.safetensors", given)


def answer(child, who, spec):
    """The next message of a process without which there is no trial."""
    seconds = max(spec["deadline"], TRUSTED_SECONDS)
    try:
        message = child.message(seconds)
    except Silent:
        raise Refused(f"{who} was silent for {seconds:g} s") from None
    except Ended as how:
        raise Refused(f"{who} ended: {how}") from None
    if "refused" in message:
        raise Refused(message["refused"])
    return message


def serve(kind):
    """Runs the trial that the program's argument specifies, and writes trial.json."""
    try:
        end_when_told()
        adopt_orphans()
        trial = kind(json.loads(sys.argv[1]), Front(ASKING))
        said = _said(trial)
        (pathlib.Path(trial.spec["folder"]) / "trial.json").write_text(json.dumps(said))
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # the end of the interpreter would print an exception's trace
    except Interrupted:
        sys.exit(0)  # the program that asked knows, and says so


def _said(trial):
    try:
        if importlib.util.find_spec("torch") is None:  # else the candidate's process would end with that, and be blamed
            raise Refused(f"'{trial.spec['python']}' has no torch; --python-program names a Python that has")
        return trial.run()
    except Refused as error:
        return {"refused": str(error)}
    except (ProgramError, ValueError) as error:
        return {"refused": str(error).removeprefix("gradproof: ")}
