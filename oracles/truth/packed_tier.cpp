// SPDX-License-Identifier: Apache-2.0
#include "oracles/arithmetic/certified.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/bounds/bounding.h"
#include "oracles/pipeline/run.h"
#include "oracles/truth/fast_tier.h"
#include "oracles/truth/packed_sums.h"

namespace gradproof {
inline namespace GRADPROOF_ARITHMETIC_UNIT {

/// The fast tier, compiled once for each instruction set. Two compilations may share no code: a
/// template of the standard library is used only with a type of this namespace, or is inlined.
/// tests/oracles/compilations_test.py checks it.
template <class F, class V>
class PackedTier final : public FastTier {
 public:
  using Exact = CertifiedOf<V>;
  using Error = ErrorScalar<F, V>;

  explicit PackedTier(const TierSetting& setting)
      : FastTier(setting),
        bounding_(setting.claim),
        truth_({setting.compiled, plain_, truth_unit_}),
        bound_({setting.compiled, bounding_, bound_unit_}),
        views_(new View[setting.outputs.size()]) {
    truth_unit_.numbers.resize(setting.compiled.numbers.size());
    bound_unit_.numbers.resize(setting.compiled.numbers.size());
  }

  void take_numbers(const Unit<double>& from) override {
    truth_unit_.batches = bound_unit_.batches = from.batches;
    for (std::size_t slot = 0; slot < from.numbers.size(); ++slot) {
      const Values<double>& numbers = from.numbers[slot];
      const auto count = static_cast<std::int64_t>(numbers.size());
      load_into(truth_unit_.numbers[slot], bound_unit_.numbers[slot], {numbers.data(), {}, {}},
                count);
    }
  }

  bool judge(const UnitNumbers& unit) override {
    unit_ = unit;
    plain_.take_count(unit.count);
    bounding_.take_count(unit.count);
    load_into(truth_unit_.x, bound_unit_.x, unit.x, unit.count);
    load_into(truth_unit_.dy, bound_unit_.dy, unit.dy, setting_.compiled.backward ? unit.count : 0);
    decided_ = true;
    const auto nothing = [] {};
    std::optional<Statistics<Exact>> given;
    if (unit.given) given = {Exact(unit.given->mean), Exact(V(0)), Exact(unit.given->rstd)};
    run_pipeline(setting_.compiled, truth_, truth_unit_, given, nothing);
    std::optional<Statistics<Error>> given_too;
    if (unit.given) given_too = {Error(unit.given->mean), Error(V(0)), Error(unit.given->rstd)};
    run_pipeline(setting_.compiled, bound_, bound_unit_, given_too, nothing);
    for (std::size_t s = 0; s < setting_.outputs.size(); ++s) round_output(s);
    return decided_;
  }

  std::size_t count(std::size_t output_index) const override { return views_[output_index].count; }

  void balls(std::size_t output_index, Ball* into) const override {
    const View& view = views_[output_index];
    for (std::size_t i = 0; i < view.count; ++i) {
      const auto v = lane(view.truth[i / kWidth], static_cast<int>(i % kWidth));
      into[i] = {v.hi, v.lo, v.radius};
    }
  }

  void permitted(std::size_t output_index, Permitted* into) const override {
    const View& view = views_[output_index];
    for (std::size_t i = 0; i < view.count; ++i) {
      const auto v = lane(view.bound[i / kWidth], static_cast<int>(i % kWidth));
      into[i] = {v.total(), v.vacuous, v.overflow};
    }
  }

  void add(bool with_truth) override {
    for (std::size_t s = 0; s < setting_.outputs.size(); ++s) {
      View& view = views_[s];
      if (setting_.outputs[s].summed)
        view.sums.add(view.truth, view.bound, packs(view), with_truth);
    }
  }

  bool take_sums(std::size_t output_index, UnitSum* into) override {
    return views_[output_index].sums.take(into, views_[output_index].count);
  }

 private:
  static constexpr std::size_t kWidth = kLanesOf<V>;

  /// Where the elements of an output are in memory, and their sums over units.
  struct View {
    const Exact* truth = nullptr;
    const Error* bound = nullptr;
    std::size_t count = 0;
    PackedSums<F, V> sums;
  };

  static std::size_t packs(const View& view) { return (view.count + kWidth - 1) / kWidth; }

  static void load_into(Values<Exact>& truth, Values<Error>& bound, const UnitNumbers::Matrix& from,
                        std::int64_t count) {
    const std::size_t size = (static_cast<std::size_t>(count) + kWidth - 1) / kWidth;
    truth.resize(size);
    bound.resize(size);
    for (std::size_t i = 0; i < size; ++i) {
      const auto first = static_cast<std::int64_t>(i * kWidth);
      const std::int64_t left = count - first;
      const V v = load<V>(from.numbers + first, left);
      truth[i] = Exact(v);
      bound[i] = Error(v);
      if (from.radius != nullptr) truth[i].radius += load<V>(from.radius + first, left);
      if (from.error != nullptr) bound[i].e = load<V>(from.error + first, left);
    }
  }

  void take_view(std::size_t s) {
    const Output& output = setting_.outputs[s];
    View& view = views_[s];
    view.count = static_cast<std::size_t>(unit_.count);
    switch (output.part) {
      case Output::Part::y:
        view.truth = truth_.value().data();
        view.bound = bound_.value().data();
        return;
      case Output::Part::input_gradient:
        view.truth = truth_.input_gradient().data();
        view.bound = bound_.input_gradient().data();
        return;
      case Output::Part::side_value:
        view.truth = &truth_.side_value(output.slot);
        view.bound = &bound_.side_value(output.slot);
        break;
      case Output::Part::parameter_gradient:
        view.truth = truth_.gradient(output.slot)->data();
        view.bound = bound_.gradient(output.slot)->data();
        if (setting_.compiled.channels) return;
    }
    view.count = 1;
  }

  void round_output(std::size_t s) {
    take_view(s);
    const View& view = views_[s];
    if (setting_.outputs[s].summed) {
      for (std::size_t i = 0; i < packs(view); ++i)
        note(view.truth[i].radius, view.bound[i].total());
      return;
    }
    Truths& truths = truths_[s];
    if (truths.size() != view.count) truths.resize(view.count);
    for (std::size_t i = 0; i < packs(view); ++i)
      round_pack(truths, view, setting_.outputs[s].type, i);
  }

  [[gnu::always_inline]] void round_pack(Truths& truths, const View& view, const StoredType& type,
                                         std::size_t i) {
    const Exact& truth = view.truth[i];
    const Error& bound = view.bound[i];
    const Ruled<V> r = ruled<V>(type, truth.hi, truth.lo, truth.radius, bound.total(),
                                bound.vacuous, bound.overflow);
    const std::size_t first = i * kWidth;
    const auto left = static_cast<std::int64_t>(view.count - first);
    store(truths.hi.data() + first, r.hi, left);
    store(truths.lo.data() + first, r.lo, left);
    store(truths.radius.data() + first, r.radius, left);
    store(truths.bound.data() + first, r.bound, left);
    const int lanes = static_cast<int>(std::min<std::int64_t>(left, kWidth));
    for (int k = 0; k < lanes; ++k)
      truths.any_nonfinite[first + static_cast<std::size_t>(k)] = lane(r.any_nonfinite, k);
    note(r.radius, r.bound);
  }

  void note(const V& radius, const V& bound) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    decided_ = decided_ &&
               all(unit_.exact() ? is_decided<V>(radius, bound) : MaskOf<V>(radius < V(kInfinity)));
  }

  Plain<Exact> plain_;
  Bounding<F, V> bounding_;
  Unit<Exact> truth_unit_;
  Unit<Error> bound_unit_;
  PipelineRunner<Plain<Exact>> truth_;
  PipelineRunner<Bounding<F, V>> bound_;
  UnitNumbers unit_;
  bool decided_ = true;
  std::unique_ptr<View[]> views_;  ///< by output
};

}  // namespace GRADPROOF_ARITHMETIC_UNIT

template <>
std::unique_ptr<FastTier> packed_tier<InstructionSet::GRADPROOF_ARITHMETIC_UNIT>(
    const TierSetting& setting) {
  if (setting.claim.contract.accumulation == DType::f64)
    return std::make_unique<PackedTier<Binary64, Pack>>(setting);
  if (setting.claim.contract.flush_to_zero)
    return std::make_unique<PackedTier<Binary32Flushed, Pack>>(setting);
  return std::make_unique<PackedTier<Binary32, Pack>>(setting);
}

}  // namespace gradproof
