// SPDX-License-Identifier: Apache-2.0
#include "core/float_mode.h"

#include <cfenv>
#include <cstdint>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace gradproof {
namespace {

#if defined(__aarch64__)
// These are bits of FPCR; another register says what has happened.
constexpr unsigned kFlush = 0x1080001;  // FZ, FZ16 and FIZ
constexpr unsigned kMasks = 0x9F00;     // exceptions that trap
constexpr unsigned kRounding = 0xC00000;
constexpr unsigned kDefaultVector = 0;
#else
constexpr unsigned kFlags = 0x3F;    // of MXCSR: what has happened, no mode
constexpr unsigned kFlush = 0x8040;  // flush to zero, denormals are zero
constexpr unsigned kMasks = 0x1F80;  // exceptions that do not trap
constexpr unsigned kRounding = 0x6000;
constexpr unsigned kDefaultVector = kMasks;
#endif

std::string name_of_rounding(int rounding) {
  switch (rounding) {
    case FE_UPWARD:
      return "upward";
    case FE_DOWNWARD:
      return "downward";
    case FE_TOWARDZERO:
      return "towards zero";
    default:
      return "to nearest";
  }
}

void add(std::string& text, const std::string& more) { text += (text.empty() ? "" : ", ") + more; }

}  // namespace

FloatMode float_mode() {
  FloatMode mode{std::fegetround(), 0, 0};
#if defined(__x86_64__)
  mode.vector_bits = _mm_getcsr() & ~kFlags;
  unsigned short word = 0;
  asm volatile("fnstcw %0" : "=m"(word));
  mode.x87_bits = word;
#elif defined(__aarch64__)
  std::uint64_t word = 0;
  asm volatile("mrs %0, fpcr" : "=r"(word));
  mode.vector_bits = static_cast<unsigned>(word);
#endif
  return mode;
}

void set_float_mode(const FloatMode& mode) {
  std::fesetround(mode.rounding);
#if defined(__x86_64__)
  _mm_setcsr((_mm_getcsr() & kFlags) | mode.vector_bits);
  const auto word = static_cast<unsigned short>(mode.x87_bits);
  asm volatile("fldcw %0" : : "m"(word));
#elif defined(__aarch64__)
  asm volatile("msr fpcr, %0" : : "r"(std::uint64_t{mode.vector_bits}));
#endif
}

void set_default_float_mode() {
  constexpr unsigned kDefaultX87 = 0x37F;
  set_float_mode({FE_TONEAREST, kDefaultVector, kDefaultX87});
}

std::string change_of(const FloatMode& before, const FloatMode& after) {
  std::string text;
  const unsigned changed = before.vector_bits ^ after.vector_bits;
  if (before.rounding != after.rounding || (changed & kRounding) != 0)
    add(text, "rounding mode " + name_of_rounding(after.rounding));
  if ((changed & kFlush) != 0)
    add(text, (after.vector_bits & kFlush) != 0 ? "subnormal numbers flushed to 0"
                                                : "subnormal numbers not flushed");
  if ((changed & kMasks) != 0) add(text, "other exceptions trap");
  if (text.empty() && before != after) add(text, "another control word");
  return text;
}

}  // namespace gradproof
