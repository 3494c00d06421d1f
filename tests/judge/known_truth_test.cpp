// SPDX-License-Identifier: Apache-2.0
// Tensors whose truth the line knows: they pass within their bound, and nothing else does for it.
#include "judge/graph/known_truth.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/graph/cancellation/cancellation.h"
#include "core/graph/draw/draw_graph.h"
#include "judge/check_case.h"
#include "judge/graph/check_graph.h"
#include "judge/graph/graph_run.h"
#include "judge/records.h"
#include "reports/record/tally.h"
#include "tests/graph/ran.h"
#include "tests/support/systems.h"

namespace gradproof {
namespace {

using ByTensor = std::map<std::string, Record>;

ByTensor by_tensor(const std::vector<Record>& records) {
  ByTensor all;
  for (const Record& r : records) all.emplace(r.tensor, r);
  return all;
}

ByTensor checked(const std::string& text) {
  return by_tensor(check_case(test_systems(), read_case(text)));
}

/// The Record of one of LibTorch's tensors after all its numbers were replaced by `number`.
Record with_gradient(const std::string& text, const std::string& tensor, double number) {
  const Case c = parse_case(text, {});
  GraphRun run = run_graph(test_systems(), c);
  Tensor& got = run.got.at(tensor);
  for (std::int64_t i = 0; i < got.numel(); ++i) got.set(i, number);
  return by_tensor(graph_records(c, run, blank_record(c))).at(tensor);
}

const char* const kTakenOut =
    "{y = batch_norm(linear(x[n,k], w[m,k], b), weight, beta)} n=9 k=7 m=5 seed=3";

TEST(KnownTruth, AGradientThatVanishesPassesAndIsSaidToVanish) {
  for (const auto& [tensor, r] : checked(kTakenOut)) {
    EXPECT_EQ(r.verdict.outcome, Outcome::passed) << tensor << ": " << r.verdict.reason;
    EXPECT_EQ(r.known.has_value(), tensor == "d_b") << tensor;
  }
  EXPECT_EQ(checked(kTakenOut).at("d_b").known, KnownTruth::vanishes);
}

TEST(KnownTruth, AGradientThatOughtToVanishAndDoesNotIsFailed) {
  EXPECT_EQ(with_gradient(kTakenOut, "d_b", 0).verdict.outcome, Outcome::passed);
  EXPECT_EQ(with_gradient(kTakenOut, "d_b", 1).verdict.outcome, Outcome::failed);
  EXPECT_EQ(with_gradient(kTakenOut, "d_b", 1e-3).verdict.outcome, Outcome::failed);
}

/// The bound is infinite: 1, which is Failed above, would pass here.
TEST(KnownTruth, AVacuousBoundRemainsADoubt) {
  const std::string overflowing = std::string(kTakenOut) + " set=x@0,0:3e38;x@1,0:-3e38";
  const Record r = with_gradient(overflowing, "d_b", 1);
  ASSERT_GT(r.discrepancy().vacuous, 0);
  EXPECT_EQ(r.known, KnownTruth::vanishes);
  EXPECT_EQ(r.verdict.outcome, Outcome::mistrusted);
}

TEST(KnownTruth, AConstantPassesWhereItsBoundIsNotWide) {
  const std::string line = "{y = mean(multiply(x[n,c], s[]), n, c)} n=4 c=3";
  EXPECT_EQ(checked(line).at("d_x").verdict.outcome, Outcome::passed);
  EXPECT_EQ(checked(line).at("d_x").known, KnownTruth::constant);
  EXPECT_EQ(with_gradient(line, "d_x", 1).verdict.outcome, Outcome::failed);
  const Record wide = checked(line + " set=s@:1e-44").at("d_x");
  EXPECT_EQ(wide.verdict.outcome, Outcome::mistrusted) << wide.verdict.reason;
}

/// The inputs alone make these tensors one number: other inputs of the same sizes would not.
TEST(KnownTruth, WhatIsConstantByTheInputsIsMistrusted) {
  const ByTensor alike = checked("groupnorm rows=5 cols=12 groups=3 fill=constant:2");
  EXPECT_EQ(alike.at("rstd").verdict.reason, "one constant would pass for every element");
  EXPECT_FALSE(alike.at("rstd").known);
  const ByTensor ones = checked("{y = multiply(x, 2)} rows=4 cols=3 dy=ones");
  EXPECT_EQ(ones.at("d_x").verdict.outcome, Outcome::mistrusted);
  const ByTensor none = checked("{y = bias(x, b)} rows=4 cols=3 set=dy@0,0:0 dy=constant:0");
  EXPECT_EQ(none.at("d_b").verdict.reason, "zeros would pass: every truth is 0");
}

TEST(KnownTruth, OfTheCatalogToo) {
  const ByTensor one = checked("swish_bias_groupnorm rows=9 cols=12 groups=3 bias=one");
  EXPECT_EQ(one.at("d_bias").known, KnownTruth::vanishes);
  EXPECT_EQ(one.at("d_bias").verdict.outcome, Outcome::passed);
  EXPECT_FALSE(checked("swish_bias_groupnorm rows=9 cols=12 groups=3").at("d_bias").known);
  const ByTensor alone = checked("groupnorm rows=9 cols=3 groups=3");
  EXPECT_EQ(alone.at("rstd").known, KnownTruth::constant);
  EXPECT_EQ(alone.at("d_x").known, KnownTruth::vanishes);
  EXPECT_EQ(alone.at("d_weight").known, KnownTruth::vanishes);
  for (const char* tensor : {"rstd", "d_x", "d_weight", "y"})
    EXPECT_EQ(alone.at(tensor).verdict.outcome, Outcome::passed) << tensor;
  EXPECT_FALSE(alone.at("y").known);                                           // beta
  EXPECT_FALSE(checked("scale_batchnorm rows=9 cols=3").at("d_scale").known);  // eps keeps it
}

/// A tensor of no elements passes, and a run that has no other pass is not complete.
TEST(KnownTruth, NoElementsPassAndProveNothing) {
  const auto records = check_case(test_systems(), read_case("swish_bias rows=0 cols=4"));
  const ByTensor found = by_tensor(records);
  EXPECT_EQ(found.at("y").known, KnownTruth::no_elements);
  EXPECT_EQ(found.at("y").verdict.outcome, Outcome::passed);
  EXPECT_EQ(found.at("d_bias").known, KnownTruth::vanishes);  // a sum over no rows
  const Tally t = tally(records);
  EXPECT_EQ(t.mistrusted, 0);
  ASSERT_EQ(t.gaps.size(), 2u);
  EXPECT_EQ(t.gaps.front(), "swish_bias f32 any d_x: no trusted pass (Passed: no elements)");
}

/// Drawn lines in float64 with LibTorch's results, changed: a gradient that is said to vanish is
/// zeros then, one that is said to be one number is its first one, and an output that is said to be
/// constant is that of other inputs. All of them stay within their bounds. Of a norm of one number
/// LibTorch leaves a rounding of x/sqrt(eps) in place of 0, for which the bound of smaller numbers
/// has no room: it counts as 0.
class Drawn {
 public:
  void ask(std::uint64_t number) try {
    std::string text = std::regex_replace(drawn_graph_case(41, number),
                                          std::regex(" (dtypes?|fill|dy|seed)=\\S+"), "");
    Ran ran(text + " dtype=f64 seed=7");
    const Ran other(text + " dtype=f64 seed=99");
    for (auto& [name, got] : ran.got) ask_about(name, other.got.at(name), ran, got);
    if (changed_.empty()) return;
    for (const auto& [name, judged] : ran.judged())
      if (changed_.contains(name)) {
        EXPECT_EQ(judged.discrepancy.bad, 0) << name << " of " << text;
        seen += judged.discrepancy.vacuous == 0;
      }
  } catch (const UsageError&) {  // a window wider than its axis
  }

  int seen = 0;

 private:
  static double without_noise(double number) { return std::abs(number) < 1e-9 ? 0 : number; }

  void ask_about(const std::string& name, const Tensor& other, const Ran& ran, Tensor& got) {
    const bool output = has_name(ran.graph.outputs, name);
    const std::string of = name.substr(std::min<std::size_t>(2, name.size()));
    const auto& [graph, extents] = std::tie(ran.graph, ran.claim.extents);
    const bool vanishes = !output && gradient_vanishes(graph, extents, of);
    const bool uniform = !output && !vanishes && gradient_is_uniform(graph, extents, of);
    if (!vanishes && !uniform && !(output && is_constant(graph, extents, name))) return;
    for (std::int64_t i = 0; i < got.numel(); ++i)
      got.set(i, output ? without_noise(other.at(i)) : uniform ? got.at(0) : 0);
    changed_.insert(name);
  }

  std::set<std::string> changed_;
};

TEST(KnownTruth, OfDrawnLinesItIsTheTruth) {
  int seen = 0;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    Drawn drawn;
    drawn.ask(number);
    seen += drawn.seen;
  }
  EXPECT_GT(seen, 30);
}

}  // namespace
}  // namespace gradproof
