// SPDX-License-Identifier: Apache-2.0
// A unit's losses in packs of double-doubles and triple-doubles, by every compilation that runs
// here, against 50 digits.
#include <gtest/gtest.h>

#include "core/error.h"
#include "oracles/arithmetic/doubled.h"
#include "oracles/arithmetic/real.h"
#include "oracles/arithmetic/tripled.h"
#include "oracles/differences/evaluate/numeric_loss.h"
#include "oracles/differences/evaluate/unit_loss.h"
#include "oracles/pipeline/gather.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {
namespace {

struct TestedClaim {
  Claim claim;
  CompiledPipeline compiled;
  Unit<double> unit;

  explicit TestedClaim(const std::string& system)
      : claim(make_claim({.system = system, .rows = 37, .cols = 96, .groups = 3})),
        compiled(claim),
        unit(gather<double>(claim, make_inputs(claim, 2), 0)) {}

  std::int64_t count() const { return static_cast<std::int64_t>(unit.x.size()); }
};

Real real_of(const Wide& wide) { return Real(wide.hi) + Real(wide.mid) + Real(wide.lo); }

/// The permitted error, relative to the sum of |dy y|. An element passes fewer than 16 operations,
/// none errs by more than its swish does, x of size 1 around 0 lets none amplify the error by more
/// than 4, and a sum's additions are fewer than 64 of twice the size: in the two losses of a
/// change.
double allowed(const WideErrors& errors) {
  return 2 * (16 * 4 * errors.swish() + 64 * 2 * errors.sum) * errors.unit;
}

/// The largest error of a change of x, by the sum of |dy y|.
double largest_error(NumericLoss<Wide>& losses, const TestedClaim& tested,
                     const Values<Real>& truth, double move) {
  Real largest(0);
  for (std::int64_t i = 0; i < tested.count(); ++i) {
    const Real error = abs(real_of(losses.change({true, 0}, Method::direct, i, move)) -
                           truth[static_cast<std::size_t>(i)]);
    largest = std::max(largest, error);
  }
  return Real(largest / losses.magnitude()).convert_to<double>();
}

class PackedLossOfSystems : public testing::TestWithParam<std::string> {};

TEST_P(PackedLossOfSystems, MeetFiftyDigits) {
  constexpr double kMove = 0x1p-12;
  const TestedClaim tested(GetParam());
  UnitLoss<Real, Real> real(tested.compiled);
  real.take_unit(tested.unit);
  Values<Real> truth;
  for (std::int64_t i = 0; i < tested.count(); ++i)
    truth.push_back(real.change({true, 0}, Method::direct, i, kMove));
  for (const PackedLossCompilation& compilation : packed_loss_compilations()) {
    if (!runs_here(compilation.set)) continue;
    const auto doubled = compilation.make(tested.compiled, AuditArithmetic::double_double);
    const auto tripled = compilation.make(tested.compiled, AuditArithmetic::triple_double);
    doubled->take_unit(tested.unit);
    tripled->take_unit(tested.unit);
    const double coarse = largest_error(*doubled, tested, truth, kMove);
    const double fine = largest_error(*tripled, tested, truth, kMove);
    EXPECT_LE(coarse, allowed(kDoubledErrors)) << name_of(compilation.set);
    EXPECT_LE(fine, allowed(kTripledErrors)) << name_of(compilation.set);
    EXPECT_GT(coarse, allowed(kTripledErrors)) << name_of(compilation.set) << ": the control";
    EXPECT_GT(kUnit, allowed(kDoubledErrors)) << "the control: a double";
  }
}

INSTANTIATE_TEST_SUITE_P(All, PackedLossOfSystems, testing::ValuesIn(system_names()),
                         [](const auto& system) { return system.param; });

TEST(PackedLoss, DoNotComeInFiftyDigits) {
  const TestedClaim tested("swish_bias");
  EXPECT_THROW(packed_loss(tested.compiled, AuditArithmetic::digits400), InstrumentError);
}

}  // namespace
}  // namespace gradproof::oracle_tests
