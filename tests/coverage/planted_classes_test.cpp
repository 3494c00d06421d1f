// SPDX-License-Identifier: Apache-2.0
// Kernels that are wrong in one class of the suite push alone are Failed there: in each kernel and
// each combination of types that has the class. The kernels themselves, the control, are not.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "core/case/case_file.h"
#include "judge/check_case.h"

namespace gradproof {
namespace {

double number_at(DType dtype, const void* at) {
  if (dtype == DType::f64) return *static_cast<const double*>(at);
  if (dtype == DType::f32) return *static_cast<const float*>(at);
  return from_bits16(dtype, *static_cast<const std::uint16_t*>(at));
}

/// The bytes of the numbers of y that `is_meant`: 0 is zero and 0xFF a NaN in every type.
void overwrite(const Call& call, int byte, const std::function<bool(double)>& is_meant) {
  const View& y = call.view("y");
  for (std::int64_t row = 0; row < y.shape[0]; ++row)
    for (std::int64_t col = 0; col < y.shape[1]; ++col) {
      const std::int64_t place = row * y.strides[0] + col * y.strides[1];
      std::byte* const at = y.as<std::byte>() + static_cast<std::size_t>(place) * size_of(y.dtype);
      if (is_meant(number_at(y.dtype, at))) std::memset(at, byte, size_of(y.dtype));
    }
}

/// A class of Cases, and what a wrong kernel does to y there.
struct PlantedFault {
  std::function<bool(const Case&)> has_class;
  std::function<void(const Call&)> behind_forward;
};

/// The fault of a multiplication by the reciprocal, which is infinite.
PlantedFault reciprocal_beyond() {
  return {[](const Case& c) {
            return c.schema().has("divide") && c.real("divide") == 1e-39 && !c.is("op", "backward");
          },
          [](const Call& call) {
            if (std::abs(call.scalar("divide")) < 1e-38)
              overwrite(call, 0xFF, [](double) { return true; });
          }};
}

/// The fault of an exponential that is infinite a little too early, below which a quotient is 0.
PlantedFault end_of_exp() {
  // The ends follow from the type, 1.75 times as far where x is divided by that. Those of f16 come
  // long before.
  static const std::set<std::string> ends{"alternating:88", "alternating:154", "alternating:709",
                                          "alternating:1240.75"};
  return {[](const Case& c) {
            return ends.contains(c.text("fill")) && !c.is("op", "backward") &&
                   !c.is("dtype", "f16");
          },
          [](const Call& call) {
            overwrite(call, 0, [](double y) { return y < 0 && std::abs(y) < 1e-30; });
          }};
}

/// The fault of a launch that a device refuses.
PlantedFault wider_than_a_grid() {
  return {[](const Case& c) { return c.integer("cols") > 65535 && c.integer("cols") < 200000; },
          [](const Call& call) {
            if (call.extent("cols") > 65535) overwrite(call, 0xFF, [](double) { return true; });
          }};
}

std::string types_of(const Case& c) { return c.word() + " " + c.text("dtype") + c.text("params"); }

/// The Systems whose kernels have the fault behind their forward.
Systems planted(const PlantedFault& fault) {
  std::vector<Kernel> kernels = catalog().kernels();
  for (Kernel& kernel : kernels)
    kernel.entry.forward = [fault, forward = kernel.entry.forward](const Call& call) {
      forward(call);
      fault.behind_forward(call);
    };
  return {Catalog(std::move(kernels))};
}

bool is_failed(const Systems& systems, const Case& c) {
  const std::vector<Record> records = check_case(systems, c, Detail::of_failures);
  return std::any_of(records.begin(), records.end(), [](const Record& record) {
    return record.verdict.outcome == Outcome::failed;
  });
}

/// The kernels and types that have the class, and those of them with a Case that is Failed.
struct Convictions {
  std::set<std::string> there;
  std::set<std::string> convicted;
};

Convictions convictions_of(const PlantedFault& fault) {
  const Systems right{catalog()};
  const Systems wrong = planted(fault);
  Convictions all;
  for (const Case& c :
       read_suite(GRADPROOF_SOURCE_DIR "/fixtures/cases/push.cases", right.schemas())) {
    if (!fault.has_class(c) || all.convicted.contains(types_of(c))) continue;
    all.there.insert(types_of(c));
    if (!is_failed(wrong, c)) continue;
    all.convicted.insert(types_of(c));
    EXPECT_FALSE(is_failed(right, c)) << to_string(c);
  }
  return all;
}

TEST(PlantedClasses, ADivisorWhoseReciprocalOverflows) {
  const Convictions found = convictions_of(reciprocal_beyond());
  EXPECT_EQ(found.there.size(), 10u) << "two kernels, each in five combinations of types";
  EXPECT_EQ(found.convicted, found.there);
}

TEST(PlantedClasses, AnExponentialThatEndsTooEarly) {
  const Convictions found = convictions_of(end_of_exp());
  EXPECT_EQ(found.there.size(), 6u * 4u) << "six kernels with an exponential, but in f16";
  for (const std::string& types : found.there) {
    const bool is_normalised_behind = types.starts_with("swish_bias_groupnorm ");
    EXPECT_TRUE(is_normalised_behind || found.convicted.contains(types)) << types;
  }
}

TEST(PlantedClasses, MoreColumnsThanAGridHasBlocksInY) {
  const Convictions found = convictions_of(wider_than_a_grid());
  EXPECT_EQ(found.there.size(), 8u) << "each kernel in f32";
  EXPECT_EQ(found.convicted, found.there);
}

}  // namespace
}  // namespace gradproof
