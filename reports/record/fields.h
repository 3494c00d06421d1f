// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "reports/record/json.h"

namespace gradproof {

/// JSON of structs, each described once for both directions: a function
///
///     template <class Field>
///     void each_field(SweepPoint& p, const Field& field) {
///       field("step", p.log2_step);
///       field("error", p.error);
///     }
///
/// in the struct's namespace names its fields in their order. Enums travel by their names
/// (name_of, parse_name), doubles as number_json() has them, lists as arrays, maps as objects. The
/// key of an optional that has nothing is left out.
struct AnyField {
  template <class T>
  void operator()(const char*, T&) const {}
};

template <class T>
concept HasFields = requires(T value) {
  each_field(value, AnyField());
};

template <class T>
inline constexpr bool kIsList = false;
template <class T>
inline constexpr bool kIsList<std::vector<T>> = true;
template <class T, std::size_t N>
inline constexpr bool kIsList<std::array<T, N>> = true;

template <class T>
inline constexpr bool kIsMap = false;
template <class T>
inline constexpr bool kIsMap<std::map<std::string, T>> = true;

template <class T>
inline constexpr bool kIsOptional = false;
template <class T>
inline constexpr bool kIsOptional<std::optional<T>> = true;

template <class T>
Json json_of(const T& value) {
  if constexpr (std::is_same_v<T, double>) {
    return number_json(value);
  } else if constexpr (std::is_enum_v<T>) {
    return name_of(value);
  } else if constexpr (kIsList<T>) {
    Json list = Json::array();
    for (const auto& one : value) list.push_back(json_of(one));
    return list;
  } else if constexpr (kIsMap<T>) {
    Json object = Json::object();
    for (const auto& [key, one] : value) object[key] = json_of(one);
    return object;
  } else if constexpr (HasFields<T>) {
    Json json = Json::object();
    T copy = value;  // one function serves both directions, and the other one writes
    each_field(copy, [&]<class F>(const char* name, const F& field) {
      if constexpr (!kIsOptional<F>)
        json[name] = json_of(field);
      else if (field)
        json[name] = json_of(*field);
    });
    return json;
  } else {
    return value;
  }
}

/// Throws nlohmann's exceptions, and InstrumentError for a name that is none, a number that does
/// not fit and an array of another length.
template <class T>
T read_json(const Json& json) {
  if constexpr (std::is_same_v<T, double>) {
    return number_from(json);
  } else if constexpr (kIsList<T>) {
    T list{};
    const std::size_t size = json.get_ref<const Json::array_t&>().size();
    if constexpr (requires { list.resize(1); }) list.resize(size);
    if (list.size() != size)
      throw InstrumentError(std::to_string(size) + " in a list of " + std::to_string(list.size()));
    for (std::size_t i = 0; i < list.size(); ++i)
      list[i] = read_json<typename T::value_type>(json.at(i));
    return list;
  } else if constexpr (kIsMap<T>) {
    T map;
    for (const auto& [key, one] : json.get_ref<const Json::object_t&>())
      map[key] = read_json<typename T::mapped_type>(one);
    return map;
  } else if constexpr (HasFields<T>) {
    T value{};
    each_field(value, [&]<class F>(const char* name, F& field) {
      if constexpr (!kIsOptional<F>)
        field = read_json<F>(json.at(name));
      else if (json.contains(name))
        field = read_json<typename F::value_type>(json.at(name));
    });
    return value;
  } else if constexpr (std::is_enum_v<T>) {
    T value{};
    parse_name(json.get<std::string>(), value);
    return value;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    return integer_from<T>(json);
  } else {
    return json.get<T>();
  }
}

template <class Field>
void each_field(Context& c, const Field& field) {
  field("backend", c.backend);
  field("device", c.device);
  field("toolkit", c.toolkit);
  field("version", c.version);
}

}  // namespace gradproof
