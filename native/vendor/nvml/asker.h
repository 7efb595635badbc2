// Asks the library about one GPU at a time, sorts its answers, and hands values on.
#pragma once

#include "vendor/nvml/gpu.h"
#include "vendor/nvml/readings.h"
#include "vendor/nvml/values.h"

namespace faultline {

class Asker {
 public:
  Asker(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter) : nvml(nvml), calls_(calls), reporter_(reporter) {}

  // False for what this GPU answered that it does not support, and for everything once it is gone.
  bool wanted(const Gpu& gpu, unsigned reading) const {
    return !gpu.lost && !gpu.timed_out && !dead_ && (again_ || classify(gpu.codes[reading]) != CodeClass::kUnsupported);
  }
  // The library's answer, its code kept under `reading`; true when there is a value to take.
  template <class Function, class... Arguments>
  bool ask(Gpu& gpu, unsigned reading, VendorCall call, Function function, Arguments... arguments) {
    return wanted(gpu, reading) && accept(gpu, reading, call, call_plain(gpu, call, function, gpu.handle, arguments...));
  }
  // Only the call, its code not judged.
  template <class Function, class... Arguments>
  nvml::Return call_plain(const Gpu& gpu, VendorCall call, Function function, Arguments... arguments) {
    return calls_.call(call, gpu.identity.seat, function, arguments...);
  }
  bool accept(Gpu& gpu, unsigned reading, VendorCall call, nvml::Return result) {
    if (result != gpu.codes[reading]) gpu.codes[reading] = result;
    return judge(gpu, call, result);
  }
  // Counts the answer and, where it says so, takes the device or the library for gone. True on success.
  bool judge(Gpu& gpu, VendorCall call, nvml::Return result);
  // One batched read of `fields` (at most kLongestBatch), their numbers beginning at `first`; each that has a value is put.
  void fields(Gpu& gpu, std::span<const Field> fields, unsigned first);

  // Whether the row of that quantity in `fields` answered with a value the last time.
  static bool has_value(const Gpu& gpu, unsigned first, std::span<const Field> fields, Quantity quantity) {
    for (std::size_t row = 0; row < fields.size(); ++row) {
      if (fields[row].quantity == quantity) return gpu.codes[first + row] == nvml::kSuccess;
    }
    return false;
  }

  // Values that cannot be are dropped; they are absent.
  void put(const Gpu& gpu, Quantity quantity, double value, std::uint32_t link = kNoLink);

  void begin_round() { answers_ = unknown_ = timeouts_ = 0; }
  // Every answer since then was "unknown", and there was one.
  bool all_unknown() const { return answers_ > 0 && answers_ == unknown_; }
  unsigned timeouts() const { return timeouts_; }
  bool dead() const { return dead_; }
  nvml::Return dead_code() const { return dead_code_; }
  std::uint64_t values() const { return values_; }
  std::int64_t take_spent_ns() { return calls_.take_spent_ns(); }
  // Asks for what was not supported, too: a driver that splits a GPU, or joins it again, changes what it answers.
  void ask_again(bool again) { again_ = again; }

  static constexpr std::size_t kLongestBatch = 24;
  const NvmlLibrary& nvml;

 private:
  CallContext& calls_;
  Reporter& reporter_;
  bool again_ = false;
  bool dead_ = false;
  nvml::Return dead_code_ = nvml::kSuccess;
  unsigned answers_ = 0, unknown_ = 0, timeouts_ = 0;
  std::uint64_t values_ = 0;  // that were put into the ring
};

}  // namespace faultline
