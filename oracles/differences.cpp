// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences.h"

#include <cmath>
#include <numeric>

#include "oracles/arithmetic/plain.h"
#include "oracles/gather.h"
#include "oracles/parallel.h"
#include "oracles/text.h"

namespace gradproof {
namespace {

const Plain<Real> kPlain;

using RealText = Text<Plain<Real>>;

std::size_t at_index(std::int64_t i) { return static_cast<std::size_t>(i); }

}  // namespace

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  RealGradients gradients;
  RealGradients parts;  // of parameters, one for each column
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::gradient) continue;
    gradients.emplace(spec.name, Values<Real>(at_index(numel(spec.layout.shape))));
    parts.emplace(spec.name, Values<Real>(at_index(claim.cols)));
  }
  for_each_index(claim.cols, [&](std::int64_t column) {
    const auto unit = gather<Real>(claim, inputs, column);
    RealText text({claim, kPlain, unit});
    text.forward();
    const Adjoint<Real> adjoint = text.backward();
    for (auto& [name, part] : parts) {
      const auto found = adjoint.parameters.find(name.substr(2));
      if (found != adjoint.parameters.end()) {
        part[at_index(column)] = found->second;
        continue;
      }
      for (std::size_t row = 0; row < adjoint.input.size(); ++row)
        gradients.at(name)[row * at_index(claim.cols) + at_index(column)] = adjoint.input[row];
    }
  });
  for (auto& [name, gradient] : gradients) {
    if (claim.tensor(name.substr(2)).role == Role::input) continue;
    const Values<Real>& part = parts.at(name);
    if (gradient.size() == part.size())
      gradient = part;
    else
      gradient = {std::accumulate(part.begin(), part.end(), Real(0))};
  }
  return gradients;
}

bool Differences::is_shared() const {
  return parameter_.role != Role::input && entries() == 1 && claim_.cols > 1;
}

std::int64_t Differences::column_of(std::int64_t entry) const {
  return parameter_.role == Role::input ? entry % claim_.cols : entry;
}

Real Differences::loss(const Unit<Real>& unit) const {
  RealText text({claim_, kPlain, unit});
  const Values<Real> y = text.forward();
  Real total(0);
  for (std::size_t row = 0; row < y.size(); ++row) total += unit.dy[row] * y[row];
  return total;
}

Real Differences::difference(Unit<Real>& unit, std::int64_t row, int log2_step) const {
  Real& knob =
      parameter_.role == Role::input ? unit.x[at_index(row)] : unit.numbers.at(parameter_.name);
  const Real start = knob;
  const Real step = ldexp(Real(1), log2_step);
  const auto moved = [&](int steps) {
    knob = start + step * steps;
    return loss(unit);
  };
  const Real near = moved(1) - moved(-1);
  const Real far = moved(2) - moved(-2);
  knob = start;
  return (8 * near - far) / (12 * step);
}

Values<Real> Differences::at(const std::vector<std::int64_t>& entries, int log2_step) const {
  const auto count = static_cast<std::int64_t>(entries.size());
  if (is_shared() && count > 0) {
    Values<Real> parts(at_index(claim_.cols));
    for_each_index(claim_.cols, [&](std::int64_t column) {
      auto unit = gather<Real>(claim_, inputs_, column);
      parts[at_index(column)] = difference(unit, 0, log2_step);
    });
    return {std::accumulate(parts.begin(), parts.end(), Real(0))};
  }
  Values<Real> result(entries.size());
  for_each_index(count, [&](std::int64_t k) {
    auto unit = gather<Real>(claim_, inputs_, column_of(entries[at_index(k)]));
    result[at_index(k)] = difference(unit, entries[at_index(k)] / claim_.cols, log2_step);
  });
  return result;
}

Values<Real> Differences::all(int log2_step) const {
  if (parameter_.role != Role::input) {
    std::vector<std::int64_t> entries(at_index(this->entries()));
    std::iota(entries.begin(), entries.end(), 0);
    return at(entries, log2_step);
  }
  Values<Real> result(at_index(entries()));
  for_each_index(claim_.cols, [&](std::int64_t column) {
    auto unit = gather<Real>(claim_, inputs_, column);
    for (std::int64_t row = 0; row < claim_.rows; ++row)
      result[at_index(row * claim_.cols + column)] = difference(unit, row, log2_step);
  });
  return result;
}

int Differences::log2_scale(const std::vector<std::int64_t>& entries) const {
  if (parameter_.role != Role::input) return 0;
  int least = 0;
  bool found = false;
  for (const std::int64_t entry : entries) {
    const auto unit = gather<Real>(claim_, inputs_, column_of(entry));
    RealText text({claim_, kPlain, unit});
    text.forward();
    const Named<Real> side = text.side_values();
    const auto rstd = side.find("rstd");
    if (rstd == side.end() || !isfinite(rstd->second)) continue;
    const int scale = -std::ilogb(rstd->second.convert_to<double>());
    least = found ? std::min(least, scale) : scale;
    found = true;
  }
  return least;
}

}  // namespace gradproof
