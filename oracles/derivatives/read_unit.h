// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "core/tensor/philox.h"
#include "oracles/arithmetic/dual.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/arithmetic/real_of.h"
#include "oracles/differences/pipeline_target.h"
#include "oracles/pipeline/gather.h"
#include "oracles/pipeline/pipeline_runner.h"

namespace gradproof {

using TripleDouble = TripledOf<double>;

/// A number that underflows in triple-doubles, below 2^-900 with its last part, is less than 2^-400
/// of sums from here on: two ways that agree there do so by more than underflow.
inline constexpr double kNoUnderflow = 0x1p-500;

template <class T>
T absolute(const T& number) {
  return number < T(0) ? T(-number) : number;
}

/// One unit of a claim in numbers of type T, and a PipelineRunner on them: in triple-doubles, about
/// 47 digits, Real, Digits400, or dual numbers of these. Its tensors are those of the target, by
/// position. Arithmetic is Plain, or in a control an arithmetic whose adjoint is wrong.
template <template <class> class Arithmetic, class T>
class ReadUnit {
 public:
  ReadUnit(const PipelineTarget& target, std::int64_t unit)
      : compiled_(target.compiled()),
        numbers_(gather<T>(target.claim(), target.inputs(), unit)),
        runner_({compiled_, arithmetic_, numbers_}) {
    arithmetic_.take_count(std::ssize(numbers_.x));
    for (std::size_t k = 0; k < target.tensors().size(); ++k)
      slots_.emplace_back(target.movable(k), target.shared(k));
  }
  ReadUnit(const ReadUnit&) = delete;
  ReadUnit& operator=(const ReadUnit&) = delete;

  Values<T>& dy() { return numbers_.dy; }
  Values<T>& numbers_of(std::size_t tensor) {
    const Movable& movable = slots_[tensor].first;
    return movable.input ? numbers_.x : numbers_.numbers[movable.number];
  }
  /// Sets the derivatives of a tensor's numbers, which are dual.
  void move_along(std::size_t tensor, const Values<double>& v) {
    Values<T>& numbers = numbers_of(tensor);
    for (std::size_t i = 0; i < v.size(); ++i) numbers[i].d = decltype(T::d)(v[i]);
  }

  /// y, element by element.
  const Values<T>& value() { return runner_.forward(); }
  /// y and the side values, by CompiledPipeline::sides.
  Values<T> outputs() {
    Values<T> result = value();
    for (std::size_t k = 0; k < compiled_.sides.size(); ++k)
      result.push_back(runner_.side_value(k));
    return result;
  }

  /// The unit's terms of every gradient, by tensor and place. It is called after value().
  std::vector<Values<T>> adjoint() {
    runner_.backward();
    std::vector<Values<T>> result;
    for (const auto& [movable, shared] : slots_) {
      result.push_back(movable.input ? runner_.input_gradient()
                                     : *runner_.gradient(movable.number));
      if (!shared) continue;
      T sum(0);  // a number that all channels share has a term for each of them
      for (const T& term : result.back()) sum += term;
      result.back() = {sum};
    }
    return result;
  }

  /// After value(): log2 of the width over which the value changes with the numbers before its
  /// first norm, 1/rstd; 0 without a norm, or if rstd is not positive and finite.
  int log2_norm_width() const {
    for (std::size_t k = 0; k < compiled_.sides.size(); ++k)
      if (compiled_.sides[k].side == NormOutput::rstd) {
        const double rstd = real_of(runner_.side_value(k)).template convert_to<double>();
        return std::isfinite(rstd) && rstd > 0 ? -std::ilogb(rstd) : 0;
      }
    return 0;
  }

 private:
  const CompiledPipeline& compiled_;
  std::vector<std::pair<Movable, bool>> slots_;  ///< of the tensors; whether all channels share it
  Arithmetic<T> arithmetic_;
  Unit<T> numbers_;
  PipelineRunner<Arithmetic<T>> runner_;
};

/// The number of entries of the tensor in a unit.
inline std::int64_t places(const PipelineTarget& target, std::size_t tensor) {
  if (target.movable(tensor).input) return target.geometry().unit_size();
  return target.shared(tensor) ? 1 : target.geometry().columns();
}

/// The entry of the tensor at a place of a unit.
inline std::int64_t entry_at(const PipelineTarget& target, std::size_t tensor, std::int64_t unit,
                             std::int64_t place) {
  const Geometry& geometry = target.geometry();
  if (target.movable(tensor).input) return geometry.first(unit) + place * geometry.stride();
  return target.shared(tensor) ? 0 : geometry.first_column(unit) + place;
}

/// Standard normal numbers, one for each entry of a tensor; returns those of a unit, by place.
inline Values<double> random_direction(const PipelineTarget& target, std::size_t tensor,
                                       std::int64_t unit, std::uint64_t seed) {
  const Stream stream(seed, target.tensors()[tensor].name);
  Values<double> result;
  for (std::int64_t i = 0; i < places(target, tensor); ++i)
    result.push_back(stream.normal(static_cast<std::uint64_t>(entry_at(target, tensor, unit, i))));
  return result;
}

/// Returns `wanted` of the indices 0 ... count - 1, ascending, one at random from each of `wanted`
/// equal ranges; all indices if there are no more.
inline std::vector<std::int64_t> spread_over(std::int64_t count, std::int64_t wanted,
                                             const std::string& stream) {
  const Stream random(0, stream);
  const std::int64_t taken = std::min(count, wanted);
  std::vector<std::int64_t> result;
  for (std::int64_t k = 0; k < taken; ++k) {
    const std::int64_t first = count * k / taken;
    const std::int64_t size = count * (k + 1) / taken - first;
    const double fraction = random.uniform(static_cast<std::uint64_t>(k));
    result.push_back(first + static_cast<std::int64_t>(fraction * static_cast<double>(size)));
  }
  return result;
}

}  // namespace gradproof
