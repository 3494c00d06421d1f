// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The host's side of the executor: the options of this thread's launches, and the findings about
/// them.
namespace simt {

/// The order in which the executor starts threads and blocks, and picks among those that can go on.
/// `random` draws an adversary per block: uniform choice, fixed random priorities, or last come
/// first served.
enum class Order { forward, reverse, random };

/// The launch limits of a real device.
struct DeviceProfile {
  std::string name = "sm_90";
  std::size_t static_shared_bytes = 48 * 1024;
  std::size_t opt_in_shared_bytes = 227 * 1024;  ///< static and dynamic together
  std::uint32_t block_threads = 1024;
  std::uint32_t block_x = 1024, block_y = 1024, block_z = 64;
  std::uint32_t grid_x = 2147483647, grid_y = 65535, grid_z = 65535;
};

/// The profile "sm_90" or "sm_80". Throws std::invalid_argument for other names.
DeviceProfile device_profile(std::string_view name);

struct Options {
  Order order = Order::forward;
  std::uint64_t seed = 1;  ///< of Order::random
  int workers = 0;         ///< cores that run blocks; 0: all
  DeviceProfile profile = {};
  /// Devices since sm_70 allow an exit before a barrier; the CUDA documentation does not.
  bool exit_before_barrier_is_error = true;
  /// A block hangs when its threads made this many atomic accesses in a row that changed nothing,
  /// and no thread went past a barrier or warp collective or returned meanwhile.
  std::uint64_t watchdog = std::uint64_t{1} << 22;
  /// A block also hangs when one thread used this much processor time and met no barrier, atomic or
  /// warp collective, as a spin on volatile loads does.
  double watchdog_seconds = 10;
  /// The caller's stream, to which every launch must go; null: launches may go to any stream.
  const void* stream = nullptr;
};

/// The options under which this thread launches now.
const Options& current_options();

/// Sets the options of this thread's launches while the Scope lives. Scopes nest.
class Scope {
 public:
  explicit Scope(Options options);
  ~Scope();
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  friend const Options& current_options();
  friend std::uint64_t next_launch_number();
  Options options_;
  std::uint64_t launches_ = 0;
  Scope* outer_;
};

/// Counts the launches of the innermost scope: the number varies the draws of Order::random, and a
/// replay repeats the numbers.
std::uint64_t next_launch_number();

/// Something wrong with a launch. Kinds: `launch-config`, `shared-memory-limit`, `stream`,
/// `deadlock`, `hang`, `barrier-divergence`, `exit-before-barrier`, `warp-divergence`, `warp-mask`,
/// `inactive-lane`, `shared-overrun`, `guard-band`, `out-of-bounds`, `misaligned-access`,
/// `array-bounds`, `race`; of the judge `exception`, `float-mode`, `device`, `crash`: docs/simt.md.
struct Finding {
  std::string kind;
  std::string text;  ///< says which threads, which operation, file:line and block
};

/// The text "race: thread 0 ...; out-of-bounds: ...": kind and text of each finding, on one line.
std::string text_of(const std::vector<Finding>& findings);

using Findings = std::vector<Finding>;

/// A launch in the executor had findings; what() lists them all.
class ExecutionError : public std::runtime_error {
 public:
  explicit ExecutionError(std::vector<Finding> findings);
  const std::vector<Finding>& findings() const { return findings_; }
  /// True if one of the findings is of this kind.
  bool has(std::string_view kind) const;

 private:
  std::vector<Finding> findings_;
};

}  // namespace simt
