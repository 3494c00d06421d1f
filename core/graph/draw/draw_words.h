// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

/// The words that drawn graphs have for fills, cotangents, types and numbers.
namespace gradproof::draw_words {

inline constexpr std::array<std::string_view, 8> kFills{
    "normal",      "uniform",      "scaled:100", "scaled:0.001",
    "offset:1000", "outlier:1000", "dyadic",     "loguniform"};
/// These fills are drawn where an axis is long; some of their numbers come in an order.
inline constexpr std::array<std::string_view, 16> kLongFills{
    "normal",       "uniform",         "normal",      "uniform",
    "scaled:100",   "scaled:0.001",    "offset:1000", "offset:3",
    "outlier:1000", "outlier:100000",  "dyadic",      "loguniform",
    "constant:0.3", "alternating:100", "integers",    "pow2"};
inline constexpr std::array<std::string_view, 5> kCotangents{"designed", "normal", "dyadic",
                                                             "onehot", "scaled:1000"};
inline constexpr std::array<std::string_view, 5> kTypes{"f32", "f32", "f64", "f16", "bf16"};
inline constexpr std::uint64_t kAloneEvery = 3;  ///< one graph of so many has one step
inline constexpr std::array<std::string_view, 5> kNumbers{"2", "0.3", "-1.5", "1000", "0.001"};

}  // namespace gradproof::draw_words
