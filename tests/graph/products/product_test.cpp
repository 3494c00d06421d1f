// SPDX-License-Identifier: Apache-2.0
// A contraction of two values: its truth and bound beside the same sum of products said by other
// stages, LibTorch's einsum under the bound, and what its text may say.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/graph/judged_line.h"
#include "tests/graph/text/parse_error.h"

namespace gradproof {
namespace {

struct Said {
  std::string axes;  ///< of the factors: "a[...], b[...]"
  std::string over;  ///< "k" or "k, j"
  std::string extents;
};

const Said kSaid[] = {
    {"a[m,k], b[k,n]", "k", "m=5 k=9 n=4"},
    {"a[m,k], b[n,k]", "k", "m=40 k=33 n=6"},
    {"a[b2,m,k], b[b2,k,n]", "k", "b2=3 m=17 k=8 n=5"},
    {"a[b2,m,k], b[k,b2,n]", "k", "b2=19 m=2 k=8 n=3"},
    {"a[k,m], b[n,k]", "k", "m=21 k=6 n=7"},
    {"a[m,k,j], b[j,n,k]", "k, j", "m=11 k=5 j=3 n=4"},
    {"a[b2,k], b[b2,k]", "k", "b2=33 k=12"},
    {"a[k], b[k]", "k", "k=50"},
    {"a[k], b[k,n]", "k", "k=30 n=9"},
    {"a[m,k], b[k]", "k", "m=9 k=30"},
    {"a[m,k], b[k,n]", "k", "m=4 k=1 n=3"},
};

/// The truths of a sum of products do not depend on the stages that say it.
TEST(Product, IsTheSumOfProductsOverTheAxesThatAreSaid) {
  for (const Said& said : kSaid) {
    const std::string keys = " " + said.extents + " dtype=f32 seed=3 dy=normal";
    const Ran contracted("{y = contract(" + said.axes + ", " + said.over + ")}" + keys);
    const Ran summed("{y = sum(multiply(" + said.axes + "), " + said.over + ")}" + keys);
    for (const char* target : {"y", "d_a", "d_b"}) {
      const Tensor& like = contracted.got.at(target);
      const Truths one = truths_of_graph(contracted.claim, contracted.inputs, target, like).truths;
      const Truths other = truths_of_graph(summed.claim, summed.inputs, target, like).truths;
      ASSERT_EQ(one.size(), other.size());
      for (std::size_t i = 0; i < one.size(); ++i) {
        EXPECT_EQ(one.hi[i], other.hi[i]) << said.axes << " " << target << " " << i;
        EXPECT_GT(one.bound[i], 0) << said.axes << " " << target << " " << i;
        // The products round once more where they are values of their own.
        EXPECT_LE(one.bound[i], 1.0001 * other.bound[i]) << said.axes << " " << target << " " << i;
      }
    }
  }
}

void expect_product(const std::string& line) {
  expect_judged(line, {}, {"f32", "f64", "bf16", "f16"});
}

TEST(Product, OfLibTorchIsWithinItsBound) {
  for (const Said& said : kSaid)
    expect_product("{y = contract(" + said.axes + ", " + said.over + ")} " + said.extents);
}

TEST(Product, OfValuesThatStepsMake) {
  expect_product("{y = contract(tanh(a[m,k]), silu(b[k,n]), k)} m=9 k=7 n=5");
  expect_product("{h = contract(a[m,k], b[k,n], k); y = contract(h, c[n,o], n)} m=9 k=7 n=5 o=3");
  expect_product(
      "{s = contract(q[h,i,d], k[h,j,d], d); p = softmax(multiply(s, 0.25)); y = contract(p, "
      "v[h,j,e], j)} h=2 i=9 j=11 d=16 e=4");
  expect_product("{y = contract(x[m,k], x, k)} m=12 k=9");
  expect_product("{w = softmax(t[n,k]); y = contract(a[m,k], w, k)} m=9 k=7 n=5");
}

/// The text in front of a product orders the value's axes.
TEST(Product, HasItsAxesInTheOrderThatIsSaid) {
  const Ran plain("{y = contract(a[b2,m,k], b[b2,k,n], k)} b2=3 m=4 k=5 n=2 seed=3");
  const Ran turned("{y[n,b2,m] = contract(a[b2,m,k], b[b2,k,n], k)} b2=3 m=4 k=5 n=2 seed=3");
  EXPECT_EQ(plain.got.at("y").shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(turned.got.at("y").shape(), (Shape{2, 3, 4}));
  const Tensor &one = plain.got.at("y"), &other = turned.got.at("y");
  for (std::int64_t i = 0; i < 12; ++i)
    for (std::int64_t n = 0; n < 2; ++n) EXPECT_EQ(one.at(2 * i + n), other.at(12 * n + i));
  expect_product("{y[n,b2,m] = contract(a[b2,m,k], b[b2,k,n], k)} b2=3 m=20 k=5 n=2");
  expect_product("{h[n,m] = contract(a[m,k], b[k,n], k); y = add(h, c[m])} m=20 k=5 n=3");
  EXPECT_EQ(to_string(turned.graph), "y[n,b2,m] = contract(a[b2,m,k], b[b2,k,n], k)");
  EXPECT_EQ(to_string(parse_graph("y[m,n] = contract(a[m,k], b[k,n], k)")),
            "y = contract(a[m,k], b[k,n], k)");
}

/// y as hardware computes it that rounds both factors to `type` first, and adds in float64.
Tensor rounded_product(const Ran& ran, DType type) {
  const Tensor &a = ran.inputs.at("a"), &b = ran.inputs.at("b");
  const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  // float16 has the 11 significant bits of TF32, and these numbers do not leave its range.
  Tensor y = ran.got.at("y");
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    for (std::int64_t t = 0; t < k; ++t)
      sum += round_to(type, a.at(i / n * k + t)) * round_to(type, b.at(t * n + i % n));
    y.set(i, sum);
  }
  return y;
}

TEST(Product, OfRoundedInputsPassesWhereTheyAreDeclared) {
  for (const char* fill : {"normal", "uniform"}) {
    Ran ran(std::string("{y = contract(a[m,k], b[k,n], k)} m=8 k=1024 n=8 fill=") + fill);
    const auto bad = [&](DType type, const char* contract) {
      ran.got.insert_or_assign("y", rounded_product(ran, type));
      ran.claim.contract = graph_contract(ran.graph, types_of(ran.graph, ran.c),
                                          parse_declared_contract(contract, ran.graph));
      ran.claim.contract.bound = ErrorBound::likely;
      return ran.judged().at("y").discrepancy.bad;
    };
    EXPECT_EQ(bad(DType::f16, "inputs=tf32"), 0) << fill;
    EXPECT_EQ(bad(DType::bf16, "inputs=bf16"), 0) << fill;
    // Sums of numbers of one sign may be off by 2 u of themselves, which hides coarser inputs.
    if (std::string(fill) != "normal") continue;
    EXPECT_GT(bad(DType::f16, ""), 32);
    EXPECT_GT(bad(DType::f16, "inputs=bf16x3"), 32);
    EXPECT_GT(bad(DType::bf16, "inputs=tf32"), 0);
  }
}

/// y as Hopper's tensor cores add products of 8-bit numbers (FormPart::accumulate): 32 and the sum
/// so far, each cut off so many bits behind the largest one, and so is the new sum. Sums of
/// `promoted` groups are added in float32 where it is not 0.
Tensor cut_off_product(const Ran& ran, int bits, int promoted) {
  const Tensor &a = ran.inputs.at("a"), &b = ran.inputs.at("b");
  const std::int64_t m = a.shape()[0], k = a.shape()[1], n = b.shape()[1];
  const auto cut = [](double number, double unit) { return std::trunc(number / unit) * unit; };
  const auto unit_of = [&](double size) { return std::ldexp(1.0, std::ilogb(size) - bits); };
  Tensor y = ran.got.at("y");
  for (std::int64_t i = 0; i < m * n; ++i) {
    double sum = 0;
    float whole = 0;
    const auto product = [&](std::int64_t t) { return a.at(i / n * k + t) * b.at(t * n + i % n); };
    for (std::int64_t first = 0; first < k; first += 32) {
      const std::int64_t end = std::min(k, first + 32);
      double largest = std::abs(sum);
      for (std::int64_t t = first; t < end; ++t) largest = std::max(largest, std::abs(product(t)));
      const double unit = unit_of(largest);
      double added = cut(sum, unit);
      for (std::int64_t t = first; t < end; ++t) added += cut(product(t), unit);
      sum = added == 0 ? 0 : cut(added, unit_of(std::abs(added)));
      if (promoted == 0 || (first / 32 + 1) % promoted != 0) continue;
      whole += static_cast<float>(sum);
      sum = 0;
    }
    y.set(i, whole + static_cast<float>(sum));
  }
  return y;
}

TEST(Product, OfSumsThatAreCutOffPassesWhereTheyAreDeclared) {
  for (const char* fill : {"normal", "uniform", "offset:1", "loguniform"})
    for (const int k : {32, 100, 512, 4096}) {
      Ran ran(fmt::format("{{y = contract(a[m,k], b[k,n], k)}} m=8 k={} n=8 fill={}", k, fill));
      const auto bad = [&](const Tensor& y, const char* contract) {
        ran.got.insert_or_assign("y", y);
        ran.claim.contract = graph_contract(ran.graph, types_of(ran.graph, ran.c),
                                            parse_declared_contract(contract, ran.graph));
        ran.claim.contract.bound = ErrorBound::likely;
        return ran.judged().at("y").discrepancy.bad;
      };
      const std::string of = fmt::format("{} {}", fill, k);
      EXPECT_EQ(bad(cut_off_product(ran, 13, 0), "accumulate=fp22"), 0) << of;
      for (const char* contract : {"accumulate=fp22", "accumulate=promoted_fp22"})
        EXPECT_EQ(bad(cut_off_product(ran, 13, 4), contract), 0) << of;
      // A few numbers carry such a sum, which has the certain bound.
      if (std::string(fill) == "loguniform" && k == 4096) continue;
      EXPECT_GT(bad(cut_off_product(ran, 13, 0), ""), 16) << of;
      EXPECT_GT(bad(cut_off_product(ran, 13, 4), "accumulate=wide"), 16) << of;
      if (std::string(fill) != "normal" || k < 512) continue;
      EXPECT_GT(bad(cut_off_product(ran, 7, 0), "accumulate=fp22"), 0) << of;
      EXPECT_GT(bad(cut_off_product(ran, 7, 4), "accumulate=promoted_fp22"), 0) << of;
      if (k == 4096) {
        EXPECT_GT(bad(cut_off_product(ran, 10, 0), "accumulate=promoted_fp22"), 0) << of;
      }
      Tensor without = cut_off_product(ran, 13, 0);
      for (std::int64_t i = 0; i < without.numel(); ++i)
        for (std::int64_t t = 0; t < 16; ++t)
          without.set(i, without.at(i) - ran.inputs.at("a").at(i / 8 * k + t) *
                                             ran.inputs.at("b").at(t * 8 + i % 8));
      EXPECT_GT(bad(without, "accumulate=fp22"), 0) << of << " without 16 products";
    }
}

TEST(Product, RefusesWhatItCannotSum) {
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(parse_error(text).find(part), std::string::npos)
        << text << "\n  " << parse_error(text);
  };
  expect("y = contract(a[m,k], b[k,n])", "contract needs the axes that it works over");
  expect("y = contract(a[m,k], b[j,n], k)", "'k' of contract is no axis of 'b', which has [j,n]");
  expect("y = contract(a[m,k], b[k,n], n)", "'n' of contract is no axis of 'a', which has [m,k]");
  expect("y = contract(a[m,k], w, k)",
         "'k' of contract is no axis of 'w', which has []; say them: "
         "w[k,out]");
  expect("y = contract(a[m,k], k)", "contract lacks its operand 'other'");
  expect("y = contract(a[m,k], 2, k)", "operand 'other' of contract is a tensor, no number");
  expect("y[n,k] = contract(a[m,k], b[k,n], k)",
         "'y[n,k]' has other axes than contract leaves: [m,n]");
  expect("y[cols,rows] = relu(x)",
         "'y[cols,rows]' has other axes than relu leaves: [rows,cols]; contract and stages that "
         "move order them");
}

}  // namespace
}  // namespace gradproof
