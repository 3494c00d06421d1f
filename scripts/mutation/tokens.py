# SPDX-License-Identifier: Apache-2.0
"""The tokens of a kernel's source, as far as mutations need them: the sources are laid out by clang-format, so that what
an operator is can be seen by the blanks around it (`a < b` compares, `Quad<A>` has arguments; `a * b` multiplies, `A* b`
is a pointer)."""
import dataclasses
import re

PATTERN = re.compile(
    r"""(?P<skip>\s+|//[^\n]*|/\*.*?\*/|^[ \t]*\#(?:[^\n]*\\\n)*[^\n]*)
      |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      |(?P<number>\.?\d(?:[eEpP][+-]|[\w.'])*)
      |(?P<word>[A-Za-z_]\w*)
      |(?P<mark><<=|\.\.\.|::|\+\+|--|->|[-+*/%&|^=!<]=|>=|&&|\|\||<<|.)""",
    re.VERBOSE | re.MULTILINE | re.DOTALL)

CLOSING = {"(": ")", "[": "]", "{": "}"}

# What the executor never reads, or what only the compiler checks: from the word to its closing bracket.
UNREAD = ("static_assert", "__launch_bounds__")

# A type may stand behind these, and what stands behind any other two words is a declaration.
QUALIFIERS = {"const", "typename", "static", "constexpr", "inline"}
KEYWORDS = {"return", "else", "case", "new", "throw", "goto", "delete"}


@dataclasses.dataclass(frozen=True)
class Token:
    kind: str  # string, number, word or mark
    text: str
    start: int
    end: int
    spaced: bool  # white space on both sides


def _tokens(text):
    for match in PATTERN.finditer(text):
        if match.lastgroup != "skip":
            start, end = match.span()
            spaced = text[start - 1:start].isspace() and text[end:end + 1].isspace()
            yield Token(match.lastgroup, match[0], start, end, spaced)


def _brackets(tokens):
    """Each opening bracket's index to that of its closing one, template arguments too."""
    partner, opened = {}, []
    for i, token in enumerate(tokens):
        if token.kind != "mark":
            continue
        if token.text in CLOSING or (token.text == "<" and not token.spaced):
            opened.append(i)
        elif token.text == ">" and not token.spaced and opened and tokens[opened[-1]].text == "<":
            partner[opened.pop()] = i
        elif token.text in CLOSING.values():
            while opened and CLOSING.get(tokens[opened[-1]].text) != token.text:
                opened.pop()  # a comparison without blanks
            if opened:
                partner[opened.pop()] = i
    return partner


class Source:
    """A text, its tokens, and where each bracket closes."""

    def __init__(self, text):
        self.text = text
        self.tokens = list(_tokens(text))
        partner = _brackets(self.tokens)
        unread = set()
        for i, token in enumerate(self.tokens):
            if token.text in UNREAD and i + 1 in partner:
                unread.update(range(i, partner[i + 1] + 1))
        self.tokens = [token for i, token in enumerate(self.tokens) if i not in unread]
        self.closing = _brackets(self.tokens)
        self.opening = {close: start for start, close in self.closing.items()}

    def at(self, i):
        """The text of token i; empty outside."""
        return self.tokens[i].text if 0 <= i < len(self.tokens) else ""

    def is_word(self, i):
        return 0 <= i < len(self.tokens) and self.tokens[i].kind == "word"

    def between(self, first, end):
        """The text from token `first` up to, not with, token `end`."""
        return self.text[self.tokens[first].start:self.tokens[end - 1].end] if first < end else ""

    def after(self, i):
        """The next token's index, behind the brackets that token i opens."""
        return self.closing.get(i, i) + 1

    def split(self, first, end, separator=","):
        """(first, end) of the parts that separators part, outside of brackets."""
        parts, begin, i = [], first, first
        while i < end:
            if self.at(i) == separator:
                parts.append((begin, i))
                begin = i + 1
            i = self.after(i)
        return parts + [(begin, end)]

    def bodies(self):
        """(start, end) in the text of the functions' bodies, those inside of others left out."""
        i = 0
        while i < len(self.tokens):
            if self.at(i) == "{" and self.at(i - 1) in (")", "const") and i in self.closing:
                yield self.tokens[i].start, self.tokens[self.closing[i]].end
                i = self.closing[i]
            i += 1

    def is_declaration(self, first, end):
        """Whether these tokens begin with a type and a name, or with a qualifier."""
        i = first
        if self.at(i) in QUALIFIERS:
            return True
        if not self.is_word(i) or self.at(i) in KEYWORDS:
            return False
        i = self._behind_type(i)
        while self.at(i) == "const" or self.at(i) in ("*", "&", "&&", "...") and not self.tokens[i].spaced:
            i += 1
        return i < end and self.is_word(i)

    def _behind_type(self, i):
        while True:
            i += 1
            if self.at(i) == "<" and i in self.closing:
                i = self.after(i)
            if self.at(i) != "::" or not self.is_word(i + 1):
                return i
            i += 1


def same_tokens(one, other):
    """Whether two texts are the same but for blanks and comments."""
    return [t.text for t in _tokens(one)] == [t.text for t in _tokens(other)]
