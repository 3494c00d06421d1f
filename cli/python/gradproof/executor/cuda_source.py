#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes a .cu that g++ compiles for the executor from one that was written for nvcc alone (docs/bring-your-own.md).

Usage: cuda_source.py FILE.cu OUTPUT.cu

Launches and declarations of shared memory become those of simt/simt.h; all else stays as it is, and in its line. What the
executor has no answer to is an error FILE:LINE: with exit code 1, and nothing is written.
"""
import pathlib
import re
import sys

try:
    from gradproof.executor import cuda_words
except ImportError:  # a build runs this file alone
    import cuda_words

TOKEN = re.compile(r"""
    (?P<comment> //[^\n]* | /\*.*?\*/ ) | (?P<directive> ^[ \t]*\#(?:\\\n|[^\n])* )
  | (?P<string> R"(?P<mark>[^(]*)\(.*?\)(?P=mark)" | "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' )
  | (?P<word> [A-Za-z_]\w* ) | (?P<number> \.?\d(?:[eEpP][+-]|[\w.])* ) | (?P<space> \s+ )
  | (?P<sign> <<< | >>> | :: | -> | . )""", re.X | re.S | re.M)
CLOSING = {"(": ")", "[": "]", "{": "}"}


class Refused(Exception):
    """line: of the text, from 1."""

    def __init__(self, line, what):
        super().__init__(what)
        self.line = line


class Source:
    """Tokens, of which some are replaced by text."""

    def __init__(self, text, dialect=cuda_words.CU):
        self.dialect = dialect
        self.kinds, self.texts, self.lines = [], [], []
        line = 1
        for match in TOKEN.finditer(text):
            self.kinds.append(match.lastgroup if match.lastgroup != "mark" else "string")
            self.texts.append(match.group())
            self.lines.append(line)
            line += match.group().count("\n")

    def refuse(self, k, what):
        raise Refused(self.lines[k], what)

    def significant(self, k):
        return self.kinds[k] not in ("comment", "space", "directive")

    def step(self, k, by=1):
        """The next token that counts; the number of tokens, or -1, where there is none."""
        k += by
        while 0 <= k < len(self.texts) and not self.significant(k):
            k += by
        return k

    def is_space(self, k):
        """Whether the word names a name space there."""
        before = self.text_at(self.step(k, -1))
        return self.text_at(self.step(k)) == "::" or before in ("::", "namespace")

    def text_at(self, k):
        return self.texts[k] if 0 <= k < len(self.texts) else ""

    def join(self, first, last):
        return "".join(self.texts[first:last])

    def replace(self, first, last, text):
        """Tokens first to last, exclusively, become the text and keep their newlines."""
        missing = self.join(first, last).count("\n") - text.count("\n")
        self.texts[first:last] = [text + "\n" * missing] + [""] * (last - first - 1)
        self.kinds[first:last] = ["space"] * (last - first)

    def closing(self, k):
        """The place of what closes the bracket at k."""
        open_ones = []
        for at in range(k, len(self.texts)):
            if not self.significant(at):
                continue
            if self.texts[at] in CLOSING:
                open_ones.append(CLOSING[self.texts[at]])
            elif open_ones and self.texts[at] == open_ones[-1]:
                open_ones.pop()
                if not open_ones:
                    return at
        self.refuse(k, f"'{self.texts[k]}' is not closed")

    def parts(self, first, last):
        """What commas part between two places, brackets kept whole."""
        parts, at, begin = [], first, first
        while at < last:
            if self.significant(at) and self.texts[at] in CLOSING:
                at = self.closing(at)
            elif self.significant(at) and self.texts[at] == ",":
                parts.append(self.join(begin, at).strip())
                begin = at + 1
            at += 1
        rest = self.join(begin, last).strip()
        return parts + [rest] if rest or parts else []


def callee(source, k):
    """The first token of the kernel's name in front of <<< at k."""
    at = source.step(k, -1)
    if source.text_at(at) == ">":
        depth = 0
        while at >= 0:
            depth += {">": 1, "<": -1}.get(source.texts[at], 0)
            if source.texts[at] in ";{}":
                source.refuse(k, "the kernel's template arguments are not understood; name the instance first")
            if depth == 0:
                break
            at = source.step(at, -1)
        at = source.step(at, -1)
    elif source.text_at(at) in source.templates and not source.dialect.launch_deduced:
        source.refuse(k, f"'{source.texts[at]}' is a template whose arguments would be deduced; write {source.texts[at]}<...><<<")
    if at < 0 or source.kinds[at] != "word":
        source.refuse(k, "a launch wants the name of a kernel in front")
    while source.text_at(source.step(at, -1)) == "::":
        before = source.step(source.step(at, -1), -1)
        at = before if source.kinds[before] == "word" else source.step(at, -1)
    return at


def rewrite_launch(source, k):
    end = next((at for at in range(k, len(source.texts)) if source.texts[at] == ">>>"), None)
    if end is None:
        source.refuse(k, "'<<<' is not closed")
    configuration = source.parts(k + 1, end)
    if not 2 <= len(configuration) <= 4:
        source.refuse(k, f"a launch has two to four parts between <<< and >>>, not {len(configuration)}")
    opening = source.step(end)
    if source.text_at(opening) != "(":
        source.refuse(k, "'(' is wanted behind '>>>'")
    closing = source.closing(opening)
    arguments = source.join(opening + 1, closing)
    first = callee(source, k)
    kernel = source.join(first, k).strip()
    names = (".grid = dim3({})", ".block = dim3({})", ".smem = static_cast<std::size_t>({})", ".stream = {}")
    says = ", ".join(name.format(part) for name, part in zip(names, configuration))
    comma = ", " if arguments.strip() else ""
    launch, called = source.dialect.launch, kernel
    if kernel in source.templates:  # a lambda takes the arguments by their types
        launch, called = source.dialect.launch_deduced, f"[](auto... simt_a) {{ {kernel}(simt_a...); }}"
    source.replace(first, closing + 1, f"{launch}({called}, {{{says}}}{comma}{arguments})")


def rewrite_shared(source, k):
    before = source.step(k, -1)
    dynamic = source.text_at(before) == "extern"
    end = next((at for at in range(k, len(source.texts)) if source.significant(at) and source.texts[at] == ";"), None)
    if end is None:
        source.refuse(k, "';' is wanted behind a declaration of shared memory")
    text = source.join(k + 1, end)
    # Dynamic memory is aligned to 16 bytes, whatever is said of it.
    aligned = re.search(r"(?:__align__|alignas)\s*\(([^()]*)\)", text)
    text = re.sub(r"(__align__|alignas)\s*\([^()]*\)|\bvolatile\b", " ", text)
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.S)
    match = re.fullmatch(r"\s*(?P<type>[\w:\s]+?(?:<[^;]*>)?)\s*(?P<names>[A-Za-z_]\w*\s*(?:\[[^,;]*\]\s*)?(?:,.*)?)", text, re.S)
    if not match:
        source.refuse(k, f"'__shared__{' '.join(text.split())}' is not understood; write __shared__ TYPE NAME[SIZE];")
    kind, names = match["type"], match["names"].split(",")
    alias = f"simt_type_of_{re.match('[A-Za-z_0-9]+', names[0].strip()).group()}"
    made = f"using {alias} = {' '.join(kind.split())}; "
    macro = f"SIMT_SHARED_ALIGNED({aligned[1].strip()}, " if aligned else "SIMT_SHARED("
    for name in names:
        part = re.fullmatch(r"\s*([A-Za-z_]\w*)\s*((?:\[[^\]]*\]\s*)*)", name)
        if not part or dynamic and len(names) > 1:
            source.refuse(k, f"'{name.strip()}' is not understood in a declaration of shared memory")
        size = f", {part[2].strip()}" if part[2].strip() else ""
        made += f"SIMT_DYN_SHARED({alias}, {part[1]}); " if dynamic else f"{macro}{alias}, {part[1]}{size}); "
    source.replace(before if source.text_at(before) in ("extern", "static") else k, end + 1, made.rstrip())


def rewrite_call(source, k):
    opening = source.step(k)
    if source.text_at(opening) != "(":
        source.refuse(k, f"{source.texts[k]} without a call")
    source.replace(k, source.closing(opening) + 1, "cudaSuccess")


def check_directive(source, k):
    text = source.texts[k]
    if not re.match(r"[ \t]*#\s*include", text):
        # Nothing but its words is known of a macro's text.
        source.texts[k] = re.sub(r'"[^"\n]*"|\b[A-Za-z_]\w*', lambda word: source.dialect.words.get(word[0], word[0]), text)
        return
    if cuda_words.UNSUPPORTED_INCLUDES.search(text):
        source.refuse(k, f"'{text.strip()}' is not supported: its code is for nvcc alone")
    if cuda_words.REPLACED_INCLUDES.search(text):
        source.texts[k] = ""


def templates_of(source):
    """Names of the kernels that are templates."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", "".join(source.texts), flags=re.S)
    head = r"template\s*<[^;{}]*>\s*(?:static\s+)?__global__\s+void\s+(?:__launch_bounds__\s*\([^)]*\)\s*)?([A-Za-z_]\w*)"
    return set(re.findall(head, text))


def rewritten(text, dialect=cuda_words.CU):
    """The text for g++, line by line. Raises Refused."""
    source = Source(text, dialect)
    source.templates = templates_of(source)
    for k in range(len(source.texts)):
        text = source.texts[k]
        if source.kinds[k] == "directive":
            check_directive(source, k)
        elif source.kinds[k] == "word" and text in dialect.unsupported and (text not in cuda_words.SPACES or source.is_space(k)):
            source.refuse(k, f"'{text}' is not supported by the executor: {dialect.unsupported[text]}")
        elif text in dialect.words:
            source.texts[k] = dialect.words[text]
        elif source.kinds[k] == "word" and text in cuda_words.SUCCEEDS:
            rewrite_call(source, k)
        elif source.kinds[k] == "word" and text == "__shared__":
            rewrite_shared(source, k)
        elif source.kinds[k] == "sign" and text == "<<<":
            rewrite_launch(source, k)
    return "".join(source.texts)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    try:
        text = rewritten(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    except Refused as refused:
        sys.exit(f"{sys.argv[1]}:{refused.line}: {refused}")
    text = f'#include "simt/simt.h"\n#line 1 "{sys.argv[1]}"\n{text}'
    output = pathlib.Path(sys.argv[2])
    output.parent.mkdir(parents=True, exist_ok=True)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
