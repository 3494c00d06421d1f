// SPDX-License-Identifier: Apache-2.0
#include "simt/executor/grid.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "simt/executor/random.h"

namespace simt::executor {

Grid::Grid(const Request& request, const Options& options, std::uint64_t launch_number)
    : request_(request),
      options_(options),
      blocks_(std::uint64_t{request.grid.x} * request.grid.y * request.grid.z),
      launch_number_(launch_number),
      seed_(Random(options.seed + launch_number).next()) {
  if (options.order != Order::random || blocks_ < 2) return;
  Random random(seed_);
  first_ = random.next() % blocks_;
  // Any coprime stride visits every block once, and needs no list of the blocks, which may be 2^31
  // in number.
  do {
    stride_ = 1 + random.next() % (blocks_ - 1);
  } while (std::gcd(stride_, blocks_) != 1);
}

std::uint64_t Grid::threads_per_block() const {
  return std::uint64_t{request_.block.x} * request_.block.y * request_.block.z;
}

std::optional<std::uint64_t> Grid::take_block() {
  if (stopped_.load(std::memory_order_relaxed)) return std::nullopt;
  const std::uint64_t taken = taken_.fetch_add(1, std::memory_order_relaxed);
  if (taken >= blocks_) return std::nullopt;
  switch (options_.order) {
    case Order::forward:
      return taken;
    case Order::reverse:
      return blocks_ - 1 - taken;
    case Order::random:
      break;
  }
  __extension__ using Wide = unsigned __int128;
  return static_cast<std::uint64_t>((Wide{first_} + Wide{stride_} * taken) % blocks_);
}

uint3 Grid::coordinates(std::uint64_t block) const {
  const dim3 grid = request_.grid;
  return {static_cast<unsigned>(block % grid.x), static_cast<unsigned>(block / grid.x % grid.y),
          static_cast<unsigned>(block / grid.x / grid.y)};
}

std::uint64_t Grid::seed(std::uint64_t block) const { return Random(seed_ ^ block).next(); }

void Grid::note_chain(std::int32_t longest) {
  const std::lock_guard lock(mutex_);
  longest_chain_ = std::max(longest_chain_, longest);
}

void Grid::note_exception(std::exception_ptr thrown) {
  const std::lock_guard lock(mutex_);
  if (!thrown_) thrown_ = std::move(thrown);
}

}  // namespace simt::executor
