// Holds a storm of kernel lines apart from news: what repeats its shape is handed over at a bounded rate, and counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <optional>
#include <unordered_map>

#include "core/kernel_log/line_shape.h"
#include "core/sink.h"

namespace faultline {

// Not thread-safe. Every line is either handed on or counted in `repeats` of a line that is handed on later, of its own shape
// as long as that is remembered; the newest of those that were held back comes within about a second.
class StormFolder {
 public:
  // Shapes that are remembered of users and others, and of each kind of driver; the one that was quiet longest is forgotten first.
  static constexpr std::size_t kMaxShapes = 512;
  static constexpr std::size_t kMaxDriverShapes = 4096;

  using HandOn = std::function<void(KernelRecord)>;
  explicit StormFolder(HandOn hand_on) : hand_on_(std::move(hand_on)) {}

  // `now_ns`: CLOCK_MONOTONIC, never going back. `by_user`: user space wrote the record.
  void take(KernelRecord record, bool by_user, std::int64_t now_ns);
  // Hands on what was held back for long enough.
  void settle(std::int64_t now_ns);
  bool waiting() const { return waiting_ > 0; }
  std::uint64_t folded() const { return folded_; }

 private:
  struct Bucket {
    double tokens;
    std::int64_t filled_ns;
    bool take(double burst, double rate, std::int64_t now_ns);
  };
  struct Held {
    std::uint64_t lines = 0;  // held back since the last one that was handed on
    std::optional<KernelRecord> newest;
  };
  struct Shape {
    std::uint64_t key;
    Bucket bucket;
    std::int64_t handed_ns;
    Held held;
  };
  struct Speaker {
    std::list<Shape> shapes;  // the one that spoke last in front
    std::unordered_map<std::uint64_t, std::list<Shape>::iterator> by_key;
    std::optional<Bucket> all;
    std::optional<Bucket> fresh;  // shapes that are new, and handed on whatever else was said
    Held forgotten;  // of shapes that were pushed out while lines of theirs were held back
    std::int64_t forgotten_ns = 0;
  };

  Shape& shape_of(Speaker& speaker, std::size_t most, std::uint64_t key, double burst, std::int64_t now_ns, bool& fresh);
  void hold(Held& held, KernelRecord record);
  void hand_held(Held& held);

  HandOn hand_on_;
  std::array<Speaker, LineShape::kSpeakers> speakers_;
  std::size_t waiting_ = 0;  // of `Held` with lines
  std::int64_t settled_ns_ = 0;
  std::uint64_t folded_ = 0;
};

}  // namespace faultline
