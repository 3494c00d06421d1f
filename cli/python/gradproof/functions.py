# SPDX-License-Identifier: Apache-2.0
"""A function of torch on trial: called forward and backward by its own autograd, then judged by its tensors."""
from gradproof import arguments, frameworks, judgement, lines, resident
from gradproof.errors import Convicted

__tracebackhide__ = True  # pytest shows the line of the test as the last one

# Which sets of inputs a function is judged on.
WORDS = ("given", "hard", "all")


def check(function, pipeline=None, *, reference=None, tensors=None, contract=None, name=None, backward=True, device=None, seed=1,
          deterministic=True, inputs=None, elements="sampled", **given):
    """Calls function(*tensors), sends a cotangent back through it, and judges each output and each gradient.

    given: either every tensor of the line by name (x=x, weight=weight; a cotangent dy=... of the output y is drawn where
    it is not given), or keys of a Case (rows=64, cols=768, dtype="bf16", fill="offset:1e3"): then gradproof draws tensors
    that are hard for such a kernel. The function gets them by name where its arguments have the names of the line's tensors,
    else in the order of their first use, on `device` where that is said, with the strides that they have. It returns a
    tensor, or as many as the line has outputs.
    reference: a function of torch in place of a line; every tensor is given by the name that its argument has, and both functions get
    them in that order. It is traced to a line, which is printed once, to be kept; where it has none, it is itself the weaker witness.
    tensors: those by name whose names are options of check() ({"seed": seed}), or all of them.
    backward=False judges the outputs alone. deterministic=False is for a function whose bits depend on the order of threads.
    inputs: "hard", the default, judges it on hard numbers of the same shapes and types as well; "given" on those that are given
    alone, the default where a fill is said; "all" on all hard ones, however long that takes.
    elements: "sampled", the default, judges a part of a product that takes long (docs/samples.md); "all" judges all of it.

    The function is called four times, and once for each set of hard numbers (docs/python.md). Raises Convicted for a result over
    its bound, of another shape or type, without a gradient, for one that differs in a second call, and for an input that the
    function changed; Inconclusive, ProgramError and MistrustedWarning as judge() does.
    """
    arguments.require_no_tensors({"function": function, "pipeline": pipeline, "contract": contract, "name": name, "inputs": inputs,
                                  "backward": backward, "device": device, "seed": seed, "deterministic": deterministic, "elements": elements})
    arguments.one_of(judgement.ELEMENTS, "elements", elements)
    inputs = arguments.one_of(WORDS, "inputs", inputs or ("given" if "fill" in given else "hard"))
    if (pipeline is None) == (reference is None):
        raise TypeError("check() wants a line of mathematics, or reference=..., and not both")
    resident.start()
    options = {"backward": backward, "device": device, "seed": seed, "deterministic": deterministic}
    function = frameworks.of_torch(function, [*given.values(), *(tensors or {}).values()])
    contract = lines.contract_of(contract, pipeline)
    if reference is not None:
        from gradproof import calls, referenced
        with calls.own_mode(backward):
            line, sets, left_out, note, begun = referenced.judgeable(function, reference, {**given, **(tensors or {})}, options,
                                                                     inputs=inputs, contract=contract, name=name, elements=elements)
        return judgement.judge_sets(line, sets, contract=contract, name=name, left_out=left_out, note=note, elements=elements,
                                    begun=begun)
    from gradproof import calls  # imports torch, which those who judge arrays need not have
    from gradproof.hard import work
    line = resident.line_of(pipeline)
    options["backward"] = backward and line.goes_back
    options["types"] = arguments.types_said(line, given.get("dtypes", ""))
    known = arguments.tensors_of(line, given, tensors or {}, seed)
    arguments.require_fixed(line, known, options["backward"])
    fills = work.fills_of(line, known, inputs)
    called = calls.Calls(function, line, known, options)
    said = {"contract": contract, "name": name, "elements": elements}
    try:
        begun = judgement.Begun(line, **said)
        return judgement.judge_sets(line, called.run(fills, begun.begin), left_out=called.fills.left_out, begun=begun, **said)
    except calls.NoBackward as error:
        forward = calls.Calls(function, line, known, {**options, "backward": False})
        raise _with_forward(error, lambda: judgement.judge_sets(line, forward.run(fills), left_out=forward.fills.left_out, **said)) from error.__cause__
    except Convicted as error:
        wrong = error.judgement.tensors("Failed") if error.judgement else []
        none = [key for gradient, key in called.none.items() if gradient in wrong]
        if none:
            error.args = (f"no gradient came back for {' '.join(none)}, and 0 was judged\n{error}",)
        raise


def _with_forward(error, judged):
    """The conviction of a backward that is not there, with what is said of forward alone."""
    try:
        forward = judged()
    except Convicted as wrong:
        return Convicted(f"{error}\n{wrong}", wrong.judgement)
    return Convicted(f"{error}\n{forward}", forward)
