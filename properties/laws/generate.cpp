// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/generate.h"

#include <cmath>

#include "core/case/draw.h"
#include "core/case/inputs.h"
#include "core/case/shrink.h"
#include "core/error.h"
#include "core/tensor/hard_numbers.h"
#include "properties/laws/axes.h"
#include "properties/laws/calls/sequence.h"

namespace gradproof {
namespace {

bool keeps(const Case& c, const std::vector<std::string>& pinned) {
  for (const std::string& pin : pinned)
    if (c != c.with(pin.substr(0, pin.find('=')), pin.substr(pin.find('=') + 1))) return false;
  return true;
}

template <class T>
const T& pick(const std::vector<T>& choices, const RandomBits& next) {
  return choices[next() % choices.size()];
}

/// A hard number that the tensor may hold. A running variance is never below 0.
double hard_number(const TensorSpec& spec, bool finite, const RandomBits& next) {
  for (;;) {
    const double number = pick(hard_numbers(spec.dtype), next);
    if (finite && !std::isfinite(number)) continue;
    if (spec.name == "running_var" && std::signbit(number)) continue;
    return number;
  }
}

/// The text that sets one to three elements of what the kernel is given.
std::string some_elements(const Claim& claim, const RandomBits& next) {
  std::vector<TensorSpec> given;
  for (const TensorSpec& spec : claim.tensors)
    if (is_given(spec) && numel(spec.layout.shape) > 0) given.push_back(spec);
  if (given.empty()) return "";
  const bool finite = next() % 4 != 0;
  std::string text;
  for (std::uint64_t left = 1 + next() % 3; left > 0; --left) {
    const TensorSpec& spec = pick(given, next);
    const auto elements = static_cast<std::uint64_t>(numel(spec.layout.shape));
    text += (text.empty() ? "" : ";") + set_text(spec.name, spec.layout.shape,
                                                 static_cast<std::int64_t>(next() % elements),
                                                 hard_number(spec, finite, next));
  }
  return text;
}

std::string some_sequence(const RandomBits& next) {
  constexpr std::uint64_t kLongest = 8;
  std::string text = pick(sequence_words(), next);
  for (std::uint64_t more = next() % kLongest; more > 0; --more)
    text += ";" + pick(sequence_words(), next);
  return text;
}

/// Draws a Case, with the parts that a schema cannot draw because it does not know the tensors.
Case draw(const Kernel& kernel, const std::vector<std::string>& pinned, const RandomBits& next) {
  Case c = draw_case(kernel.schema, pinned, next);
  if (c.is("law", "call_sequences")) c = c.with("calls", some_sequence(next));
  return next() % 4 == 0 ? c.with("set", some_elements(kernel.claim(c), next)) : c;
}

}  // namespace

rc::Gen<Case> any_case(const Kernel& kernel, const std::vector<std::string>& pinned,
                       const std::function<bool(const Case&)>& wanted) {
  return [kernel, pinned, wanted](rc::Random random, int) {
    constexpr int kDraws = 1000;
    const RandomBits next = [&random] { return random.next(); };
    Case drawn = draw(kernel, pinned, next);
    for (int count = 1; !wanted(drawn); ++count) {
      if (count == kDraws)
        throw InstrumentError("no Case of " + kernel.schema->word + " is wanted: 1000 were drawn");
      drawn = draw(kernel, pinned, next);
    }
    return rc::shrinkable::shrinkRecur(drawn, [pinned, wanted](const Case& c) {
      std::vector<Case> simpler;
      for (Case& candidate : shrinks(c))
        if (keeps(candidate, pinned) && wanted(candidate)) simpler.push_back(std::move(candidate));
      return rc::seq::fromContainer(std::move(simpler));
    });
  };
}

}  // namespace gradproof
