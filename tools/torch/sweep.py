#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Judges torch on the graphs of case files: its eager operators and the code that torch.compile generates.

Usage: sweep.py BIN CASES... [--dtypes f32,bf16] [--how eager,compiled] [--contract 'KEY=WORD ...'] [--keep DIR] [--faults]
BIN: the folder of the programs, build/cpu/bin. Python: one with torch, as scripts/setup --python makes it.

Each line is run forward and backward on the inputs that `check` draws for it, and `gradproof judge` judges what came out. A
compiled function is judged by the contract of fused code, with LibTorch's functions, and in 16 bits with values stored between
its kernels (docs/given-tensors.md); eager by the contract of operators one after the other.
--faults runs faults in place of the functions: a line of each text changed, eager; each that changes a bit must be convicted, but where
all that it changes is Mistrusted: these are named.
--keep keeps inputs and outputs; what lies there and is of the same text is not computed again.
Faults of torch itself that known.py names are counted apart; one that is gone is said, so that its entry can go too.
Exit code 1: something was over its bound, or a fault was not, or none was planted; a named fault is gone.
"""
import argparse
import collections
import json
import pathlib
import sys
import tempfile
import time

import torch

from faults import faulty
from graphs import Program, read_cases, results, tensor_files
from known import reason

CONTRACTS = {"eager": "stored=all functions=libtorch", "compiled": "functions=libtorch"}
OF_16_BITS = {"eager": "", "compiled": " stored=all"}


def contract_of(how, dtype):
    return CONTRACTS[how] + (OF_16_BITS[how] if dtype in ("f16", "bf16") else "")


def computed(source, tensors, how, path):
    """The results, from the folder where the same text was run."""
    text = path.with_suffix(".py")
    if not (path.exists() and text.exists() and text.read_text() == source):
        torch._dynamo.reset()
        tensor_files.write(path, of_one_type(results(source, tensors, how == "compiled"), tensors, path.stem))
        text.write_text(source)
    return path


def of_one_type(found, tensors, name):
    """The results in the inputs' type; one of another type is named: compiled running statistics of 16 bits are float32."""
    dtype = next(tensor.dtype for tensor in tensors.values() if tensor.is_floating_point())
    for key, tensor in found.items():
        if tensor.dtype != dtype:
            print(f"type  {name} {key}: {tensor.dtype} where the inputs have {dtype}", flush=True)
    return {key: tensor.to(dtype) for key, tensor in found.items()}


def judged(program, graph, inputs, outputs, contract):
    """Records of the tensors, the line on standard error."""
    done = program.run("judge", "--pipeline", graph.line, "--inputs", inputs, "--outputs", outputs, "--contract", contract,
                       "--name", graph.name, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return [line for line in lines if "tensor" in line], done.stderr.strip()


class Sweep:
    def __init__(self, options, folder):
        self.options = options
        self.program = Program(options.programs)
        self.folder = folder
        self.verdicts = collections.Counter()
        self.convicted = self.planted = self.unchanged = self.mistrusted = 0

    def judge(self, graph, dtype, how, inputs, outputs):
        contract = self.options.contract or contract_of(how, dtype)
        records, error = judged(self.program, graph, inputs, outputs, contract)
        if error:
            print(f"ERROR  {graph.name} {dtype} {how}: {error}")
            self.verdicts["error"] += 1
        return records

    def run(self, graph, dtype, how):
        graph = graph.with_dtype(dtype)
        stem = self.folder / f"{graph.name}.{dtype}"
        inputs = stem.with_name(stem.name + ".inputs.safetensors")
        tensors = self.program.inputs(graph, inputs)
        source = self.program.source(graph)
        try:
            if self.options.faults:
                return self.try_faults(graph, dtype, source, tensors, inputs)
            outputs = computed(source, tensors, how, stem.with_name(f"{stem.name}.{how}.safetensors"))
        except (NotImplementedError, RuntimeError) as error:  # three-dimensional average pools in 16 bits
            print(f"skipped  {graph.name} {dtype} {how}: {str(error).splitlines()[0]}", flush=True)
            self.verdicts["skipped"] += 1
            return
        named = reason(graph.name, dtype, how)
        records = self.judge(graph, dtype, how, inputs, outputs)
        if named and all(record["verdict"] in ("Passed", "Mistrusted") for record in records):
            print(f"gone  {graph.name} {dtype} {how}: {named}", flush=True)
            self.verdicts["Failed"] += 1
        for record in records:
            failed = record["verdict"] not in ("Passed", "Mistrusted")
            self.verdicts["named" if named and failed else record["verdict"]] += 1
            if failed and not named:
                worst = record["discrepancy"]["worst"]
                print(f"{record['verdict']}  {graph.name} {dtype} {how} {record['tensor']}: error/bound "
                      f"{worst['ratio']} at {worst['index']}, got {worst['got']} want {worst['want']}", flush=True)

    def try_faults(self, graph, dtype, source, tensors, inputs):
        right = results(source, tensors)
        for fault, text in faulty(source, dtype):
            self.try_fault(graph, dtype, fault, text, tensors, inputs, right)

    def try_fault(self, graph, dtype, fault, text, tensors, inputs, right):
        outputs = self.folder / f"{graph.name}.{dtype}.{fault}.safetensors"
        found = results(text, tensors)
        changed = [name for name, tensor in found.items() if not torch.equal(tensor, right[name])]
        if not changed:
            self.unchanged += 1  # the slope of a leaky_relu behind a relu
            return
        tensor_files.write(outputs, found)
        records = self.judge(graph, dtype, "eager", inputs, outputs)
        failed = any(record["verdict"] == "Failed" for record in records)
        trusted = any(record["verdict"] == "Passed" and record["tensor"] in changed for record in records)
        if not failed and not trusted:
            self.mistrusted += 1
            print(f"mistrusted: {fault} in {graph}", flush=True)
            return
        self.planted += 1
        self.convicted += int(failed)
        if not failed:
            print(f"not convicted: {fault} in {graph}", flush=True)
            self.verdicts["Failed"] += 1


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("programs")
    parser.add_argument("cases", nargs="+")
    parser.add_argument("--dtypes", default="f32,bf16")
    parser.add_argument("--how", default="eager,compiled")
    parser.add_argument("--contract")
    parser.add_argument("--keep")
    parser.add_argument("--faults", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(1)
    graphs = [graph for path in options.cases for graph in read_cases(path)]
    wrong = False
    with tempfile.TemporaryDirectory() as temporary:
        folder = pathlib.Path(options.keep or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        for how in ["eager"] if options.faults else options.how.split(","):
            for dtype in options.dtypes.split(","):
                sweep = Sweep(options, folder)
                start = time.monotonic()
                for graph in graphs:
                    sweep.run(graph, dtype, how)
                seconds = f"seconds={time.monotonic() - start:.1f}"
                counts = {word: sweep.verdicts[word] for word in ("Passed", "Mistrusted", "Failed")}
                other = sum(sweep.verdicts.values()) - sum(counts.values())
                if options.faults:
                    print(f"RESULT faults {dtype} convicted={sweep.convicted} of={sweep.planted} "
                          f"unchanged={sweep.unchanged} mistrusted={sweep.mistrusted} "
                          f"skipped={sweep.verdicts['skipped']} {seconds}", flush=True)
                else:
                    named = sweep.verdicts["named"]
                    print(f"RESULT {how} {dtype} graphs={len(graphs)} passed={counts['Passed']} "
                          f"mistrusted={counts['Mistrusted']} failed={counts['Failed']} named={named} "
                          f"other={other - named} {seconds}", flush=True)
                wrong = wrong or counts["Failed"] > 0 or sweep.verdicts["error"] > 0
                wrong = wrong or (options.faults and sweep.planted == 0)
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
