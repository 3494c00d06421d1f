// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/baseline/acceptance.h"
#include "reports/baseline/comparison.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/baseline/dead_band.h"
#include "tests/reports/first_acceptance.h"
#include "tests/support/report_sample.h"

namespace gradproof {
namespace {

/// A pass of a tensor with many columns whose error/bound is `factor` times the sample's.
Record measured(double factor, const std::string& digest) {
  Record r = sample_pass();
  r.digest = digest;
  r.discrepancy().max_ratio *= factor;
  r.discrepancy().rms_ratio *= factor;
  r.discrepancy().worst.ratio *= factor;
  return r;
}

ChangedTensor changed(const Record& before, const Record& now) {
  return compare_entry(make_baseline({before}, nullptr, kFirstAcceptance).entries.front(), now);
}

/// The message of the UsageError, or nothing.
template <class F>
std::string refusal(F f) {
  try {
    f();
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(BaselineFile, TextAndValueAreInverse) {
  Record second = measured(1.0 / 3, "fedcba9876543210");
  second.case_text = "another rows=3";
  second.bound = ErrorBound::likely;
  second.rung = Rung::fused_as_saved;
  second.chain = {ChainSource::consistent, 24, 4095};
  const Baseline b = make_baseline({sample_pass(), second}, nullptr, kFirstAcceptance);
  const std::string text = to_text(b);
  EXPECT_EQ(parse_baseline(text, "f"), b);
  EXPECT_EQ(to_text(parse_baseline(text, "f")), text);
  EXPECT_EQ(b.entries.front().case_text, "another rows=3");  // sorted
}

// NaN would not equal itself once it is read back.
TEST(BaselineFile, AFigureThatIsNoNumberIsRefused) {
  for (const std::string figure : {"nan", "-nan", "1e999", "x"}) {
    Baseline b = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
    b.entries.front().worst =
        "[0] | bits 0\na | f32 | y | max " + figure + " | p99 0 | rms 0 | worst [1]";
    EXPECT_NE(refusal([&] { parse_baseline(to_text(b), "f"); }).find(":9: '" + figure + "'"),
              std::string::npos)
        << figure;
  }
}

TEST(BaselineFile, AnUnknownBoundIsRefused) {
  Record r = sample_pass();
  r.bound = ErrorBound::likely;
  Baseline b = make_baseline({r}, nullptr, kFirstAcceptance);
  EXPECT_EQ(refusal([&] { parse_baseline(to_text(b), "f"); }), "") << "the control";
  b.entries.front().bound = ErrorBound::typical;  // which no tensor is judged by
  EXPECT_EQ(refusal([&] { parse_baseline(to_text(b), "f"); }),
            "f:8: 'typical' is no bound; known: certain likely");
}

// The control: any character that changes is noticed, in the figures, the context and the reason.
TEST(BaselineFile, EveryEditBreaksTheChecksum) {
  const std::string text = to_text(make_baseline({sample_pass()}, nullptr, kFirstAcceptance));
  EXPECT_EQ(refusal([&] { parse_baseline(text, "f"); }), "");
  for (const std::string word : {"0.8125", "sm_90", "first", "cpu", "0123456789abcdef"}) {
    std::string edited = text;
    edited[edited.find(word)] = '7';
    EXPECT_NE(refusal([&] { parse_baseline(edited, "f"); }), "") << word;
  }
  EXPECT_NE(refusal([&] { parse_baseline(text.substr(0, text.size() / 2), "f"); }), "");
  EXPECT_NE(refusal([&] { parse_baseline(text + "more\n", "f"); }), "");
}

TEST(BaselineFile, ARungThatIsNoneIsRefused) {
  Baseline b = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  b.entries.front().digest = "0 | rung lower";
  EXPECT_NE(refusal([&] { parse_baseline(to_text(b), "f"); }).find(":8: 'lower' is no rung"),
            std::string::npos)
      << refusal([&] { parse_baseline(to_text(b), "f"); });
}

TEST(BaselineFile, AChainThatIsNoneIsRefused) {
  Baseline b = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  for (const char* text : {"0", "-3", "long"}) {
    b.entries.front().digest = fmt::format("0 | chain {}", text);
    EXPECT_NE(refusal([&] {
                parse_baseline(to_text(b), "f");
              }).find(fmt::format(":8: '{}' is no number of additions", text)),
              std::string::npos)
        << refusal([&] { parse_baseline(to_text(b), "f"); });
  }
}

TEST(BaselineFile, BadLineIsNamedWithItsPlace) {
  const std::string text = to_text(make_baseline({sample_pass()}, nullptr, kFirstAcceptance));
  std::string edited = text;
  edited.replace(edited.rfind("| max "), 6, "| min ");
  EXPECT_NE(refusal([&] { parse_baseline(edited, "some.file"); }).find("some.file:8: "),
            std::string::npos);
}

TEST(Baseline, EqualBitsAreUnchangedWhateverTheBoundDoes) {
  const ChangedTensor t = changed(measured(1, "a"), measured(100, "a"));
  EXPECT_EQ(t.change, Change::unchanged);
  EXPECT_FALSE(t.other_bits);
}

TEST(Baseline, DeadBandSeparatesChanceFromChange) {
  const DeadBand band = dead_band(sample_pass().shape);
  const double within = std::min(band.max, band.rms);
  const double beyond = std::max(band.max, band.rms) * (1 + 0x1p-20);
  EXPECT_EQ(changed(measured(1, "a"), measured(within, "b")).change, Change::unchanged);
  EXPECT_TRUE(changed(measured(1, "a"), measured(within, "b")).other_bits);
  EXPECT_EQ(changed(measured(1, "a"), measured(beyond, "b")).change, Change::regressed);
  EXPECT_EQ(changed(measured(beyond, "a"), measured(1, "b")).change, Change::improved);
}

TEST(Baseline, TheRmsAloneCanRegress) {
  Record worse = measured(1, "b");
  worse.discrepancy().rms_ratio *= 2 * dead_band(worse.shape).rms;
  const ChangedTensor t = changed(measured(1, "a"), worse);
  EXPECT_EQ(t.change, Change::regressed);
  EXPECT_EQ(t.moved.figure, "rms");
}

TEST(Baseline, ACorrectlyRoundedResultNeverRegresses) {
  Record worse = measured(100, "b");
  worse.discrepancy().worst.ulp = 0.5;
  EXPECT_NE(changed(measured(1, "a"), worse).change, Change::regressed);
}

TEST(Baseline, DeadBandNarrowsWithMoreElements) {
  EXPECT_GT(dead_band({1}).rms, dead_band({100}).rms);
  EXPECT_GT(dead_band({1}).max, dead_band({100}).max);
  EXPECT_GT(dead_band({1 << 20}).max, 1);
}

TEST(BaselineComparison, NewAndMissingAreSaid) {
  Record other = sample_pass();
  other.tensor = "d_bias";
  const Baseline b = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  const BaselineComparison c = compare({other}, b, "f");
  EXPECT_EQ(c.count(Change::added), 1);
  EXPECT_EQ(c.count(Change::missing), 1);
  EXPECT_EQ(c.not_comparable, "");
}

TEST(BaselineComparison, AnotherContextIsNeverComparedInSilence) {
  const Baseline b = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  Record r = sample_pass();
  r.context.version = "0.2.0";  // gradproof's own version is what is compared
  EXPECT_EQ(compare({r}, b, "f").not_comparable, "");
  for (std::string Context::*part : {&Context::backend, &Context::device, &Context::toolkit}) {
    r = sample_pass();
    r.context.*part = "other";
    const BaselineComparison c = compare({r}, b, "f");
    EXPECT_NE(c.not_comparable.find("other"), std::string::npos);
    EXPECT_TRUE(c.tensors.empty());
    EXPECT_EQ(compare({r, sample_pass()}, b, "f").elsewhere, 1);
  }
}

TEST(Comparison, CeilingsAreOneSentence) {
  BaselineComparison c;
  c.above = {{"k", "f32", "y", 0.5}, {"k", "f32", "d_x", 0.75}};
  EXPECT_EQ(remarks_on(c),
            std::vector<std::string>{
                "2 tensors are over their ceilings, and a baseline update asks for a line in the "
                "ledger for each: k f32 y reaches 0.5, k f32 d_x reaches 0.75"});
  c.above.pop_back();
  EXPECT_TRUE(remarks_on(c).at(0).starts_with("1 tensor is over its ceiling, "));
  c.above.clear();
  EXPECT_TRUE(remarks_on(c).empty()) << "the control";
}

TEST(MakeBaseline, RefusesWhatIsNoBaseline) {
  EXPECT_NE(refusal([] { make_baseline({sample_failure()}, nullptr, kFirstAcceptance); }), "");
  EXPECT_NE(refusal([] { make_baseline({}, nullptr, kFirstAcceptance); }), "");
  Record elsewhere = sample_pass();
  elsewhere.context.device = "other";
  EXPECT_NE(refusal([&] {
              make_baseline({sample_pass(), elsewhere}, nullptr, kFirstAcceptance);
            }),
            "");
  const Baseline before = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  EXPECT_NE(refusal([&] { make_baseline({elsewhere}, &before, kFirstAcceptance); }), "");
}

TEST(MakeBaseline, ReasonsAreKept) {
  const Baseline before = make_baseline({sample_pass()}, nullptr, kFirstAcceptance);
  const Baseline after = make_baseline({sample_pass()}, &before, {{"2026-02-03", "again"}, {}, {}});
  ASSERT_EQ(after.reasons.size(), 2u);
  EXPECT_EQ(after.reasons[0], kFirstAcceptance.reason);
}

}  // namespace
}  // namespace gradproof
