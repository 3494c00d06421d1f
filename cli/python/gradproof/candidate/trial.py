# SPDX-License-Identifier: Apache-2.0
"""The trusted process of a trial: it starts reference and candidate, compares bytes, and writes what the program is to judge.

Usage: python -m gradproof.candidate.trial SPEC     SPEC: JSON, as cli/front/candidates/python_candidate.cpp writes it
Writes trial.json into the folder: notes, and of each set its files; or one line that says why what was asked for cannot be.
"""
import json
import pathlib

from gradproof import seen, tensor_files
from gradproof.candidate import carried, examination
from gradproof.candidate.loading import Refused
from gradproof.candidate.processes import Child
from gradproof.candidate.runs import Runs, answer, serve, write_judged
from gradproof.candidate.sandbox import sandbox
from gradproof.errors import ProgramError
from gradproof.executor import DEVICE, is_wanted

CONTROLS, CONTROLS_EVAL = ("control_own", "control_normal"), ("control_eval",)  # of reference.py


class Trial:
    def __init__(self, spec, front):
        self.spec, self.front = spec, front
        self.folder = pathlib.Path(spec["folder"])
        self.notes = []
        self.name = pathlib.Path(spec["candidate"]).stem.replace(" ", "_")  # a Case's text has blanks between its keys

    def run(self):
        within = sandbox(self.spec, self.notes)
        compiler = self._compiler() if is_wanted(self.spec) else None
        reference, self.runs = Child(self.spec["python"], "reference"), Runs(self.spec, self.folder, within, compiler)
        try:
            reference.send(json.dumps({**{key: self.spec[key] for key in ("seed", "folder", "backward", "inputs", "steps", "device")},
                                       "executor": compiler is not None,
                                       "file": self.spec["reference"], "line": self.spec["pipeline"],
                                       "name": self.spec["function"] or "Model"}))
            facts = answer(reference, "the reference", self.spec)["facts"]
            if facts["left_out"]:
                self.notes.append(f"left out: inputs {' '.join(facts['left_out'])}; with {facts['work']:.1e} multiply-adds a "
                                  "step each takes long (--inputs all)")
            self.dtype = _judged_type(facts)
            if self.spec["device"] == "cuda" and not facts["cuda"]:
                facts.update(sets=facts["sets"][:1], steps=[])
                self.runs.findings = {facts["sets"][0]: {"Skipped": "there is no CUDA device (--device executor runs an extension's "
                                                                    "CUDA text on the CPU)"}}
            else:
                self._candidate(facts)
            lines = self._lines(reference, facts)
            self._ask(reference, "witness", [name for name, line in lines.items() if not line])
            self._ask(reference, "exact", [name for name in facts["steps"] if name in lines])
            return {"sets": [self._set(name, facts, line) for name, line in lines.items()], "notes": self.notes}
        finally:
            reference.end()
            self.runs.end()

    def _compiler(self):
        from gradproof.executor import builder  # which few candidates need
        return builder.Builder(self.spec["candidate"])

    def _candidate(self, facts):
        becomes = {name.removeprefix("after."): name for name in facts["buffers"]}
        findings = self.runs.run([*facts["sets"], *carried.together(facts["steps"])], {
            "file": self.spec["candidate"], "name": self.spec["function"] or "ModelNew", "init": str(self.folder / "init.pt"),
            "carried": becomes, "device": "cuda" if self.spec["device"] == "cuda" else "cpu",
            **{key: facts[key] for key in ("arguments", "cotangents", "state", "steps", "results")}})
        for found in findings.values() if facts["replaced"] else ():
            examination.Findings(found).add("Failed", f"importing the file replaced {' '.join(facts['replaced'])}")
        carried.carry(self.folder, facts["steps"], becomes)

    def _lines(self, reference, facts):
        """By each set the line that it is judged by; None: by the weaker witness."""
        line = self._line(reference, facts)
        left_out = examination.Judged(facts, line).left_out()
        if left_out:
            self.notes.append(f"not judged, as the line has none of them: {' '.join(left_out)}")
        judged = [name for name in facts["sets"] if line or name not in facts["by_line_alone"]]  # hard_inputs.BY_LINE_ALONE
        return {**dict.fromkeys(judged, line), **self._lines_of_steps(reference, facts, line)}

    def _lines_of_steps(self, reference, facts, line):
        """Where the steps have no results, of the first alone: what is said of them."""
        names = facts["steps"] if carried.STEPS in self.runs.answers else facts["steps"][:1]
        lines = dict.fromkeys(names, line)
        if not line or not names:
            return lines
        if not facts["steps_by_line"]:
            return self._by_the_witness(lines, names, f"with {facts['work']:.1e} multiply-adds a step each takes long (--inputs all)")
        if carried.EVAL in lines:
            lines[carried.EVAL], why = self._traced(reference, facts, facts["recognised_eval"], CONTROLS_EVAL)
            if why:
                return self._by_the_witness(lines, [carried.EVAL], why)
            self.notes.append(f"in eval: '{lines[carried.EVAL].text}'")
        return lines

    def _by_the_witness(self, lines, names, why):
        """The same with those sets judged by the weaker witness, or not at all where there is none."""
        what = "a call in eval" if names == [carried.EVAL] else "training steps"
        if self.dtype == "f64":
            self.notes.append(f"not judged: {what}, because {why}")
            return {name: line for name, line in lines.items() if name not in names}
        self.notes.append(f"{what}: weaker witness, because {why}")
        return {**lines, **dict.fromkeys(names)}

    def _line(self, reference, facts):
        """The Line that the sets are judged by; None: by the weaker witness."""
        if self.spec["pipeline"]:
            return self.front.line_of(self.spec["pipeline"])
        line, why = self._traced(reference, facts, facts["recognised"], CONTROLS)
        if line:
            self.notes.append(f"recognised: --pipeline '{line.text}'")
            return line
        if self.dtype == "f64":
            raise Refused(f"a candidate in float64 needs --pipeline: the weaker witness is the reference in float64, and {why}")
        self.notes.append(f"weaker witness: the reference in float64, because {why}")
        return None

    def _ask(self, reference, how, names):
        if names:
            reference.send(json.dumps({"how": how, "names": names}))
            why = answer(reference, "the reference", self.spec)["answered"]
            if why:
                raise Refused(why)

    def _traced(self, reference, facts, found, controls):
        """The Line that the reference was traced to, or None and why it is not what the reference computes in float64."""
        if "line" not in found:
            return None, found["why"]
        try:
            line = self.front.line_of(found["line"])
            judged = examination.Judged(facts, line)
            self._ask(reference, "control", controls)
            files = [word for name in controls for word in self._control_files(self.folder / name, judged)]
            code = self.front.run("judge", "--pipeline", line.text, *files, "--quiet").code
        except (ProgramError, ValueError) as error:
            return None, f"the traced line '{found['line']}' is none: {error}"
        if code == 1:
            return None, f"the traced line '{found['line']}' is not what the reference computes in float64"
        return line, ""

    @staticmethod
    def _control_files(folder, judged):
        """Words that name what the reference left there, by the line's names."""
        inputs, outputs = folder / "line64.safetensors", folder / "reference64.safetensors"
        tensor_files.write(inputs, judged.inputs(tensor_files.read_data(folder / "inputs64.safetensors")))
        tensor_files.write(outputs, judged.outputs(tensor_files.read_data(folder / "float64.safetensors")))
        return "--inputs", inputs, "--outputs", outputs

    def _set(self, name, facts, line):
        """Files of one set and how they are to be judged."""
        folder, said = self.folder / name, self.name
        found, done = self.runs.findings.get(name, {}), name in self.runs.answers
        part_of = self.name if name in facts["steps"] and name != carried.EVAL else ""
        if name in facts["steps"]:
            found = self.runs.of_steps(is_first=name == facts["steps"][0])
            done, said = carried.STEPS in self.runs.answers, f"{self.name}.{name.replace('_', '')}"
        judged = examination.Judged(facts, line)
        write_judged(folder, facts, judged, found, done, DEVICE if self.runs.compiler else "")
        entry = {"name": said, "part_of": part_of, "line": "", "own": name in facts["own"],
                 "numbers": name in (facts["sets"][0], *seen.SETS), "dtype": self.dtype, "outputs": str(folder / "outputs.safetensors")}
        if not line:
            return {**entry, "truth": str(folder / "witness.safetensors")}
        return {**entry, "line": line.text, "inputs": str(folder / "given.safetensors")}


def _judged_type(facts):
    """That of the first result that has one."""
    words = tensor_files.CASE_WORDS
    found = [words[dtype] for dtype, _ in facts["results"] if dtype in words]
    if not found:
        types = " ".join(dtype for dtype, _ in facts["results"]) or "nothing"
        raise Refused(f"the reference returns {types}; judged are {' '.join(words)}")
    return found[0]


if __name__ == "__main__":
    serve(Trial)
