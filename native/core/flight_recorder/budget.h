// Memory that one parse may take, and arrays that ask before they grow.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <type_traits>
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

// A vector that grows by half again: while it moves, old and new are both paid for.
template <typename T>
class Growing {
 public:
  explicit Growing(Budget& budget) : budget_(budget) {}
  // False when the budget is spent.
  bool push(const T& value) {
    if (items_.size() == items_.capacity() && !grow(items_.size() + 1)) return false;
    items_.push_back(value);
    return true;
  }
  bool reserve(std::size_t size) { return size <= items_.capacity() || grow(size); }
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
  bool grow(std::size_t least) {
    const std::size_t before = items_.capacity();
    const std::size_t after = std::max<std::size_t>({least, before + before / 2, 16});
    if (!budget_.take(after * sizeof(T))) return false;
    items_.reserve(after);
    budget_.give(before * sizeof(T));
    return true;
  }

  Budget& budget_;
  std::vector<T> items_;
};

// Rows in blocks: never moved, never doubled.
template <typename T>
class Blocks {
  static_assert(std::is_trivially_destructible_v<T> && std::is_trivially_copyable_v<T>);

 public:
  static constexpr std::size_t BLOCK = 256;
  explicit Blocks(Budget& budget) : budget_(budget) {}
  // Null when the budget is spent.
  T* add(const T& row = T()) {
    if (size_ == blocks_.size() * BLOCK) {
      if (!budget_.take(sizeof(Block) + 2 * sizeof(void*))) return nullptr;
      blocks_.push_back(std::unique_ptr<Block>(new Block));  // not zeroed: each row is written as it is added
    }
    T* added = new (blocks_[size_ / BLOCK]->room + size_ % BLOCK * sizeof(T)) T(row);
    ++size_;
    return added;
  }
  void drop_last() { --size_; }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t index) { return *at(index); }
  const T& operator[](std::size_t index) const { return *at(index); }

 private:
  struct Block {
    alignas(T) std::byte room[BLOCK * sizeof(T)];
  };
  T* at(std::size_t index) const {
    return std::launder(reinterpret_cast<T*>(blocks_[index / BLOCK]->room + index % BLOCK * sizeof(T)));
  }

  Budget& budget_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::size_t size_ = 0;
};

}  // namespace faultline::flight_recorder
