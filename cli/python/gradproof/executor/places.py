# SPDX-License-Identifier: Apache-2.0
"""Where the lines of a text stand in the file of Python that has it as a string, so that what is said of them names that file."""
import ast


def lines_of(text, name, path, source):
    """For each line of the text a file and a line there. name: of what is in no string of the file.

    path, source: of the file of Python.
    """
    places = [(name, k + 1) for k in range(text.count("\n") + 1)]
    for constant in _strings(source):
        at = text.find(constant.value)
        while at >= 0:
            first = text.count("\n", 0, at)
            for k in range(constant.value.count("\n") + 1):
                places[first + k] = (path, constant.lineno + k)
            at = text.find(constant.value, at + len(constant.value))
    return places


def _strings(source):
    """Strings of several lines whose lines are those of the file, the longest last."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return []
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
             and "\n" in node.value and node.value.count("\n") == node.end_lineno - node.lineno]
    return sorted(found, key=lambda node: len(node.value))


def with_places(text, places):
    """The text with a #line in front of each line that does not follow the one before."""
    written, expected = [], None
    for line, place in zip(text.split("\n"), places):
        if place != expected and line.strip():
            written.append(f'#line {place[1]} "{place[0]}"')
            expected = place
        if expected:
            expected = (expected[0], expected[1] + 1)
        written.append(line)
    return "\n".join(written)
