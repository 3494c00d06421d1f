// SPDX-License-Identifier: Apache-2.0
#include "oracles/graph/blocks/packed_places.h"

namespace gradproof {

PackedPlaces::PackedPlaces(const PlanValue& value, const PackedBlock& packed)
    : lines_(lines_of(value, packed.block)),
      sliced_(value.sliced),
      outer_(1),
      length_(1),
      packs_(1),
      inner_(static_cast<std::size_t>(value.count)),
      lanes_(1),
      first_(lines_.first),
      outer_stride_(0),
      number_stride_(0) {
  if (!sliced_) return;
  lanes_ = static_cast<std::size_t>(packed.lanes);
  length_ = static_cast<std::size_t>(packed.block.length);
  packs_ = (length_ + lanes_ - 1) / lanes_;
  inner_ = static_cast<std::size_t>(value.inner);
  outer_ = static_cast<std::size_t>(value.outer);
  outer_stride_ = packed.block.whole * value.inner;
  number_stride_ = packed.block.strips * value.inner;
}

void PackedPlaces::put_line(std::size_t outer, const double* from, double* packed) const {
  double* to = packed + stored(outer, 0, 0);
  if (inner_ == 1) {
    std::copy(from, from + length_, to);
    return;
  }
  for (std::size_t number = 0; number < length_; number += lanes_, from += lanes_ * inner_) {
    const std::size_t used = std::min(lanes_, length_ - number);
    for (std::size_t inner = 0; inner < inner_; ++inner, to += lanes_)
      for (std::size_t lane = 0; lane < used; ++lane) to[lane] = from[lane * inner_ + inner];
  }
}

void PackedPlaces::read(const Tensor& from, std::vector<double>& into) const {
  // Numbers that are read before they are put to their places: they stay in the first cache.
  constexpr std::int64_t kAtOnce = 1024;
  into.resize(stored_count());
  if (!sliced_ || lanes_ == 1)
    return from.read_lines(lines_.first, lines_.stride, lines_.counts, into.data());
  const auto length = static_cast<std::int64_t>(length_ * inner_);  // elements of one `outer`
  if (length == 0) return;
  const std::int64_t of_outer = length / lines_.counts.of_line;  // lines
  const std::int64_t most = std::max<std::int64_t>(1, kAtOnce / length);
  const auto outer_count = static_cast<std::int64_t>(outer_);
  std::vector<double> read(static_cast<std::size_t>(most * length));
  for (std::int64_t outer = 0; outer < outer_count; outer += most) {
    const std::int64_t count = std::min(most, outer_count - outer);
    from.read_lines(lines_.first + outer * of_outer * lines_.stride, lines_.stride,
                    {count * of_outer, lines_.counts.of_line}, read.data());
    for (std::int64_t k = 0; k < count; ++k)
      put_line(static_cast<std::size_t>(outer + k), read.data() + k * length, into.data());
  }
  each_idle([&](std::size_t same, std::size_t idle) { into[idle] = into[same]; });
}

}  // namespace gradproof
