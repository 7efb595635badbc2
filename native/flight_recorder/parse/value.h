// One value of a dump in a word: an integer of 63 bits, or a tag and an index into the parse's tables.
#pragma once

#include <cstdint>

namespace faultline::flight_recorder {

class Value {
 public:
  enum class Tag : std::uint8_t { special, string, object, number, sequence, mapping, wide, row };
  enum class Special : std::uint8_t { none, yes, no, opaque, rows };

  constexpr Value() = default;
  static constexpr Value of(Special special) { return {Tag::special, static_cast<std::uint32_t>(special)}; }
  static constexpr Value truth(bool value) { return of(value ? Special::yes : Special::no); }
  static constexpr Value string(std::uint32_t id) { return {Tag::string, id}; }
  static constexpr Value object(std::uint32_t id) { return {Tag::object, id}; }
  static constexpr Value number(std::uint32_t id) { return {Tag::number, id}; }
  static constexpr Value sequence(std::uint32_t id) { return {Tag::sequence, id}; }
  static constexpr Value mapping(std::uint32_t id) { return {Tag::mapping, id}; }
  static constexpr Value row(std::uint32_t id) { return {Tag::row, id}; }
  // Integers that do not fit in 63 bits keep only that they were integers.
  static constexpr Value integer(std::int64_t value) {
    Value made;
    if (value > (INT64_MAX >> 1) || value < (INT64_MIN >> 1)) return {Tag::wide, 0};
    made.bits_ = (static_cast<std::uint64_t>(value) << 1) | 1;
    return made;
  }

  constexpr bool is_integer() const { return (bits_ & 1) != 0; }
  constexpr std::int64_t integer() const { return static_cast<std::int64_t>(bits_) >> 1; }
  constexpr Tag tag() const { return static_cast<Tag>((bits_ >> 1) & 7); }
  constexpr bool is(Tag wanted) const { return !is_integer() && tag() == wanted; }
  constexpr bool is(Special wanted) const { return bits_ == of(wanted).bits_; }
  constexpr std::uint32_t index() const { return static_cast<std::uint32_t>(bits_ >> 4); }
  constexpr std::uint64_t bits() const { return bits_; }
  friend constexpr bool operator==(Value, Value) = default;

 private:
  constexpr Value(Tag tag, std::uint32_t index)
      : bits_((static_cast<std::uint64_t>(index) << 4) | (static_cast<std::uint64_t>(tag) << 1)) {}
  std::uint64_t bits_ = 0;
};

}  // namespace faultline::flight_recorder
