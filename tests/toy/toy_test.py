# SPDX-License-Identifier: Apache-2.0
"""A new stage and a new kernel by the book: CONTRIBUTING.md names the files, this adds y = x^2 + bias in them alone.

Usage: toy_test.py SOURCE_DIR                        Looks at the texts alone: CONTRIBUTING.md names the files that are edited
                                                     here, and each edit still fits its file.
       toy_test.py SOURCE_DIR SCRATCH_DIR [PYTHON]   Copies the tree, edits it, builds it, and looks: the kernel is listed,
judged, audited, explained, and, where PYTHON imports torch, offered as an operator. Controls: the tree without the edits
does not know the kernel, and the kernel with a wrong adjoint is convicted.
"""
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent

# file: (text that stands once in it, text that takes its place)
STAGE = {
    "oracles/pipeline/compiled_pipeline.h": ("batch_norm, group_norm };", "batch_norm, group_norm, square };"),
    "oracles/pipeline/compiled_pipeline.cpp": (
        "                                Evaluated{\"silu\", StageFormula::swish},\n",
        "                                Evaluated{\"silu\", StageFormula::swish},\n"
        "                                Evaluated{\"square\", StageFormula::square},\n"),
    "oracles/pipeline/stages/square.h": "square.h",
    "oracles/pipeline/stage_list.h": (
        "      return std::make_unique<GroupNorm<A>>(line, setting);\n",
        "      return std::make_unique<GroupNorm<A>>(line, setting);\n"
        "    case StageFormula::square:\n"
        "      return std::make_unique<SquareStage<A>>(line, setting);\n"),
    "kernels/device/stages.cuh": (
        "/// The stage x sigmoid(x).\ntemplate <class A>\nstruct Swish : NoParameters {",
        "/// The stage x^2.\ntemplate <class A>\nstruct Square : NoParameters {\n"
        "  template <class Arguments, class Own = Position<>>\n"
        "  __device__ Square(const Arguments&, const Columns&, Own = {}) {}\n\n"
        "  __device__ Quad<A> value(const Quad<A>& x) const {\n"
        "    Quad<A> y;\n"
        "    for (int k = 0; k < kQuad; ++k) y.at[k] = x.at[k] * x.at[k];\n"
        "    return y;\n  }\n"
        "  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>*) const {\n"
        "    Quad<A> dx;\n"
        "    for (int k = 0; k < kQuad; ++k) dx.at[k] = dy.at[k] * (x.at[k] + x.at[k]);\n"
        "    return dx;\n  }\n"
        "};\n\n"
        "/// The stage x sigmoid(x).\ntemplate <class A>\nstruct Swish : NoParameters {"),
}
KERNEL = {
    "kernels/square_bias.cu": "square_bias.cu",
    "kernels/CMakeLists.txt": ("swish_bias_groupnorm.cu swish_bias.cu", "swish_bias_groupnorm.cu swish_bias.cu square_bias.cu"),
    "fixtures/cases/push.cases": (
        "swish_bias rows=1 cols=1 seed=256",
        "square_bias rows=65 cols=18\nsquare_bias rows=1030 cols=5 dtype=f16\nswish_bias rows=1 cols=1 seed=256"),
}
INCLUDE = ("#include \"oracles/pipeline/stages/swish.h\"\n",
           "#include \"oracles/pipeline/stages/square.h\"\n#include \"oracles/pipeline/stages/swish.h\"\n")
# Backward leaves out the square. In the kernel's own file, so that no other kernel is compiled for it.
WRONG = ("using SquareBias = Stages<Square<A>, Bias<A>>;",
         "struct SquareBias : Stages<Square<A>, Bias<A>> {\n"
         "  using Stages<Square<A>, Bias<A>>::Stages;\n"
         "  __device__ Quad<A> pull(const Quad<A>& x, const Quad<A>& dy, Quad<A>* sums) const {\n"
         "    return this->rest.pull(x, dy, sums);\n  }\n};")

failures = []


def expect(held: bool, what: str) -> None:
    print(("ok     " if held else "FAILED ") + what, flush=True)
    if not held:
        failures.append(what)


def replace_once(text: str, change: tuple[str, str], where: str) -> str:
    if text.count(change[0]) != 1:
        sys.exit(f"{where}: stands {text.count(change[0])} times, not once: {change[0].strip().splitlines()[0]}")
    return text.replace(*change)


def named_files(source: pathlib.Path, title: str) -> set[str]:
    """The files in the first table of a section of CONTRIBUTING.md, with the toy's names in them."""
    section = re.search(rf"^## {title}\n(.*?)^## ", (source / "CONTRIBUTING.md").read_text(), re.M | re.S)[1]
    table = re.search(r"^\| file .*?\n((?:\|.*\n)+)", section, re.M)[1]
    files = re.findall(r"^\| `([^`]+)` \|", table, re.M)
    return {name.replace("NAME", "square").replace("WORD", "square_bias") for name in files}


def copied(source: pathlib.Path, scratch: pathlib.Path) -> pathlib.Path:
    """The tree, with the edits; a file that is as it was keeps its date, so that little is compiled again."""
    tree = scratch / "tree"
    edits = {**STAGE, **KERNEL}
    # Every folder but what is built: a list of names here would miss the next one.
    rooms = [path for path in source.iterdir() if path.is_dir() and path.name != "build" and path.name[0] != "."]
    for room in sorted(rooms):
        for path in sorted(room.rglob("*")):
            if path.is_dir() or "__pycache__" in path.parts:
                continue
            name = path.relative_to(source).as_posix()
            write(tree / name, edited(path, edits[name]).encode() if name in edits else path.read_bytes())
    for name in ("CMakeLists.txt", "CMakePresets.json", "LICENSE", "build/deps.cmake"):
        write(tree / name, (source / name).read_bytes())
    for name, edit in edits.items():
        if isinstance(edit, str):
            write(tree / name, (HERE / edit).read_bytes())
    return tree


def edited(path: pathlib.Path, edit: tuple[str, str]) -> str:
    """The file's text with the edit; ends the test where that does not fit."""
    text = replace_once(path.read_text(), edit, str(path))
    return replace_once(text, INCLUDE, str(path)) if path.name == "stage_list.h" else text


def write(path: pathlib.Path, data: bytes) -> None:
    if path.exists() and path.read_bytes() == data:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def settings(source: pathlib.Path) -> list[str]:
    """What changes the compiler's commands, as the tree that is copied has it: ccache then has what the edits leave as it was.
    The tree is compiled for this machine's instructions alone, because no look at it depends on which they are."""
    cache = (source / "build/cpu/CMakeCache.txt").read_text()
    return ["-DGRADPROOF_NATIVE=ON", *(f"-D{line}" for line in re.findall(r"^GRADPROOF_WARNINGS_AS_ERRORS:BOOL=\w+$", cache, re.M))]


def build(tree: pathlib.Path, *targets: str, options: list[str] = []) -> None:
    for command in (["cmake", "--preset", "cpu", "--log-level=WARNING", *options],
                    ["cmake", "--build", "--preset", "cpu", "--parallel", "2", "--target", *targets]):
        done = subprocess.run(command, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}\n{done.stdout[-4000:]}")


def say(program: pathlib.Path, *arguments: str) -> tuple[int, str]:
    done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return done.returncode, done.stdout


def look(program: pathlib.Path, tree: pathlib.Path) -> None:
    code, text = say(program, "list", "square_bias")
    expect(code == 0 and "pipeline: v0 = square(x); y = bias(v0, bias)\n" in text, "listed with its pipeline")
    code, text = say(program, "check", *(f"square_bias {keys}" for keys in (
        "rows=65 cols=18", "rows=1030 cols=5", "rows=33 cols=9 dtype=f64", "rows=33 cols=9 dtype=f16 params=f32",
        "rows=33 cols=9 dtype=bf16", "rows=33 bias=one dy=normal layout=transposed", "rows=33 law=adjoint_identity")))
    expect(code == 0 and " failed=0 " in text and " mistrusted=0 " in text, "judged in every dtype, passed")
    # The suite's other files are of other kernels, which scripts/gate judges.
    code, text = say(program, "check", "--cases", str(tree / "fixtures/cases/push.cases"), "--no-shrink")
    expect(code == 0 and "square_bias" in text, "judged in the push suite's file")
    code, text = say(program, "audit", "square_bias rows=9 cols=5")
    expect(code == 0 and "certified=2 wrong=0 inconclusive=0" in text, "audited, both gradients certified")
    code, text = say(program, "explain", "square_bias rows=9 cols=5", "d_x[3,2]")
    expect(code == 0 and "2 x d_v0" in text, "explained in its own words")


OPERATOR = """
import sys, torch
torch.ops.load_library(sys.argv[1])
x, bias = torch.randn(33, 9, requires_grad=True), torch.randn(9, requires_grad=True)
y = torch.ops.gradproof.square_bias(x, bias)
y.sum().backward()
assert torch.allclose(y, x * x + bias) and torch.allclose(x.grad, 2 * x) and torch.allclose(bias.grad, torch.full((9,), 33.0))
"""


def look_at_texts(source: pathlib.Path) -> None:
    for title, files in (("Add a stage", STAGE), ("Add a kernel", KERNEL)):
        named = named_files(source, title)
        expect(named == set(files), f"CONTRIBUTING.md names the files of '{title}'")
        for name in sorted(named ^ set(files)):
            print(f"       {name}: {'not named' if name in files else 'not edited here'}")
    for name, edit in {**STAGE, **KERNEL}.items():
        if isinstance(edit, tuple):
            edited(source / name, edit)
    print("ok     each edit fits its file")  # edited() has ended the test where one does not


def main() -> int:
    source = pathlib.Path(sys.argv[1])
    look_at_texts(source)
    if len(sys.argv) < 3:
        return 1 if failures else 0
    scratch = pathlib.Path(sys.argv[2])
    tree = copied(source, scratch)
    python = sys.argv[3] if len(sys.argv) > 3 else ""
    build(tree, "gradproof", "gradproof-worker", *(["gradproof_ops"] if python else []), options=settings(source))
    program = tree / "build/cpu/bin/gradproof"
    look(program, tree)
    if python:
        done = subprocess.run([python, "-B", "-c", OPERATOR, tree / "build/cpu/lib/libgradproof_ops.so"])
        expect(done.returncode == 0, "offered as an operator, with its gradient")
    else:
        print("skipped: the operator; no Python that imports torch")

    code, _ = say(source / "build/cpu/bin/gradproof", "check", "square_bias")
    expect(code == 2, "control: unknown without the edits")
    kernel = tree / "kernels/square_bias.cu"
    right = kernel.read_text()
    kernel.write_text(replace_once(right, WRONG, "square_bias.cu"))
    build(tree, "gradproof-worker")
    code, text = say(program, "check", "square_bias rows=65 cols=18", "--no-shrink")
    kernel.write_text(right)
    expect(code == 1 and re.search(r"FAILED +square_bias d_x", text) is not None, "control: a wrong adjoint is convicted")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
