# SPDX-License-Identifier: Apache-2.0
"""A function of torch on trial: called forward and backward by its own autograd, then judged by its tensors."""
import concurrent.futures

from gradproof import arguments, judgement, program
from gradproof.errors import Convicted


def check(function, pipeline, *, tensors=None, contract=None, name=None, backward=True, device=None, seed=1,
          deterministic=True, **given):
    """Calls function(*tensors), sends a cotangent back through it, and judges each output and each gradient.

    given: either every tensor of the line by name (x=x, weight=weight; a cotangent dy=... of the output y is drawn where
    it is not given), or keys of a Case (rows=64, cols=768, dtype="bf16", fill="offset:1e3"): then gradproof draws tensors
    that are hard for such a kernel. The function gets them in the order of their first use, whatever their names there, on
    `device` where that is said, with the strides that they have. It returns a tensor, or as many as the line has outputs.
    tensors: those by name whose names are options of check() ({"seed": seed}), or all of them.
    backward=False judges the outputs alone. deterministic=False is for a function whose bits depend on the order of threads.

    The function is called five times (docs/python.md). Raises Convicted for a result over its bound, of another shape or
    type, without a gradient, for one that differs in a second call, and for an input that the function changed;
    Inconclusive, ProgramError and MistrustedWarning as judge() does.
    """
    arguments.require_no_tensors({"function": function, "pipeline": pipeline, "contract": contract, "name": name,
                                  "backward": backward, "device": device, "seed": seed, "deterministic": deterministic})
    from gradproof import calls  # imports torch, which those who judge arrays need not have
    line = program.Line(pipeline)
    known = arguments.tensors_of(line, given, tensors or {}, seed)
    made = calls.Calls(function, line, known, {"backward": backward, "device": device, "seed": seed,
                                               "deterministic": deterministic}).run()
    folders = [judgement.new_folder() for _ in made]
    with concurrent.futures.ThreadPoolExecutor() as pool:  # each waits for a program
        others = [pool.submit(_judge_other, line, *other, contract, name) for other in zip(made[1:], folders[1:])]
        try:
            found = judgement.judge_files(line, made[0].given, made[0].got, contract=contract, name=name, folder=folders[0])
        except Convicted:
            concurrent.futures.wait(others)
            for folder in folders[1:]:  # what is said names none of them
                judgement.discard(folder)
            raise
        for other in others:
            other.result()
    return found


def _judge_other(line, call, folder, contract, name):
    """What its numbers prove little of, those of the first call prove."""
    try:
        judgement.judge_files(line, call.given, call.got, contract=contract, name=name, folder=folder, warn=False)
    except Convicted as error:
        raise Convicted(f"{call.how}:\n{error}", error.judgement) from None
