# SPDX-License-Identifier: Apache-2.0
"""A backward kernel alone: docs/without-a-line.md#a-backward-alone."""
import inspect

from gradproof import arguments, frameworks, judgement, lines, resident, tensor_files
from gradproof.errors import Convicted
from gradproof.judgement import GIVEN, Set


def backward(function, pipeline, *, saved=None, contract=None, name=None, seed=1, inputs="hard", elements="sampled", **tensors):
    """Judges the gradients that the function makes of a cotangent, what forward was given, and what forward saved.

    function: its arguments have the names of the line's tensors (x, weight), of cotangents (dy) and of saved values, as many as it
    wants, in any order. It returns the line's gradients in the line's order (one tensor where there is one), or a dict by name,
    {"d_x": ..., "d_weight": ...}.
    saved: what forward kept for backward, by name: a dict, or a function of the line's tensors by name that makes it, which hard
    numbers need: `saved=lambda x, **_: {"rstd": ...}`.
    tensors: those of the line by name; a cotangent dy=... is drawn where it is not given. inputs, elements: as of check().

    Raises as check() does; TypeError for an argument that nothing has.
    """
    import torch
    from gradproof.candidate import repeated
    from gradproof.hard import hard_inputs, work
    resident.start()
    inputs = arguments.one_of(("given", "hard", "all"), "inputs", inputs)
    arguments.one_of(judgement.ELEMENTS, "elements", elements)
    line = resident.line_of(pipeline)
    known = arguments.tensors_of(line, tensors, {}, seed)
    function = frameworks.forward_of_torch(function, tensors.values())
    if callable(saved):
        saved = frameworks.forward_of_torch(saved, tensors.values())
    elif saved:
        saved = {key: tensor_files.torch_of(value) if tensor_files.is_tensor(value) else value for key, value in saved.items()}
    call = _Call(function, line, saved, known, seed)
    fills = work.fills_of(line, known, inputs if callable(saved) or saved is None else "given")
    sets = [call.set(GIVEN, {key: known[key] for key in line.inputs})]
    written = {}
    repeated.keep(written, "got", sets[0].got)
    fills = fills.behind(repeated.part_of(written, "got"))
    with torch.no_grad():
        own = {key: known[key] for key in line.inputs}
        sets += [call.set(fill, numbers, fills.rows(fill))
                 for fill, numbers in hard_inputs.sets_of(fills.judged, line, own, seed, fills.apart)]
    return judgement.judge_sets(line, sets, contract=lines.contract_of(contract, pipeline), name=name, left_out=fills.left_out,
                                elements=elements)


class _Call:
    def __init__(self, function, line, saved, known, seed):
        self.function, self.line, self.saved, self.known, self.seed = function, line, saved, known, seed
        self.names = list(inspect.signature(function).parameters)

    def set(self, name, numbers, rows=None):
        """What the function makes of these numbers; a second call has the same bits, and no argument changes.

        rows: JudgedRows, where they alone are judged."""
        import torch
        numbers = {key: tensor.detach().clone() for key, tensor in numbers.items()}
        cotangents = self._cotangents(numbers)
        values = {**numbers, **({key: rows.alone(key, tensor) for key, tensor in cotangents.items()} if rows else cotangents)}
        kept = self.saved(**numbers) if callable(self.saved) else self.saved or {}
        missing = [key for key in self.names if key not in values and key not in kept]
        if missing:
            raise TypeError(f"nothing is called {' '.join(missing)}; there are {' '.join([*values, *kept])}")
        given = {key: {**values, **kept}[key] for key in self.names}
        before = {key: tensor_files.data_of(value) for key, value in given.items() if isinstance(value, torch.Tensor)}
        got, again = self._gradients(given, numbers), self._gradients(given, numbers)
        how = "" if name == GIVEN else f"with the inputs '{name}'"
        for key, data in before.items():
            if tensor_files.data_of(given[key]) != data:
                raise Convicted(f"{how + ': ' if how else ''}'{key}' is changed by the function")
        for key, tensor in got.items():
            if tensor_files.data_of(tensor) != tensor_files.data_of(again[key]):
                raise Convicted(f"{how + ': ' if how else ''}'{key}' is another in a second call with the same numbers")
        said = {"outputs": "a backward alone"}
        return Set(name, rows.of(values), rows.of(got), f"{how}{rows}", said) if rows else Set(name, values, got, how, said)

    def _cotangents(self, numbers):
        import torch
        given = {name: self.known[name] for name in self.line.cotangents.values() if name in self.known}
        sizes = {axis: extent for key, tensor in numbers.items() for axis, extent in zip(self.line.axes[key], tensor.shape)}
        generator = torch.Generator().manual_seed(self.seed)
        like = next(tensor for tensor in numbers.values() if tensor_files.is_floating(tensor))
        for output, name in self.line.cotangents.items():
            unknown = [axis for axis in self.line.axes[output] if axis not in sizes]
            if name not in given and unknown:
                raise TypeError(f"{name}=... is missing: no tensor that is given has its axis {unknown[0]}")
            if name not in given:
                shape = [sizes[axis] for axis in self.line.axes[output]]
                given[name] = torch.randn(shape, generator=generator, dtype=torch.float64).to(like)
        return given

    def _gradients(self, given, numbers):
        names = [gradient for gradient in self.line.gradients.values() if gradient]
        found = self.function(**given)
        if not isinstance(found, dict):
            values = list(found) if isinstance(found, (tuple, list)) else [found]
            if len(values) != len(names):
                raise Convicted(f"the function returned {len(values)} results; the line has {len(names)} gradients: {' '.join(names)}")
            found = dict(zip(names, values))
        unknown = [key for key in found if key not in names]
        if unknown or not found:
            raise Convicted(f"the function returned {' '.join(unknown) or 'nothing'}; the line has the gradients {' '.join(names)}")
        like = {gradient: numbers[key] for key, gradient in self.line.gradients.items() if gradient}
        for key, tensor in found.items():
            if not tensor_files.is_tensor(tensor):
                raise Convicted(f"'{key}' is {type(tensor).__name__}, not a tensor")
            if tensor.shape != like[key].shape:
                raise Convicted(f"'{key}' has the shape {list(tensor.shape)}, what it is the gradient of {list(like[key].shape)}")
        return {key: tensor.detach() for key, tensor in found.items()}
