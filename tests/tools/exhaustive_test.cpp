// SPDX-License-Identifier: Apache-2.0
// Runs over every input of a dtype have every input, and convict wrong kernels.
#include <cmath>
#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "core/case/inputs.h"
#include "core/error.h"
#include "tests/support/catalog.h"
#include "tools/exhaustive/text.h"

namespace gradproof {
namespace {

const Kernel& swish_bias() { return kernel_named("swish_bias"); }

Discrepancy over_all(const Kernel& kernel, const Case& setting, DType dtype,
                     const std::string& tensor) {
  const SettingRun run = run_setting(kernel, setting, pieces_of(regions_of(dtype)));
  return total_of(run.found.at(tensor)).discrepancy;
}

TEST(Exhaustive, PiecesCoverEveryPatternOnce) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    std::uint64_t next = 0;
    for (const Piece& piece : pieces_of(regions_of(dtype))) {
      EXPECT_EQ(piece.first, next);
      const Case c = case_of(Case(swish_bias().schema), piece);
      EXPECT_EQ(c.integer("rows") * c.integer("cols"), piece.count);
      EXPECT_EQ(static_cast<std::uint64_t>(c.argument("fill")), piece.first);
      next += static_cast<std::uint64_t>(piece.count);
    }
    EXPECT_EQ(next, std::uint64_t{1} << (8 * size_of(dtype)));
  }
  EXPECT_THROW(regions_of(DType::f64), UsageError);
}

TEST(Exhaustive, PartsAreDisjointAndCoverAll) {
  const std::vector<Region> regions = regions_of(DType::f32);
  std::size_t count = 0;
  std::set<std::uint64_t> firsts;
  for (std::int64_t part = 0; part < 7; ++part)
    for (const Piece& piece : pieces_of(regions, part, 7)) {
      ++count;
      firsts.insert(piece.first);
    }
  EXPECT_EQ(count, pieces_of(regions).size());
  EXPECT_EQ(firsts.size(), count);
}

TEST(Exhaustive, RegionsHaveTheNumbersTheyAreNamedBy) {
  for (const DType dtype : {DType::f16, DType::bf16}) {
    for (const Region& region : regions_of(dtype)) {
      const auto at = [&](std::uint64_t k) {
        return from_bits16(dtype, static_cast<std::uint16_t>(region.first + k));
      };
      EXPECT_EQ(std::signbit(at(0)), region.name.front() == '-');
      if (region.name.ends_with("[1, 4)")) {
        EXPECT_EQ(std::abs(at(0)), 1);
        EXPECT_EQ(std::abs(at(region.count)), 4);
      }
      if (region.name.ends_with("Inf, NaN")) {
        EXPECT_TRUE(std::isinf(at(0)));
        EXPECT_TRUE(std::isnan(at(region.count - 1)));
      }
    }
  }
}

TEST(Exhaustive, SettingsAreEveryCombinationOnceAndTheFirstIsExact) {
  std::set<std::string> texts;
  const Kernel kernel = kernel_named("bias_divide_swish");
  for (const Case& c : settings_of(kernel, "none", DType::f16)) texts.insert(to_string(c));
  EXPECT_EQ(texts.size(), 2u * 3 * 3);
  const std::vector<Case> single = settings_of(kernel, "none", DType::f32);
  ASSERT_EQ(single.size(), 1u);
  EXPECT_EQ(single.front().real("divide"), 1);
  EXPECT_EQ(single.front().text("set"), "bias@0:0");
  EXPECT_TRUE(is_elementwise(kernel));
  EXPECT_FALSE(is_elementwise(kernel_named("groupnorm")));
}

TEST(Exhaustive, SwishIsWithinItsBoundOnEveryFloat16) {
  const Case setting = settings_of(swish_bias(), "none", DType::f16).front();
  const ByTensor found =
      run_setting(swish_bias(), setting, pieces_of(regions_of(DType::f16))).found;
  const std::vector<Region> regions = regions_of(DType::f16);
  for (const char* tensor : {"y", "d_x"}) {
    const Discrepancy d = total_of(found.at(tensor)).discrepancy;
    EXPECT_EQ(d.elements, 65536);
    EXPECT_EQ(d.bad + d.undecided, 0) << tensor << " at " << d.worst.index;
    // The largest number has a bound too: only from 65520 on is a result stored as an infinity.
    EXPECT_EQ(d.vacuous, 0) << tensor;
    for (std::size_t r = 0; r < regions.size(); ++r) {
      if (!regions[r].name.ends_with("[1, 4)")) continue;
      EXPECT_EQ(judge(found.at(tensor).at(r).discrepancy).outcome, Outcome::passed) << tensor;
    }
  }
}

/// Few inputs tell: those whose exp(-x) is beyond float32 and whose Swish is not yet nothing.
TEST(Exhaustive, ConvictsAnExponentialThatOverflows) {
  const std::string mutant = "swish_by_overflowing_exp";
  const Case wrong = settings_of(swish_bias(), mutant, DType::bf16).front();
  const Discrepancy d = over_all(swish_bias(), wrong, DType::bf16, "y");
  EXPECT_EQ(judge(d).outcome, Outcome::failed);
  EXPECT_LT(d.bad, 100);
  EXPECT_GT(d.bad, 0);
  const Case right = settings_of(swish_bias(), "none", DType::bf16).front();
  EXPECT_EQ(over_all(swish_bias(), right, DType::bf16, "y").bad, 0);
}

TEST(Exhaustive, ConvictsATruncation) {
  const Kernel kernel = kernel_named("bias_divide_swish");
  const Case wrong = settings_of(kernel, "bfloat_truncated", DType::bf16).front();
  EXPECT_EQ(judge(over_all(kernel, wrong, DType::bf16, "d_x")).outcome, Outcome::failed);
  EXPECT_THROW(settings_of(kernel, "bfloat_truncated", DType::f16), UsageError);
}

TEST(Exhaustive, AllSettingsOfTheProductAreComplete) {
  TableRun table{"swish_bias f16", {}};
  for (const Case& setting : settings_of(swish_bias(), "none", DType::f16))
    table.settings.push_back(run_setting(swish_bias(), setting, pieces_of(regions_of(DType::f16))));
  const Tally tally = tally_of({table});
  EXPECT_TRUE(tally.gaps.empty()) << tally.gaps.front();
  EXPECT_EQ(exit_code(findings_of(tally)), 0);
}

/// docs/exhaustive.md says of this fault that float32 does not show it.
TEST(Exhaustive, TheIdentityHidesWhereTheBiasIsAdded) {
  const std::string mutant = "bias_before_swish";
  const std::vector<Piece> piece{{3, 0x3f800000, 1 << 12}};  // from 1 up
  const Case identity = settings_of(swish_bias(), mutant, DType::f32).front();
  const Case other = identity.with("set", "bias@0:1000");
  EXPECT_EQ(run_setting(swish_bias(), identity, piece).found.at("y").at(3).discrepancy.bad, 0);
  EXPECT_GT(run_setting(swish_bias(), other, piece).found.at("y").at(3).discrepancy.bad, 0);
}

/// Expects that y of a kernel without a parameter is right with the identity alone.
void expect_missed_by_identity_alone(const std::function<void(Call&)>& leave_out,
                                     const std::function<bool(const Case&)>& identity) {
  Kernel without = kernel_named("bias_divide_swish");
  without.entry.forward = [&, product = without.entry.forward](Call call) {
    leave_out(call);
    product(call);
  };
  for (const Case& setting : settings_of(without, "none", DType::bf16)) {
    const Discrepancy y = over_all(without, setting, DType::bf16, "y");
    EXPECT_EQ(y.bad == 0, identity(setting)) << to_string(setting);
  }
}

TEST(Exhaustive, AKernelWithoutAParameterFailsInTheOtherSettings) {
  std::vector<double> zeros(128);  // in any dtype
  expect_missed_by_identity_alone([&](Call& call) { call.views.at("bias").data = zeros.data(); },
                                  [](const Case& c) { return c.text("set") == "bias@0:0"; });
  expect_missed_by_identity_alone([](Call& call) { call.scalars.at("divide") = 1; },
                                  [](const Case& c) { return c.real("divide") == 1; });
}

/// A pass with the identity does not speak for a table that has other settings.
TEST(Exhaustive, APassWithTheIdentityAloneIsAGap) {
  const std::vector<Region> regions = regions_of(DType::f16);
  const std::vector<Case> settings = settings_of(swish_bias(), "none", DType::f16);
  const SettingRun whole = run_setting(swish_bias(), settings.front(), pieces_of(regions));
  const auto last = static_cast<std::int64_t>(regions.size()) - 1;  // -Inf, NaN
  const std::vector<Piece> nans = pieces_of(regions, last, last + 1);
  const SettingRun classes = run_setting(swish_bias(), settings.back(), nans);
  EXPECT_TRUE(tally_of({{"table", {whole}}}).gaps.empty());
  const Tally tally = tally_of({{"table", {whole, classes}}});
  EXPECT_EQ(tally.gaps.size(), 2u);  // y and d_x
  EXPECT_EQ(exit_code(findings_of(tally)), 4);
}

TEST(Exhaustive, NothingJudgedIsIncomplete) {
  const std::vector<Piece> none = pieces_of(regions_of(DType::f16), 99999998, 99999999);
  EXPECT_TRUE(none.empty());
  const Case setting = settings_of(swish_bias(), "none", DType::f16).front();
  const SettingRun some = run_setting(swish_bias(), setting, pieces_of(regions_of(DType::f16)));
  const SettingRun nothing = run_setting(swish_bias(), setting, none);
  const Tally tally = tally_of({{"some", {some}}, {"none", {nothing}}});
  ASSERT_EQ(tally.gaps, std::vector<std::string>{"none: nothing was judged"});
  EXPECT_EQ(exit_code(findings_of(tally)), 4);
  EXPECT_EQ(exit_code(findings_of(tally_of({}))), 4);
  EXPECT_EQ(exit_code(findings_of(tally_of({{"some", {some}}}))), 0);
}

/// A finding is the kernel's fault, and costs no other table its verdict.
TEST(Exhaustive, AFindingOfTheExecutorIsAFailure) {
  const std::vector<Piece> pieces = pieces_of(regions_of(DType::f16));
  const Case setting = settings_of(swish_bias(), "none", DType::f16).front();
  Kernel faulty = swish_bias();
  faulty.entry.backward = [](const Call&) {
    throw simt::ExecutionError(std::vector<simt::Finding>{{"launch-config", "no such grid"}});
  };
  const SettingRun run = run_setting(faulty, setting, pieces);
  EXPECT_TRUE(run.found.empty());
  EXPECT_NE(run.fault.find("launch-config: no such grid"), std::string::npos) << run.fault;
  EXPECT_NE(run.fault.find("fill=every:0"), std::string::npos) << run.fault;
  for (const bool json : {false, true}) {
    const std::vector<std::string> lines = setting_lines(run, json);
    ASSERT_EQ(lines.size(), 1u);
    EXPECT_NE(lines.front().find("no such grid"), std::string::npos) << lines.front();
  }
  const SettingRun sound = run_setting(swish_bias(), setting, pieces);
  EXPECT_EQ(sound.fault, "");
  const Tally tally = tally_of({{"faulty", {run}}, {"sound", {sound}}});
  EXPECT_EQ(tally.failed, 1);
  EXPECT_GT(tally.passed, 0);
  EXPECT_EQ(exit_code(findings_of(tally)), 1);
  EXPECT_EQ(exit_code(findings_of(tally_of({{"sound", {sound}}}))), 0);
}

}  // namespace
}  // namespace gradproof
