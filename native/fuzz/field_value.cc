// Fuzzes the decoder of NVML's field values: any bytes give a number that its quantity can have, or none.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "fuzz/watching_sink.h"
#include "vendor/nvml/values.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace faultline;
  nvml::FieldValue field{};
  if (size < sizeof field.value + 2) return 0;
  field.valueType = data[0];
  std::memcpy(&field.value, data + 2, sizeof field.value);
  const double value = nvml::field_number(field);
  WatchingSink::demand(!std::isinf(value));
  const auto quantity = static_cast<Quantity>(data[1] % static_cast<unsigned>(Quantity::kEnd));
  WatchingSink::demand(!is_plausible(quantity, value) || std::isfinite(value));
  return 0;
}
