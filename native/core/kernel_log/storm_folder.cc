// Holds a storm of kernel lines apart from news: what repeats its shape is handed over at a bounded rate, and counted.
#include "core/kernel_log/storm_folder.h"

#include <algorithm>
#include <utility>

namespace faultline {
namespace {

constexpr std::int64_t kHoldNs = 1'000'000'000;
constexpr std::int64_t kLookNs = 200'000'000;

struct Rates {
  double burst, rate;          // of one shape, and a second
  double all_burst, all_rate;  // of all shapes of the speaker
};

// A user makes a line with each process that he lets crash; other lines say nothing of faults. A driver's shapes are few, and
// none of them takes another's turn: what it says first is handed on, up to more than any host's drivers say in a second.
constexpr double kFreshBurst = 2000, kFreshRate = 200;

constexpr Rates rates_of(LineShape::Speaker speaker) {
  switch (speaker) {
    case LineShape::Speaker::user: return {64, 20, 128, 50};
    case LineShape::Speaker::xid:
    case LineShape::Speaker::driver: return {64, 32, 1024, 1000};
    case LineShape::Speaker::other: break;
  }
  return {64, 16, 512, 200};
}

constexpr bool is_driver(LineShape::Speaker speaker) {
  return speaker == LineShape::Speaker::xid || speaker == LineShape::Speaker::driver;
}

}  // namespace

bool StormFolder::Bucket::take(double burst, double rate, std::int64_t now_ns) {
  tokens = std::min(burst, tokens + rate * static_cast<double>(now_ns - filled_ns) / 1e9);
  filled_ns = now_ns;
  if (tokens < 1) return false;
  tokens -= 1;
  return true;
}

StormFolder::Shape& StormFolder::shape_of(Speaker& speaker, std::size_t most, std::uint64_t key, double burst, std::int64_t now_ns, bool& fresh) {
  const auto known = speaker.by_key.find(key);
  fresh = known == speaker.by_key.end();
  if (!fresh) {
    speaker.shapes.splice(speaker.shapes.begin(), speaker.shapes, known->second);
    return speaker.shapes.front();
  }
  if (speaker.shapes.size() >= most) {
    Shape& oldest = speaker.shapes.back();
    speaker.by_key.erase(oldest.key);
    if (oldest.held.lines > 0) {
      if (speaker.forgotten.lines > 0) --waiting_;  // two become one
      speaker.forgotten.lines += oldest.held.lines;
      speaker.forgotten.newest = std::move(oldest.held.newest);
    }
    speaker.shapes.splice(speaker.shapes.begin(), speaker.shapes, std::prev(speaker.shapes.end()));
  } else {
    speaker.shapes.emplace_front();
  }
  speaker.shapes.front() = Shape{key, {burst, now_ns}, now_ns, {}};
  speaker.by_key[key] = speaker.shapes.begin();
  return speaker.shapes.front();
}

void StormFolder::hold(Held& held, KernelRecord record) {
  if (held.lines == 0) ++waiting_;
  ++held.lines;
  ++folded_;
  held.newest = std::move(record);
}

void StormFolder::hand_held(Held& held) {
  if (held.lines == 0) return;
  KernelRecord newest = std::move(*held.newest);
  newest.repeats = held.lines - 1;
  --folded_;  // the one that is handed on now
  held = {};
  --waiting_;
  hand_on_(std::move(newest));
}

void StormFolder::take(KernelRecord record, bool by_user, std::int64_t now_ns) {
  if (now_ns - settled_ns_ >= kLookNs) settle(now_ns);
  LineShape line = line_shape(record.text);
  if (by_user) line.speaker = LineShape::Speaker::user;
  const Rates rates = rates_of(line.speaker);
  Speaker& speaker = speakers_[static_cast<std::size_t>(line.speaker)];
  if (!speaker.all) {
    speaker.all = Bucket{rates.all_burst, now_ns};
    speaker.fresh = Bucket{kFreshBurst, now_ns};
  }
  bool fresh = false;
  const std::size_t most = is_driver(line.speaker) ? kMaxDriverShapes : kMaxShapes;
  Shape& shape = shape_of(speaker, most, line.key, rates.burst, now_ns, fresh);
  const bool own = shape.bucket.take(rates.burst, rates.rate, now_ns);
  const bool any = own && speaker.all->take(rates.all_burst, rates.all_rate, now_ns);
  const bool first = fresh && is_driver(line.speaker) && speaker.fresh->take(kFreshBurst, kFreshRate, now_ns);
  if (!any && !first) return hold(shape.held, std::move(record));
  if (shape.held.lines > 0) {
    record.repeats = shape.held.lines;
    shape.held = {};
    --waiting_;
  }
  shape.handed_ns = now_ns;
  hand_on_(std::move(record));
}

void StormFolder::settle(std::int64_t now_ns) {
  settled_ns_ = now_ns;
  if (waiting_ == 0) return;
  for (std::size_t i = 0; i < speakers_.size(); ++i) {
    Speaker& speaker = speakers_[i];
    for (Shape& shape : speaker.shapes) {
      if (shape.held.lines == 0 || now_ns - shape.handed_ns < kHoldNs) continue;
      shape.handed_ns = now_ns;
      // Hostile shapes come by the hundred: they are reported together, like those that were forgotten.
      if (!is_driver(static_cast<LineShape::Speaker>(i)) && shape.held.lines == 1) {
        if (speaker.forgotten.lines > 0) --waiting_;
        speaker.forgotten.lines += 1;
        speaker.forgotten.newest = std::move(shape.held.newest);
        shape.held = {};
        continue;
      }
      hand_held(shape.held);
    }
    if (now_ns - speaker.forgotten_ns < kHoldNs) continue;
    speaker.forgotten_ns = now_ns;
    hand_held(speaker.forgotten);
  }
}

}  // namespace faultline
