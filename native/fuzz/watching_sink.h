// A sink that keeps nothing and ends the process at once where a reader hands over what no reader may.
#pragma once

#include <cmath>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/sink.h"

namespace faultline {

class WatchingSink final : public Sink {
 public:
  SeriesId series(std::string_view key) override {
    demand(key.size() <= 512 && key.find('#') != std::string_view::npos && is_clean(key));
    return next_++;
  }
  void sample(SeriesId series, std::int64_t, double value) override { demand(series < next_ && std::isfinite(value)); }
  void notice(Notice notice) override {
    demand(notice.component.size() <= 512 && notice.name.size() <= 512 && notice.text.size() <= 16'384);
    demand(is_clean(notice.component) && is_clean(notice.name) && std::isfinite(notice.value));
  }
  void record(KernelRecord record) override {
    // At most three bytes for each that was read (U+FFFD).
    demand(record.text.size() <= 3 * 8192 && is_clean(record.text, "\t\n"));
    demand(record.priority >= 0 && record.priority <= 7 && record.facility >= 0 && record.monotonic_ns >= 0);
  }

  static void demand(bool right) {
    if (!right) std::abort();
  }

 private:
  static bool is_clean(std::string_view text, std::string_view allowed = "") {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if ((byte < 0x20 || byte == 0x7F) && allowed.find(c) == std::string_view::npos) return false;
    }
    return true;
  }

  SeriesId next_ = 0;
};

}  // namespace faultline
