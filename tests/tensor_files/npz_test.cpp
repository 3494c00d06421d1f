// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/npz.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>
#include <minizip/zip.h>

#include "core/error.h"
#include "tensor_files/tensor_file.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

struct Entry {
  std::string name;
  std::string bytes;
};

/// A zip archive of these entries, compressed if `compressed` says so.
std::string archive(const std::vector<Entry>& entries, bool compressed = false) {
  const std::string path = scratch_directory("npz") + "/file.npz";
  std::filesystem::remove(path);
  const zipFile zip = zipOpen64(path.c_str(), APPEND_STATUS_CREATE);
  for (const Entry& e : entries) {
    const int method = compressed ? Z_DEFLATED : 0;
    zipOpenNewFileInZip64(zip, e.name.c_str(), nullptr, nullptr, 0, nullptr, 0, nullptr, method, 9,
                          0);
    zipWriteInFileInZip(zip, e.bytes.data(), static_cast<unsigned>(e.bytes.size()));
    zipCloseFileInZip(zip);
  }
  zipClose(zip, nullptr);
  return path;
}

/// A .npy of version 1 with that header, and the elements' bytes behind it.
std::string npy(const std::string& header, const std::string& elements) {
  const auto low = static_cast<char>(header.size() & 0xff);
  const auto high = static_cast<char>(header.size() >> 8);
  return std::string("\x93NUMPY\x01", 7) + std::string(1, '\0') + low + high + header + elements;
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

std::string header_of(const std::string& descr, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }  \n";
}

std::string refusal(const std::string& path) {
  try {
    read_tensor_file(path);
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

/// The refusal of an archive of one tensor x; "accepted" if it is read.
std::string refusal_of(const std::string& header, std::size_t bytes) {
  return refusal(archive({{"x.npy", npy(header, std::string(bytes, '\0'))}}));
}

TEST(Npz, BothKindsOfArchiveAreRead) {
  const std::vector<float> x = {1.5F, -0.0F, 3e-45F, 7};
  const std::vector<Entry> entries = {
      {"x.npy", npy(header_of("<f4", "(2, 2)"), bytes_of(x))},
      {"labels.npy", npy(header_of("<i4", "(3,)"), bytes_of(std::vector<std::int32_t>{7, -1, 0}))},
      {"one.npy", npy(header_of("<f8", "()"), bytes_of(std::vector<double>{0.1}))},
      {"none.npy", npy(header_of("<f2", "(0, 4)"), "")}};
  for (const bool compressed : {false, true}) {
    const std::string path = archive(entries, compressed);
    const Tensors read = read_tensor_file(path);
    ASSERT_EQ(read.size(), entries.size());
    Tensor wanted(DType::f32, Shape{2, 2});
    for (std::size_t i = 0; i < x.size(); ++i) wanted.set(static_cast<std::int64_t>(i), x[i]);
    EXPECT_TRUE(same_bits(get(read, "x"), wanted));
    EXPECT_EQ(get(read, "labels").dtype(), DType::i64);
    EXPECT_EQ(get(read, "labels").at(1), -1);
    EXPECT_EQ(get(read, "one").at(0), 0.1);
    EXPECT_EQ(get(read, "none").shape(), (Shape{0, 4}));
    EXPECT_EQ(tensor_file_header(path).tensors.at("labels").shape, (Shape{3}));
  }
}

TEST(Npz, OtherKindsOfElementsAreRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {header_of(">f4", "(1,)"),
       "tensor 'x': it is big-endian, has the dtype '>f4'; known: <f8 <f4"},
      {header_of("<c8", "(1,)"), "tensor 'x': it has the dtype '<c8'; known: <f8 <f4 <f2 <i8"},
      {header_of("|V2", "(2,)"), "(bfloat16 has none: safetensors)"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "dtype '[...]'"},
      {"{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "numpy.ascontiguousarray"},
  };
  for (const auto& [header, said] : cases)
    EXPECT_NE(refusal_of(header, 4).find(said), std::string::npos) << refusal_of(header, 4);
}

TEST(Npz, AHeaderThatLiesIsRefused) {
  const std::pair<std::string, std::string> cases[] = {
      {header_of("<f4", "(2,)"), "tensor 'x' has 4 bytes, its dtype and shape say 8"},
      {header_of("<f4", "()") + std::string(4, ' '), "accepted"},
      {header_of("<f4", "(1,)") + std::string("\0 more", 6), "has not descr, fortran_order, shape"},
      {header_of("<f4", "(4611686018427387904, 4)"), "larger than any file"},
      {header_of("<f4", "(-1,)"), "no extent at '-1,)"},
      {header_of("<f4", "(1.5,)"), "before '.5,)"},
      {"{'descr': '<f4', 'shape': (1,), }", "has not descr, fortran_order, shape"},
      {"{'descr': '<f4', 'descr': '<f4', }", "has 'descr' twice"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", "neither True nor False"},
      {"{'descr': '<f4', 'strides': (1,), }", "has 'strides'; known: descr fortran_order shape"},
      {"{'descr': '<f4", "ends within a text"},
      {"", "no '{' before ''"},
  };
  for (const auto& [header, said] : cases)
    EXPECT_NE(refusal_of(header, 4).find(said), std::string::npos) << refusal_of(header, 4);
}

TEST(Npz, AnArchiveThatLiesIsRefused) {
  const std::string good = npy(header_of("<f4", "(1,)"), std::string(4, '\0'));
  EXPECT_EQ(refusal(archive({{"x.npy", good}})), "accepted");
  EXPECT_NE(refusal(archive({{"x.npy", good}, {"x.npy", good}})).find("tensor 'x' is there twice"),
            std::string::npos);
  EXPECT_NE(refusal(archive({{"x.txt", good}})).find("entry 'x.txt' is no .npy"),
            std::string::npos);
  EXPECT_NE(refusal(archive({{"x.npy", "12345678"}})).find("entry 'x.npy' is no .npy"),
            std::string::npos);
  EXPECT_NE(refusal(archive({{"x.npy", good.substr(0, 6)}})).find("ends too early"),
            std::string::npos);
  std::string long_header = good;
  long_header[9] = '\x7f';
  EXPECT_NE(refusal(archive({{"x.npy", long_header}})).find("its header is to have 32"),
            std::string::npos);
}

/// One byte of the archive is changed, or the archive is cut.
TEST(Npz, BytesThatWereLostAreNoticed) {
  const std::vector<Entry> entries = {
      {"x.npy", npy(header_of("<f4", "(1000,)"), std::string(4000, '\0'))}};
  for (const bool compressed : {false, true}) {
    const std::string path = archive(entries, compressed);
    std::ifstream stream(path, std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(stream), {}};
    const auto said_of = [&](const std::string& bytes) {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
      return refusal(path);
    };
    EXPECT_EQ(said_of(whole), "accepted");
    EXPECT_NE(said_of(whole.substr(0, whole.size() / 2)).find("is no zip archive"),
              std::string::npos);
    std::string changed = whole;
    changed[compressed ? 60 : 300] ^= 1;
    EXPECT_NE(said_of(changed), "accepted");
  }
}

TEST(Npz, AnEntryCannotBeLargerThanItsCompressionAllows) {
  const std::string path =
      archive({{"x.npy", npy(header_of("<f4", "(1000,)"), std::string(4000, '\0'))}}, true);
  std::ifstream stream(path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(stream), {}};
  stream.close();
  // The size before compression, in the list of entries at the end (APPNOTE 4.3.12).
  const std::size_t listed = bytes.rfind("PK\x01\x02");
  bytes[listed + 27] = '\x7f';
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_NE(refusal(path).find("entry 'x.npy' cannot have 213"), std::string::npos)
      << refusal(path);
  // It cannot be larger than the file either, if the size after compression lies as well.
  bytes[listed + 23] = '\x7f';
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  EXPECT_NE(refusal(path).find("entry 'x.npy' is to have 213"), std::string::npos) << refusal(path);
}

TEST(Npz, AFileOfAnotherKindIsTakenForSafetensors) {
  const std::string path = scratch_directory("npz-other") + "/file";
  std::ofstream(path) << "PK\x50\x4b";  // as a length of safetensors 1.3 GB
  EXPECT_FALSE(is_npz(path));
  EXPECT_NE(refusal(path).find("is no safetensors file"), std::string::npos);
}

}  // namespace
}  // namespace gradproof
