// SPDX-License-Identifier: Apache-2.0
#include "simt/alternation.h"

#include <chrono>

namespace simt {
namespace {

thread_local Alternation::Part* own_part = nullptr;

Alternation::Call other_than(Alternation::Call call) {
  return call == Alternation::Call::first ? Alternation::Call::second : Alternation::Call::first;
}

}  // namespace

Alternation::Part::Part(Alternation& all, Call call) : all_(all), call_(call) {
  own_part = this;
  all_.await(call_);
}

Alternation::Part::~Part() {
  own_part = nullptr;
  all_.leave(call_);
}

void Alternation::await(Call call) {
  std::unique_lock lock(mutex_);
  const auto is_due = [&] { return alone_ || turn_ == call; };
  while (!changed_.wait_for(lock, std::chrono::seconds(kPatience), is_due))
    if (!launching_) alone_ = true;
  changed_.notify_all();
}

void Alternation::begin_launch() {
  const std::lock_guard lock(mutex_);
  launching_ = true;
}

void Alternation::hand_over(Call from) {
  const std::lock_guard lock(mutex_);
  turn_ = other_than(from);
  launching_ = false;
  changed_.notify_all();
}

void Alternation::leave(Call call) {
  hand_over(call);
  const std::lock_guard lock(mutex_);
  alone_ = true;
  changed_.notify_all();
}

AlternatingLaunch::AlternatingLaunch() {
  if (own_part != nullptr) own_part->all_.begin_launch();
}

AlternatingLaunch::~AlternatingLaunch() {
  if (own_part == nullptr) return;
  own_part->all_.hand_over(own_part->call_);
  own_part->all_.await(own_part->call_);
}

}  // namespace simt
