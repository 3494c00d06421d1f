#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The automatic mutations of scripts/mutate.py: what each kind makes of a small text, what it leaves alone, and that a
drawn sample is the same in every run. Nothing is compiled here.

Usage: mutation_test.py SOURCE_DIR
"""
import pathlib
import sys
import unittest

ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(ROOT / "scripts"))

from mutation import draw, judge, ledger, table  # noqa: E402: they are in the folder just added
from mutation.kernel import TYPES, kernels, sources_of  # noqa: E402
from mutation.kinds import KINDS  # noqa: E402

# kind: (text, what it is made into)
MADE = {
    "operator": ("x = a + b * c;", ["x = a - b * c;", "x = a + b / c;"]),
    "assignment": ("sum += x; ++k;", ["sum -= x; ++k;", "sum += x; --k;"]),
    "comparison": ("if (a < b) f();", ["if (a <= b) f();", "if (a >= b) f();"]),
    "logic": ("v = a && true;", ["v = a || true;", "v = a && false;"]),
    "sign": ("v = f(-a, !b, a - b);", ["v = f(a, !b, a - b);", "v = f(-a, b, a - b);"]),
    "constant": ("v = 7 * k::kQuad;", ["v = 6 * k::kQuad;", "v = 8 * k::kQuad;", "v = 7 * (k::kQuad + 1);",
                                       "v = 7 * (k::kQuad - 1);", "v = 7 * (k::kQuad / 2);"]),
    "index": ("v = a[i] + b.at(m.row, z);", ["v = a[i + 1] + b.at(m.row, z);", "v = a[i - 1] + b.at(m.row, z);",
                                             "v = a[i] + b.at((m.row) + 1, z);", "v = a[i] + b.at((m.row) - 1, z);"]),
    "condition": ("if (a) v = b ? c : d;", ["if (!(a)) v = b ? c : d;", "if (false) v = b ? c : d;",
                                            "if (true) v = b ? c : d;", "if (a) v = !(b) ? c : d;",
                                            "if (a) v = false ? c : d;", "if (a) v = true ? c : d;"]),
    "statement": ("void f() { A x = 1; x += 2; if (x) return; }",
                  ["void f() { A x = 1; ; if (x) return; }", "void f() { A x = 1; x += 2; if (x) ; }"]),
    "barrier": ("void f() { g(); __syncthreads(); }", ["void f() { g(); ; }"]),
    "arguments": ("v = f(b, c + 1) + T{b, c};", ["v = f(c + 1, b) + T{b, c};", "v = f(b, c + 1) + T{c, b};"]),
    "stages": ("using T = Stages<B<A>, D<A>>;", ["using T = Stages<D<A>, B<A>>;", "using T = Stages<D<A>>;",
                                                 "using T = Stages<B<A>>;"]),
    "name": ("v = a.rows + threadIdx.x; w = a.cols;", ["v = a.cols + threadIdx.x; w = a.cols;", "v = a.rows + threadIdx.y; w = a.cols;",
                                                       "v = a.rows + threadIdx.x; w = a.rows;"]),
    "function": ("v = simt::math::abs(t);", ["v = simt::math::sqrt(t);", "v = (t);"]),
    "type": ("std::int64_t row; const A n = 1;", ["int row; const A n = 1;", "std::int64_t row; const float n = 1;"]),
}

# No kind finds anything in these.
LEFT_ALONE = """\
// a + b < c; f(a, b)
/* if (a) __syncthreads(); */
#define TWICE(a, b) \\
  (a + b)
static_assert(kQuad == 4, "if (a + b) f(c, 1);");
template <class T, class U>
__global__ void __launch_bounds__(512, 2) kernel(Quad<T>* const from, const Quad<U>& to);
"""


class Kinds(unittest.TestCase):
    def made(self, text):
        return {kind: [found.applied(text) for found in draw.mutations_in("text", text) if found.kind == kind] for kind in KINDS}

    def test_each_kind_makes_what_it_says(self):
        self.assertEqual(MADE.keys(), KINDS.keys())
        for kind, (text, wanted) in MADE.items():
            self.assertCountEqual(self.made(text)[kind], wanted, kind)

    def test_comments_directives_declarations_and_template_arguments_stay(self):
        self.assertEqual(draw.mutations_in("text", LEFT_ALONE), [])

    def test_a_body_behind_them_does_not(self):
        text = LEFT_ALONE + "void f() { g(b, c); }\n"
        self.assertEqual([found.kind for found in draw.mutations_in("text", text)], ["statement", "arguments"])

    def test_what_has_the_same_tokens_is_none(self):
        self.assertTrue(draw.same_tokens("a+b; // c", "a + b;"))
        self.assertFalse(draw.same_tokens("a + b;", "a - b;"))


class Sample(unittest.TestCase):
    def test_names_are_unique_and_lead_back(self):
        files = {file for kernel in kernels() for file in sources_of(f"{kernel}.cu")}
        found = [mutation for file in files for mutation in draw.mutations_of(file)]
        self.assertEqual(len({mutation.name for mutation in found}), len(found))
        self.assertTrue(all(draw.named(mutation.name) == mutation for mutation in found[::50]))
        self.assertGreater(len(found), 2000)

    def test_is_the_same_for_a_seed_and_another_for_another(self):
        first, second, other = (draw.drawn("groupnorm", "f16", seed) for seed in (1, 1, 2))
        self.assertEqual(first, second)
        self.assertNotEqual(first, other)
        self.assertCountEqual(first, other)

    def test_has_all_kinds_and_files_early(self):
        early = draw.drawn("swish_bias_groupnorm", "f16", 1)[:200]
        self.assertEqual({mutation.file for mutation in early}, set(sources_of("swish_bias_groupnorm.cu")))
        self.assertGreater(len({mutation.kind for mutation in early}), 12)

    def test_a_mutant_is_the_kernel_with_one_change(self):
        mutation = draw.drawn("groupnorm", "f16", 1)[0]
        right, wrong = draw.mutant("groupnorm", "f16"), draw.mutant("groupnorm", "f16", mutation)
        self.assertIn(TYPES["f16"], right)
        self.assertNotIn('#include "kernels/device/', right)
        self.assertFalse(draw.same_tokens(right, wrong))


class Verdicts(unittest.TestCase):
    FAILED = {"verdict": "Failed", "tensor": "y", "case": "k rows=1"}

    def test_only_a_wrong_tensor_convicts(self):
        self.assertEqual(judge.verdict_of(1, [self.FAILED], ""), ("convicted", "Failed y", "k rows=1"))
        self.assertEqual(judge.verdict_of(0, [{**self.FAILED, "verdict": "Mistrusted"}], "")[0], "survived")
        self.assertEqual(judge.verdict_of(4, [], "")[0], "survived")

    def test_a_broken_instrument_is_looked_at(self):
        self.assertEqual(judge.verdict_of(3, [self.FAILED], "")[0], "odd")
        self.assertEqual(judge.verdict_of(1, [], "")[0], "odd")

    def test_cases_are_those_of_kernel_and_types(self):
        text = judge.suite_text(ROOT)
        for kernel in kernels():
            found = [list(judge.cases_of(text, kernel, dtype)) for dtype in TYPES]
            lines = [line for line in text.splitlines() if line.split()[:1] == [kernel]]
            self.assertCountEqual([line for lines_ in found for line in lines_], lines)


class Ledger(unittest.TestCase):
    def entry(self, mutation):
        return ledger.paragraph_of(mutation) + "\nonly: groupnorm/f16\nbecause: it is a sample"

    def test_an_entry_is_of_the_mutation_with_its_lines(self):
        mutation = draw.drawn("groupnorm", "f16", 1)[0]
        entries, stale = ledger.read(self.entry(mutation))
        self.assertEqual(stale, [])
        row = {"name": mutation.name, "kernel": "groupnorm", "dtype": "f16", "outcome": "survived"}
        self.assertEqual(table.column_of(row, entries), "equivalent")
        self.assertEqual(table.column_of({**row, "dtype": "f32"}, entries), "left")
        self.assertEqual(table.column_of({**row, "outcome": "convicted"}, entries), "convicted")

    def test_an_entry_holds_for_the_kernels_and_types_it_names(self):
        mutation = draw.drawn("groupnorm", "f16", 1)[0]
        entry = ledger.entry_of(self.entry(mutation).replace("groupnorm/f16", "groupnorm f16 swish_bias/f64"))
        for kernel, dtype, holds in (("groupnorm", "f32", True), ("swish_bias", "f16", True), ("swish_bias", "f64", True),
                                     ("swish_bias", "f32", False)):
            self.assertEqual(entry.holds_for(kernel, dtype), holds, (kernel, dtype))

    def test_an_entry_without_its_lines_is_stale(self):
        mutation = draw.drawn("groupnorm", "f16", 1)[0]
        entry = self.entry(mutation)
        for wrong in (entry.replace("\n- ", "\n- no such line "), entry.replace("because", "why"),
                      entry.replace("\nonly", "\noccurrence: 99\nonly")):
            self.assertEqual(len(ledger.read(wrong)[1]), 1, wrong)

    def test_every_mutation_has_an_entry_of_its_own(self):
        for mutation in draw.mutations_of("device/columns/column_sums.cuh")[::7]:
            self.assertIn(mutation.name, ledger.read(self.entry(mutation))[0])

    def test_those_of_the_tree_fit(self):
        self.assertEqual(ledger.read()[1], [])


if __name__ == "__main__":
    unittest.main()
