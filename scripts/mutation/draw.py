# SPDX-License-Identifier: Apache-2.0
"""All automatic mutations of a kernel's sources, and a sample of them that is the same in every run."""
import collections
import dataclasses
import functools
import random

from mutation.kernel import KERNELS, TYPES, inlined, kernels, one_combination, sources_of
from mutation.kinds import KINDS
from mutation.tokens import Source, same_tokens


@dataclasses.dataclass(frozen=True)
class Mutation:
    file: str  # relative to kernels/
    name: str  # FILE:LINE:COLUMN:KIND.NUMBER
    kind: str
    start: int
    end: int
    text: str

    def applied(self, source):
        return source[:self.start] + self.text + source[self.end:]

    def diff(self, source):
        """The lines it changes: as they are, as they become."""
        first = source.rfind("\n", 0, self.start) + 1
        last = source.find("\n", self.end)
        lines = lambda text: [" ".join(line.split()) for line in text.splitlines()]
        return lines(source[first:last]), lines(source[first:self.start] + self.text + source[self.end:last])


def mutations_in(file, text):
    """All of a text, in order of kind and place."""
    source = Source(text)
    found = []
    for kind, find in KINDS.items():
        count = collections.Counter()
        for start, end, replacement in find(source):
            line = text.count("\n", 0, start) + 1
            column = start - text.rfind("\n", 0, start)
            count[start] += 1
            name = f"{file}:{line}:{column}:{kind}.{count[start]}"
            mutation = Mutation(file, name, kind, start, end, replacement)
            if not same_tokens(text[start:end], replacement):
                found.append(mutation)
    return found


@functools.cache
def mutations_of(file):
    return mutations_in(file, (KERNELS / file).read_text())


def named(name):
    file = name.split(":")[0]
    return next(mutation for mutation in mutations_of(file) if mutation.name == name)


def mutant(kernel, dtype, mutation=None):
    """The kernel's source for one combination of types, with the mutation in."""
    files = {mutation.file: mutation.applied((KERNELS / mutation.file).read_text())} if mutation else {}
    return one_combination(dtype) + inlined(f"{kernel}.cu", files, set()) + "\n"


def ordered(mutations, random_):
    """By turns of each file and kind, so that every beginning of the list has some of all."""
    groups = collections.defaultdict(list)
    for mutation in mutations:
        groups[mutation.file, mutation.kind].append(mutation)
    groups = [groups[key] for key in sorted(groups)]
    for group in groups:
        random_.shuffle(group)
    result = []
    while groups:
        random_.shuffle(groups)
        result += [group.pop() for group in groups]
        groups = [group for group in groups if group]
    return result


def dead(file, lines):
    """The mutations of a file in functions of which no line became code (`lines`: mutation.build.lines_of)."""
    text, name = (KERNELS / file).read_text(), file.rsplit("/")[-1]
    compiled = {line for found, line in lines if found == name}
    bodies = [(start, end) for start, end in Source(text).bodies()
              if not compiled.intersection(range(text.count("\n", 0, start) + 1, text.count("\n", 0, end) + 2))]
    return {found.name for found in mutations_of(file) if any(start <= found.start < end for start, end in bodies)}


def cells():
    """All (kernel, dtype)."""
    return [(kernel, dtype) for kernel in kernels() for dtype in TYPES]


def drawn(kernel, dtype, seed, mutations=None):
    """All mutations of the kernel in the order in which they are tried for these types."""
    random_ = random.Random(f"{seed} {kernel} {dtype}")
    if mutations is None:
        mutations = [mutation for file in sources_of(f"{kernel}.cu") for mutation in mutations_of(file)]
    return ordered(mutations, random_)
