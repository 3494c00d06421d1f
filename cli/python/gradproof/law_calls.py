# SPDX-License-Identifier: Apache-2.0
"""Laws of a function of torch: what every right one keeps, asked without an answer of an oracle (docs/laws.md#laws-of-a-function)."""
import collections
import hashlib
import shutil

from gradproof import arguments, frameworks, judgement, lines, messages, program, resident, tensor_files
from gradproof.errors import Convicted, ProgramError

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# The name of the set in a Judgement's records.
LAWS = "laws"
# Calls of forward whose graph of autograd waits for the backward that a law asks for later.
KEPT_CALLS = 4


def laws(function, pipeline, *, law="all", tensors=None, contract=None, name=None, backward=True, device=None, seed=1, deterministic=True,
         **given):
    """Asks all laws that hold of the line, or one by its name, of function(*tensors).

    given: keys of a Case (rows=64, cols=96, dtype="bf16"), or tensors of the line by name, of which the shapes and types are taken:
    laws draw numbers of their own. tensors, contract, name, backward, device, seed: as of check(). deterministic=False leaves out laws
    that ask for the same bits.

    The program writes down which calls the laws make; the function makes them here, each backward by its autograd behind the forward
    of the same numbers; then the program judges what came of them. Returns a Judgement with a record for each law, or for law=NAME
    one for each quantity that it looks at. Raises Convicted as check() does, and ProgramError for a law that says nothing of the line.
    """
    import torch
    arguments.require_no_tensors({"function": function, "pipeline": pipeline, "law": law, "contract": contract, "name": name,
                                  "backward": backward, "device": device, "seed": seed, "deterministic": deterministic})
    resident.start()
    line = resident.line_of(pipeline)
    contract = lines.contract_of(contract, pipeline)
    named = {**given, **(tensors or {})}
    function = frameworks.of_torch(function, named.values())
    folders = judgement.Folders(0)
    folder = folders.add(LAWS)
    said = {"contract": contract and contract.replace(" ", ","), "name": name}
    keys = {**_keys_of(line, named), "seed": seed, "law": law, "answers": folder, **{key: word for key, word in said.items() if word}}
    if not backward:
        keys["op"] = "forward"
    if not deterministic:
        keys["deterministic"] = "no"
    words = ["check", line.case(keys), "--no-shrink"]
    _require_calls(resident.run(*words), folder)
    _answer(_Function(function, line, device or torch.device("cpu"), backward), folder)
    answer = resident.run(*words)
    records = [{**record, "set": LAWS} for record in answer.records]
    found = judgement.Judgement(answer.output, records, files=folders, causes=answer.causes)
    if judgement.kept:
        judgement.kept.keep(folders.folder, words[1])
    found = folders.keep(found)
    if any(program.is_wrong(record) for record in records):
        raise Convicted(messages.conviction(found, {LAWS: "by a law, without an answer of an oracle"}), found)
    return found


def _keys_of(line, named):
    """The keys of a Case: those that are said, or what the shapes and types of tensors say."""
    if not any(tensor_files.is_tensor(value) for value in named.values()):
        return {key: arguments.word_of(value) for key, value in named.items()}
    known = arguments.tensors_of(line, named, {}, 0)
    sizes = {axis: size for key in line.inputs for axis, size in zip(line.axes[key], known[key].shape)}
    types = {key: tensor_files.CASE_WORDS[tensor_files.type_name(known[key])] for key in line.inputs if tensor_files.is_floating(known[key])}
    first = next(iter(types.values()))
    others = ",".join(f"{key}:{word}" for key, word in types.items() if word != first)
    return {**sizes, "dtype": first, **({"dtypes": others} if others else {})}


def _require_calls(answer, folder):
    """Raises ProgramError where the program wrote no calls down."""
    if (folder / "calls.safetensors").exists():
        return
    raise ProgramError(answer.errors.strip() or answer.output.strip())


def _answer(function, folder):
    """Makes each call in its law's order, and writes what it gave, or what it raised, beside the calls."""
    calls = collections.defaultdict(dict)
    for path, tensor in tensor_files.read(folder / "calls.safetensors").items():
        law, number, direction, key = path.split("/")
        calls[law, number, direction][key] = tensor
    got, raised, law_before = {}, {}, None
    for (law, number, direction), given in sorted(calls.items()):
        if law != law_before:
            function.forget()
            law_before = law
        try:
            results = getattr(function, direction)(given)
        except Convicted:
            raise
        except Exception as error:
            raised[f"{law}/{number}"] = f"{type(error).__name__}: {error}".splitlines()[0]
            continue
        got.update({f"{law}/{number}/{key}": tensor.detach().cpu() for key, tensor in results.items()})
    tensor_files.write(folder / "new.safetensors", got, raised)
    shutil.move(folder / "new.safetensors", folder / "answers.safetensors")


class _Function:
    """The function, and the graphs of calls whose backward may come."""

    def __init__(self, function, line, device, backward):
        self.function = arguments.called_by_name(function, line.inputs)
        self.line, self.device, self.with_backward = line, device, backward
        self.calls = collections.OrderedDict()

    def forget(self):
        self.calls.clear()

    def forward(self, given):
        leaves = {key: given[key].to(self.device).clone() for key in self.line.inputs}
        for key, leaf in leaves.items():
            leaf.requires_grad_(bool(self.with_backward and self.line.gradients[key]))
        outputs = _outputs_of(self.line, self.function(*leaves.values()), leaves)
        key = _digest(self.line, given)
        self.calls[key] = leaves, outputs
        self.calls.move_to_end(key)
        while len(self.calls) > KEPT_CALLS:
            self.calls.popitem(last=False)
        return outputs

    def backward(self, given):
        """The gradients of the call with the same numbers; where its graph is used up, or was never there, of a new one."""
        from gradproof.candidate import steps
        import torch
        key = _digest(self.line, given)
        if key not in self.calls:
            self.forward(given)
        leaves, outputs = self.calls.pop(key)
        asked = {self.line.gradients[key]: leaf for key, leaf in leaves.items() if leaf.requires_grad}
        pairs = [(outputs[key], given[cotangent].to(self.device).reshape(outputs[key].shape))
                 for key, cotangent in self.line.cotangents.items() if outputs[key].requires_grad]
        if not pairs:
            raise Convicted(f"no gradient goes through the function: {' '.join(self.line.outputs)} has no grad_fn "
                            "(backward=False asks of forward alone)")
        found = torch.autograd.grad([steps.Loss.apply(*pair) for pair in pairs], list(asked.values()), allow_unused=True)
        return {name: torch.zeros_like(leaf) if gradient is None else gradient for (name, leaf), gradient in zip(asked.items(), found)}


def _outputs_of(line, found, leaves):
    """By name, with the axes that the line gives them: those of length 1 may be left out."""
    from gradproof import results
    outputs = results.outputs_of(line, found, leaves)
    sizes = {axis: size for key in line.inputs for axis, size in zip(line.axes[key], leaves[key].shape)}
    return {key: value.reshape([sizes[axis] for axis in line.axes[key]]) if all(axis in sizes for axis in line.axes[key]) else value
            for key, value in outputs.items()}


def _digest(line, given):
    digest = hashlib.sha256()
    for key in line.inputs:
        digest.update(tensor_files.data_of(given[key]))
        digest.update(str(tuple(given[key].shape)).encode())
    return digest.digest()
