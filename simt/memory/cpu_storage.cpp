// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "simt/memory/buffer.h"
#include "simt/memory/guard_check.h"
#include "simt/memory/guarded_pages.h"
#include "simt/memory/living_memory.h"
#include "simt/memory/named_memory.h"
#include "simt/memory/storage.h"

namespace simt {
namespace {

class CpuStorage;

/// All living CPU memory, so that a launch can check whether its kernel has overwritten any.
struct Living {
  std::mutex mutex;
  std::vector<CpuStorage*> storages;
  /// The object is never destroyed, since the memory noted here may live as long as the process.
  static Living& instance() {
    static Living& living = *new Living;
    return living;
  }
};

/// The layout is [forbidden][band ... data, slack to 256][forbidden].
class CpuStorage final : public Storage {
 public:
  CpuStorage(std::size_t bytes, std::string name)
      : name_(std::move(name)), bytes_(bytes), pages_(kGuardBytes + rounded(bytes)) {
    data_ = pages_.end() - rounded(bytes);
    named_.emplace(pages_, data_, bytes, name_);
    std::memset(data_, 0xFF, bytes);
    before_ = GuardBand(data_ - kGuardBytes, data_);
    after_ = GuardBand(data_ + bytes, pages_.end());
    const std::lock_guard lock(Living::instance().mutex);
    Living::instance().storages.push_back(this);
  }
  ~CpuStorage() override {
    before_.lift();
    after_.lift();
    Living& living = Living::instance();
    const std::lock_guard lock(living.mutex);
    std::erase(living.storages, this);
  }

  void* data() override { return data_; }
  std::span<const std::byte> bytes() const { return {data_, bytes_}; }
  void upload(const void* from, std::size_t bytes, std::size_t offset) override {
    std::memcpy(data_ + offset, from, bytes);
  }
  void download(void* to, std::size_t bytes, std::size_t offset) const override {
    std::memcpy(to, data_ + offset, bytes);
  }
  std::string guard_damage() const override {
    return describe_damage(before_.intact(), after_.intact_bytes(), after_.size());
  }
  /// The damage, if it has not been reported yet.
  std::string new_damage() {
    std::string damage = guard_damage();
    if (damage.empty() || std::exchange(reported_, true)) return {};
    return name_ + ": " + damage;
  }

 private:
  static std::size_t rounded(std::size_t bytes) {
    return (bytes + Memory::kAlignment - 1) / Memory::kAlignment * Memory::kAlignment;
  }

  std::string name_;
  std::size_t bytes_;
  GuardedPages pages_;
  std::optional<NamedMemory> named_;
  std::byte* data_ = nullptr;
  GuardBand before_;
  GuardBand after_;
  bool reported_ = false;
};

}  // namespace

std::unique_ptr<Storage> make_cpu_storage(std::size_t bytes, std::string name) {
  return std::make_unique<CpuStorage>(bytes, std::move(name));
}

std::vector<std::span<const std::byte>> living_memory() {
  Living& living = Living::instance();
  const std::lock_guard lock(living.mutex);
  std::vector<std::span<const std::byte>> all;
  for (const CpuStorage* storage : living.storages) all.push_back(storage->bytes());
  return all;
}

std::vector<Finding> check_guard_bands() {
  Living& living = Living::instance();
  const std::lock_guard lock(living.mutex);
  std::vector<Finding> findings;
  for (CpuStorage* storage : living.storages) {
    std::string damage = storage->new_damage();
    if (!damage.empty()) findings.push_back({"guard-band", std::move(damage)});
  }
  return findings;
}

}  // namespace simt
