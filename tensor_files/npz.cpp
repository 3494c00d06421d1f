// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/npz.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <memory>
#include <set>
#include <string_view>

#include <fmt/format.h>
#include <minizip/unzip.h>

#include "core/error.h"
#include "core/printable.h"
#include "tensor_files/npy_header.h"

namespace gradproof {
namespace {

constexpr std::string_view kSuffix = ".npy";
constexpr std::string_view kMagic = "\x93NUMPY";
/// Deflate's shortest code, 2 bits, copies 258 bytes at most (RFC 1951).
constexpr std::uint64_t kMostExpansion = 258 * 4;
/// The longest text of a .npy header that is read; numpy writes some 100 bytes.
constexpr std::uint64_t kLongestArrayHeader = 1 << 16;

[[noreturn]] void refuse(const std::string& what) { throw UsageError(what); }

/// A zip archive whose entries are read one after the other.
class Archive {
 public:
  explicit Archive(const std::string& path)
      : file_(unzOpen64(path.c_str()), unzClose), unread_(std::filesystem::file_size(path)) {
    if (!file_) refuse("it is no zip archive");
  }

  /// Opens the next entry; false where there is none.
  bool next() {
    const int moved = begun_ ? unzGoToNextFile(file_.get()) : unzGoToFirstFile(file_.get());
    begun_ = true;
    if (moved == UNZ_END_OF_LIST_OF_FILE) return false;
    std::array<char, 256> name{};
    if (moved != UNZ_OK ||
        unzGetCurrentFileInfo64(file_.get(), &info_, name.data(), name.size() - 1, nullptr, 0,
                                nullptr, 0) != UNZ_OK)
      refuse("its list of entries cannot be read");
    name_ = name.data();
    if (printable(name_) != name_)
      refuse(fmt::format("entry '{}' has a name that is not printable", printable(name_)));
    // The entries together have no more bytes than the file, whatever the archive's list says.
    if (info_.compressed_size > unread_)
      refuse(fmt::format("entry '{}' is to have {} bytes, and the file has {} for it",
                         printable(name_), info_.compressed_size, unread_));
    unread_ -= info_.compressed_size;
    if (info_.uncompressed_size / kMostExpansion > info_.compressed_size)
      refuse(fmt::format("entry '{}' cannot have {} bytes, compressed to {}", printable(name_),
                         info_.uncompressed_size, info_.compressed_size));
    constexpr uLong kEncrypted = 1;
    if ((info_.flag & kEncrypted) != 0 || unzOpenCurrentFile(file_.get()) != UNZ_OK)
      refuse(fmt::format("entry '{}' cannot be opened", printable(name_)));
    return true;
  }

  const std::string& name() const { return name_; }
  std::uint64_t size() const { return info_.uncompressed_size; }

  void read(char* to, std::uint64_t bytes) {
    while (bytes > 0) {
      const auto part =
          static_cast<unsigned>(std::min<std::uint64_t>(bytes, std::numeric_limits<int>::max()));
      const int got = unzReadCurrentFile(file_.get(), to, part);
      if (got <= 0) refuse(fmt::format("entry '{}' ends too early", printable(name_)));
      to += got;
      bytes -= static_cast<std::uint64_t>(got);
    }
  }

  /// Compares the checksum of an entry that was read whole.
  void close() {
    if (unzCloseCurrentFile(file_.get()) != UNZ_OK)
      refuse(fmt::format("the checksum of entry '{}' is wrong", printable(name_)));
  }

 private:
  std::unique_ptr<void, int (*)(unzFile)> file_;
  unz_file_info64 info_{};
  std::uint64_t unread_;  ///< bytes of the file that no entry has had yet
  std::string name_;
  bool begun_ = false;
};

/// The length of the header's text; `at` becomes the number of bytes before the text.
std::uint64_t text_length(Archive& archive, std::uint64_t& at) {
  std::array<unsigned char, 12> bytes{};
  auto* const read = reinterpret_cast<char*>(bytes.data());
  archive.read(read, 8);
  if (std::string_view(read, kMagic.size()) != kMagic || bytes[6] < 1 || bytes[6] > 3)
    refuse(fmt::format("entry '{}' is no .npy", printable(archive.name())));
  at = bytes[6] == 1 ? 10 : 12;  // a length of two bytes in version 1, of four since
  archive.read(read + 8, at - 8);
  std::uint64_t length = 0;
  for (std::uint64_t k = at; k-- > 8;) length = length << 8 | bytes[k];
  return length;
}

/// Reads the entry's header; the elements follow in the archive.
StoredTensor stored_in(Archive& archive, const std::string& name) {
  std::uint64_t at = 0;
  const std::uint64_t length = text_length(archive, at);
  if (length > kLongestArrayHeader)
    refuse(fmt::format("tensor '{}': its header is to have {} bytes, {} at most are read", name,
                       length, kLongestArrayHeader));
  if (length > archive.size() - at)
    refuse(fmt::format("tensor '{}': its header is to have {} bytes, and {} follow", name, length,
                       archive.size() - at));
  std::string text(length, '\0');
  archive.read(text.data(), length);
  StoredTensor stored = parse_npy_header(text, name);
  stored.first = at + length;
  stored.end = archive.size();
  const std::uint64_t wanted = bytes_of(*stored.type, stored.shape, name);
  if (stored.end - stored.first != wanted)
    refuse(fmt::format("tensor '{}' has {} bytes, its dtype and shape say {}", name,
                       stored.end - stored.first, wanted));
  return stored;
}

/// Calls take(archive, name, stored) for each entry, once its header is read.
template <class Take>
void each_entry(const std::string& path, const Take& take) try {
  Archive archive(path);
  std::set<std::string> names;
  while (archive.next()) {
    std::string name = archive.name();
    if (!name.ends_with(kSuffix)) refuse(fmt::format("entry '{}' is no .npy", printable(name)));
    name.resize(name.size() - kSuffix.size());
    if (!names.insert(name).second)
      refuse(fmt::format("tensor '{}' is there twice", printable(name)));
    take(archive, name, stored_in(archive, printable(name)));
    archive.close();
  }
} catch (const UsageError& error) {
  throw UsageError(fmt::format("'{}' is no npz file: {}", path, error.what()));
}

}  // namespace

bool is_npz(const std::string& path) {
  // Such bytes at the front of a safetensors file are a header's length of 67 or 101 MB.
  std::array<char, 4> bytes{};
  std::ifstream(path, std::ios::binary).read(bytes.data(), bytes.size());
  const std::string_view magic(bytes.data(), bytes.size());
  return magic == "PK\3\4" || magic == "PK\5\6";
}

StoredHeader npz_header(const std::string& path) {
  StoredHeader header;
  each_entry(path, [&](Archive&, const std::string& name, const StoredTensor& stored) {
    header.tensors.emplace(name, stored);
  });
  return header;
}

Tensors read_npz(const std::string& path) {
  Tensors tensors;
  each_entry(path, [&](Archive& archive, const std::string& name, const StoredTensor& stored) {
    tensors.emplace(
        name, read_stored(stored, [&](char* to, std::uint64_t size) { archive.read(to, size); }));
  });
  return tensors;
}

}  // namespace gradproof
