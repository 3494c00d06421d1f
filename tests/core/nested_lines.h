// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/graph/graph.h"
#include "core/tensor/philox.h"

namespace gradproof {

/// A line of calls inside of calls, whose tensors bring their axes in any order: some named where
/// they stand first, some later, some nowhere. A pure function of seed and number. Not every line
/// is one that is read.
class NestedLine {
 public:
  NestedLine(std::uint64_t seed, std::uint64_t number)
      : stream_(seed, fmt::format("nested {}", number)) {}

  std::string text() {
    std::string line = below(3) == 0 ? "f(t, a=2) := multiply(tanh(t), a); " : "";
    defined_ = !line.empty();
    line += "y = " + (defined_ ? fmt::format("f({})", call(2).text) : call(3).text);
    if (below(4) == 0) line += "; z = " + call(2).text;
    return line;
  }

 private:
  struct Written {
    std::string text;
    std::vector<std::string> axes;
  };

  std::uint64_t below(std::uint64_t count) { return stream_.bits(drawn_++) % count; }

  Written tensor() {
    if (!known_.empty() && below(4) == 0) return known_[below(known_.size())];
    std::vector<std::string> left{"b", "i", "out", "w1"};
    Written t{fmt::format("t{}", ++tensors_), {}};
    for (std::uint64_t k = 1 + below(3); k > 0; --k) {
      const auto at = left.begin() + static_cast<std::ptrdiff_t>(below(left.size()));
      t.axes.push_back(*at);
      left.erase(at);
    }
    known_.push_back(t);  // without brackets from then on
    return {fmt::format("{}[{}]", t.text, fmt::join(t.axes, ",")), t.axes};
  }

  Written call(int depth) {
    if (depth == 0) return tensor();
    const Written x = call(depth - 1 - static_cast<int>(below(static_cast<std::uint64_t>(depth))));
    switch (below(6)) {
      case 0:
        return {fmt::format("exp({})", x.text), x.axes};
      case 1:
        return {fmt::format("softmax({}, {})", x.text, x.axes[below(x.axes.size())]), x.axes};
      case 2:
        return {fmt::format("layer_norm({}, w{})", x.text, ++weights_), x.axes};
      case 3: {
        const Written over{fmt::format("mean({}, {})", x.text, x.axes.back()), x.axes};
        return {fmt::format("subtract({}, {})", tensor().text, over.text), x.axes};
      }
      default: {
        const Written other = call(depth - 1);
        Written sum{fmt::format("add({}, {})", x.text, other.text), x.axes};
        for (const std::string& axis : other.axes)
          if (!has_name(sum.axes, axis)) sum.axes.push_back(axis);
        return sum;
      }
    }
  }

  Stream stream_;
  std::uint64_t drawn_ = 0;
  bool defined_ = false;
  int tensors_ = 0;
  int weights_ = 0;
  std::vector<Written> known_;
};

}  // namespace gradproof
