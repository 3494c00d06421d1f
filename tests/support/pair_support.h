// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <torch/csrc/api/include/torch/utils.h>

#include "fixtures/models/p37.h"
#include "fixtures/models/p39.h"
#include "fixtures/models/p88.h"
#include "fixtures/models/p97.h"
#include "fixtures/models/weights.h"

/// Helpers that the tests of the four model pairs share.
namespace gradproof {

using ModelPtr = std::shared_ptr<LinearModel>;

struct Size {
  std::int64_t batch, in_features, out_features, groups;
};

/// A Model and one of its ModelNews: ModelNew itself, or a tail behind a stock norm.
struct PairUnderTest {
  std::string name;  ///< "P97_ModelNew"
  double tolerance;  ///< atol and rtol of the published protocol
  bool whole;        ///< one kernel does all behind the Linear
  bool batch_norm;
  std::function<ModelPtr(bool fused, const Size&, const std::vector<std::int64_t>&)> build;
  std::function<ModelPtr(bool fused, Edition)> published;
  std::vector<at::Tensor> (*inputs)(std::uint64_t seed, Edition);
  std::vector<Size> sizes;  ///< the older one first
  /// The changes that may come after construction, each visible in the output.
  std::vector<std::function<void(LinearModel&)>> changes;
};

inline void PrintTo(const PairUnderTest& pair, std::ostream* out) { *out << pair.name; }

/// P97, P39 and P88 with 1e-4 (39's published tolerance; the others state none), P37 with 1e-5: the
/// view that users know. The oracle's bound decides.
const std::vector<PairUnderTest>& pairs();
/// The pairs whose ModelNew has one kernel for all behind the Linear.
std::vector<PairUnderTest> whole_pairs();
std::vector<PairUnderTest> batch_norm_pairs();

class PairTest : public testing::TestWithParam<PairUnderTest> {
 protected:
  const PairUnderTest& pair() const { return GetParam(); }
};

inline std::string name_of_pair(const testing::TestParamInfo<PairUnderTest>& info) {
  return info.param.name;
}

bool close(const at::Tensor& got, const at::Tensor& want, double tolerance);
inline bool same_bits(const at::Tensor& a, const at::Tensor& b) { return at::equal(a, b); }

/// Gives every parameter and buffer behind the Linear numbers that are no identity: gamma 1, beta
/// 0, buffers 0 and 1 hide a kernel that ignores them.
void randomize(LinearModel& model, std::uint64_t seed);

/// A Model and a ModelNew with the same randomised weights.
struct Built {
  ModelPtr model, fused;
  Built(const PairUnderTest& pair, const Size& size, const std::vector<std::int64_t>& vector_shape);
  Built(const PairUnderTest& pair, const Size& size) : Built(pair, size, {size.out_features}) {}
  /// Both of them, to be treated alike.
  std::vector<LinearModel*> both() const { return {model.get(), fused.get()}; }
};

at::Tensor input(const Size& size, std::uint64_t seed);
at::Tensor cotangent(const Size& size);

/// Names of tensors in which two modules are not close.
std::string differing(const torch::nn::Module& a, const torch::nn::Module& b, double tolerance);

/// The BatchNorm of a model; null where it has none.
torch::nn::BatchNorm1dImpl* bn_of(LinearModel& model);

}  // namespace gradproof
