// SPDX-License-Identifier: Apache-2.0
// Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2: prefixes,
// opcode, ModR/M, SIB and displacement.
#include "simt/executor/operand.h"

#include <cstring>

namespace simt::executor {

#if defined(__x86_64__)

namespace {

/// The number of a register in an instruction to its place in the context.
std::uintptr_t value_of(const ucontext_t& context, unsigned number) {
  static constexpr int kPlaces[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP,
                                    REG_RSI, REG_RDI, REG_R8,  REG_R9,  REG_R10, REG_R11,
                                    REG_R12, REG_R13, REG_R14, REG_R15};
  return static_cast<std::uintptr_t>(context.uc_mcontext.gregs[kPlaces[number]]);
}

template <class T>
std::uintptr_t displacement(const std::uint8_t* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return static_cast<std::uintptr_t>(static_cast<std::intptr_t>(value));
}

/// The scaled index and the base of a SIB byte; `mod` 0 with base 5 has a displacement instead.
std::uintptr_t indexed(const ucontext_t& context, const std::uint8_t* sib, unsigned mod,
                       unsigned rex) {
  const unsigned index = (*sib >> 3 & 7) | (rex & 2) << 2;
  const unsigned base = (*sib & 7) | (rex & 1) << 3;
  constexpr unsigned kNoIndex = 4;
  std::uintptr_t sum = index == kNoIndex ? 0 : value_of(context, index) << (*sib >> 6);
  sum +=
      mod == 0 && (*sib & 7) == 5 ? displacement<std::int32_t>(sib + 1) : value_of(context, base);
  return sum;
}

bool is_prefix(std::uint8_t byte) {
  return byte == 0x66 || byte == 0xF2 || byte == 0xF3 || byte == 0x2E || byte == 0x36 ||
         byte == 0x3E || byte == 0x26;
}

}  // namespace

std::optional<std::uintptr_t> memory_operand(const ucontext_t& context) {
  const auto* at = reinterpret_cast<const std::uint8_t*>(context.uc_mcontext.gregs[REG_RIP]);
  while (is_prefix(*at)) ++at;
  const unsigned rex = (*at & 0xF0) == 0x40 ? *at++ & 0xF : 0;
  if (*at++ != 0x0F) return std::nullopt;
  const std::uint8_t opcode = *at++;
  if (opcode == 0x38 || opcode == 0x3A) return std::nullopt;  // three bytes
  const unsigned mod = *at >> 6;
  const unsigned rm = *at++ & 7;
  constexpr unsigned kSib = 4;
  if (mod == 3 || (mod == 0 && rm == 5)) return std::nullopt;  // a register; the code's own data
  std::uintptr_t address =
      rm == kSib ? indexed(context, at, mod, rex) : value_of(context, rm | (rex & 1) << 3);
  if (rm == kSib) ++at;
  if (mod == 1) address += displacement<std::int8_t>(at);
  if (mod == 2) address += displacement<std::int32_t>(at);
  return address;
}

#else

std::optional<std::uintptr_t> memory_operand(const ucontext_t&) { return std::nullopt; }

#endif

}  // namespace simt::executor
