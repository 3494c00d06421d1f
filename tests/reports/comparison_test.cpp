// SPDX-License-Identifier: Apache-2.0
// A comparison with a baseline: the fate of its tensors, their order, and what an update may raise.
#include "reports/baseline/comparison.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/error.h"
#include "reports/baseline/acceptance.h"
#include "reports/baseline/comparison_rows.h"
#include "reports/baseline/damage.h"
#include "tests/reports/first_acceptance.h"
#include "tests/support/report_made.h"

namespace gradproof {
namespace {

Record at(const std::string& case_text, double ratio, const std::string& digest) {
  Record r = of_case(case_text, "d_x", digest);
  r.discrepancy().max_ratio = ratio;
  r.discrepancy().rms_ratio = ratio / 4;
  return r;
}

BaselineComparison compared(const std::vector<Record>& before, const std::vector<Record>& now) {
  return compare(now, make_baseline(before, nullptr, kFirstAcceptance), "f");
}

std::string refusal_of(const std::vector<Record>& records, const Baseline* before,
                       const Acceptance& acceptance) {
  try {
    make_baseline(records, before, acceptance);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "";
}

TEST(Comparison, IsOrderedBySeverity) {
  const std::vector<Record> before{at("k rows=1", 0.002, "a"), at("k rows=2", 0.45, "a"),
                                   at("k rows=3", 0.75, "a"),  at("k rows=4", 0.5, "a"),
                                   at("k rows=5", 0.5, "a"),   at("k rows=6", 0.5, "a")};
  Record fails = at("k rows=3", 1.1, "b");
  fails.verdict = {Outcome::failed, "1 element over the bound"};
  const BaselineComparison c = compared(
      before, {at("k rows=1", 0.03, "b"), at("k rows=2", 0.9, "b"), fails, at("k rows=4", 0.1, "b"),
               at("k rows=6", 0.5, "a"), at("k rows=7", 0.5, "a")});
  std::vector<std::string> order;
  for (const ChangedTensor& t : c.tensors)
    order.push_back(fmt::format("{} {} {}", name_of(t.change), t.named().case_text,
                                name_of(margin_of(t.named().max_ratio))));
  EXPECT_EQ(order,
            (std::vector<std::string>{
                "failed k rows=3 over the bound", "regressed k rows=2 near the bound",
                "regressed k rows=1 far below the bound", "missing k rows=5 within the bound",
                "new k rows=7 within the bound", "improved k rows=4 within the bound",
                "unchanged k rows=6 within the bound"}));
  EXPECT_EQ(counts_text(c), "1 failed, 2 regressed, 1 missing, 1 new, 1 improved, 1 unchanged");
  EXPECT_EQ(change_rows(c, 10).at(1).at(0), "regressed") << "what failed stands elsewhere";
  EXPECT_EQ(changed_tensors(c), 5);
}

TEST(Comparison, NumbersThatLookAlikeGetDigits) {
  Record now = at("k rows=2", 0.4504, "b");
  now.discrepancy().rms_ratio = 0.15;
  now.shape = {1, 1 << 20};
  Record before = at("k rows=2", 0.45, "a");
  before.discrepancy().rms_ratio = 0.1495;
  before.shape = now.shape;
  const std::vector<TextRow> rows = change_rows(compared({before}, {now}), 10);
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[1][4], "rms");
  EXPECT_NE(rows[1][5], rows[1][6]);
  EXPECT_NE(rows[1][7], rows[1][8]);
}

Record on_rung(Rung rung, double ratio, const std::string& digest) {
  Record r = at("k rows=1", ratio, digest);
  r.rung = rung;
  return r;
}

TEST(Comparison, ALowerRungRegressesWhateverTheFiguresAre) {
  const BaselineComparison c =
      compared({on_rung(Rung::fused, 0.75, "a")}, {on_rung(Rung::operator_at_a_time, 0.01, "b")});
  ASSERT_EQ(c.count(Change::regressed), 1);
  EXPECT_EQ(moved_text(c.tensors.at(0)), "rung 'fused' -> 'operator at a time'");
  const TextRow row = change_rows(c, 10).at(1);
  EXPECT_EQ(TextRow(row.begin() + 4, row.begin() + 7),
            (TextRow{"rung", "fused", "operator at a time"}));
}

// The figures of a higher rung are of a narrower bound, and larger. The controls: on one rung they
// count, and a baseline that names no rung says nothing of it.
TEST(Comparison, AHigherRungImproves) {
  const auto change = [](const Record& before, const Record& now) {
    return compared({before}, {now}).tensors.at(0).change;
  };
  const Record saved = on_rung(Rung::fused_as_saved, 0.01, "a");
  EXPECT_EQ(change(saved, on_rung(Rung::fused, 0.75, "b")), Change::improved);
  EXPECT_EQ(change(saved, on_rung(Rung::fused_as_saved, 0.75, "b")), Change::regressed);
  EXPECT_EQ(change(saved, on_rung(Rung::fused, 0.75, "a")), Change::unchanged) << "the same bits";
  EXPECT_EQ(change(at("k rows=1", 0.01, "a"), on_rung(Rung::operator_at_a_time, 0.01, "b")),
            Change::unchanged);
}

// The controls: with the same bits nothing changed, and beside a baseline that names no bound the
// figures decide.
TEST(Comparison, TheCertainBoundInPlaceOfTheLikelyOneRegresses) {
  const auto judged_by = [](ErrorBound bound, const std::string& digest) {
    Record r = at("k rows=1", 0.25, digest);
    r.bound = bound;
    return r;
  };
  const Record likely = judged_by(ErrorBound::likely, "a");
  const BaselineComparison c = compared({likely}, {judged_by(ErrorBound::certain, "b")});
  ASSERT_EQ(c.count(Change::regressed), 1);
  EXPECT_EQ(moved_text(c.tensors.at(0)), "bound 'likely' -> 'certain'");
  const auto change = [](const Record& before, const Record& now) {
    return compared({before}, {now}).tensors.at(0).change;
  };
  EXPECT_EQ(change(judged_by(ErrorBound::certain, "b"), likely), Change::improved);
  EXPECT_EQ(change(likely, judged_by(ErrorBound::certain, "a")), Change::unchanged);
  EXPECT_EQ(change(at("k rows=1", 0.25, "b"), likely), Change::unchanged);
}

Record of_chain(std::int64_t additions, const std::string& digest) {
  Record r = at("k rows=1", 0.25, digest);
  r.chain = {ChainSource::consistent, additions, 4095};
  return r;
}

// The controls: up to a factor of 2, with the same bits, or beside a baseline without the figure,
// nothing changed.
TEST(Comparison, AChainOfMoreThanTwiceAsManyAdditionsRegresses) {
  const BaselineComparison c = compared({of_chain(24, "a")}, {of_chain(49, "b")});
  ASSERT_EQ(c.count(Change::regressed), 1);
  EXPECT_EQ(moved_text(c.tensors.at(0)), "chain of 24 -> 49 additions");
  const TextRow row = change_rows(c, 10).at(1);
  EXPECT_EQ(TextRow(row.begin() + 4, row.begin() + 9), (TextRow{"chain", "24", "49", "2.04", "2"}));
  const auto change = [](const Record& before, const Record& now) {
    return compared({before}, {now}).tensors.at(0).change;
  };
  EXPECT_EQ(change(of_chain(24, "a"), of_chain(48, "b")), Change::unchanged);
  EXPECT_EQ(change(of_chain(24, "a"), of_chain(49, "a")), Change::unchanged);
  EXPECT_EQ(change(at("k rows=1", 0.25, "a"), of_chain(49, "b")), Change::unchanged);
  EXPECT_EQ(change(of_chain(49, "a"), of_chain(24, "b")), Change::improved);
}

TEST(Comparison, OtherSeedsAreRecognised) {
  const BaselineComparison c =
      compared({at("k rows=1 seed=3", 0.5, "a"), at("k rows=2", 0.5, "a")},
               {at("k rows=1", 0.9, "b"), at("k rows=2 seed=5", 0.9, "b")});
  EXPECT_EQ(c.alike.key, "seed");
  EXPECT_EQ(c.alike.tensors, 2);
  EXPECT_TRUE(c.tensors.empty()) << "neither new nor missing";
  EXPECT_TRUE(c.is_incomplete());
  EXPECT_TRUE(has(remarks_on(c).at(0), "the same Cases but for seed"));
  // The control: other rows are other Cases, and of rows and seed together none is taken.
  const BaselineComparison other =
      compared({at("k rows=1 seed=3", 0.5, "a")}, {at("k rows=2", 0.5, "b")});
  EXPECT_EQ(other.alike.tensors, 0);
  EXPECT_EQ(other.count(Change::added) + other.count(Change::missing), 2);
}

TEST(Comparison, AMutantIsComparedWithItsKernel) {
  const BaselineComparison c =
      compared({at("k rows=1", 0.25, "a")}, {at("k rows=1 mutant=bad", 0.875, "b")});
  EXPECT_EQ(c.alike.key, "mutant");
  EXPECT_EQ(c.count(Change::regressed), 1);
  EXPECT_FALSE(c.is_incomplete());
}

TEST(Comparison, ACrashIsNoMissingTensor) {
  Record crash = at("k rows=1", 0, "");
  crash.tensor = kExecution;
  crash.figures = Discrepancy();
  crash.verdict = {Outcome::crashed, "SIGSEGV"};
  const BaselineComparison c = compared({at("k rows=1", 0.5, "a")}, {crash});
  EXPECT_EQ(c.count(Change::failed), 1);
  EXPECT_EQ(c.count(Change::missing), 0);
  EXPECT_EQ(c.tensors.at(0).note, "Crashed: SIGSEGV");
}

TEST(Ceiling, IsRaisedByTheLedgerAlone) {
  const Baseline first = make_baseline({at("k rows=1", 0.25, "a")}, nullptr, kFirstAcceptance);
  ASSERT_EQ(first.ceilings.size(), 1u);
  EXPECT_GT(first.ceilings[0].max_ratio, 0.25) << "another draw of the same errors is below";
  const std::vector<Record> worse{at("k rows=1", 0.75, "b")};
  const std::string line = "batchnorm_bias_divide_swish | f32 | d_x | max ";
  try {
    make_baseline(worse, &first, kFirstAcceptance);
    ADD_FAILURE() << "it was accepted";
  } catch (const OverCeiling& over) {
    EXPECT_EQ(over.lines, std::vector<std::string>{line + "0.75 | WHY"});
    EXPECT_FALSE(has(over.what(), "\n")) << "a message is one line: " << over.what();
  }
  Acceptance allowed = kFirstAcceptance;
  allowed.ledger = parse_ledger("# agreed\n" + line + "0.8 | a faster exp\n", "f");
  const Baseline raised = make_baseline(worse, &first, allowed);
  EXPECT_EQ(raised.ceilings[0].max_ratio, 0.8);
  EXPECT_EQ(refusal_of(worse, &raised, kFirstAcceptance), "") << "it stays raised";
  EXPECT_EQ(make_baseline({at("k rows=1", 0.01, "c")}, &first, kFirstAcceptance).ceilings,
            first.ceilings)
      << "and is not lowered";
  allowed.ledger = parse_ledger(line + "0.5 | too little\n", "f");
  EXPECT_NE(refusal_of(worse, &first, allowed), "") << "the control";
  for (const std::string& bad :
       {line + "0.8\n", line + "0.8 | \n", line + "1.5 | why\n", line + "x | why\n"})
    EXPECT_THROW(parse_ledger(bad, "f"), UsageError) << bad;
}

TEST(Noise, OfRepeatedRunsWidensTheBand) {
  Acceptance repeated = kFirstAcceptance;
  repeated.repetitions = {{at("k rows=1", 0.4, "b")}, {at("k rows=1", 0.1, "c")}};
  const Baseline noisy = make_baseline({at("k rows=1", 0.2, "a")}, nullptr, repeated);
  const BaselineEntry& entry = noisy.entries.at(0);
  EXPECT_EQ(entry.noise, (MeasuredNoise{3, 4, 4}));
  EXPECT_EQ(entry.max_ratio, 0.4);
  EXPECT_EQ(parse_baseline(to_text(noisy), "f"), noisy);
  const std::vector<Record> now{at("k rows=1", 1, "d")};
  EXPECT_EQ(compare(now, noisy, "f").count(Change::unchanged), 1);
  const Baseline quiet = make_baseline({at("k rows=1", 0.4, "b")}, nullptr, kFirstAcceptance);
  EXPECT_EQ(compare(now, quiet, "f").count(Change::regressed), 1) << "the control";
  repeated.repetitions = {{at("k rows=1", 0.2, "a")}};
  EXPECT_EQ(make_baseline({at("k rows=1", 0.2, "a")}, nullptr, repeated).entries.at(0).noise.runs,
            0)
      << "the same bits are no noise";
}

TEST(Damage, SaysWhatToDo) {
  const std::string text = to_text(make_baseline({sample_pass()}, nullptr, kFirstAcceptance));
  EXPECT_EQ(damage_of(text, "f"), "");
  EXPECT_TRUE(has(damage_of("\xEF\xBB\xBF" + text, "f"), "f:1: ")) << "byte order mark";
  std::string windows = text;
  windows.insert(windows.find('\n'), "\r");
  EXPECT_TRUE(has(damage_of(windows, "f"), "*.baseline -text"));
  std::string merged = text;
  merged.insert(merged.find("reason"), "<<<<<<< ours\n");
  EXPECT_TRUE(has(damage_of(merged, "f"), "f:6: a conflict marker of git"))
      << damage_of(merged, "f");
  EXPECT_THROW(parse_baseline(merged, "f"), UsageError);
}

}  // namespace
}  // namespace gradproof
