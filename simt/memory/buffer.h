// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace simt {

/// The place where kernels run: the CPU executor or the CUDA device.
enum class Backend { cpu, cuda };

/// There is no CUDA device, no driver, or the program was built without CUDA.
struct NoDevice : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The memory asked for does not exist on this machine; the text says how much it was.
struct NoRoom : std::runtime_error {
  using std::runtime_error::runtime_error;
};

///   dense   every byte exists and starts as poison
///   sparse  for large allocations of which nearly nothing is used: bytes belong to it only where
///           something was uploaded. On the CPU other pages do not exist, and a touch of one is
///           damage like a write in a guard band.
enum class Room { dense, sparse };

class Storage;

/// Memory that kernels of one back-end see. Every byte starts as 0xFF, which is NaN in every float
/// type and -1 in integers; guard bands of the same bytes lie on both sides. On the CPU the last
/// byte, rounded up to 256, touches a forbidden page. The data is aligned to 256 bytes.
class Memory {
 public:
  static constexpr std::size_t kAlignment = 256;

  /// Throws NoDevice; NoRoom if the device or the address space is too small, std::bad_alloc if the
  /// host's memory is. Findings call the memory `name`.
  Memory(Backend backend, std::size_t bytes, std::string name, Room room = Room::dense);
  ~Memory();
  Memory(Memory&&) noexcept;
  Memory& operator=(Memory&&) noexcept;

  void* data();
  const void* data() const;
  std::size_t size() const { return bytes_; }
  const std::string& name() const { return name_; }
  Backend backend() const { return backend_; }

  /// Both throw std::out_of_range if offset + bytes is past the end. On CUDA they wait for the
  /// copy.
  void upload(const void* from, std::size_t bytes, std::size_t offset = 0);
  void download(void* to, std::size_t bytes, std::size_t offset = 0) const;

  bool guards_intact() const { return guard_damage().empty(); }
  /// "x: written before its start" or "x: written past its end, at byte 3 beyond it"; for sparse
  /// memory also "x: written at byte 64, between its elements" or "x: touched on the page at byte
  /// 4096, far from its elements". Empty if all is intact.
  std::string guard_damage() const;

 private:
  void check_range(std::size_t bytes, std::size_t offset) const;

  Backend backend_;
  std::size_t bytes_;
  std::string name_;
  std::unique_ptr<Storage> storage_;
};

/// A Memory seen as elements of T.
template <class T>
class Buffer {
 public:
  Buffer(Backend backend, std::size_t size, std::string name)
      : memory_(backend, size * sizeof(T), std::move(name)), size_(size) {}

  T* data() { return static_cast<T*>(memory_.data()); }
  const T* data() const { return static_cast<const T*>(memory_.data()); }
  std::size_t size() const { return size_; }
  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }

  void upload(std::span<const T> from, std::size_t first = 0) {
    memory_.upload(from.data(), from.size_bytes(), first * sizeof(T));
  }
  std::vector<T> download() const {
    std::vector<T> to(size_);
    memory_.download(to.data(), size_ * sizeof(T));
    return to;
  }

 private:
  Memory memory_;
  std::size_t size_;
};

}  // namespace simt
