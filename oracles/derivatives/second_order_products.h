// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <optional>

#include "oracles/derivatives/unit_derivatives.h"

namespace gradproof {

/// The tensor whose entries are moved: one that has a gradient, or dy.
struct Moved {
  Differentiated tensor;
  bool cotangent = false;  ///< dy is moved; `tensor` is then x, whose entries dy matches
};

/// H c and J c of one unit by dual numbers (second_order_unit.h); c by position in `tensors`, which
/// must outlive this object.
template <template <class> class Arithmetic, class T>
class SecondOrderProducts {
 public:
  SecondOrderProducts(const CompiledPipeline& compiled, const Claim& claim, const Tensors& inputs,
                      std::int64_t unit, const std::vector<Differentiated>& tensors,
                      const std::vector<Values<double>>& c)
      : tensors_(tensors), dual_(compiled, claim, inputs, unit), products_(tensors.size()) {
    for (std::size_t t = 0; t < tensors.size(); ++t) {
      Values<Dual<T>>& numbers = dual_.numbers_of(tensors[t].movable);
      for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i].d = T(c[t][i]);
    }
    value_ = &dual_.runner().forward();
    dual_.runner().backward();
  }

  /// H c at a place of the moved tensor, or J c where dy is moved.
  const T& at(const Moved& moved, std::int64_t place) {
    const auto k = static_cast<std::size_t>(place);
    if (moved.cotangent) return (*value_)[k].d;
    const auto t = static_cast<std::size_t>(
        std::find_if(tensors_.begin(), tensors_.end(),
                     [&](const Differentiated& d) { return d.name == moved.tensor.name; }) -
        tensors_.begin());
    if (!products_[t]) products_[t] = dual_.gradient(tensors_[t]);
    return (*products_[t])[k].d;
  }

 private:
  const std::vector<Differentiated>& tensors_;
  ReadUnit<Arithmetic, Dual<T>> dual_;
  const Values<Dual<T>>* value_ = nullptr;
  std::vector<std::optional<Values<Dual<T>>>> products_;
};

}  // namespace gradproof
