// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <optional>
#include <string>

#include "oracles/claim/graph_of_claim.h"
#include "oracles/diagnosis/diagnose.h"
#include "tests/support/oracle_support.h"

namespace gradproof::oracle_tests {

inline const std::string kChain = "batchnorm_bias_divide_swish";

inline ClaimOptions options_of(const std::string& system, DType dtype = DType::f32) {
  ClaimOptions o{.system = system, .rows = 40, .cols = 12, .groups = 3};
  o.vector = VectorShape::cols;
  o.contract.storage = dtype;
  if (dtype == DType::f64) o.contract.accumulation = o.contract.scalar = dtype;
  return o;
}

/// A claim with its inputs and its truth, whose gradients are to be made wrong. The statistics are
/// the truth's own, rounded to the type that they are saved in.
class Sufferer {
 public:
  Sufferer(const ClaimOptions& options, std::uint64_t seed)
      : claim_(make_claim(options)), inputs_(make_inputs(claim_, seed)) {
    const Answers first = evaluate(claim_, inputs_, std::nullopt);
    if (claim_.has("mean"))
      given_ =
          GivenStatistics{tensor_of("mean", [&](std::int64_t i) { return hi(first, "mean", i); }),
                          tensor_of("rstd", [&](std::int64_t i) { return hi(first, "rstd", i); })};
    answers_ = evaluate(claim_, inputs_, given_);
  }

  const Claim& claim() const { return claim_; }
  const Tensors& inputs() const { return inputs_; }
  const std::optional<GivenStatistics>& given() const { return given_; }

  double input(const std::string& name, std::int64_t i) const { return get(inputs_, name).at(i); }
  /// The truth; for statistics the ones that were given.
  double truth(const std::string& name, std::int64_t i) const {
    if (name == "mean") return given_->mean.at(i);
    if (name == "rstd") return given_->rstd.at(i);
    return hi(answers_, name, i);
  }

  /// A gradient of these numbers, each rounded to its type.
  Tensor rounded(const std::string& name, const std::function<double(std::int64_t)>& value) const {
    return tensor_of(name, value);
  }
  Tensor right(const std::string& name) const {
    return rounded(name, [&](std::int64_t i) { return truth(name, i); });
  }

  std::string words_of(const std::string& name, const Tensor& got) const {
    double numbers = 4 * kDiagnosedNumbers;
    return diagnose(graph_of_claim(claim_, inputs_), inputs_, statistics_from(given_), {name, got},
                    numbers);
  }
  std::string words(const std::string& name,
                    const std::function<double(std::int64_t)>& value) const {
    return words_of(name, rounded(name, value));
  }

 private:
  static double hi(const Answers& answers, const std::string& name, std::int64_t i) {
    return answers.at(name).hi[static_cast<std::size_t>(i)];
  }

  Tensor tensor_of(const std::string& name,
                   const std::function<double(std::int64_t)>& value) const {
    const TensorSpec& spec = claim_.tensor(name);
    Tensor tensor(spec.dtype, spec.layout);
    for (std::int64_t i = 0; i < tensor.numel(); ++i) tensor.set(i, value(i));
    return tensor;
  }

  Claim claim_;
  Tensors inputs_;
  std::optional<GivenStatistics> given_;
  Answers answers_;
};

inline bool begins(const std::string& text, const std::string& with) {
  return text.rfind(with, 0) == 0;
}

}  // namespace gradproof::oracle_tests
