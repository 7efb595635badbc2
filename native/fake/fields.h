// What the stand-in's GPUs answer in nvmlDeviceGetFieldValues.
#pragma once

#include <string_view>

#include "fake/world.h"
#include "vendor/nvml/abi.h"

namespace faultline::fake {

unsigned long long energy_of(const Gpu& gpu, const Counters& counters);
unsigned links_of(const Gpu& gpu);
bool link_is_up(const Gpu& gpu, unsigned link);

// Fills the answer to the id and the scope that `field` has.
void answer(nvml::FieldValue& field, const Gpu& gpu, const Counters& counters, int branch, std::string_view driver);

}  // namespace faultline::fake
