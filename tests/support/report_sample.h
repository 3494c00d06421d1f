// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <filesystem>
#include <string>

#include "core/compare/record.h"

namespace gradproof {

inline Context sample_context() { return {"cpu", "executor sm_90", "g++ 12.2 -O2", "0.1.0"}; }

/// The failure of the house style: 64 of 2112 elements, all in column 32.
inline Record sample_failure() {
  Record r;
  r.case_text = "batchnorm_bias_divide_swish op=backward rows=64 cols=33 fill=offset:1000 seed=7";
  r.kernel = "batchnorm_bias_divide_swish";
  r.dtype = "f32";
  r.mode = "train";
  r.tensor = "d_x";
  r.witness = "50 digits";
  r.shape = {64, 33};
  r.why = "two-pass, 256-lane tree, 1-ulp expf";
  r.verdict = {Outcome::failed, "64 of 2112 elements over the bound"};
  r.context = sample_context();
  r.digest = "0123456789abcdef";
  r.certified = 2100;
  r.escalated = 12;
  r.seconds = 0.25;
  Discrepancy& d = r.discrepancy();
  d.elements = 2112;
  d.bad = 64;
  d.max_ratio = 9.5;
  d.p99_ratio = 4.25;
  d.rms_ratio = 0.125;
  d.worst = {32, -0x1.94p-7, -0.0124015808, 9.5, 77600};
  for (const std::int64_t row : {0, 1, 2, 3, 4}) d.first_bad.push_back({row * 33 + 32, 0, 0, 2, 3});
  for (const std::int64_t row : {59, 60, 61, 62, 63})
    d.last_bad.push_back({row * 33 + 32, 0, 0, 2, 3});
  d.good_before = {29, 30, 31};
  d.pattern = "all in column 32";
  d.worst_columns = {{32, 9.5, 64}, {17, 0.8125, 0}};
  d.resolution = {0x1p-22, 0x1p-21, 0x1p-22, 1, 3, 5};
  d.histogram[3] = 2048;
  d.histogram[14] = 64;
  return r;
}

/// A pass of the same tensor.
inline Record sample_pass() {
  Record r = sample_failure();
  r.verdict = {Outcome::passed, ""};
  r.figures = Discrepancy();
  r.discrepancy().elements = 2112;
  r.discrepancy().max_ratio = 0.8125;
  r.discrepancy().p99_ratio = 0.21875;
  r.discrepancy().rms_ratio = 0.125;
  r.discrepancy().resolution = {0x1p-22, 0x1p-21, 0x1p-22, 1, 3, 5};
  r.discrepancy().worst = {3 * 33 + 17, 1, 1, 0.8125, 1.9};
  return r;
}

inline Record sample_mistrusted(const std::string& reason) {
  Record r = sample_pass();
  r.verdict = {Outcome::mistrusted, reason};
  return r;
}

}  // namespace gradproof
