// Runs parts of the vendor child in this process, against the stand-in library, and reads what they put into the ring.
#pragma once

#include <sys/eventfd.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "vendor/inventory.h"
#include "vendor/nvml/backend.h"
#include "vendor/sampler.h"

namespace checks {

using namespace faultline;

// The control file of the stand-in; it is loaded once per process.
inline const std::string& control_path() {
  static const std::string path = [] {
    std::string file = "/tmp/faultline-child-parts-" + std::to_string(getpid()) + ".control";
    setenv("FAULTLINE_FAKE_NVML", file.c_str(), 1);
    std::atexit([] { std::remove(control_path().c_str()); });
    return file;
  }();
  return path;
}

// Takes effect before it returns: the stand-in looks at the file at most every 2 ms.
inline void script(const std::string& text) {
  const std::string fresh = control_path() + ".new";
  std::ofstream(fresh) << text;
  std::rename(fresh.c_str(), control_path().c_str());
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

class ChildParts {
 public:
  explicit ChildParts(const std::string& text, void (*without)(nvml::Library&) = nullptr)
      : ring_(std::make_unique<RingLayout>()), wake_fd_(eventfd(0, EFD_NONBLOCK)) {
    script(text);
    ring_format(*ring_, 500'000'000);
    reader_ = std::make_unique<RingReader>(*ring_, 0);
    std::string why;
    if (backend.load(FAULTLINE_FAKE, why) != LoadResult::kLoaded) std::abort();
    backend.start();
    if (without != nullptr) without(backend.library());
    const std::string driver = backend.driver_version();
    devices = take_inventory(backend, reporter_, KnownDevices("-"), driver).devices;
    lane = std::make_unique<SlowLane>(backend, parts, devices);
    drain();
  }
  ~ChildParts() {
    lane.reset();
    devices.clear();
    backend.release();
    close(wake_fd_);
  }

  // A whole pass of the slow lane, an hour after the last as far as it knows. What came of it replaces what was there.
  void pass() {
    begin_pass();
    for (int slices = 0; !lane->idle() && slices < 10'000; ++slices) {
      slice();
      drain();
    }
  }
  void begin_pass() {
    now_ns_ += 3'600'000'000'000;
    lane->begin(now_ns_);
    samples.clear();
    links.clear();
  }
  // As if half a second had passed since the last.
  void slice() { lane->run(now_ns_ += 500'000'000); }
  void drain() {
    reader_->begin();
    const std::int64_t now = monotonic_now();
    NoticeRecord notice;
    while (reader_->next(notice, now)) {
      if (notice.type == static_cast<std::uint32_t>(NoticeType::kCapability)) {
        capabilities[notice.device][static_cast<Capability>(notice.detail)] = bounded_text(notice.text);
      }
      notices.push_back(notice);
    }
    SampleRecord sample;
    while (reader_->next(sample, now)) {
      const auto quantity = static_cast<Quantity>(sample.quantity);
      if (sample.link == kNoLink) samples[sample.device][quantity] = sample.value;
      else links[sample.link][quantity] = sample.value;
    }
  }
  std::size_t notices_of(NoticeType type) const {
    std::size_t count = 0;
    for (const NoticeRecord& each : notices) count += each.type == static_cast<std::uint32_t>(type);
    return count;
  }
  bool has(Quantity quantity) { return samples[0].contains(quantity); }
  // Of GPU 0; -1e9 where there is none.
  double value(Quantity quantity) { return has(quantity) ? samples[0][quantity] : -1e9; }
  double link(unsigned link, Quantity quantity) { return links[link].contains(quantity) ? links[link][quantity] : -1e9; }
  std::string capability(Capability group) { return capabilities[0][group]; }
  std::uint64_t corrupt() const { return reader_->corrupt(); }
  std::uint64_t lost() const { return reader_->lost(); }

  nvml::Gpu& gpu(std::size_t at) { return static_cast<nvml::Gpu&>(*devices[at]); }

 private:
  std::unique_ptr<RingLayout> ring_;
  int wake_fd_;
  CallContext calls_{*ring_, 0};
  Reporter reporter_{*ring_, wake_fd_};

 public:
  Answers answers{reporter_};
  const BackendParts parts{calls_, reporter_, answers};
  nvml::NvmlBackend backend{parts};
  VendorDevices devices;
  std::unique_ptr<SlowLane> lane;
  std::map<unsigned, std::map<Quantity, double>> samples;  // by device
  std::map<unsigned, std::map<Quantity, double>> links;    // by link
  std::map<unsigned, std::map<Capability, std::string>> capabilities;
  std::vector<NoticeRecord> notices;

 private:
  std::unique_ptr<RingReader> reader_;
  std::int64_t now_ns_ = monotonic_now();
};

}  // namespace checks
