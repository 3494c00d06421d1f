// SPDX-License-Identifier: Apache-2.0
#include "oracles/explain/site.h"

#include <algorithm>

#include <fmt/format.h>

namespace gradproof {
namespace {

/// The site of a gradient that is summed over units: those of all rows of its group, or all units.
Site summed_site(const Claim& claim, Site site, std::int64_t column, std::int64_t most) {
  const Geometry geometry(claim);
  site.summed = true;
  site.all_units = site.shared ? geometry.units() : claim.rows();
  const std::int64_t count = std::min(most, site.all_units);
  for (std::int64_t k = 0; k < count; ++k) {
    const std::int64_t at = k * site.all_units / count;
    site.units.push_back(site.shared ? at : geometry.unit(column / claim.block_width(), at));
  }
  return site;
}

}  // namespace

Site site_of(const Claim& claim, const TensorSpec& spec, std::int64_t index, std::int64_t most) {
  const Geometry geometry(claim);
  if (claim.is_matrix(spec)) {
    const auto part = spec.name == "y" ? Site::Part::y : Site::Part::input_gradient;
    return {part, "", false, false, geometry.place_of(index), {geometry.unit_of(index)}, 1};
  }
  if (spec.role != Role::gradient)
    return {Site::Part::side_value, spec.name, false, false, 0, {index}, 1};
  Site site{Site::Part::parameter_gradient, spec.name.substr(2), false, false, 0, {}, 1};
  site.shared = numel(spec.layout.shape) == 1 && claim.cols() > 1;
  if (geometry.is_grouped()) site.place = index % claim.block_width();
  if (site.shared || geometry.is_grouped()) return summed_site(claim, std::move(site), index, most);
  site.units = {index};
  return site;
}

std::string unit_text(const Claim& claim, std::int64_t unit) {
  const Geometry geometry(claim);
  if (!geometry.is_grouped()) return fmt::format("column {}, {} rows", unit, claim.rows());
  const std::int64_t first = geometry.first_column(unit);
  return fmt::format("row {}, group {}: columns {} to {}", unit / claim.groups(),
                     geometry.block_of(unit), first, first + geometry.columns() - 1);
}

Claim claim_for(const Claim& claim, const Site& site) {
  Claim result = claim;
  const bool gradient =
      site.part == Site::Part::input_gradient || site.part == Site::Part::parameter_gradient;
  result.forward = !gradient;
  result.backward = gradient;
  return result;
}

}  // namespace gradproof
