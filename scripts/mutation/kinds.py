# SPDX-License-Identifier: Apache-2.0
"""What an automatic mutation changes. Each function takes a Source and yields (start, end, text): what stands there is
replaced by the text. A mutation that does not compile costs a compilation, so only what is likely to is yielded."""
import re

from mutation import structure

OPERATORS = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "<<": ">>", "&": "|", "|": "&"}
ASSIGNMENTS = {"+=": "-=", "-=": "+=", "*=": "+=", "++": "--"}
COMPARISONS = {"<": ("<=", ">="), "<=": ("<", ">"), ">": (">=", "<="), ">=": (">", "<"), "==": ("!=",), "!=": ("==",)}
LOGIC = {"&&": "||", "||": "&&", "true": "false", "false": "true"}
FUNCTIONS = {"exp": "sqrt", "rsqrt": "sqrt", "abs": "sqrt"}
CONVERSIONS = {"__float2half_rn": "__float2half_rz", "__float2bfloat16_rn": "__float2bfloat16_rz"}
NAMES = [("row_stride", "col_stride"), ("rows", "cols"), ("row", "col"), ("mean", "rstd"), ("mean", "m2"),
         ("weight", "beta"), ("d_weight", "d_beta"), ("weight", "bias"), ("first", "second"), ("lane", "slot"),
         ("lane", "lanes"), ("begin", "size"), ("running_mean", "running_var"), ("mean_g", "mean_g_xhat"),
         ("chunk", "term"), ("group", "chunk"), ("groups", "width"), ("true_type", "false_type"), ("large", "small"),
         ("value", "inverse"), ("denominator", "seed"), ("together", "chunks_together"), ("begin", "chunk"),
         ("kFewLanes", "kManyLanes"), ("kStreamQuads", "kResidentQuads"), ("x", "g"), ("xhat", "g"), ("k", "term")]
NEAR = 150  # tokens


def _swapped(table, wanted):
    def find(source):
        for i, token in enumerate(source.tokens):
            if token.text in table and wanted(source, i):
                options = table[token.text]
                for text in (options,) if isinstance(options, str) else options:
                    yield token.start, token.end, text
    return find


def _is_spaced(source, i):
    return source.tokens[i].spaced


def signs(source):
    for i, token in enumerate(source.tokens):
        before = source.tokens[i - 1] if i else None
        unary = before and (before.text in ("return", "(", ",", "=", "[", "{", "?", ":", "&&", "||", "!") or before.spaced)
        if token.text in ("-", "!") and not token.spaced and unary:
            yield token.start, token.end, ""


def constants(source):
    """Numbers, and constants by their names: one more, one less, twice, half."""
    truths = set(re.findall(r"\bbool (k[A-Z]\w*)", source.text))
    for i, token in enumerate(source.tokens):
        if token.kind == "number":
            yield from ((token.start, token.end, text) for text in _other_numbers(token.text))
        elif re.fullmatch(r"k[A-Z]\w*", token.text) and not _declares(source, i):
            first = i
            while source.at(first - 1) == "::" and source.is_word(first - 2):
                first -= 2
            if source.at(first - 1) in ("::", ".", "->") or source.at(i + 1) == "<":
                continue
            whole = source.between(first, i + 1)
            for change in ("!({})",) if token.text in truths else ("({} + 1)", "({} - 1)", "({} / 2)"):
                yield source.tokens[first].start, token.end, change.format(whole)


def _declares(source, i):
    return source.is_word(i - 1) and source.at(i - 1) != "return" or source.at(i - 1) in ("*", "&")


def _other_numbers(text):
    if re.fullmatch(r"\d+", text):
        return [str(n) for n in sorted({int(text) + 1, abs(int(text) - 1)})]
    power = re.fullmatch(r"(0x1p-?)(\d+)(f?)", text)
    if power:
        return [f"{power[1]}{int(power[2]) * factor}{power[3]}" for factor in (0, 2)]
    return ["2.0f", "0.0f"] if text == "1.0f" else ["1.0f"] if text == "0.0f" else []


def names(source):
    """A name that is easily taken for another of its kind, where that is in use near by."""
    for i, token in enumerate(source.tokens):
        if not source.is_word(i) or _declares(source, i) or source.at(i - 1) == ">" or source.at(i - 1) == "struct":
            continue
        if source.at(i - 1) == "." and source.at(i - 2) in ("threadIdx", "blockIdx", "blockDim"):
            yield token.start, token.end, {"x": "y", "y": "x"}[token.text]
            continue
        if source.at(i - 1) == "." and source.at(i - 2) == "a" and token.text in ("x", "dy"):
            yield token.start, token.end, {"x": "dy", "dy": "x"}[token.text]
        for one, other in NAMES:
            taken = other if token.text == one else one
            if token.text in (one, other) and _is_near(source, i, taken):
                yield token.start, token.end, taken


def _is_near(source, i, name):
    """Whether the name is in use there in the same way: of an object, or by itself."""
    of_an_object = source.at(i - 1) in (".", "->")
    return any(source.at(j) == name and (source.at(j - 1) in (".", "->")) == of_an_object
               for j in range(max(i - NEAR, 0), i + NEAR))


def functions(source):
    """Another function of one argument, an fma of two roundings, a conversion that cuts off."""
    for i, token in enumerate(source.tokens):
        if source.between(max(i - 4, 0), i) == "simt::math::":
            if token.text in FUNCTIONS:
                yield token.start, token.end, FUNCTIONS[token.text]
            if token.text in ("abs", "exp"):
                yield source.tokens[i - 4].start, token.end, ""
            if token.text == "fma":
                a, b, c = (source.between(*part) for part in source.split(i + 2, source.closing[i + 1]))
                yield source.tokens[i - 4].start, source.tokens[source.closing[i + 1]].end, f"(({a}) * ({b}) + ({c}))"
        elif token.text in CONVERSIONS:
            yield token.start, token.end, CONVERSIONS[token.text]


def types(source):
    """Indices of 32 bits; numbers of float where A is meant."""
    for i, token in enumerate(source.tokens):
        if token.text == "int64_t" and source.at(i - 1) == "::" and source.at(i + 1) != "{":
            yield source.tokens[i - 2].start, token.end, "int"
        if token.text == "A" and source.is_word(i + 1) and source.at(i - 1) not in ("class", "::"):
            yield token.start, token.end, "float"


KINDS = {
    "operator": _swapped(OPERATORS, _is_spaced),
    "assignment": _swapped(ASSIGNMENTS, lambda source, i: True),
    "comparison": _swapped(COMPARISONS, _is_spaced),
    "logic": _swapped(LOGIC, lambda source, i: source.is_word(i) or source.tokens[i].spaced),
    "sign": signs,
    "constant": constants,
    "index": structure.indices,
    "condition": structure.conditions,
    "statement": structure.statements,
    "barrier": structure.barriers,
    "arguments": structure.arguments,
    "stages": structure.stages,
    "name": names,
    "function": functions,
    "type": types,
}
