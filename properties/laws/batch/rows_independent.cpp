// SPDX-License-Identifier: Apache-2.0
#include "properties/laws/laws.h"
#include "properties/laws/silences.h"
#include "properties/laws/trial.h"

namespace gradproof {
namespace {

/// The same memory, the same schedule: what a row gives is the same bit for bit, whatever numbers
/// its neighbours have.
void holds(Trial& t) {
  const std::int64_t row =
      static_cast<std::int64_t>(t.seed() % static_cast<std::uint64_t>(t.claim().rows));
  const auto elsewhere = [&](double number, std::int64_t i) {
    return i / t.claim().cols == row ? number : 1 - number / 2;
  };
  Tensors inputs = changed(t.inputs(), "x", elsewhere);
  if (inputs.contains("dy")) inputs = changed(std::move(inputs), "dy", elsewhere);
  const LawRun other = t.run(inputs);
  for (const TensorSpec& spec : other.results()) {
    if (!has_axis(t.claim(), spec, Axis::rows)) continue;
    const Tensor& want = t.run().left(spec.name);
    const std::int64_t width = want.numel() / t.claim().rows;
    Tensor here(spec.dtype, {width}), there(spec.dtype, {width});
    for (std::int64_t i = 0; i < width; ++i) {
      here.set(i, want.at(row * width + i));
      there.set(i, other.left(spec.name).at(row * width + i));
    }
    t.expect_bits(spec.name + " of a row beside others", there, here);
  }
}

}  // namespace

Law rows_independent() {
  return {"rows_independent", "what a row gives does not depend on the numbers of other rows",
          silences::any_of<silences::rows_tied, silences::fewer_rows_than<2>,
                           silences::shared_elements>,
          holds};
}

}  // namespace gradproof
