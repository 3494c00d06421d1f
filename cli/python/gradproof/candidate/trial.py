# SPDX-License-Identifier: Apache-2.0
"""The trusted process of a trial: it starts reference and candidate, compares bytes, and writes what the program is to judge.

Usage: python -m gradproof.candidate.trial SPEC     SPEC: JSON, as cli/front/candidates/python_candidate.cpp writes it
Writes trial.json into the folder: notes, and of each set its files; or one line that says why what was asked for cannot be.
"""
import json
import pathlib

from gradproof import program, tensor_files
from gradproof.candidate import examination
from gradproof.candidate.loading import Refused
from gradproof.candidate.processes import Child
from gradproof.candidate.runs import Runs, answer, serve, write_judged
from gradproof.errors import ProgramError

DTYPES = {"float32": "f32", "float64": "f64", "float16": "f16", "bfloat16": "bf16"}
CONTROLS = ("own", "normal")  # of reference.py


class Trial:
    def __init__(self, spec):
        self.spec = spec
        self.folder = pathlib.Path(spec["folder"])
        self.notes = []

    def run(self):
        reference, self.runs = Child(self.spec["python"], "reference"), Runs(self.spec, self.folder)
        try:
            reference.send(json.dumps({**{key: self.spec[key] for key in ("seed", "folder", "backward", "all_inputs")},
                                       "file": self.spec["reference"], "line": self.spec["pipeline"],
                                       "name": self.spec["function"] or "Model"}))
            facts = answer(reference, "the reference", self.spec)["facts"]
            if facts["left_out"]:
                self.notes.append(f"left out: inputs {' '.join(facts['left_out'])}; with {facts['work']:.1e} multiply-adds a "
                                  "step each takes long (--all-inputs)")
            self.dtype = _judged_type(facts)
            self._candidate(facts)
            line = self._line(reference, facts)
            judged = examination.Judged(facts, line)
            if judged.left_out():
                self.notes.append(f"not judged, as the line has none of them: {' '.join(judged.left_out())}")
            return {"sets": [self._set(name, facts, judged, not line) for name in facts["sets"]], "notes": self.notes}
        finally:
            reference.end()
            self.runs.end()

    def _candidate(self, facts):
        findings = self.runs.run(facts["sets"], {
            "file": self.spec["candidate"], "name": self.spec["function"] or "ModelNew", "init": str(self.folder / "init.pt"),
            **{key: facts[key] for key in ("arguments", "cotangents", "state")}})
        for found in findings.values() if facts["replaced"] else ():
            examination.Findings(found).add("Failed", f"importing the file replaced {' '.join(facts['replaced'])}")

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
        why = answer(reference, "the reference", self.spec)["answered"]
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

    def _set(self, name, facts, judged, witness):
        """Files of one set and how they are to be judged."""
        folder = self.folder / name
        write_judged(folder, facts, judged, self.runs.findings[name], name in self.runs.answers)
        entry = {"line": "", "dtype": self.dtype, "outputs": str(folder / "outputs.safetensors")}
        if witness:
            return {**entry, "truth": str(folder / "witness.safetensors")}
        return {**entry, "line": judged.line.text, "inputs": str(folder / "given.safetensors")}


def _judged_type(facts):
    """That of the first result that has one."""
    found = [DTYPES[dtype] for dtype, _ in facts["results"] if dtype in DTYPES]
    if not found:
        types = " ".join(dtype for dtype, _ in facts["results"]) or "nothing"
        raise Refused(f"the reference returns {types}; judged are {' '.join(DTYPES)}")
    return found[0]


if __name__ == "__main__":
    serve(Trial)
