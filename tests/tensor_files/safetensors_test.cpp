// SPDX-License-Identifier: Apache-2.0
#include "tensor_files/safetensors.h"

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "core/error.h"
#include "tests/support/scratch.h"

namespace gradproof {
namespace {

std::string scratch(const std::string& name) {
  return scratch_directory("safetensors-" + name) + "/file";
}

/// A file with this header, a length that may be another, and as many zero bytes behind it.
std::string written(const std::string& header, std::uint64_t length, std::size_t bytes) {
  const std::string path = scratch("bad");
  std::ofstream stream(path, std::ios::binary);
  char text[sizeof length];
  std::memcpy(text, &length, sizeof length);
  stream.write(text, sizeof text);
  stream << header << std::string(bytes, '\0');
  return path;
}

/// The refusal of a file with this header; empty if the file is read.
std::string refusal(const std::string& header, std::size_t bytes, std::uint64_t more = 0) {
  const std::string path = written(header, header.size() + more, bytes);
  std::string text;
  try {
    read_safetensors(path);
  } catch (const UsageError& error) {
    text = error.what();
  }
  std::filesystem::remove(path);
  return text;
}

/// The bytes of a tensor of that type, as the numbers that they are read as.
std::vector<double> numbers_of(const std::string& type, const std::string& bytes) {
  const std::string header = "{\"x\":{\"dtype\":\"" + type + "\",\"shape\":[" +
                             std::to_string(bytes.size()) + "],\"data_offsets\":[0," +
                             std::to_string(bytes.size()) + "]}}";
  const std::string path = written(header, header.size(), 0);
  std::ofstream(path, std::ios::binary | std::ios::app) << bytes;
  const Tensors read = read_safetensors(path);
  std::filesystem::remove(path);
  const Tensor& x = get(read, "x");
  EXPECT_EQ(x.dtype(), DType::f32);
  std::vector<double> numbers(static_cast<std::size_t>(x.numel()));
  x.read(0, 1, x.numel(), numbers.data());
  return numbers;
}

/// Codes and numbers are those of the tables of OCP's specifications of 8-bit formats. The test
/// of Python compares every code with torch's number (tests/python/types/eight_bits_test.py).
TEST(Safetensors, NumbersOfEightBits) {
  const auto e4m3 = numbers_of("F8_E4M3", std::string("\x01\x07\x08\x38\x39\x7e\x7f\x80\xfe", 9));
  EXPECT_EQ(std::vector(e4m3.begin(), e4m3.begin() + 6),
            (std::vector<double>{0x1p-9, 0x7p-9, 0x1p-6, 1, 1.125, 448}));
  EXPECT_TRUE(std::isnan(e4m3[6]));
  EXPECT_TRUE(e4m3[7] == 0 && std::signbit(e4m3[7]));
  EXPECT_EQ(e4m3[8], -448);
  const auto e5m2 = numbers_of("F8_E5M2", "\x01\x03\x04\x3c\x7b\x7c\xfc\x7d");
  EXPECT_EQ(std::vector(e5m2.begin(), e5m2.begin() + 7),
            (std::vector<double>{0x1p-16, 0x3p-16, 0x1p-14, 1, 57344, HUGE_VAL, -HUGE_VAL}));
  EXPECT_TRUE(std::isnan(e5m2[7]));
  const auto e8m0 = numbers_of("F8_E8M0", std::string("\x00\x7e\x7f\xfe\xff", 5));
  EXPECT_EQ(std::vector(e8m0.begin(), e8m0.begin() + 4),
            (std::vector<double>{0x1p-127, 0.5, 1, 0x1p127}));
  EXPECT_TRUE(std::isnan(e8m0[4]));
}

TEST(Safetensors, WhatIsWrittenIsReadBackToTheBit) {
  Tensors tensors;
  for (const DType dtype : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i64}) {
    Tensor t(dtype, Shape{3, 5});
    for (std::int64_t i = 0; i < t.numel(); ++i) t.set(i, static_cast<double>(i * i) - 7);
    tensors.emplace("t." + std::string(name_of(dtype)), t);
  }
  tensors.emplace("one", Tensor(DType::f32, Shape{}));  // its bytes are those of NaN
  tensors.emplace("none", Tensor(DType::f16, Shape{0, 4}));
  const std::string path = scratch("round");
  write_safetensors(path, tensors);
  const Tensors read = read_safetensors(path);
  ASSERT_EQ(read.size(), tensors.size());
  for (const auto& [name, tensor] : tensors)
    EXPECT_TRUE(same_bits(get(read, name), tensor)) << name;
  EXPECT_EQ(safetensors_header(path).tensors.at("t.bf16").shape, (Shape{3, 5}));
  std::filesystem::remove(path);
}

TEST(Safetensors, SmallerIntegersAreRead) {
  const std::string header = R"({"labels":{"dtype":"I32","shape":[2],"data_offsets":[0,8]}})";
  const std::string path = written(header, header.size(), 0);
  const std::int32_t labels[] = {7, -1};
  std::ofstream(path, std::ios::binary | std::ios::app)
      .write(reinterpret_cast<const char*>(labels), sizeof labels);
  const Tensors read = read_safetensors(path);
  EXPECT_EQ(get(read, "labels").at(0), 7);
  EXPECT_EQ(get(read, "labels").at(1), -1);
  std::filesystem::remove(path);
}

TEST(Safetensors, MetadataIsNoTensor) {
  EXPECT_EQ(refusal(R"({"__metadata__":{"format":"pt"},"x":{"dtype":"F32","shape":[],)"
                    R"("data_offsets":[0,4]}}  )",
                    4),
            "");
}

// The format wants texts: other values there were left out, and a file that says of its run that
// it crashed was judged.
TEST(Safetensors, MetadataAreTexts) {
  const std::string x = R"(,"x":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})";
  for (const char* bad : {R"({"Crashed":5})", R"({"Crashed":null})", R"({"Crashed":["a"]})"})
    EXPECT_NE(refusal(R"({"__metadata__":)" + std::string(bad) + x, 4)
                  .find("'Crashed' in __metadata__ is no text"),
              std::string::npos)
        << bad;
  EXPECT_NE(refusal(R"({"__metadata__":["pt"])" + x, 4).find("__metadata__ is no object"),
            std::string::npos);
  EXPECT_EQ(refusal(R"({"__metadata__":{"Crashed":"5"})" + x, 4), "") << "the control";
}

TEST(Safetensors, ANulInANameIsSaid) {
  const std::string said =
      refusal(R"({"y\u0000z":{"dtype":"F32","shape":[],"data_offsets":[0,4]}})", 4);
  EXPECT_NE(said.find("the tensor's name 'y\\x00z' has a NUL"), std::string::npos) << said;
}

struct Bad {
  std::string name;
  std::string header;
  std::size_t bytes;
  std::string said;
};

void PrintTo(const Bad& bad, std::ostream* stream) { *stream << bad.name; }

class BadHeader : public testing::TestWithParam<Bad> {};

TEST_P(BadHeader, IsRefusedWithItsReason) {
  const std::string said = refusal(GetParam().header, GetParam().bytes);
  EXPECT_NE(said.find(GetParam().said), std::string::npos) << "'" << said << "'";
  EXPECT_NE(said.find("is no safetensors file"), std::string::npos) << said;
}

std::string tensor(const std::string& name, const std::string& dtype, const std::string& shape,
                   const std::string& offsets) {
  return "\"" + name + "\":{\"dtype\":\"" + dtype + "\",\"shape\":" + shape +
         ",\"data_offsets\":" + offsets + "}";
}

INSTANTIATE_TEST_SUITE_P(
    All, BadHeader,
    testing::Values(
        Bad{"NoObject", "[]", 0, "does not start with '{'"}, Bad{"NoJson", "{\"x\":", 0, "no JSON"},
        Bad{"NoUtf8", "{\"\xff\":1}", 0, "no JSON"},
        Bad{"Type", "{" + tensor("x", "F4", "[1]", "[0,1]") + "}", 1,
            "has the dtype 'F4'; known: F64 F32"},
        Bad{"Twice",
            "{" + tensor("x", "F32", "[1]", "[0,4]") + "," + tensor("x", "F32", "[1]", "[4,8]") +
                "}",
            8, "'x' stands twice"},
        Bad{"Overlap",
            "{" + tensor("x", "F32", "[2]", "[0,8]") + "," + tensor("y", "F32", "[2]", "[4,12]") +
                "}",
            12, "'x' and 'y' overlap from byte 4"},
        Bad{"Gap", "{" + tensor("x", "F32", "[1]", "[4,8]") + "}", 8, "bytes 0 to 4 belong to no"},
        Bad{"Rest", "{" + tensor("x", "F32", "[1]", "[0,4]") + "}", 8, "bytes 4 to 8 belong to no"},
        Bad{"Range", "{" + tensor("x", "F32", "[2]", "[0,8]") + "}", 4, "has bytes 0 to 8 of 4"},
        Bad{"Backwards", "{" + tensor("x", "F32", "[1]", "[4,0]") + "}", 4, "has bytes 4 to 0"},
        Bad{"Size", "{" + tensor("x", "F32", "[3]", "[0,8]") + "}", 8, "has 8 bytes"},
        Bad{"Huge", "{" + tensor("x", "F32", "[4294967296,4294967296]", "[0,8]") + "}", 8,
            "larger than any file"},
        Bad{"HugeOfNothing", "{" + tensor("x", "F32", "[0,4294967296,4294967296]", "[0,0]") + "}",
            0, "larger than any file"},
        Bad{"Negative", "{" + tensor("x", "F32", "[-1]", "[0,4]") + "}", 4, "'-1' is no count"},
        Bad{"Fraction", "{" + tensor("x", "F32", "[1.5]", "[0,4]") + "}", 4, "'1.5' is no count"},
        Bad{"Shape", "{" + tensor("x", "F32", "4", "[0,4]") + "}", 4, "shape is no list"},
        Bad{"Offsets", "{" + tensor("x", "F32", "[1]", "[0]") + "}", 4, "not two numbers"},
        Bad{"Lacks", R"({"x":{"dtype":"F32","shape":[1]}})", 4, "has no data_offsets"},
        Bad{"Word", R"({"x":{"dtype":4,"shape":[1],"data_offsets":[0,4]}})", 4, "is no text"},
        Bad{"Entry", R"({"x":3})", 0, "'x' is no object"}),
    [](const auto& tested) { return tested.param.name; });

TEST(Safetensors, AHeaderThatLiesAboutItsSizeIsRefused) {
  const std::string header = "{" + tensor("x", "F32", "[1]", "[0,4]") + "}";
  EXPECT_NE(refusal(header, 4, 1000).find("and 58 follow"), std::string::npos)
      << refusal(header, 4, 1000);
  EXPECT_NE(refusal(header, 4, ~std::uint64_t{0} - header.size()).find("follow"),
            std::string::npos);
}

TEST(Safetensors, WhatIsNoFileIsRefused) {
  EXPECT_THROW(read_safetensors("/nonexistent.safetensors"), UsageError);
  EXPECT_THROW(read_safetensors("/tmp"), UsageError);
  const std::string path = scratch("short");
  std::ofstream(path) << "{}";
  EXPECT_THROW(read_safetensors(path), UsageError);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace gradproof
