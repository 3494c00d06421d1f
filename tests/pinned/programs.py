# SPDX-License-Identifier: Apache-2.0
"""The words of the tree that stand where a program is named: in shell, Python, C++ that calls a shell, CMake and the sessions of pages."""
import ast
import re

WORD = r"([A-Za-z0-9_][A-Za-z0-9_.+-]*)(?=[\s;|&)]|$)"
# In front of a command: the start of a line, an operator, a word of the shell, or a program that starts another.
BEFORE = re.compile(
    r"(?:^|[;|&({`]|\$\(|\b(?:then|do|else|elif|if|while|until|exec|sudo|nice|env|command|phase \"[^\"]*\"|logged \"[^\"]*\")\s|"
    r"! |\bxargs(?: -\w+(?: \d+)?)*\s)[ \t]*" + WORD, re.M)
QUOTED = re.compile(r"'[^']*'|\"(?:[^\"\\$]|\\.|\$(?!\())*\"")
IN_SHELL = re.compile(r"\b(?:shell|system|popen)\(\s*((?:R?\"[^\n]*)+)")
# Without a generator CMake's is that of make.
NO_GENERATOR = re.compile(r"\bcmake\"?,? (?![^\n]*(?:-G|--preset))[^\n]*-[BS]\b")
IN_CMAKE = re.compile(r"\bCOMMAND\s+" + WORD)


def in_shell(text):
    """Comments, quoted words and here-documents hold none. What the file defines is none, nor what it asks for before it starts it."""
    known = set(re.findall(r"^ *([\w-]+)\(\) [{(]", text, re.M)) | set(re.findall(r"\bcommand -v \"?([\w.+-]+)", text))
    text = re.sub(r"(^|\s)#.*", r"\1", text)
    text = re.sub(r"<<-?'?(\w+)'?.*?^\s*\1$", "", text, flags=re.M | re.S)
    text = text.replace("\\\n", " ")
    return set(BEFORE.findall(QUOTED.sub("_quoted_ ", text))) - known


def commands_of(node):
    """What of a node of Python's syntax is a program with its arguments."""
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") in ("run", "Popen", "check_output", "check_call"):
        return [node.args[0], ast.List(node.args)] if node.args else []
    if isinstance(node, ast.For) and getattr(node.target, "id", "") == "command":
        return getattr(node.iter, "elts", [])
    if isinstance(node, ast.Assign) and "command" in getattr(node.targets[0], "id", ""):
        return [node.value]
    return []


def in_python(text):
    """The first words of lists that are run."""
    lists = [part for node in ast.walk(ast.parse(text)) for part in commands_of(node) if isinstance(part, ast.List) and part.elts]
    firsts = [part.elts[0].value for part in lists if isinstance(part.elts[0], ast.Constant)]
    return {word for word in firsts if isinstance(word, str)} - set(re.findall(r"\bwhich\(\"([^\"]+)\"", text))


def in_cpp(text):
    found = set()
    for call in IN_SHELL.findall(text):
        for literal in re.findall(r"\"((?:[^\"\\]|\\.)*)\"", call):
            found |= in_shell(literal)
    return found


def in_cmake(text):
    return set(IN_CMAKE.findall(re.sub(r"(^|\s)#.*", r"\1", text)))


def in_page(text):
    """A session's lines stand behind `$`."""
    return in_shell("\n".join(re.findall(r"^\s*\$ (.*)$", text, re.M)))


def reader_of(path, text):
    """Which of these reads the file, or nothing."""
    if path.suffix in (".py", ".cpp", ".h", ".md", ".cmake") or path.name == "CMakeLists.txt":
        return {".py": in_python, ".cpp": in_cpp, ".h": in_cpp, ".md": in_page}.get(path.suffix, in_cmake)
    shell = re.match(r"#!.*\b(ba)?sh\b", text) or "shellcheck shell" in text[:200] or path.name == "common.sh"
    return in_shell if shell else None


def programs_of(source, files):
    """{word: the first file that has it in the place of a program}"""
    found = {}
    for file in files:
        path = source / file
        text = path.read_text(errors="replace")
        reader = reader_of(path, text)
        words = reader(text) if reader else set()
        for word in words | ({"make"} if NO_GENERATOR.search(text) else set()):
            found.setdefault(word, file)
    return found
