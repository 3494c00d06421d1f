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

/// The interface of a back-end's memory for Memory: poisoned bytes between guard bands.
class Storage {
 public:
  static constexpr std::size_t kGuardBytes = 256;  ///< the least on either side

  virtual ~Storage() = default;
  virtual void* data() = 0;
  virtual void upload(const void* from, std::size_t bytes, std::size_t offset) = 0;
  virtual void download(void* to, std::size_t bytes, std::size_t offset) const = 0;
  /// The text "written before its start", "written past its end, at byte 3 beyond it", or "".
  virtual std::string guard_damage() const = 0;
};

/// Makes dense memory on the CPU; findings of the executor call it `name`.
std::unique_ptr<Storage> make_cpu_storage(std::size_t bytes, std::string name);
/// Makes Room::sparse memory on the CPU. Throws NoRoom if the address space is too small.
std::unique_ptr<Storage> make_sparse_storage(std::size_t bytes, const std::string& name);
/// Makes memory on the device. Throws NoDevice and NoRoom.
std::unique_ptr<Storage> make_cuda_storage(std::size_t bytes, const std::string& name, Room room);

/// Makes a stream that does not wait for the default one. Throws NoDevice.
cudaStream_t make_cuda_stream();
void wait_for_cuda_stream(cudaStream_t stream);
void end_cuda_stream(cudaStream_t stream) noexcept;

/// A stretch of bytes, [begin, end).
struct Gap {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The gaps that the pieces, which may overlap, leave in `bytes` bytes.
std::vector<Gap> gaps_between(std::vector<Gap> pieces, std::size_t bytes);

/// The text "x needs 64.0 GiB on the device".
std::string too_large(const std::string& name, std::size_t bytes, const std::string& where);

/// The text "written at byte 24, between its elements", for sparse memory of either back-end. Bytes
/// count from the first byte of the memory.
std::string describe_gap_damage(std::int64_t byte);

/// The text of guard_damage; `intact_after` is the number of untouched bytes of the band behind the
/// memory, counted away from it.
std::string describe_damage(bool before_intact, std::size_t intact_after, std::size_t after_bytes);

}  // namespace simt
