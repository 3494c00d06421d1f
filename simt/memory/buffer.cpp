// SPDX-License-Identifier: Apache-2.0
#include "simt/memory/buffer.h"

#include <algorithm>
#include <utility>

#include "simt/memory/storage.h"

namespace simt {

namespace {

std::unique_ptr<Storage> make_storage(Backend backend, std::size_t bytes, const std::string& name,
                                      Room room) {
  if (backend == Backend::cuda) return make_cuda_storage(bytes, name, room);
  return room == Room::sparse ? make_sparse_storage(bytes, name) : make_cpu_storage(bytes, name);
}

}  // namespace

Memory::Memory(Backend backend, std::size_t bytes, std::string name, Room room)
    : backend_(backend),
      bytes_(bytes),
      name_(std::move(name)),
      storage_(make_storage(backend, bytes, name_, room)) {}

Memory::~Memory() = default;
Memory::Memory(Memory&&) noexcept = default;
Memory& Memory::operator=(Memory&&) noexcept = default;

void* Memory::data() { return storage_->data(); }
const void* Memory::data() const { return storage_->data(); }

void Memory::check_range(std::size_t bytes, std::size_t offset) const {
  if (offset <= bytes_ && bytes <= bytes_ - offset) return;
  throw std::out_of_range(name_ + ": " + std::to_string(bytes) + " bytes at " +
                          std::to_string(offset) + " of " + std::to_string(bytes_));
}

void Memory::upload(const void* from, std::size_t bytes, std::size_t offset) {
  check_range(bytes, offset);
  if (bytes != 0) storage_->upload(from, bytes, offset);
}

void Memory::download(void* to, std::size_t bytes, std::size_t offset) const {
  check_range(bytes, offset);
  if (bytes != 0) storage_->download(to, bytes, offset);
}

std::string Memory::guard_damage() const {
  const std::string damage = storage_->guard_damage();
  return damage.empty() ? damage : name_ + ": " + damage;
}

std::string too_large(const std::string& name, std::size_t bytes, const std::string& where) {
  constexpr double kGiB = 1024.0 * 1024 * 1024;
  std::string number = std::to_string(static_cast<double>(bytes) / kGiB);
  return name + " needs " + number.substr(0, number.find('.') + 2) + " GiB " + where;
}

std::vector<Gap> gaps_between(std::vector<Gap> pieces, std::size_t bytes) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Gap& a, const Gap& b) { return a.begin < b.begin; });
  std::vector<Gap> gaps;
  std::size_t end = 0;
  for (const Gap& piece : pieces) {
    if (piece.begin > end) gaps.push_back({end, piece.begin});
    end = std::max(end, piece.end);
  }
  if (end < bytes) gaps.push_back({end, bytes});
  return gaps;
}

std::string describe_gap_damage(std::int64_t byte) {
  return "written at byte " + std::to_string(byte) + ", between its elements";
}

std::string describe_damage(bool before_intact, std::size_t intact_after, std::size_t after_bytes) {
  std::string text;
  if (!before_intact) text = "written before its start";
  if (intact_after == after_bytes) return text;
  if (!text.empty()) text += " and ";
  return text + "written past its end, at byte " + std::to_string(intact_after) + " beyond it";
}

}  // namespace simt
