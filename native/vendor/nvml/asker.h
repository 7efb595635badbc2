// Asks NVML about one GPU at a time, keeps what each reading answered, and hands values on.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "vendor/nvml/gpu.h"
#include "vendor/nvml/values.h"

namespace faultline::nvml {

class Asker {
 public:
  Asker(const BackendParts& parts, const Library& nvml) : nvml(nvml), answers(parts.answers), reporter(parts.reporter), calls_(parts.calls) {}

  // Drivers number some fields otherwise; those are not asked for.
  void know_driver(std::string_view version);

  // False for what this GPU answered that it does not support, and for everything once it is gone.
  bool wanted(const Gpu& gpu, unsigned reading) const {
    return answers.may_ask(gpu) && (answers.again() || outcome_of(gpu.codes[reading]) != Outcome::kUnsupported);
  }
  // The library's answer, its code kept under `reading`; true when there is a value to take.
  template <class Function, class... Arguments>
  bool ask(Gpu& gpu, unsigned reading, VendorCall call, Function function, Arguments... arguments) {
    return wanted(gpu, reading) && accept(gpu, reading, call, call_plain(gpu, call, function, gpu.handle, arguments...));
  }
  // Only the call, its code not judged.
  template <class Function, class... Arguments>
  Return call_plain(const Gpu& gpu, VendorCall call, Function function, Arguments... arguments) {
    return nvml::call(calls_, call, gpu.identity.seat, function, arguments...);
  }
  bool accept(Gpu& gpu, unsigned reading, VendorCall call, Return result) {
    if (result != gpu.codes[reading]) gpu.codes[reading] = result;
    return judge(gpu, call, result);
  }
  // Counts the answer and, where it says so, takes the device or the library for gone. True on success.
  bool judge(Gpu& gpu, VendorCall call, Return result) { return answers.judge(gpu, call, answer_of(result)); }

  // One batched read of the batch's fields; each that has a value is put.
  void fields(Gpu& gpu, Batch batch) { fields(gpu, fields_of(batch)); }
  // The calls of that step, those that stand for a field only where the driver does not know it.
  void values(Gpu& gpu, Batch step);
  // Whether the driver gives the field of this number, or may yet.
  bool has_field(const Gpu& gpu, unsigned reading) const {
    return nvml.field_values != nullptr && outcome_of(gpu.codes[reading]) != Outcome::kUnsupported;
  }

  static constexpr std::size_t kLongestBatch = 24;
  const Library& nvml;
  Answers& answers;
  Reporter& reporter;

 private:
  void fields(Gpu& gpu, std::span<const Field> fields);

  CallContext& calls_;
  std::array<bool, 3> numbered_so_{true, false, false};  // by When
};

}  // namespace faultline::nvml
