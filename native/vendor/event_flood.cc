// A token bucket for each kind of event.
#include "vendor/event_flood.h"

#include <algorithm>

namespace faultline {
namespace {

// A burst is worth seeing one by one; what lasts longer is worth a count.
constexpr double kBurst = 8;
constexpr double kTokensPerNs = 1.0 / 5e9;
// 128 devices with a few kinds each; more kinds than this is XIDs that no catalogue has.
constexpr std::size_t kMostBuckets = 512;

}  // namespace

EventFlood::Bucket& EventFlood::bucket_of(const EventKey& key, std::int64_t now_ns) {
  auto found = std::ranges::find(buckets_, key, &Bucket::key);
  if (found == buckets_.end() && buckets_.size() >= kMostBuckets) {
    found = std::ranges::min_element(buckets_, {}, &Bucket::updated_ns);
    *found = {key, kBurst, now_ns, 0};
  } else if (found == buckets_.end()) {
    found = buckets_.insert(found, {key, kBurst, now_ns, 0});
  }
  const std::int64_t passed = std::max<std::int64_t>(0, now_ns - found->updated_ns);
  found->tokens = std::min(kBurst, found->tokens + static_cast<double>(passed) * kTokensPerNs);
  found->updated_ns = now_ns;
  return *found;
}

std::optional<std::uint64_t> EventFlood::admit(const EventKey& key, std::int64_t now_ns) {
  Bucket& bucket = bucket_of(key, now_ns);
  if (bucket.tokens < 1) {
    ++bucket.held;
    return std::nullopt;
  }
  bucket.tokens -= 1;
  const std::uint64_t held = bucket.held;
  bucket.held = 0;
  return held;
}

std::optional<EventFlood::Held> EventFlood::ebbed(std::int64_t now_ns) {
  for (const Bucket& each : buckets_) {
    if (each.held == 0) continue;
    Bucket& bucket = bucket_of(each.key, now_ns);
    if (bucket.tokens < 1) continue;
    bucket.tokens -= 1;
    const Held held{bucket.key, bucket.held};
    bucket.held = 0;
    return held;
  }
  return std::nullopt;
}

}  // namespace faultline
