# SPDX-License-Identifier: Apache-2.0
"""The trusted process of a trial: it starts reference and candidate, compares bytes, and writes what the program is to judge.

Usage: python -m gradproof.candidate.trial SPEC     SPEC: JSON, as cli/front/python_candidate.cpp writes it
Writes trial.json into the folder: notes, and of each set its files; or one line that says why what was asked for cannot be.
"""
import hashlib
import json
import pathlib
import signal
import struct
import sys

from gradproof import program, tensor_files
from gradproof.candidate import examination
from gradproof.candidate.processes import Child, Ended, Silent, adopt_orphans, end_with_parent
from gradproof.errors import ProgramError

DTYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}
CONTROLS = ("own", "normal")  # of reference.py

# A short deadline is meant for the candidate.
REFERENCE_SECONDS = 120
# So many sets may take their whole deadline; a candidate that hangs does so in each.
MOST_SILENT = 2


class Refused(Exception):
    """One line for a person, exit code 2."""


class Trial:
    def __init__(self, spec):
        self.spec = spec
        self.folder = pathlib.Path(spec["folder"])
        self.notes = []
        self.done = set()  # sets whose results the candidate said it wrote

    def child(self, module):
        return Child(self.spec["python"], module)

    def tell(self, child, **more):
        child.send(json.dumps({**{key: self.spec[key] for key in ("seed", "folder", "backward", "all_inputs")}, **more}))

    def run(self):
        # The candidate's process imports torch meanwhile, and nothing of the candidate's before it is told.
        reference, self.waiting = self.child("reference"), self.child("host")
        try:
            self.tell(reference, file=self.spec["reference"], line=self.spec["pipeline"],
                      name=self.spec["function"] or "Model")
            facts = self._answer(reference, "the reference")["facts"]
            if facts["left_out"]:
                self.notes.append(f"left out: inputs {' '.join(facts['left_out'])}; with {facts['work']:.1e} multiply-adds a "
                                  "step each takes long (--all-inputs)")
            self.dtype = _judged_type(facts)
            findings = self._candidate(facts)
            line = self._line(reference, facts)
            judged = examination.Judged(facts, line)
            if judged.left_out():
                self.notes.append(f"not judged, as the line has none of them: {' '.join(judged.left_out())}")
            return [self._set(name, facts, findings[name], judged, not line) for name in facts["sets"]]
        except (ProgramError, ValueError) as error:
            raise Refused(str(error).removeprefix("gradproof: ")) from None
        finally:
            for child in (reference, self.waiting):
                if child:
                    child.end()

    def _answer(self, child, who):
        seconds = max(self.spec["deadline"], REFERENCE_SECONDS)
        try:
            message = child.message(seconds)
        except Silent:
            raise Refused(f"{who} was silent for {seconds:g} s") from None
        except Ended as how:
            raise Refused(f"{who} ended: {how}") from None
        if "refused" in message:
            raise Refused(message["refused"])
        return message

    def _candidate(self, facts):
        """Findings of each set, by outcome. A process that is lost costs the set that it was at, and the next go to another."""
        findings = {name: {} for name in facts["sets"]}
        left = list(facts["sets"])
        before = self._digests()
        while left:
            host, self.waiting = self.waiting or self.child("host"), None
            self.tell(host, file=self.spec["candidate"], name=self.spec["function"] or "ModelNew", sets=left,
                      init=str(self.folder / "init.pt"), **{key: facts[key] for key in ("arguments", "cotangents", "state")})
            host.process.stdin.close()
            try:
                left = self._sets_of(host, left, findings, left == facts["sets"])
            finally:
                host.end()
            if sum("TimedOut" in found for found in findings.values()) == MOST_SILENT:
                for name in left:
                    findings[name]["Skipped"] = f"not run: {MOST_SILENT} sets before were silent"
                left = []
        tampered = [f"importing the file replaced {' '.join(facts['replaced'])}"] if facts["replaced"] else []
        tampered += ["it wrote into the files of its inputs"] if self._digests() != before else []
        for found in findings.values():
            found.update({"Failed": "; ".join(tampered)} if tampered else {})
        return findings

    def _digests(self):
        """Of the inputs, which the candidate's process can reach and the program reads later."""
        return {path: hashlib.sha256(path.read_bytes()).digest() for path in sorted(self.folder.glob("*/inputs.safetensors"))}

    def _sets_of(self, host, left, findings, is_first):
        """Those that are still to be run behind what this process did. is_first: what is refused there is refused at all."""
        left = list(left)
        before = True  # no set has begun
        while left:
            try:
                message = host.message(self.spec["deadline"])
            except Silent:
                for name in left if before else left[:1]:
                    findings[name]["TimedOut"] = f"silent for {self.spec['deadline']:g} s"
                return [] if before else left[1:]
            except Ended as how:
                if before and is_first:
                    raise Refused(f"the candidate ended as it was imported: {how}") from None
                findings[left[0]]["Crashed"] = f"ended before its results were there: {how}"
                return left[1:]
            if "refused" in message and before and is_first:
                raise Refused(message["refused"])
            before = False
            if "begins" in message:
                continue
            if message.get("done") == left[0]:
                self.done.add(left[0])
            else:
                findings[left[0]]["Crashed"] = str(message.get("raised", f"it answered {message}"))
            left = left[1:]
        return left

    def _line(self, reference, facts):
        """The line that the sets are judged by with the buffers among its outputs; None: by the weaker witness."""
        if self.spec["pipeline"]:
            return {"line": self.spec["pipeline"], "buffers": examination.buffers_of(self.spec["pipeline"])}
        found = facts["recognised"]
        if "line" in found:
            why = self._contradiction(reference, facts, found)
            if not why:
                self.notes.append(f"recognised: --pipeline '{found['line']}'")
                return found
            found = {"why": why}
        if self.dtype == "f64":
            raise Refused(f"a candidate in float64 needs --pipeline: the weaker witness is the reference in float64, and "
                          f"{found['why']}")
        self.notes.append(f"weaker witness: the reference in float64, because {found['why']}")
        self._ask(reference, "witness")
        return None

    def _ask(self, reference, how):
        reference.send(how)
        why = self._answer(reference, "the reference")["answered"]
        if why:
            raise Refused(why)

    def _contradiction(self, reference, facts, found):
        """Why the reference in float64 is not what the line says; empty where it is."""
        self._ask(reference, "control")
        try:
            judged = examination.Judged(facts, found)
            for name in CONTROLS:
                folder = self.folder / f"control_{name}"
                tensor_files.write(folder / "line64.safetensors",
                                   judged.inputs(tensor_files.read_data(folder / "inputs64.safetensors")))
                tensor_files.write(folder / "reference64.safetensors",
                                   judged.outputs(tensor_files.read_data(folder / "float64.safetensors")))
                done = program.run("judge", "--pipeline", found["line"], "--inputs", folder / "line64.safetensors",
                                   "--outputs", folder / "reference64.safetensors", "--quiet")
                if done.returncode == 1:
                    return f"the traced line '{found['line']}' is not what the reference computes in float64"
        except (ProgramError, ValueError) as error:
            return f"the traced line '{found['line']}' is none: {error}"
        return ""

    def _set(self, name, facts, findings, judged, witness):
        """Files of one set and how they are to be judged."""
        folder = self.folder / name
        tensors = {}
        if name in self.done:
            try:
                tensors = examination.examined(facts, folder, findings)
            except (OSError, ValueError, KeyError, struct.error) as error:
                findings["Crashed"] = f"what it wrote of its results is no file of tensors: {error}"
        elif not findings:
            findings["Crashed"] = "it left no results"
        tensor_files.write(folder / "outputs.safetensors", judged.outputs(tensors), findings)
        entry = {"line": "", "dtype": self.dtype, "outputs": str(folder / "outputs.safetensors")}
        if witness:
            return {**entry, "truth": str(folder / "witness.safetensors")}
        given = judged.inputs(tensor_files.read_data(folder / "inputs.safetensors"))
        tensor_files.write(folder / "given.safetensors", given)
        return {**entry, "line": judged.line.text, "inputs": str(folder / "given.safetensors")}


def _judged_type(facts):
    """That of the first result that has one."""
    found = [DTYPES[dtype] for dtype, _ in facts["results"] if dtype in DTYPES]
    if not found:
        types = " ".join(dtype for dtype, _ in facts["results"]) or "nothing"
        raise Refused(f"the reference returns {types}; judged are {' '.join(DTYPES)}")
    return found[0]


def main():
    end_with_parent(signal.SIGINT)
    adopt_orphans()
    trial = Trial(json.loads(sys.argv[1]))
    try:
        answer = {"sets": trial.run(), "notes": trial.notes}
    except Refused as error:
        answer = {"refused": str(error)}
    (trial.folder / "trial.json").write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
