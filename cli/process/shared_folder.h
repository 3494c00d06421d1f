// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// A new folder that this user alone may enter, for files that two programs hand to each other. It
/// goes with this value. A lock on it says that somebody has it; the folders of those who were
/// killed go when the next one is made.
class SharedFolder {
 public:
  /// Within that folder. Throws InstrumentError where none can be made there.
  explicit SharedFolder(const std::string& within);
  ~SharedFolder();
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

/// Where such a folder may lie: in memory, where the machine has a file system of that, and in the
/// temporary folder ($TMPDIR).
std::vector<std::string> places_of_shared_folders();

}  // namespace gradproof
