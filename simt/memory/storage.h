// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <driver_types.h>

#include "simt/memory/buffer.h"

namespace simt {

/// What Memory asks of a back-end: poisoned bytes between guard bands.
class Storage {
 public:
  static constexpr std::size_t kGuardBytes = 256;  ///< the least on either side

  virtual ~Storage() = default;
  virtual void* data() = 0;
  virtual void upload(const void* from, std::size_t bytes, std::size_t offset) = 0;
  virtual void download(void* to, std::size_t bytes, std::size_t offset) const = 0;
  /// "written before its start", "written past its end, at byte 3 beyond it", or "".
  virtual std::string guard_damage() const = 0;
};

/// `name` is how findings of the executor call it.
std::unique_ptr<Storage> make_cpu_storage(std::size_t bytes, std::string name);
/// Room::sparse on the CPU. Throws NoRoom where the address space is too small.
std::unique_ptr<Storage> make_sparse_storage(std::size_t bytes, const std::string& name);
/// Throws NoDevice and NoRoom.
std::unique_ptr<Storage> make_cuda_storage(std::size_t bytes, const std::string& name, Room room);

/// A stream that does not wait for the default one. Throws NoDevice.
cudaStream_t make_cuda_stream();
void wait_for_cuda_stream(cudaStream_t stream);
void end_cuda_stream(cudaStream_t stream) noexcept;

/// A stretch of bytes, [begin, end).
struct Gap {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// What the pieces, which may overlap, leave of `bytes` bytes.
std::vector<Gap> gaps_between(std::vector<Gap> pieces, std::size_t bytes);

/// "x needs 64.0 GiB on the device"
std::string too_large(const std::string& name, std::size_t bytes, const std::string& where);

/// "written at byte 24, between its elements": of sparse memory on either back-end. Bytes count
/// from its first one.
std::string describe_gap_damage(std::int64_t byte);

/// The words of guard_damage, given how many bytes of each band are untouched, counted away from
/// the memory.
std::string describe_damage(bool before_intact, std::size_t intact_after, std::size_t after_bytes);

}  // namespace simt
