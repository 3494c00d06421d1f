// SPDX-License-Identifier: Apache-2.0
#include "kernels/harness/guarded_tensor.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>
#include <string>

#include "simt/memory/named_memory.h"

namespace gradproof {
namespace {

/// The elements of a matrix that lie side by side in its memory.
struct Run {
  std::int64_t position;  ///< of the first, in the allocation
  std::int64_t first;     ///< its row-major index
  std::int64_t step;      ///< from one index to the next
  std::int64_t count;
};

/// The rows or columns of a matrix, whichever lie side by side.
std::vector<Run> runs_of(const Layout& layout) {
  const std::int64_t rows = layout.shape.at(0);
  const std::int64_t cols = layout.shape.at(1);
  const bool by_row = layout.strides[1] == 1;
  std::vector<Run> runs;
  for (std::int64_t i = 0; i < (by_row ? rows : cols); ++i)
    runs.push_back(by_row ? Run{layout.offset + i * layout.strides[0], i * cols, 1, cols}
                          : Run{layout.offset + i * layout.strides[1], i, cols, rows});
  return runs;
}

/// The run's elements of a dense tensor; poison if there is no tensor.
std::vector<std::byte> gather(const Run& run, const Tensor* from, std::size_t size,
                              std::byte poison) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(run.count) * size, poison);
  for (std::int64_t i = 0; from != nullptr && i < run.count; ++i)
    std::memcpy(bytes.data() + static_cast<std::size_t>(i) * size,
                from->first() + static_cast<std::size_t>(run.first + i * run.step) * size, size);
  return bytes;
}

void scatter(const Run& run, const std::vector<std::byte>& bytes, Tensor& to, std::size_t size) {
  for (std::int64_t i = 0; i < run.count; ++i)
    std::memcpy(to.bytes().data() + static_cast<std::size_t>(run.first + i * run.step) * size,
                bytes.data() + static_cast<std::size_t>(i) * size, size);
}

/// Returns false if a byte between the elements was written: it belongs to somebody else.
bool padding_is_untouched(const Tensor& after, std::byte poison) {
  const std::size_t size = size_of(after.dtype());
  const std::size_t all = after.bytes().size() / size;
  if (all == static_cast<std::size_t>(after.numel())) return true;
  std::vector<bool> is_element(all);
  for (std::int64_t i = 0; i < after.numel(); ++i)
    is_element[static_cast<std::size_t>(after.position(i))] = true;
  for (std::size_t at = 0; at < all; ++at)
    for (std::size_t b = at * size; !is_element[at] && b < (at + 1) * size; ++b)
      if (after.bytes()[b] != poison) return false;
  return true;
}

std::string brackets(const std::vector<std::int64_t>& numbers) {
  std::string text;
  for (const std::int64_t number : numbers)
    text += (text.empty() ? "[" : ",") + std::to_string(number);
  return text.empty() ? text : text + "]";
}

/// The quotient a / b rounded down, also below 0.
std::int64_t floored(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

/// The index of the element at a position of the allocation, or the index that the strides would
/// give to a position without an element: the largest stride decides first.
std::vector<std::int64_t> index_at(const Layout& layout, std::int64_t position) {
  std::vector<std::size_t> dimensions(layout.shape.size());
  std::iota(dimensions.begin(), dimensions.end(), std::size_t{0});
  std::stable_sort(dimensions.begin(), dimensions.end(), [&](std::size_t a, std::size_t b) {
    return layout.strides[a] > layout.strides[b];
  });
  std::vector<std::int64_t> index(layout.shape.size());
  std::int64_t rest = position - layout.offset;
  for (const std::size_t d : dimensions) {
    const std::int64_t stride = std::max<std::int64_t>(layout.strides[d], 1);
    index[d] = floored(rest, stride);
    rest -= index[d] * stride;
  }
  return index;
}

simt::ElementNames names_of(const TensorSpec& spec, const std::string& of) {
  const auto size = static_cast<std::int64_t>(size_of(spec.dtype));
  return {spec.name + brackets(spec.layout.shape) + of, [spec, of, size](std::int64_t byte) {
            return spec.name + brackets(index_at(spec.layout, floored(byte, size))) + of;
          }};
}

constexpr std::size_t kChunk = std::size_t{1} << 20;

/// Continues a checksum. Every step is invertible, so one changed word always changes the
/// checksum. Every step moves the bits, so two words with the same change do not cancel each
/// other. A chunk has four interleaved sums, because a processor rotates and multiplies four at a
/// time.
std::uint64_t checksum_of_chunk(const std::byte* bytes, std::size_t size, std::uint64_t sum) {
  constexpr std::uint64_t kPrime = 0x9E3779B97F4A7C15u;  // 2^64 / golden ratio
  constexpr int kTurn = 29;
  constexpr std::size_t kSums = 4;
  const auto with = [](std::uint64_t s, std::uint64_t w) {
    return std::rotl(s ^ w, kTurn) * kPrime;
  };
  std::uint64_t sums[kSums] = {sum, 1, 2, 3};
  std::uint64_t words[kSums];
  std::size_t at = 0;
  for (; at + sizeof words <= size; at += sizeof words) {
    std::memcpy(words, bytes + at, sizeof words);
    for (std::size_t k = 0; k < kSums; ++k) sums[k] = with(sums[k], words[k]);
  }
  std::fill_n(words, kSums, 0);
  std::memcpy(words, bytes + at, size - at);
  for (std::size_t k = 0; k < kSums; ++k) sum = with(with(sum, sums[k]), words[k]);
  return sum;
}

/// The checksum is the same if the bytes come at once or in chunks of kChunk bytes.
std::uint64_t checksum_of(const std::byte* bytes, std::size_t size, std::uint64_t sum) {
  for (std::size_t at = 0; at < size; at += kChunk)
    sum = checksum_of_chunk(bytes + at, std::min(kChunk, size - at), sum);
  return sum;
}

}  // namespace

void fill_with(simt::Memory& memory, std::byte poison) {
  if (poison == kPoison) return;  // as it is made
  const std::vector<std::byte> chunk(std::min(kChunk, memory.size()), poison);
  for (std::size_t at = 0; at < memory.size(); at += kChunk)
    memory.upload(chunk.data(), std::min(kChunk, memory.size() - at), at);
}

std::vector<simt::Finding> damage_of(const simt::Memory& memory,
                                     const std::vector<simt::Finding>& known) {
  const std::string damage = memory.guard_damage();
  if (damage.empty()) return {};
  for (const simt::Finding& finding : known)
    if (finding.text.find(damage) != std::string::npos) return {};
  return {{"guard-band", damage}};
}

GuardedTensor::GuardedTensor(const TensorSpec& spec, simt::Backend backend, std::byte poison,
                             const std::string& of)
    : spec_(spec), poison_(poison) {
  const bool sparse = spec.layout.is_sparse();
  memory_.emplace(backend, bytes_at(spec.layout.capacity), spec.name + of,
                  sparse ? simt::Room::sparse : simt::Room::dense);
  simt::name_elements(memory_->data(), names_of(spec, of));
  if (!sparse) fill_with(*memory_, poison);
  if (!sparse) return;
  for (const Run& run : runs_of(spec.layout)) {
    const std::vector<std::byte> bytes = gather(run, nullptr, size_of(spec.dtype), poison);
    memory_->upload(bytes.data(), bytes.size(), bytes_at(run.position));
  }
}

std::size_t GuardedTensor::bytes_at(std::int64_t position) const {
  return static_cast<std::size_t>(position) * size_of(spec_.dtype);
}

bool GuardedTensor::is_written() const {
  return spec_.role == Role::buffer || spec_.role == Role::output || spec_.role == Role::gradient;
}

View GuardedTensor::view() {
  auto* const first = static_cast<std::byte*>(memory_->data()) + bytes_at(spec_.layout.offset);
  return {first, spec_.dtype, spec_.layout.shape, spec_.layout.strides};
}

Tensor GuardedTensor::download() const {
  const Layout& layout = spec_.layout;
  if (!layout.is_sparse()) {
    Tensor tensor(spec_.dtype, layout);
    memory_->download(tensor.bytes().data(), tensor.bytes().size());
    return tensor;
  }
  Tensor tensor(spec_.dtype, layout.shape);
  const std::size_t size = size_of(spec_.dtype);
  for (const Run& run : runs_of(layout)) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(run.count) * size);
    memory_->download(bytes.data(), bytes.size(), bytes_at(run.position));
    scatter(run, bytes, tensor, size);
  }
  return tensor;
}

void GuardedTensor::put(const Tensor& numbers) {
  const std::vector<std::byte>& all = numbers.bytes();
  put_ = checksum_of(all.data(), all.size(), 0);
  if (!spec_.layout.is_sparse()) return memory_->upload(all.data(), all.size());
  for (const Run& run : runs_of(spec_.layout)) {
    const std::vector<std::byte> bytes = gather(run, &numbers, size_of(spec_.dtype), poison_);
    memory_->upload(bytes.data(), bytes.size(), bytes_at(run.position));
  }
}

std::uint64_t GuardedTensor::checksum() const {
  if (spec_.layout.is_sparse()) {
    const Tensor tensor = download();
    return checksum_of(tensor.bytes().data(), tensor.bytes().size(), 0);
  }
  std::vector<std::byte> chunk(std::min(kChunk, memory_->size()));
  std::uint64_t sum = 0;
  std::size_t at = 0;
  do {
    const std::size_t size = std::min(kChunk, memory_->size() - at);
    memory_->download(chunk.data(), size, at);
    sum = checksum_of(chunk.data(), size, sum);
    at += size;
  } while (at < memory_->size());
  return sum;
}

std::vector<simt::Finding> GuardedTensor::changed() const {
  if (is_written() || !put_ || checksum() == *put_) return {};
  return {{"input-changed", spec_.name + " is only read, but its bytes changed"}};
}

GuardedTensor::Left GuardedTensor::leave(const std::vector<simt::Finding>& known) {
  Left left{{}, damage_of(*memory_, known)};
  const std::string& name = spec_.name;
  if (is_written()) {
    left.tensor = download();
    if (!spec_.layout.is_sparse() && !padding_is_untouched(left.tensor, poison_))
      left.findings.push_back({"padding-written", name + ": written between its rows"});
  }
  for (simt::Finding& finding : changed()) left.findings.push_back(std::move(finding));
  memory_.reset();
  return left;
}

}  // namespace gradproof
