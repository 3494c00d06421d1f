// SPDX-License-Identifier: Apache-2.0
#include "oracles/differences.h"

#include <cmath>
#include <numeric>
#include <set>

#include "core/parallel.h"
#include "oracles/arithmetic/plain.h"
#include "oracles/gather.h"
#include "oracles/text.h"

namespace gradproof {
namespace {

using RealText = Text<Plain<Real>>;

std::size_t at_index(std::int64_t i) { return static_cast<std::size_t>(i); }

Plain<Real> plain_of(const Geometry& geometry) {
  Plain<Real> plain;
  plain.take_count(geometry.unit_size());
  return plain;
}

/// Of the first norm; without one NaN.
Real rstd_of(const Script& script, const RealText& text) {
  for (std::size_t s = 0; s < script.sides.size(); ++s)
    if (script.sides[s].side == Side::rstd) return text.side_value(s);
  return Real(std::nan(""));
}

}  // namespace

RealGradients adjoint_gradients(const Claim& claim, const Tensors& inputs) {
  const Geometry geometry(claim);
  const Script script(claim);
  const Plain<Real> plain = plain_of(geometry);
  RealGradients gradients;
  RealGradients sums;  // of parameters, one for each column
  for (const TensorSpec& spec : claim.tensors) {
    if (spec.role != Role::gradient) continue;
    gradients.emplace(spec.name, Values<Real>(at_index(numel(spec.layout.shape))));
    if (!claim.is_matrix(spec)) sums.emplace(spec.name, Values<Real>(at_index(claim.cols)));
  }
  for_each_index(claim.blocks(), [&](std::int64_t block) {
    for (std::int64_t row = 0; row < geometry.units_in_block(); ++row) {
      const std::int64_t unit = geometry.unit(block, row);
      const auto numbers = gather<Real>(claim, inputs, unit);
      RealText text({script, plain, numbers});
      text.forward();
      const Values<Real>& dx = text.backward();
      for (auto& [name, sum] : sums) {
        const Values<Real>& terms = *text.gradient(script.number(name.substr(2)));
        for (std::size_t i = 0; i < terms.size(); ++i)
          sum[at_index(geometry.first_column(unit)) + i] += terms[i];
      }
      for (auto& [name, gradient] : gradients) {
        if (sums.contains(name)) continue;
        for (std::size_t i = 0; i < dx.size(); ++i)
          gradient[at_index(geometry.first(unit)) + i * at_index(geometry.stride())] = dx[i];
      }
    }
  });
  for (auto& [name, sum] : sums) {
    Values<Real>& gradient = gradients.at(name);
    if (gradient.size() == sum.size())
      gradient = std::move(sum);
    else
      gradient = {std::accumulate(sum.begin(), sum.end(), Real(0))};
  }
  return gradients;
}

std::vector<Differences::Part> Differences::parts_of(std::int64_t entry,
                                                     std::size_t position) const {
  if (parameter_.role == Role::input)
    return {{position, geometry_.unit_of(entry), geometry_.place_of(entry)}};
  std::vector<Part> parts;
  const bool shared = entries() == 1 && claim_.cols > 1;
  const std::int64_t width = claim_.block_width();
  for (std::int64_t block = 0; block < claim_.blocks(); ++block) {
    if (!shared && block != entry / width) continue;
    for (std::int64_t row = 0; row < geometry_.units_in_block(); ++row)
      parts.push_back({position, geometry_.unit(block, row), shared ? 0 : entry % width});
  }
  return parts;
}

Real Differences::difference(Unit<Real>& unit, std::int64_t place, int log2_step) const {
  Values<Real>& numbers =
      parameter_.role == Role::input ? unit.x : unit.numbers[script_.number(parameter_.name)];
  Real& knob = numbers[numbers.size() == 1 ? 0 : at_index(place)];
  const Real start = knob;
  const Real step = ldexp(Real(1), log2_step);
  const Plain<Real> plain = plain_of(geometry_);
  RealText text({script_, plain, unit});
  const auto moved = [&](int steps) {
    knob = start + step * steps;
    const Values<Real>& y = text.forward();
    Real total(0);
    for (std::size_t i = 0; i < y.size(); ++i) total += unit.dy[i] * y[i];
    return total;
  };
  const Real near = moved(1) - moved(-1);
  const Real far = moved(2) - moved(-2);
  knob = start;
  return (8 * near - far) / (12 * step);
}

Values<Real> Differences::at(const std::vector<std::int64_t>& entries, int log2_step) const {
  std::vector<Part> parts;
  for (std::size_t k = 0; k < entries.size(); ++k)
    for (const Part& part : parts_of(entries[k], k)) parts.push_back(part);
  Values<Real> differences(parts.size());
  for_each_index(static_cast<std::int64_t>(parts.size()), [&](std::int64_t k) {
    const Part& part = parts[at_index(k)];
    auto unit = gather<Real>(claim_, inputs_, part.unit);
    differences[at_index(k)] = difference(unit, part.place, log2_step);
  });
  Values<Real> result(entries.size());
  for (std::size_t k = 0; k < parts.size(); ++k) result[parts[k].entry] += differences[k];
  return result;
}

Values<Real> Differences::all(int log2_step) const {
  if (parameter_.role != Role::input) {
    std::vector<std::int64_t> entries(at_index(this->entries()));
    std::iota(entries.begin(), entries.end(), 0);
    return at(entries, log2_step);
  }
  Values<Real> result(at_index(entries()));
  for_each_index(geometry_.units(), [&](std::int64_t k) {
    auto unit = gather<Real>(claim_, inputs_, k);
    for (std::int64_t i = 0; i < geometry_.unit_size(); ++i)
      result[at_index(geometry_.first(k) + i * geometry_.stride())] =
          difference(unit, i, log2_step);
  });
  return result;
}

Real Differences::magnitude(const std::vector<std::int64_t>& entries) const {
  std::set<std::int64_t> felt;
  for (const std::int64_t entry : entries)
    for (const Part& part : parts_of(entry, 0)) felt.insert(part.unit);
  const std::vector<std::int64_t> units(felt.begin(), felt.end());
  Values<Real> parts(units.size());
  for_each_index(static_cast<std::int64_t>(units.size()), [&](std::int64_t k) {
    const auto unit = gather<Real>(claim_, inputs_, units[at_index(k)]);
    const Plain<Real> plain = plain_of(geometry_);
    RealText text({script_, plain, unit});
    const Values<Real>& y = text.forward();
    for (std::size_t i = 0; i < y.size(); ++i) parts[at_index(k)] += abs(unit.dy[i] * y[i]);
  });
  return std::accumulate(parts.begin(), parts.end(), Real(0));
}

int Differences::log2_scale(const std::vector<std::int64_t>& entries) const {
  if (parameter_.role != Role::input) return 0;
  int least = 0;
  bool found = false;
  for (const std::int64_t entry : entries) {
    const auto unit = gather<Real>(claim_, inputs_, geometry_.unit_of(entry));
    const Plain<Real> plain = plain_of(geometry_);
    RealText text({script_, plain, unit});
    text.forward();
    const Real rstd = rstd_of(script_, text);
    if (!isfinite(rstd)) continue;
    const int scale = -std::ilogb(rstd.convert_to<double>());
    least = found ? std::min(least, scale) : scale;
    found = true;
  }
  return least;
}

}  // namespace gradproof
