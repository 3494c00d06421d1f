// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "core/claim/claim.h"

/// Reasons for which laws say nothing of a claim; each function gives one, or an empty text.
namespace gradproof::silences {

/// The first of the reasons that is not empty.
std::string first_of(std::initializer_list<std::string> reasons);

/// A law's silence: the first of these reasons.
template <auto... kReasons>
std::string any_of(const Claim& claim) {
  return first_of({kReasons(claim)...});
}

/// A tensor's name as an argument of a template.
template <std::size_t kSize>
struct TensorName {
  char text[kSize];
  constexpr TensorName(const char (&name)[kSize]) { std::copy_n(name, kSize, text); }
};

std::string no_gradients(const Claim& claim);
/// No gradient of this name is asked for, or the pipeline has none.
std::string lacks(const Claim& claim, const std::string& tensor);
template <TensorName kTensor>
std::string lacks(const Claim& claim) {
  return lacks(claim, kTensor.text);
}
std::string fewer_rows_than(const Claim& claim, std::int64_t rows);
template <std::int64_t kRows>
std::string fewer_rows_than(const Claim& claim) {
  return fewer_rows_than(claim, kRows);
}
/// Elements of x or dy share memory, so that no element can be changed by itself.
std::string shared_elements(const Claim& claim);
/// A step makes a result of several rows, or an output has none.
std::string rows_tied(const Claim& claim);
std::string outputs_without_rows(const Claim& claim);
/// A step sees which row is which.
std::string rows_ordered(const Claim& claim);
/// A step sums over the rows, where a norm divides by their number.
std::string rows_summed(const Claim& claim);
/// Nothing is normalised by statistics of the inputs themselves.
std::string no_own_statistics(const Claim& claim);
/// No norm takes x itself, or x times a scale.
std::string norm_not_first(const Claim& claim);
/// No norm that takes x so has a weight.
std::string no_norm_weight(const Claim& claim);
/// A step gives that norm its means, or another step takes them too.
std::string given_mean_shared(const Claim& claim);
/// Nothing multiplies x in front of a norm.
std::string no_scale(const Claim& claim);
/// No running statistics move.
std::string no_moving_buffers(const Claim& claim);
std::string no_buffers(const Claim& claim);
/// A GroupNorm: its units are rows of groups.
std::string groups(const Claim& claim);
std::string no_groups(const Claim& claim);
/// The law needs keys of the Case, or promises of calls, that only kernels of the catalog have.
std::string by_graph(const Claim& claim);
std::string nondeterministic(const Claim& claim);

}  // namespace gradproof::silences

namespace gradproof {

/// The first norm of a claim's chain. Throws InstrumentError where there is none.
GraphStep norm_of(const Claim& claim);

}  // namespace gradproof
