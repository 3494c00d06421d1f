# SPDX-License-Identifier: Apache-2.0
"""Mutations of more than a token: as in mutation/kinds.py."""
import re

CALL_NOT = re.compile(r"SIMT_|GRADPROOF_|if$|for$|while$|switch$|sizeof$|alignas$|decltype$|requires$|return$")
COUNTED = re.compile(r"(?:.*[._>])?(rows?|cols?|lanes?|chunk|terms?|begin|first|[kisq]|group|unit|part|slot|channel)$")
NO_STATEMENT = {"if", "for", "while", "do", "else", "switch", "using", "typedef", "template", "struct", "class", "enum",
                "namespace", "public", "private", "friend", "requires", "return", "explicit", "__device__", "__global__"}


def indices(source):
    """The numbers in brackets, and arguments that by their names count something: one more, one less."""
    for i, token in enumerate(source.tokens):
        if token.text == "[" and i in source.closing and _is_subscript(source, i):
            yield from _offsets(source, i + 1, source.closing[i])
        if token.text == "(" and i in source.closing and _is_call(source, i):
            for first, end in source.split(i + 1, source.closing[i]):
                if COUNTED.fullmatch(source.between(first, end)):
                    yield from _offsets(source, first, end)


def _offsets(source, first, end):
    whole = source.between(first, end)
    start = source.tokens[first].start
    for change in ("+ 1", "- 1"):
        yield start, start + len(whole), f"{whole} {change}" if end - first == 1 else f"({whole}) {change}"


def _is_subscript(source, i):
    """Not a lambda's captures, nor the extent of an array that is declared."""
    if source.closing[i] == i + 1 or not (source.is_word(i - 1) or source.at(i - 1) == "]"):
        return False
    before = i - 1
    while source.at(before) == "]":
        before = source.opening[before] - 1
    ahead = source.at(before - 1)
    return not (source.is_word(before - 1) and ahead != "return" or ahead in (">", "*", "&")) or source.tokens[before - 1].spaced


def _is_call(source, i):
    """Whether the bracket holds the arguments of a call: no parameter has a type there."""
    called = source.is_word(i - 1) or source.at(i - 1) == ">" and not source.tokens[i - 1].spaced
    if not called or source.closing[i] == i + 1 or CALL_NOT.match(source.at(i - 1)):
        return False
    return not any(source.is_declaration(*part) or source.at(part[1] - 1) in ("&", "*")
                   for part in source.split(i + 1, source.closing[i]))


def conditions(source):
    """What is asked: turned round, always true, never true."""
    for i, token in enumerate(source.tokens):
        if token.text in ("if", "while"):
            open_ = i + 2 if source.at(i + 1) == "constexpr" else i + 1
            if open_ in source.closing and source.at(open_ + 1) != "requires":
                yield from _asked(source, open_ + 1, source.closing[open_], token.text == "if")
        elif token.text == "for":
            parts = source.split(i + 2, source.closing[i + 1], ";")
            if len(parts) == 3:
                yield source.tokens[parts[1][0]].start, source.tokens[parts[1][1] - 1].end, "false"
        elif token.text == "?":
            yield from _asked(source, _begin_of_question(source, i), i, True)


def _asked(source, first, end, both):
    start, stop = source.tokens[first].start, source.tokens[end - 1].end
    yield start, stop, f"!({source.text[start:stop]})"
    yield start, stop, "false"
    if both:
        yield start, stop, "true"


def _begin_of_question(source, i):
    while True:
        before = i - 1
        if source.at(before) in source.opening.values() or before in source.opening:
            i = source.opening[before]
        elif source.at(before) in ("(", "[", "{", ",", ";", "=", "return", "?", ":"):
            return i
        else:
            i = before


def statements(source):
    """A statement that declares nothing is left out."""
    for start, end, text in _statements(source):
        if text != "__syncthreads();":
            yield start, end, ";"


def barriers(source):
    for start, end, text in _statements(source):
        if text == "__syncthreads();":
            yield start, end, ";"


def _statements(source):
    heads = {j for i, token in enumerate(source.tokens) if token.text == "for" for j in range(i, source.closing[i + 1] + 1)}
    for i in range(len(source.tokens)):
        if i in heads:
            continue
        if source.at(i - 1) in (";", "{", "}", "else") or _is_guarded(source, i):
            end = _end_of_statement(source, i)
            if end:
                yield source.tokens[i].start, source.tokens[end].end, source.between(i, end + 1)


def _is_guarded(source, i):
    """Right behind the condition of an if, for or while."""
    if source.at(i - 1) != ")" or i - 1 not in source.opening:
        return False
    before = source.opening[i - 1] - 1
    return source.at(before) in ("if", "for", "while") or source.at(before) == "constexpr"


def _end_of_statement(source, i):
    first = source.at(i)
    if first in NO_STATEMENT and source.between(i, i + 2) != "return;" or first.startswith("SIMT_"):
        return None
    if not source.is_word(i) and first not in ("++", "--", "*"):
        return None
    end = i
    while source.at(end) != ";":
        braces = source.at(end) == "{" and source.at(end - 1) in (")", "const", "else")
        if end >= len(source.tokens) or source.at(end) == "}" or braces:
            return None
        end = source.after(end)
    return None if source.is_declaration(i, end) else end


def arguments(source):
    """Two neighbours of a call, or of a list in braces, change places."""
    for i, token in enumerate(source.tokens):
        if i not in source.closing:
            continue
        end = source.closing[i]
        has_statements = len(source.split(i + 1, end, ";")) > 1 or source.at(i - 1) == ")"
        if token.text == "{" and source.at(i + 1) != "." and not has_statements or token.text == "(" and _is_call(source, i):
            yield from _exchanged(source, source.split(i + 1, end))


def _exchanged(source, parts):
    for one, other in zip(parts, parts[1:]):
        first, second = source.between(*one), source.between(*other)
        fixed = any(re.match(r"a$|[{[&]", text) for text in (first, second))  # they have a type of their own
        if first and second and first != second and not fixed:
            start = source.tokens[one[0]].start
            middle = source.text[start + len(first):source.tokens[other[0]].start]
            yield start, start + len(first + middle + second), second + middle + first


def stages(source):
    """Two stages of a pipeline change places; one is left out."""
    for i, token in enumerate(source.tokens):
        has_some = source.at(i + 1) == "<" and source.closing.get(i + 1, i) > i + 2
        if token.text == "Stages" and source.at(i - 1) != "struct" and has_some:
            parts = source.split(i + 2, source.closing[i + 1])
            yield from _exchanged(source, parts)
            texts = [source.between(*part) for part in parts]
            for left_out in range(len(texts) if len(texts) > 1 else 0):
                rest = ", ".join(texts[:left_out] + texts[left_out + 1:])
                yield source.tokens[i + 1].start, source.tokens[source.closing[i + 1]].end, f"<{rest}>"
