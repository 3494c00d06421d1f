// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

namespace gradproof {

/// A new folder that this user alone may enter, for files that two programs hand to each other. It
/// is removed with this value. A lock on it says that somebody has it; the folders of programs that
/// were killed are removed when the next one is made.
class SharedFolder {
 public:
  /// Makes the folder within that one. Throws InstrumentError if none can be made there.
  explicit SharedFolder(const std::string& within);
  ~SharedFolder();
  SharedFolder(const SharedFolder&) = delete;
  SharedFolder& operator=(const SharedFolder&) = delete;

  const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

/// The places in which such a folder may lie: in memory, if the machine has such a file system, and
/// in the temporary folder ($TMPDIR).
std::vector<std::string> places_of_shared_folders();

}  // namespace gradproof
