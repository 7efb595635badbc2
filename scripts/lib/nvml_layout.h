// How our hand-written NVML declarations are compared with those of a published nvml.h: checks that compile or do not.
#pragma once

#include <cstddef>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "vendor/nvml/event_types.h"
#include "vendor/nvml/library.h"

#include "nvml.h"

namespace ours = faultline::nvml;
using Table = ours::Library;

// The bit under which an event type is known by that name.
constexpr unsigned long long event_bit(std::string_view name) {
  for (const ours::EventType& type : ours::kEventTypes) {
    if (faultline::event_word(type.word) == name) return type.bit;
  }
  return 0;
}
inline constexpr std::size_t kEventTypesChecked = 13;

#define SAME_SIZE(mine, theirs) static_assert(sizeof(mine) == sizeof(theirs) && alignof(mine) == alignof(theirs), #theirs)
#define SAME_MEMBER(mine, theirs, member)                                                                \
  static_assert(offsetof(mine, member) == offsetof(theirs, member) &&                                     \
                    sizeof(std::declval<mine>().member) == sizeof(std::declval<theirs>().member),         \
                #theirs "." #member)
#define SAME_OFFSET_AND_AT_LEAST(mine, theirs, member)                                                    \
  static_assert(offsetof(mine, member) == offsetof(theirs, member) &&                                     \
                    sizeof(std::declval<mine>().member) >= sizeof(std::declval<theirs>().member),         \
                #theirs "." #member)
#define SAME_VALUE(mine, theirs) static_assert(static_cast<long long>(mine) == static_cast<long long>(theirs), #theirs)

// Two parameters are passed alike when both are pointers, or both are integers of one size.
template <class Mine, class Theirs>
constexpr bool kPassedAlike = std::is_pointer_v<Mine> == std::is_pointer_v<Theirs> && sizeof(Mine) == sizeof(Theirs) &&
                              std::is_floating_point_v<Mine> == std::is_floating_point_v<Theirs>;
template <class Mine, class Theirs>
struct CalledAlike : std::false_type {};
template <class MineResult, class TheirResult, class... Mine, class... Theirs>
  requires(sizeof...(Mine) == sizeof...(Theirs))
struct CalledAlike<MineResult (*)(Mine...), TheirResult (*)(Theirs...)>
    : std::bool_constant<kPassedAlike<MineResult, TheirResult> && (kPassedAlike<Mine, Theirs> && ...)> {};
#define SAME_CALL(mine, theirs) static_assert(CalledAlike<decltype(Table::mine), decltype(&::theirs)>::value, #theirs)
