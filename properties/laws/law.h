// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "core/case/case.h"
#include "core/claim/claim.h"
#include "core/compare/discrepancy.h"
#include "core/compare/verdict.h"
#include "kernels/kernel.h"

namespace gradproof {

/// What a law found about one quantity: numbers that the kernel gave against what the law asks.
struct Finding {
  std::string quantity;  ///< "d_weight along v", "sum of d_x over the rows"
  Shape shape;
  Discrepancy discrepancy;
  Verdict verdict;
  std::string why;
};

/// A property that every correct kernel has, whatever its answer: no oracle is asked for the
/// answer.
struct Law {
  std::string name;  ///< the word of the key `law`
  std::string says;  ///< one sentence
  bool (*applies)(const Claim& claim);
  std::vector<Finding> (*check)(const Kernel& kernel, const Case& c);
};

/// All laws, in the order of the key `law`.
const std::vector<Law>& laws();

/// Throws UsageError where the law does not apply to the Case.
std::vector<Finding> check_law(const Kernel& kernel, const Case& c);

/// Whether all numbers are: in half precision a fill may overflow. Laws are about finite numbers.
bool all_finite(const Tensors& inputs);

/// What a law says of inputs that are not.
Finding not_finite();

/// A float64 tensor of these numbers, for compare().
Tensor as_tensor(const std::vector<double>& values);

// One law per file.
inline constexpr const char* kExecutionQuantity = "execution";

Law adjoint_identity();
Law dx_sum();
Law running_recurrence();

}  // namespace gradproof
