# SPDX-License-Identifier: Apache-2.0
"""Which argument of an operator is which tensor of a line (cli/python/gradproof/candidate/plans.py), on schemas as libraries have them."""
import os
import pathlib
import re
import sys
import types

import pytest
import torch

sys.path.insert(0, str(pathlib.Path(os.environ["GRADPROOF_SOURCE_DIR"]) / "cli/python"))
from gradproof import tensor_files  # noqa: E402
from gradproof.candidate import library_trial, matching, plans  # noqa: E402
from gradproof.candidate.loading import Refused  # noqa: E402

# Tensors, outputs and numbers of lines; what a buffer becomes.
NORM = (["x", "weight"], ["y"], [("y", "eps", 1e-6)], {})
ADD_NORM = (["x", "residual", "weight"], ["y", "h"], [("y", "eps", 1e-6)], {})
BATCH = (["x", "weight", "bias", "mean", "var"], ["y", "new_mean", "new_var"],
         [("y", "eps", 1e-5), ("new_mean", "momentum", 0.1), ("new_var", "momentum", 0.1)], {"new_mean": "mean", "new_var": "var"})
GROUP = (["x", "weight", "bias"], ["y"], [("y", "groups", 8), ("y", "eps", 1e-5)], {})
TWO = (["x", "a", "b"], ["y"], [("u", "eps", 1e-5), ("y", "eps", 1e-6)], {})


def schema_of(text):
    schema = torch._C.parse_schema(text)
    return {"name": schema.name, "text": text, "keys": ["CPU"], "returns": [{"name": of.name, "kind": str(of.type)} for of in schema.returns],
            "arguments": [{"name": a.name, "kind": str(a.type), "default": a.has_default_value(),
                           "changed": a.alias_info is not None and a.alias_info.is_write} for a in schema.arguments]}


def forward(text, line, said=None, sizes=None):
    """The plan, and the values of the line."""
    inputs, outputs, numbers, buffers = line
    line = types.SimpleNamespace(inputs=inputs, outputs=outputs, numbers=numbers)
    values = matching.values_of(line, sizes or {})
    return plans.Forward(schema_of(text), line, buffers, values).plan(said or {}), values


@pytest.mark.parametrize("text, line, arguments, returns", [
    # By name.
    ("a::f(Tensor x, Tensor weight, float eps) -> Tensor", NORM, {"x": "x", "weight": "weight", "eps": "eps"}, ["y"]),
    # What is left for what is left; a number's default is not taken where the line has that number.
    ("a::f(Tensor input, Tensor weight, float epsilon=1e-5) -> Tensor", NORM, {"input": "x", "weight": "weight", "epsilon": "y.eps"}, ["y"]),
    # A result that the caller allocates, and one that is written over an input.
    ("a::f(Tensor(a!) result, Tensor input, Tensor weight, float epsilon) -> ()", NORM,
     {"result": "-> y", "input": "x", "weight": "weight", "epsilon": "y.eps"}, []),
    ("a::f(Tensor(a!) x, Tensor weight, float eps) -> ()", NORM, {"x": "x -> y", "weight": "weight", "eps": "eps"}, []),
    ("a::f(Tensor(a!) self, Tensor weight, float eps) -> Tensor(a!)", NORM, {"self": "x", "weight": "weight", "eps": "eps"}, ["y"]),
    # Results by name, by order, and saved ones behind them.
    ("a::f(Tensor x, Tensor residual, Tensor weight, float eps) -> (Tensor h, Tensor y)", ADD_NORM,
     {"x": "x", "residual": "residual", "weight": "weight", "eps": "eps"}, ["h", "y"]),
    ("a::f(Tensor x, Tensor weight, float eps) -> (Tensor, Tensor)", NORM, {"x": "x", "weight": "weight", "eps": "eps"}, ["y", None]),
    # State: declared to change, returned, or changed in silence.
    ("a::f(Tensor x, Tensor weight, Tensor bias, Tensor(a!) mean, Tensor(b!) var, float momentum, float eps) -> Tensor", BATCH,
     {"x": "x", "weight": "weight", "bias": "bias", "mean": "mean -> new_mean", "var": "var -> new_var", "momentum": "momentum", "eps": "eps"},
     ["y"]),
    ("a::f(Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor var) -> (Tensor, Tensor, Tensor)", BATCH,
     {"x": "x", "weight": "weight", "bias": "bias", "mean": "mean", "var": "var"}, ["y", "new_mean", "new_var"]),
    ("a::f(Tensor x, Tensor weight, Tensor bias, Tensor mean, Tensor var) -> Tensor", BATCH,
     {"x": "x", "weight": "weight", "bias": "bias", "mean": "mean -> new_mean", "var": "var -> new_var"}, ["y"]),
    # Whole numbers, flags with a default, None for what the line has not.
    ("a::f(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-5, bool fast=True) -> Tensor", GROUP,
     {"input": "x", "num_groups": "y.groups", "weight": "weight", "bias": "bias", "eps": "eps"}, ["y"]),
    ("a::f(Tensor x, Tensor weight, Tensor? bias, float eps) -> Tensor", NORM, {"x": "x", "weight": "weight", "bias": None, "eps": "eps"}, ["y"]),
    ("a::f(Tensor x, Tensor weight, int cols, float eps) -> Tensor", NORM, {"x": "x", "weight": "weight", "cols": "cols", "eps": "eps"}, ["y"]),
])
def test_what_is_found(text, line, arguments, returns):
    plan, values = forward(text, line, sizes={"rows": 4, "cols": 7})
    assert plan == {"op": "a::f", "arguments": arguments, "returns": returns}
    whole = plans.require_complete(plan, {"a::f": schema_of(text)}, values)["arguments"]
    assert all(not isinstance(whole[a["name"]], str) for a in schema_of(text)["arguments"] if "Tensor" not in a["kind"] and a["name"] in whole)


@pytest.mark.parametrize("text, line, says", [
    ("a::f(Tensor p, Tensor q) -> Tensor", NORM, "'p' of a::f is not clear: x or weight"),
    ("a::f(Tensor(a!) input, Tensor(b!) residual, Tensor weight, float epsilon) -> ()", ADD_NORM,
     "'input' of a::f is not clear: x -> y or x -> h"),
    ("a::f(Tensor x, Tensor a, Tensor b, float eps) -> Tensor", TWO, "'eps' of a::f is not clear: u.eps or y.eps (float)"),
    ("a::f(Tensor x, Tensor weight, bool training) -> Tensor", NORM, "'training' of a::f is not clear: the line has none (bool)"),
    ("a::f(Tensor x, Tensor weight, Tensor more) -> Tensor", NORM, "'more' of a::f is not clear: no tensor is left for it"),
    ("a::f(Tensor x) -> Tensor", NORM, "the line's tensor 'weight' is no argument of a::f(Tensor x)"),
    ("a::f(Tensor x, Tensor residual, Tensor weight) -> Tensor", ADD_NORM, "none of its arguments becomes 'h'"),
])
def test_what_is_not_clear(text, line, says):
    with pytest.raises(Refused, match=re.escape(says)):
        plan, values = forward(text, line)
        plans.require_complete(plan, {"a::f": schema_of(text)}, values)


def test_a_mapping_of_lists_and_texts():
    text = "a::f(Tensor x, int[] normalized_shape, str equation, Tensor weight, float epsilon) -> Tensor"
    said = {"normalized_shape": [7], "equation": "i->j"}
    plan, _ = forward(text, NORM, {"arguments": said})
    assert plan["arguments"] == {"x": "x", **said, "weight": "weight", "epsilon": "y.eps"}


@pytest.mark.parametrize("text, said, says", [
    ("a::f(Tensor[] xs, Tensor weight) -> Tensor", {"xs": "x"}, "a list of tensors is one of their names; there are: x weight"),
    ("a::f(Tensor[] xs, Tensor weight) -> Tensor", {"xs": ["x", "z"]}, "a list of tensors is one of their names; there are: x weight"),
    ("a::f(Tensor x, Tensor weight, bool fast) -> Tensor", {"fast": 1}, "the mapping gives 'fast' of a::f 1; it is bool"),
    ("a::f(Tensor x, Tensor weight, int[] shape) -> Tensor", {"shape": 7}, "the mapping gives 'shape' of a::f 7; it is List[int]"),
    ("a::f(Tensor x, Tensor weight, int n) -> Tensor", {"n": 0.5}, "the mapping gives 'n' of a::f 0.5; it is int"),
    ("a::f(Tensor x, Tensor weight, int n) -> Tensor", {"n": True}, "the mapping gives 'n' of a::f true; it is int"),
])
def test_a_mapping_of_another_kind(text, said, says):
    with pytest.raises(Refused, match=re.escape(says)):
        forward(text, NORM, {"arguments": said})


@pytest.mark.parametrize("text, said", [
    ("a::f(Tensor[] xs) -> Tensor", {"xs": ["x", "weight"]}), ("a::f(Tensor x, Tensor? weight, float eps) -> Tensor", {"eps": 1}),
    ("a::f(Tensor x, Tensor weight, float? eps) -> Tensor", {"eps": None}), ("a::f(Tensor x, Tensor weight, int[] n) -> Tensor", {"n": [7]})])
def test_a_mapping_of_the_right_kind(text, said):
    plan, _ = forward(text, NORM, {"arguments": said})
    assert {name: plan["arguments"][name] for name in said} == said


def test_a_mapping_settles_it():
    text = "a::f(Tensor(a!) input, Tensor(b!) residual, Tensor weight, float epsilon) -> ()"
    plan, _ = forward(text, ADD_NORM, {"arguments": {"input": "x -> y", "residual": "residual -> h"}})
    assert plan["arguments"] == {"input": "x -> y", "residual": "residual -> h", "weight": "weight", "epsilon": "y.eps"}
    plan, values = forward("a::f(Tensor x, Tensor a, Tensor b, float eps) -> Tensor", TWO, {"arguments": {"eps": "u.eps"}})
    schemas = {"a::f": schema_of("a::f(Tensor x, Tensor a, Tensor b, float eps) -> Tensor")}
    assert plans.require_complete(plan, schemas, values)["arguments"]["eps"] == 1e-5


@pytest.mark.parametrize("text, arguments, returns", [
    ("a::b(Tensor grad, Tensor x, Tensor weight, Tensor rstd) -> (Tensor, Tensor)",
     {"grad": "dy", "x": "x", "weight": "weight", "rstd": "rstd"}, ["d_x", "d_weight"]),
    ("a::b(Tensor dy, Tensor x, Tensor weight, float eps) -> (Tensor d_weight, Tensor d_x)",
     {"dy": "dy", "x": "x", "weight": "weight", "eps": "eps"}, ["d_weight", "d_x"]),
    # Memory that backward fills.
    ("a::b(Tensor dy, Tensor x, Tensor(a!) d_x, Tensor(b!) dw) -> ()", {"dy": "dy", "x": "x", "d_x": "-> d_x", "dw": "-> d_weight"}, []),
    ("a::b(Tensor dy, Tensor x, Tensor(a!) d_x) -> Tensor", {"dy": "dy", "x": "x", "d_x": "-> d_x"}, ["d_weight"]),
    ("a::b(Tensor dy, Tensor(a!) dx, Tensor(b!) dw) -> ()",
     {"dy": "dy", "dx": "?: -> d_x or -> d_weight", "dw": "?: -> d_x or -> d_weight"}, []),
])
def test_backward(text, arguments, returns):
    line = types.SimpleNamespace(inputs=["x", "weight"], outputs=["y"], numbers=[("y", "eps", 1e-6)], cotangents={"y": "dy"},
                                 gradients={"x": "d_x", "weight": "d_weight"})
    saved = schema_of("a::f(Tensor x, Tensor weight) -> (Tensor y, Tensor rstd)")
    plan = plans.backward_plan(schema_of(text), line, saved, {}, matching.values_of(line, {}))
    assert plan == {"op": "a::b", "arguments": arguments, "returns": returns}


@pytest.mark.parametrize("dtype, data, zero", [
    ("float32", b"\0\0\0\x80\0\0\0\0", True), ("float32", b"\x80\x80\x80\x80", False), ("bfloat16", b"\x80\0", False),
    ("bfloat16", b"\0\x80", True), ("float64", b"\0" * 7 + b"\x81", False), ("float32", b"", True),
])
def test_what_is_zero(dtype, data, zero):
    assert library_trial.is_zero(tensor_files.Data(dtype, [], data)) == zero
