// SPDX-License-Identifier: Apache-2.0
// A Linear's fault is found in the Linear alone, an epilogue's in the epilogue alone.
#include <cmath>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "judge/model_pairs/linear_system.h"
#include "judge/model_pairs/pairs.h"
#include "tests/support/pair_judged.h"
#include "tests/support/pair_support.h"

namespace gradproof {
namespace {

class LinearBlame : public PairTest {
 protected:
  static constexpr std::int64_t kAt = 77;

  /// Runs one step with `product` applied to the Linear's result.
  static LinearRun run(const Built& built, const Size& size,
                       const std::function<at::Tensor(const at::Tensor&)>& product) {
    return run_step(
        *built.fused,
        ModelStep{values_of(input(size, 3)),
                  [&](const Tensor&) { return values_of(cotangent(size)); }, "both", product});
  }

  /// The tensors that are judged wrong, by the names of JudgedStep.
  static std::set<std::string> guilty(const LinearRun& run, const PairNames& names) {
    std::set<std::string> all;
    std::istringstream text(judged(run, names).failed);
    for (std::string line; std::getline(text, line, ';');) {
      const std::size_t first = line.find_first_not_of(' ');
      const std::size_t last = line.find(" of its bound");
      if (first == std::string::npos || last == std::string::npos) continue;
      const std::string found = line.substr(first, last - first);
      all.insert(found.substr(0, found.rfind(' ')));
    }
    return all;
  }

  /// The tensor with one element off by far more than any bound of a sum of so few terms permits.
  static at::Tensor off(const at::Tensor& tensor) {
    at::Tensor wrong = tensor.detach().clone();
    float& number = wrong.mutable_data_ptr<float>()[kAt];
    number += std::ldexp(std::max(1.0F, std::abs(number)), -24) * 1000 * 256;
    return wrong;
  }

  using Names = std::set<std::string>;
};
INSTANTIATE_TEST_SUITE_P(Pairs, LinearBlame, testing::ValuesIn(whole_pairs()), name_of_pair);

TEST_P(LinearBlame, NobodyIsGuiltyOfNothing) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  EXPECT_EQ(guilty(run(b, size, [](const at::Tensor& z) { return z; }), b.fused->names()), Names{});
}

/// The epilogue got the wrong z and made the right thing of it.
TEST_P(LinearBlame, AWrongProductIsTheLinears) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  const LinearRun wrong =
      run(b, size, [](const at::Tensor& z) { return z + (off(z) - z.detach()); });
  EXPECT_EQ(guilty(wrong, b.fused->names()), Names{"linear z"});
}

/// One element of a gradient of the Linear is wrong.
TEST_P(LinearBlame, AWrongGradientOfTheLinearIsItsOwn) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  for (const char* name : {"d_input", "d_weight"}) {
    LinearRun wrong = run(b, size, {});
    Tensor& tensor =
        wrong.linear.at(name == std::string("d_input") ? name : "d_" + wrong.name + ".weight");
    double largest = 0;
    for (std::int64_t i = 0; i < tensor.numel(); ++i)
      largest = std::max(largest, std::abs(tensor.at(i)));
    tensor.set(kAt, tensor.at(kAt) + largest * 0.01);
    EXPECT_EQ(guilty(wrong, b.fused->names()), Names{std::string("linear ") + name});
  }
}

/// The epilogue gives the Linear a wrong cotangent; the Linear makes the right thing of it.
TEST_P(LinearBlame, AWrongCotangentIsTheEpilogues) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  const LinearRun wrong = run(b, size, [](const at::Tensor& z) {
    at::Tensor same = z.clone();
    same.register_hook([](const at::Tensor& d_z) { return off(d_z); });
    return same;
  });
  EXPECT_EQ(guilty(wrong, b.fused->names()), Names{"d_z"});
}

TEST_P(LinearBlame, AWrongOutputIsTheEpilogues) {
  const Size size = pair().sizes[1];
  const Built b(pair(), size);
  LinearRun wrong = run(b, size, {});
  Tensor& y = wrong.run.tensors.at("y");
  y.set(kAt, y.at(kAt) + 0.01);
  EXPECT_EQ(guilty(wrong, b.fused->names()), Names{"y"});
}

/// A P97 that says another eps than it was built with.
struct Lying : p97::ModelNew {
  using p97::ModelNew::ModelNew;
  std::string kernel_text() const override {
    std::string text = p97::ModelNew::kernel_text();
    const std::size_t at = text.find(" eps=");
    return text.replace(at, text.find(' ', at + 1) - at, " eps=0.5");
  }
};

TEST(LinearClaim, ComesFromTheCase) {
  const Case c = parse_case("linear_batchnorm_bias_divide_swish bias=one divide=2 momentum=0.1",
                            linear_schemas());
  const p97::Arguments arguments{c.integer("in"), c.integer("cols"), c.real("eps"), 0.1, {1}, 2};
  EXPECT_NO_THROW(refuse_another_epilogue(c, p97::ModelNew(arguments)));
  EXPECT_THROW(refuse_another_epilogue(c, Lying(arguments)), InstrumentError);
  p97::ModelNew other(arguments);
  other.divide_value = 3;
  EXPECT_THROW(refuse_another_epilogue(c, other), InstrumentError);
}

/// The numbers and the cotangent are whole: z and every gradient of the Linear have no tolerance.
TEST(LinearExact, EveryProductOfAStep) {
  for (const LinearPair& pair : linear_pairs()) {
    const Case c = parse_case(pair.word + " weights=integers fill=integers d_z=integers rows=33",
                              linear_schemas());
    LinearRun run = run_linear(c);
    for (const auto& [name, found] : compare_linear(run.linear_tensors())) {
      EXPECT_EQ(judge(found.discrepancy).outcome, Outcome::passed) << pair.word << " " << name;
      EXPECT_EQ(found.discrepancy.max_ratio, 0);
      EXPECT_NE(found.why.find("exact"), std::string::npos) << found.why;
    }
    for (const std::string& name :
         {std::string("input"), run.name + ".weight", run.name + ".bias"}) {
      Tensor& tensor = run.linear.at("d_" + name);
      const Tensor kept = tensor;
      tensor.set(1, std::nextafterf(static_cast<float>(kept.at(1)), 1e9F));
      std::int64_t bad = 0;
      for (const auto& [key, found] : compare_linear(run.linear_tensors()))
        bad += found.discrepancy.bad;
      EXPECT_EQ(bad, 1) << name;
      tensor = kept;
    }
  }
}

}  // namespace
}  // namespace gradproof
