# SPDX-License-Identifier: Apache-2.0
"""The candidate's own process: it computes what is asked of it and judges nothing.

Every set of inputs is copied into the same memory, behind a call with other numbers: what was remembered by address or
by shape is of those. Each set is run twice from the same state, then with its numbers in another order; what of the first
call's results is there at the end is written too. Messages, a line of JSON each, go to the descriptor that trial.py gave.
"""
import gc
import json
import os
import pathlib
import sys

gc.disable()  # an import leaves nothing to collect, and to look for it takes a tenth of torch's, whenever that is
import torch  # noqa: E402
gc.freeze()
gc.enable()

from gradproof import tensor_files
from gradproof.candidate import carried, layouts, loading, processes, repeated, schemas, steps
from gradproof.candidate.repeated import keep
from gradproof.candidate.streams import Streams

# The set that has no tensors: what an operator's registration promises (operator_checks.py).
OPERATOR = "operator"


class Host:
    def __init__(self, spec, call, placement, executor=None):
        self.spec = spec
        self.executor = executor
        self.call = call
        self.placement = placement
        self.state = loading.state_of(call)
        self.streams = Streams(placement.device, spec.get("stream", "own"))
        self.memory = {}
        self.calls = 0  # of the set so far
        self.said = {}  # of the set that is run

    def begin(self, name):
        """The set's tensors. Sets share their memory but for those that lie otherwise or have other sizes."""
        self.placement.begin(name)
        self.arguments = self.memory.setdefault(name if name in self.spec.get("apart", ()) else "", {})
        read = tensor_files.read(pathlib.Path(self.spec["folder"]) / name / "inputs.safetensors")
        tensors = {key: tensor.to(self.placement.device) for key, tensor in read.items()}
        if "likes" in self.spec:
            self.call.likes = {output: tensors[cotangent] for output, cotangent in self.spec["likes"].items()}
        return tensors

    def results(self, name, is_first):
        """By the set's name what run() has of it; of the steps by each one's."""
        self.said = {}
        if name == carried.STEPS:
            return self.carried_on()
        tensors = self.begin(name)
        if is_first:
            with self.streams.current():
                self.warm_up(tensors)
            return {name: self.streams.run(lambda: self.run(tensors))}
        with self.streams.current():
            return {name: self.run(tensors)}

    def promises(self):
        """What is wrong with the operator's registration, and what of it was not asked."""
        from gradproof.candidate import operator_checks
        tensors = self.begin(self.spec["plain"])
        self.put(tensors)
        cotangents = [self.placement.placed(name, tensors[name]) for name in self.spec["cotangents"]]
        wrong, notes = operator_checks.examined(self.call, list(self.arguments.values()), cotangents, self.spec["keys"])
        return {"wrong": wrong, "notes": notes}

    def put(self, tensors, fresh=True):
        """The set's numbers into its memory; what is carried from step to step only where it is fresh."""
        with torch.no_grad():
            layouts.delay(self.placement.device)
            for name, tensor in self.state.items() if fresh else ():
                tensor.copy_(tensors[name])
            for argument in self.spec["arguments"]:
                name = argument["name"]
                if not fresh and name in self.spec["carried"]:
                    continue
                if name not in self.arguments:
                    self.arguments[name] = (self.placement.placed(name, tensors[name]) if argument["tensor"]
                                            else argument["value"])
                    if argument["gradient"]:
                        self.arguments[name].requires_grad_()
                elif argument["tensor"]:
                    self.arguments[name].copy_(tensors[name])

    def step(self, tensors, between=lambda results: None, fresh=True):
        self.put(tensors, fresh)
        if self.executor:
            self.executor.begin_call(self.calls, {**self.state, **self.tensors_of_arguments()})
            self.calls += 1
        cotangents = [self.placement.cotangent(name, tensors[name]) for name in self.spec["cotangents"]]
        if "operator" not in self.spec:  # which sees to it itself, between its arguments and the call
            kinds = [(shape, getattr(torch, dtype)) for dtype, shape in self.spec["results"]]
            layouts.poison_freed(kinds, self.placement.device)
        values, gradients, buffers = steps.step(self.call, self.arguments, self.state, cotangents, self.on_the_device(between),
                                                self.without_backward)
        named = numbered(values)
        named.update({f"d_{name}": gradient for name, gradient in gradients.items() if gradient is not None})
        named.update({f"after.{name}": buffer for name, buffer in buffers.items()})
        return named

    def without_backward(self, error):
        """Forward goes on, and is judged."""
        self.said = {"backward": f"its backward raised {loading.last_line(error)}; --no-backward judges forward alone"}

    def on_the_device(self, between):
        """The same by name, behind a look at where results are: backward would only say that devices differ."""
        def looked_at(values):
            for k, value in enumerate(values):
                if value.device.type != self.placement.device:
                    raise TypeError(f"result {k} is on the device {value.device.type}, not {self.placement.device}")
            between(numbered(values))
        return looked_at

    def carried_on(self):
        """Of each training step, and of a call in eval behind them, what it left; all are run twice from the same state."""
        sets = {name: self.begin(name) for name in self.spec["steps"]}
        written = {name: {} for name in sets}
        with self.streams.current():
            for part in ("first", "again"):
                for k, (name, tensors) in enumerate(sets.items()):
                    self.calls = int(part == "again")
                    keep(written[name], part, self.carried_step(tensors, fresh=k == 0, training=name != carried.EVAL))
                    keep(written[name], "argument", {**self.tensors_of_arguments(), **steps.parameters_of(self.state)})
                    self.carry(written[name])
        return written

    def carried_step(self, tensors, fresh, training):
        if training:
            return self.step(tensors, fresh=fresh)
        with loading.in_eval(self.call):
            return self.step(tensors, fresh=fresh)

    def carry(self, written):
        """Into arguments that an operator has for state; a module's own state is carried by itself."""
        with torch.no_grad():
            for name, later in self.spec["carried"].items():
                if name in self.arguments:
                    self.arguments[name].copy_(tensor_files.tensor_of(written[f"first/{later}"]))

    def warm_up(self, tensors):
        """Other numbers of the same shapes."""
        self.step({name: tensor * 1.5 if tensor_files.is_floating(tensor) else tensor for name, tensor in layouts.rolled(tensors).items()})

    def run(self, tensors):
        self.calls = 0
        return repeated.run(self.step, tensors, lambda: {**self.tensors_of_arguments(), **steps.parameters_of(self.state)},
                            self.placement.around, lambda: self.step(layouts.rolled(tensors)))

    def found(self):
        """What is said of a set beside its results."""
        return self.executor.found() if self.executor else {"default_stream": self.streams.is_found}

    def tensors_of_arguments(self):
        return {name: value for name, value in self.arguments.items() if isinstance(value, torch.Tensor)}


def numbered(values):
    return {f"result{k}": value for k, value in enumerate(values)}


def require_state(model, wanted, name):
    found = {key: list(tensor.shape) for key, tensor in loading.state_of(model).items()}
    if found != wanted:
        raise loading.Refused(
            f"{name} has another state than the reference, and it is copied by name: it has {shapes(found)}; "
            f"the reference {shapes(wanted)}")


def shapes(state):
    return " ".join(f"{name}{shape}" for name, shape in sorted(state.items())) or "none"


def candidate_of(spec, placement):
    """What is called, and its state."""
    if "operator" in spec:
        from gradproof.candidate import library
        library.load(spec["file"])
        return library.Operator(spec["operator"], placement)
    if placement.device == "cuda":
        torch.backends.cudnn.allow_tf32 = False  # torch's default, of convolutions alone: not what float32 promises
    module = loading.module_of(spec["file"])
    arguments = torch.load(spec["init"], weights_only=False) if spec["init"] else []
    call = loading.built(module, spec["name"], arguments, spec["seed"])
    require_state(call, spec["state"], spec["name"])
    return call.to(placement.device) if isinstance(call, torch.nn.Module) else call


def main():
    processes.end_with_parent()
    channel = int(sys.argv[1])
    process, write, leave = os.getpid(), os.write, os._exit

    def say(**message):
        if os.getpid() != process:
            leave(0)  # a fork of the candidate's: it has no results to give
        write(channel, json.dumps(message).encode() + b"\n")

    say(ready=True)  # a deadline that is meant for the candidate begins here
    spec = json.loads(sys.stdin.readline() or leave(0))
    if "library" in spec:
        # The library's schemas decide what is run. This process has loaded it and goes on with it, because another one takes seconds to start.
        say(**schemas.told(spec["library"]))
        spec = json.loads(sys.stdin.readline() or leave(0))
    placement = layouts.Placement(spec.get("device", "cpu"))
    executor = None
    if "executor" in spec:
        from gradproof.executor.calls import Executor
        executor = Executor(spec["executor"], lambda request: say(build=request) or json.loads(sys.stdin.readline() or "{}"))
    try:
        host = Host(spec, candidate_of(spec, placement), placement, executor)
    except loading.Refused as error:
        return say(refused=str(error))
    for k, name in enumerate(spec["sets"]):
        say(begins=name)
        said = {}
        if executor:
            executor.begin_set(k)
        try:
            if name == OPERATOR:
                said = host.promises()
            else:
                written = host.results(name, is_first=k == 0)
                said = host.said
        except BaseException as error:  # SystemExit too
            say(raised=f"raised {loading.last_line(error)}", **host.found())
            continue
        if os.getpid() == process and name != OPERATOR:
            for part, tensors in written.items():
                path = carried.answers_of(pathlib.Path(spec["folder"]) / part)
                tensor_files.write(path.with_suffix(".part"), tensors)
                os.replace(path.with_suffix(".part"), path)
        say(done=name, **said, **host.found())
    sys.stdout.flush()
    leave(0)  # nothing of the candidate's runs behind its last answer


if __name__ == "__main__":
    main()
