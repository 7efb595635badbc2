// Asks the library about one GPU at a time, sorts its answers, and hands values on.
#include "vendor/nvml/asker.h"

namespace faultline {

bool Asker::judge(Gpu& gpu, VendorCall call, nvml::Return result) {
  const CodeClass kind = classify(result);
  if (kind != CodeClass::kUnsupported) ++answers_;
  switch (kind) {
    case CodeClass::kOk:
      return true;
    case CodeClass::kDeviceDead:
      if (!gpu.lost) reporter_.device_lost(gpu.identity.seat, vendor_call_name(call), result);
      gpu.lost = true;
      break;
    case CodeClass::kLibraryDead:
      dead_ = true;
      dead_code_ = result;
      break;
    case CodeClass::kUnknown:
      ++unknown_;
      break;
    case CodeClass::kTransient:
      if (result != nvml::kTimeout) break;
      ++timeouts_;
      rest_after_timeout(gpu, reporter_);
      break;
    case CodeClass::kUnsupported:
      break;
  }
  return false;
}

void Asker::fields(Gpu& gpu, std::span<const Field> fields, unsigned first) {
  if (nvml.field_values == nullptr) return;
  nvml::FieldValue batch[kLongestBatch]{};
  std::size_t which[kLongestBatch];
  int count = 0;
  for (std::size_t row = 0; row < fields.size() && row < kLongestBatch; ++row) {
    if (!wanted(gpu, first + static_cast<unsigned>(row))) continue;
    batch[count].fieldId = fields[row].id;
    which[count++] = row;
  }
  if (count == 0) return;
  constexpr VendorCall kCall = VendorCall::kFieldValues;
  const nvml::Return result = call_plain(gpu, kCall, nvml.field_values, gpu.handle, count, &batch[0]);
  if (count > 1 && classify(result) == CodeClass::kUnsupported) {
    // One of them may have spoilt it for the others: each for itself, once, and what fails is not asked for again.
    for (int i = 0; i < count; ++i) this->fields(gpu, fields.subspan(which[i], 1), first + static_cast<unsigned>(which[i]));
    return;
  }
  if (result != nvml::kSuccess) {
    for (int i = 0; i < count; ++i) gpu.codes[first + which[i]] = result;
    judge(gpu, kCall, result);
    return;
  }
  for (int i = 0; i < count; ++i) {
    // The batch succeeds while single fields fail.
    if (!accept(gpu, first + static_cast<unsigned>(which[i]), kCall, batch[i].nvmlReturn)) continue;
    const Field& field = fields[which[i]];
    const double value = field_number(batch[i]) * field.scale;
    if (field.quantity == Quantity::kMemoryTemperature) gpu.memory_temperature = value;
    put(gpu, field.quantity, value);
  }
}

void Asker::put(const Gpu& gpu, Quantity quantity, double value, std::uint32_t link) {
  if (!is_plausible(quantity, value)) return;
  ++values_;
  reporter_.sample(gpu.identity.seat, quantity, monotonic_now(), value, link);
}

}  // namespace faultline
