// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

namespace simt {

/// Two calls of kernels in flight at once in the executor: each is on its own host thread, and one
/// of them runs at a time. After every launch the turn goes to the other, so that launches
/// alternate (first, second, first, second), as a device may run those of two streams. Nothing here
/// depends on time, unless a call waits for the other one outside of a launch, as for a lock that
/// the other holds around its launches: after kPatience seconds both go on as they can.
class Alternation {
 public:
  static constexpr int kPatience = 5;

  enum class Call { first, second };

  /// Takes part on this thread as long as it lives: the constructor waits for the first turn, and
  /// the destructor leaves all turns to the other call.
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

/// Stands around one launch. If this thread takes part in an Alternation, the turn goes to the
/// other call at the launch's end, and comes back before this call goes on.
class AlternatingLaunch {
 public:
  AlternatingLaunch();
  ~AlternatingLaunch();
  AlternatingLaunch(const AlternatingLaunch&) = delete;
  AlternatingLaunch& operator=(const AlternatingLaunch&) = delete;
};

}  // namespace simt
