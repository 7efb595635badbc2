// Memory that one parse may take, and arrays that ask before they grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace faultline::flight_recorder {

class Budget {
 public:
  explicit Budget(std::size_t bytes) : left_(bytes) {}
  bool take(std::size_t bytes) {
    if (bytes > left_) return false;
    left_ -= bytes;
    return true;
  }
  void give(std::size_t bytes) { left_ += bytes; }

 private:
  std::size_t left_;
};

inline thread_local std::size_t spare_bytes = 0;  // kept by this thread

// Memory that a thread has done with, kept for its next dump: to touch fresh memory costs as much as to read the dump does.
// Of each kind what was given last comes first, so that a member gets back what the same member had.
template <typename Room>
class Spare {
 public:
  static constexpr std::size_t MAX_BYTES = std::size_t{6} << 20;  // of a thread, all kinds together

  static std::optional<Room> take() {
    if (gone_) return std::nullopt;
    Kept& of = kept();
    if (of.rooms.empty()) return std::nullopt;
    Room room = std::move(of.rooms.back().first);
    spare_bytes -= of.rooms.back().second;
    of.rooms.pop_back();
    return room;
  }
  static void give(Room room, std::size_t bytes) noexcept {
    if (gone_) return;
    Kept& of = kept();
    if (of.rooms.size() == of.rooms.capacity() || bytes > MAX_BYTES - spare_bytes) return;
    spare_bytes += bytes;
    of.rooms.emplace_back(std::move(room), bytes);
  }

 private:
  struct Kept {
    Kept() { rooms.reserve(256); }  // `give` may not throw
    ~Kept() { gone_ = true; }
    std::vector<std::pair<Room, std::size_t>> rooms;
  };
  static Kept& kept() {
    thread_local Kept kept;
    return kept;
  }
  // A dump in static memory outlives what its thread kept; this flag has no destructor and so outlives both.
  static inline thread_local bool gone_ = false;
};

// A vector that grows by half again: while it moves, old and new are both paid for.
template <typename T>
class Growing {
 public:
  explicit Growing(Budget& budget) : budget_(budget), items_(Rooms::take().value_or(std::vector<T>())) {}
  Growing(const Growing&) = delete;
  Growing& operator=(const Growing&) = delete;
  ~Growing() {
    const std::size_t bytes = items_.capacity() * sizeof(T);
    items_.clear();
    Rooms::give(std::move(items_), bytes);
  }
  // False when the budget is spent.
  bool push(const T& value) {
    if (items_.size() == paid_ && !grow(items_.size() + 1)) return false;
    items_.push_back(value);
    return true;
  }
  bool reserve(std::size_t size) { return size <= paid_ || grow(size); }
  bool resize(std::size_t size) {
    if (!reserve(size)) return false;
    items_.resize(size);
    return true;
  }
  void shrink(std::size_t size) { items_.resize(size); }
  void pop() { items_.pop_back(); }
  std::size_t size() const { return items_.size(); }
  bool empty() const { return items_.empty(); }
  T& operator[](std::size_t index) { return items_[index]; }
  const T& operator[](std::size_t index) const { return items_[index]; }
  T& back() { return items_.back(); }
  T* data() { return items_.data(); }
  const T* data() const { return items_.data(); }

 private:
  using Rooms = Spare<std::vector<T>>;
  bool grow(std::size_t least) {
    const std::size_t before = paid_;
    const std::size_t after = std::max<std::size_t>({least, before + before / 2, 16});
    if (!budget_.take(after * sizeof(T))) return false;
    items_.reserve(after);
    budget_.give(before * sizeof(T));
    paid_ = after;
    return true;
  }

  Budget& budget_;
  std::vector<T> items_;
  std::size_t paid_ = 0;  // items that the budget was asked for; there may be room for more
};

// Rows in blocks: never moved, never doubled.
template <typename T>
class Blocks {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t BLOCK = 256;
  // `more`: what else each row will cost, in bytes.
  explicit Blocks(Budget& budget, std::size_t more = 0) : budget_(budget), more_(more) {}
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;
  ~Blocks() {
    while (!blocks_.empty()) {
      Rooms::give(std::move(blocks_.back()), BLOCK * sizeof(T));
      blocks_.pop_back();
    }
  }
  // Null when the budget is spent.
  T* add(const T& row = T()) {
    void* place = next();
    if (place == nullptr) return nullptr;
    ++size_;
    return new (place) T(row);
  }
  // Where the next row will stand, with nothing in it yet: `add_next` counts it once it was written.
  T* spare() { return static_cast<T*>(next()); }
  void add_next() { ++size_; }
  void drop_last() { --size_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return *at(index); }
  const T& operator[](std::size_t index) const { return *at(index); }

 private:
  static_assert(alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  struct Room {
    std::unique_ptr<std::byte[]> bytes;
  };
  using Rooms = Spare<Room>;
  void* next() {
    if (size_ == blocks_.size() * BLOCK) {
      if (!budget_.take(BLOCK * (sizeof(T) + more_) + 2 * sizeof(void*))) return nullptr;
      std::optional<Room> spare = Rooms::take();
      // Not zeroed: each row is written as it is added.
      blocks_.push_back(spare ? std::move(*spare) : Room{std::unique_ptr<std::byte[]>(new std::byte[BLOCK * sizeof(T)])});
    }
    return blocks_[size_ / BLOCK].bytes.get() + size_ % BLOCK * sizeof(T);
  }
  T* at(std::size_t index) const {
    return std::launder(reinterpret_cast<T*>(blocks_[index / BLOCK].bytes.get() + index % BLOCK * sizeof(T)));
  }

  Budget& budget_;
  const std::size_t more_;
  std::vector<Room> blocks_;
  std::size_t size_ = 0;
};

}  // namespace faultline::flight_recorder
