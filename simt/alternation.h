// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

namespace simt {

/// Two calls of kernels in flight at once, in the executor: each on a host thread of its own, of
/// which one runs at a time. The turn goes to the other one behind every launch, so that launches
/// alternate (first, second, first, second), as a device may run those of two streams. Nothing here
/// depends on time, but for a call that waits for the other one outside of a launch, as for a lock
/// that the other one holds around its launches: after kPatience seconds both go on as they can.
class Alternation {
 public:
  static constexpr int kPatience = 5;

  enum class Call { first, second };

  /// Takes part on this thread for as long as it lives: waits for its first turn, and leaves all
  /// turns to the other one at its end.
  class Part {
   public:
    Part(Alternation& all, Call call);
    ~Part();
    Part(const Part&) = delete;
    Part& operator=(const Part&) = delete;

   private:
    friend class AlternatingLaunch;
    Alternation& all_;
    Call call_;
  };

 private:
  friend class AlternatingLaunch;

  void await(Call call);
  void begin_launch();
  void hand_over(Call from);
  void leave(Call call);

  std::mutex mutex_;
  std::condition_variable changed_;
  Call turn_ = Call::first;
  bool launching_ = false;  ///< a launch may take its time
  bool alone_ = false;      ///< one call has ended, or the turns were given up
};

/// Stands around one launch: at its end the turn goes to the other call, where this thread takes
/// part in an Alternation, and comes back before the call goes on.
class AlternatingLaunch {
 public:
  AlternatingLaunch();
  ~AlternatingLaunch();
  AlternatingLaunch(const AlternatingLaunch&) = delete;
  AlternatingLaunch& operator=(const AlternatingLaunch&) = delete;
};

}  // namespace simt
