// Bounds how many events of one kind from one device are reported, and counts those that are held back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/vendor/words.h"

namespace faultline {

struct EventKey {
  std::uint32_t device;
  EventWord word;
  std::uint64_t data;  // the XID of an XID event; 0 for others, whose data do not tell them apart
  bool operator==(const EventKey&) const = default;
};

class EventFlood {
 public:
  // How many were held back since the last one that was reported, when this one may be; nothing when it may not.
  std::optional<std::uint64_t> admit(const EventKey& key, std::int64_t now_ns);

  struct Held {
    EventKey key;
    std::uint64_t count;
  };
  // One kind of which some were held back and of which one may be reported again: for when the flood has ebbed.
  std::optional<Held> ebbed(std::int64_t now_ns);

 private:
  struct Bucket {
    EventKey key;
    double tokens;
    std::int64_t updated_ns;
    std::uint64_t held;
  };

  Bucket& bucket_of(const EventKey& key, std::int64_t now_ns);

  std::vector<Bucket> buckets_;
};

}  // namespace faultline
