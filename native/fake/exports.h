// What the stand-in's exported functions share: handles, and the checks that each call begins with.
#pragma once

#include <cstdint>

#include "fake/world.h"
#include "vendor/nvml/abi.h"

#define FAULTLINE_EXPORT extern "C" __attribute__((visibility("default")))

namespace faultline::fake {

// Handles are small numbers; whatever else comes in is an invalid argument, as in the real library.
inline constexpr unsigned kMostHandles = 0x8000;
inline unsigned number_of(nvml::Device device) {
  const auto value = reinterpret_cast<std::uintptr_t>(device);
  return value < kMostHandles ? static_cast<unsigned>(value) : 0;
}
inline nvml::Device handle_of(unsigned index) {
  return reinterpret_cast<nvml::Device>(static_cast<std::uintptr_t>(World::instance().handle_of(index)));
}
inline int index_of(nvml::Device device) { return World::instance().index_of(number_of(device)); }

// The faults of a call that is about no device.
inline int begin(const char* symbol) {
  const int error = World::instance().enter(symbol, -1);
  if (error != 0) return error;
  return World::instance().initialised() ? nvml::kSuccess : nvml::kUninitialized;
}

// The same for a device, which is then in `gpu` and `counters`.
inline int begin(const char* symbol, nvml::Device device, Gpu& gpu, Counters& counters) {
  World& world = World::instance();
  const int error = world.enter(symbol, -1, number_of(device));
  if (error != 0) return error;
  if (!world.initialised()) return nvml::kUninitialized;
  return world.gpu(-1, gpu, counters, number_of(device)) ? nvml::kSuccess : nvml::kInvalidArgument;
}

// Instances have handles beyond those of devices.
inline constexpr unsigned kMostInstances = 8;
inline nvml::Device instance_handle_of(int gpu, unsigned index) {
  return reinterpret_cast<nvml::Device>(0x10000 + static_cast<std::uintptr_t>(gpu) * kMostInstances + index);
}
inline bool is_instance_handle(nvml::Device handle) {
  return reinterpret_cast<std::uintptr_t>(handle) - 0x10000 < kMostGpus * kMostInstances;
}
inline int begin_instance(const char* symbol, nvml::Device handle, Instance& out, InstanceScript* script = nullptr,
                          Gpu* parent = nullptr) {
  World& world = World::instance();
  const auto value = reinterpret_cast<std::uintptr_t>(handle) - 0x10000;
  const int gpu = value < kMostGpus * kMostInstances ? static_cast<int>(value / kMostInstances) : -1;
  const int error = world.enter(symbol, gpu);
  if (error != 0) return error;
  Gpu whole;
  Counters counters;
  if (!world.gpu(gpu, whole, counters)) return nvml::kInvalidArgument;
  const std::size_t index = value % kMostInstances;
  if (!whole.mig || index >= whole.instances.size()) return nvml::kNotFound;
  out = whole.instances[index];
  if (script != nullptr) *script = whole.instance_scripts[out.gpu_instance];
  if (parent != nullptr) *parent = whole;
  return nvml::kSuccess;
}

}  // namespace faultline::fake
