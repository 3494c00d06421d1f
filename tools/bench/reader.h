// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "oracles/arithmetic/lanes.h"
#include "oracles/pipeline/run.h"
#include "oracles/truth/fast_tier.h"

namespace gradproof {

/// Reads a claim's text on one unit after the other in one arithmetic, and does nothing else.
class UnitReader {
 public:
  virtual ~UnitReader() = default;
  virtual void take_numbers(const Unit<double>& numbers) = 0;
  /// Something that depends on the result.
  virtual double read(const UnitNumbers& unit) = 0;
};

/// The two halves of the fast tier, each alone, in every compilation of it.
struct ReaderPair {
  std::unique_ptr<UnitReader> truth;
  std::unique_ptr<UnitReader> bound;
};

/// Each compilation of readers.cpp defines that of its instruction set.
template <InstructionSet set>
ReaderPair readers_of(const Claim& claim, const CompiledPipeline& compiled);

inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// V numbers at a time: double, or Pack.
template <class A, class V>
class TextReader final : public UnitReader {
 public:
  using T = typename A::Scalar;

  TextReader(const CompiledPipeline& compiled, const A& arithmetic)
      : compiled_(compiled), arithmetic_(arithmetic), text_({compiled_, arithmetic_, unit_}) {
    unit_.numbers.resize(compiled.numbers.size());
  }

  void take_numbers(const Unit<double>& from) override {
    unit_.batches = from.batches;
    for (std::size_t slot = 0; slot < from.numbers.size(); ++slot)
      load_into(unit_.numbers[slot], from.numbers[slot].data(), from.numbers[slot].size());
  }

  double read(const UnitNumbers& unit) override {
    const auto count = static_cast<std::size_t>(unit.count);
    arithmetic_.take_count(unit.count);
    load_into(unit_.x, unit.x.numbers, count);
    load_into(unit_.dy, unit.dy.numbers, count);
    const std::optional<Statistics<T>> own;
    run_pipeline(compiled_, text_, unit_, own, [] {});
    return seen(text_.value().back()) + seen(text_.input_gradient().back());
  }

 private:
  static constexpr std::size_t kWidth = kLanesOf<V>;

  /// Some byte of it: enough that none of it can be left out.
  static double seen(const T& v) { return *reinterpret_cast<const unsigned char*>(&v); }

  static void load_into(Values<T>& into, const double* from, std::size_t count) {
    into.resize((count + kWidth - 1) / kWidth);
    for (std::size_t i = 0; i < into.size(); ++i)
      into[i] = T(load<V>(from + i * kWidth, static_cast<std::int64_t>(count - i * kWidth)));
  }

  const CompiledPipeline& compiled_;
  A arithmetic_;
  Unit<T> unit_;
  PipelineRunner<A> text_;
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT

}  // namespace gradproof
