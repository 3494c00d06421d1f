// SPDX-License-Identifier: Apache-2.0
// Stages with a kink or a domain, which no system of the catalog has, in pipelines of their own.
#include <cmath>

#include <gtest/gtest.h>

#include "oracles/differences/audit_target.h"
#include "oracles/functions/multiword_math.h"
#include "tests/support/audit/staged_target.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

enum class Kind { abs, relu, squared, log };

/// A test stage: its kind, the sign of its adjoint, and if it says where it is not smooth.
struct Special {
  Kind kind = Kind::abs;
  bool says_so = true;
  double sign = 1;  ///< of its adjoint
};

/// y = |x|, max(x, 0), max(x, 0)^2 / 2 or log x.   dx = dy sign(x), dy [x > 0], dy max(x, 0),
/// dy / x. At 0 any slope between the one-sided ones is right; this stage gives that from above.
template <class A>
class SpecialStage final : public Stage<A> {
 public:
  using T = typename A::Scalar;

  explicit SpecialStage(const Special& special) : special_(special) {}

  const Values<T>& value(const Values<T>& x) override {
    remember(x);
    as_long_as(y_, x);
    for (std::size_t i = 0; i < x.size(); ++i)
      y_[i] = special_.kind == Kind::log       ? log(x[i])
              : special_.kind == Kind::squared ? slope(x[i]) * x[i] / 2
                                               : slope(x[i]) * x[i];
    return y_;
  }

  void remember(const Values<T>& x) override { x_ = &x; }

  const Values<T>& adjoint(const Values<T>& dy) override {
    as_long_as(dx_, dy);
    for (std::size_t i = 0; i < dy.size(); ++i) {
      const T& x = (*x_)[i];
      const T dx = special_.kind == Kind::log ? dy[i] / x : dy[i] * slope(x);
      dx_[i] = T(special_.sign) * dx;
    }
    return dx_;
  }

  bool is_smooth() const override { return !special_.says_so; }

  std::vector<int> pieces(const Values<T>& x) const override {
    std::vector<int> result;
    for (const T& v : x) {
      const bool negative = v < T(0);
      const bool zero = !negative && !(T(0) < v);
      if (special_.kind == Kind::log)
        result.push_back(negative || zero ? kOutsideDomain : 0);
      else
        result.push_back(zero ? kOnKink : negative ? 0 : 1);
    }
    return result;
  }

 private:
  T slope(const T& x) const {
    if (special_.kind == Kind::squared) return x < T(0) ? T(0) : x;
    if (!(x < T(0))) return T(1);
    return T(special_.kind == Kind::abs ? -1 : 0);
  }

  Special special_;
  const Values<T>* x_ = nullptr;
  Values<T> y_;
  Values<T> dx_;
};

/// The step at position 1 is the special one.
struct SpecialFactory {
  Special special;

  template <class A>
  std::unique_ptr<Stage<A>> make(std::size_t position, const Setting<A>& setting) const {
    if (position == 1) return std::make_unique<SpecialStage<A>>(special);
    return StageFactory().make(position, setting);
  }
};

/// bias -> special -> divide -> swish; the claim names a swish where the special stage comes.
Claim pipeline_claim() {
  return make_claim({.system = "bias_swish_divide_swish", .rows = 4, .cols = 3, .divide = 2});
}

/// The argument of the special stage in column 1, row 2; the bias there is 0.5.
constexpr std::int64_t kSpecialEntry = 2 * 3 + 1;

Tensors inputs_with(const Claim& claim, double argument) {
  Tensors inputs = make_inputs(claim, 3, 1, 4);  // all other arguments are far above 0
  inputs.at("bias").set(0, 0.5);
  inputs.at("x").set(kSpecialEntry, argument - 0.5);
  return inputs;
}

std::vector<AuditRow> audited(const Special& special, double argument) {
  Claim claim = pipeline_claim();
  for (TensorSpec& spec : claim.tensors) spec.dtype = DType::f64;
  const Tensors inputs = inputs_with(claim, argument);
  const SpecialFactory factory{special};
  return audit_target(StagedTarget<SpecialFactory>(claim, inputs, factory), {});
}

std::int64_t count_of(const AuditRow& row, const std::string& reason) {
  for (const Inconclusive& group : row.inconclusive)
    if (name_of(group.reason) == reason) return group.entries;
  return 0;
}

class Kinked : public testing::TestWithParam<Kind> {};

TEST_P(Kinked, IsCertifiedAwayFromTheKink) {
  for (const double argument : {2.0, -2.0, 0x1p-12}) {
    for (const AuditRow& row : audited({GetParam()}, argument)) {
      EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
      EXPECT_GE(row.digits, 20) << row.tensor << " " << argument;
    }
  }
}

TEST_P(Kinked, IsCertifiedNearItBySmallerSteps) {
  for (const double argument : {0x1p-30, -0x1p-30})
    for (const AuditRow& row : audited({GetParam()}, argument)) {
      EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
      EXPECT_GE(row.digits, 20) << row.tensor;
    }
}

TEST_P(Kinked, IsInconclusiveOnIt) {
  const auto rows = audited({GetParam()}, 0);
  EXPECT_EQ(count_of(rows.at(0), "kink"), 1) << name_of(rows[0].verdict);
  EXPECT_EQ(rows[0].inconclusive.at(0).first, kSpecialEntry);
  EXPECT_EQ(rows[0].wrong, 0);
  EXPECT_EQ(rows[0].verdict, Outcome::inconclusive);
  EXPECT_EQ(count_of(rows.at(1), "kink"), 1) << "the bias moves every argument";
}

TEST_P(Kinked, IsWrongWhereItsAdjointIs) {
  for (const double argument : {2.0, 0x1p-30, 0.0}) {
    const auto rows = audited({GetParam(), true, -1}, argument);
    EXPECT_EQ(rows.at(0).verdict, Outcome::wrong) << argument;
    EXPECT_GE(rows[0].wrong, 11) << argument;
  }
}

INSTANTIATE_TEST_SUITE_P(All, Kinked, testing::Values(Kind::abs, Kind::relu),
                         [](const auto& kind) { return kind.param == Kind::abs ? "abs" : "relu"; });

TEST(Domain, IsInconclusiveOutsideAndCertifiedInside) {
  for (const AuditRow& row : audited({Kind::log}, 0x1p-20))
    EXPECT_EQ(row.verdict, Outcome::certified) << row.tensor << ": " << row.reason;
  const auto rows = audited({Kind::log}, -1);
  // Column 1 has no value at all; every entry of it is named, none of another column.
  EXPECT_EQ(count_of(rows.at(0), "domain"), 4);
  EXPECT_EQ(rows[0].verdict, Outcome::inconclusive);
  EXPECT_EQ(rows[0].wrong, 0);
}

/// A bend of the second derivative is nothing that a difference shows: only the stage knows.
TEST(Hook, SaysWhatDifferencesDoNotShow) {
  const AuditRow with = audited({Kind::squared}, 0).at(0);
  EXPECT_EQ(with.verdict, Outcome::inconclusive);
  EXPECT_EQ(count_of(with, "kink"), 1);
  const AuditRow without = audited({Kind::squared, false}, 0).at(0);
  EXPECT_EQ(without.verdict, Outcome::certified);
}

/// The PerturbedLoss of the one special entry, which tests ask directly.
class Asked {
 public:
  explicit Asked(const Special& special, double argument)
      : claim_(widened()),
        inputs_(inputs_with(claim_, argument)),
        factory_{special},
        target_(claim_, inputs_, factory_),
        losses_(target_.losses(AuditArithmetic::double_double)) {
    losses_->take_unit(1);
  }
  Irregularity says(std::int64_t row, double move) { return losses_->irregular(0, row, move); }
  Irregularity says_of_bias(double move) { return losses_->irregular(1, 0, move); }

 private:
  static Claim widened() {
    Claim claim = pipeline_claim();
    for (TensorSpec& spec : claim.tensors) spec.dtype = DType::f64;
    return claim;
  }

  Claim claim_;
  Tensors inputs_;
  SpecialFactory factory_;
  StagedTarget<SpecialFactory> target_;
  std::unique_ptr<PerturbedLoss> losses_;
};

TEST(Hook, SeesAKinkAtTheNumber) {
  Asked hook({Kind::abs}, 0);
  EXPECT_EQ(hook.says(2, 0x1p-60), Irregularity::kink);
  EXPECT_EQ(hook.says(1, 0x1p-3), Irregularity::none) << "another row does not move it";
  EXPECT_EQ(hook.says_of_bias(0x1p-60), Irregularity::kink);
}

TEST(Hook, KnowsHowFarTheKinkIs) {
  Asked hook({Kind::relu}, -0x1p-30);
  EXPECT_EQ(hook.says(2, 0x1p-20), Irregularity::kink);
  EXPECT_EQ(hook.says(2, 0x1p-31), Irregularity::none);
  EXPECT_EQ(hook.says(2, 0x1p-30), Irregularity::kink) << "x + h is the kink itself";
}

TEST(Hook, SeesTheEdgeOfADomain) {
  Asked inside({Kind::log}, 0x1p-20);
  EXPECT_EQ(inside.says(2, 0x1p-10), Irregularity::domain);
  EXPECT_EQ(inside.says(2, 0x1p-21), Irregularity::none);
  Asked outside({Kind::log}, -1);
  EXPECT_EQ(outside.says(0, 0x1p-60), Irregularity::domain);
}

TEST(Hook, IsSilentWhereAStageSaysNothing) {
  Asked hook({Kind::abs, false}, 0);
  EXPECT_EQ(hook.says(2, 1), Irregularity::none);
}

}  // namespace
}  // namespace gradproof::oracle_tests
