// Reads what the tables of readings name.
#include "vendor/nvml/asker.h"

namespace faultline::nvml {

void Asker::know_driver(std::string_view version) {
  numbered_so_[static_cast<std::size_t>(When::kSlowdownTimes)] = slowdown_times_are_known(version);
  numbered_so_[static_cast<std::size_t>(When::kSmoothing)] = smoothing_fields_are_known(version);
}

void Asker::fields(Gpu& gpu, std::span<const Field> fields) {
  if (nvml.field_values == nullptr) return;
  FieldValue batch[kLongestBatch]{};
  const Field* which[kLongestBatch];
  int count = 0;
  for (const Field& field : fields) {
    if (!numbered_so_[static_cast<std::size_t>(field.when)] || !wanted(gpu, reading_of(field))) continue;
    batch[count].fieldId = field.id;
    which[count++] = &field;
  }
  if (count == 0) return;
  constexpr VendorCall kCall = VendorCall::kFieldValues;
  const Return result = call_plain(gpu, kCall, nvml.field_values, gpu.handle, count, &batch[0]);
  if (count > 1 && outcome_of(result) == Outcome::kUnsupported) {
    // One of them may have spoilt it for the others: each for itself, once, and what fails is not asked for again.
    for (int i = 0; i < count; ++i) this->fields(gpu, std::span(which[i], 1));
    return;
  }
  if (result != kSuccess) {
    for (int i = 0; i < count; ++i) gpu.codes[reading_of(*which[i])] = result;
    judge(gpu, kCall, result);
    return;
  }
  for (int i = 0; i < count; ++i) {
    // The batch succeeds while single fields fail.
    const Field& field = *which[i];
    if (!accept(gpu, reading_of(field), kCall, batch[i].nvmlReturn)) continue;
    const double value = field_number(batch[i]) * field.scale;
    if (field.quantity == Quantity::kMemoryTemperature) gpu.memory_temperature = value;
    answers.put(gpu, field.quantity, value);
  }
}

void Asker::values(Gpu& gpu, Batch step) {
  for (const ValueCall& each : kValues) {
    if (each.step != step || (each.unless != kReadings && has_field(gpu, each.unless))) continue;
    unsigned value = 0;
    const unsigned reading = reading_of(each);
    const bool has = each.plain != nullptr ? ask(gpu, reading, each.call, nvml.*each.plain, &value)
                                           : ask(gpu, reading, each.call, nvml.*each.with_argument, each.argument, &value);
    if (has) answers.put(gpu, each.quantity, number_of(value) * each.scale);
  }
}

}  // namespace faultline::nvml
