// One round over the GPUs: one batched read and a few single calls each, into the ring.
#pragma once

#include <string_view>

#include "vendor/gpu.h"

namespace faultline {

struct Round {
  bool library_dead = false;
  nvml::Return dead_code = nvml::kSuccess;
  // Every call on every GPU answered "unknown": the process lost its right to the devices, the devices are well.
  bool access_lost = false;
  std::int64_t worst_spent_ns = 0;  // longest time inside the library for one GPU
};

class Sampler {
 public:
  Sampler(const NvmlLibrary& nvml, CallContext& calls, Reporter& reporter, std::vector<Gpu>& gpus,
          std::string_view driver);

  // `slow` adds what hardly ever changes.
  Round round(bool slow);

 private:
  // Several quantities come from one metric (temperature has two calls), so metrics have their own bits.
  enum Metric : unsigned { kBatch, kFields, kReasons = kFields + 8, kTempV, kTemp, kSm, kMem, kLimit, kUse, kPower, kJoule, kSlow };

  void gpu(Gpu& gpu, bool slow);
  void fields(Gpu& gpu);
  void without_fields(Gpu& gpu);
  void temperature(Gpu& gpu);
  bool wanted(const Gpu& gpu, unsigned metric) const { return !gpu.lost && !dead_ && !(gpu.unsupported >> metric & 1); }
  // True when there is a value to take.
  bool accept(Gpu& gpu, unsigned metric, VendorCall call, nvml::Return result);
  void put(const Gpu& gpu, Quantity quantity, double value);
  template <class Function, class Out, class... Arguments>
  bool read(Gpu& gpu, unsigned metric, VendorCall call, Function function, Out& out, Arguments... arguments);

  const NvmlLibrary& nvml_;
  CallContext& calls_;
  Reporter& reporter_;
  std::vector<Gpu>& gpus_;
  unsigned field_count_;
  bool dead_ = false;
  nvml::Return dead_code_ = nvml::kSuccess;
  unsigned answers_ = 0;
  unsigned unknown_ = 0;
  std::uint64_t values_ = 0;  // that were put into the ring
};

// Whether fields 269-271 are the slowdown times on this driver: NVML 12.9 and early 13.0 (drivers 575 to 580.82)
// numbered them otherwise, and there 269-271 are power-smoothing settings.
bool slowdown_times_are_known(std::string_view driver);

// The number in a field value, by the type it says it has; not a number for types that nobody defined.
double field_number(const nvml::FieldValue& field);

}  // namespace faultline
